#ifndef SERVICE_BACKEND_H
#define SERVICE_BACKEND_H

#include "base/conf.h"
#include "db/db.h"
#include "store/channels.h"

/*
 * The broadcasting backend as channels see it.  No transaction is open while it is
 * called.
 */

/* What an attempt in vain leaves as the channel's error. */
#define BACKEND_NO_ANSWER "The broadcasting backend did not answer."

/* The name of what an attempt makes; of what the channel's last one does. */
const char *backend_name(struct arena *, const char *channel, int64_t attempt);
const char *backend_name_of(struct arena *, const struct channel *);

/*
 * Let the backend make the last attempt's, or change what that made.
 * ERR_UNSUPPORTED, ERR_REFUSED: for good; ERR_TIMEOUT; ERR_NOT_FOUND: what was made
 * is lost.  *why: a sentence after an error.
 */
enum err backend_call(const struct conf *, struct arena *, const struct channel *,
    bool made, const char **why) MUST_CHECK;
/* Take it away.  ERR_REFUSED, ERR_TIMEOUT. */
enum err backend_destroy(
    const struct conf *, struct arena *, const struct channel *) MUST_CHECK;

/*
 * Whether the backend answers this host, as the last process that asked it has said.
 * Requests of clients say so, a worker renews and ends it.  *known: it does not.
 */
enum err backend_silent(struct db *, struct arena *) MUST_CHECK;
enum err backend_heard(struct db *, struct arena *) MUST_CHECK;
enum err backend_known_silent(struct db *, struct arena *, bool *known) MUST_CHECK;
/* It was said within the last minute: requests had better not wait for it. */
bool backend_is_silent(struct db *, struct arena *);

/*
 * The broadcasting backend has answered this host.  If it was known to be silent
 * it is so no more, and what failed meanwhile is due soon, with its tries counted
 * anew.  In the caller's transaction, with what the answer was about.
 */
enum err backend_health_over(struct db *, struct arena *) MUST_CHECK;

#endif
