/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The row of a session, which counts for its quota. It is extended while the session
 * has connections, and released when the last one has left.
 */
#include "base/clock.h"
#include "session/session.h"
#include "store/credentials.h"
#include "store/sessions.h"

#define CHECK_US (4 * S_US)  /* time between two checks that the session exists */
#define RENEW_US (20 * S_US) /* time between two extensions of its row */
/* time before its expiry from which the row is extended at once */
#define SOON_US (10 * S_US)
#define LEFT_US (60 * S_US) /* time for which it counts without connections */

/* Check, extend or release the row of a session. */
struct lease_call {
	struct thread_call call;
	struct session *session;        /* a reference is held */
	const char *account, *id, *key; /* key: NULL or id of the API key */
	bool renew;                     /* extend the row */
	bool leave;                     /* the last connection has left */
	bool drop;                      /* delete the row */
	bool ended;                     /* with leave: the task has ended the session */
	bool gone;                      /* result: the session or key was deleted */
};

static void
close_if_gone(struct gateway *g, struct thread_call *e)
{
	struct lease_call *p = (struct lease_call *)e;
	struct session *s = p->session;

	(void)g;
	if (p->gone)
		session_close_soon(
		    s, CLOSE_SESSION_CLOSED, "The session or its key was deleted");
	arena_free(e->message.mem);
	session_unref(s);
}

/* Check the key and the row. Extend the row if requested, or if it expires soon. */
static enum err
renew_lease(struct db *db, const struct lease_call *p, int64_t now)
{
	int64_t expires_us;
	enum err e;

	if (p->key != NULL && (e = credential_good(db, p->key)) != OK)
		return e;
	if ((e = session_there(db, p->id, &expires_us)) != OK)
		return e;
	return p->renew || expires_us < now + SOON_US
		   ? session_connected(db, p->id, now, now + SESSION_LEASE_US)
		   : OK;
}

static void
run_lease(struct gateway *g, struct thread_call *e)
{
	struct lease_call *p = (struct lease_call *)e;
	struct db *db = g->app.db;
	int64_t now = now_us();
	enum err how;

	if (p->drop)
		how = session_drop(db, p->account, p->id);
	else if (p->leave)
		how = p->ended ? session_ended(db, p->id, now + LEFT_US)
			       : session_left(db, p->id, now + LEFT_US);
	else
		how = renew_lease(db, p, now);
	p->gone = how == ERR_NOT_FOUND && !p->leave && !p->drop;
	session_answer(g, e, close_if_gone);
}

static void
send_lease(struct session *s, bool renew, bool leave)
{
	struct lease_call *p = THREAD_CALL(struct lease_call);

	p->call.run = run_lease;
	p->session = s;
	p->account = arena_str(p->call.message.mem, s->account);
	p->id = arena_str(p->call.message.mem, s->id);
	p->key = arena_str(p->call.message.mem, s->key);
	p->ended = s->ended;
	p->renew = renew;
	p->leave = leave;
	p->drop = leave && s->own;
	session_ask(s, &p->call);
}

void
session_lease_release(struct session *s)
{
	if (s->channel != NULL)
		return;
	send_lease(s, false, true);
}

void
session_lease_tick(struct session *s, int64_t now)
{
	if (s->channel != NULL || s->connections == NULL || s->closed ||
	    now < s->lease.checked_us + CHECK_US)
		return;
	s->lease.checked_us = now;
	if (now >= s->lease.renewed_us + RENEW_US) {
		s->lease.renewed_us = now;
		send_lease(s, true, false);
	} else
		send_lease(s, false, false);
}
