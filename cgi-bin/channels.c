/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/channel: sources of speech on a stage, and the languages they are translated
 * to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"
#include "base/text.h"
#include "broadcast/broadcast.h"
#include "net/url.h"
#include "service/backend.h"
#include "service/channel.h"
#include "service/channel_input.h"
#include "service/channel_outputs.h"
#include "service/channel_view.h"
#include "service/node.h"
#include "service/speaker_link.h"
#include "store/channel_outputs.h"
#include "store/events.h"
#include "store/held_lines.h"
#include "store/idempotent_responses.h"
#include "store/public_view_cache.h"
#include "store/served.h"
#include "store/webhooks.h"
#include "web/web.h"

#define URL_MAX 2083 /* characters of input_url */
#define ROUNDS 5     /* tries of a change while others change the row */

/* ---- input ---- */

struct list_in {
	const char *event, *stage;
};

struct held_in {
	const char *action, *text;
};

static const char *const held_actions[] = { "pass", "drop", "text", NULL };

/* clang-format off */
static const struct field	 list_fields[] = FIELDS(
	{ "event_id", F_TEXT, MEMBER(list_in, event), .flags = F_IN, .check = id_check },
	{ "stage_id", F_TEXT, MEMBER(list_in, stage), .flags = F_IN, .check = id_check }
);
static const struct field	 held_in_fields[] = FIELDS(
	{ "action", F_ENUM, MEMBER(held_in, action), .flags = F_IN | F_REQUIRED, .names = held_actions },
	{ "text",   F_TEXT, MEMBER(held_in, text), 1, 2000, F_IN }
);
/* clang-format on */

static struct fault *
check_new(struct request *rq)
{
	struct channel_in *in = rq->in;
	struct fault *faults = channel_new_rules(rq->mem, rq->data, in);
	const char *type = in->channel.input_type, *url = in->channel.input_url;

	faults = channel_address_rules(rq->conf, rq->mem, in, faults);
	if (url == NULL || type == NULL || strcmp(type, "hls_pull") != 0)
		return faults;
	if (text_length(url) <= URL_MAX &&
	    (rq->conf->ingest_allow_private ? url_is_http(rq->mem, url)
					    : url_is_public(rq->mem, url)))
		return faults;
	return fault_add(rq->mem, faults, "/data/input_url",
	    "input_url must be an https URL of a public address, of at most %d"
	    " characters.",
	    URL_MAX);
}

static struct fault *
check_edit(struct request *rq)
{
	return channel_address_rules(rq->conf, rq->mem, rq->in,
	    channel_edit_rules(rq->mem, rq->data, rq->in, rq->it));
}

/* ---- lookup ---- */

static enum err
find_channel(struct request *rq)
{
	struct channel *c = rq->it = arena_alloc(rq->mem, sizeof(*c));
	enum err e = channel_get(rq->db, rq->mem, rq->who->account, rq->args[0], c);

	rq->version = c->version;
	return e;
}

/* The named stage, or else the first; NULL: the event has no such stage. */
static const struct stage *
stage_of(const struct event *ev, const char *id)
{
	const struct stage *s = ev->stages.items;

	for (size_t i = 0; i < ev->stages.n; i++)
		if (id == NULL || strcmp(s[i].id, id) == 0)
			return s + i;
	return NULL;
}

/* Find the event of a new channel; afterwards the input names its stage. */
static bool
find_event(struct request *rq, struct reply *no)
{
	struct channel *in = &((struct channel_in *)rq->in)->channel;
	struct event *ev = arena_alloc(rq->mem, sizeof(*ev));
	const struct stage *s = NULL;
	enum err e;

	if (in->event == NULL)
		return true;
	e = event_get(rq->db, rq->mem, rq->who->account, in->event, ev);
	if (e != OK && e != ERR_NOT_FOUND) {
		*no = problem_err(rq, e);
		return false;
	}
	if (e == OK && (s = stage_of(ev, in->stage)) != NULL) {
		in->stage = s->id;
		rq->it = ev;
		return true;
	}
	*no = problem_at(rq, P_NOT_FOUND, e == OK ? "/data/stage_id" : "/data/event_id",
	    NULL, "No such resource.");
	return false;
}

/* ---- output ---- */

/* Speaking spends credits: secrets of the input need the right to write. */
static bool
sees_secrets(const struct request *rq)
{
	return scope_has(rq->who->scopes, "channels:write");
}

static struct reply
reply_channel(struct request *rq, int status, struct channel *c)
{
	enum err e = channel_fill_view(rq->db, rq->conf, rq->mem, c, sees_secrets(rq));

	return e != OK ? problem_err(rq, e)
		       : reply_one(rq, status, channel_fields, c, c->version);
}

static struct reply
get_channel(struct request *rq)
{
	return reply_channel(rq, 200, rq->it);
}

static struct reply
list_channels(struct request *rq)
{
	const struct list_in *in = rq->query;
	const char *event = in->event ? text_lower(rq->mem, in->event) : NULL;
	const char *stage = in->stage ? text_lower(rq->mem, in->stage) : NULL;
	struct list l;
	enum err e = channel_list(rq->db, rq->mem, rq->who->account, event, stage, &l);

	for (size_t i = 0; e == OK && i < l.n; i++)
		e = channel_fill_view(rq->db, rq->conf, rq->mem,
		    (struct channel *)l.items + i, sees_secrets(rq));
	if (e != OK)
		return problem_err(rq, e);
	return reply_listed(rq, channel_fields, &l, sizeof(struct channel), NULL, NULL);
}

/* ---- the plan ---- */

/*
 * True if the channel's languages are within the plan, or no more than before. The plan
 * counts the languages of the event, or of the channel if it is standalone.
 */
static bool
has_languages(struct request *rq, const struct channel *was, const struct channel *now,
    struct reply *no)
{
	int64_t limit = rq->who->plan.event_languages;
	struct list before = { 0 }, after, of;
	enum err e = OK;

	if (now->event != NULL)
		e = channels_languages(
		    rq->db, rq->mem, now->account, now->event, now->id, &before);
	if (e != OK) {
		*no = problem_err(rq, e);
		return false;
	}
	after = before;
	of = texts_read(rq->mem, now->target_languages);
	languages_add(rq->mem, &after, &of);
	of = texts_read(rq->mem, was != NULL ? was->target_languages : NULL);
	languages_add(rq->mem, &before, &of);
	if (limit == 0 || (int64_t)after.n <= limit || after.n <= before.n)
		return true;
	*no = problem_at(rq, P_LANGUAGE_LIMIT, "/data/target_languages", NULL,
	    "The plan allows %lld languages per %s; this change needs %zu.",
	    (long long)limit, now->event != NULL ? "event" : "channel", after.n);
	return false;
}

static bool
within_plan(struct request *rq, const struct channel *was, const struct channel *now,
    struct reply *no)
{
	int64_t most = rq->who->plan.streams;
	enum err e = channel_streams_allow(rq->db, rq->mem, most, was, now);

	if (e == OK)
		return has_languages(rq, was, now, no);
	*no = e == ERR_LIMIT
		  ? problem(rq, P_STREAM_LIMIT, CHANNEL_STREAMS_LIMIT, (long long)most)
		  : problem_err(rq, e);
	return false;
}

/* ---- creation ---- */

/*
 * The row is committed before its answer is stored. The id is derived from the
 * idempotency key and the body for as long as an answer is kept. So a request that is
 * sent again after a crash does not create a second channel.
 */
static const char *
new_id(struct request *rq)
{
	int64_t span = now_us() / (rq->conf->idempotency_keep_s * S_US);

	if (rq->idempotency_key == NULL)
		return id_new(rq->mem);
	return id_derived(rq->mem,
	    arena_printf(rq->mem, "%s %lld %s", rq->who->account, (long long)span,
		rq->idempotency_key),
	    hash_hex(rq->mem, rq->body, rq->body_len));
}

static void
fill_new(struct request *rq, struct channel *c)
{
	const struct channel_in *in = rq->in;
	const struct event *ev = rq->it;

	c->account = rq->who->account;
	c->lifecycle = "creating";
	c->created_us = c->updated_us = now_us();
	c->version = 1;
	c->input_type = "webrtc_push";
	c->source_language = "auto";
	c->target_languages = ev != NULL ? ev->languages : "[]";
	c->region = rq->conf->channel_region;
	c->original_delay_s = 3;
	c->original_volume = 0.2;
	c->outputs = c->blocked_words = "[]";
	c->stopped_us = NULL_INT;
	if (ev != NULL) {
		c->event = ev->id;
		c->stage = in->channel.stage;
		c->room_suffix = ev->room_suffix;
	}
	c->input_bitrate = NAN;
	channel_new(rq->mem, rq->data, in, c);
}

static struct reply
add_channel(struct request *rq)
{
	const char *id = rq->made = new_id(rq);
	const struct conf *at = rq->conf;
	struct channel c = { .id = id };
	struct reply no;
	enum err e = channel_get(rq->db, rq->mem, rq->who->account, id, &c);

	if (e == ERR_NOT_FOUND) {
		fill_new(rq, &c);
		if (!within_plan(rq, NULL, &c, &no))
			return no;
		if ((e = node_assign(rq->db, rq->mem, rq->conf, &c.node, &at)) == OK)
			e = channel_add(rq->db, rq->mem, &c);
		c.node_url = at->stream_public_url;
		c.node_ingest_host = at->ingest_host;
	}
	if (e == OK && strcmp(c.lifecycle, "creating") == 0)
		e = channel_create_now(rq->db, rq->mem, rq->conf, false, &c);
	if (e == ERR_CONFLICT) /* the request was sent twice */
		return problem(rq, P_IN_PROGRESS,
		    "The first request with this key is still running.");
	if (e != OK)
		return problem_err(rq, e);
	header(rq, "Location", "%s/saas/channel/%s", rq->conf->server_base_url, c.id);
	return reply_channel(rq, 201, &c);
}

static struct reply
being_deleted(struct request *rq)
{
	return problem(rq, P_CHANNEL_DELETING, "The channel is being deleted.");
}

static struct reply
retry_channel(struct request *rq)
{
	struct channel *c = rq->it;
	enum err e;

	if (strcmp(c->lifecycle, "deleting") == 0)
		return being_deleted(rq);
	if (strcmp(c->lifecycle, "ready") != 0 &&
	    (e = channel_create_now(rq->db, rq->mem, rq->conf, true, c)) != OK &&
	    e != ERR_CONFLICT)
		return problem_err(rq, e);
	return reply_channel(rq, 200, c);
}

/* ---- link of the speaker ---- */

static struct reply
reply_link(struct request *rq,
    enum err (*get)(struct db *, struct arena *, const struct conf *, struct channel *,
	struct speaker_link *))
{
	struct channel *c = rq->it;
	struct speaker_link to;
	enum err e;

	if (strcmp(c->lifecycle, "deleting") == 0)
		return being_deleted(rq);
	e = get(rq->db, rq->mem, rq->conf, c, &to);
	return e != OK ? problem_err(rq, e)
		       : reply_one(rq, 200, speaker_link_fields, &to, 0);
}

static struct reply
get_speaker_link(struct request *rq)
{
	return reply_link(rq, speaker_link_get);
}

static struct reply
renew_speaker_link(struct request *rq)
{
	return reply_link(rq, speaker_link_renew);
}

/* ---- changes ---- */

static struct reply
not_applied(struct request *rq, enum err e)
{
	if (e == ERR_REFUSED)
		return problem(
		    rq, P_BAD_GATEWAY, "The broadcasting backend refused the change.");
	if (e == ERR_UNSUPPORTED)
		return problem(rq, P_BAD_GATEWAY,
		    "The broadcasting backend lacks a protocol of this channel.");
	return problem(rq, P_GATEWAY_TIMEOUT, BACKEND_NO_ANSWER);
}

/* Queue a job that restores the channel on the backend from its row. */
static enum err
restore(struct request *rq, const struct channel *c)
{
	return queue_add(rq->db, rq->mem, CHANNEL_RESTORE, c->account, c->id);
}

/*
 * Write a change that the backend has already made, or for which it has lost the
 * channel. ERR_STALE: another request changed the row meanwhile.
 */
static enum err
write_change(struct request *rq, const struct channel *was, struct channel *now,
    bool lost, struct reply *rep)
{
	enum err e;

	if ((e = db_begin(rq->db, rq->who->account)) != OK) {
		*rep = problem_err(rq, e);
		return e;
	}
	if (!within_plan(rq, was, now, rep))
		return ERR_LIMIT;
	if ((e = channel_put(rq->db, rq->mem, was, now)) == OK && lost)
		e = restore(rq, now);
	if (e == OK)
		*rep = reply_channel(rq, 200, now);
	else if (e != ERR_STALE)
		*rep = problem_err(rq, e);
	return e;
}

/*
 * Try the change once: first the backend, then the row. ERR_STALE: there is no answer
 * yet; try again. *called: the backend may have made a part of the change.
 */
static enum err
change(struct request *rq, struct reply *rep, bool *called)
{
	struct channel *was = rq->it, now = *was;
	enum err e;

	if (strcmp(was->lifecycle, "deleting") == 0) {
		*rep = being_deleted(rq);
		return OK;
	}
	channel_edit(rq->mem, rq->data, rq->in, &now);
	if (field_same(rq->mem, channel_fields, was, &now)) {
		*rep = reply_channel(rq, 200, &now);
		return OK;
	}
	if (!within_plan(rq, was, &now, rep))
		return OK;
	if (strcmp(was->lifecycle, "ready") == 0 &&
	    backend_is_silent(rq->db, rq->mem)) {
		*rep = not_applied(rq, ERR_TIMEOUT);
		return OK;
	}
	e = channel_apply(rq->conf, rq->mem, &now);
	*called |= e != ERR_UNSUPPORTED;
	if (e == ERR_TIMEOUT && backend_silent(rq->db, rq->mem) != OK)
		log_warn("the backend is marked unavailable");
	if (e == OK || e == ERR_NOT_FOUND)
		return write_change(rq, was, &now, e == ERR_NOT_FOUND, rep);
	*rep = not_applied(rq, e);
	return OK;
}

static struct reply
change_until_done(struct request *rq, bool *called)
{
	struct reply rep;
	enum err e;

	for (int i = 0; i < ROUNDS; i++) {
		if (change(rq, &rep, called) != ERR_STALE)
			return rep;
		db_rollback(rq->db);
		if (rq->replaces != NULL && strcmp(rq->replaces, "*") != 0)
			return problem_err(rq, ERR_STALE);
		if ((e = find_channel(rq)) != OK)
			return problem_err(rq, e);
	}
	return problem_err(rq, ERR_BUSY);
}

static struct reply
edit_channel(struct request *rq)
{
	const struct channel *was = rq->it;
	bool called = false;
	struct reply rep = change_until_done(rq, &called);

	if (rep.status < 400 || !called)
		return rep;
	db_rollback(rq->db);
	if (restore(rq, was) != OK)
		log_warn("channel %s: the backend may have changes that the row lacks",
		    was->id);
	return rep;
}

/* ---- moderation ---- */

/* Stop or resume the channel; to repeat it is no error. */
static struct reply
set_stopped(struct request *rq, bool stopped)
{
	const struct channel *was = rq->it;
	struct channel now = *was;
	enum err e;

	if (strcmp(was->lifecycle, "deleting") == 0)
		return being_deleted(rq);
	if ((was->stopped_us != NULL_INT) == stopped)
		return reply_channel(rq, 200, &now);
	now.stopped_us = stopped ? now_us() : NULL_INT;
	e = channel_put(rq->db, rq->mem, was, &now);
	if (e == OK && stopped)
		e = held_forget(rq->db, was->id);
	return e != OK ? problem_err(rq, e) : reply_channel(rq, 200, &now);
}

static struct reply
stop_channel(struct request *rq)
{
	return set_stopped(rq, true);
}

static struct reply
resume_channel(struct request *rq)
{
	return set_stopped(rq, false);
}

static struct reply
list_held(struct request *rq)
{
	const struct channel *c = rq->it;
	struct list l;
	enum err e = held_waiting(rq->db, rq->mem, c->id, &l);

	return e != OK ? problem_err(rq, e)
		       : reply_listed(
			     rq, held_fields, &l, sizeof(struct held_text), NULL, NULL);
}

/* Find the line, of a channel of the account. */
static enum err
find_held(struct request *rq)
{
	struct held_text *h = arena_alloc(rq->mem, sizeof(*h));
	enum err e = find_channel(rq);

	if (e == OK)
		e = held_get(rq->db, rq->mem, rq->args[0], rq->args[1], h);
	rq->it = h;
	return e;
}

static struct fault *
held_rules(struct request *rq)
{
	const struct held_in *in = rq->in;
	bool text = in->action != NULL && strcmp(in->action, "text") == 0;

	if (text && in->text == NULL)
		return fault_add(rq->mem, NULL, "/data/text", "text is required.");
	if (!text && in->text != NULL)
		return fault_add(
		    rq->mem, NULL, "/data/text", "text belongs to the action text.");
	return NULL;
}

/* The gateway reads the decision before it lets the line go out. */
static struct reply
decide_held(struct request *rq)
{
	const struct held_in *in = rq->in;
	struct held_text *h = rq->it;
	enum err e;

	h->action = in->action;
	h->said = in->text;
	e = held_decide(rq->db, h);
	if (e == ERR_STALE)
		return problem(rq, P_LINE_SENT,
		    "The line has gone out; correct it in the transcript.");
	return e != OK ? problem_err(rq, e) : reply_one(rq, 200, held_fields, h, 0);
}

/* ---- deletion ---- */

static struct reply
drop_channel(struct request *rq)
{
	enum err e = channel_remove_now(rq->db, rq->mem, rq->conf, rq->it);

	return e != OK ? problem_err(rq, e) : reply_null(rq, 200);
}

/* clang-format off */
#define CHANNEL "/saas/channel/{channel_id}"
#define RECORD  .shape = A_ONE, .out = channel_fields

const struct route	 channel_routes[] = {
	{ "POST",   "/saas/channel", add_channel, "channels:write",
	  JSON_BODY | IDEMPOTENT | LOCKED, BODY(channel_new_fields, struct channel_in),
	  .rules = check_new, .named = find_event, .summary = "Create a channel", RECORD,
	  .status = 201, .also = "403 404" },
	{ "GET",    "/saas/channels", list_channels, "channels:read",
	  QUERY(list_fields, struct list_in), .summary = "List own channels",
	  .shape = A_LIST, .out = channel_fields },
	{ "GET",    CHANNEL, get_channel, "channels:read", 0, find_channel,
	  .summary = "Read one channel", RECORD, .also = "304" },
	{ "PATCH",  CHANNEL, edit_channel, "channels:write", JSON_BODY | PARTIAL | IF_MATCH,
	  find_channel, BODY(channel_edit_fields, struct channel_in), .rules = check_edit,
	  .summary = "Change a channel", RECORD, .also = "403 409 502 504" },
	{ "DELETE", CHANNEL, drop_channel, "channels:write", IF_MATCH | LOCKED, find_channel,
	  .called = MEMBER(channel, name), .summary = "Delete a channel" },
	{ "POST",   CHANNEL "/retry", retry_channel, "channels:write", LOCKED, find_channel,
	  .summary = "Try again to create a channel", RECORD, .also = "409" },
	{ "GET",    CHANNEL "/held", list_held, "channels:read", 0, find_channel,
	  .summary = "List texts that wait", .shape = A_LIST, .out = held_fields },
	{ "POST",   CHANNEL "/held/{transcription_id}", decide_held, "channels:run",
	  JSON_BODY | LOCKED, find_held, BODY(held_in_fields, struct held_in),
	  .rules = held_rules, .summary = "Pass, drop or replace a text that waits",
	  .shape = A_ONE, .out = held_fields, .also = "409" },
	{ "POST",   CHANNEL "/stop", stop_channel, "channels:run", LOCKED, find_channel,
	  .summary = "Stop a channel now", RECORD, .also = "409" },
	{ "POST",   CHANNEL "/resume", resume_channel, "channels:run", LOCKED, find_channel,
	  .summary = "Resume a stopped channel", RECORD, .also = "409" },
	{ "GET",    CHANNEL "/speaker-token", get_speaker_link, "channels:run", LOCKED,
	  find_channel, .summary = "Read the current speaker link", .shape = A_ONE,
	  .out = speaker_link_fields, .also = "409" },
	{ "POST",   CHANNEL "/speaker-token", renew_speaker_link, "channels:run", LOCKED,
	  find_channel, .summary = "Make a new speaker link", .shape = A_ONE,
	  .out = speaker_link_fields, .also = "409" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM_IF("channels", channel_routes, broadcast_known, account_sql, channel_output_sql,
    held_sql, idempotent_response_sql, public_view_cache_sql, channel_sql, event_sql,
    node_sql, queue_sql, served_sql, stage_sql, webhook_sql)
