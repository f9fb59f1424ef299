/*
 * The ledger: what was granted and used, never changed.  The balance beside it
 * is moved by the same transaction, so it is always the entries' sum.
 */
#include "store/ledger.h"

#include "base/clock.h"
#include "base/id.h"

enum { ADD, MOVE, BALANCE, SQL_END };

/* clang-format off */
const struct sql	 ledger_sql[] = {
	[ADD] = { "ledger.add",
	    "INSERT INTO ledger (id, account, kind, amount_micro, reference, created_us)"
	    " VALUES ($1, $2, $3, $4, $5, $6)", NULL },
	[MOVE] = { "ledger.move",
	    "UPDATE accounts SET balance_micro = balance_micro + $2 WHERE id = $1", NULL },
	[BALANCE] = { "ledger.balance", "SELECT balance_micro FROM accounts WHERE id = $1", NULL },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

enum err
ledger_add(struct db *db, struct arena *mem, const char *account, const char *kind,
    int64_t amount_micro, const char *reference)
{
	enum err e = db_change(db, &ledger_sql[MOVE],
	    ARGS(TEXT(account), INT(amount_micro)), ERR_NOT_FOUND);

	if (e != OK)
		return e;
	return db_exec(db, &ledger_sql[ADD],
	    ARGS(TEXT(id_new(mem)), TEXT(account), TEXT(kind), INT(amount_micro),
		TEXT(reference), INT(now_us())),
	    NULL);
}

enum err
ledger_balance(struct db *db, const char *account, int64_t *micro)
{
	return db_number(db, &ledger_sql[BALANCE], ARGS(TEXT(account)), micro);
}
