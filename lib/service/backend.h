/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_BACKEND_H
#define SERVICE_BACKEND_H

#include "base/conf.h"
#include "db/db.h"
#include "store/channels.h"

/*
 * The broadcasting backend as channels see it.  No transaction is open while it is
 * called.
 */

/* The channel's error after an attempt without an answer. */
#define BACKEND_NO_ANSWER "The broadcasting backend did not answer."

/* The broadcast's name for an attempt; the name for the channel's last attempt. */
const char *backend_name(struct arena *, const char *channel, int64_t attempt);
const char *backend_name_of(struct arena *, const struct channel *);

/*
 * Create the broadcast of the channel's last attempt or, if it was made, change it.
 * ERR_UNSUPPORTED, ERR_REFUSED: permanent; ERR_TIMEOUT; ERR_NOT_FOUND: the backend has
 * lost it. *why: a sentence after an error.
 */
enum err backend_call(const struct conf *, struct arena *, const struct channel *,
    bool made, const char **why) MUST_CHECK;
/* Remove the broadcast. ERR_REFUSED, ERR_TIMEOUT. */
enum err backend_destroy(
    const struct conf *, struct arena *, const struct channel *) MUST_CHECK;

/*
 * Record whether the backend answers this host, as the last process that called it
 * found. Requests of clients record a silence; a worker renews and ends it. *known: the
 * backend is known to be silent.
 */
enum err backend_silent(struct db *, struct arena *) MUST_CHECK;
enum err backend_answered(struct db *, struct arena *) MUST_CHECK;
enum err backend_known_silent(struct db *, struct arena *, bool *known) MUST_CHECK;
/* True if a silence was recorded within the last minute, so requests should not wait
   for the backend. */
bool backend_is_silent(struct db *, struct arena *);

/*
 * Record that the backend has answered this host. If it was known to be silent, jobs
 * that failed meanwhile become due soon and their tries are counted from 0. In the
 * caller's transaction.
 */
enum err backend_health_over(struct db *, struct arena *) MUST_CHECK;

#endif
