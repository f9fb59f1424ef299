/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Webhooks, and the messages for them. */
#include "store/webhooks.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/json_writer.h"
#include "store/webhook_deliveries.h"

/* most pending deliveries of a webhook; further messages fail at once */
#define PENDING_MOST 10000
#define TOO_MANY "Too many deliveries to this webhook are pending."

/* A webhook that receives a message. */
struct taker {
	const char *id;
	int64_t pending; /* pending deliveries */
};

const char *const webhook_events[] = { "voice.ready", "voice.failed", "glossary.ready",
	"glossary.failed", "event.created", "event.updated", "event.deleted",
	"event.live", "event.finished", "channel.ready", "channel.failed",
	"channel.live", "channel.stopped", "channel.deleted",
	"listener_request.created", "listener_request.decided", "transcript.ready",
	"balance.low", "balance.empty", "webhook.test", "*", NULL };

/* clang-format off */
#define URL         { "url",         F_TEXT, MEMBER(webhook, url),         1, 2083, F_IO | F_REQUIRED | F_KEPT | F_SEALED }
#define DESCRIPTION { "description", F_TEXT, MEMBER(webhook, description), 0, 200,  F_IO | F_NULLABLE | F_KEPT }
#define ENABLED     { "is_enabled",  F_BOOL, MEMBER(webhook, enabled), .flags = F_IO | F_TRUE | F_KEPT, .column = "enabled" }
#define PULLED      { "is_pulled",   F_BOOL, MEMBER(webhook, pulled), .flags = F_IO | F_ADD, .column = "pulled" }
#define RECORD                                                                           \
	{ "webhook_id",      F_TEXT, MEMBER(webhook, id),              .flags = F_OUT | F_ADD, .column = "id" }, \
	URL, DESCRIPTION,                                                                \
	{ "events",          F_JSON, MEMBER(webhook, events),          .flags = F_OUT | F_KEPT }, \
	ENABLED, PULLED,                                                                 \
	{ "disabled_reason", F_TEXT, MEMBER(webhook, disabled_reason), .flags = F_OUT | F_NULLABLE | F_KEPT }, \
	{ "failures",        F_INT,  MEMBER(webhook, failures),        .flags = F_OUT | F_KEPT }, \
	{ "last_delivery",   F_JSON, MEMBER(webhook, last_delivery),   .flags = F_OUT | F_NULLABLE, .column = NO_COLUMN }, \
	{ "utc_created_at",  F_TIME, MEMBER(webhook, created_us),      .flags = F_OUT | F_ADD, .column = "created_us" }, \
	{ "utc_updated_at",  F_TIME, MEMBER(webhook, updated_us),      .flags = F_OUT | F_KEPT, .column = "updated_us" }

const struct field	 webhook_fields[] = FIELDS(
	RECORD,
	{ "account",         F_TEXT, MEMBER(webhook, account),         .flags = F_ADD },
	{ "seed",            F_TEXT, MEMBER(webhook, seed),            .flags = F_KEPT },
	{ "old_seed",        F_TEXT, MEMBER(webhook, old_seed),        .flags = F_PUT },
	{ "old_until_us",    F_INT,  MEMBER(webhook, old_until_us),    .flags = F_PUT },
	{ "good_us",         F_INT,  MEMBER(webhook, good_us),         .flags = F_KEPT },
	{ "last_type",       F_TEXT, MEMBER(webhook, last_type),       .flags = 0 },
	{ "last_status",     F_TEXT, MEMBER(webhook, last_status),     .flags = 0 },
	{ "last_us",         F_INT,  MEMBER(webhook, last_us),         .flags = 0 },
	{ "version",         F_INT,  MEMBER(webhook, version),         .flags = 0 }
);
const struct field	 webhook_secret_fields[] = FIELDS(
	RECORD,
	{ "secret",          F_TEXT, MEMBER(webhook, secret),          .flags = F_OUT }
);
static const struct field	 event_type[] = FIELDS({ "", F_ENUM, .flags = F_IN, .names = webhook_events });
#define INPUT                                                                            \
	URL, DESCRIPTION,                                                                \
	{ "events", F_LIST, MEMBER(webhook_in, events), 1, 20, F_IN | F_REQUIRED, .of = event_type, \
	            .size = sizeof(const char *) },                                      \
	ENABLED
const struct field	 webhook_new_fields[] = FIELDS(INPUT, PULLED);
const struct field	 webhook_in_fields[] = FIELDS(INPUT);
static const struct field	 last_fields[] = FIELDS(
	{ "event_type", F_TEXT, MEMBER(webhook, last_type),   .flags = F_OUT },
	{ "status",     F_TEXT, MEMBER(webhook, last_status), .flags = F_OUT },
	{ "utc_at",     F_TIME, MEMBER(webhook, last_us),     .flags = F_OUT }
);
static const struct field	 taker_fields[] = FIELDS(
	{ "id",      F_TEXT, MEMBER(taker, id) },
	{ "pending", F_INT,  MEMBER(taker, pending), .column = "(SELECT count(*) FROM webhook_deliveries d"
	             " WHERE d.webhook = w.id AND d.status = 'pending') AS pending" }
);

#define WEBHOOK(where) "SELECT {*} FROM webhooks WHERE " where, ROWS_OF(webhook_fields, struct webhook)
#define TAKES                                                                            \
	" FROM webhooks w WHERE w.account = $1 AND w.enabled = 1 AND (w.events = '[\"*\"]'" \
	" OR w.events LIKE '%\"' || $2 || '\"%')"

enum {
	ADD, COUNT, GET, UP, DOWN, PUT, DROP, WANTED, TAKERS, PENDING, DELIVER, WAKE, SQL_END
};

const struct sql	 webhook_sql[SQL_END + 1] = {
	[ADD] = { "webhook.add",
	    "INSERT INTO webhooks ({names}, failing) VALUES ({values}, 0)", .from = webhook_fields },
	[COUNT] = { "webhook.count", "SELECT count(*) FROM webhooks WHERE account = $1" },
	[GET] = { "webhook.get", WEBHOOK("id = $2 AND account = $1") },
	[UP] = { "webhook.list_up",
	    WEBHOOK("account = $1 AND (created_us, id) > ($2, $3)"
		" ORDER BY created_us, id LIMIT $4") },
	[DOWN] = { "webhook.list_down",
	    WEBHOOK("account = $1 AND (created_us, id) < ($2, $3)"
		" ORDER BY created_us DESC, id DESC LIMIT $4") },
	[PUT] = { "webhook.put",
	    "UPDATE webhooks SET {changes}, version = version + 1, failing = CASE WHEN $2 = 1"
	    " THEN 0 ELSE failing END, due_us = CASE WHEN $3 = 1 THEN (SELECT min(d.due_us)"
	    " FROM webhook_deliveries d WHERE d.webhook = :id AND d.status = 'pending') END"
	    " WHERE id = :id AND account = :account AND version = $1", .from = webhook_fields },
	[DROP] = { "webhook.drop", "DELETE FROM webhooks WHERE id = $2 AND account = $1" },
	[WANTED] = { "webhook.wanted", "SELECT 1" TAKES " LIMIT 1" },
	[TAKERS] = { "webhook.takers", "SELECT {*}" TAKES, ROWS_OF(taker_fields, struct taker) },
	[PENDING] = { "webhook.pending",
	    "SELECT count(*) FROM webhook_deliveries WHERE webhook = $1 AND status = 'pending'" },
	[DELIVER] = { "webhook.deliver",
	    "INSERT INTO webhook_deliveries ({names}, account, webhook) VALUES ({values}, $1, $2)",
	    .from = webhook_delivery_fields },
	[WAKE] = { "webhook.wake",
	    "UPDATE webhooks SET due_us = $3 WHERE id = $2 AND account = $1 AND enabled = 1"
	    " AND pulled = 0 AND (due_us IS NULL OR due_us > $3)" },
};
/* clang-format on */

void
webhook_fill_view(struct arena *mem, struct webhook *w)
{
	struct buf b = { .mem = mem };

	w->last_delivery = NULL;
	if (w->last_type == NULL)
		return;
	field_write(&(struct json_writer){ .out = &b }, NULL, last_fields, w);
	w->last_delivery = buf_text(&b);
}

enum err
webhook_add(struct db *db, const struct webhook *w)
{
	return db_save(db, &webhook_sql[ADD], w, ARGS(), ERR_CONFLICT);
}

enum err
webhook_count(struct db *db, const char *account, int64_t *n)
{
	return db_number(db, &webhook_sql[COUNT], ARGS(TEXT(account)), n);
}

enum err
webhook_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct webhook *w)
{
	return db_one(db, &webhook_sql[GET], ARGS(TEXT(account), TEXT(id)), mem, w);
}

enum err
webhook_list(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	return db_list(db, &webhook_sql[from->ascending ? UP : DOWN],
	    ARGS(TEXT(account), CURSOR(from)), mem, to);
}

enum err
webhook_put(struct db *db, struct webhook *w)
{
	int64_t before = w->version;

	w->version = db_next_version(before);
	w->updated_us = now_us();
	return db_save(db, &webhook_sql[PUT], w,
	    ARGS(INT(before), INT(w->failures == 0), INT(w->enabled && !w->pulled)),
	    ERR_STALE);
}

enum err
webhook_drop(struct db *db, const struct webhook *w)
{
	return db_change(
	    db, &webhook_sql[DROP], ARGS(TEXT(w->account), TEXT(w->id)), ERR_NOT_FOUND);
}

/* ---- messages ---- */

static const char *
body_of(struct arena *mem, const char *type, int64_t at_us, const char *json)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	char at[TIME_TEXT];

	jw_open(&j, NULL);
	jw_text(&j, "type", type);
	jw_text(&j, "timestamp", time_text(at_us, at));
	jw_raw(&j, "data", json);
	jw_close(&j);
	return buf_text(&b);
}

static bool
is_type(const char *type)
{
	int i = 0;

	while (webhook_events[i][0] != '*' && strcmp(webhook_events[i], type) != 0)
		i++;
	return webhook_events[i][0] != '*';
}

static struct webhook_delivery
new_message(struct arena *mem, const char *type, const char *json)
{
	int64_t now = now_us();

	assert(is_type(type));
	return (struct webhook_delivery){ .message = id_new(mem),
		.type = type,
		.response_status = NULL_INT,
		.response_ms = NULL_INT,
		.created_us = now,
		.body = body_of(mem, type, now, json) };
}

/* Store a delivery of the message to a webhook. */
static enum err
deliver(struct db *db, struct arena *mem, const char *account, const struct taker *to,
    struct webhook_delivery *d)
{
	bool takes = to->pending < PENDING_MOST;
	enum err e;

	d->id = id_new(mem);
	d->status = takes ? "pending" : "failed";
	d->due_us = takes ? d->created_us : NULL_INT;
	d->error = takes ? NULL : TOO_MANY;
	e = db_save(db, &webhook_sql[DELIVER], d, ARGS(TEXT(account), TEXT(to->id)),
	    ERR_CONFLICT);
	if (e != OK || !takes)
		return e;
	return db_exec(db, &webhook_sql[WAKE],
	    ARGS(TEXT(account), TEXT(to->id), INT(d->due_us)), NULL);
}

enum err
webhook_wanted(struct db *db, const char *account, const char *type)
{
	return db_there(db, &webhook_sql[WANTED], ARGS(TEXT(account), TEXT(type)));
}

enum err
webhook_emit(struct db *db, struct arena *mem, const char *account, const char *type,
    const char *json)
{
	struct webhook_delivery d;
	struct list takers;
	enum err e = db_list(
	    db, &webhook_sql[TAKERS], ARGS(TEXT(account), TEXT(type)), mem, &takers);

	if (e != OK || takers.n == 0)
		return e;
	d = new_message(mem, type, json);
	for (size_t i = 0; e == OK && i < takers.n; i++)
		e = deliver(
		    db, mem, account, (const struct taker *)takers.items + i, &d);
	return e;
}

enum err
webhook_emit_to(struct db *db, struct arena *mem, const struct webhook *w,
    const char *type, const char *json, const char **delivery)
{
	struct webhook_delivery d = new_message(mem, type, json);
	struct taker to = { .id = w->id };
	enum err e =
	    db_number(db, &webhook_sql[PENDING], ARGS(TEXT(w->id)), &to.pending);

	if (e == OK)
		e = deliver(db, mem, w->account, &to, &d);
	*delivery = d.id;
	return e;
}
