/*
 * Calls of a session to the database thread: read what a task needs, book usage, and
 * keep the session's place in the quota.  Each call holds a reference to the session.
 */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "session/payer.h"
#include "session/session.h"
#include "store/accounts.h"
#include "store/glossaries.h"
#include "store/ledger.h"
#include "store/sessions.h"
#include "store/voices.h"

#define BOOK_US (10 * S_US)  /* between two bookings of an interval */
#define BOOK_TRIES 5         /* of one booking, each as long as db.busy_ms */
#define CHECK_US (4 * S_US)  /* between two checks that the session exists */
#define RENEW_US (20 * S_US) /* between two extensions of its row */
#define SOON_US (10 * S_US)  /* before its expiry the row is extended at once */
#define LEFT_US (60 * S_US)  /* how long it keeps its place without connections */
#define VOICES (2 * TASK_TARGETS)

static void
to_db_thread(struct session *s, struct thread_call *e)
{
	s->refs++;
	mailbox_send(s->gateway->to_db_thread, &e->message);
}

static void
to_sockets(struct gateway *g, struct thread_call *e,
    void (*run)(struct gateway *, struct thread_call *))
{
	e->run = run;
	mailbox_send(g->to_event_loop, &e->message);
}

void
billing_end(struct session *s, const char *code, const char *desc)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		connection_error(c, code, desc, NULL);
	lifecycle_event(s, EVENT_GONE);
	if (s->channel != NULL)
		channel_session_stopped(s, desc);
	session_end(s, 1008, code);
}

/* The other node owns the row now, so the row is not changed. */
void
billing_move(struct session *s)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		connection_error(
		    c, "SESSION_CLOSED", "Another node serves the channel now", NULL);
	lifecycle_event(s, EVENT_GONE);
	session_end(s, 1008, "other node");
}

/* ---- what a task needs ---- */

struct prepare {
	struct thread_call call;
	struct session *session;        /* a reference is held */
	struct pipeline_config *config; /* owned */
	int number;                     /* of the task */
};

static struct glossary_term
term_of(const struct glossary_row *r)
{
	enum glossary_type type = strcmp(r->type, "asr_hot") == 0 ? GLOSSARY_HOTWORD
				  : strcmp(r->type, "asr") == 0   ? GLOSSARY_CORRECTION
								: GLOSSARY_TRANSLATION;

	return (struct glossary_term){ type, r->glossary, r->source, r->target, r->term,
		r->replacement };
}

static struct glossary_allow
allow(const struct task_glossaries *g)
{
	return (struct glossary_allow){ !g->allowed, g->ids.items, g->ids.n };
}

static struct glossary_index *
make_gloss(struct pipeline_config *w, const struct glossary_term *terms, size_t n)
{
	const struct task *t = &w->task;
	struct glossary_target targets[TASK_TARGETS];
	const struct glossary_task of = { t->language.code, allow(&t->hotwords),
		allow(&t->verification), targets, t->n_targets };

	for (size_t i = 0; i < t->n_targets; i++)
		targets[i] = (struct glossary_target){ t->targets[i].language.code,
			allow(&t->targets[i].glossaries) };
	return glossary_index_new(w->mem, &of, terms, n, &w->truncated);
}

static enum err
read_glossaries(struct db *db, struct pipeline_config *w)
{
	struct arena *mem = arena_new(); /* the index copies the terms */
	struct glossary_term *terms;
	struct list used;
	enum err e =
	    glossary_used(db, mem, w->account, 2 * GLOSSARY_ENTRIES + 1, &used);

	terms = arena_alloc(mem, used.n * sizeof(*terms));
	for (size_t i = 0; i < used.n; i++)
		terms[i] = term_of((const struct glossary_row *)used.items + i);
	if (e == OK && used.n > 0)
		w->glossary = make_gloss(w, terms, used.n);
	arena_free(mem);
	return e;
}

static enum err
read_voice(struct db *db, struct pipeline_config *w, const char *id)
{
	struct pipeline_voice *v = &w->voices[w->nvoices];
	const char *uuid = id_read(w->mem, id);
	enum err e;

	if (uuid == NULL)
		return OK;
	*v = (struct pipeline_voice){ .id = uuid };
	e = voice_spoken(db, w->mem, w->account, uuid, &v->found.voice);
	w->nvoices += e == OK;
	return e == ERR_NOT_FOUND ? OK : e;
}

static const char *
first_of(const struct list *ids)
{
	return ((const char **)ids->items)[0];
}

static enum err
read_voices(struct db *db, struct pipeline_config *w)
{
	enum err e = OK;

	w->voices = arena_alloc(w->mem, (VOICES + 1) * sizeof(*w->voices));
	for (size_t i = 0; e == OK && i < w->task.n_targets; i++) {
		const struct task_voice *v = &w->task.targets[i].voice;

		if (!v->timbre)
			e = read_voice(db, w, v->id);
		else if ((e = read_voice(db, w, first_of(&v->high))) == OK)
			e = read_voice(db, w, first_of(&v->low));
	}
	return e;
}

/* The media server room of a session.  That of a channel is known already. */
static enum err
read_media(struct db *db, struct pipeline_config *w, const struct session *session)
{
	struct stream_session s;
	enum err e;

	if (w->task.source != TASK_WEBRTC || session->channel != NULL)
		return OK;
	e = session_find(db, w->mem, session->id, &s);
	w->media = e == OK ? s.room : NULL;
	return e == ERR_NOT_FOUND ? OK : e; /* deleted: it will be closed */
}

static void
prepared(struct gateway *g, struct thread_call *e)
{
	struct prepare *p = (struct prepare *)e;
	struct session *s = p->session;

	(void)g;
	if (s->asked == p->number && !s->closed)
		s->ops->start(s, p->config, p->number);
	else {
		registry_drop(p->config->registry);
		arena_free(p->config->mem);
	}
	arena_free(e->message.mem);
	session_unref(s);
}

static void
prepare(struct gateway *g, struct thread_call *e)
{
	struct prepare *p = (struct prepare *)e;

	if (g->app.db == NULL || read_media(g->app.db, p->config, p->session) != OK ||
	    read_glossaries(g->app.db, p->config) != OK ||
	    read_voices(g->app.db, p->config) != OK)
		log_warn("a task begins without its glossaries");
	to_sockets(g, e, prepared);
}

void
billing_prepare(struct session *s, struct pipeline_config *w, int number)
{
	struct prepare *p = THREAD_CALL(struct prepare);

	p->call.run = prepare;
	p->session = s;
	p->config = w;
	p->number = number;
	to_db_thread(s, &p->call);
}

/* ---- the bill ---- */

/* One booking. */
struct entry {
	struct thread_call call;
	struct session *session; /* a reference is held */
	const char *account;
	const char *reference; /* unique: a repeated booking is refused */
	const char *event;     /* id, or NULL */
	enum metered kind;
	int64_t from_us, to_us; /* since the start of the interval; TTS: code points */
	int64_t balance_micro;  /* result: credits x 1,000,000 */
	enum err how;           /* result */
	int tries;              /* so far */
};

static void enter(struct gateway *, struct thread_call *);

static void
entered(struct gateway *g, struct thread_call *e)
{
	struct entry *b = (struct entry *)e;
	struct session *s = b->session;

	if (b->how != OK && b->tries < BOOK_TRIES) {
		e->run = enter;
		mailbox_send(g->to_db_thread, &e->message);
		return;
	}
	if (b->how != OK)
		log_error("%s is not booked", b->reference);
	else if (b->balance_micro <= 0)
		payer_spent(s->payer);
	arena_free(e->message.mem);
	session_unref(s);
}

static enum err
write_entry(struct gateway *g, struct entry *b)
{
	struct db *db = g->app.db;
	struct arena *mem = b->call.message.mem;
	const struct usage u = { .account = b->account,
		.reference = b->reference,
		.micro = price_micro(g->conf, b->kind, b->from_us, b->to_us),
		.event = b->event,
		.streamed_us = b->to_us - b->from_us,
		.active_us = now_us() };
	enum err e;

	if ((e = db_begin(db)) != OK || (e = ledger_use(db, mem, &u)) != OK ||
	    (e = db_commit(db)) != OK)
		db_rollback(db);
	if (e != OK && e != ERR_CONFLICT) /* CONFLICT: an earlier try succeeded */
		return e;
	return ledger_balance(db, b->account, &b->balance_micro);
}

static void
enter(struct gateway *g, struct thread_call *e)
{
	struct entry *b = (struct entry *)e;

	b->how = write_entry(g, b);
	b->tries++;
	if (b->how != OK)
		log_warn("%s was not booked: %s", b->reference, err_name(b->how));
	to_sockets(g, e, entered);
}

void
billing_use(struct session *s, enum metered kind, const char *interval, int64_t from,
    int64_t to)
{
	static const char *const names[] = { [METER_S2S] = "s2s",
		[METER_CAPTIONS] = "s2s",
		[METER_STT] = "stt",
		[METER_BROADCAST] = "broadcast",
		[METER_TTS] = "tts" };
	struct entry *b = THREAD_CALL(struct entry);
	struct arena *mem = b->call.message.mem;

	b->call.run = enter;
	b->session = s;
	b->account = arena_str(mem, s->account);
	b->kind = kind;
	b->from_us = from;
	b->to_us = to;
	b->event = s->channel != NULL
		       ? arena_str(mem, channel_session_event(s->channel))
		       : NULL;
	b->reference = arena_printf(
	    mem, "%s:%s:%s:%lld", names[kind], s->id, interval, (long long)from);
	to_db_thread(s, &b->call);
}

bool
billing_running(const struct session *s, int64_t now, struct running *to)
{
	const struct task *t = s->now != NULL ? pipeline_task(s->now->pipeline) : NULL;
	enum metered kind = s->channel != NULL          ? METER_BROADCAST
			    : t != NULL && t->text_only ? METER_CAPTIONS
							: METER_S2S;

	*to =
	    (struct running){ kind, s->booked_us - s->metered_us, now - s->metered_us };
	return s->metered_us != 0 && now > s->booked_us;
}

static void
book(struct session *s, int64_t now)
{
	struct running u;

	if (!billing_running(s, now, &u))
		return;
	billing_use(s, u.kind, s->interval_id, u.from, u.to);
	s->booked_us = now;
}

void
billing_meter(struct session *s, bool on, int64_t now)
{
	if (on == (s->metered_us != 0))
		return;
	if (on) {
		s->metered_us = s->booked_us = now;
		s->interval_id = id_new(s->mem);
		return;
	}
	book(s, now);
	s->metered_us = 0;
}

/* ---- the session's place ---- */

/* Check, extend or release the row of a session. */
struct place {
	struct thread_call call;
	struct session *session;        /* a reference is held */
	const char *account, *id, *key; /* key: NULL or id of the API key */
	bool renew;                     /* extend the row */
	bool leave;                     /* the last connection has left */
	bool drop;                      /* delete the row */
	bool ended;                     /* with leave: the task has ended it */
	bool gone;                      /* result: session or key was deleted */
};

static void
placed(struct gateway *g, struct thread_call *e)
{
	struct place *p = (struct place *)e;
	struct session *s = p->session;

	(void)g;
	if (p->gone && !s->closed)
		billing_end(s, "SESSION_CLOSED",
		    "The session or its key is not there any more");
	arena_free(e->message.mem);
	session_unref(s);
}

/* Check the key and the row; extend the row if asked or if it expires soon. */
static enum err
keep_place(struct db *db, const struct place *p, int64_t now)
{
	int64_t expires_us;
	enum err e;

	if (p->key != NULL && (e = credential_good(db, p->key)) != OK)
		return e;
	if ((e = session_there(db, p->id, &expires_us)) != OK)
		return e;
	return p->renew || expires_us < now + SOON_US
		   ? session_connected(db, p->id, now, now + SESSION_PLACE_US)
		   : OK;
}

static void
place(struct gateway *g, struct thread_call *e)
{
	struct place *p = (struct place *)e;
	struct db *db = g->app.db;
	int64_t now = now_us();
	enum err how;

	if (p->drop)
		how = session_drop(db, p->account, p->id);
	else if (p->leave)
		how = p->ended ? session_ended(db, p->id, now + LEFT_US)
			       : session_left(db, p->id, now + LEFT_US);
	else
		how = keep_place(db, p, now);
	p->gone = how == ERR_NOT_FOUND && !p->leave && !p->drop;
	to_sockets(g, e, placed);
}

static void
send_place(struct session *s, bool renew, bool leave)
{
	struct place *p = THREAD_CALL(struct place);

	p->call.run = place;
	p->session = s;
	p->account = arena_str(p->call.message.mem, s->account);
	p->id = arena_str(p->call.message.mem, s->id);
	p->key = arena_str(p->call.message.mem, s->key);
	p->ended = s->ended;
	p->renew = renew;
	p->leave = leave;
	p->drop = leave && s->own;
	to_db_thread(s, &p->call);
}

void
billing_leave(struct session *s)
{
	if (s->channel != NULL)
		return;
	send_place(s, false, true);
}

void
billing_tick(struct session *s, int64_t now)
{
	if (s->metered_us != 0 && now >= s->booked_us + BOOK_US)
		book(s, now);
	if (s->channel != NULL || s->connections == NULL || s->closed ||
	    now < s->checked_us + CHECK_US)
		return;
	s->checked_us = now;
	if (now >= s->renewed_us + RENEW_US) {
		s->renewed_us = now;
		send_place(s, true, false);
	} else
		send_place(s, false, false);
}
