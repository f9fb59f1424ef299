/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Deliveries. The row of a webhook has the time when its next delivery is due, so that
 * finding work takes one index lookup for any number of deliveries.
 */
#include "store/webhook_deliveries.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"

#define SLOW_MS "5000" /* slower deliveries count as failing */
#define FAILED_MOST 20 /* disable after so many failed deliveries in succession ... */
#define FAILING_US (5 * 86400 * S_US) /* ... if none succeeded for this time */

/* clang-format off */
#define RECORD                                                                           \
	{ "delivery_id",        F_TEXT, MEMBER(webhook_delivery, id),              .flags = F_OUT | F_ADD, .column = "id" }, \
	{ "event_type",         F_TEXT, MEMBER(webhook_delivery, type),            .flags = F_OUT | F_ADD, .column = "type" }, \
	{ "webhook_message_id", F_TEXT, MEMBER(webhook_delivery, message),         .flags = F_OUT | F_ADD, .column = "message" }, \
	{ "status",             F_TEXT, MEMBER(webhook_delivery, status),          .flags = F_OUT | F_ADD }, \
	{ "tries",              F_INT,  MEMBER(webhook_delivery, tries),           .flags = F_OUT | F_ADD }, \
	{ "next_try_at",        F_TIME, MEMBER(webhook_delivery, due_us),          .flags = F_OUT | F_NULLABLE | F_ADD, .column = "due_us" }, \
	{ "response_status",    F_INT,  MEMBER(webhook_delivery, response_status), .flags = F_OUT | F_NULLABLE | F_ADD }, \
	{ "response_ms",        F_INT,  MEMBER(webhook_delivery, response_ms),     .flags = F_OUT | F_NULLABLE | F_ADD }, \
	{ "error",              F_TEXT, MEMBER(webhook_delivery, error),           .flags = F_OUT | F_NULLABLE | F_ADD }, \
	{ "utc_created_at",     F_TIME, MEMBER(webhook_delivery, created_us),      .flags = F_OUT | F_ADD, .column = "created_us" }

const struct field	 webhook_delivery_fields[] = FIELDS(
	RECORD,
	{ "body",               F_TEXT, MEMBER(webhook_delivery, body),            .flags = F_ADD | F_SEALED, .column = "NULL AS body" }
);
const struct field	 webhook_delivery_body_fields[] = FIELDS(
	RECORD,
	{ "body",               F_TEXT, MEMBER(webhook_delivery, body),            .flags = F_OUT | F_SEALED }
);
static const struct field	 leased_fields[] = FIELDS(
	{ "id",        F_TEXT, MEMBER(webhook_delivery, id) },
	{ "webhook",   F_TEXT, MEMBER(webhook_delivery, webhook) },
	{ "message",   F_TEXT, MEMBER(webhook_delivery, message) },
	{ "type",      F_TEXT, MEMBER(webhook_delivery, type) },
	{ "tries",     F_INT,  MEMBER(webhook_delivery, tries) },
	{ "body",      F_TEXT, MEMBER(webhook_delivery, body), .flags = F_SEALED },
	{ "lease_key", F_TEXT, MEMBER(webhook_delivery, key) }
);
static const struct field	 due_fields[] = FIELDS(
	{ "id",           F_TEXT, MEMBER(webhook_due, id) },
	{ "url",          F_TEXT, MEMBER(webhook_due, url), .flags = F_SEALED },
	{ "seed",         F_TEXT, MEMBER(webhook_due, seed) },
	{ "old_seed",     F_TEXT, MEMBER(webhook_due, old_seed) },
	{ "old_until_us", F_INT,  MEMBER(webhook_due, old_until_us) },
	{ "failing",      F_BOOL, MEMBER(webhook_due, failing) }
);

#define DELIVERY(where, fields)                                                          \
	"SELECT {*} FROM webhook_deliveries WHERE account = $1 AND webhook = $2 AND " where, \
	ROWS_OF(fields, struct webhook_delivery)
/* The next due time of webhook $1; $2 = 1: only of deliveries under way. */
#define NEXT_DUE                                                                         \
	"(SELECT min(d.due_us) FROM webhook_deliveries d WHERE d.webhook = $1"           \
	" AND d.status = 'pending' AND ($2 = 0 OR d.holder IS NOT NULL))"

#define OF_ACTIVE                                                                        \
	"EXISTS (SELECT 1 FROM accounts a WHERE a.id = webhooks.account AND a.status = 'active')"
#define FIRST_DUE(failing)                                                               \
	"(SELECT due_us FROM webhooks WHERE failing = " failing " AND due_us IS NOT NULL AND " \
	OF_ACTIVE " ORDER BY due_us LIMIT 1)"

enum {
	UP, DOWN, GET, AGAIN, AGAIN_DUE, WAITS, DUE, NEXT, LOCK, UNDER_WAY, LEASE, SET_DUE, SETTLE, TOLD,
	DISABLE, RECLAIM_DUE, RECLAIM, EXPIRE, PURGE, PENDING, FAILED, SQL_END
};

const struct sql	 webhook_delivery_sql[SQL_END + 1] = {
	[UP] = { "webhook_delivery.list_up",
	    DELIVERY("(created_us, id) > ($3, $4) ORDER BY created_us, id LIMIT $5",
		webhook_delivery_fields) },
	[DOWN] = { "webhook_delivery.list_down",
	    DELIVERY("(created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5",
		webhook_delivery_fields) },
	[GET] = { "webhook_delivery.get", DELIVERY("id = $3", webhook_delivery_body_fields) },
	[AGAIN] = { "webhook_delivery.again",
	    "UPDATE webhook_deliveries SET status = 'pending', tries = 0, due_us = $4,"
	    " holder = NULL, lease_key = NULL WHERE id = $3 AND account = $1 AND webhook = $2" },
	[AGAIN_DUE] = { "webhook_delivery.again_due",
	    "UPDATE webhooks SET due_us = $3 WHERE id = $2 AND account = $1 AND enabled = 1"
	    " AND pulled = 0" },
	[WAITS] = { "webhook_delivery.waits",
	    "SELECT 1 FROM webhook_deliveries WHERE webhook = $1 AND status = 'pending'"
	    " AND due_us <= $2 LIMIT 1" },
	[DUE] = { "webhook_delivery.due",
	    "SELECT {*} FROM webhooks WHERE failing = $1 AND due_us <= $2 AND " OF_ACTIVE
	    " ORDER BY due_us LIMIT $3", ROWS_OF(due_fields, struct webhook_due) },
	[NEXT] = { "webhook_delivery.next",
	    "SELECT min(first_us) FROM (SELECT " FIRST_DUE("0") " AS first_us UNION ALL SELECT "
	    FIRST_DUE("1") ") AS firsts" },
	/* A new delivery changes this row, too, so it is there before or comes after. */
	[LOCK] = { "webhook_delivery.lock", "SELECT 1 FROM webhooks WHERE id = $1",
	    "SELECT 1 FROM webhooks WHERE id = $1 FOR UPDATE" },
	[UNDER_WAY] = { "webhook_delivery.under_way",
	    "SELECT count(*) FROM webhook_deliveries WHERE webhook = $1 AND status = 'pending'"
	    " AND due_us > $2 AND holder IS NOT NULL" },
	[LEASE] = { "webhook_delivery.lease",
	    "UPDATE webhook_deliveries SET due_us = $3, holder = $4, lease_key = $5 WHERE id IN"
	    " (SELECT id FROM webhook_deliveries WHERE webhook = $1 AND status = 'pending'"
	    " AND due_us <= $2 ORDER BY due_us LIMIT $6) RETURNING {*}",
	    ROWS_OF(leased_fields, struct webhook_delivery) },
	[SET_DUE] = { "webhook_delivery.set_due",
	    "UPDATE webhooks SET due_us = " NEXT_DUE " WHERE id = $1 AND enabled = 1"
	    " AND pulled = 0" },
	[SETTLE] = { "webhook_delivery.settle",
	    "UPDATE webhook_deliveries SET status = $3, tries = tries + 1, due_us = $4,"
	    " holder = NULL, lease_key = NULL, response_status = $5, response_ms = $6, error = $7"
	    " WHERE id = $1 AND lease_key = $2" },
	[TOLD] = { "webhook_delivery.told",
	    "UPDATE webhooks SET last_type = $2, last_status = $3, last_us = $4,"
	    " version = version + 1,"
	    " failing = CASE WHEN $3 = 'delivered' AND $5 < " SLOW_MS " THEN 0 ELSE 1 END,"
	    " good_us = CASE WHEN $3 = 'delivered' THEN $4 ELSE good_us END,"
	    " failures = CASE WHEN $3 = 'delivered' THEN 0 WHEN $3 = 'failed' AND $6 = 0"
	    " THEN failures + 1 ELSE failures END WHERE id = $1" },
	[DISABLE] = { "webhook_delivery.disable",
	    "UPDATE webhooks SET enabled = 0, disabled_reason = $3, due_us = NULL,"
	    " updated_us = $2, version = version + 1 WHERE id = $1 AND enabled = 1"
	    " AND ($3 = 'gone' OR failures >= $4 AND good_us <= $5)" },
	[RECLAIM_DUE] = { "webhook_delivery.reclaim_due",
	    "UPDATE webhooks SET due_us = $2 WHERE enabled = 1 AND id IN"
	    " (SELECT webhook FROM webhook_deliveries WHERE holder = $1)" },
	[RECLAIM] = { "webhook_delivery.reclaim",
	    "UPDATE webhook_deliveries SET due_us = $2, holder = NULL, lease_key = NULL"
	    " WHERE holder = $1" },
	[EXPIRE] = { "webhook_delivery.expire",
	    "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries"
	    " WHERE created_us < $1 ORDER BY created_us LIMIT $2)" },
	[PURGE] = { "webhook_delivery.purge",
	    "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries"
	    " WHERE webhook = $1 LIMIT $2)" },
	[PENDING] = { "webhook_delivery.pending",
	    "SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'" },
	[FAILED] = { "webhook_delivery.failed",
	    "SELECT count(*) FROM webhook_deliveries WHERE status = 'failed'" },
};
/* clang-format on */

/* ---- for the owner ---- */

enum err
webhook_delivery_list(struct db *db, struct arena *mem, const char *account,
    const char *webhook, const struct list_cursor *from, struct list *to)
{
	return db_list(db, &webhook_delivery_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), TEXT(webhook), CURSOR(from)), mem, to);
}

enum err
webhook_delivery_get(struct db *db, struct arena *mem, const char *account,
    const char *webhook, const char *id, struct webhook_delivery *d)
{
	enum err e = db_one(db, &webhook_delivery_sql[GET],
	    ARGS(TEXT(account), TEXT(webhook), TEXT(id)), mem, d);

	d->account = account;
	d->webhook = webhook;
	return e;
}

enum err
webhook_delivery_again(struct db *db, struct webhook_delivery *d)
{
	enum err e;

	d->status = "pending";
	d->tries = 0;
	d->due_us = now_us();
	e = db_change(db, &webhook_delivery_sql[AGAIN],
	    ARGS(TEXT(d->account), TEXT(d->webhook), TEXT(d->id), INT(d->due_us)),
	    ERR_NOT_FOUND);
	if (e != OK)
		return e;
	return db_exec(db, &webhook_delivery_sql[AGAIN_DUE],
	    ARGS(TEXT(d->account), TEXT(d->webhook), INT(d->due_us)), NULL);
}

enum err
webhook_delivery_waits(struct db *db, const char *webhook)
{
	return db_there(
	    db, &webhook_delivery_sql[WAITS], ARGS(TEXT(webhook), INT(now_us())));
}

/* ---- for the worker ---- */

enum err
webhook_due_list(struct db *db, struct arena *mem, bool failing, int n, struct list *to)
{
	return db_list(db, &webhook_delivery_sql[DUE],
	    ARGS(INT(failing), INT(now_us()), INT(n)), mem, to);
}

enum err
webhook_due_next(struct db *db, int64_t *due_us)
{
	struct rows rs = db_query(db, &webhook_delivery_sql[NEXT], ARGS());

	*due_us = db_next(&rs) ? row_int(&rs, 0) : NULL_INT;
	return db_done(&rs);
}

/* Schedule the webhook's next delivery. full: all its slots are in use, so wait until a
   delivery under way ends. */
static enum err
set_due(struct db *db, const char *webhook, bool full)
{
	return db_exec(
	    db, &webhook_delivery_sql[SET_DUE], ARGS(TEXT(webhook), INT(full)), NULL);
}

enum err
webhook_delivery_lease(struct db *db, struct arena *mem, const char *webhook,
    const struct webhook_lease *l, struct list *to)
{
	int64_t now = now_us(), under_way, room;
	enum err e =
	    db_exec(db, &webhook_delivery_sql[LOCK], ARGS(TEXT(webhook)), NULL);

	assert(db_writing(db));
	*to = (struct list){ 0 };
	if (e == OK)
		e = db_number(db, &webhook_delivery_sql[UNDER_WAY],
		    ARGS(TEXT(webhook), INT(now)), &under_way);
	if (e != OK)
		return e;
	room = l->parallel - under_way;
	if (room > 0)
		e = db_list(db, &webhook_delivery_sql[LEASE],
		    ARGS(TEXT(webhook), INT(now), INT(now + l->s * S_US),
			TEXT(l->holder), TEXT(id_new(mem)),
			INT(room < l->n ? room : l->n)),
		    mem, to);
	return e != OK ? e : set_due(db, webhook, (int64_t)to->n >= room);
}

/* Disable the webhook if it is gone or fails for too long. */
static enum err
disable(struct db *db, const char *webhook, bool gone)
{
	int64_t now = now_us();

	return db_exec(db, &webhook_delivery_sql[DISABLE],
	    ARGS(TEXT(webhook), INT(now), TEXT(gone ? "gone" : "failing"),
		INT(FAILED_MOST), INT(now - FAILING_US)),
	    NULL);
}

enum err
webhook_delivery_settle(
    struct db *db, const struct webhook_delivery *d, const struct webhook_result *r)
{
	enum err e = db_change(db, &webhook_delivery_sql[SETTLE],
	    ARGS(TEXT(d->id), TEXT(d->key), TEXT(r->status), INT(r->due_us),
		INT(r->response_status), INT(r->response_ms), TEXT(r->error)),
	    ERR_STALE);

	if (e == OK)
		e = db_exec(db, &webhook_delivery_sql[TOLD],
		    ARGS(TEXT(d->webhook), TEXT(d->type), TEXT(r->status),
			INT(now_us()), INT(r->response_ms), INT(r->gone)),
		    NULL);
	if (e == OK && strcmp(r->status, "failed") == 0)
		e = disable(db, d->webhook, r->gone);
	return e != OK ? e : set_due(db, d->webhook, false);
}

enum err
webhook_delivery_reclaim(struct db *db, const char *holder, int64_t *n)
{
	int64_t now = now_us();
	enum err e = db_exec(
	    db, &webhook_delivery_sql[RECLAIM_DUE], ARGS(TEXT(holder), INT(now)), NULL);

	return e != OK ? e
		       : db_exec(db, &webhook_delivery_sql[RECLAIM],
			     ARGS(TEXT(holder), INT(now)), n);
}

/* ---- for metrics and the janitor ---- */

enum err
webhook_delivery_expire(struct db *db, int64_t before_us, int most, int64_t *n)
{
	return db_exec(
	    db, &webhook_delivery_sql[EXPIRE], ARGS(INT(before_us), INT(most)), n);
}

enum err
webhook_delivery_purge(struct db *db, const char *webhook, int n, bool *left)
{
	int64_t gone;
	enum err e = db_exec(
	    db, &webhook_delivery_sql[PURGE], ARGS(TEXT(webhook), INT(n)), &gone);

	*left = e == OK && gone == n;
	return e;
}

enum err
webhook_delivery_counts(struct db *db, int64_t *pending, int64_t *failed)
{
	enum err e = db_number(db, &webhook_delivery_sql[PENDING], ARGS(), pending);

	return e != OK ? e
		       : db_number(db, &webhook_delivery_sql[FAILED], ARGS(), failed);
}
