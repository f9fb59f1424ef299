/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_ACCOUNT_DELETE_H
#define SERVICE_ACCOUNT_DELETE_H

#include "base/conf.h"
#include "store/account_data.h"

/*
 * Deletes an account whose row says "deleting":
 *
 *	10 s its sockets close, like those of a suspended account
 *	then   webhooks, events, channels and voices are dropped as their owner would
 *	       do it, so that workers remove their data; the janitor removes files;
 *	       all other rows are deleted, some hundreds in a transaction
 *	last   the account's own row, when no other row has its id
 *
 * Every step can be repeated, so deleting continues after a process was killed. A job
 * that fails because a server does not answer is given up after 20 hours.
 */
#define ACCOUNT_DELETE_WAIT_US (10 * S_US)

/* Perform one step, in its own transactions. *left: there is more to do. */
enum err account_delete_step(struct db *, struct arena *, const struct conf *,
    const struct account_thing *, bool *left) MUST_CHECK;

#endif
