/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Small file operations.  Each failure sets errno. */

/* Append the bytes of a file. */
bool file_read(const char *path, struct buf *) MUST_CHECK;
/* Write all n bytes. */
bool file_write(int fd, const void *, size_t n) MUST_CHECK;
/* Sync a folder, so that the names in it survive a power failure. */
bool file_sync_folder(const char *path) MUST_CHECK;
/*
 * Lock a file as flock(2) does.  A missing file is created, by root for the owner of
 * its folder.  Returns the descriptor, which holds the lock until it is closed, or -1.
 */
int file_lock(const char *path, int how);
/* Open such a file without locking it. */
int file_open_lock(const char *path);

#endif
