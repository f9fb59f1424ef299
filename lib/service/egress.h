#ifndef SERVICE_EGRESS_H
#define SERVICE_EGRESS_H

#include "base/conf.h"
#include "base/json.h"
#include "store/channels.h"

/*
 * Outputs of a channel that the gateway makes itself by a child each, whatever the
 * backend is: hls_pull, rtmp_push, srt_push, icecast_push, recording.  o: an output as
 * the channel has it; the settings are those of its node.
 */

/* Whether it is of these. */
bool egress_makes(const struct json *o);
/* Whether it is a recording, each of whose children has a folder of its own below
   recordings.dir: see service/recording_store.h. */
bool egress_records(const struct json *o);
/* Whether files of hls_pull are put into a bucket, too; their children call it. */
bool egress_has_bucket(const struct conf *);
/* What the settings lack for it, a sentence; NULL: nothing. */
const char *egress_lacks(const struct conf *, const struct json *o);
/* What its child is told, JSON (egress/egress.h), but for the epoch and the folder of a
   recording.  It has keys. */
const char *egress_order(
    const struct conf *, struct arena *, const struct channel *, const struct json *o);
/* Of hls_pull: the folder of its files, and the address of its playlist; file: its
   name.  NULL: this service makes none. */
const char *egress_folder(
    const struct conf *, struct arena *, const struct channel *, const struct json *o);
const char *egress_hls_url(const struct conf *, struct arena *, const struct channel *,
    const struct json *o, const char *file);
/* The address where a channel's language is heard, NULL: none.  Of the channel only id,
    outputs and code_version are read.  It changes with the event's access code. */
const char *egress_hls_of(
    const struct conf *, struct arena *, const struct channel *, const char *language);
/* End the addresses of a channel's HLS on this host: now, what is in a bucket within a
   minute or so.  Of the channel only id, outputs and code_version are read. */
void egress_forget(const struct conf *, struct arena *, const struct channel *);
/* The same of the addresses that it had under the access code before. */
void egress_forget_older(const struct conf *, struct arena *, const struct channel *);
/* Remove folders of HLS that nothing was written to for EGRESS_KEPT_S seconds, and what
   is in the bucket of them.  An error of the bucket, see blob/blob.h, ends it. */
#define EGRESS_KEPT_S 3600
enum err egress_expire(const struct conf *, struct arena *) MUST_CHECK;

#endif
