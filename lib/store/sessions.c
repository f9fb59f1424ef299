/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sessions.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"

#define DAY_S 86400
#define ROOM_CHARS 8
#define ROOM_TRIES 8 /* a second attempt is hardly ever needed */

/* clang-format off */
const struct field	 stream_session_fields[] = FIELDS(
	{ "id",         F_TEXT, MEMBER(stream_session, id),         .flags = F_OUT | F_ADD },
	{ "created_at", F_TIME, MEMBER(stream_session, created_us), .flags = F_OUT | F_ADD, .column = "created_us" },
	{ "updated_at", F_TIME, MEMBER(stream_session, updated_us), .flags = F_OUT | F_KEPT, .column = "updated_us" },
	{ "expires_at", F_TIME, MEMBER(stream_session, expires_us), .flags = F_OUT | F_KEPT, .column = "expires_us" },
	{ "account",    F_TEXT, MEMBER(stream_session, account),    .flags = F_ADD },
	{ "counted_us", F_INT,  MEMBER(stream_session, counted_us), .flags = F_ADD },
	{ "tokens_us",  F_INT,  MEMBER(stream_session, tokens_us),  .flags = F_ADD },
	{ "ttl_us",     F_INT,  MEMBER(stream_session, ttl_us),     .flags = F_KEPT },
	{ "intent",     F_TEXT, MEMBER(stream_session, intent),     .flags = F_ADD },
	{ "room",       F_TEXT, MEMBER(stream_session, room),       .flags = F_ADD },
	{ "node",       F_TEXT, MEMBER(stream_session, node),       .flags = F_ADD }
);

#define STREAM_SESSION(rest) "SELECT {s.*} FROM sessions s " rest, \
	ROWS_OF(stream_session_fields, struct stream_session)
#define ACTIVE  "JOIN accounts a ON a.id = s.account WHERE s.expires_us > $2 AND a.status = 'active'"
#define OPEN    " id = $2 AND account = $1 AND expires_us > $3"

enum {
	ADD, COUNT, GET, LIST, EXTEND, DROP, EXPIRE, TOTAL, FIND, THERE, CONNECTED,
	ENDED, LEFT, ROOM, FIND_ROOM, SQL_END
};

const struct sql	 session_sql[SQL_END + 1] = {
	[ADD] = { "session.add",
	    "INSERT INTO sessions ({names}) VALUES ({values}) ON CONFLICT (room) DO NOTHING",
	    .from = stream_session_fields },
	[COUNT] = { "session.count",
	    "SELECT count(*) FROM sessions WHERE account = $1 AND counted_us > $2"
	    " AND expires_us > $2" },
	[GET] = { "session.get", STREAM_SESSION("WHERE" OPEN) },
	[LIST] = { "session.list",
	    STREAM_SESSION("WHERE account = $1 AND (created_us, id) < ($2, $3) AND expires_us > $5"
		" ORDER BY created_us DESC, id DESC LIMIT $4") },
	[EXTEND] = { "session.extend",
	    "UPDATE sessions SET {changes} WHERE id = :id AND account = $1"
	    " AND expires_us > :updated_us", .from = stream_session_fields },
	[DROP] = { "session.drop", "DELETE FROM sessions WHERE" OPEN, NULL },
	[EXPIRE] = { "session.expire",
	    "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_us <= $1"
	    " LIMIT $2)" },
	[TOTAL] = { "session.total", "SELECT count(*) FROM sessions WHERE expires_us > $1" },
	[FIND] = { "session.find", STREAM_SESSION(ACTIVE " AND s.id = $1") },
	[FIND_ROOM] = { "session.find_room", STREAM_SESSION(ACTIVE " AND s.room = $1") },
	[THERE] = { "session.there", "SELECT expires_us FROM sessions WHERE id = $1" },
	[CONNECTED] = { "session.connected",
	    "UPDATE sessions SET counted_us = $3, expires_us = min(tokens_us,"
	    " max(expires_us, $2 + ttl_us, $3)) WHERE id = $1",
	    "UPDATE sessions SET counted_us = $3, expires_us = least(tokens_us,"
	    " greatest(expires_us, $2 + ttl_us, $3)) WHERE id = $1" },
	[ENDED] = { "session.ended",
	    "UPDATE sessions SET counted_us = $2, expires_us = min(tokens_us, $2) WHERE id = $1",
	    "UPDATE sessions SET counted_us = $2, expires_us = least(tokens_us, $2)"
	    " WHERE id = $1" },
	[LEFT] = { "session.left", "UPDATE sessions SET counted_us = $2 WHERE id = $1" },
	[ROOM] = { "session.room", "SELECT 1 FROM sessions WHERE room = $1 AND counted_us > $2" },
};
/* clang-format on */

/*
 * All letters are equally likely: a random number beyond the last one is drawn again.
 */
static const char *
new_room(struct arena *mem)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	char *room = arena_alloc(mem, ROOM_CHARS + 1);
	unsigned char b;

	for (int i = 0; i < ROOM_CHARS;) {
		random_bytes(&b, 1);
		if ((b &= 63) < sizeof(letters) - 1)
			room[i++] = letters[b];
	}
	return room;
}

/* Tokens expire at a whole second, so no session outlives them by a fraction of one. */
struct stream_session
session_new(
    struct arena *mem, const struct conf *conf, const char *account, const char *intent)
{
	int64_t now = now_us(), ttl = conf->session_ttl_s * S_US;
	int64_t end = (now / S_US + conf->session_token_days * DAY_S) * S_US;

	return (struct stream_session){
		.id = id_new(mem),
		.account = account,
		.created_us = now,
		.expires_us = now + ttl < end ? now + ttl : end,
		.counted_us = now + SESSION_UNUSED_US,
		.tokens_us = end,
		.ttl_us = ttl,
		.intent = intent,
		.room = new_room(mem),
	};
}

enum err
session_add(struct db *db, struct arena *mem, struct stream_session *s)
{
	enum err e = ERR_CONFLICT;

	for (int i = 0; i < ROOM_TRIES && e == ERR_CONFLICT; i++) {
		if (i > 0 || s->room == NULL)
			s->room = new_room(mem);
		s->updated_us = s->created_us;
		e = db_save(db, &session_sql[ADD], s, ARGS(), ERR_CONFLICT);
	}
	return e;
}

enum err
session_count(struct db *db, const char *account, int64_t *n)
{
	return db_number(
	    db, &session_sql[COUNT], ARGS(TEXT(account), INT(now_us())), n);
}

enum err
session_get(struct db *db, struct arena *mem, const char *account, const char *id,
    struct stream_session *s)
{
	return db_one(db, &session_sql[GET],
	    ARGS(TEXT(account), TEXT(id), INT(now_us())), mem, s);
}

enum err
session_find(struct db *db, struct arena *mem, const char *id, struct stream_session *s)
{
	return db_one(db, &session_sql[FIND], ARGS(TEXT(id), INT(now_us())), mem, s);
}

enum err
session_find_room(
    struct db *db, struct arena *mem, const char *room, struct stream_session *s)
{
	return db_one(
	    db, &session_sql[FIND_ROOM], ARGS(TEXT(room), INT(now_us())), mem, s);
}

enum err
session_there(struct db *db, const char *id, int64_t *expires_us)
{
	struct rows rs = db_query(db, &session_sql[THERE], ARGS(TEXT(id)));

	if (db_next(&rs))
		*expires_us = row_int(&rs, 0);
	return db_done_one(&rs);
}

enum err
session_connected(struct db *db, const char *id, int64_t now, int64_t counted_us)
{
	return db_change(db, &session_sql[CONNECTED],
	    ARGS(TEXT(id), INT(now), INT(counted_us)), ERR_NOT_FOUND);
}

enum err
session_ended(struct db *db, const char *id, int64_t expires_us)
{
	return db_change(
	    db, &session_sql[ENDED], ARGS(TEXT(id), INT(expires_us)), ERR_NOT_FOUND);
}

enum err
session_left(struct db *db, const char *id, int64_t counted_us)
{
	return db_change(
	    db, &session_sql[LEFT], ARGS(TEXT(id), INT(counted_us)), ERR_NOT_FOUND);
}

enum err
session_room_taken(struct db *db, const char *room)
{
	return db_there(db, &session_sql[ROOM], ARGS(TEXT(room), INT(now_us())));
}

enum err
session_list(struct db *db, struct arena *mem, const char *account,
    const struct list_cursor *from, struct list *to)
{
	return db_list(db, &session_sql[LIST],
	    ARGS(TEXT(account), CURSOR(from), INT(now_us())), mem, to);
}

enum err
session_extend(
    struct db *db, const char *account, struct stream_session *s, int64_t ttl_us)
{
	s->updated_us = now_us();
	s->ttl_us = ttl_us;
	s->expires_us = s->updated_us + ttl_us;
	if (s->expires_us > s->tokens_us)
		s->expires_us = s->tokens_us;
	return db_save(db, &session_sql[EXTEND], s, ARGS(TEXT(account)), ERR_NOT_FOUND);
}

enum err
session_drop(struct db *db, const char *account, const char *id)
{
	return db_change(db, &session_sql[DROP],
	    ARGS(TEXT(account), TEXT(id), INT(now_us())), ERR_NOT_FOUND);
}

enum err
session_expire(struct db *db, int64_t now, int most, int64_t *n)
{
	return db_exec(db, &session_sql[EXPIRE], ARGS(INT(now), INT(most)), n);
}

enum err
session_total(struct db *db, int64_t *n)
{
	return db_number(db, &session_sql[TOTAL], ARGS(INT(now_us())), n);
}
