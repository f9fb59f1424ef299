/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CHILD_FILES_H
#define BASE_CHILD_FILES_H

#include <stdbool.h>

#include "base/child.h"

/*
 * The files that a child may open, enforced by Landlock; private to lib/base/child*.c.
 * A rule set allows access only to the files that were added to it. On new kernels it
 * also denies TCP, and signals and abstract sockets of other processes.
 */

/* True if this kernel has Landlock, and it is switched on. */
bool child_files_known(void);
/*
 * A rule set for the calling process: reading of the files and folders named, and all
 * below them.  NULL-terminated; missing ones are left out.  *rules is a descriptor to
 * close, or -1: the kernel has no Landlock.  ERR_FAILED, logged: it has Landlock, but
 * the rules cannot be made.
 */
enum err child_files_read(const char *const *paths, int *rules) MUST_CHECK;
/*
 * Make a rule set for a process that will execute this program. It also allows the
 * program, and the system's programs, libraries and shared data, for reading and
 * execution; and reads, writes and tcp of struct child.
 */
enum err child_files_run(
    const char *program, const struct child *, int *rules) MUST_CHECK;
/*
 * Enforce the rules on the calling thread, and on all that it starts.  It must have
 * no_new_privs.  Only a system call; false: see errno.
 */
bool child_files_enter(int rules) MUST_CHECK;

#endif
