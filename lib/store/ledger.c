/*
 * The ledger: what was granted and used, never changed.  The balance beside it
 * is moved by the same transaction, so it is always the entries' sum.
 */
#include "store/ledger.h"

#include <assert.h>

#include "base/clock.h"
#include "base/id.h"
#include "store/stats.h"

/* clang-format off */
static const struct field	 entry_columns[] = FIELDS(
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

enum { ADD, MOVE, BALANCE, LIST, CHECK, SQL_END };

const struct sql	 ledger_sql[SQL_END + 1] = {
	/* An entry that cannot be is no row: the transaction stays good. */
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
	/* One statement, so nothing is booked between the two. */
	[CHECK] = { "ledger.check",
	    "SELECT balance_micro, (SELECT CAST(coalesce(sum(amount_micro), 0) AS INTEGER)"
	    " FROM ledger WHERE account = $1), (SELECT count(*) FROM ledger WHERE account = $1)"
	    " FROM accounts WHERE id = $1" },
};
/* clang-format on */

/* ---- booking ---- */

/* Why there is no new entry. */
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

/* amount: signed, as it moves the balance. */
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

enum err
ledger_use(struct db *db, struct arena *mem, const struct usage *u)
{
	enum err e;

	assert(u->micro >= 0 && u->streamed_us >= 0);
	e = book(db, mem, "usage", -u->micro, u);
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

enum err
ledger_list(
    struct db *db, struct arena *mem, const char *account, int64_t n, struct list *to)
{
	enum err e =
	    db_list(db, &ledger_sql[LIST], ARGS(TEXT(account), INT(n)), mem, to);
	struct ledger_entry *all = to->items;

	for (size_t i = 0; i < to->n; i++)
		all[i].credits = credits_text(mem, all[i].micro);
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
