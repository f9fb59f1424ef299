/*
 * The actor of one target: terms -> translation -> speech, cut into chunks.
 */
#include "gateway/pitch.h"
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
	struct warned warned;
	int64_t partial_us;       /* when the last partial text was translated */
	const char *no_voices[2]; /* that were told to be others */
	bool no_speech;           /* it was told that nobody speaks the language */
};

/* One part of a phrase, on its way to the listeners. */
struct utterance {
	struct mouth *mouth;
	const struct phrase_said *phrase;
	const char *text;
	int part;
	bool last; /* of the phrase */
	int64_t translated_us;
	struct said *group; /* NULL: nothing was said of it yet */
	struct chunks *chunks;
	bool said; /* its first chunk is on its way */
};

#define PARTIAL_US S_US /* between two partial texts, at least */

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

static void
warn(struct mouth *m, const char *code, const char *message)
{
	if (warned_due(&m->warned, code, monotonic_us()))
		run_warn(m->run, code, message);
}

static bool
is_flushed(const struct mouth *m)
{
	return m->epoch != m->run->flushed[m->target];
}

static bool
is_unwanted(void *arg)
{
	return is_flushed(arg);
}

/* ---- translation ---- */

static bool
ask_engines(struct mouth *m, const struct mt_text *t, const char **out, bool *guarded)
{
	struct registry *reg = m->run->want->registry;
	struct registry_want which = { m->to->model, NULL, monotonic_us() };
	const struct registry_engine *engine;

	while ((engine = registry_mt(reg, t->from, t->to, &which)) != NULL) {
		struct registry_call call = { engine, t->from, t->to,
			mt_translate(
			    engine->mt, &engine->at, m->scratch, t, out, guarded) };

		registry_tell(reg, &call, monotonic_us());
		if (call.how == OK || is_flushed(m))
			return call.how == OK;
		which.after = engine;
	}
	return false;
}

/* NULL: nobody could. */
static const char *
translate(struct mouth *m, const struct phrase_said *p)
{
	const struct gloss *g = m->run->want->gloss;
	struct mt_text t = { .text = p->text,
		.from = p->language,
		.to = m->to->language.code,
		.unwanted = is_unwanted,
		.arg = m };
	bool guarded = true;
	const char *out;

	if (g != NULL && m->to->glossaries.allowed)
		t.terms =
		    gloss_terms(g, m->scratch, p->language, t.to, p->text, &t.nterms);
	if (code_same_base(t.from, t.to) && t.nterms == 0)
		return p->text;
	if (!ask_engines(m, &t, &out, &guarded)) {
		if (!is_flushed(m))
			warn(m, "TRANSLATION_FAILED",
			    "A sentence could not be translated");
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
		.epoch_us = m->run->epoch_us };
	struct buf b = said_buf(s);

	s->epoch = m->epoch;
	if (m->run->want->flat)
		say_stt_translated(&b, &(struct say_stt){ .id = p->id,
					   .language = m->to->language.said,
					   .text = text,
					   .start_us = p->start_us,
					   .end_us = p->end_us });
	else
		say_text(&b, how, &t);
	s->final = !p->partial;
	said_send(s, &b, (int)how);
}

/* ---- speech ---- */

static void
say_tts_text(struct mouth *m, const struct phrase_said *p, const char *text, int part)
{
	const struct say_transcript t = { .id = p->id,
		.part = part,
		.language = m->to->language.said,
		.text = text };
	struct said *s;
	struct buf b;

	if (!task_says(&m->run->want->task, SAY_TTS_TEXT))
		return;
	s = said_new(m->run, SAID_TEXT, m->target);
	s->epoch = m->epoch;
	b = said_buf(s);
	say_text(&b, SAY_TTS_TEXT, &t);
	said_send(s, &b, SAY_TTS_TEXT);
}

static void
say_piece(struct utterance *u, const struct chunk *c)
{
	struct mouth *m = u->mouth;
	struct arena *mem = arena_new();
	struct said *s;
	struct say_audio a = { .id = u->phrase->id,
		.part = u->part,
		.language = m->to->language.said,
		.last = c->last,
		.delta_ms = NULL_INT };
	struct buf b = { .mem = mem };

	if (!u->said)
		a.delta_ms = (monotonic_us() - u->phrase->ended_us) / 1000;
	u->said = true;
	a.bytes = chunk_bytes(mem, c, &a.n);
	if (a.n > 0 && m->run->want->task.out == TASK_OUT_ZLIB)
		a.bytes = deflate_message(mem, a.bytes, a.n, &a.n);
	say_audio(&b, &a);
	s = said_with(m->run, SAID_CHUNK, m->target, &b);
	s->of = u->group;
	s->chunk.us = (int64_t)c->n * S_US / SPOKEN_HZ;
	if (m->run->want->task.source == TASK_WEBRTC && c->n > 0) {
		s->pcm = memcpy(arena_alloc(s->errand.letter.mem, c->n * sizeof(*c->s)),
		    c->s, c->n * sizeof(*c->s));
		s->npcm = c->n;
	}
	s->chunk.last = c->last;
	said_send(s, NULL, -1);
	arena_free(mem);
}

static struct said_times
times_of(struct arena *mem, const struct utterance *u)
{
	return (
	    struct said_times){ .id = u->last ? arena_str(mem, u->phrase->id) : NULL,
		.voiced_us = u->phrase->voiced_us,
		.validated_us = u->phrase->ended_us,
		.translated_us = u->translated_us,
		.spoken_us = monotonic_us() };
}

/* The group is told before its first chunk, with the message that ends it early. */
static void
open_group(struct utterance *u)
{
	struct mouth *m = u->mouth;
	struct arena *mem = arena_new();
	const struct say_audio end = { .id = u->phrase->id,
		.part = u->part,
		.language = m->to->language.said,
		.last = true,
		.delta_ms = NULL_INT };
	struct buf b = { .mem = mem };
	struct said *s;

	say_audio(&b, &end);
	s = said_with(m->run, SAID_GROUP, m->target, &b);
	s->epoch = m->epoch;
	s->times = times_of(s->errand.letter.mem, u);
	u->group = s;
	said_send(s, NULL, -1);
	arena_free(mem);
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

/* By how high the speaker's is, if the task wants that. */
static const char *
voice_of(const struct mouth *m, const struct phrase_said *p)
{
	const struct task_voice *v = &m->to->voice;
	const struct list *of = p->pitch_hz >= PITCH_HIGH_HZ ? &v->high : &v->low;

	return v->timbre ? ((const char **)of->items)[0] : v->id;
}

/* That it is another is told once of each; there are two at most. */
static bool
is_new_voice(struct mouth *m, const char *id)
{
	int i = m->no_voices[0] != NULL;

	if ((i > 0 && strcmp(m->no_voices[0], id) == 0) || m->no_voices[1] != NULL)
		return false;
	m->no_voices[i] = id;
	return true;
}

/* No engine makes a voice of what it hears: who wants the speaker's has another. */
static struct voice_chosen
choose_voice(
    const struct mouth *m, const struct registry_engine *engine, const char *id)
{
	const struct task_voice *v = &m->to->voice;

	if (v->cloning && !v->timbre)
		return voice_instead(m->scratch, engine, id);
	return voice_choose(m->scratch, engine, id, find_voice, m->run->want);
}

static enum err
say_with(struct utterance *u, const struct registry_engine *engine)
{
	struct mouth *m = u->mouth;
	const char *id = voice_of(m, u->phrase);
	struct voice_chosen voice = choose_voice(m, engine, id);
	const struct speak_text t = { .text = u->text,
		.lang = m->to->language.code,
		.voice = voice.voice,
		.high = voice.high,
		.rate = 1,
		.sample_url = voice.sample_url };

	if (voice.warning != NULL && is_new_voice(m, id))
		run_warn(m->run, "VOICE_NOT_FOUND", voice.warning);
	return engine->tts->speak(&engine->at, m->scratch, &t, take_sound, u);
}

/* Whoever was begun with goes on: two engines are never heard in one sentence. */
static enum err
ask_to_speak(struct utterance *u)
{
	struct mouth *m = u->mouth;
	struct registry *reg = m->run->want->registry;
	struct registry_want which = { m->to->voice.model, NULL, monotonic_us() };
	const struct registry_engine *engine;
	enum err e = ERR_UNSUPPORTED;

	while (u->chunks == NULL && e != OK && !is_flushed(m) &&
	       (engine = registry_tts(reg, m->to->language.code, &which)) != NULL) {
		e = say_with(u, engine);
		registry_tell(reg,
		    &(const struct registry_call){
			.engine = engine, .from = m->to->language.code, .how = e },
		    monotonic_us());
		which.after = engine;
	}
	return e;
}

static bool
has_speech(struct mouth *m)
{
	const struct run_want *w = m->run->want;

	if (w->task.text_only || !m->to->speech)
		return false;
	if (registry_speaks(w->registry, m->to->language.code))
		return true;
	if (!m->no_speech)
		run_warn(m->run, "TTS_UNAVAILABLE", "Nobody speaks this language");
	m->no_speech = true;
	return false;
}

static void
speak(struct utterance *u)
{
	struct mouth *m = u->mouth;

	say_tts_text(m, u->phrase, u->text, u->part);
	if (ask_to_speak(u) != OK && !is_flushed(m))
		warn(m, "TTS_UNAVAILABLE", "A sentence could not be spoken");
	if (u->chunks == NULL)
		return;
	chunks_end(u->chunks);
	send_chunks(u);
}

/* ---- phrases ---- */

static void
take_phrase(struct mouth *m, const struct phrase_said *p)
{
	const char *text = p->plain ? p->text : translate(m, p);
	struct utterance u = {
		.mouth = m, .phrase = p, .translated_us = monotonic_us()
	};
	struct list parts;

	if (text == NULL || is_flushed(m))
		return;
	parts = p->partial || m->run->want->flat ? (struct list){ &text, 1 }
						 : say_parts(m->scratch, text);
	for (size_t i = 0; i < parts.n; i++)
		say_translated(m, p, ((const char **)parts.items)[i], (int)i);
	if (p->partial || !has_speech(m) || run_drops(m->run, DROP_SPEECH))
		return;
	for (size_t i = 0; i < parts.n && !is_flushed(m); i++) {
		struct utterance part = u;

		part.text = ((const char **)parts.items)[i];
		part.part = (int)i;
		part.last = i + 1 == parts.n;
		speak(&part);
	}
}

/* A partial text that comes too soon, or that is no longer the newest. */
static bool
is_stale(struct mouth *m, const struct phrase_said *p)
{
	int64_t now = monotonic_us();

	if (!p->partial)
		return false;
	if (m->run->waiting[m->target] > 0 || now < m->partial_us + PARTIAL_US ||
	    run_drops(m->run, DROP_PARTIAL_TRANSLATIONS))
		return true;
	m->partial_us = now;
	return false;
}

void
mouth_read(void *mouth, struct letter *letter)
{
	struct mouth_letter *l = (struct mouth_letter *)letter;
	struct mouth *m = mouth;

	m->epoch = l->epoch;
	m->run->waiting[m->target]--;
	if (l->kind == MOUTH_ECHO)
		run_echoed(m->run);
	else if (l->kind == MOUTH_WARM)
		mouth_warm(m->run, m->target);
	else if (!is_flushed(m) && !is_stale(m, &l->phrase))
		take_phrase(m, &l->phrase);
	arena_reset(m->scratch);
	arena_free(letter->mem);
}
