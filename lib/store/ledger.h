#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H

#include "base/credits.h"
#include "db/db.h"
#include "store/cursor.h"

/* The most that one entry moves, and that a balance or a debt may be. */
#define LEDGER_ENTRY_MOST (INT64_C(1000000000) * MICRO)
#define LEDGER_BALANCE_MOST (INT64_C(9000000000) * MICRO)

/* A stretch of use, as it was metered. */
struct usage {
	const char *account;
	const char *event;     /* NULL: at none */
	const char *reference; /* names the stretch; nothing else has this name */
	int64_t micro;         /* credits x 1,000,000; 0 is booked, too */
	/* Of an event only: */
	int64_t streamed_us; /* what its streaming time grows by */
	int64_t active_us;   /* when something was heard of it last */
	/* What it is added up by: */
	const char *kind;    /* what was paid for: "s2s"; NULL: other */
	const char *channel; /* NULL: none */
	int64_t seconds, characters;
};

struct ledger_entry {
	const char *id; /* of its row */
	int64_t created_us;
	const char *kind;
	int64_t micro;
	const char *reference;
	const char *event;   /* or NULL */
	const char *credits; /* micro, for people */
};

struct ledger_sums {
	const char *account;
	const char *credits, *of_entries; /* decimals */
	int64_t entries;
	bool agree;
	struct list newest; /* struct ledger_entry; ledger_list() sets it */
};

/* Sums of what was used, by one of the things that tell entries apart. */
extern const char *const usage_groups[]; /* day, kind, event, channel */
struct usage_sum {
	const char *group, *key; /* key: a date, a kind, an id; NULL: of none */
	int64_t seconds, characters;
	double credits;
	int64_t micro; /* credits x 1,000,000 */
	/* Its place in the list: the day's beginning, else 0; and key as it is kept. */
	int64_t day_us;
	const char *text;
};

extern const struct field usage_sum_fields[];
extern const struct field ledger_sums_fields[];
extern const struct sql ledger_sql[];

/*
 * These two write in the caller's transaction, and abort without one; unless the
 * answer is OK they changed nothing.  ERR_CONFLICT: the reference is booked.
 * ERR_NOT_FOUND: no such account.  ERR_REFUSED: the amount or the balance would
 * pass the bounds above.
 *
 * ledger_add(): book credits x 1,000,000 (kind: grant, correction) and move the
 * account's balance by them.
 *
 * ledger_use(): book what was used, and count it in the event's statistics.  Of
 * an event that is gone, or another account's, nothing is counted.
 */
enum err ledger_add(struct db *, struct arena *, const char *account, const char *kind,
    int64_t amount_micro, const char *reference) MUST_CHECK;
enum err ledger_use(struct db *, struct arena *, const struct usage *) MUST_CHECK;

/* The sum of the account's entries, as it is kept beside them; a debt is negative. */
enum err ledger_balance(struct db *, const char *account, int64_t *micro) MUST_CHECK;
/* The n newest, as a list of struct ledger_entry. */
enum err ledger_list(struct db *, struct arena *, const char *account, int64_t n,
    struct list *) MUST_CHECK;
/* Up to n entries behind one, oldest first. */
enum err ledger_after(struct db *, struct arena *, const char *account,
    const struct ledger_entry *after, int n, struct list *) MUST_CHECK;
/*
 * What an account used from the hour of from_us on and before to_us, added up by group.
 * Reads a row an hour and thing that was used, however many entries these have.
 */
struct usage_range {
	const char *account, *group;
	int64_t from_us, to_us;
};
enum err ledger_usage(struct db *, struct arena *, const struct usage_range *,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Add the account's entries up, all of them, as of one moment. */
enum err ledger_check(
    struct db *, struct arena *, const char *account, struct ledger_sums *) MUST_CHECK;

#endif
