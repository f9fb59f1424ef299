/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queues of a TTS socket.
 *
 *	texts -> pieces, one at a time -> worker -> messages to send -> client
 *
 * The worker gets the next piece when all messages of the last one are sent, so
 * synthesis is not faster than the client reads.
 */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "protocol/output.h"
#include "session/tts_internal.h"
#include "store/voices.h"

#define AHEAD_BYTES (128 << 10) /* most unsent data */

/* ---- messages to send ---- */

static void
put_out(struct tts *t, struct tts_event *s)
{
	s->call.message.next = NULL;
	if (t->out == NULL)
		t->out = &s->call.message;
	else
		t->out_last->next = &s->call.message;
	t->out_last = &s->call.message;
}

static void
drop_out(struct tts *t)
{
	struct actor_message *l;

	while ((l = t->out) != NULL) {
		t->out = l->next;
		arena_free(l->mem);
	}
}

void
tts_send(struct session *session, struct tts *t)
{
	int64_t since_us;
	struct actor_message *l;

	while ((l = t->out) != NULL &&
	       session->publisher->transport->unsent(
		   session->publisher->to, &since_us) < AHEAD_BYTES) {
		const struct tts_event *s = (const struct tts_event *)l;

		connection_send(session->publisher, s->text, s->n);
		t->out = l->next;
		arena_free(l->mem);
	}
}

/* Append a message that does not come from the worker. */
static void
put_message(struct tts *t, bool (*say)(struct buf *, const char *), const char *arg)
{
	struct tts_event *s = THREAD_CALL(struct tts_event);
	struct buf b = { .mem = s->call.message.mem };

	if (!say(&b, arg)) {
		arena_free(b.mem);
		return;
	}
	s->generation = arena_str(b.mem, arg);
	s->text = b.p;
	s->n = b.len;
	put_out(t, s);
}

static bool
output_end(struct buf *b, const char *generation)
{
	const struct output_chunk end = { .generation = generation,
		.delta_ms = NULL_INT };

	return output_chunk(b, &end);
}

static bool
output_failed(struct buf *b, const char *generation)
{
	return output_error(b, "ENGINE_UNAVAILABLE",
	    arena_printf(b->mem, "Generation %s cannot be spoken now", generation),
	    NULL);
}

/* ---- texts ---- */

static void
drop_first(struct tts *t)
{
	struct tts_input *x = t->first;

	t->first = x->next;
	if (t->first == NULL)
		t->last = NULL;
	arena_free(x->mem);
}

void
tts_drop(struct tts *t)
{
	t->epoch++;
	t->begun = false;
	while (t->first != NULL)
		drop_first(t);
	drop_out(t);
}

static bool
is_of(const char *generation, const char *id)
{
	return generation != NULL && strcmp(generation, id) == 0;
}

/* Drop the unsent messages of a generation. */
static void
drop_out_of(struct tts *t, const char *id)
{
	struct actor_message *l = t->out, *next;

	t->out = NULL;
	for (; l != NULL; l = next) {
		struct tts_event *s = (struct tts_event *)l;

		next = l->next;
		if (is_of(s->generation, id))
			arena_free(l->mem);
		else
			put_out(t, s);
	}
}

void
tts_drop_generation(struct tts *t, const char *id)
{
	struct tts_input **at = &t->first, *x;

	if (t->first != NULL && is_of(t->first->generation, id)) {
		t->epoch++; /* the worker may be synthesizing one of its pieces */
		t->begun = false;
	}
	t->last = NULL;
	while ((x = *at) != NULL)
		if (is_of(x->generation, id)) {
			*at = x->next;
			arena_free(x->mem);
		} else {
			t->last = x;
			at = &x->next;
		}
	drop_out_of(t, id);
}

void
tts_fail(struct tts *t)
{
	bool ended = false;

	t->epoch++;
	t->begun = false;
	t->sound_us = monotonic_us();
	put_message(t, output_failed, t->first->generation);
	put_message(t, output_end, t->first->generation);
	while (!ended && t->first != NULL) {
		ended = t->first->eos;
		drop_first(t);
	}
}

static void
send_piece(struct tts *t, const struct tts_input *x, const char *text)
{
	struct tts_piece *p = ACTOR_MESSAGE(struct tts_piece);
	struct arena *mem = p->message.mem;

	p->text = arena_str(mem, text);
	p->generation = arena_str(mem, x->generation);
	p->voice = arena_str(mem, x->voice);
	p->rate = x->rate;
	p->known = x->known;
	p->found.voice = arena_str(mem, x->found.voice);
	p->found.external = arena_str(mem, x->found.external);
	p->found.sample_url = arena_str(mem, x->found.sample_url);
	p->first = !t->begun;
	p->asked_us = x->asked_us;
	p->epoch = t->epoch;
	t->speaking = true;
	t->sound_us = monotonic_us();
	actor_send(t->worker, &p->message);
}

void
tts_step(struct session *s, struct tts *t)
{
	struct arena *mem = arena_new();

	while (
	    !t->speaking && t->out == NULL && t->first != NULL && !t->first->looking) {
		struct tts_input *x = t->first;
		const char *text = tts_input_next(mem, x);

		if (*text != '\0') {
			send_piece(t, x, text);
			break;
		}
		if (!tts_input_over(x))
			break;
		if (x->eos) {
			put_message(t, output_end, x->generation);
			t->begun = false;
		}
		drop_first(t);
		tts_send(s, t);
	}
	arena_free(mem);
}

/* ---- voices ---- */

struct voice_lookup {
	struct thread_call call;
	struct session *session; /* a reference is held */
	const char *account, *id;
	int number; /* number of the struct tts_input */
	bool known; /* result: found is set */
	struct voice_found found;
};

static void
voice_answered(struct gateway *g, struct thread_call *e)
{
	const struct voice_lookup *l = (const struct voice_lookup *)e;
	struct session *s = l->session;
	struct tts *t = s->kind_state;
	struct tts_input *x = t->first;

	(void)g;
	while (x != NULL && x->number != l->number)
		x = x->next;
	if (x != NULL) {
		x->looking = false;
		x->known = l->known;
		x->found.voice = arena_str(x->mem, l->found.voice);
		x->found.external = arena_str(x->mem, l->found.external);
	}
	if (s->publisher != NULL)
		tts_step(s, t);
	arena_free(e->message.mem);
	session_unref(s);
}

static void
find_voice(struct gateway *g, struct thread_call *e)
{
	struct voice_lookup *l = (struct voice_lookup *)e;

	l->known = voice_spoken(g->app.db, e->message.mem, l->account, l->id,
		       &l->found.voice, &l->found.external) == OK;
	session_answer(g, e, voice_answered);
}

/* Look the voice up in the database, if its name has the form of an id. */
static void
request_voice(struct session *s, struct tts_input *x)
{
	const char *id = id_read(x->mem, x->voice);
	struct voice_lookup *l;

	if (id == NULL)
		return;
	x->looking = true;
	l = THREAD_CALL(struct voice_lookup);
	l->call.run = find_voice;
	l->session = s;
	l->account = arena_str(l->call.message.mem, s->account);
	l->id = arena_str(l->call.message.mem, id);
	l->number = x->number;
	session_ask(s, &l->call);
}

/* ---- events of the worker ---- */

bool
tts_running(const struct session *s, int64_t now, struct running *to)
{
	const struct tts *t = s->kind_state;

	(void)now; /* usage is code points */
	if (t == NULL)
		return false;
	*to = (struct running){ METER_TTS, t->booked, t->spoken };
	return t->spoken > t->booked;
}

void
tts_book(struct session *s, struct tts *t, int64_t now)
{
	struct running u;

	t->entry_us = now;
	if (!tts_running(s, now, &u))
		return;
	billing_use(s, u.kind, t->interval, u.from, u.to);
	t->booked = u.to;
}

static void
piece_done(struct tts *t, const struct tts_event *s)
{
	t->speaking = false;
	if (s->sound)
		t->spoken += s->characters;
	if (s->epoch == t->epoch && s->how != OK)
		tts_fail(t);
}

void
tts_reported(struct gateway *g, struct thread_call *e)
{
	struct tts_event *s = (struct tts_event *)e;
	struct session *session = s->session;
	struct tts *t = session->kind_state;
	bool kept = false, gone = s->kind == TTS_GONE;

	(void)g;
	if (s->kind == TTS_MESSAGE && s->epoch == t->epoch) {
		t->sound_us = monotonic_us();
		t->begun |= s->sound;
		put_out(t, s);
		kept = true;
	} else if (s->kind == TTS_DONE)
		piece_done(t, s);
	else if (gone)
		tts_book(session, t, monotonic_us());
	if (session->publisher != NULL) {
		tts_send(session, t);
		tts_step(session, t);
	}
	if (!kept)
		arena_free(s->call.message.mem);
	if (gone)
		session_unref(session);
}

double
tts_rate(double speed)
{
	return speed < 1 ? 0.5 + speed : 1 + speed / 2;
}

void
tts_append(struct session *s, struct tts *t, const char *generation)
{
	struct tts_input *x = tts_input_new(generation, t->voice, tts_rate(t->speed));

	x->number = ++t->number;
	if (t->last == NULL)
		t->first = x;
	else
		t->last->next = x;
	t->last = x;
	request_voice(s, x);
}
