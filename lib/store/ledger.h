#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H

#include "db/db.h"

extern const struct sql ledger_sql[];

/*
 * Book credits x 1,000,000 (kind: grant, correction; usage is negative) and move
 * the account's balance by them, in the caller's transaction.  A reference
 * already booked: ERR_CONFLICT.  No such account: ERR_NOT_FOUND.
 */
enum err ledger_add(struct db *, struct arena *, const char *account, const char *kind,
    int64_t amount_micro, const char *reference) MUST_CHECK;
/* The sum of the account's entries, as it is kept beside them. */
enum err ledger_balance(struct db *, const char *account, int64_t *micro) MUST_CHECK;

#endif
