/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Usage of a session: metered on the event loop, booked by the database thread.
 */
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "service/webhook_records.h"
#include "session/payer.h"
#include "session/session.h"
#include "store/ledger.h"

#define BOOK_US (10 * S_US) /* time between two bookings of an interval */
#define BOOK_TRIES 5        /* tries of a booking, each as long as db.busy_ms */

/* One booking. */
struct entry {
	struct thread_call call;
	struct session *session; /* a reference is held */
	const char *account;
	const char *reference; /* unique: a repeated booking is refused */
	const char *event;     /* id, or NULL */
	const char *channel;   /* id, or NULL */
	enum metered kind;
	/* range since the start of the interval; TTS: code points */
	int64_t from_us, to_us;
	int64_t balance_micro; /* result: credits x 1,000,000 */
	enum err how;          /* result */
	int tries;             /* tries so far */
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
	int64_t units = price_units(b->kind, b->from_us, b->to_us);
	const struct usage u = { .account = b->account,
		.reference = b->reference,
		.micro = price_micro(g->conf, b->kind, b->from_us, b->to_us),
		.kind = price_names[b->kind],
		.event = b->event,
		.channel = b->channel,
		.seconds = b->kind != METER_TTS ? units : 0,
		.characters = b->kind == METER_TTS ? units : 0,
		.streamed_us = b->to_us - b->from_us,
		.active_us = now_us() };
	enum err e;

	if ((e = db_begin(db, b->account)) != OK ||
	    (e = ledger_use(db, mem, &u)) != OK ||
	    (e = webhook_balance_moved(db, mem, g->conf, u.account, -u.micro)) != OK ||
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
	session_answer(g, e, entered);
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
	b->event = arena_str(mem, s->event);
	b->channel = s->channel != NULL ? arena_str(mem, s->id) : NULL;
	b->reference = arena_printf(
	    mem, "%s:%s:%s:%lld", names[kind], s->id, interval, (long long)from);
	session_ask(s, &b->call);
}

bool
billing_running(const struct session *s, int64_t now, struct running *to)
{
	const struct task *t = s->now != NULL ? pipeline_task(s->now->pipeline) : NULL;
	enum metered kind = s->channel != NULL          ? METER_BROADCAST
			    : t != NULL && t->text_only ? METER_CAPTIONS
							: METER_S2S;

	*to = (struct running){ kind, s->meter.booked_us - s->meter.since_us,
		now - s->meter.since_us };
	return s->meter.since_us != 0 && now > s->meter.booked_us;
}

static void
book(struct session *s, int64_t now)
{
	struct running u;

	if (!billing_running(s, now, &u))
		return;
	billing_use(s, u.kind, s->meter.interval_id, u.from, u.to);
	s->meter.booked_us = now;
}

void
billing_meter(struct session *s, bool on, int64_t now)
{
	if (on == (s->meter.since_us != 0))
		return;
	if (on) {
		s->meter.since_us = s->meter.booked_us = now;
		s->meter.interval_id = id_new(s->mem);
		return;
	}
	book(s, now);
	s->meter.since_us = 0;
}

void
billing_tick(struct session *s, int64_t now)
{
	if (s->meter.since_us != 0 && now >= s->meter.booked_us + BOOK_US)
		book(s, now);
}
