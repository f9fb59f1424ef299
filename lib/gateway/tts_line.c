/*
 * What a TTS socket has still to say.
 *
 *	texts -> pieces, one at a time -> tongue -> what waits -> he
 *
 * The next piece is given to the tongue when the last one has left, so who reads
 * slowly is spoken to slowly.
 */
#include "base/clock.h"
#include "base/id.h"
#include "gateway/tts_room.h"
#include "store/voices.h"
#include "stream/say.h"

#define AHEAD_BYTES (128 << 10) /* that may be unsent */

/* ---- what leaves ---- */

static void
put_out(struct tts *t, struct tts_said *s)
{
	s->errand.letter.next = NULL;
	if (t->out == NULL)
		t->out = &s->errand.letter;
	else
		t->out_last->next = &s->errand.letter;
	t->out_last = &s->errand.letter;
}

static void
drop_out(struct tts *t)
{
	struct letter *l;

	while ((l = t->out) != NULL) {
		t->out = l->next;
		arena_free(l->mem);
	}
}

void
tts_send(struct room *r, struct tts *t)
{
	int64_t since_us;
	struct letter *l;

	while ((l = t->out) != NULL &&
	       socket_unsent(r->writer->socket, &since_us) < AHEAD_BYTES) {
		const struct tts_said *s = (const struct tts_said *)l;

		client_send(r->writer, s->text, s->n);
		t->out = l->next;
		arena_free(l->mem);
	}
}

/* A message of our own, behind what waits. */
static void
put_message(struct tts *t, bool (*say)(struct buf *, const char *), const char *arg)
{
	struct tts_said *s = ERRAND(struct tts_said);
	struct buf b = { .mem = s->errand.letter.mem };

	if (!say(&b, arg)) {
		arena_free(b.mem);
		return;
	}
	s->text = b.p;
	s->n = b.len;
	put_out(t, s);
}

static bool
say_end(struct buf *b, const char *generation)
{
	const struct say_chunk end = { .generation = generation, .delta_ms = NULL_INT };

	return say_chunk(b, &end);
}

static bool
say_failed(struct buf *b, const char *generation)
{
	return say_error(b, "ENGINE_UNAVAILABLE",
	    arena_printf(b->mem, "Generation %s cannot be spoken now", generation),
	    NULL);
}

/* ---- texts ---- */

static void
drop_first(struct tts *t)
{
	struct tts_text *x = t->first;

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

/* Nothing more of the generation that is spoken; the others stay. */
void
tts_fail(struct tts *t)
{
	bool ended = false;

	t->epoch++;
	t->begun = false;
	t->sound_us = monotonic_us();
	put_message(t, say_failed, t->first->generation);
	put_message(t, say_end, t->first->generation);
	while (!ended && t->first != NULL) {
		ended = t->first->eos;
		drop_first(t);
	}
}

static void
give(struct tts *t, const struct tts_text *x, const char *text)
{
	struct tts_piece *p = LETTER(struct tts_piece);
	struct arena *mem = p->letter.mem;

	p->text = arena_str(mem, text);
	p->generation = arena_str(mem, x->generation);
	p->voice = arena_str(mem, x->voice);
	p->rate = x->rate;
	p->known = x->known;
	p->found.voice = arena_str(mem, x->found.voice);
	p->found.sample_url = arena_str(mem, x->found.sample_url);
	p->first = !t->begun;
	p->asked_us = x->asked_us;
	p->epoch = t->epoch;
	t->speaking = true;
	t->sound_us = monotonic_us();
	actor_send(t->tongue, &p->letter);
}

/* Whatever can be done next. */
void
tts_step(struct room *r, struct tts *t)
{
	struct arena *mem = arena_new();

	while (
	    !t->speaking && t->out == NULL && t->first != NULL && !t->first->looking) {
		struct tts_text *x = t->first;
		const char *text = tts_text_next(mem, x);

		if (*text != '\0') {
			give(t, x, text);
			break;
		}
		if (!tts_text_over(x))
			break;
		if (x->eos) {
			put_message(t, say_end, x->generation);
			t->begun = false;
		}
		drop_first(t);
		tts_send(r, t);
	}
	arena_free(mem);
}

/* ---- voices ---- */

struct look {
	struct errand errand;
	struct room *room;
	const char *account, *id;
	int number;
	bool known;
	struct voice_found found;
};

static void
looked(struct gate *g, struct errand *e)
{
	const struct look *l = (const struct look *)e;
	struct room *r = l->room;
	struct tts *t = r->side;
	struct tts_text *x = t->first;

	(void)g;
	while (x != NULL && x->number != l->number)
		x = x->next;
	if (x != NULL) {
		x->looking = false;
		x->known = l->known;
		x->found.voice = arena_str(x->mem, l->found.voice);
	}
	if (r->writer != NULL)
		tts_step(r, t);
	arena_free(e->letter.mem);
	room_paid(r);
}

static void
look(struct gate *g, struct errand *e)
{
	struct look *l = (struct look *)e;

	l->known = voice_spoken(g->app.db, e->letter.mem, l->account, l->id,
		       &l->found.voice) == OK;
	e->run = looked;
	mailbox_send(g->to_sockets, &e->letter);
}

/* Only an id can be that of a voice in the database. */
static void
look_for_voice(struct room *r, struct tts_text *x)
{
	const char *id = id_read(x->mem, x->voice);
	struct look *l;

	if (id == NULL)
		return;
	x->looking = true;
	l = ERRAND(struct look);
	l->errand.run = look;
	l->room = r;
	l->account = arena_str(l->errand.letter.mem, r->account);
	l->id = arena_str(l->errand.letter.mem, id);
	l->number = x->number;
	r->owed++;
	mailbox_send(r->gate->to_desk, &l->errand.letter);
}

/* ---- what the tongue says ---- */

bool
tts_running(const struct room *r, int64_t now, struct running *to)
{
	const struct tts *t = r->side;

	(void)now; /* what counts are characters */
	if (t == NULL)
		return false;
	*to = (struct running){ METER_TTS, t->booked, t->spoken };
	return t->spoken > t->booked;
}

void
tts_book(struct room *r, struct tts *t, int64_t now)
{
	struct running u;

	t->entry_us = now;
	if (!tts_running(r, now, &u))
		return;
	book_use(r, u.kind, t->interval, u.from, u.to);
	t->booked = u.to;
}

static void
piece_done(struct tts *t, const struct tts_said *s)
{
	t->speaking = false;
	if (s->sound)
		t->spoken += s->characters;
	if (s->epoch == t->epoch && s->how != OK)
		tts_fail(t);
}

void
tts_told(struct gate *g, struct errand *e)
{
	struct tts_said *s = (struct tts_said *)e;
	struct room *r = s->room;
	struct tts *t = r->side;
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
		tts_book(r, t, monotonic_us());
	if (r->writer != NULL) {
		tts_send(r, t);
		tts_step(r, t);
	}
	if (!kept)
		arena_free(s->errand.letter.mem);
	if (gone)
		room_paid(r);
}

double
tts_rate(double speed)
{
	return speed < 1 ? 0.5 + speed : 1.5;
}

void
tts_append(struct room *r, struct tts *t, const char *generation)
{
	struct tts_text *x = tts_text_new(generation, t->voice, tts_rate(t->speed));

	x->number = ++t->number;
	if (t->last == NULL)
		t->first = x;
	else
		t->last->next = x;
	t->last = x;
	look_for_voice(r, x);
}
