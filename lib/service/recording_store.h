/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_RECORDING_STORE_H
#define SERVICE_RECORDING_STORE_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Collects recordings. Each child that records has a folder CHANNEL.MICROSECONDS below
 * recordings.dir, whose file "run" is locked while it writes (egress/recording.c); then
 * its files become blobs, each with a row.
 */

/* Make a folder for a recording that begins now. Returns its path, even if it could
   not be made. */
const char *recording_folder(const struct conf *, struct arena *, const char *channel);
/* *full: the account has used the storage of its plan, including recordings on this
   host that are not yet collected. */
enum err recording_full(const struct conf *, struct db *, struct arena *,
    const char *account, bool *full) MUST_CHECK;
/*
 * Collect the files of one finished folder; files of deleted channels are removed.
 * *taken: there was such a folder, which is now removed; *n: recordings stored.
 */
enum err recording_collect(
    const struct conf *, struct db *, struct arena *, bool *taken, int *n) MUST_CHECK;
/* Delete up to `most` recordings that are older or, with INT64_MIN, whose channels
   are deleted. */
enum err recording_expire(
    struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
