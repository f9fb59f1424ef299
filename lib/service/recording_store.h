#ifndef SERVICE_RECORDING_STORE_H
#define SERVICE_RECORDING_STORE_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Recordings on their way: below recordings.dir a folder for each child that makes one,
 * CHANNEL.MICROSECONDS, whose file "run" is locked as long as it is written
 * (egress/recording.c); then its files become blobs, each with a row.
 */

/* Make a folder for one that begins now: its path, or one that is not there. */
const char *recording_folder(const struct conf *, struct arena *, const char *channel);
/* Whether the account has stored all that its plan allows, with what is recorded on
   this host and not yet collected. */
enum err recording_full(const struct conf *, struct db *, struct arena *,
    const char *account, bool *full) MUST_CHECK;
/* The files of one folder that is written no more; those of channels that are gone are
   removed.  *taken: there was one, which is gone now; *n: recordings kept. */
enum err recording_collect(
    const struct conf *, struct db *, struct arena *, bool *taken, int *n) MUST_CHECK;
/* Drop up to most that are older, or, with INT64_MIN, whose channels are gone. */
enum err recording_expire(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
