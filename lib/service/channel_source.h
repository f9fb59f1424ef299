#ifndef SERVICE_CHANNEL_SOURCE_H
#define SERVICE_CHANNEL_SOURCE_H

#include "base/conf.h"
#include "base/json_writer.h"
#include "store/channels.h"

/*
 * Where streams are sent to that come into a channel.  It has a stream key as long as
 * it exists; for srt_push, whose passphrase the key is, also its own id as stream id
 * and a UDP port out of ingest.srt_ports, until its event is finished and another
 * channel finds none that is free; for rtmp_push the key is the stream's name at the
 * operator's RTMP server.
 */

/* What the settings lack for the input, a sentence; NULL: nothing. */
const char *channel_source_lacks(const struct conf *, const struct channel *);
/*
 * Give it what it has not yet; in a transaction that keeps it.  ERR_LIMIT: no port is
 * left.
 */
enum err channel_source_assign(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/*
 * Members of its input for senders; the settings are those of its node.  The key is
 * null unless `secrets`.  False: no stream comes in.
 */
bool channel_source_write(const struct conf *, struct arena *, const struct channel *,
    bool secrets, struct json_writer *);

#endif
