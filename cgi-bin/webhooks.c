/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/webhook: addresses that receive messages about an account's events, and the
 * deliveries to them.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"
#include "net/url.h"
#include "service/webhook.h"
#include "store/idempotent_responses.h"
#include "store/webhooks.h"
#include "web/web.h"
#include "work/queue.h"

/* The result of a message that a client fetched. */
struct settled {
	const char *key; /* lease_key of the fetch */
	struct webhook_result result;
};

/* clang-format off */
static const char *const outcomes[] = { "delivered", "failed", NULL };
static const struct field page_fields[] = FIELDS(PAGE_FIELDS);
static const struct field settled_fields[] = FIELDS(
	{ "lease_key",       F_TEXT, MEMBER(settled, key),                    1, 64,        F_IN | F_REQUIRED },
	{ "status",          F_ENUM, MEMBER(settled, result.status),          .flags = F_IN | F_REQUIRED, .names = outcomes },
	{ "response_status", F_INT,  MEMBER(settled, result.response_status), 100, 599,     F_IN | F_NULLABLE },
	{ "response_ms",     F_INT,  MEMBER(settled, result.response_ms),     0, 3600000,   F_IN },
	{ "error",           F_TEXT, MEMBER(settled, result.error),           0, 500,       F_IN | F_NULLABLE }
);
/* clang-format on */

static struct reply
reply_webhook(struct request *rq, struct webhook *w)
{
	webhook_fill_view(rq->mem, w);
	return reply_one(rq, 200, webhook_fields, w, w->version);
}

/*
 * Answer with the secret, which no other answer contains. It is derived for each
 * answer.
 */
static struct reply
reply_secret(struct request *rq, int status, struct webhook *w)
{
	webhook_fill_view(rq->mem, w);
	w->secret = webhook_secret(rq->conf, rq->mem, w->id, w->seed);
	return reply_one(rq, status, webhook_secret_fields, w, w->version);
}

/* ---- input ---- */

static struct fault *
check_url(struct request *rq, const struct webhook_in *in, struct fault *f)
{
	const char *url = in->webhook.url, *why = NULL;

	if (in->webhook.pulled && url != NULL && !url_is_http(rq->mem, url))
		why = "url must be an http or https address.";
	else if (!in->webhook.pulled && url != NULL)
		why = webhook_url_fault(rq->conf, rq->mem, url);

	return why != NULL ? fault_add(rq->mem, f, "/data/url", "%s", why) : f;
}

/*
 * True if a type is listed twice, or "*" is listed with others. An unknown type is
 * NULL.
 */
static bool
events_clash(const struct list *events)
{
	const char *const *type = events->items;
	bool clash = false;

	for (size_t i = 0; i < events->n; i++) {
		if (type[i] == NULL)
			continue;
		clash |= events->n > 1 && strcmp(type[i], "*") == 0;
		for (size_t k = 0; k < i; k++)
			clash |= type[k] != NULL && strcmp(type[i], type[k]) == 0;
	}
	return clash;
}

static struct fault *
check_webhook(struct request *rq)
{
	const struct webhook_in *in = rq->in;
	struct fault *f = check_url(rq, in, NULL);

	return events_clash(&in->events)
		   ? fault_add(rq->mem, f, "/data/events",
			 "events must be distinct types, or only *.")
		   : f;
}

/* ---- one webhook ---- */

static enum err
find_webhook(struct request *rq)
{
	struct webhook *w = rq->it = arena_alloc(rq->mem, sizeof(*w));
	enum err e = webhook_get(rq->db, rq->mem, rq->who->account, rq->args[0], w);

	rq->version = w->version;
	return e;
}

static struct reply
get_webhook(struct request *rq)
{
	return reply_webhook(rq, rq->it);
}

/* Enabled or disabled from now on. Enabling resets the count of failures. */
static void
set_enabled(struct webhook *w, int64_t now)
{
	w->disabled_reason = w->enabled ? NULL : "owner";
	w->failures = 0;
	w->good_us = now;
}

static struct webhook
new_webhook(struct request *rq)
{
	const struct webhook_in *in = rq->in;
	struct webhook w = in->webhook;

	w.id = id_new(rq->mem);
	w.account = rq->who->account;
	w.events = texts_json(rq->mem, &in->events);
	w.seed = webhook_seed(rq->mem);
	w.created_us = w.updated_us = now_us();
	w.version = 1;
	set_enabled(&w, w.created_us);
	return w;
}

static struct reply
add_webhook(struct request *rq)
{
	struct webhook w = new_webhook(rq);
	struct reply no;
	enum err e;

	if ((e = db_begin(rq->db, rq->who->account)) != OK)
		return problem_err(rq, e);
	if (!problem_within_limit(rq, rq->who->plan.webhooks, webhook_count,
		P_WEBHOOK_LIMIT, "webhooks", &no))
		return no;
	if ((e = webhook_add(rq->db, &w)) != OK)
		return problem_err(rq, e);
	return reply_secret(rq, 201, &w);
}

static struct reply
edit_webhook(struct request *rq)
{
	struct webhook *w = rq->it, before = *w;
	struct webhook_in in = { .webhook = *w };
	enum err e;

	input_over(rq, &in);
	*w = in.webhook;
	if (input_has(rq, "events"))
		w->events = texts_json(rq->mem, &in.events);
	if (w->enabled != before.enabled)
		set_enabled(w, now_us());
	if (!field_same(rq->mem, webhook_fields, w, &before) &&
	    (e = webhook_put(rq->db, w)) != OK)
		return problem_err(rq, e);
	return reply_webhook(rq, w);
}

/* A worker deletes the deliveries, because there may be many. */
static struct reply
drop_webhook(struct request *rq)
{
	const struct webhook *w = rq->it;
	enum err e;

	if ((e = webhook_drop(rq->db, w)) != OK ||
	    (e = queue_add(rq->db, rq->mem, WEBHOOK_PURGE, w->account, w->id)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, 200);
}

static struct reply
rotate_secret(struct request *rq)
{
	struct webhook *w = rq->it;
	enum err e;

	w->old_seed = w->seed;
	w->old_until_us = now_us() + WEBHOOK_OLD_SECRET_US;
	w->seed = webhook_seed(rq->mem);
	if ((e = webhook_put(rq->db, w)) != OK)
		return problem_err(rq, e);
	return reply_secret(rq, 200, w);
}

/* ---- list ---- */

static struct list_cursor
cursor_of(const struct page *p)
{
	return (struct list_cursor){ page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
}

static struct reply
list_webhooks(struct request *rq)
{
	const struct list_cursor from = cursor_of(rq->query);
	struct list l;
	enum err e = webhook_list(rq->db, rq->mem, rq->who->account, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < l.n; i++)
		webhook_fill_view(rq->mem, (struct webhook *)l.items + i);
	return reply_page(rq, webhook_fields, l, ITEM(webhook, created_us, id));
}

/* ---- deliveries ---- */

/* A disabled webhook has no next try, and a pulled one waits for its client. */
static void
clear_due(const struct webhook *w, struct webhook_delivery *d)
{
	if (!w->enabled || w->pulled)
		d->due_us = NULL_INT;
}

static struct reply
reply_delivery(
    struct request *rq, int status, const struct field *fields, const char *id)
{
	const struct webhook *w = rq->it;
	struct webhook_delivery d;
	enum err e = webhook_delivery_get(rq->db, rq->mem, w->account, w->id, id, &d);

	if (e != OK)
		return problem_err(rq, e);
	clear_due(w, &d);
	return reply_one(rq, status, fields, &d, 0);
}

static struct reply
reply_pending(struct request *rq, const char *id)
{
	return reply_delivery(rq, 202, webhook_delivery_fields, id);
}

static struct reply
get_delivery(struct request *rq)
{
	return reply_delivery(rq, 200, webhook_delivery_body_fields, rq->args[1]);
}

/* The message's data is the webhook's own record. */
static struct reply
test_webhook(struct request *rq)
{
	struct buf data = { .mem = rq->mem };
	struct webhook *w = rq->it;
	const char *id;
	enum err e;

	webhook_fill_view(rq->mem, w);
	field_write(&(struct json_writer){ .out = &data }, NULL, webhook_fields, w);
	e = webhook_emit_to(rq->db, rq->mem, w, "webhook.test", buf_text(&data), &id);
	return e != OK ? problem_err(rq, e) : reply_pending(rq, id);
}

static struct reply
list_deliveries(struct request *rq)
{
	const struct list_cursor from = cursor_of(rq->query);
	const struct webhook *w = rq->it;
	struct list l;
	enum err e =
	    webhook_delivery_list(rq->db, rq->mem, w->account, w->id, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < l.n; i++)
		clear_due(w, (struct webhook_delivery *)l.items + i);
	return reply_page(
	    rq, webhook_delivery_fields, l, ITEM(webhook_delivery, created_us, id));
}

static struct reply
redeliver(struct request *rq)
{
	const struct webhook *w = rq->it;
	struct webhook_delivery d;
	enum err e =
	    webhook_delivery_get(rq->db, rq->mem, w->account, w->id, rq->args[1], &d);

	if (e != OK || (e = webhook_delivery_again(rq->db, &d)) != OK)
		return problem_err(rq, e);
	return reply_pending(rq, d.id);
}

/* ---- messages that clients fetch ---- */

static bool
admit_pulled(struct request *rq, struct reply *no)
{
	const struct webhook *w = rq->it;

	if (w->pulled && w->enabled)
		return true;
	*no = problem(rq, P_NOT_PULLED, "%s",
	    w->pulled ? "The webhook is disabled."
		      : "The messages of this webhook are sent to its address.");
	return false;
}

static struct reply
pull_message(struct request *rq)
{
	struct list l;
	enum err e = webhook_pull(rq->db, rq->mem, rq->conf, rq->it, &l);

	if (e != OK)
		return problem_err(rq, e);
	return reply_listed(
	    rq, webhook_pulled_fields, &l, sizeof(struct webhook_pulled), NULL, NULL);
}

static struct reply
settle_message(struct request *rq)
{
	const struct webhook *w = rq->it;
	const struct settled *in = rq->in;
	struct webhook_result r = in->result;
	struct webhook_delivery d;
	enum err e =
	    webhook_delivery_get(rq->db, rq->mem, w->account, w->id, rq->args[1], &d);

	d.key = in->key;
	r.due_us = NULL_INT;
	if (!input_has(rq, "response_status"))
		r.response_status = NULL_INT;
	if (e != OK || (e = webhook_delivery_settle(rq->db, &d, &r)) != OK)
		return problem_err(rq, e);
	return reply_null(rq, 200);
}

/* clang-format off */
#define WEBHOOK "/saas/webhook/{webhook_id}"
#define PAGES   QUERY(page_fields, struct page), .token = "token", .shape = A_PAGE
#define SENT    .shape = A_ONE, .status = 202, .out = webhook_delivery_fields

const struct route	 webhook_routes[] = {
	{ "POST",   "/saas/webhook", add_webhook, "webhooks:write", JSON_BODY | IDEMPOTENT,
	  BODY(webhook_new_fields, struct webhook_in), .rules = check_webhook,
	  .summary = "Make a webhook", .shape = A_ONE, .status = 201, .out = webhook_secret_fields },
	{ "GET",    "/saas/webhooks", list_webhooks, "webhooks:read", PAGES,
	  .summary = "List own webhooks", .out = webhook_fields },
	{ "GET",    WEBHOOK, get_webhook, "webhooks:read", 0, find_webhook,
	  .summary = "Read one webhook", .shape = A_ONE, .out = webhook_fields, .also = "304" },
	{ "PATCH",  WEBHOOK, edit_webhook, "webhooks:write",
	  JSON_BODY | PARTIAL | IF_MATCH | LOCKED, find_webhook,
	  BODY(webhook_in_fields, struct webhook_in), .rules = check_webhook,
	  .summary = "Change a webhook", .shape = A_ONE, .out = webhook_fields },
	{ "DELETE", WEBHOOK, drop_webhook, "webhooks:write", IF_MATCH | LOCKED, find_webhook,
	  .called = MEMBER(webhook, description), .summary = "Delete a webhook with its deliveries" },
	{ "POST",   WEBHOOK "/rotate-secret", rotate_secret, "webhooks:write", LOCKED, find_webhook,
	  .summary = "Replace a webhook's secret", .shape = A_ONE, .out = webhook_secret_fields },
	{ "POST",   WEBHOOK "/test", test_webhook, "webhooks:write", LOCKED, find_webhook,
	  .summary = "Send a test message to a webhook", SENT },
	{ "GET",    WEBHOOK "/deliveries", list_deliveries, "webhooks:read", 0, find_webhook, PAGES,
	  .summary = "List the deliveries to a webhook", .out = webhook_delivery_fields },
	{ "GET",    WEBHOOK "/deliveries/{delivery_id}", get_delivery, "webhooks:read", 0, find_webhook,
	  .summary = "Read one delivery to a webhook", .shape = A_ONE, .out = webhook_delivery_body_fields },
	{ "POST",   WEBHOOK "/deliveries/{delivery_id}/redeliver", redeliver, "webhooks:write", LOCKED,
	  find_webhook, .summary = "Send a message again", SENT },
	{ "POST",   WEBHOOK "/pull", pull_message, "webhooks:write", UNLOGGED, find_webhook, admit_pulled,
	  .summary = "Fetch the next message of a pulled webhook", .shape = A_LIST, .out = webhook_pulled_fields, .also = "409" },
	{ "POST",   WEBHOOK "/pull/{delivery_id}", settle_message, "webhooks:write", JSON_BODY | LOCKED | UNLOGGED,
	  find_webhook, BODY(settled_fields, struct settled),
	  .summary = "Report the result of a fetched message", .also = "412" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("webhooks", webhook_routes, account_sql, idempotent_response_sql, webhook_sql,
    webhook_delivery_sql, queue_sql)
