#ifndef WEB_RATELIMIT_H
#define WEB_RATELIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * Counters of one minute, shared by all processes through a mapped file: a
 * request costs no write to the database.  Fixed windows; a table that is full
 * forgets the counter that was quiet longest, never refuses for lack of room.
 */
struct limits;

struct limit {
	bool over;
	int64_t left;    /* requests in this window */
	int64_t reset_s; /* until the next window */
};

/*
 * While the file cannot be mapped, as on a full disk, nothing is limited; it is
 * tried again every few seconds when something is counted.
 */
struct limits *limits_open(struct arena *, const char *state_dir);
void limits_close(struct limits *); /* NULL is fine, also below */
/* Count one for (kind, who) against max a minute; max 0: no limit. */
struct limit limit_count(
    struct limits *, char kind, const char *who, int64_t max, int64_t now_us);
/* The same without counting: over when max were counted already. */
struct limit limit_look(
    struct limits *, char kind, const char *who, int64_t max, int64_t now_us);
/* True when the table still holds (kind, who), counted in any minute. */
bool limit_known(struct limits *, char kind, const char *who, int64_t now_us);
/* Moved by limits_forget_callers(); 0: the file is not mapped. */
uint64_t limits_generation(const struct limits *);
/* A credential or an account has changed: what processes remember of them is void. */
void limits_forget_callers(const char *state_dir);

#endif
