/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_SESSION_QUOTA_H
#define GATEWAY_SESSION_QUOTA_H

#include "web/web.h"

/* Checks before a session begins.  False: *no is the refusal. */

/* True if the account has a positive balance. Nothing is locked. */
bool session_quota_is_paid(struct request *, const char *account, struct reply *no);
/*
 * True if the plan allows one more session. Call it in the transaction that adds the
 * session. Rows are counted only if the plan has a limit.
 */
bool session_quota_is_free(struct request *, const struct caller *, struct reply *no);

#endif
