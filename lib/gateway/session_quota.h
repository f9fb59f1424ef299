/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_SESSION_QUOTA_H
#define GATEWAY_SESSION_QUOTA_H

#include "web/web.h"

/* Checks before a session begins.  False: *no is the refusal. */

/* Does the account have a positive balance?  Not locked until the commit. */
bool session_quota_is_paid(struct request *, const char *account, struct reply *no);
/*
 * Does the plan allow one more session?  Call in the transaction that adds it.  Rows
 * are counted only if the plan has a limit.
 */
bool session_quota_is_free(struct request *, const struct caller *, struct reply *no);

#endif
