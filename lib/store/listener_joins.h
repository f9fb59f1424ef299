/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_LISTENER_JOINS_H
#define STORE_LISTENER_JOINS_H

#include "db/db.h"
#include "store/nodes.h"

/* The part of an event that a listener joins; NULL: any. */
struct listener_join_scope {
	const char *event, *account; /* never NULL; account: the event's owner */
	const char *stage, *channel;
};

struct listener_join_channel {
	const char *id, *stage;
	const char *broadcast; /* its name on the backend; NULL: currently none */
	struct node node;    /* id, addresses and heartbeat of the node that serves it;
				id NULL: not assigned yet, seen_us NULL_INT: unknown */
	const char *outputs; /* JSON array of objects */
};

extern const struct sql listener_join_sql[];

/* ERR_NOT_FOUND: the event has no such stage. */
enum err listener_join_find_stage(
    struct db *, const struct listener_join_scope *) MUST_CHECK;
/* ERR_NOT_FOUND: the event or stage has no such channel, or it is being deleted. */
enum err listener_join_find_channel(
    struct db *, const struct listener_join_scope *) MUST_CHECK;
/* Set *finished if the event is over for its listeners, or does not exist. */
enum err listener_join_event_finished(
    struct db *, const char *event, int64_t now_us, bool *finished) MUST_CHECK;
/* Read the version of the event's access code: the number of its changes. */
enum err listener_join_code(
    struct db *, const char *event, int64_t *version) MUST_CHECK;

/* A listener of a language, a code or "original". */
struct listener_join {
	const char *event, *listener, *language;
};

/* *first: the listener is new to the event; *recorded: this join is stored. */
enum err listener_join_known(struct db *, const char *event, const char *listener,
    const char *language, bool *first, bool *recorded) MUST_CHECK;
/*
 * Find the oldest ready channel there with the join's language.  Unless *recorded, the
 * database may record the join with the same statement, and sets *recorded.
 * ERR_NOT_FOUND: there is no such channel.
 */
enum err listener_join_choose(struct db *, struct arena *,
    const struct listener_join_scope *, const struct listener_join *, bool *recorded,
    struct listener_join_channel *) MUST_CHECK;
/* Record n joins, each once, outside of any transaction. Those of deleted events are
   left out. */
enum err listener_joins_record(
    struct db *, const struct listener_join *, size_t n, int64_t now_us) MUST_CHECK;

#endif
