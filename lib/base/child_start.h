/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CHILD_START_H
#define BASE_CHILD_START_H

#include <sys/types.h>

#include "base/child.h"

/* Starting a program; private to lib/base/child*.c. */
enum { IN, OUT, ERR, EXTRA, NFDS };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* A writable copy, as execve(2) requires. */
char *const *child_argv(struct arena *, const char *const *argv);

/*
 * Start it with the descriptors as its 0 to 2 (and 3, when EXTRA is above 0), in the
 * process group (0: a new one) and under the limits of struct child; no limit on CPU
 * time when its timeout_ms is 0.  It may open only the files that struct child names.
 * It dies with the calling thread.  Returns the pid, or -1 with errno.
 */
pid_t child_start(const struct child *, char *const *argv, const int fds[NFDS],
    pid_t group) MUST_CHECK;

#endif
