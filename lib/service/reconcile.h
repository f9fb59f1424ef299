/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_RECONCILE_H
#define SERVICE_RECONCILE_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Compares the broadcasts of the backend with the channels' rows:
 *
 *	ready, and lost or in other languages    a job restores it
 *	creating or deleting                     has its job, if that was lost
 *	on the backend, and no row wants it      removed: an attempt was abandoned
 *	                                         or its channel is gone, or it is
 *	                                         of a session that everybody left
 *	the backend is back after an outage      what waits for it is due soon, spread
 *
 * Rows are the truth.  The backend is asked outside any transaction.  OK as well
 * when it does not answer: that is remembered until it does.
 */
enum err reconcile(struct db *, struct arena *, const struct conf *) MUST_CHECK;

#endif
