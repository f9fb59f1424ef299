/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_SESSIONS_H
#define STORE_SESSIONS_H

#include "base/conf.h"
#include "db/db.h"
#include "store/cursor.h"

/* How long a session counts for the plan before its first connection, and between two
   renewals while it is connected. */
#define SESSION_UNUSED_US (INT64_C(600) * 1000000)
#define SESSION_LEASE_US (INT64_C(60) * 1000000)

/*
 * Streaming sessions.  A session exists until expires_us; after that it is not found,
 * listed or counted, and the janitor deletes its row.  Until counted_us it counts for
 * the plan's parallel_sessions.
 */
struct stream_session {
	const char *id;
	const char *account;
	int64_t created_us, updated_us;
	int64_t expires_us;
	int64_t counted_us;
	int64_t tokens_us; /* expiry of its tokens; expires_us is never later */
	int64_t ttl_us;    /* duration as last requested */
	const char *intent;
	const char *room; /* 8 of A-Z a-z 0-9: name on the media backend */
	const char *node; /* the node that serves it; NULL: not assigned yet */
};

extern const struct field stream_session_fields[];
extern const struct sql session_sql[];

/* Returns a new session of an account, starting now, by the settings. */
struct stream_session session_new(
    struct arena *, const struct conf *, const char *account, const char *intent);
/* Store a new session; if its room name is taken, it gets another one. */
enum err session_add(struct db *, struct arena *, struct stream_session *) MUST_CHECK;
/* Count the sessions that count for the account's plan now. */
enum err session_count(struct db *, const char *account, int64_t *) MUST_CHECK;
/* Read a session of an account: the fields for clients, and tokens_us. */
enum err session_get(struct db *, struct arena *, const char *account, const char *id,
    struct stream_session *) MUST_CHECK;
/*
 * Read a session of any account for a connection: account, room, expires_us,
 * counted_us, tokens_us, node.  ERR_NOT_FOUND: it does not exist any more, or its
 * account is not active.
 */
enum err session_find(
    struct db *, struct arena *, const char *id, struct stream_session *) MUST_CHECK;
/* As session_find(), by the name of its room; also reads its id. */
enum err session_find_room(
    struct db *, struct arena *, const char *room, struct stream_session *) MUST_CHECK;
/* Check whether a connected session was deleted (ERR_NOT_FOUND). It does not expire. */
enum err session_there(struct db *, const char *id, int64_t *expires_us) MUST_CHECK;
/*
 * Renew a session that has a connection: it counts for the plan until counted_us and
 * exists at least as long, or for its ttl from now if that is longer, even if it had
 * expired.  ERR_NOT_FOUND: it was deleted.
 */
enum err session_connected(
    struct db *, const char *id, int64_t now_us, int64_t counted_us) MUST_CHECK;
/* Set the end of a session whose task has ended and that has no connection: it expires,
   and stops counting, at expires_us. */
enum err session_ended(struct db *, const char *id, int64_t expires_us) MUST_CHECK;
/* Let a session whose last connection has ended stop counting at counted_us. */
enum err session_left(struct db *, const char *id, int64_t counted_us) MUST_CHECK;
/* Check that a session that counts for its plan has a room of this name.
   ERR_NOT_FOUND: none, or it has had no connection for a minute. */
enum err session_room_taken(struct db *, const char *room) MUST_CHECK;
/* A list of struct stream_session with the fields of session_get(), newest first: the
   cursor's direction is ignored. */
enum err session_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* Set the lifetime of a session from now on; it ends with its tokens at the latest. */
enum err session_extend(struct db *, const char *account, struct stream_session *,
    int64_t ttl_us) MUST_CHECK;
enum err session_drop(struct db *, const char *account, const char *id) MUST_CHECK;

/* Delete at most `most` expired sessions; *n is their number. */
enum err session_expire(struct db *, int64_t now_us, int most, int64_t *n) MUST_CHECK;
/* Count the open sessions of all accounts. */
enum err session_total(struct db *, int64_t *) MUST_CHECK;

#endif
