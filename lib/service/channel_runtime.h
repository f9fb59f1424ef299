#ifndef SERVICE_CHANNEL_RUNTIME_H
#define SERVICE_CHANNEL_RUNTIME_H

#include "base/conf.h"
#include "store/channels.h"

/* Whether its row says that it is active. */
bool channel_runs(const struct channel *);

/*
 * channel_put() in the caller's transaction, with what webhooks are told of it:
 * webhook_channel_changed(), and transcript.ready where a run ends of which lines were
 * kept.  run_us: unix time, not after that run began.
 */
enum err channel_runtime_put(struct db *, struct arena *, const struct conf *,
    const struct channel *was, struct channel *now, int64_t run_us) MUST_CHECK;

#endif
