#ifndef SERVER_SESSION_QUOTA_H
#define SERVER_SESSION_QUOTA_H

#include "web/web.h"

/* What a session costs before it begins.  False: *no is the refusal. */

/* What is read here need not hold until the commit. */
bool session_quota_is_paid(struct request *, const char *account, struct reply *no);
/*
 * Whether the plan has a place left, in the transaction that takes it.  The rows are
 * counted only where there is a limit.
 */
bool session_quota_is_free(struct request *, const struct caller *, struct reply *no);

#endif
