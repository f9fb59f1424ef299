#ifndef BLOB_MIRROR_H
#define BLOB_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/conf.h"
#include "base/err.h"

/*
 * A second folder of files in the shape of blob.dir, for backups.  Files never
 * change, so one that is there and has the right size is the right one.
 */

/*
 * From now until the arena is reset no file of the disk store is removed, by any
 * process: waits until no process removes or holds them.
 */
enum err mirror_hold(const struct conf *, struct arena *) MUST_CHECK;
/*
 * The same, for a process that removes: *fd is to be closed behind it.  ERR_BUSY: they
 * are held, try later.  -1: they were never held.
 */
enum err mirror_let(const struct conf *, struct arena *, int *fd) MUST_CHECK;

/* MIRROR_COPY: another file with mode 0600, for what others may have made. */
enum mirror_how { MIRROR_LINK, MIRROR_COPY };
/*
 * Have a file of from, a folder, in to as well: a link where that is possible and
 * wanted, else a copy that is on the disk when this answers.  *made: it was not there.
 * ERR_NOT_FOUND: from has no such file of that size.  ERR_FULL.  ERR_REFUSED, and
 * logged: no file of ours has this name, or there are links or devices.
 */
enum err mirror_file(struct arena *, const char *const from_to[2], const char *name,
    int64_t bytes, enum mirror_how, bool *made) MUST_CHECK;
/* A single file under another name, whole or not at all; the same answers. */
enum err mirror_copy(struct arena *, const char *from, const char *to) MUST_CHECK;
/* Remove the files of a folder that are not wanted; *removed counts them. */
enum err mirror_prune(struct arena *, const char *folder,
    bool (*is_wanted)(void *arg, const char *name), void *arg,
    int64_t *removed) MUST_CHECK;

#endif
