/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CHANNEL_OUTPUTS_H
#define SERVICE_CHANNEL_OUTPUTS_H

#include "base/conf.h"
#include "base/json.h"
#include "store/channels.h"

/*
 * Outputs of a channel that the gateway makes itself, each by a child, with any
 * backend: hls_pull, rtmp_push, srt_push, icecast_push, recording. o: an output of the
 * channel; conf: the settings of its node.
 */

/* True if the gateway makes the output. */
bool channel_outputs_makes(const struct json *o);
/* True for a recording; each of its children has its own folder below
   recordings.dir, see service/recording_store.h. */
bool channel_outputs_records(const struct json *o);
/* True if files of hls_pull are also uploaded to a bucket, by the children. */
bool channel_outputs_has_bucket(const struct conf *);
/* True if the gateway answers the requests of players for playlists to come. */
bool channel_outputs_has_low_latency(const struct conf *);
/* The address below which players find HLS. */
const char *channel_outputs_hls_base(const struct conf *, struct arena *);
/* The setting that the output lacks, a sentence; NULL: none. */
const char *channel_outputs_lacks(const struct conf *, const struct json *o);
/* The order for its child, JSON (egress/egress.h), without the epoch and a
   recording's folder. It contains secret keys. */
const char *channel_outputs_order(
    const struct conf *, struct arena *, const struct channel *, const struct json *o);
/* hls_pull: the following two return the folder of its files, and the address of the
   playlist named file. NULL: the service makes no HLS. */
const char *channel_outputs_folder(
    const struct conf *, struct arena *, const struct channel *, const struct json *o);
const char *channel_outputs_hls_url(const struct conf *, struct arena *,
    const struct channel *, const struct json *o, const char *file);
/* The address of HLS for a language of a channel; NULL: none. Only the channel's id,
   outputs and code_version are read. The address changes with the event's access
   code. */
const char *channel_outputs_hls_of(
    const struct conf *, struct arena *, const struct channel *, const char *language);
/* True if attendees should listen in this language by HLS first, even if the channel
   has free places: the organiser wants it. */
bool channel_outputs_hls_first(
    struct arena *, const struct channel *, const char *language);
/* Invalidate the addresses of a channel's HLS on this host: immediately, in a bucket
   within about a minute. Only the channel's id, outputs and code_version are read. */
void channel_outputs_forget(
    const struct conf *, struct arena *, const struct channel *);
/* As channel_outputs_forget(), for the addresses under the previous access code. */
void channel_outputs_forget_older(
    const struct conf *, struct arena *, const struct channel *);
/* Remove HLS folders without a write for HLS_KEPT_S seconds, and their files in the
   bucket. Stops at an error of the bucket, see blob/blob.h. */
#define HLS_KEPT_S 3600
enum err channel_outputs_expire(const struct conf *, struct arena *) MUST_CHECK;

/*
 * The plan's `streams` limits the incoming and outgoing streams of an account's
 * channels (0: no limit), because each has a process, and perhaps a port, even while
 * nothing is sent.
 */
#define CHANNEL_STREAMS_LIMIT "The plan allows %lld streams into and out of channels."

/* The number of a channel's streams. */
int64_t channel_streams(struct arena *, const struct channel *);
/*
 * ERR_LIMIT: more streams than the plan allows. Call it in the transaction that creates
 * the channel (was: NULL) or changes it; existing streams may stay under any plan.
 */
enum err channel_streams_allow(struct db *, struct arena *, int64_t most,
    const struct channel *was, const struct channel *now) MUST_CHECK;

#endif
