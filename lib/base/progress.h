/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdint.h>

#include "base/arena.h"

/* The progress of a download. */
struct progress {
	int64_t began_us;    /* monotonic_us() */
	int64_t began_bytes; /* bytes that were there before */
	int64_t bytes;
	int64_t of; /* bytes; -1: unknown */
};

/*
 * Returns a line of less than 80 characters, in the arena: a bar, the bytes, and, if
 * they are known, the rate and the time left.
 */
const char *progress_line(struct arena *, const struct progress *, int64_t now_us);

#endif
