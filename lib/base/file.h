#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What open(2) and its kin leave to be done.  Whatever fails has set errno. */

/* All n bytes. */
bool file_write(int fd, const void *, size_t n) MUST_CHECK;
/* The names in a folder survive a power failure. */
bool file_sync_folder(const char *path) MUST_CHECK;
/*
 * Lock a file as flock(2) does, which is made when there is none: for the owner of its
 * folder, if by root.  The descriptor, which holds the lock until it is closed; -1.
 */
int file_lock(const char *path, int how);

#endif
