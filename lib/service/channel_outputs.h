#ifndef SERVICE_CHANNEL_OUTPUTS_H
#define SERVICE_CHANNEL_OUTPUTS_H

#include "base/conf.h"
#include "base/json.h"
#include "store/channels.h"

/*
 * Outputs of a channel that the gateway makes itself by a child each, whatever the
 * backend is: hls_pull, rtmp_push, srt_push, icecast_push, recording.  o: an output as
 * the channel has it; the settings are those of its node.
 */

/* Whether it is of these. */
bool channel_outputs_makes(const struct json *o);
/* Whether it is a recording, each of whose children has a folder of its own below
   recordings.dir: see service/recording_store.h. */
bool channel_outputs_records(const struct json *o);
/* Whether files of hls_pull are put into a bucket, too; their children call it. */
bool channel_outputs_has_bucket(const struct conf *);
/* What the settings lack for it, a sentence; NULL: nothing. */
const char *channel_outputs_lacks(const struct conf *, const struct json *o);
/* What its child is told, JSON (egress/egress.h), but for the epoch and the folder of a
   recording.  It has keys. */
const char *channel_outputs_order(
    const struct conf *, struct arena *, const struct channel *, const struct json *o);
/* Of hls_pull: the folder of its files, and the address of its playlist; file: its
   name.  NULL: this service makes none. */
const char *channel_outputs_folder(
    const struct conf *, struct arena *, const struct channel *, const struct json *o);
const char *channel_outputs_hls_url(const struct conf *, struct arena *,
    const struct channel *, const struct json *o, const char *file);
/* The address where a channel's language is heard, NULL: none.  Of the channel only id,
    outputs and code_version are read.  It changes with the event's access code. */
const char *channel_outputs_hls_of(
    const struct conf *, struct arena *, const struct channel *, const char *language);
/* End the addresses of a channel's HLS on this host: now, what is in a bucket within a
   minute or so.  Of the channel only id, outputs and code_version are read. */
void channel_outputs_forget(
    const struct conf *, struct arena *, const struct channel *);
/* The same of the addresses that it had under the access code before. */
void channel_outputs_forget_older(
    const struct conf *, struct arena *, const struct channel *);
/* Remove folders of HLS that nothing was written to for HLS_KEPT_S seconds, and what
   is in the bucket of them.  An error of the bucket, see blob/blob.h, ends it. */
#define HLS_KEPT_S 3600
enum err channel_outputs_expire(const struct conf *, struct arena *) MUST_CHECK;

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
