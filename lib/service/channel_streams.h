#ifndef SERVICE_CHANNEL_STREAMS_H
#define SERVICE_CHANNEL_STREAMS_H

#include "store/channels.h"

/*
 * How many channels of an account may have streams, as each has a process and perhaps a
 * port of the host even while nothing is sent: the plan's `streams`, 0: any number.
 */

/* Whether a stream comes into the channel, or leaves it. */
bool channel_streams_has(struct arena *, const struct channel *);
/*
 * ERR_LIMIT: one more than the plan allows.  In the transaction that makes the channel
 * (was: NULL) or changes it; one that had streams keeps them under any plan.
 */
enum err channel_streams_allow(struct db *, struct arena *, int64_t most,
    const struct channel *was, const struct channel *now) MUST_CHECK;

#endif
