/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/v2/event/{event_id}/requests: languages that listeners asked for, and the
 * organiser's decisions.
 */
#include <string.h>
#include <strings.h>

#include "service/webhook_records.h"
#include "store/events.h"
#include "store/requests.h"
#include "store/webhooks.h"
#include "web/web.h"

struct list_in {
	const char *type;
};

struct reject_in {
	const char *reason, *event, *request;
};

/* The number of languages that an event has and may have. */
struct capacity {
	int64_t limit, used, remaining;
};

struct overview {
	struct list requests; /* struct listener_request */
	const char *capacity; /* JSON of the struct; NULL: there is no limit */
};

/* clang-format off */
static const struct field	 list_fields[] = FIELDS(
	{ "type", F_TEXT, MEMBER(list_in, type), .flags = F_IN | F_OPT }
);
static const struct field	 reject_fields[] = FIELDS(
	{ "reason",     F_TEXT, MEMBER(reject_in, reason),  0, 500, F_IN },
	{ "event_id",   F_TEXT, MEMBER(reject_in, event),   .flags = F_IN },
	{ "request_id", F_TEXT, MEMBER(reject_in, request), .flags = F_IN }
);
static const struct field	 capacity_fields[] = FIELDS(
	{ "limit",     F_INT, MEMBER(capacity, limit),     .flags = F_OUT },
	{ "used",      F_INT, MEMBER(capacity, used),      .flags = F_OUT },
	{ "remaining", F_INT, MEMBER(capacity, remaining), .flags = F_OUT }
);
static const struct field	 overview_fields[] = FIELDS(
	{ "requests", F_LIST, MEMBER(overview, requests), .flags = F_OUT, .of = request_fields,
	  .size = sizeof(struct listener_request) },
	{ "language_capacity", F_JSON, MEMBER(overview, capacity), .flags = F_OUT | F_NULLABLE }
);
/* clang-format on */

/* ---- reading ---- */

static enum err
find_event(struct request *rq)
{
	struct event *ev = rq->it = arena_alloc(rq->mem, sizeof(*ev));

	return event_get(rq->db, rq->mem, rq->who->account, rq->args[0], ev);
}

static const char *
capacity_of(struct request *rq, const struct event *ev)
{
	struct capacity c = { .limit = rq->who->plan.event_languages };
	struct buf b = { .mem = rq->mem };

	if (c.limit == 0)
		return NULL;
	c.used = (int64_t)texts_read(rq->mem, ev->output_languages).n;
	c.remaining = c.limit > c.used ? c.limit - c.used : 0;
	field_write(&(struct json_writer){ .out = &b }, NULL, capacity_fields, &c);
	return buf_text(&b);
}

static struct reply
list_requests(struct request *rq)
{
	const struct event *ev = rq->it;
	const struct list_in *in = rq->query;
	struct overview o = { .capacity = capacity_of(rq, ev) };
	enum err e =
	    request_list(rq->db, rq->mem, ev->account, ev->id, in->type, &o.requests);

	if (e != OK)
		return problem_err(rq, e);
	return reply_one(rq, 200, overview_fields, &o, 0);
}

/* ---- decisions ---- */

static enum err
find_request(struct request *rq)
{
	struct listener_request *r = rq->it = arena_alloc(rq->mem, sizeof(*r));

	return request_get(
	    rq->db, rq->mem, rq->who->account, rq->args[0], rq->args[1], r);
}

/* Store the decision and add the messages to webhooks. */
static enum err
decide_now(struct request *rq, struct listener_request *r, const char *status,
    const char *reason)
{
	const char *account = rq->who->account, *event = rq->args[0];
	enum err e = request_decide(rq->db, account, event, r, status, reason);

	return e != OK ? e
		       : webhook_request(rq->db, rq->mem, account, event, r->id,
			     "listener_request.decided");
}

/* A decision is final; to repeat it is no error. */
static struct reply
decide(struct request *rq, const char *status, const char *reason)
{
	struct listener_request *r = rq->it;
	enum err e = OK;

	if (strcmp(r->status, "pending") == 0)
		e = decide_now(rq, r, status, reason);
	else if (strcmp(r->status, status) != 0)
		return problem(
		    rq, P_REQUEST_DECIDED, "The request is %s already.", r->status);
	if (e != OK)
		return problem_err(rq, e);
	return reply_one(rq, 200, request_decided_fields, r, 0);
}

static struct reply
approve_request(struct request *rq)
{
	return decide(rq, "approved", NULL);
}

static struct reply
reject_request(struct request *rq)
{
	return decide(rq, "rejected", ((const struct reject_in *)rq->in)->reason);
}

static bool
differs(const char *said, const char *id)
{
	return said != NULL && strcasecmp(said, id) != 0;
}

static struct fault *
reject_rules(struct request *rq)
{
	const struct reject_in *in = rq->in;
	struct fault *f = NULL;

	if (differs(in->event, rq->args[0]))
		f = fault_add(
		    rq->mem, f, "/data/event_id", "event_id must be that of the path.");
	if (differs(in->request, rq->args[1]))
		f = fault_add(rq->mem, f, "/data/request_id",
		    "request_id must be that of the path.");
	return f;
}

/* clang-format off */
#define REQUESTS "/saas/v2/event/{event_id}/requests"

const struct route	 request_routes[] = {
	{ "GET",  REQUESTS, list_requests, "events:read", 0, find_event,
	  QUERY(list_fields, struct list_in), .summary = "List pending requests of listeners",
	  .shape = A_ONE, .out = overview_fields },
	{ "POST", REQUESTS "/{request_id}/approve", approve_request, "events:run", LOCKED,
	  find_request, .summary = "Approve a request", .shape = A_ONE,
	  .out = request_decided_fields, .also = "409" },
	{ "POST", REQUESTS "/{request_id}/reject", reject_request, "events:run",
	  JSON_BODY | LOCKED, find_request, BODY(reject_fields, struct reject_in),
	  .rules = reject_rules, .summary = "Reject a request", .shape = A_ONE,
	  .out = request_decided_fields, .also = "409" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("requests", request_routes, account_sql, event_sql, stage_sql, request_sql,
    webhook_sql)
