/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_RATELIMIT_H
#define WEB_RATELIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Counters of one minute, shared by all processes in a mapped file, so that a request
 * writes nothing to the database.  The windows are fixed.  A full table drops the
 * counter that was unused for longest; it never refuses a request for lack of room.
 */
struct limits;

struct limit {
	bool over;
	int64_t left;    /* requests left in this window */
	int64_t reset_s; /* seconds until the next window */
};

/* While the file cannot be mapped, as on a full disk, nothing is limited, and counting
   tries to map it every few seconds. */
struct limits *limits_open(struct arena *, const char *state_dir);
void limits_close(struct limits *); /* NULL is allowed, also below */
/* Count one for (kind, who) with at most max a minute; max 0: no limit. */
struct limit limit_count(
    struct limits *, char kind, const char *who, int64_t max, int64_t now_us);
/* As limit_count(), without counting: over if max is reached already. */
struct limit limit_peek(
    struct limits *, char kind, const char *who, int64_t max, int64_t now_us);
/* True if the table has a counter for (kind, who), of any minute. */
bool limit_known(struct limits *, char kind, const char *who, int64_t now_us);
/* A number that limits_forget_callers() changes; 0: the file is not mapped. */
uint64_t limits_generation(const struct limits *);
/* Invalidate the callers that processes have cached, as a credential or an account has
   changed. */
void limits_forget_callers(const char *state_dir);

#endif
