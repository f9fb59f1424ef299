/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /saas/v2/event: how organisers create, change and read events. */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "service/channel.h"
#include "service/channel_outputs.h"
#include "service/event_input.h"
#include "service/public_view.h"
#include "service/webhook_records.h"
#include "store/channels.h"
#include "store/event_search.h"
#include "store/idempotent_responses.h"
#include "store/join_codes.h"
#include "store/listening.h"
#include "store/nodes.h"
#include "store/public_view_cache.h"
#include "store/served.h"
#include "store/stats.h"
#include "store/webhooks.h"
#include "web/web.h"
#include "work/queue.h"

#define PAGE 20
#define STEPS 1440 /* the most points of a series */

struct list_in {
	struct page page;
	const char *status, *q;
};

struct export_in {
	const char *format;
};

struct copy_in {
	const char *title;
	int64_t start_us;
};

struct series_in {
	int64_t step_s, from_us, to_us;
};

/* clang-format off */
static const struct field	 list_fields[] = FIELDS(
	{ "status", F_ENUM, MEMBER(list_in, status), 0, 0,   F_IO | F_OPT, .names = event_statuses },
	{ "q",      F_TEXT, MEMBER(list_in, q),      1, 200, F_IO | F_OPT }
);
static const char *const	 formats[] = { "csv", NULL };
static const struct field	 export_fields[] = FIELDS(
	{ "format", F_ENUM, MEMBER(export_in, format), 0, 0,   F_IO | F_OPT, .names = formats }
);
static const struct field	 copy_fields[] = FIELDS(
	{ "title",        F_TEXT, MEMBER(copy_in, title),    3, 100, F_IN, .help = "Absent: that of the event." },
	{ "utc_start_dt", F_TIME, MEMBER(copy_in, start_us), .flags = F_IN, .help = "The end and the agenda move with it; absent: the times of the event." }
);
static const struct field	 series_fields[] = FIELDS(
	{ "step", F_INT,  MEMBER(series_in, step_s), 60, 3600, F_IN | F_OPT },
	{ "from", F_TIME, MEMBER(series_in, from_us), .flags = F_IN | F_OPT },
	{ "to",   F_TIME, MEMBER(series_in, to_us),   .flags = F_IN | F_OPT }
);
/* clang-format on */

/* ---- reading ---- */

static enum err
find_event(struct request *rq)
{
	struct event *ev = rq->it = arena_alloc(rq->mem, sizeof(*ev));
	enum err e = event_get(rq->db, rq->mem, rq->who->account, rq->args[0], ev);

	rq->version = ev->version;
	return e;
}

static struct reply
reply_event(struct request *rq, int status, struct event *ev)
{
	event_show(rq->conf, rq->mem, ev, now_us());
	return reply_one(rq, status, event_fields, ev, ev->version);
}

static struct reply
get_event(struct request *rq)
{
	return reply_event(rq, 200, rq->it);
}

static struct reply
list_events(struct request *rq)
{
	const struct list_in *in = rq->query;
	const struct event_query q = { in->page.after_us, PAGE + 1, in->status, in->q };
	const struct list_item by_seq = { sizeof(struct event), MEMBER(event, seq),
		NO_ID };
	struct event_page p;
	const char *next;
	enum err e = event_list(rq->db, rq->mem, rq->who->account, &q, &p);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < p.events.n; i++)
		event_show(
		    rq->conf, rq->mem, (struct event *)p.events.items + i, now_us());
	next = page_cut(rq, &p.events, by_seq);
	if (next == NULL && p.rest != INT64_MIN)
		next = page_next(rq, p.rest, "");
	return reply_listed(rq, event_fields, &p.events, sizeof(struct event),
	    "pagination_token", next);
}

/* ---- statistics ---- */

static struct reply
get_stats(struct request *rq)
{
	struct stats s;
	struct json_writer j;
	enum err e;

	if ((e = stats_get(rq->db, rq->mem, rq->it, &s)) != OK ||
	    (e = stats_now(rq->db, rq->mem, rq->it, &s)) != OK)
		return problem_err(rq, e);
	if (s.snapshot == NULL)
		return reply_one(rq, 200, stats_view_fields, &s, 0);
	j = reply_open(rq);
	jw_open(&j, "data");
	field_write_into(&j, stats_now_fields, &s);
	buf_str(j.out, ",");
	buf_put(j.out, s.snapshot + 1, strlen(s.snapshot) - 2);
	jw_close(&j);
	return reply_close(rq, &j, 200);
}

static int64_t
step_us(const struct series_in *in)
{
	return (in->step_s != NULL_INT ? in->step_s : 60) * S_US;
}

/*
 * Get the requested span. Without "from" or "to" it is as long as a series may be;
 * without both it ends at the last minute that has listeners.
 */
static enum err
span_of(struct request *rq, struct listening_span *to)
{
	const struct series_in *in = rq->query;
	int64_t step = step_us(in), most = STEPS * step, from = in->from_us, last;
	enum err e = OK;

	*to = (struct listening_span){ .step_us = step };
	if (in->to_us != NULL_INT)
		to->until_us = in->to_us;
	else if (from != NULL_INT)
		to->until_us = from + most;
	else if ((e = listening_last(rq->db, ((struct event *)rq->it)->id, &last)) ==
		     OK &&
		 last != NULL_INT)
		to->until_us = last + LISTENING_MINUTE_US;
	if (from == NULL_INT)
		from = to->until_us - most;
	to->from_us = from > 0 ? from / step * step : 0;
	return e;
}

static bool
check_series(struct request *rq, struct reply *no)
{
	const struct series_in *in = rq->query;
	bool open = in->from_us == NULL_INT || in->to_us == NULL_INT;
	int64_t span = open ? 1 : in->to_us - in->from_us;

	if (span > 0 && span <= STEPS * step_us(in))
		return true;
	*no = problem_faults(rq, NULL,
	    fault_add(rq->mem, NULL, "/to",
		"to must be after from, by %d steps at most.", STEPS));
	return false;
}

static struct reply
get_series(struct request *rq)
{
	struct listening_span span;
	struct list l;
	enum err e;

	if ((e = span_of(rq, &span)) != OK ||
	    (e = listening_series(
		 rq->db, rq->mem, ((struct event *)rq->it)->id, &span, &l)) != OK)
		return problem_err(rq, e);
	return reply_listed(
	    rq, listening_point_fields, &l, sizeof(struct listening_point), NULL, NULL);
}

static struct reply
export_stats(struct request *rq)
{
	const char *id = ((struct event *)rq->it)->id, *csv, *tag;
	enum err e = stats_csv(rq->db, rq->mem, rq->it, &csv);

	if (e != OK)
		return problem_err(rq, e);
	tag = arena_printf(rq->mem, "\"%s\"", hash_hex(rq->mem, csv, strlen(csv)));
	header(rq, "ETag", "%s", tag);
	if (etag_known(rq, tag))
		return reply_empty(rq, 304);
	header(rq, "Content-Disposition", "attachment; filename=\"event-%s-stats.csv\"",
	    id);
	return reply_text(rq, 200, "text/csv; charset=utf-8", csv);
}

/* ---- rules ---- */

static struct fault *
check_event(struct request *rq)
{
	return event_rules(rq->mem, rq->in, rq->it);
}

static bool
find_named(struct request *rq, struct reply *no)
{
	const char *at = event_unknown(rq->mem, rq->in, rq->it);

	if (at != NULL)
		*no = problem_at(rq, P_NOT_FOUND, at, NULL, "No such resource.");
	return at == NULL;
}

/* before: the number of languages that the event has. A plan that was lowered removes
   none. */
static bool
within_plan(
    struct request *rq, const struct event_in *in, size_t before, struct reply *no)
{
	int64_t most = rq->who->plan.event_languages;

	if (most == 0 || in->languages.n <= (size_t)most || in->languages.n <= before)
		return true;
	*no = problem(rq, P_LANGUAGE_LIMIT, "The plan allows %lld languages per event.",
	    (long long)most);
	return false;
}

/* ---- creation and change ---- */

/*
 * Answer with the event as it is stored now, and add a message to webhooks of this
 * type.
 */
static struct reply
reply_stored(struct request *rq, int status, const char *id, const char *type)
{
	struct event ev = { 0 };
	enum err e = event_get(rq->db, rq->mem, rq->who->account, id, &ev);

	if (e == OK && type != NULL)
		e = webhook_event(rq->db, rq->mem, rq->conf, &ev, type);

	return e != OK ? problem_err(rq, e) : reply_event(rq, status, &ev);
}

static struct reply
add_event(struct request *rq)
{
	struct event ev = { .account = rq->who->account };
	struct event_in *in = rq->in;
	struct reply no;
	enum err e;

	if (!within_plan(rq, in, 0, &no))
		return no;
	in->new_stages = in->stages.n > 0;
	in->new_sessions = true;
	event_apply(rq->mem, in, now_us(), &ev);
	if ((e = db_begin(rq->db, rq->who->account)) != OK ||
	    (e = event_add(rq->db, rq->mem, &ev)) != OK)
		return problem_err(rq, e);
	header(rq, "Location", "%s/saas/v2/event/%s", rq->conf->server_base_url, ev.id);
	return reply_stored(rq, 201, ev.id, "event.created");
}

/* Check that the plan allows another event with the languages of this one's channels.
 */
static bool
may_copy(struct request *rq, const struct event_in *in, struct reply *no)
{
	const struct event *ev = rq->it;
	struct event_in all = *in;
	enum err e = channels_languages(
	    rq->db, rq->mem, ev->account, ev->id, NULL, &all.languages);

	if (e != OK)
		*no = problem_err(rq, e);
	return e == OK && within_plan(rq, in, 0, no) && within_plan(rq, &all, 0, no);
}

static struct reply
copy_event(struct request *rq)
{
	const struct copy_in *want = rq->in;
	const struct event *from = rq->it;
	struct event to = { .account = from->account };
	struct event_in in = event_as_copy(rq->mem, from,
	    want->title != NULL ? want->title : from->title,
	    want->start_us != NULL_INT ? want->start_us : from->start_us);
	struct reply no;
	enum err e;

	if (!may_copy(rq, &in, &no))
		return no;
	event_apply(rq->mem, &in, now_us(), &to);
	if ((e = event_add(rq->db, rq->mem, &to)) == OK)
		e = channels_of_event_copy(
		    rq->db, rq->mem, rq->conf, rq->who->plan.streams, from, &to);
	if (e == ERR_LIMIT)
		return problem(rq, P_STREAM_LIMIT, CHANNEL_STREAMS_LIMIT,
		    (long long)rq->who->plan.streams);
	if (e != OK)
		return problem_err(rq, e);
	header(rq, "Location", "%s/saas/v2/event/%s", rq->conf->server_base_url, to.id);
	return reply_stored(rq, 201, to.id, "event.created");
}

/* A new end reopens a finished event, unless its final statistics were taken. */
static bool
may_move_end(struct request *rq, struct event *after, struct reply *no)
{
	const struct event *before = rq->it;
	bool final;
	enum err e;

	if (after->end_us == before->end_us)
		return true;
	if ((e = stats_finalized(rq->db, after->id, &final)) == OK && !final) {
		after->finished_us = NULL_INT;
		e = stats_reopened(rq->db, after->id);
	}
	if (e != OK)
		*no = problem_err(rq, e);
	else if (final && after->end_us > now_us())
		*no = problem(
		    rq, P_EVENT_FINALIZED, "The event's final statistics were taken.");
	else
		return true;
	return false;
}

static bool
may_change(struct request *rq, struct event *after, struct reply *no)
{
	const struct stage *s = event_stage_in_use(rq->it, after);

	if (s == NULL)
		return may_move_end(rq, after, no);
	*no = problem(rq, P_STAGE_IN_USE, "The stage %s still has channels.", s->id);
	return false;
}

/*
 * If the end moves to the future again, the event's channels get ports for their
 * streams again.
 */
static enum err
save_event(struct request *rq, const struct event *before, struct event *after)
{
	bool revives = after->end_us != before->end_us && after->end_us > now_us();
	int64_t most = rq->who->plan.streams, were = 0, are = 0;
	enum err e = OK;

	if (revives)
		e = channels_streaming(rq->db, after->account, NULL, &were);
	if (e == OK)
		e = event_put(rq->db, rq->mem, before, after);
	if (e != OK || !revives)
		return e;
	if ((e = channels_streaming(rq->db, after->account, NULL, &are)) != OK)
		return e;
	if (most > 0 && are > most && are > were)
		return ERR_LIMIT;
	return channels_of_event_ports(
	    rq->db, rq->mem, rq->conf, after->account, after->id);
}

static struct reply
edit_event(struct request *rq)
{
	const struct event *before = rq->it;
	struct event after = *before;
	struct event_in in = event_as_input(rq->mem, before);
	size_t languages = in.languages.n;
	struct reply no;
	enum err e;

	input_over(rq, &in);
	in.new_stages = in.stages.n > 0;
	in.new_sessions = input_has(rq, "sessions");
	event_apply(rq->mem, &in, now_us(), &after);
	if (!may_change(rq, &after, &no))
		return no;
	if (!within_plan(rq, &in, languages, &no))
		return no;
	if (field_same(rq->mem, event_fields, before, &after))
		return reply_stored(rq, 200, after.id, NULL);
	if ((e = save_event(rq, before, &after)) == ERR_LIMIT)
		return problem(rq, P_STREAM_LIMIT, CHANNEL_STREAMS_LIMIT,
		    (long long)rq->who->plan.streams);
	if (e != OK)
		return problem_err(rq, e);
	return reply_stored(rq, 200, after.id, "event.updated");
}

/* The event's channels are removed later, and a worker deletes the listeners' data. */
static struct reply
drop_event(struct request *rq)
{
	const struct event *ev = rq->it;
	int64_t channels = 0;
	enum err e;

	if ((e = webhook_event(rq->db, rq->mem, rq->conf, ev, "event.deleted")) != OK ||
	    (e = channels_of_event_deleting(
		 rq->db, rq->mem, rq->conf, ev->account, ev->id, &channels)) != OK ||
	    (e = queue_add(rq->db, rq->mem, "event.purge", ev->account, ev->id)) !=
		OK ||
	    (e = event_drop(rq->db, ev->account, ev->id)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, channels > 0 ? 202 : 200);
}

/* clang-format off */
#define EVENT "/saas/v2/event/{event_id}"

const struct route	 event_routes[] = {
	{ "POST",   "/saas/v2/event", add_event, "events:write", JSON_BODY | IDEMPOTENT,
	  BODY(event_in_fields, struct event_in), .rules = check_event, .named = find_named,
	  .summary = "Make an event", .shape = A_ONE, .status = 201, .out = event_fields },
	{ "GET",    "/saas/v2/events", list_events, "events:read", QUERY(list_fields, struct list_in),
	  .token = "pagination_token", .page_size = PAGE, .summary = "List events",
	  .shape = A_LIST, .out = event_fields },
	{ "GET",    EVENT, get_event, "events:read", 0, find_event,
	  .summary = "Read an event", .shape = A_ONE, .out = event_fields, .also = "304" },
	{ "PATCH",  EVENT, edit_event, "events:write", JSON_BODY | PARTIAL | IF_MATCH | LOCKED,
	  find_event, BODY(event_in_fields, struct event_in), .rules = check_event,
	  .named = find_named, .summary = "Change an event", .shape = A_ONE,
	  .out = event_fields, .also = "409" },
	{ "DELETE", EVENT, drop_event, "events:write", IF_MATCH | LOCKED, find_event,
	  .called = MEMBER(event, title), .summary = "Delete an event", .also = "202" },
	{ "POST",   EVENT "/copy", copy_event, "events:write",
	  JSON_BODY | OPTIONAL_BODY | IDEMPOTENT | LOCKED, find_event,
	  BODY(copy_fields, struct copy_in), .summary = "Copy an event", .shape = A_ONE,
	  .status = 201, .out = event_fields, .also = "403 404" },
	{ "GET",    EVENT "/stats", get_stats, "events:read", 0, find_event,
	  .summary = "Read an event's statistics", .shape = A_ONE, .out = stats_view_fields },
	{ "GET",    EVENT "/stats/series", get_series, "events:read", 0, find_event,
	  QUERY(series_fields, struct series_in), .named = check_series,
	  .summary = "Listeners by the minute", .shape = A_LIST, .out = listening_point_fields },
	{ "GET",    EVENT "/stats/export", export_stats, "events:read", 0, find_event,
	  QUERY(export_fields, struct export_in), .summary = "Listeners by language, as CSV",
	  .shape = A_FILE, .also = "304" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("events", event_routes, account_sql, idempotent_response_sql, event_sql,
    event_search_sql, stage_sql, public_view_cache_sql, stats_sql, listening_sql,
    channel_sql, join_code_sql, node_sql, queue_sql, served_sql, webhook_sql)
