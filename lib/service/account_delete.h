#ifndef SERVICE_ACCOUNT_DELETE_H
#define SERVICE_ACCOUNT_DELETE_H

#include "base/conf.h"
#include "store/account_data.h"

/*
 * The end of an account, after its row says "deleting":
 *
 *	10 s   its sockets close, as those of a suspended one do
 *	then   webhooks, events, channels and voices are dropped as their owner would do
 *	       it, so that workers tidy up behind them; files are the janitor's to
 *remove; all other rows go, some hundreds in a transaction last   the account's own
 *row, when nothing else bears its id
 *
 * Every step can be repeated, so it goes on wherever a process was killed.  A job that
 * does not come to its end, as a server does not answer, is given up after 20 hours.
 */
#define ACCOUNT_DELETE_WAIT_US (10 * S_US)

/* One step, in transactions of its own.  *left: there is more to do. */
enum err account_delete_step(struct db *, struct arena *, const struct conf *,
    const struct account_thing *, bool *left) MUST_CHECK;

#endif
