#ifndef BASE_CHILD_START_H
#define BASE_CHILD_START_H

#include <sys/types.h>

#include "base/child.h"

/*
 * How the functions that start a program do it; private to lib/base/child*.c.
 */
enum { IN, OUT, ERR, EXTRA, NFDS };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* A copy that execve(2) may have, which wants it writable. */
char *const *child_argv(struct arena *, const char *const *argv);

/*
 * Start it with the descriptors as its 0 to 2 (and 3, when EXTRA is above 0), in
 * the process group (0: one of its own) and under the limits of struct child; no
 * limit on CPU time when its timeout_ms is 0.  It may open no files but those that
 * struct child says.  It dies with the calling thread.
 * Answers the pid, or -1 with errno.
 */
pid_t child_start(const struct child *, char *const *argv, const int fds[NFDS],
    pid_t group) MUST_CHECK;

#endif
