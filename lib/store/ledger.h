/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H

#include "base/credits.h"
#include "db/db.h"
#include "store/cursor.h"

/* The largest amount of an entry, and the largest balance or debt. */
#define LEDGER_ENTRY_MOST (INT64_C(1000000000) * MICRO)
#define LEDGER_BALANCE_MOST (INT64_C(9000000000) * MICRO)

/* Metered usage over some time. */
struct usage {
	const char *account;
	const char *event;     /* NULL: none */
	const char *reference; /* unique name of this usage */
	int64_t micro;         /* credits x 1,000,000; 0 is booked as well */
	/* For an event only: */
	int64_t streamed_us; /* added to its streaming time */
	int64_t active_us;   /* time of its last audio */
	/* For the sums by hour: */
	const char *kind;    /* the service, such as "s2s"; NULL: other */
	const char *channel; /* NULL: none */
	int64_t seconds, characters;
};

struct ledger_entry {
	const char *id; /* id of the row */
	int64_t created_us;
	const char *kind;
	int64_t micro;
	const char *reference;
	const char *event;   /* or NULL */
	const char *credits; /* micro as a decimal */
};

struct ledger_sums {
	const char *account;
	const char *credits, *of_entries; /* decimals */
	int64_t entries;
	bool agree;
	struct list newest; /* set by ledger_list() */
};

/* Sums of usage, grouped by one property of the entries. */
extern const char *const usage_groups[]; /* day, kind, event, channel */
extern const char *const usage_kinds[];  /* kinds that are booked */
struct usage_sum {
	const char *group, *key; /* key: a date, kind or id; NULL: none */
	int64_t seconds, characters;
	double credits;
	int64_t micro; /* credits x 1,000,000 */
	/* Its position in the list: start of the day or 0, and key as stored. */
	int64_t day_us;
	const char *text;
};

extern const struct field usage_sum_fields[];
extern const struct field ledger_sums_fields[];
extern const struct sql ledger_sql[];

/*
 * Both functions write in the caller's transaction and abort without one.  If they
 * return an error, nothing was changed.  ERR_CONFLICT: the reference is already booked.
 * ERR_NOT_FOUND: no such account.  ERR_REFUSED: the amount or the balance would exceed
 * the limits above.
 *
 * ledger_add() books credits x 1,000,000 (kind: grant, correction) and changes the
 * account's balance.
 *
 * ledger_use() books usage and counts it in the event's statistics.  Nothing is counted
 * for an event that is deleted or belongs to another account.
 */
enum err ledger_add(struct db *, struct arena *, const char *account, const char *kind,
    int64_t amount_micro, const char *reference) MUST_CHECK;
enum err ledger_use(struct db *, struct arena *, const struct usage *) MUST_CHECK;

/* Read the account's balance; a debt is negative. */
enum err ledger_balance(struct db *, const char *account, int64_t *micro) MUST_CHECK;
/* List the n newest entries, as struct ledger_entry. */
enum err ledger_list(struct db *, struct arena *, const char *account, int64_t n,
    struct list *) MUST_CHECK;
/* List up to n entries after one, oldest first. */
enum err ledger_after(struct db *, struct arena *, const char *account,
    const struct ledger_entry *after, int n, struct list *) MUST_CHECK;
/* The usage of an account from the hour of from_us until to_us, summed by group.
   Reading it costs a row for each hour and key, not for each entry. */
struct usage_range {
	const char *account, *group;
	const char *kind; /* one of usage_kinds; NULL: all */
	int64_t from_us, to_us;
};
enum err ledger_usage(struct db *, struct arena *, const struct usage_range *,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Compare the sum of all entries of the account with its balance, at one moment. */
enum err ledger_check(
    struct db *, struct arena *, const char *account, struct ledger_sums *) MUST_CHECK;

#endif
