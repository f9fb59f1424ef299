/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/v2/event/public: the parts of an event that any visitor may see, receive and
 * request. If the event has an access code, that is the only credential.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/lang.h"
#include "base/qr.h"
#include "base/text.h"
#include "base/token.h"
#include "base/version.h"
#include "broadcast/broadcast.h"
#include "service/channel.h"
#include "service/channel_outputs.h"
#include "service/node.h"
#include "service/public_view.h"
#include "service/webhook_records.h"
#include "store/events.h"
#include "store/join_codes.h"
#include "store/listener_joins.h"
#include "store/listening.h"
#include "store/public_view_cache.h"
#include "store/requests.h"
#include "store/served.h"
#include "store/webhooks.h"
#include "web/access_code.h"
#include "web/web.h"
#include "work/queue.h"

/* A channel counts as full when this part of stream.max_listeners listens. */
#define NEARLY_PERCENT 95

/* ---- input ---- */

/* Input of listeners. They have no account. */
struct code_in {
	const char *code; /* access code; here for the documentation */
};

struct qr_in {
	const char *stage;
};

struct request_in {
	const char *type;
	struct {
		const char *language;
	} payload;
	const char *channel, *listener;
};

struct join_in {
	const char *language, *listener, *stage, *channel;
	const char *kind; /* listener, screen, preview; NULL: listener */
};

static const char *const request_types[] = { "add_language", NULL };
static const char *const kinds[] = { "listener", "screen", "preview", NULL };

/* clang-format off */
#define UUID(name, at) { name, F_TEXT, at, .flags = F_IN | F_OPT, .check = id_check }
static const struct field	 code_fields[] = FIELDS(
	{ "code", F_TEXT, MEMBER(code_in, code), .flags = F_IN | F_OPT }
);
static const struct field	 qr_fields[] = FIELDS(
	UUID("stage", MEMBER(qr_in, stage))
);
static const struct field	 payload_fields[] = FIELDS(
	{ "language", F_ENUM, MEMBER(request_in, payload.language) - MEMBER(request_in, payload), 0, 0,
	  F_IN | F_REQUIRED | F_NOCASE, .names = lang_target }
);
static const struct field	 request_in_fields[] = FIELDS(
	{ "type",    F_ENUM, MEMBER(request_in, type),    0, 0, F_IN | F_REQUIRED, .names = request_types },
	{ "payload", F_OBJ,  MEMBER(request_in, payload), 0, 0, F_IN | F_REQUIRED, .of = payload_fields },
	UUID("channel_id", MEMBER(request_in, channel)), UUID("listener_id", MEMBER(request_in, listener))
);
static const struct field	 join_in_fields[] = FIELDS(
	{ "language", F_ENUM, MEMBER(join_in, language), 0, 0, F_IN | F_REQUIRED | F_NOCASE, .names = lang_listenable },
	UUID("listener_id", MEMBER(join_in, listener)), UUID("stage_id", MEMBER(join_in, stage)),
	UUID("channel_id", MEMBER(join_in, channel)),
	{ "kind", F_ENUM, MEMBER(join_in, kind), .flags = F_IN | F_OPT, .names = kinds }
);
/* clang-format on */

/* The kind of a bystander; NULL: the listener is a participant of the event. */
static const char *
join_in_bystander(const struct join_in *in)
{
	return in->kind == NULL || strcmp(in->kind, kinds[0]) == 0 ? NULL : in->kind;
}

/* A checked id in the form in which it is stored; NULL stays NULL. */
static const char *
id_of(struct request *rq, const char *given)
{
	return given != NULL ? id_read(rq->mem, given) : NULL;
}

/* ---- admission ---- */

static struct cached_view *
event_of(struct request *rq)
{
	return rq->it = arena_alloc(rq->mem, sizeof(struct cached_view));
}

static enum err
find_event(struct request *rq)
{
	return public_view_cache_head(
	    rq->db, rq->mem, rq->args[0], now_us(), event_of(rq));
}

static enum err
find_view(struct request *rq)
{
	return public_view_cache_get(
	    rq->db, rq->mem, rq->args[0], now_us(), event_of(rq));
}

static bool
admit(struct request *rq, struct reply *no)
{
	const struct cached_view *b = rq->it;

	return access_code_admit(rq, b->event, b->access_code, no);
}

/* ---- the view ---- */

/* Get the view for an admitted caller. The access code may change before it is made. */
static bool
may_view(struct request *rq, struct public_view *v, struct reply *no)
{
	enum err e = public_view_get(rq->db, rq->mem, rq->conf, rq->it, now_us(), v);

	if (e == ERR_STALE && (e = find_view(rq)) == OK) {
		if (!admit(rq, no))
			return false;
		e = public_view_get(rq->db, rq->mem, rq->conf, rq->it, now_us(), v);
	}
	if (e != OK)
		*no = problem_err(rq, e == ERR_STALE ? ERR_BUSY : e);
	return e == OK;
}

static struct reply
get_view(struct request *rq)
{
	struct public_view v;
	struct reply no;
	struct json_writer j;

	if (!may_view(rq, &v, &no))
		return no;
	header(rq, "ETag", "%s", v.tag);
	if (etag_known(rq, v.tag))
		return reply_empty(rq, 304);
	j = reply_open(rq);
	jw_open(&j, "data");
	public_view_write(&j, &v);
	jw_close(&j);
	return reply_close(rq, &j, 200);
}

/* ---- join codes ---- */

struct coded {
	const char *event;
};

static const struct field coded_fields[] =
    FIELDS({ "event_id", F_TEXT, MEMBER(coded, event), .flags = F_OUT });

static struct reply
get_coded(struct request *rq)
{
	struct coded to;
	struct reply no;
	enum err e = join_code_find(rq->db, rq->mem, rq->args[0], &to.event);

	if (e == ERR_NOT_FOUND)
		return short_code_unknown(rq, &no)
			   ? problem(rq, P_NOT_FOUND, "No event has this code.")
			   : no;
	if (e != OK)
		return problem_err(rq, e);
	return short_code_admit(rq, rq->args[0], &no)
		   ? reply_one(rq, 200, coded_fields, &to, 0)
		   : no;
}

/* ---- QR codes ---- */

/*
 * True if the lookup succeeded. Otherwise *no names the pointer or parameter of the
 * client's input.
 */
static bool
is_there(struct request *rq, enum err e, const char *pointer, const char *parameter,
    struct reply *no)
{
	if (e == ERR_NOT_FOUND)
		*no = problem_at(rq, P_NOT_FOUND, pointer, parameter, "%s",
		    parameter != NULL ? "The event has no such stage."
				      : "No such resource.");
	else if (e != OK)
		*no = problem_err(rq, e);
	return e == OK;
}

static bool
knows_stage(struct request *rq, struct reply *no)
{
	const struct qr_in *in = rq->query;
	const struct listener_join_scope p = {
		.event = ((const struct cached_view *)rq->it)->event,
		.stage = id_of(rq, in->stage)
	};
	enum err e = p.stage != NULL ? listener_join_find_stage(rq->db, &p) : OK;

	return is_there(rq, e, NULL, "stage", no);
}

/*
 * Set *to to the address that a code for phones has: the short one while the event has
 * a join code, as a smaller code is read from further away.
 */
static enum err
address_of(struct request *rq, const char *event, const char *stage, const char **to)
{
	const char *base = rq->conf->server_base_url, *code;
	enum err e = join_code_of(rq->db, rq->mem, event, &code);

	if (e == OK)
		*to = arena_printf(rq->mem, "%s/%s%s%s", base, code, stage ? "?s=" : "",
		    stage ? join_code_hall(stage) : "");
	else if (e == ERR_NOT_FOUND)
		*to = arena_printf(rq->mem, "%s/listen/?e=%s%s%s", base, event,
		    stage ? "&s=" : "", stage ? stage : "");
	return e == ERR_NOT_FOUND ? OK : e;
}

static struct reply
get_qr(struct request *rq)
{
	const struct cached_view *b = rq->it;
	const char *stage = id_of(rq, ((const struct qr_in *)rq->query)->stage);
	const char *address, *made, *tag, *svg;
	enum err e = address_of(rq, b->event, stage, &address);

	if (e != OK)
		return problem_err(rq, e);
	made = arena_printf(rq->mem, VERSION " %s", address);
	tag = arena_printf(rq->mem, "\"%.32s\"", hash_hex(rq->mem, made, strlen(made)));
	rq->cache = "public, max-age=86400";
	header(rq, "ETag", "%s", tag);
	if (etag_known(rq, tag))
		return reply_empty(rq, 304);
	if ((svg = qr_svg(rq->mem, address)) == NULL)
		return problem_err(rq, ERR_FAILED);
	return reply_text(rq, 200, "image/svg+xml", svg);
}

/* ---- objects that a body names ---- */

static bool
knows_scope(struct request *rq, const struct listener_join_scope *p, struct reply *no)
{
	enum err e = p->stage != NULL ? listener_join_find_stage(rq->db, p) : OK;

	if (!is_there(rq, e, "/data/stage_id", NULL, no))
		return false;
	e = p->channel != NULL ? listener_join_find_channel(rq->db, p) : OK;
	return is_there(rq, e, "/data/channel_id", NULL, no);
}

/* ---- requests ---- */

static bool
knows_channel(struct request *rq, struct reply *no)
{
	const struct cached_view *b = rq->it;
	const struct request_in *in = rq->in;
	const struct listener_join_scope p = { .event = b->event,
		.account = b->account,
		.channel = id_of(rq, in->channel) };

	return knows_scope(rq, &p, no);
}

/* The languages of the event's channels, and those that are queued to be added. */
static enum err
languages_of(struct request *rq, const struct request_new *n, struct list *all)
{
	struct list queued;
	enum err e;

	if ((e = channels_languages(
		 rq->db, rq->mem, n->account, n->event, NULL, all)) != OK ||
	    (e = request_queued(rq->db, rq->mem, n->event, &queued)) != OK)
		return e;
	languages_add(rq->mem, all, &queued);
	return OK;
}

/* True if the plan allows the event one more language; false: *no is the refusal. */
static bool
within_plan(struct request *rq, const struct request_new *n, struct reply *no)
{
	struct caller owner;
	struct list all;
	int64_t most;
	enum err e = caller_by_account(rq->db, rq->mem, rq->conf, n->account, &owner);

	if (e != OK || (e = languages_of(rq, n, &all)) != OK) {
		*no = problem_err(rq, e);
		return false;
	}
	most = owner.plan.event_languages;
	if (languages_fit(&all, n->language, most))
		return true;
	*no = problem(rq, P_LANGUAGE_LIMIT, "The plan allows %lld languages per event.",
	    (long long)most);
	return false;
}

static struct reply
first_request(struct request *rq, const struct request_new *n)
{
	bool apply = strcmp(n->status, "approved") == 0;
	struct listener_request r;
	struct reply no;
	enum err e;

	if (apply && !within_plan(rq, n, &no))
		return no;
	e = request_add(rq->db, rq->mem, n, &r);
	if (e == OK)
		e = webhook_request(rq->db, rq->mem, n->account, n->event, r.id,
		    "listener_request.created");
	if (e == OK && apply)
		e = queue_add(rq->db, rq->mem, CHANNEL_LANGUAGE, n->account, r.id);
	if (e != OK)
		return problem_err(rq, e);
	return reply_one(rq, 201, request_view_fields, &r, 0);
}

static struct request_new
new_request(struct request *rq)
{
	const struct cached_view *b = rq->it;
	const struct request_in *in = rq->in;
	bool automatic = strcmp(b->listener_mode, "auto") == 0;

	return (struct request_new){
		.event = b->event,
		.account = b->account,
		.type = in->type,
		.channel = id_of(rq, in->channel),
		.listener = id_of(rq, in->listener),
		.language = in->payload.language,
		.status = automatic ? "approved" : "pending",
	};
}

static struct reply
decide(struct request *rq)
{
	const struct cached_view *b = rq->it;
	struct request_new n = new_request(rq);
	struct listener_request r;
	bool present;
	enum err e;

	if (strcmp(b->listener_mode, "off") == 0)
		return problem(
		    rq, P_REQUESTS_OFF, "This event does not accept requests.");
	if ((e = request_present(rq->db, &n, &present)) != OK)
		return problem_err(rq, e);
	if (present)
		return problem(rq, P_LANGUAGE_PRESENT,
		    "The event has the language \"%s\" already.", n.language);
	if ((e = request_find(rq->db, rq->mem, &n, &r)) == ERR_NOT_FOUND)
		return first_request(rq, &n);
	if (e != OK || (e = request_repeat(rq->db, &n, &r)) != OK)
		return problem_err(rq, e);
	return reply_one(rq, 200, request_view_fields, &r, 0);
}

/*
 * Take the write lock and repeat all checks: the event may have been deleted or closed
 * meanwhile. The first checks run without the lock, so strangers do not wait for it.
 */
static struct reply
add_request(struct request *rq)
{
	const struct cached_view *b = rq->it;
	struct reply no;
	enum err e;

	if ((e = db_begin(rq->db, b->account)) != OK || (e = find_event(rq)) != OK)
		return problem_err(rq, e);
	return admit(rq, &no) && knows_channel(rq, &no) ? decide(rq) : no;
}

/* ---- joining ---- */

struct joined {
	const char *listener, *event, *stage, *channel, *language, *token;
	int64_t expires_us;
	const char *webrtc_url, *webrtc_room, *ws_url, *hls_url;
	const char *listen_by; /* "hls", or NULL: any way */
};

static const char *const listen_ways[] = { "hls", NULL };

/* clang-format off */
static const struct field	 joined_fields[] = FIELDS(
	{ "listener_id",      F_TEXT, MEMBER(joined, listener),    .flags = F_OUT },
	{ "event_id",         F_TEXT, MEMBER(joined, event),       .flags = F_OUT },
	{ "stage_id",         F_TEXT, MEMBER(joined, stage),       .flags = F_OUT },
	{ "channel_id",       F_TEXT, MEMBER(joined, channel),     .flags = F_OUT },
	{ "language",         F_TEXT, MEMBER(joined, language),    .flags = F_OUT },
	{ "token",            F_TEXT, MEMBER(joined, token),       .flags = F_OUT },
	{ "expires_at",       F_TIME, MEMBER(joined, expires_us),  .flags = F_OUT },
	{ "webrtc_url",       F_TEXT, MEMBER(joined, webrtc_url),  .flags = F_OUT | F_NULLABLE },
	{ "webrtc_room_name", F_TEXT, MEMBER(joined, webrtc_room), .flags = F_OUT | F_NULLABLE },
	{ "ws_url",           F_TEXT, MEMBER(joined, ws_url),      .flags = F_OUT },
	{ "hls_url",          F_TEXT, MEMBER(joined, hls_url),     .flags = F_OUT | F_NULLABLE },
	{ "listen_by",        F_ENUM, MEMBER(joined, listen_by),   .flags = F_OUT | F_OPT, .names = listen_ways }
);
/* clang-format on */

static struct listener_join_scope
scope_of(struct request *rq)
{
	const struct cached_view *b = rq->it;
	const struct join_in *in = rq->in;

	return (struct listener_join_scope){ .event = b->event,
		.account = b->account,
		.stage = id_of(rq, in->stage),
		.channel = id_of(rq, in->channel) };
}

static bool
knows_where(struct request *rq, struct reply *no)
{
	const struct listener_join_scope p = scope_of(rq);

	return knows_scope(rq, &p, no);
}

/*
 * Offer WebRTC if the media server admits listeners by a token alone. There is no room
 * if the backend has just lost the broadcast.
 */
static void
offer_webrtc(
    struct request *rq, const struct conf *at, const char *broadcast, struct joined *to)
{
	const struct broadcast_driver *d = broadcast_driver(at);

	if (d == NULL || !d->webrtc(at) || d->admit != NULL || broadcast == NULL)
		return;
	to->webrtc_url = d->webrtc_url(at, rq->mem);
	to->webrtc_room = broadcast;
}

/* at: settings of the node that serves the channel. */
static struct joined
admission(struct request *rq, const char *listener,
    const struct listener_join_channel *c, const struct conf *at)
{
	const struct join_in *in = rq->in;
	const struct channel of = { .id = c->id,
		.broadcast = c->broadcast,
		.outputs = c->outputs,
		.code_version = ((const struct cached_view *)rq->it)->code_version };
	int64_t now = now_us();
	struct joined to = { .listener = listener,
		.event = ((const struct cached_view *)rq->it)->event,
		.stage = c->stage,
		.channel = c->id,
		.language = in->language,
		.expires_us = now + rq->conf->listener_token_s * S_US,
		.ws_url = stream_ws_url(at, rq->mem, c->id) };

	to.token = stream_token_make(rq->mem, rq->conf->session_jwt_keys, now,
	    &(const struct stream_token){ .role = STREAM_LISTENER,
		.sid = c->id,
		.room = c->broadcast != NULL ? c->broadcast : c->id,
		.expires_us = to.expires_us,
		.event = to.event,
		.code_version = ((const struct cached_view *)rq->it)->code_version,
		.listener = to.listener,
		.bystander = join_in_bystander(in),
		.language = to.language });
	offer_webrtc(rq, at, c->broadcast, &to);
	to.hls_url = channel_outputs_hls_of(at, rq->mem, &of, to.language);
	return to;
}

/* True if the channel's places at the nodes are taken, or the next join may take the
   last one: listeners are counted every few seconds. */
static enum err
find_full(struct request *rq, const struct joined *j, bool *full)
{
	int64_t listeners = 0, nodes = 1;
	enum err e = listening_of(rq->db, j->event, j->channel, &listeners);

	*full = false;
	if (e != OK ||
	    listeners < rq->conf->stream_max_listeners * NEARLY_PERCENT / 100)
		return e;
	e = node_alive(rq->db, &nodes);
	*full = listeners >= (nodes > 1 ? nodes : 1) * rq->conf->stream_max_listeners *
				 NEARLY_PERCENT / 100;
	return e;
}

/* Choose HLS if the organiser wants it first, or no place is free. */
static enum err
choose_way(struct request *rq, const struct listener_join_channel *c, struct joined *j)
{
	const struct channel of = { .outputs = c->outputs };
	bool by_hls = j->hls_url != NULL;
	enum err e = OK;

	if (by_hls && !channel_outputs_hls_first(rq->mem, &of, j->language))
		e = find_full(rq, j, &by_hls);
	j->listen_by = by_hls ? "hls" : NULL;
	return e;
}

/* *at: the settings of the node that serves the channel; a dead one is replaced. */
static enum err
find_node(
    struct request *rq, const struct listener_join_channel *c, const struct conf **at)
{
	const struct node_task t = { NODE_CHANNEL, c->id, c->node.id };

	if (c->node.seen_us == NULL_INT || !node_is_alive(&c->node))
		return node_find(rq->db, rq->mem, rq->conf, &t, at);
	*at = node_conf(rq->conf, rq->mem, &c->node);
	return OK;
}

static struct reply
join_event(struct request *rq)
{
	const struct cached_view *b = rq->it;
	const struct join_in *in = rq->in;
	const struct listener_join_scope p = scope_of(rq);
	const char *listener = in->listener ? id_of(rq, in->listener) : id_new(rq->mem);
	const struct listener_join is = { b->event, listener, in->language };
	const struct conf *at;
	struct listener_join_channel c;
	struct joined j;
	bool first = true; /* so is each bystander */
	bool recorded = join_in_bystander(in) != NULL;
	enum err e = OK;

	if (strcmp(b->status, "finished") == 0)
		return problem(rq, P_EVENT_FINISHED, "The event is over.");
	if (in->listener != NULL && !recorded)
		e = listener_join_known(
		    rq->db, b->event, listener, in->language, &first, &recorded);
	if (e == OK)
		e = listener_join_choose(rq->db, rq->mem, &p, &is, &recorded, &c);
	if (e == ERR_NOT_FOUND)
		return problem(rq, P_LANGUAGE_ABSENT,
		    "No ready channel has the language %s.", in->language);
	if (e == OK)
		e = find_node(rq, &c, &at);
	if (e == OK && !recorded)
		e = listener_joins_record(rq->db, &is, 1, now_us());
	if (e != OK)
		return problem_err(rq, e);
	j = admission(rq, listener, &c, at);
	if ((e = choose_way(rq, &c, &j)) != OK)
		return problem_err(rq, e);
	return reply_one(rq, first ? 201 : 200, joined_fields, &j, 0);
}

/* clang-format off */
#define EVENT "/saas/v2/event/public/{event_id}"
#define CODE  QUERY(code_fields, struct code_in)

const struct route	 listener_routes[] = {
	{ "GET",  EVENT, get_view, NULL, PUBLIC, find_view, admit, CODE,
	  .summary = "Read the public view of an event", .shape = A_ONE,
	  .out = event_view_fields, .also = "304" },
	{ "POST", EVENT "/requests", add_request, NULL, PUBLIC | JSON_BODY, find_event, admit,
	  BODY(request_in_fields, struct request_in), CODE, .named = knows_channel,
	  .summary = "Ask the organiser for a language", .shape = A_ONE, .status = 201,
	  .out = request_view_fields, .also = "200 409" },
	{ "POST", EVENT "/join", join_event, NULL, PUBLIC | JSON_BODY, find_event, admit,
	  BODY(join_in_fields, struct join_in), CODE, .named = knows_where,
	  .summary = "Listen to an event in a language", .shape = A_ONE, .status = 201,
	  .out = joined_fields, .also = "200 409" },
	{ "GET",  EVENT "/qr.svg", get_qr, NULL, PUBLIC, find_event,
	  QUERY(qr_fields, struct qr_in), .named = knows_stage,
	  .summary = "A QR code of the page for listeners", .shape = A_FILE, .also = "304" },
	{ "GET",  "/saas/v2/event/public/code/{join_code}", get_coded, NULL, PUBLIC | DIGITS,
	  .summary = "Find the event of a join code", .shape = A_ONE, .out = coded_fields, .also = "404" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("listeners", listener_routes, account_sql, public_view_cache_sql, event_sql,
    stage_sql, channel_sql, join_code_sql, listener_join_sql, listening_sql, node_sql,
    request_sql, queue_sql, served_sql, webhook_sql)
