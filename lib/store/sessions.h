#ifndef STORE_SESSIONS_H
#define STORE_SESSIONS_H

#include "base/conf.h"
#include "db/db.h"
#include "store/cursor.h"

/* How long one keeps its place: before its first connection; while it has one. */
#define SESSION_UNUSED_US (INT64_C(600) * 1000000)
#define SESSION_PLACE_US (INT64_C(60) * 1000000)

/*
 * Streaming sessions.  One is there from its creation until expires_us; from
 * then on it is not found, listed or counted, and the janitor removes its
 * row.  Until counted_us it has one of the plan's places.
 */
struct stream_session {
	const char *id;
	const char *account;
	int64_t created_us, updated_us;
	int64_t expires_us;
	int64_t counted_us;
	int64_t tokens_us; /* end of its tokens; expires_us never passes it */
	int64_t ttl_us;    /* as it was asked for last */
	const char *intent;
	const char *room; /* 8 of A-Z a-z 0-9: its name on the media backend */
	const char *node; /* whose gateway serves it; NULL: the first one asked */
};

extern const struct field stream_session_fields[];
extern const struct sql session_sql[];

/* One of an account as it begins now, by the settings. */
struct stream_session session_new(
    struct arena *, const struct conf *, const char *account, const char *intent);
/* Store a new one; if its room is another session's already, it gets another one. */
enum err session_add(struct db *, struct arena *, struct stream_session *) MUST_CHECK;
/* How many of the plan's places are taken now. */
enum err session_count(struct db *, const char *account, int64_t *) MUST_CHECK;
/* What clients see of it, and tokens_us. */
enum err session_get(struct db *, struct arena *, const char *account, const char *id,
    struct stream_session *) MUST_CHECK;
/*
 * What a connection needs to know of it, of any account: account, room, expires_us,
 * counted_us, tokens_us, node.  ERR_NOT_FOUND: it is not there any more, or its account
 * is suspended.
 */
enum err session_find(
    struct db *, struct arena *, const char *id, struct stream_session *) MUST_CHECK;
/* The same of the session that has this room, and its id. */
enum err session_find_room(
    struct db *, struct arena *, const char *room, struct stream_session *) MUST_CHECK;
/* Whether it was deleted, for its connections: while it has one it does not expire. */
enum err session_there(struct db *, const char *id, int64_t *expires_us) MUST_CHECK;
/*
 * It has a connection: it has its place until then, and lives as long at least, or
 * for its ttl from now if that is longer, also when its time was over.
 * ERR_NOT_FOUND: it is gone.
 */
enum err session_connected(
    struct db *, const char *id, int64_t now_us, int64_t counted_us) MUST_CHECK;
/* Its task was ended, and it has no connection: it is over then, as its place is. */
enum err session_ended(struct db *, const char *id, int64_t expires_us) MUST_CHECK;
/* Its last connection has ended: the place is free then. */
enum err session_left(struct db *, const char *id, int64_t counted_us) MUST_CHECK;
/*
 * Whether a name is that of the room of a session that has its place: ERR_NOT_FOUND,
 * it has no connection, and had none a minute ago.
 */
enum err session_room_taken(struct db *, const char *room) MUST_CHECK;
/*
 * A list of struct stream_session, newest first whatever the place says; of each what
 * session_get() answers.
 */
enum err session_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;
/* It lives so long from now, but not longer than its tokens. */
enum err session_extend(struct db *, const char *account, struct stream_session *,
    int64_t ttl_us) MUST_CHECK;
enum err session_drop(struct db *, const char *account, const char *id) MUST_CHECK;

/* Remove at most so many that have expired; *n counts them. */
enum err session_expire(struct db *, int64_t now_us, int most, int64_t *n) MUST_CHECK;
/* How many are open, of all accounts. */
enum err session_total(struct db *, int64_t *) MUST_CHECK;

#endif
