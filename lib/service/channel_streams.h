#ifndef SERVICE_CHANNEL_STREAMS_H
#define SERVICE_CHANNEL_STREAMS_H

#include "store/channels.h"

/*
 * How many streams may come into an account's channels and leave them, as each has a
 * process and perhaps a port of the host even while nothing is sent: the plan's
 * `streams`, 0: any number.
 */
#define CHANNEL_STREAMS_LIMIT "The plan allows %lld streams into and out of channels."

/* Those of a channel. */
int64_t channel_streams(struct arena *, const struct channel *);
/*
 * ERR_LIMIT: more than the plan allows.  In the transaction that makes the channel
 * (was: NULL) or changes it; what it had it keeps under any plan.
 */
enum err channel_streams_allow(struct db *, struct arena *, int64_t most,
    const struct channel *was, const struct channel *now) MUST_CHECK;

#endif
