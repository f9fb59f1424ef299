#ifndef SERVICE_SRT_PORT_H
#define SERVICE_SRT_PORT_H

#include "base/conf.h"
#include "store/channels.h"

/*
 * Where a channel with srt_push is sent to: a UDP port of its own, out of
 * ingest.srt_ports, and a stream key, SRT's passphrase; both for as long as it exists.
 * Its stream id is the channel's id.
 */

/* Give it both, if it has none; in a transaction that keeps it.  ERR_LIMIT: no port is
   left. */
enum err srt_port_give(struct db *, struct arena *, const struct conf *,
    struct channel *) MUST_CHECK;
/* "srt://host:port", as senders reach it; the settings are those of its node. */
const char *srt_port_url(const struct conf *, struct arena *, const struct channel *);

#endif
