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
 *	                                         or its channel is deleted, or it is
 *	                                         the room of a session that ended
 *	the backend is back after an outage      waiting jobs are due soon, spread
 *
 * The rows decide. The backend is asked outside any transaction. OK also if it does not
 * answer, which is recorded until it answers again.
 */
enum err reconcile(struct db *, struct arena *, const struct conf *) MUST_CHECK;

#endif
