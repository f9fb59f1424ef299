/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BLOB_MIRROR_H
#define BLOB_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"

/*
 * A second folder with the layout of blob.dir, for backups.  Files never change, so a
 * file that exists with the right size is the right one.
 */

/*
 * Hold the files: until the arena is reset, no process removes a file of the disk
 * store. Waits until no process removes or holds files.
 */
enum err mirror_hold(const struct conf *, struct arena *) MUST_CHECK;
/*
 * As mirror_hold(), for a process that removes files; it must close *fd afterwards.
 * ERR_BUSY: other processes hold the files; retry later. -1: no process has ever held
 * them.
 */
enum err mirror_let(const struct conf *, struct arena *, int *fd) MUST_CHECK;

/*
 * MIRROR_COPY: a separate file with mode 0600, because other users may read the
 * original.
 */
enum mirror_how { MIRROR_LINK, MIRROR_COPY };
/*
 * Put a file of the folder from also into to: a link if possible and wanted, else a
 * copy, synced to the disk.  *made: it was not there before.  ERR_NOT_FOUND: from has
 * no such file of that size.  ERR_FULL.  ERR_REFUSED, logged: no file of ours has such
 * a name, or there are links or devices.
 */
enum err mirror_file(struct arena *, const char *const from_to[2], const char *name,
    int64_t bytes, enum mirror_how, bool *made) MUST_CHECK;
/* Copy a single file to another name, completely or not at all. Returns as above. */
enum err mirror_copy(struct arena *, const char *from, const char *to) MUST_CHECK;
/* Remove the files of a folder that are not wanted; *removed counts them. */
enum err mirror_prune(struct arena *, const char *folder,
    bool (*is_wanted)(void *arg, const char *name), void *arg,
    int64_t *removed) MUST_CHECK;

#endif
