/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slots for speakers' voices at the servers that clone them. A slot is a job that
 * deletes the voice, queued before the voice is made. It is postponed while the session
 * exists and becomes due when the session ends or the gateway is killed.
 */
#include "session/live_voice.h"

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "session/session.h"
#include "speech/clone.h"
#include "work/queue.h"

#define FORGET "voice.forget_live"
#define LEASE_US (15 * 60 * S_US)
#define RENEW_US (5 * 60 * S_US)

static bool
is_room(struct gateway *g)
{
	int64_t n = 0;

	if (queue_count(g->app.db, FORGET, &n) != OK ||
	    n >= g->app.conf.stream_live_voices ||
	    !limit_admit(&g->live_voices, LIMIT_LIVE_VOICES, monotonic_us())) {
		log_info("there is no room for a speaker's voice: %d", (int)n);
		return false;
	}
	return true;
}

enum err
live_voice_reserve(struct gateway *g, struct pipeline_config *w)
{
	const struct registry_engine *server = speaker_voice_server(w);
	const char *ref, *job;
	enum err e;

	if (server == NULL || !is_room(g))
		return OK;
	ref = id_new(w->mem);
	job = arena_printf(w->mem, "%s/" CLONE_NAME, server->at.id, ref);
	e = queue_add_at(
	    g->app.db, w->mem, FORGET, w->account, job, now_us() + LEASE_US);
	if (e == OK)
		speaker_voice_allow(w->speaker, server->at.id, ref);
	return e;
}

struct live_voice {
	struct thread_call call;
	const char *job;
	bool over;
};

static void
put_off(struct gateway *g, struct thread_call *e)
{
	struct live_voice *v = (struct live_voice *)e;
	struct db *db = g->app.db;
	enum err how = v->over ? queue_hasten(db, FORGET, v->job)
			       : queue_put_off(db, FORGET, v->job, now_us() + LEASE_US);

	if (how != OK)
		log_warn("a speaker's voice: %s", err_name(how));
	arena_free(e->message.mem);
}

static void
send(struct session *s, bool over)
{
	struct live_voice *v;
	const char *engine, *ref = speaker_voice_ref(s->speaker, &engine);

	if (ref == NULL)
		return;
	v = THREAD_CALL(struct live_voice);
	v->call.run = put_off;
	v->job = arena_printf(v->call.message.mem, "%s/" CLONE_NAME, engine, ref);
	v->over = over;
	mailbox_send(s->gateway->to_db_thread, &v->call.message);
}

void
live_voice_tick(struct session *s, int64_t now)
{
	if (now < s->voice_renewed_us + RENEW_US)
		return;
	s->voice_renewed_us = now;
	send(s, false);
}

void
live_voice_end(struct session *s)
{
	send(s, true);
}
