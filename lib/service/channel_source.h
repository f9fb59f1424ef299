/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CHANNEL_SOURCE_H
#define SERVICE_CHANNEL_SOURCE_H

#include "base/conf.h"
#include "base/json_writer.h"
#include "store/channels.h"

/*
 * The address of a channel's incoming stream. The channel keeps its stream key for
 * life. For srt_push the key is the passphrase, the channel's id is the stream id, and
 * the channel has a UDP port of ingest.srt_ports, until its event is finished and
 * another channel needs the port. For rtmp_push the key is the stream's name at the
 * operator's RTMP server.
 */

/* The setting that the input lacks, a sentence; NULL: none. */
const char *channel_source_lacks(const struct conf *, const struct channel *);
/*
 * Assign the key and port that the channel lacks; the caller stores them in its
 * transaction. ERR_LIMIT: no port is free.
 */
enum err channel_source_assign(
    struct db *, struct arena *, const struct conf *, struct channel *) MUST_CHECK;
/*
 * Write the members of the input for senders; conf: the settings of its node. The key
 * is null unless `secrets`. False: the input is not a stream.
 */
bool channel_source_write(const struct conf *, struct arena *, const struct channel *,
    bool secrets, struct json_writer *);

#endif
