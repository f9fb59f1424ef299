/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Authorization of sockets: for sessions and channels by token. An API key opens a new
 * session.
 */
#include "server/admission.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/lang.h"
#include "channel/channel_session.h"
#include "gateway/node_claim.h"
#include "gateway/session_quota.h"
#include "store/channels.h"
#include "store/listener_joins.h"
#include "store/sessions.h"

#define OWN_US (120 * S_US) /* renewed regularly; expires soon after a crash */

static bool
refuse(struct request *rq, struct reply *no, enum err e)
{
	*no = problem_err(rq, e);
	return false;
}

static bool
unknown(struct request *rq, struct reply *no)
{
	*no = auth_unknown(rq);
	return false;
}

/* Create a session that ends with this connection. */
static bool
open_own(struct request *rq, struct connection_request *v, const struct caller *who,
    const char *intent, struct reply *no)
{
	struct stream_session s = session_new(rq->mem, rq->conf, who->account, intent);
	enum err e;

	s.ttl_us = OWN_US;
	s.expires_us = s.created_us + OWN_US;
	s.node = rq->conf->node;

	if ((e = db_begin(rq->db, who->account)) != OK)
		return refuse(rq, no, e);
	if (!session_quota_is_free(rq, who, no))
		return false;
	if ((e = session_add(rq->db, rq->mem, &s)) != OK)
		return refuse(rq, no, e);
	v->own = true;
	v->stream = arena_str(v->call.message.mem, s.id);
	v->room = arena_str(v->call.message.mem, s.room);
	return true;
}

/* Take the quota slot again if it expired. */
static bool
renew_quota(struct request *rq, const struct stream_session *s, struct reply *no)
{
	struct caller who;
	enum err e;

	if (s->counted_us > now_us())
		return true;
	if ((e = caller_by_account(rq->db, rq->mem, rq->conf, s->account, &who)) !=
		OK ||
	    (e = db_begin(rq->db, s->account)) != OK)
		return refuse(rq, no, e);
	return session_quota_is_free(rq, &who, no);
}

/* Check the syntax only: the task decides later whether it has this language. */
static const char *
session_language(struct arena *mem, const char *said)
{
	const char *code = lang_fold(mem, said);

	return language_code_known(code) || language_code_is_no_target(code) ? code
									     : NULL;
}

/* The target for a requested language, as the channel spells it; NULL: none. */
static const char *
channel_language(struct arena *mem, const struct channel *c, const char *said)
{
	const char *code = lang_fold(mem, said);
	struct list targets = texts_read(mem, c->target_languages);
	const char *const *items = targets.items;

	if (language_code_is_no_target(code))
		return code;
	for (size_t i = 0; i < targets.n; i++)
		if (strcmp(items[i], code) == 0)
			return code;
	for (size_t i = 0; i < targets.n; i++)
		if (lang_same_base(items[i], code))
			return items[i];
	return NULL;
}

/* Set the language of a listener. c: NULL for a session. */
static bool
set_language(struct request *rq, struct connection_request *v, const struct channel *c,
    const char *said, struct reply *no)
{
	const char *code;

	if (v->writes || said == NULL)
		return true;
	code = c != NULL ? channel_language(rq->mem, c, said)
			 : session_language(rq->mem, said);
	if (code != NULL) {
		v->language = arena_str(v->call.message.mem, code);
		return true;
	}
	*no = problem_faults(
	    rq, NULL, fault_add(rq->mem, NULL, "/language", "is not spoken here"));
	return false;
}

/*
 * Open a session of its own in which a channel's speaker tries the microphone: nothing
 * of it reaches the channel.
 */
static bool
enter_check(struct request *rq, struct connection_request *v, const struct channel *c,
    struct reply *no)
{
	struct caller who;
	enum err e;

	if (!session_quota_is_paid(rq, c->account, no))
		return false;
	e = caller_by_account(rq->db, rq->mem, rq->conf, c->account, &who);
	if (e != OK)
		return refuse(rq, no, e);
	v->account = arena_str(v->call.message.mem, c->account);
	return open_own(rq, v, &who, "stt", no);
}

static bool
enter_channel(struct gateway *g, struct request *rq, struct connection_request *v,
    const struct channel *c, struct reply *no)
{
	const struct node_task task = { NODE_CHANNEL, c->id, c->node, true };
	struct arena *mem = v->call.message.mem;

	if (v->kind == SOCKET_STT && v->writes)
		return enter_check(rq, v, c, no);
	if (v->kind != SOCKET_S2S) {
		*no = problem(rq, P_NO_SCOPE, "A channel has no such socket.");
		return false;
	}
	if (!node_is_ours(g, rq, &task, &v->lease, no) ||
	    !session_quota_is_paid(rq, c->account, no))
		return false;
	v->account = arena_str(mem, c->account);
	v->stream = arena_str(mem, c->id);
	v->event = arena_str(mem, c->event);
	v->pipeline = channel_pipeline(mem, c);
	v->moderation = channel_moderation(mem, c);
	return true;
}

/*
 * True if the token is for a channel: then its room name begins with the channel's id.
 */
static bool
names_channel(const struct stream_token *t)
{
	return t->room != NULL && strncmp(t->room, t->sid, strlen(t->sid)) == 0;
}

/* A listener token is valid only while its access code is unchanged. */
static bool
has_code(struct request *rq, const struct connection_request *v,
    const struct stream_token *t, struct reply *no)
{
	int64_t version = 0;
	enum err e;

	if (t->role != STREAM_LISTENER || v->event == NULL)
		return true;
	if ((e = listener_join_code(rq->db, v->event, &version)) != OK)
		return refuse(rq, no, e);
	return version == t->code_version || unknown(rq, no);
}

/* A token to speak on a channel is valid only until a newer one is made. */
static bool
may_speak(struct request *rq, const struct channel *c, const struct stream_token *t,
    struct reply *no)
{
	return !t->speaks || t->speaker_version == c->speaker_version ||
	       unknown(rq, no);
}

static bool
deny(struct request *rq, struct reply *no)
{
	*no = problem(rq, P_NO_SCOPE, "permissions denied");
	return false;
}

/*
 * Clients of LiveKit need grants for exactly this room; room: its name. Tokens for
 * sockets name only the session.
 */
static bool
may_join(struct request *rq, const struct connection_request *v,
    const struct stream_token *t, const char *room, struct reply *no)
{
	if (v->signal == NULL ||
	    (t->joins && t->room != NULL && room != NULL && strcmp(t->room, room) == 0))
		return true;
	return deny(rq, no);
}

/*
 * Find the stream of a token that names only a room, as tokens of LiveKit's clients do.
 */
static bool
find_stream(struct request *rq, const struct connection_request *v,
    struct stream_token *t, struct reply *no)
{
	struct stream_session s;
	enum err e;

	if (v->signal == NULL)
		return unknown(rq, no);
	if (t->room == NULL)
		return deny(rq, no);
	t->sid = id_read(
	    rq->mem, arena_dup(rq->mem, t->room, strnlen(t->room, strlen(ID_NIL))));
	if (t->sid != NULL)
		return true;
	if ((e = session_find_room(rq->db, rq->mem, t->room, &s)) == OK)
		t->sid = s.id;
	return e == OK || (e == ERR_NOT_FOUND ? deny(rq, no) : refuse(rq, no, e));
}

static bool
enter_session(struct gateway *g, struct request *rq, struct connection_request *v,
    const struct stream_token *t, struct reply *no)
{
	const char *id = t->sid;
	struct node_task task = { NODE_SESSION, id, NULL };
	struct stream_session s;
	enum err e = session_find(rq->db, rq->mem, id, &s);

	if (e == ERR_NOT_FOUND)
		return unknown(rq, no);
	if (e != OK)
		return refuse(rq, no, e);
	task.node = s.node;
	if (!may_join(rq, v, t, s.room, no) ||
	    !node_is_ours(g, rq, &task, &v->lease, no) ||
	    !session_quota_is_paid(rq, s.account, no) || !renew_quota(rq, &s, no))
		return false;
	e = session_connected(rq->db, id, now_us(), now_us() + SESSION_LEASE_US);
	if (e != OK)
		return refuse(rq, no, e);
	v->account = arena_str(v->call.message.mem, s.account);
	v->stream = arena_str(v->call.message.mem, id);
	v->room = arena_str(v->call.message.mem, s.room);
	return true;
}

/* Enter the session or channel of the token.  c->id stays NULL for a session. */
static bool
enter_stream(struct gateway *g, struct request *rq, struct connection_request *v,
    struct stream_token *t, struct channel *c, struct reply *no)
{
	bool ours = t->sid != NULL;
	enum err e;

	if (!ours && !find_stream(rq, v, t, no))
		return false;
	if (!names_channel(t))
		return enter_session(g, rq, v, t, no);
	e = channel_on_air(rq->db, rq->mem, t->sid, c);
	if (!ours) /* treat it as our newest one */
		t->speaker_version = c->speaker_version;
	if (e == OK)
		return may_speak(rq, c, t, no) &&
		       may_join(rq, v, t, c->broadcast, no) &&
		       enter_channel(g, rq, v, c, no) && has_code(rq, v, t, no);
	return e == ERR_NOT_FOUND ? unknown(rq, no) : refuse(rq, no, e);
}

/*
 * Returns the key of the connect limiter. Each listener of an event has an id, because
 * all listeners of a venue may connect at once from one address. A subscriber token has
 * no id and may be shared, so it counts by address. The prefixes keep the kinds apart.
 */
static const char *
counted_by(struct request *rq, const struct connection_request *v,
    const struct stream_token *t)
{
	struct arena *mem = v->call.message.mem;
	const char *token;

	if (t->speaks)
		return arena_str(mem, t->sid);
	if (t->role == STREAM_LISTENER && t->listener != NULL)
		return arena_printf(mem, "listener %s", t->listener);
	token = auth_sent(rq);
	return arena_printf(
	    mem, "token %s %s", hash_hex(rq->mem, token, strlen(token)), rq->network);
}

bool
admission_by_token(struct gateway *g, struct request *rq, struct connection_request *v,
    struct stream_token *t, struct reply *no)
{
	struct arena *mem = v->call.message.mem;
	const struct stream_in *in = rq->query;
	struct channel c = { 0 };

	v->writes = t->speaks;
	v->listens = !t->silent;
	if (!enter_stream(g, rq, v, t, &c, no) ||
	    !set_language(rq, v, c.id != NULL ? &c : NULL,
		in->language != NULL ? in->language : t->language, no))
		return false;
	v->credential = counted_by(rq, v, t);
	v->listener = arena_str(mem, t->listener);
	v->bystander = t->bystander != NULL;
	v->code_version = t->code_version;
	v->speaker_version = t->speaker_version;
	if (t->speaks || v->kind == SOCKET_S2S)
		return true;
	*no = problem(rq, P_NO_SCOPE, "This token may only listen.");
	return false;
}

bool
admission_by_key(struct request *rq, struct connection_request *v, struct reply *no)
{
	static const char *const scopes[] = { "s2s", "stt", "tts" };
	static const char *const intents[] = { "api", "stt", "tts_api" };

	if (!auth_pass(rq, scopes[v->kind], no) ||
	    !session_quota_is_paid(rq, rq->who->account, no) ||
	    !open_own(rq, v, rq->who, intents[v->kind], no))
		return false;
	v->account = arena_str(v->call.message.mem, rq->who->account);
	v->credential = v->account;
	if (rq->who->credential[0] != '\0')
		v->credential = v->key =
		    arena_str(v->call.message.mem, rq->who->credential);
	v->writes = v->listens = true;
	return true;
}
