/*
 * The actor of one target: glossary terms -> translation -> speech -> chunks.
 */
#include "pipeline/pipeline_internal.h"
#include "pipeline/pitch.h"

#include <string.h>

#include "audio/chunks.h"
#include "audio/tempo.h"
#include "base/clock.h"
#include "base/deflate.h"

struct synthesizer {
	struct pipeline *pipeline;
	int target;                   /* index in the task */
	const struct task_target *to; /* that target, of the task */
	struct arena *mem;            /* of the synthesizer */
	struct arena *scratch;        /* of one message */
	int epoch;                    /* generation of the current message */
	struct warned warned;
	int64_t partial_us;       /* last partial translation, monotonic_us() */
	const char *no_voices[2]; /* voice ids already warned of as replaced */
	bool no_speech;           /* already warned: no engine for the language */
};

/* One part of a segment in synthesis. */
struct utterance {
	struct synthesizer *synthesizer;
	const struct spoken_segment *phrase; /* the segment */
	const char *text;
	int part;                     /* from 0 */
	bool last;                    /* of the segment */
	int64_t translated_us;        /* monotonic_us() */
	struct pipeline_event *group; /* NULL: not sent yet */
	struct chunks *chunks;        /* of scratch; NULL: no sound yet */
	bool said;                    /* the first chunk was sent */
};

#define PARTIAL_US S_US /* between two partial translations, at least */

void *
synthesizer_new(struct pipeline *p, int target)
{
	struct arena *mem = arena_new();
	struct synthesizer *m = arena_alloc(mem, sizeof(*m));

	*m = (struct synthesizer){ .pipeline = p,
		.target = target,
		.to = &p->config->task.targets[target],
		.mem = mem,
		.scratch = arena_new() };
	return m;
}

void
synthesizer_gone(void *mouth)
{
	struct synthesizer *m = mouth;
	struct pipeline *p = m->pipeline;

	arena_free(m->scratch);
	arena_free(m->mem);
	pipeline_left(p);
}

static void
warn(struct synthesizer *m, const char *code, const char *message)
{
	if (warned_due(&m->warned, code, monotonic_us()))
		pipeline_warn(m->pipeline, code, message);
}

static bool
is_flushed(const struct synthesizer *m)
{
	return m->epoch != m->pipeline->flushed[m->target];
}

static bool
is_unwanted(void *arg)
{
	return is_flushed(arg);
}

/* ---- translation ---- */

static bool
ask_engines(
    struct synthesizer *m, const struct mt_text *t, const char **out, bool *guarded)
{
	struct registry *reg = m->pipeline->config->registry;
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

/* The translation; NULL: no engine succeeded. */
static const char *
translate(struct synthesizer *m, const struct spoken_segment *p)
{
	const struct glossary_index *g = m->pipeline->config->glossary;
	struct mt_text t = { .text = p->text,
		.from = p->language,
		.to = m->to->language.code,
		.unwanted = is_unwanted,
		.arg = m };
	bool guarded = true;
	const char *out;

	if (g != NULL && m->to->glossaries.allowed)
		t.terms = glossary_terms(
		    g, m->scratch, p->language, t.to, p->text, &t.nterms);
	if (language_code_same_base(t.from, t.to) && t.nterms == 0)
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
output_translated(
    struct synthesizer *m, const struct spoken_segment *p, const char *text, int part)
{
	enum task_output how =
	    p->partial ? OUTPUT_PARTIAL_TRANSLATED : OUTPUT_TRANSLATED;
	struct pipeline_event *s =
	    pipeline_event_new(m->pipeline, PIPELINE_TEXT, m->target);
	const struct output_segment segment = { text, p->start_us, p->end_us, NULL, 0 };
	const struct output_transcript t = { .id = p->id,
		.part = part,
		.language = m->to->language.said,
		.text = text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = m->pipeline->epoch_us };
	struct buf b = pipeline_event_buf(s);

	s->generation = m->epoch;
	if (m->pipeline->config->flat)
		output_stt_translated(&b, &(struct output_stt){ .id = p->id,
					      .language = m->to->language.said,
					      .text = text,
					      .start_us = p->start_us,
					      .end_us = p->end_us });
	else
		output_text(&b, how, &t);
	s->final = !p->partial;
	pipeline_event_send(s, &b, (int)how);
}

/* ---- speech ---- */

static void
output_tts_text(
    struct synthesizer *m, const struct spoken_segment *p, const char *text, int part)
{
	const struct output_transcript t = { .id = p->id,
		.part = part,
		.language = m->to->language.said,
		.text = text };
	struct pipeline_event *s;
	struct buf b;

	if (!task_sends(&m->pipeline->config->task, OUTPUT_TTS_TEXT))
		return;
	s = pipeline_event_new(m->pipeline, PIPELINE_TEXT, m->target);
	s->generation = m->epoch;
	b = pipeline_event_buf(s);
	output_text(&b, OUTPUT_TTS_TEXT, &t);
	pipeline_event_send(s, &b, OUTPUT_TTS_TEXT);
}

static void
output_piece(struct utterance *u, const struct chunk *c)
{
	struct synthesizer *m = u->synthesizer;
	struct arena *mem = arena_new();
	struct pipeline_event *s;
	struct output_audio a = { .id = u->phrase->id,
		.part = u->part,
		.language = m->to->language.said,
		.last = c->last,
		.delta_ms = NULL_INT };
	struct buf b = { .mem = mem };

	if (!u->said)
		a.delta_ms = (monotonic_us() - u->phrase->ended_us) / 1000;
	u->said = true;
	a.bytes = chunk_bytes(mem, c, &a.n);
	if (a.n > 0 && m->pipeline->config->task.out == TASK_OUT_ZLIB)
		a.bytes = deflate_message(mem, a.bytes, a.n, &a.n);
	output_audio(&b, &a);
	s = pipeline_event_with(m->pipeline, PIPELINE_CHUNK, m->target, &b);
	s->of = u->group;
	s->chunk.us = (int64_t)c->n * S_US / SPOKEN_HZ;
	if (m->pipeline->config->task.source == TASK_WEBRTC && c->n > 0) {
		s->pcm = memcpy(arena_alloc(s->call.message.mem, c->n * sizeof(*c->s)),
		    c->s, c->n * sizeof(*c->s));
		s->npcm = c->n;
	}
	s->chunk.last = c->last;
	pipeline_event_send(s, NULL, -1);
	arena_free(mem);
}

static struct pipeline_times
times_of(struct arena *mem, const struct utterance *u)
{
	return (struct pipeline_times){ .id = u->last ? arena_str(mem, u->phrase->id)
						      : NULL,
		.voiced_us = u->phrase->voiced_us,
		.validated_us = u->phrase->ended_us,
		.translated_us = u->translated_us,
		.spoken_us = monotonic_us() };
}

/* Send the group before its first chunk, with the message that ends it early. */
static void
open_group(struct utterance *u)
{
	struct synthesizer *m = u->synthesizer;
	struct arena *mem = arena_new();
	const struct output_audio end = { .id = u->phrase->id,
		.part = u->part,
		.language = m->to->language.said,
		.last = true,
		.delta_ms = NULL_INT };
	struct buf b = { .mem = mem };
	struct pipeline_event *s;

	output_audio(&b, &end);
	s = pipeline_event_with(m->pipeline, PIPELINE_GROUP, m->target, &b);
	s->generation = m->epoch;
	s->times = times_of(s->call.message.mem, u);
	u->group = s;
	pipeline_event_send(s, NULL, -1);
	arena_free(mem);
}

static void
send_chunks(struct utterance *u)
{
	struct chunk c;

	while (chunks_next(u->chunks, &c))
		output_piece(u, &c);
}

static double
tempo_now(const struct synthesizer *m)
{
	const struct task_queue *q = &m->to->queue;
	const struct tempo_params rule = { q->auto_tempo, q->min_tempo, q->max_tempo,
		(int)q->desired_ms, (int)q->max_ms };

	return tempo_for(&rule, m->pipeline->level_ms[m->target]);
}

/* Sound of the engine; false: stop. */
static bool
take_sound(void *arg, const struct pcm *pcm)
{
	struct utterance *u = arg;
	struct synthesizer *m = u->synthesizer;

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
	const struct pipeline_config *w = arg;

	for (size_t i = 0; i < w->nvoices; i++)
		if (strcmp(w->voices[i].id, id) == 0) {
			*to = w->voices[i].found;
			return true;
		}
	return false;
}

/* The voice id; by the pitch of the speaker if the task asks for that. */
static const char *
voice_of(const struct synthesizer *m, const struct spoken_segment *p)
{
	const struct task_voice *v = &m->to->voice;
	const struct list *of = p->pitch_hz >= PITCH_HIGH_HZ ? &v->high : &v->low;

	return v->timbre ? ((const char **)of->items)[0] : v->id;
}

/* Warn once for each replaced voice.  A target has at most two. */
static bool
is_new_voice(struct synthesizer *m, const char *id)
{
	int i = m->no_voices[0] != NULL;

	if ((i > 0 && strcmp(m->no_voices[0], id) == 0) || m->no_voices[1] != NULL)
		return false;
	m->no_voices[i] = id;
	return true;
}

/* No engine clones voices: a request for cloning gets another voice. */
static struct voice_chosen
choose_voice(
    const struct synthesizer *m, const struct registry_engine *engine, const char *id)
{
	const struct task_voice *v = &m->to->voice;

	if (v->cloning && !v->timbre)
		return voice_instead(m->scratch, engine, id);
	return voice_choose(m->scratch, engine, id, find_voice, m->pipeline->config);
}

static enum err
output_with(struct utterance *u, const struct registry_engine *engine)
{
	struct synthesizer *m = u->synthesizer;
	const char *id = voice_of(m, u->phrase);
	struct voice_chosen voice = choose_voice(m, engine, id);
	const struct speak_text t = { .text = u->text,
		.lang = m->to->language.code,
		.voice = voice.voice,
		.high = voice.high,
		.rate = 1,
		.sample_url = voice.sample_url };

	if (voice.warning != NULL && is_new_voice(m, id))
		pipeline_warn(m->pipeline, "VOICE_NOT_FOUND", voice.warning);
	return engine->tts->speak(&engine->at, m->scratch, &t, take_sound, u);
}

/* After an engine's first sound no other engine is tried: one voice a sentence. */
static enum err
ask_to_speak(struct utterance *u)
{
	struct synthesizer *m = u->synthesizer;
	struct registry *reg = m->pipeline->config->registry;
	struct registry_want which = { m->to->voice.model, NULL, monotonic_us() };
	const struct registry_engine *engine;
	enum err e = ERR_UNSUPPORTED;

	while (u->chunks == NULL && e != OK && !is_flushed(m) &&
	       (engine = registry_tts(reg, m->to->language.code, &which)) != NULL) {
		e = output_with(u, engine);
		registry_tell(reg,
		    &(const struct registry_call){
			.engine = engine, .from = m->to->language.code, .how = e },
		    monotonic_us());
		which.after = engine;
	}
	return e;
}

static bool
has_speech(struct synthesizer *m)
{
	const struct pipeline_config *w = m->pipeline->config;

	if (w->task.text_only || !m->to->speech)
		return false;
	if (registry_speaks(w->registry, m->to->language.code))
		return true;
	if (!m->no_speech)
		pipeline_warn(
		    m->pipeline, "TTS_UNAVAILABLE", "Nobody speaks this language");
	m->no_speech = true;
	return false;
}

static void
speak(struct utterance *u)
{
	struct synthesizer *m = u->synthesizer;

	output_tts_text(m, u->phrase, u->text, u->part);
	if (ask_to_speak(u) != OK && !is_flushed(m))
		warn(m, "TTS_UNAVAILABLE", "A sentence could not be spoken");
	if (u->chunks == NULL)
		return;
	chunks_end(u->chunks);
	send_chunks(u);
}

/* ---- segments ---- */

static void
take_segment(struct synthesizer *m, const struct spoken_segment *p)
{
	const char *text = p->plain ? p->text : translate(m, p);
	struct utterance u = {
		.synthesizer = m, .phrase = p, .translated_us = monotonic_us()
	};
	struct list parts;

	if (text == NULL || is_flushed(m))
		return;
	parts = p->partial || m->pipeline->config->flat
		    ? (struct list){ &text, 1 }
		    : output_parts(m->scratch, text);
	for (size_t i = 0; i < parts.n; i++)
		output_translated(m, p, ((const char **)parts.items)[i], (int)i);
	if (p->partial || !has_speech(m) || pipeline_drops(m->pipeline, DROP_SPEECH))
		return;
	for (size_t i = 0; i < parts.n && !is_flushed(m); i++) {
		struct utterance part = u;

		part.text = ((const char **)parts.items)[i];
		part.part = (int)i;
		part.last = i + 1 == parts.n;
		speak(&part);
	}
}

/* A partial text too soon after the last one, or with a newer one in the queue. */
static bool
is_stale(struct synthesizer *m, const struct spoken_segment *p)
{
	int64_t now = monotonic_us();

	if (!p->partial)
		return false;
	if (m->pipeline->waiting[m->target] > 0 || now < m->partial_us + PARTIAL_US ||
	    pipeline_drops(m->pipeline, DROP_PARTIAL_TRANSLATIONS))
		return true;
	m->partial_us = now;
	return false;
}

void
synthesizer_read(void *mouth, struct actor_message *message)
{
	struct synthesizer_message *l = (struct synthesizer_message *)message;
	struct synthesizer *m = mouth;

	m->epoch = l->epoch;
	m->pipeline->waiting[m->target]--;
	if (l->kind == SYNTHESIZER_DRAIN)
		pipeline_drained(m->pipeline);
	else if (l->kind == SYNTHESIZER_PREWARM)
		prewarm(m->pipeline, m->target);
	else if (!is_flushed(m) && !is_stale(m, &l->segment))
		take_segment(m, &l->segment);
	arena_reset(m->scratch);
	arena_free(message->mem);
}
