/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_LISTENING_H
#define STORE_LISTENING_H

#include "db/db.h"

/*
 * Numbers of listeners, current and by the minute.  The gateway of each node counts the
 * listeners of the channels that it serves and writes the numbers with its heartbeat.
 */
#define LISTENING_MINUTE_US (INT64_C(60) * 1000000)
/* A gateway counts every second and writes every 5 s: numbers are at most 10 s old. */
#define LISTENING_FRESH_US (INT64_C(9) * 1000000)

struct listening {
	const char *event, *channel;
	const char *language; /* or original */
	int64_t listeners;    /* distinct listeners */
};

/* A point of a series. */
struct listening_point {
	int64_t utc_us; /* start of the step */
	const char *language;
	int64_t listeners; /* maximum over its minutes, of all channels */
};

/* Minutes that begin at from_us or later and before until_us, in steps of step_us. */
struct listening_span {
	int64_t from_us, until_us, step_us;
};

extern const struct field listening_fields[]; /* fields of struct listening */
extern const struct field
    listening_point_fields[]; /* fields of struct listening_point */
extern const struct sql listening_sql[];

/* Replace the numbers of this node, which has a heartbeat, by a list of struct
   listening, in the caller's transaction. */
enum err listening_put(struct db *, const char *node, const struct list *) MUST_CHECK;
/* Store the maximum of this and earlier lists for the minute, in the caller's
   transaction. */
enum err listening_store(
    struct db *, int64_t minute_us, const struct list *) MUST_CHECK;

/* The current listeners of an event by channel and language, as struct listening. */
enum err listening_now(
    struct db *, struct arena *, const char *event, struct list *) MUST_CHECK;
/* The current listeners of a channel, of all languages. */
enum err listening_of(
    struct db *, const char *event, const char *channel, int64_t *n) MUST_CHECK;
/* The last minute stored for an event; NULL_INT: there is none. */
enum err listening_last(struct db *, const char *event, int64_t *minute_us) MUST_CHECK;
/* List struct listening_point by time and language, without zero counts. */
enum err listening_series(struct db *, struct arena *, const char *event,
    const struct listening_span *, struct list *) MUST_CHECK;

/* Delete the rows of about `most` minutes of an event that ended before before_us or is
   deleted. *removed is their number; 0: there are no more. */
enum err listening_expire(struct db *, struct arena *, int64_t before_us, int most,
    int64_t *removed) MUST_CHECK;

#endif
