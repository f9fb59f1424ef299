/*
 * What the desk does for a room: it reads what a task needs, writes the bill, and
 * keeps the session's place.  Every errand comes back to the room.
 */
#include <string.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/id.h"
#include "base/log.h"
#include "gateway/payer.h"
#include "gateway/room.h"
#include "store/accounts.h"
#include "store/glossaries.h"
#include "store/ledger.h"
#include "store/sessions.h"
#include "store/voices.h"

#define BOOK_US (10 * S_US)  /* between two entries of an interval */
#define BOOK_TRIES 5         /* at one of them, each as long as db.busy_ms */
#define CHECK_US (4 * S_US)  /* between two looks whether the session is there */
#define RENEW_US (20 * S_US) /* between two extensions of its life and place */
#define SOON_US (10 * S_US)  /* before its end a session is renewed at once */
#define LEFT_US (60 * S_US)  /* that a session that was left keeps its place */
#define VOICES (2 * TASK_TARGETS)

static void
to_desk(struct room *r, struct errand *e)
{
	r->owed++;
	mailbox_send(r->gate->to_desk, &e->letter);
}

static void
to_sockets(
    struct gate *g, struct errand *e, void (*run)(struct gate *, struct errand *))
{
	e->run = run;
	mailbox_send(g->to_sockets, &e->letter);
}

void
book_end(struct room *r, const char *code, const char *desc)
{
	for (struct client *c = r->clients; c != NULL; c = c->next)
		client_error(c, code, desc, NULL);
	talk_event(r, EVENT_GONE);
	if (r->air != NULL)
		onair_stopped(r, desc);
	room_end(r, 1008, code);
}

/* What the row says is the other node's affair from now on. */
void
book_move(struct room *r)
{
	for (struct client *c = r->clients; c != NULL; c = c->next)
		client_error(
		    c, "SESSION_CLOSED", "Another node serves the channel now", NULL);
	talk_event(r, EVENT_GONE);
	room_end(r, 1008, "other node");
}

/* ---- what a task needs ---- */

struct prepare {
	struct errand errand;
	struct room *room;
	struct run_want *want;
	int number;
};

struct rows_to {
	struct arena *mem;
	const struct glossary_used *of;
	struct gloss_row *rows;
	size_t n, room;
};

static const char *
cell(struct arena *mem, const struct csv_row *row, size_t i)
{
	return i < row->n ? arena_dup(mem, row->cells[i].p, row->cells[i].n) : NULL;
}

static bool
add_row(void *arg, const struct csv_row *row)
{
	struct rows_to *to = arg;
	enum gloss_type type = strcmp(to->of->type, "asr_hot") == 0 ? GLOSS_HOT
			       : strcmp(to->of->type, "asr") == 0   ? GLOSS_HEARD
								    : GLOSS_TRANSLATION;

	if (to->n == to->room) {
		size_t more = 2 * to->room + 64;
		struct gloss_row *rows = arena_alloc(to->mem, more * sizeof(*rows));

		if (to->n > 0)
			memcpy(rows, to->rows, to->n * sizeof(*rows));
		to->rows = rows;
		to->room = more;
	}
	to->rows[to->n++] = (struct gloss_row){ type, to->of->id, to->of->source,
		to->of->target, cell(to->mem, row, 0), cell(to->mem, row, 1) };
	return to->n <= 2 * GLOSS_ENTRIES;
}

static struct gloss_allow
allow(const struct task_glossaries *g)
{
	return (struct gloss_allow){ !g->allowed, g->ids.items, g->ids.n };
}

static struct gloss *
make_gloss(struct run_want *w, const struct rows_to *rows)
{
	const struct task *t = &w->task;
	struct gloss_target targets[TASK_TARGETS];
	const struct gloss_task of = { t->language.code, allow(&t->hotwords),
		allow(&t->verification), targets, t->n_targets };

	for (size_t i = 0; i < t->n_targets; i++)
		targets[i] = (struct gloss_target){ t->targets[i].language.code,
			allow(&t->targets[i].glossaries) };
	return gloss_new(w->mem, &of, rows->rows, rows->n, &w->truncated);
}

static enum err
read_glossaries(struct db *db, struct run_want *w)
{
	struct arena *mem = arena_new(); /* the rows are only needed until then */
	struct rows_to to = { .mem = mem };
	struct list used;
	enum err e = glossary_used(db, mem, w->account, &used);

	for (size_t i = 0; e == OK && i < used.n; i++) {
		to.of = (const struct glossary_used *)used.items + i;
		csv_read(mem, to.of->csv, strlen(to.of->csv), add_row, &to);
	}
	if (e == OK && to.n > 0)
		w->gloss = make_gloss(w, &to);
	arena_free(mem);
	return e;
}

static enum err
read_voice(struct db *db, struct run_want *w, const char *id)
{
	struct run_voice *v = &w->voices[w->nvoices];
	const char *uuid = id_read(w->mem, id);
	enum err e;

	if (uuid == NULL)
		return OK;
	*v = (struct run_voice){ .id = uuid };
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
read_voices(struct db *db, struct run_want *w)
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

/* A session's room at the media server; a channel's is known before. */
static enum err
read_media(struct db *db, struct run_want *w, const struct room *r)
{
	struct stream_session s;
	enum err e;

	if (w->task.source != TASK_WEBRTC || r->air != NULL)
		return OK;
	e = session_find(db, w->mem, r->id, &s);
	w->media = e == OK ? s.room : NULL;
	return e == ERR_NOT_FOUND ? OK : e; /* its connections are about to end */
}

static void
prepared(struct gate *g, struct errand *e)
{
	struct prepare *p = (struct prepare *)e;
	struct room *r = p->room;

	(void)g;
	if (r->asked == p->number && !r->closed)
		r->ops->start(r, p->want, p->number);
	else {
		registry_drop(p->want->registry);
		arena_free(p->want->mem);
	}
	arena_free(e->letter.mem);
	room_paid(r);
}

static void
prepare(struct gate *g, struct errand *e)
{
	struct prepare *p = (struct prepare *)e;

	if (g->app.db == NULL || read_media(g->app.db, p->want, p->room) != OK ||
	    read_glossaries(g->app.db, p->want) != OK ||
	    read_voices(g->app.db, p->want) != OK)
		log_warn("a task begins without its glossaries");
	to_sockets(g, e, prepared);
}

void
book_prepare(struct room *r, struct run_want *w, int number)
{
	struct prepare *p = ERRAND(struct prepare);

	p->errand.run = prepare;
	p->room = r;
	p->want = w;
	p->number = number;
	to_desk(r, &p->errand);
}

/* ---- the bill ---- */

struct entry {
	struct errand errand;
	struct room *room;
	const char *account, *reference, *event;
	enum metered kind;
	int64_t from_us, to_us; /* of the interval; code points of TTS */
	int64_t balance_micro;
	enum err how;
	int tries;
};

static void enter(struct gate *, struct errand *);

static void
entered(struct gate *g, struct errand *e)
{
	struct entry *b = (struct entry *)e;
	struct room *r = b->room;

	if (b->how != OK && b->tries < BOOK_TRIES) {
		e->run = enter;
		mailbox_send(g->to_desk, &e->letter);
		return;
	}
	if (b->how != OK)
		log_error("%s is not booked", b->reference);
	else if (b->balance_micro <= 0)
		payer_spent(r->payer);
	arena_free(e->letter.mem);
	room_paid(r);
}

static enum err
write_entry(struct gate *g, struct entry *b)
{
	struct db *db = g->app.db;
	struct arena *mem = b->errand.letter.mem;
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
	if (e != OK && e != ERR_CONFLICT) /* it was booked, and that was not heard of */
		return e;
	return ledger_balance(db, b->account, &b->balance_micro);
}

static void
enter(struct gate *g, struct errand *e)
{
	struct entry *b = (struct entry *)e;

	b->how = write_entry(g, b);
	b->tries++;
	if (b->how != OK)
		log_warn("%s was not booked: %s", b->reference, err_name(b->how));
	to_sockets(g, e, entered);
}

void
book_use(
    struct room *r, enum metered kind, const char *interval, int64_t from, int64_t to)
{
	static const char *const names[] = { [METER_S2S] = "s2s",
		[METER_CAPTIONS] = "s2s",
		[METER_STT] = "stt",
		[METER_BROADCAST] = "broadcast",
		[METER_TTS] = "tts" };
	struct entry *b = ERRAND(struct entry);
	struct arena *mem = b->errand.letter.mem;

	b->errand.run = enter;
	b->room = r;
	b->account = arena_str(mem, r->account);
	b->kind = kind;
	b->from_us = from;
	b->to_us = to;
	b->event = r->air != NULL ? arena_str(mem, onair_event(r->air)) : NULL;
	b->reference = arena_printf(
	    mem, "%s:%s:%s:%lld", names[kind], r->id, interval, (long long)from);
	to_desk(r, &b->errand);
}

bool
book_running(const struct room *r, int64_t now, struct running *to)
{
	const struct task *t = r->now != NULL ? run_task(r->now->run) : NULL;
	enum metered kind = r->air != NULL              ? METER_BROADCAST
			    : t != NULL && t->text_only ? METER_CAPTIONS
							: METER_S2S;

	*to =
	    (struct running){ kind, r->booked_us - r->metered_us, now - r->metered_us };
	return r->metered_us != 0 && now > r->booked_us;
}

static void
book(struct room *r, int64_t now)
{
	struct running u;

	if (!book_running(r, now, &u))
		return;
	book_use(r, u.kind, r->interval_id, u.from, u.to);
	r->booked_us = now;
}

void
book_meter(struct room *r, bool on, int64_t now)
{
	if (on == (r->metered_us != 0))
		return;
	if (on) {
		r->metered_us = r->booked_us = now;
		r->interval_id = id_new(r->mem);
		return;
	}
	book(r, now);
	r->metered_us = 0;
}

/* ---- the session's place ---- */

struct place {
	struct errand errand;
	struct room *room;
	const char *account, *id, *key;
	bool renew, leave, drop, ended;
	bool gone;
};

static void
placed(struct gate *g, struct errand *e)
{
	struct place *p = (struct place *)e;
	struct room *r = p->room;

	(void)g;
	if (p->gone && !r->closed)
		book_end(r, "SESSION_CLOSED",
		    "The session or its key is not there any more");
	arena_free(e->letter.mem);
	room_paid(r);
}

/* Is it still there, and whoever it is of let in? */
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
place(struct gate *g, struct errand *e)
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
send_place(struct room *r, bool renew, bool leave)
{
	struct place *p = ERRAND(struct place);

	p->errand.run = place;
	p->room = r;
	p->account = arena_str(p->errand.letter.mem, r->account);
	p->id = arena_str(p->errand.letter.mem, r->id);
	p->key = arena_str(p->errand.letter.mem, r->key);
	p->ended = r->ended;
	p->renew = renew;
	p->leave = leave;
	p->drop = leave && r->own;
	to_desk(r, &p->errand);
}

void
book_leave(struct room *r)
{
	if (r->air != NULL)
		return;
	send_place(r, false, true);
}

void
book_turn(struct room *r, int64_t now)
{
	if (r->metered_us != 0 && now >= r->booked_us + BOOK_US)
		book(r, now);
	if (r->air != NULL || r->clients == NULL || r->closed ||
	    now < r->checked_us + CHECK_US)
		return;
	r->checked_us = now;
	if (now >= r->renewed_us + RENEW_US) {
		r->renewed_us = now;
		send_place(r, true, false);
	} else
		send_place(r, false, false);
}
