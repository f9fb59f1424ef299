#include "store/holdings.h"

enum { ACCOUNTS, EVENTS, FILES, SQL_END };

/* clang-format off */
const struct sql	 holdings_sql[SQL_END + 1] = {
	[ACCOUNTS] = { "holdings.accounts", "SELECT count(*) FROM accounts" },
	[EVENTS] = { "holdings.events", "SELECT count(*) FROM events" },
	[FILES] = { "holdings.files", "SELECT count(*) FROM blobs WHERE file IS NOT NULL" },
};
/* clang-format on */

static int64_t
count(struct db *db, int which)
{
	int64_t n;

	return db_number(db, &holdings_sql[which], ARGS(), &n) == OK ? n : 0;
}

void
holdings_count(struct db *db, struct holdings *to)
{
	to->accounts = count(db, ACCOUNTS);
	to->events = count(db, EVENTS);
	to->files = count(db, FILES);
}
