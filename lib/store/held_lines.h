/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_HELD_LINES_H
#define STORE_HELD_LINES_H

#include "db/db.h"

/*
 * Final texts of channels that wait before they go out.  A line is in the table until a
 * few seconds after it has gone out, so a new gateway sends those again that an older
 * one may not have sent.  Nouns: held.
 */
struct held_text {
	const char *channel;
	const char *segment;  /* transcription_id */
	const char *owner;    /* id of the session that holds it */
	const char *language; /* folded code */
	const char *text;
	int64_t start_us, end_us; /* unix time of the speech */
	int64_t held_us, due_us;  /* unix time */
	const char *action;       /* pass, drop, text; NULL: not decided */
	const char *said;         /* text to send instead, or NULL */
	int64_t taken_us;         /* when it went out; NULL_INT: it waits */
};

/* The lines of a channel that a session holds. */
struct held_of {
	const char *account; /* the channel's */
	const char *channel;
	const char *owner; /* id of the session */
};

extern const struct field held_fields[];
extern const struct sql held_sql[];

/* Add a line that is held. It is no error if it is there already, or if its channel is
   deleted. */
enum err held_add(struct db *, const struct held_text *) MUST_CHECK;
/* List the lines of a channel that wait, struct held_text, in their order. */
enum err held_waiting(
    struct db *, struct arena *, const char *channel, struct list *) MUST_CHECK;
/* Read one line. ERR_NOT_FOUND: there is none, or it went out a while ago. */
enum err held_get(struct db *, struct arena *, const char *channel, const char *segment,
    struct held_text *) MUST_CHECK;
/* Store the decision on a line that waits. ERR_STALE: it has gone out. */
enum err held_decide(struct db *, const struct held_text *) MUST_CHECK;
/* Forget the lines of a channel that wait. */
enum err held_forget(struct db *, const char *channel) MUST_CHECK;

/* ---- for the gateway; owner: id of the session ---- */

/*
 * List the lines of an owner that go out now: those from the oldest on that are decided
 * or due. They are marked as taken, in a transaction, if there are any.
 */
enum err held_take(
    struct db *, struct arena *, const struct held_of *, struct list *) MUST_CHECK;
/*
 * Give the lines of a channel that other owners have to this one. List them, and those
 * of this owner that wait.
 */
enum err held_adopt(
    struct db *, struct arena *, const struct held_of *, struct list *) MUST_CHECK;
/* Forget one line of an owner, which does not go out. */
enum err held_drop(struct db *, const char *channel, const char *owner,
    const char *segment) MUST_CHECK;
/* Delete lines that have gone out, or were due long ago; for the janitor. */
enum err held_expire(struct db *, int64_t before_us, int most, int64_t *n) MUST_CHECK;

#endif
