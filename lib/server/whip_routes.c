/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/whip_routes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/lang.h"
#include "participant/whip.h"
#include "server/admission.h"
#include "server/entry.h"
#include "server/http_reply.h"
#include "service/node.h"
#include "store/channels.h"
#include "store/public_view_cache.h"
#include "web/access_code.h"

#define OFFER "application/sdp"
#define FRAGMENT "application/trickle-ice-sdpfrag"

static const char *
check_language(const char *language)
{
	return strcasecmp(language, "all") == 0
		   ? "must be one target language or \"original\""
		   : NULL;
}

/* clang-format off */
#define AT(m) offsetof(struct stream_in, m)
const struct field	 whip_fields[] = { FIELDS_END };
const struct field	 whep_fields[] = {
	{ "language", F_TEXT, AT(language), 1, 16, F_IO | F_OPT, check_language },
	FIELDS_END,
};
#undef AT
/* clang-format on */

/* ---- bodies ---- */

static bool
is_below(const char *target)
{
	return strncmp(target, "/whip/", 6) == 0 || strncmp(target, "/whep/", 6) == 0;
}

/* The length that the head gives; 0: none, or not a number. */
static size_t
length_of(const struct http_head *h)
{
	const char *length = http_head_get(h, "Content-Length");

	return length != NULL ? strtoul(length, NULL, 10) : 0;
}

/*
 * A body that is only a little too long is read, too: some clients see no answer
 * before they have sent all.
 */
size_t
whip_body_bytes(const struct conf *c, const struct http_head *h)
{
	size_t n = is_below(target_below(c, h->target)) ? length_of(h) : 0;

	return n <= 2 * SDP_BYTES ? n : 0;
}

/* Check that the request has a whole body of this type. False: *no is the refusal. */
static bool
has_body(struct request *rq, const char *type, struct reply *no)
{
	const struct http_head *h = entry_of(rq)->head;
	const char *said = http_head_get(h, "Content-Type");
	size_t n = said != NULL ? strcspn(said, "; \t") : 0;

	if (http_head_get(h, "Transfer-Encoding") != NULL)
		*no = problem(rq, P_LENGTH_REQUIRED, "Send Content-Length.");
	else if (length_of(h) > SDP_BYTES)
		*no = problem(
		    rq, P_TOO_LARGE, "The body may have at most %d bytes.", SDP_BYTES);
	else if (n != strlen(type) || strncasecmp(said, type, n) != 0)
		*no = problem(rq, P_MEDIA_TYPE, "The body must be %s.", type);
	else if (h->body_bytes == 0 || h->body_bytes < length_of(h))
		*no = problem(rq, P_BAD_REQUEST, "The body is not complete.");
	else
		return true;
	return false;
}

/* ---- tokens ---- */

static bool
refuse(struct request *rq, struct reply *no, const char *why)
{
	*no = problem(rq, P_NO_SCOPE, "%s", why);
	return false;
}

/* Read the token of this channel. False: *no is the refusal. */
static bool
read_token(struct request *rq, bool speaks, struct stream_token *t, struct reply *no)
{
	const char *channel = rq->args[0];
	size_t n = strlen(channel);

	if (!entry_token(rq, t)) {
		*no = auth_tried(rq) ? auth_unknown(rq)
				     : auth_needed(rq, "Send a token as bearer.");
		return false;
	}
	if (t->room == NULL || strncmp(t->room, channel, n) != 0 ||
	    (t->sid != NULL && strcmp(t->sid, channel) != 0))
		return refuse(rq, no, "The token is for another channel.");
	if (t->speaks != speaks)
		return refuse(rq, no,
		    speaks ? "This token may only listen."
			   : "Listen with the token of a listener.");
	return true;
}

/*
 * A player without a token joins the event of the channel as a new listener; if the
 * event has an access code, the query must have it. False: *no is the refusal.
 */
static bool
join_event(struct request *rq, struct stream_token *t, struct reply *no)
{
	struct cached_view event = { .status = "" };
	struct channel c;
	enum err e = channel_on_air(rq->db, rq->mem, rq->args[0], &c);

	if (e == OK && c.event == NULL) {
		*no = auth_needed(
		    rq, "The channel has no event: send a token as bearer.");
		return false;
	}
	if (e == OK)
		e = public_view_cache_head(rq->db, rq->mem, c.event, now_us(), &event);
	if (e != OK)
		*no = problem_err(rq, e);
	else if (strcmp(event.status, "finished") == 0)
		*no = problem(rq, P_EVENT_FINISHED, "The event is over.");
	else {
		*t = (struct stream_token){ .role = STREAM_LISTENER,
			.sid = c.id,
			.room = c.broadcast,
			.joins = true,
			.event = c.event,
			.listener = id_new(rq->mem),
			.code_version = event.code_version };
		return access_code_admit(rq, c.event, event.access_code, no);
	}
	return false;
}

/* ---- offers ---- */

static struct signal_params *
params_of(struct arena *mem, const struct stream_token *t)
{
	struct signal_params *p = arena_alloc(mem, sizeof(*p));

	*p = (struct signal_params){ .identity = arena_str(
					 mem, t->identity != NULL ? t->identity : ""),
		.room = arena_str(mem, t->room),
		.publishes = t->speaks,
		.subscribes = !t->speaks,
		.sdk = "",
		.version = "",
		.sid = "" };
	return p;
}

/* Read the offer. *answer: our answer. False: *no is the refusal. */
static bool
read_offer(struct request *rq, struct connection_request *v, struct buf *answer,
    struct reply *no)
{
	const struct entry *k = entry_of(rq);

	switch (whip_read(k->gateway, v, k->head->body, k->head->body_bytes, answer)) {
	case WHIP_ACCEPTED:
		return true;
	case WHIP_MALFORMED:
		*no = problem(rq, P_BAD_REQUEST,
		    "The offer is malformed, or not bundled, or lacks ICE credentials "
		    "or a fingerprint.");
		return false;
	default:
		*no =
		    problem(rq, P_VALIDATION, "The offer has no section that %s Opus.",
			v->writes ? "sends" : "receives");
		return false;
	}
}

static bool
admit(struct request *rq, struct connection_request *v, struct stream_token *t,
    struct reply *no)
{
	struct gateway *g = entry_of(rq)->gateway;

	v->call.run = whip_open;
	v->signal = params_of(v->call.message.mem, t);
	if (!entry_is_open(rq, g, no) || !entry_has_slot(rq, g, v->signal, no) ||
	    !admission_by_token(g, rq, v, t, no) || !entry_has_room(rq, g, v, no))
		return false;
	if (!v->writes && v->language != NULL && check_language(v->language) != NULL) {
		*no = problem_at(rq, P_VALIDATION, NULL, "language",
		    "The token is for %s languages: name one.", v->language);
		return false;
	}
	v->listens = !v->writes; /* a WHIP client receives nothing */
	if (!auth_tried(rq))     /* each time another listener */
		v->credential =
		    arena_printf(v->call.message.mem, "player %s", v->network);
	return true;
}

static struct reply
created(struct request *rq, const struct connection_request *v, struct buf *answer)
{
	const char *link, *id = v->whip->id;

	header(rq, "Location", "%s/%s",
	    stream_http_url(rq->conf, rq->mem,
		arena_dup(rq->mem, rq->target, strcspn(rq->target, "?"))),
	    id);
	header(rq, "ETag", "\"v1\"");
	for (size_t i = 0; (link = whip_link(rq->conf, rq->mem, id, i)) != NULL; i++)
		header(rq, "Link", "%s", link);
	return reply_text(rq, 201, OFFER, buf_text(answer));
}

static struct reply
post(struct request *rq, bool speaks)
{
	struct entry *k = entry_of(rq);
	struct buf answer = { .mem = rq->mem };
	struct connection_request *v;
	struct stream_token t;
	struct reply no;
	bool joins = !speaks && !auth_tried(rq);

	if (k->gateway->webrtc_thread == NULL)
		return problem(
		    rq, P_NO_WEBRTC, "WebRTC is not configured on this server.");
	if (!(joins ? join_event(rq, &t, &no) : read_token(rq, speaks, &t, &no)) ||
	    !has_body(rq, OFFER, &no))
		return no;
	v = entry_new(rq, SOCKET_S2S);
	v->writes = speaks;
	if (read_offer(rq, v, &answer, &no) && admit(rq, v, &t, &no)) {
		k->in = v;
		return created(rq, v, &answer);
	}
	arena_free(v->call.message.mem);
	return no;
}

struct reply
whip_publish(struct request *rq)
{
	return post(rq, true);
}

struct reply
whip_play(struct request *rq)
{
	return post(rq, false);
}

void
whip_admitted(struct request *rq, struct connection_request *v)
{
	struct buf to = { .mem = v->call.message.mem };

	http_reply_write(rq, &to);
	v->whip->response = to.p;
	v->whip->response_bytes = to.len;
	whip_resource_add(entry_of(rq)->gateway, v);
}

/* ---- resources ---- */

static bool
is_whip(const struct request *rq)
{
	return strncmp(rq->route->path, "/whip", 5) == 0;
}

enum err
whip_find(struct request *rq)
{
	struct whip_resource *r = whip_resource_find(
	    entry_of(rq)->gateway, is_whip(rq), rq->args[0], rq->args[1]);

	rq->it = r;
	rq->version = r != NULL ? r->version : 0;
	return r != NULL ? OK : ERR_NOT_FOUND;
}

/* A player that came without a token has none: the id of its resource is secret. */
bool
whip_admit(struct request *rq, struct reply *no)
{
	struct stream_token t;

	return (!is_whip(rq) && !auth_tried(rq)) || read_token(rq, is_whip(rq), &t, no);
}

struct reply
whip_patch(struct request *rq)
{
	struct entry *k = entry_of(rq);
	struct whip_resource *r = rq->it;
	struct buf answer = { .mem = rq->mem };
	struct reply no;

	if (!has_body(rq, FRAGMENT, &no))
		return no;
	if (rq->replaces == NULL)
		return problem(rq, P_NO_PRECONDITION, "Send If-Match.");
	if (!whip_resource_patch(
		k->gateway, r, k->head->body, k->head->body_bytes, &answer))
		return problem(rq, P_BAD_REQUEST,
		    "The fragment is malformed, or lacks ICE credentials.");
	if (answer.len == 0)
		return reply_empty(rq, 204);
	header(rq, "ETag", "\"v%lld\"", (long long)r->version);
	return reply_text(rq, 200, FRAGMENT, buf_text(&answer));
}

struct reply
whip_delete(struct request *rq)
{
	whip_resource_end(entry_of(rq)->gateway, rq->it);
	return reply_empty(rq, 200);
}

void
whip_options(struct request *rq)
{
	if (strcmp(rq->method, "OPTIONS") != 0 || rq->status != 204 ||
	    !is_below(rq->target))
		return;
	header(rq, "Accept-Post", OFFER);
	header(rq, "Accept-Patch", FRAGMENT);
}
