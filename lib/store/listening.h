#ifndef STORE_LISTENING_H
#define STORE_LISTENING_H

#include "db/db.h"

/*
 * How many listen: now, and by the minute.  The gateway of each node counts those of
 * the channels that it serves, and writes with its heartbeat.
 */
#define LISTENING_MINUTE_US (INT64_C(60) * 1000000)
/* A gateway counts each second and writes each 5 s: what it tells is 10 s old at most.
 */
#define LISTENING_FRESH_US (INT64_C(9) * 1000000)

struct listening {
	const char *event, *channel;
	const char *language; /* or original */
	int64_t listeners;    /* distinct */
};

/* A row of a series. */
struct listening_point {
	int64_t utc_us; /* when the step began */
	const char *language;
	int64_t listeners; /* the most of its minutes, of all channels */
};

/* Minutes that begin from from_us on and before until_us, in steps of step_us. */
struct listening_span {
	int64_t from_us, until_us, step_us;
};

extern const struct field listening_fields[];       /* of struct listening */
extern const struct field listening_point_fields[]; /* of struct listening_point */
extern const struct sql listening_sql[];

/*
 * In the caller's transaction: a list of struct listening in the place of what this
 * node, which has left a heartbeat, counted before.
 */
enum err listening_put(struct db *, const char *node, const struct list *) MUST_CHECK;
/* In the caller's transaction: the minute keeps the most of this and earlier lists. */
enum err listening_keep(struct db *, int64_t minute_us, const struct list *) MUST_CHECK;

/* Who listens at an event now, by channel and language: a list of struct listening. */
enum err listening_now(
    struct db *, struct arena *, const char *event, struct list *) MUST_CHECK;
/* The last minute that is kept of an event; NULL_INT: none is. */
enum err listening_last(struct db *, const char *event, int64_t *minute_us) MUST_CHECK;
/* A list of struct listening_point, by time and language; none of 0 listeners. */
enum err listening_series(struct db *, struct arena *, const char *event,
    const struct listening_span *, struct list *) MUST_CHECK;

/*
 * Remove about `most` minutes' rows of an event that was over before, or is gone.
 * *removed: rows; 0: there are no more.
 */
enum err listening_expire(struct db *, struct arena *, int64_t before_us, int most,
    int64_t *removed) MUST_CHECK;

#endif
