/*
 * The actor of one target: terms -> translation -> speech, cut into chunks.
 */
#include "gateway/run_room.h"

#include <string.h>

#include "base/clock.h"
#include "base/deflate.h"
#include "stream/chunks.h"
#include "stream/tempo.h"

struct mouth {
	struct run *run;
	int target;
	const struct task_target *to;
	struct arena *mem;
	struct arena *scratch; /* of one phrase */
	int epoch;             /* of the phrase in work */
	const char *warned;    /* the last code, and when: none is told every time */
	int64_t warned_us;
	bool no_voice; /* it was told that the voice is another */
};

/* One part of a phrase, on its way to the listeners. */
struct utterance {
	struct mouth *mouth;
	const struct phrase_said *phrase;
	const char *text;
	int part;
	struct said *group; /* NULL: nothing was said of it yet */
	struct chunks *chunks;
	bool said; /* its first chunk is on its way */
};

#define AGAIN_US (10 * S_US)

void *
mouth_new(struct run *r, int target)
{
	struct arena *mem = arena_new();
	struct mouth *m = arena_alloc(mem, sizeof(*m));

	*m = (struct mouth){ .run = r,
		.target = target,
		.to = &r->want->task.targets[target],
		.mem = mem,
		.scratch = arena_new() };
	return m;
}

void
mouth_gone(void *mouth)
{
	struct mouth *m = mouth;
	struct run *r = m->run;

	arena_free(m->scratch);
	arena_free(m->mem);
	run_left(r);
}

/* None repeats for one cause within ten seconds. */
static void
warn(struct mouth *m, const char *code, const char *message)
{
	int64_t now = monotonic_us();

	if (m->warned == code && now < m->warned_us + AGAIN_US)
		return;
	m->warned = code;
	m->warned_us = now;
	run_warn(m->run, code, message);
}

static bool
is_flushed(const struct mouth *m)
{
	return m->epoch != m->run->flushed[m->target];
}

/* ---- translation ---- */

static bool
ask_engines(struct mouth *m, const struct mt_text *t, const char **out, bool *guarded)
{
	struct registry *reg = m->run->want->registry;
	struct registry_want which = { m->to->model, NULL, monotonic_us() };
	const struct registry_engine *engine;

	while ((engine = registry_mt(reg, t->from, t->to, &which)) != NULL) {
		enum err e =
		    mt_translate(engine->mt, &engine->at, m->scratch, t, out, guarded);

		registry_tell(reg, engine, e, monotonic_us());
		if (e == OK)
			return true;
		which.after = engine;
	}
	return false;
}

/* NULL: nobody could. */
static const char *
translate(struct mouth *m, const struct phrase_said *p)
{
	const struct gloss *g = m->run->want->gloss;
	struct mt_text t = {
		.text = p->text, .from = p->language, .to = m->to->language.code
	};
	bool guarded = true;
	const char *out;

	if (g != NULL && m->to->glossaries.allowed)
		t.terms =
		    gloss_terms(g, m->scratch, p->language, t.to, p->text, &t.nterms);
	if (code_same_base(t.from, t.to) && t.nterms == 0)
		return p->text;
	if (!ask_engines(m, &t, &out, &guarded)) {
		warn(m, "TRANSLATION_FAILED", "A sentence could not be translated");
		return NULL;
	}
	if (!guarded)
		warn(m, "GLOSSARY_NOT_APPLIED",
		    "A sentence was translated without the glossary");
	return out;
}

static void
say_translated(struct mouth *m, const struct phrase_said *p, const char *text, int part)
{
	enum task_say how = p->partial ? SAY_PARTIAL_TRANSLATED : SAY_TRANSLATED;
	struct said *s = said_new(m->run, SAID_TEXT, m->target);
	const struct say_segment segment = { text, p->start_us, p->end_us, NULL, 0 };
	const struct say_transcript t = { .id = p->id,
		.part = part,
		.language = m->to->language.said,
		.text = text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = m->run->want->epoch_us };
	struct buf b = said_buf(s);

	say_text(&b, how, &t);
	s->final = !p->partial;
	said_send(s, &b, (int)how);
}

/* ---- speech ---- */

static void
say_piece(struct utterance *u, const struct chunk *c)
{
	struct mouth *m = u->mouth;
	struct said *s = said_new(m->run, SAID_CHUNK, m->target);
	struct arena *mem = s->errand.letter.mem;
	struct say_audio a = { .id = u->phrase->id,
		.part = u->part,
		.language = m->to->language.said,
		.last = c->last,
		.delta_ms = NULL_INT };
	struct buf b = said_buf(s);

	if (!u->said)
		a.delta_ms = (monotonic_us() - u->phrase->ended_us) / 1000;
	u->said = true;
	a.bytes = chunk_bytes(mem, c, &a.n);
	if (a.n > 0 && m->run->want->task.out == TASK_OUT_ZLIB)
		a.bytes = deflate_message(mem, a.bytes, a.n, &a.n);
	say_audio(&b, &a);
	s->of = u->group;
	s->chunk.us = (int64_t)c->n * S_US / SPOKEN_HZ;
	s->chunk.last = c->last;
	said_send(s, &b, -1);
}

/* The group is told before its first chunk, with the message that ends it early. */
static void
open_group(struct utterance *u)
{
	struct mouth *m = u->mouth;
	struct said *s = said_new(m->run, SAID_GROUP, m->target);
	const struct say_audio end = { .id = u->phrase->id,
		.part = u->part,
		.language = m->to->language.said,
		.last = true,
		.delta_ms = NULL_INT };
	struct buf b = said_buf(s);

	say_audio(&b, &end);
	u->group = s;
	said_send(s, &b, -1);
}

static void
send_chunks(struct utterance *u)
{
	struct chunk c;

	while (chunks_next(u->chunks, &c))
		say_piece(u, &c);
}

static double
tempo_now(const struct mouth *m)
{
	const struct task_queue *q = &m->to->queue;
	const struct tempo_rule rule = { q->auto_tempo, q->min_tempo, q->max_tempo,
		(int)q->desired_ms, (int)q->max_ms };

	return tempo_for(&rule, m->run->level_ms[m->target]);
}

/* What the engine says, as it comes. */
static bool
take_sound(void *arg, const struct pcm *pcm)
{
	struct utterance *u = arg;
	struct mouth *m = u->mouth;

	if (is_flushed(m))
		return false;
	if (u->chunks == NULL) {
		u->chunks = chunks_new(m->scratch, SPOKEN_HZ, tempo_now(m));
		open_group(u);
	}
	chunks_put(u->chunks, pcm);
	send_chunks(u);
	return true;
}

static bool
find_voice(void *arg, const char *id, struct voice_found *to)
{
	const struct run_want *w = arg;

	for (size_t i = 0; i < w->nvoices; i++)
		if (strcmp(w->voices[i].id, id) == 0) {
			*to = w->voices[i].found;
			return true;
		}
	return false;
}

static enum err
say_with(struct utterance *u, const struct registry_engine *engine)
{
	struct mouth *m = u->mouth;
	struct voice_chosen voice =
	    voice_choose(m->scratch, engine, m->to->voice.id, find_voice, m->run->want);
	const struct speak_text t = { .text = u->text,
		.lang = m->to->language.code,
		.voice = voice.voice,
		.high = voice.high,
		.rate = 1,
		.sample_url = voice.sample_url };

	if (voice.warning != NULL && !m->no_voice) {
		m->no_voice = true;
		run_warn(m->run, "VOICE_NOT_FOUND", voice.warning);
	}
	return engine->tts->speak(&engine->at, m->scratch, &t, take_sound, u);
}

static void
speak(struct mouth *m, const struct phrase_said *p, const char *text, int part)
{
	struct utterance u = { .mouth = m, .phrase = p, .text = text, .part = part };
	struct registry *reg = m->run->want->registry;
	struct registry_want which = { m->to->voice.model, NULL, monotonic_us() };
	const struct registry_engine *engine;
	enum err e = ERR_UNSUPPORTED;

	while (u.chunks == NULL && e != OK &&
	       (engine = registry_tts(reg, m->to->language.code, &which)) != NULL) {
		e = say_with(&u, engine);
		registry_tell(reg, engine, e, monotonic_us());
		which.after = engine;
	}
	if (e != OK)
		warn(m, "TTS_UNAVAILABLE", "A sentence could not be spoken");
	if (u.chunks == NULL)
		return;
	chunks_end(u.chunks);
	send_chunks(&u);
}

/* ---- phrases ---- */

static void
take_phrase(struct mouth *m, const struct phrase_said *p)
{
	const struct task *t = &m->run->want->task;
	const char *text = p->plain ? p->text : translate(m, p);
	struct list parts;

	if (text == NULL || is_flushed(m))
		return;
	parts = p->partial ? (struct list){ &text, 1 } : say_parts(m->scratch, text);
	for (size_t i = 0; i < parts.n; i++)
		say_translated(m, p, ((const char **)parts.items)[i], (int)i);
	if (p->partial || t->text_only || !m->to->speech)
		return;
	for (size_t i = 0; i < parts.n && !is_flushed(m); i++)
		speak(m, p, ((const char **)parts.items)[i], (int)i);
}

void
mouth_read(void *mouth, struct letter *letter)
{
	struct mouth_letter *l = (struct mouth_letter *)letter;
	struct mouth *m = mouth;

	m->epoch = l->epoch;
	if (l->kind == MOUTH_ECHO)
		run_echoed(m->run);
	else if (!is_flushed(m))
		take_phrase(m, &l->phrase);
	arena_reset(m->scratch);
	arena_free(letter->mem);
}
