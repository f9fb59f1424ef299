/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger: credits granted and used.  Entries never change.  The same transaction
 * updates the balance, so it is always the sum of the entries.
 */
#include "store/ledger.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "store/stats.h"

#define HOUR_US (3600 * S_US)

/* clang-format off */
static const struct field	 entry_columns[] = FIELDS(
	{ "id",           F_TEXT, MEMBER(ledger_entry, id) },
	{ "created_us",   F_TIME, MEMBER(ledger_entry, created_us) },
	{ "kind",         F_TEXT, MEMBER(ledger_entry, kind) },
	{ "amount_micro", F_INT,  MEMBER(ledger_entry, micro) },
	{ "reference",    F_TEXT, MEMBER(ledger_entry, reference) },
	{ "event",        F_TEXT, MEMBER(ledger_entry, event) }
);
static const struct field	 entry_fields[] = FIELDS(
	{ "created_at", F_TIME, MEMBER(ledger_entry, created_us), .flags = F_OUT },
	{ "kind",       F_TEXT, MEMBER(ledger_entry, kind),       .flags = F_OUT },
	{ "credits",    F_JSON, MEMBER(ledger_entry, credits),    .flags = F_OUT },
	{ "reference",  F_TEXT, MEMBER(ledger_entry, reference),  .flags = F_OUT },
	{ "event_id",   F_TEXT, MEMBER(ledger_entry, event),      .flags = F_OUT | F_OPT }
);
const struct field	 ledger_sums_fields[] = FIELDS(
	{ "user_id",        F_TEXT, MEMBER(ledger_sums, account),    .flags = F_OUT },
	{ "credits",        F_JSON, MEMBER(ledger_sums, credits),    .flags = F_OUT },
	{ "sum_of_entries", F_JSON, MEMBER(ledger_sums, of_entries), .flags = F_OUT },
	{ "entries",        F_INT,  MEMBER(ledger_sums, entries),    .flags = F_OUT },
	{ "agree",          F_BOOL, MEMBER(ledger_sums, agree),      .flags = F_OUT },
	{ "newest",         F_LIST, MEMBER(ledger_sums, newest),     .flags = F_OUT | F_OPT,
	                    .of = entry_fields, .size = sizeof(struct ledger_entry) }
);

static const struct field	 usage_columns[] = FIELDS(
	{ "day_us",     F_INT,  MEMBER(usage_sum, day_us) },
	{ "key",        F_TEXT, MEMBER(usage_sum, text) },
	{ "seconds",    F_INT,  MEMBER(usage_sum, seconds) },
	{ "characters", F_INT,  MEMBER(usage_sum, characters) },
	{ "used_micro", F_INT,  MEMBER(usage_sum, micro) }
);
const char *const	 usage_groups[] = { "day", "kind", "event", "channel", NULL };
const char *const	 usage_kinds[] = { "s2s", "stt", "broadcast", "tts", NULL };
const struct field	 usage_sum_fields[] = FIELDS(
	{ "group",      F_ENUM, MEMBER(usage_sum, group),      .flags = F_OUT, .names = usage_groups, .help = "The property that groups the sums." },
	{ "key",        F_TEXT, MEMBER(usage_sum, key),        .flags = F_OUT, .help = "The date (UTC), the kind, or the id; null: usage without an event or channel." },
	{ "seconds",    F_INT,  MEMBER(usage_sum, seconds),    .flags = F_OUT, .help = "Seconds begun, for all kinds but tts." },
	{ "characters", F_INT,  MEMBER(usage_sum, characters), .flags = F_OUT, .help = "Code points spoken, for kind tts." },
	{ "credits",    F_REAL, MEMBER(usage_sum, credits),    .flags = F_OUT, .help = "The cost." }
);

#define DAY "(hour_us - hour_us % 86400000000)"
#define USAGE(by, day, text, than, way)                                                \
	"SELECT " day " AS day_us, " text " AS key, CAST(sum(seconds) AS INTEGER) AS seconds," \
	" CAST(sum(characters) AS INTEGER) AS characters, CAST(sum(used_micro) AS INTEGER) AS used_micro" \
	" FROM usage_hours WHERE account = $1 AND hour_us >= $2 AND hour_us < $3"      \
	" AND (CAST($7 AS TEXT) IS NULL OR kind = $7)"                                 \
	" AND (" day ", " text ") " than " ($4, $5) GROUP BY " by " ORDER BY " by " " way " LIMIT $6", \
	    ROWS_OF(usage_columns, struct usage_sum)
#define BOTH_WAYS(name, by, day, text)                                                 \
	{ "usage.by_" name "_up", USAGE(by, day, text, ">", "ASC") },                  \
	    { "usage.by_" name "_down", USAGE(by, day, text, "<", "DESC") }
#define BY_TEXT(name) BOTH_WAYS(name, name, "CAST(0 AS INTEGER)", name)

/* USAGE_BY: two statements for each of usage_groups, the ascending one first. */
enum { ADD, MOVE, BALANCE, LIST, AFTER, CHECK, SUM, USAGE_BY, SQL_END = USAGE_BY + 8 };

const struct sql	 ledger_sql[SQL_END + 1] = {
	/* Inserts no row for an invalid entry, so the transaction stays usable. */
	[ADD] = { "ledger.add",
	    "INSERT INTO ledger (id, account, kind, amount_micro, reference, event, created_us)"
	    " SELECT $1, id, $3, $4, $5, $6, $7 FROM accounts WHERE id = $2"
	    " AND abs(balance_micro + $4) <= $8"
	    " AND NOT EXISTS (SELECT 1 FROM ledger WHERE reference = $5)" },
	[MOVE] = { "ledger.move",
	    "UPDATE accounts SET balance_micro = balance_micro + $2 WHERE id = $1" },
	[BALANCE] = { "ledger.balance", "SELECT balance_micro FROM accounts WHERE id = $1" },
	[LIST] = { "ledger.list",
	    "SELECT {*} FROM ledger WHERE account = $1 ORDER BY created_us DESC LIMIT $2",
	    ROWS_OF(entry_columns, struct ledger_entry) },
	[AFTER] = { "ledger.after",
	    "SELECT {*} FROM ledger WHERE account = $1 AND (created_us, id) > ($2, $3)"
	    " ORDER BY created_us, id LIMIT $4", ROWS_OF(entry_columns, struct ledger_entry) },
	/* One statement, so that nothing can be booked between the two reads. */
	[CHECK] = { "ledger.check",
	    "SELECT balance_micro, (SELECT CAST(coalesce(sum(amount_micro), 0) AS INTEGER)"
	    " FROM ledger WHERE account = $1), (SELECT count(*) FROM ledger WHERE account = $1)"
	    " FROM accounts WHERE id = $1" },
	[SUM] = { "usage.add",
	    "INSERT INTO usage_hours (account, hour_us, kind, event, channel, seconds, characters, used_micro)"
	    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
	    " ON CONFLICT (account, hour_us, kind, event, channel) DO UPDATE SET"
	    " seconds = usage_hours.seconds + excluded.seconds,"
	    " characters = usage_hours.characters + excluded.characters,"
	    " used_micro = usage_hours.used_micro + excluded.used_micro" },
	[USAGE_BY] = BOTH_WAYS("day", DAY, DAY, "CAST('' AS TEXT)"),
	BY_TEXT("kind"), BY_TEXT("event"), BY_TEXT("channel"),
};
/* clang-format on */

/* ---- booking ---- */

/* Returns why no entry was added. */
static enum err
reason(struct db *db, const char *account, int64_t amount_micro)
{
	struct rows rs = db_query(db, &ledger_sql[BALANCE], ARGS(TEXT(account)));
	int64_t then = db_next(&rs) ? row_int(&rs, 0) + amount_micro : 0;
	enum err e = db_done_one(&rs);

	if (e != OK)
		return e;
	return then < -LEDGER_BALANCE_MOST || then > LEDGER_BALANCE_MOST ? ERR_REFUSED
									 : ERR_CONFLICT;
}

/* amount: the signed change of the balance. */
static enum err
book(struct db *db, struct arena *mem, const char *kind, int64_t amount,
    const struct usage *u)
{
	int64_t added;
	enum err e;

	assert(db_writing(db));
	if (amount < -LEDGER_ENTRY_MOST || amount > LEDGER_ENTRY_MOST)
		return ERR_REFUSED;
	e = db_exec(db, &ledger_sql[ADD],
	    ARGS(TEXT(id_new(mem)), TEXT(u->account), TEXT(kind), INT(amount),
		TEXT(u->reference), TEXT(u->event), INT(now_us()),
		INT(LEDGER_BALANCE_MOST)),
	    &added);
	if (e != OK)
		return e;
	if (added == 0)
		return reason(db, u->account, amount);
	return db_change(
	    db, &ledger_sql[MOVE], ARGS(TEXT(u->account), INT(amount)), ERR_NOT_FOUND);
}

enum err
ledger_add(struct db *db, struct arena *mem, const char *account, const char *kind,
    int64_t amount_micro, const char *reference)
{
	return book(db, mem, kind, amount_micro,
	    &(struct usage){ .account = account, .reference = reference });
}

static const char *
or_none(const char *s)
{
	return s != NULL ? s : "";
}

static enum err
add_to_hour(struct db *db, const struct usage *u)
{
	int64_t now = now_us();

	return db_exec(db, &ledger_sql[SUM],
	    ARGS(TEXT(u->account), INT(now - now % HOUR_US),
		TEXT(u->kind != NULL ? u->kind : "other"), TEXT(or_none(u->event)),
		TEXT(or_none(u->channel)), INT(u->seconds), INT(u->characters),
		INT(u->micro)),
	    NULL);
}

enum err
ledger_use(struct db *db, struct arena *mem, const struct usage *u)
{
	enum err e;

	assert(u->micro >= 0 && u->streamed_us >= 0);
	if ((e = book(db, mem, "usage", -u->micro, u)) == OK)
		e = add_to_hour(db, u);
	if (e != OK || u->event == NULL)
		return e;
	return stats_used(db, u->account, u->event,
	    &(struct stats_use){ u->micro, u->streamed_us, u->active_us });
}

/* ---- reading ---- */

enum err
ledger_balance(struct db *db, const char *account, int64_t *micro)
{
	return db_number(db, &ledger_sql[BALANCE], ARGS(TEXT(account)), micro);
}

static enum err
list_entries(struct db *db, const struct sql *which, const struct val *args, size_t n,
    struct arena *mem, struct list *to)
{
	enum err e = db_list(db, which, args, n, mem, to);
	struct ledger_entry *all = to->items;

	for (size_t i = 0; e == OK && i < to->n; i++)
		all[i].credits = credits_text(mem, all[i].micro);
	return e;
}

enum err
ledger_list(
    struct db *db, struct arena *mem, const char *account, int64_t n, struct list *to)
{
	return list_entries(
	    db, &ledger_sql[LIST], ARGS(TEXT(account), INT(n)), mem, to);
}

enum err
ledger_after(struct db *db, struct arena *mem, const char *account,
    const struct ledger_entry *after, int n, struct list *to)
{
	return list_entries(db, &ledger_sql[AFTER],
	    ARGS(TEXT(account), INT(after->created_us), TEXT(after->id), INT(n)), mem,
	    to);
}

static void
complete_usage(struct arena *mem, const char *group, struct usage_sum *to)
{
	char time[TIME_TEXT];

	to->group = group;
	to->credits = (double)credits_round(to->micro, 100) / 1e4;
	if (strcmp(group, "day") == 0)
		to->key = arena_dup(mem, time_text(to->day_us, time), 10);
	else
		to->key = to->text[0] != '\0' ? to->text : NULL;
}

enum err
ledger_usage(struct db *db, struct arena *mem, const struct usage_range *of,
    const struct list_cursor *at, struct list *to)
{
	int i = 0;
	enum err e;

	while (strcmp(usage_groups[i], of->group) != 0)
		i++;
	e = db_list(db, &ledger_sql[USAGE_BY + 2 * i + (at->ascending ? 0 : 1)],
	    ARGS(TEXT(of->account), INT(of->from_us - of->from_us % HOUR_US),
		INT(of->to_us), CURSOR(at), TEXT(of->kind)),
	    mem, to);
	for (size_t k = 0; k < to->n; k++)
		complete_usage(mem, of->group, (struct usage_sum *)to->items + k);
	return e;
}

enum err
ledger_check(
    struct db *db, struct arena *mem, const char *account, struct ledger_sums *to)
{
	struct rows rs = db_query(db, &ledger_sql[CHECK], ARGS(TEXT(account)));

	*to = (struct ledger_sums){ .account = account };
	if (db_next(&rs)) {
		to->credits = credits_text(mem, row_int(&rs, 0));
		to->of_entries = credits_text(mem, row_int(&rs, 1));
		to->entries = row_int(&rs, 2);
		to->agree = row_int(&rs, 0) == row_int(&rs, 1);
	}
	return db_done_one(&rs);
}
