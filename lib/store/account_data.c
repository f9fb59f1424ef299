/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All data of an account, table by table, for its deletion and its export. */
#include "store/account_data.h"

#include "base/clock.h"

/* clang-format off */
const struct account_table	 account_tables[] = {
	{ "accounts",           ACCOUNT_ROWS,   "account.json" }, /* deleted last */
	{ "answers",            ACCOUNT_ROWS,   NULL, "a cache" },
	/* events: see the job event.purge */
	{ "askers",             ACCOUNT_BEHIND, NULL, "ids of others' browsers; their number is in requests.json" },
	{ "audit",              ACCOUNT_ROWS,   "audit.json" },
	{ "blobs",              ACCOUNT_DROPS,  "files.json" },
	{ "bundles",            ACCOUNT_BEHIND, NULL, "a cache" },
	/* deleted with their channels */
	{ "channel_outputs",    ACCOUNT_BEHIND, "channels.json" },
	{ "channels",           ACCOUNT_DROPS,  "channels.json" },
	{ "chores",             ACCOUNT_NONE,   NULL, "of no account" },
	{ "credentials",        ACCOUNT_ROWS,   "keys.json" },
	{ "event_stats",        ACCOUNT_BEHIND, "events/*/stats.json" },
	{ "event_terms",        ACCOUNT_BEHIND, NULL, "an index of events" },
	{ "event_texts",        ACCOUNT_BEHIND, NULL, "an index of events" },
	{ "events",             ACCOUNT_DROPS,  "events.json" },
	{ "favorites",          ACCOUNT_ROWS,   "voices_favorite.json" },
	{ "fingerprints",       ACCOUNT_NONE,   NULL, "of no account" },
	{ "glossaries",         ACCOUNT_ROWS,   "glossaries.json" },
	{ "glossary_terms",     ACCOUNT_BEHIND, "glossaries/*/terms.csv" },
	{ "heard",              ACCOUNT_BEHIND, "events/*/languages.csv" },
	{ "held_lines",         ACCOUNT_BEHIND, NULL, "of this moment" }, /* deleted with their channels */
	{ "jobs",               ACCOUNT_DROPS,  NULL, "work under way" },
	{ "join_codes",         ACCOUNT_NONE,   NULL, "in events.json" },
	/* events: see the job event.purge */
	{ "joins",              ACCOUNT_BEHIND, NULL, "ids of others' browsers; their number is in languages.csv" },
	{ "ledger",             ACCOUNT_ROWS,   "ledger.csv" },
	{ "listening",          ACCOUNT_BEHIND, NULL, "of this moment" }, /* gateways count again */
	{ "listening_minutes",  ACCOUNT_BEHIND, "events/*/series.json" }, /* events: the janitor's expiry */
	{ "members",            ACCOUNT_ROWS,   "members.json" },
	{ "nodes",              ACCOUNT_NONE,   NULL, "of no account" },
	{ "passkeys",           ACCOUNT_ROWS,   NULL, "public keys of devices, of no use elsewhere" },
	{ "recordings",         ACCOUNT_ROWS,   "channels/*/recordings.json" },
	{ "requests",           ACCOUNT_BEHIND, "events/*/requests.json" },
	{ "schema_versions",    ACCOUNT_NONE,   NULL, "of no account" },
	{ "served_languages",   ACCOUNT_NONE,   NULL, "of no account" },
	{ "sessions",           ACCOUNT_ROWS,   "sessions.json" },
	{ "stages",             ACCOUNT_BEHIND, "events.json" },
	/* channels: removed by the janitor's sweep */
	{ "transcript_lines",   ACCOUNT_BEHIND, "events/*/transcript.csv" },
	{ "tts_samples",        ACCOUNT_BEHIND, "tts_samples.json" },
	{ "usage_hours",        ACCOUNT_ROWS,   "usage_by_day.json" },
	{ "voices",             ACCOUNT_DROPS,  "voices.json" },
	/* webhooks: see the job webhook.purge */
	{ "webhook_deliveries", ACCOUNT_BEHIND, "webhooks/*/deliveries.json" },
	{ "webhooks",           ACCOUNT_DROPS,  "webhooks.json" },
	{ "workers",            ACCOUNT_NONE,   NULL, "of no account" },
	{ NULL },
};

static const struct field	 found_fields[] = FIELDS(
	{ "id",          F_TEXT, MEMBER(account_thing, id) },
	{ "deleting_us", F_INT,  MEMBER(account_thing, since_us) }
);
static const struct field	 id_fields[] = FIELDS(
	{ "id", F_TEXT, MEMBER(account_thing, id) }
);

#define REMOVE(table, key)                                                             \
	{ "account_data." table, "DELETE FROM " table " WHERE " key " IN (SELECT "     \
	    key " FROM " table " WHERE account = $1 LIMIT $2)" }
#define REMOVE_BY(table, keys)                                                         \
	{ "account_data." table, "DELETE FROM " table " WHERE (" keys ") IN (SELECT "  \
	    keys " FROM " table " WHERE account = $1 LIMIT $2)" }
#define LEFT(table) "EXISTS (SELECT 1 FROM " table " WHERE account = $1)"

enum { BEGIN, NEXT, ROWS_FIRST, ROWS_LAST = ROWS_FIRST + 10, FILES, DEAD_JOBS, JOBS,
	EVENTS, WEBHOOKS, DROP_WEBHOOK, LEFT_OVER, END, SQL_END };

const struct sql	 account_data_sql[SQL_END + 1] = {
	[BEGIN] = { "account_data.begin",
	    "UPDATE accounts SET status = 'deleting', deleting_us = $2 WHERE id = $1"
	    " AND status <> 'deleting'" },
	[NEXT] = { "account_data.next",
	    "SELECT {*} FROM accounts WHERE deleting_us <= $1 AND id > $2 ORDER BY id LIMIT 1",
	    ROWS_OF(found_fields, struct account_thing) },
	[ROWS_FIRST] = REMOVE("credentials", "id"),
	REMOVE_BY("answers", "account, owner, route, key"),
	REMOVE_BY("audit", "account, at_us, id"),
	REMOVE_BY("favorites", "account, voice"),
	REMOVE("glossaries", "id"),
	REMOVE("members", "id"),
	REMOVE("passkeys", "id"),
	REMOVE("recordings", "id"),
	REMOVE("sessions", "id"),
	REMOVE_BY("usage_hours", "account, hour_us, kind, event, channel"),
	[ROWS_LAST] = REMOVE("ledger", "id"),
	[FILES] = { "account_data.files",
	    "UPDATE blobs SET state = 'gone' WHERE id IN (SELECT id FROM blobs WHERE account = $1"
	    " AND state <> 'gone' LIMIT $2)" },
	[DEAD_JOBS] = { "account_data.dead_jobs",
	    "DELETE FROM jobs WHERE account = $1 AND state = 'dead'" },
	[JOBS] = { "account_data.jobs", "DELETE FROM jobs WHERE account = $1" },
	[EVENTS] = { "account_data.events", "SELECT {*} FROM events WHERE account = $1 LIMIT $2",
	    ROWS_OF(id_fields, struct account_thing) },
	[WEBHOOKS] = { "account_data.webhooks",
	    "SELECT {*} FROM webhooks WHERE account = $1 LIMIT $2", ROWS_OF(id_fields, struct account_thing) },
	[DROP_WEBHOOK] = { "account_data.drop_webhook", "DELETE FROM webhooks WHERE id = $1" },
	[LEFT_OVER] = { "account_data.left",
	    "SELECT 1 WHERE " LEFT("blobs") " OR " LEFT("channels") " OR " LEFT("events")
	    " OR " LEFT("voices") " OR " LEFT("webhooks") " OR " LEFT("jobs")
	    " OR " LEFT("webhook_deliveries") " OR " LEFT("transcript_lines") " OR " LEFT("tts_samples") },
	[END] = { "account_data.end", "DELETE FROM accounts WHERE id = $1 AND status = 'deleting'" },
};
/* clang-format on */

enum err
account_data_begin(struct db *db, const char *account)
{
	return db_change(db, &account_data_sql[BEGIN],
	    ARGS(TEXT(account), INT(now_us())), ERR_NOT_FOUND);
}

enum err
account_data_next(struct db *db, struct arena *mem, int64_t before_us,
    const char *after, struct account_thing *to)
{
	return db_one(
	    db, &account_data_sql[NEXT], ARGS(INT(before_us), TEXT(after)), mem, to);
}

enum err
account_data_remove(struct db *db, const char *account, int n, int64_t *removed)
{
	enum err e = OK;
	int64_t some;

	*removed = 0;
	for (int i = ROWS_FIRST; e == OK && i <= ROWS_LAST; i++) {
		e = db_exec(
		    db, &account_data_sql[i], ARGS(TEXT(account), INT(n)), &some);
		*removed += e == OK ? some : 0;
	}
	return e;
}

enum err
account_data_files(struct db *db, const char *account, int n)
{
	return db_exec(db, &account_data_sql[FILES], ARGS(TEXT(account), INT(n)), NULL);
}

enum err
account_data_jobs(struct db *db, const char *account, bool all)
{
	return db_exec(
	    db, &account_data_sql[all ? JOBS : DEAD_JOBS], ARGS(TEXT(account)), NULL);
}

enum err
account_data_events(
    struct db *db, struct arena *mem, const char *account, int n, struct list *to)
{
	return db_list(
	    db, &account_data_sql[EVENTS], ARGS(TEXT(account), INT(n)), mem, to);
}

enum err
account_data_webhooks(
    struct db *db, struct arena *mem, const char *account, int n, struct list *to)
{
	return db_list(
	    db, &account_data_sql[WEBHOOKS], ARGS(TEXT(account), INT(n)), mem, to);
}

enum err
account_data_drop_webhook(struct db *db, const char *id)
{
	return db_exec(db, &account_data_sql[DROP_WEBHOOK], ARGS(TEXT(id)), NULL);
}

enum err
account_data_left(struct db *db, const char *account)
{
	return db_there(db, &account_data_sql[LEFT_OVER], ARGS(TEXT(account)));
}

enum err
account_data_end(struct db *db, const char *account)
{
	return db_exec(db, &account_data_sql[END], ARGS(TEXT(account)), NULL);
}
