/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The synthesizer actor of one target: segments -> translation -> speech -> chunks.
 */
#include "pipeline/synthesizer_internal.h"

#include <string.h>

#include "audio/chunks.h"
#include "audio/tempo.h"
#include "base/clock.h"
#include "base/hash.h"

/* One part of a segment that is being synthesized. */
struct utterance {
	struct synthesizer *synthesizer;
	const struct spoken_segment *segment;
	const char *text;
	int part;                     /* from 0 */
	bool last;                    /* the last part of the segment */
	int64_t translated_us;        /* monotonic_us() */
	struct pipeline_event *group; /* NULL: not sent yet */
	struct chunks *chunks;        /* in scratch; NULL: no sound yet */
	bool begun;                   /* the first chunk was sent */
};

#define PARTIAL_US S_US /* the shortest time between two partial translations */

static struct synthesizer *
new_synthesizer(struct pipeline *p, int target)
{
	struct arena *mem = arena_new();
	struct synthesizer *s = arena_alloc(mem, sizeof(*s));

	*s = (struct synthesizer){ .pipeline = p,
		.target = target,
		.to = &p->config->task.targets[target],
		.mem = mem,
		.scratch = arena_new(),
		.open.mem = arena_new(),
		.opus = opus_output_new(mem) };
	return s;
}

static void
end_synthesizer(void *self)
{
	struct synthesizer *s = self;
	struct pipeline *p = s->pipeline;

	arena_free(s->open.mem);
	arena_free(s->scratch);
	arena_free(s->mem);
	pipeline_left(p);
}

/* ---- speech ---- */

static void
send_tts_text(
    struct synthesizer *s, const struct spoken_segment *p, const char *text, int part)
{
	const struct output_transcript t = { .id = p->id,
		.part = part,
		.language = s->to->language.said,
		.text = text };
	struct pipeline_event *event;
	struct buf b;

	if (!task_sends(&s->pipeline->config->task, OUTPUT_TTS_TEXT))
		return;
	event = pipeline_event_new(s->pipeline, PIPELINE_TEXT, s->target);
	event->generation = s->generation;
	b = pipeline_event_buf(event);
	output_text(&b, OUTPUT_TTS_TEXT, &t);
	pipeline_event_send(event, &b, OUTPUT_TTS_TEXT);
}

static void
send_chunk(struct utterance *u, const struct chunk *c)
{
	struct synthesizer *s = u->synthesizer;
	struct arena *mem = arena_new();
	struct pipeline_event *event;
	struct output_audio a = { .id = u->segment->id,
		.part = u->part,
		.language = s->to->language.said,
		.last = c->last,
		.delta_ms = NULL_INT };
	struct pipeline_payload to = pipeline_payload_of(mem);

	if (!u->begun)
		a.delta_ms = (monotonic_us() - u->segment->ended_us) / 1000;
	u->begun = true;
	opus_output_loss(s->opus, s->pipeline->loss[s->target]);
	opus_output_put(s->opus, c, &a, &to);
	a.bytes = chunk_bytes(mem, c, &a.n);
	if (a.n > 0 && s->pipeline->config->task.out == TASK_OUT_ZLIB)
		a.bytes = deflate_message(mem, a.bytes, a.n, &a.n);
	output_audio(&to.text, &a);
	event = pipeline_event_with(s->pipeline, PIPELINE_CHUNK, s->target, &to);
	event->of = u->group;
	event->chunk.us = (int64_t)c->n * S_US / SPOKEN_HZ;
	gap_sent(&s->gap, event->chunk.us, monotonic_us());
	event->chunk.last = c->last;
	pipeline_event_send(event, NULL, -1);
	arena_free(mem);
}

static struct pipeline_times
times_of(struct arena *mem, const struct utterance *u)
{
	return (struct pipeline_times){ .id = u->last ? arena_str(mem, u->segment->id)
						      : NULL,
		.voiced_us = u->segment->voiced_us,
		.validated_us = u->segment->ended_us,
		.translated_us = u->translated_us,
		.spoken_us = monotonic_us() };
}

/* Send the group before its first chunk, with the message that ends it early. */
static void
open_group(struct utterance *u)
{
	struct synthesizer *s = u->synthesizer;
	struct arena *mem = arena_new();
	struct output_audio end = { .id = u->segment->id,
		.part = u->part,
		.language = s->to->language.said,
		.last = true,
		.delta_ms = NULL_INT };
	struct pipeline_payload to = pipeline_payload_of(mem);
	struct pipeline_event *event;

	output_audio(&to.text, &end);
	end.opus = true;
	if (opus_output_is_on(s->opus))
		output_audio(&to.opus_text, &end);
	event = pipeline_event_with(s->pipeline, PIPELINE_GROUP, s->target, &to);
	event->generation = s->generation;
	event->times = times_of(event->call.message.mem, u);
	u->group = event;
	pipeline_event_send(event, NULL, -1);
	arena_free(mem);
}

static void
send_chunks(struct utterance *u)
{
	struct chunk c;

	while (chunks_next(u->chunks, &c))
		send_chunk(u, &c);
}

static double
tempo_now(const struct synthesizer *s)
{
	const struct task_queue *q = &s->to->queue;
	const struct tempo_params params = { q->auto_tempo, q->min_tempo, q->max_tempo,
		(int)q->desired_ms, (int)q->max_ms };

	return tempo_for(&params, s->pipeline->level_ms[s->target]);
}

/* Insert silence between sentences, unless the speech is late. */
static void
put_gap(struct utterance *u, const struct pcm *first)
{
	struct synthesizer *s = u->synthesizer;
	int64_t level_ms = s->pipeline->level_ms[s->target];
	int64_t us = gap_before(&s->gap, first, monotonic_us(), level_ms > 0);
	struct pcm silence = { .n = (size_t)(us * first->rate_hz / S_US),
		.rate_hz = first->rate_hz };

	if (silence.n == 0 || level_ms > s->to->queue.desired_ms)
		return;
	silence.s = arena_alloc(s->scratch, silence.n * sizeof(*silence.s));
	chunks_put(u->chunks, &silence);
}

/* Receive sound of the engine; false: stop. */
static bool
receive_sound(void *arg, const struct pcm *pcm)
{
	struct utterance *u = arg;
	struct synthesizer *s = u->synthesizer;

	if (synthesizer_is_flushed(s))
		return false;
	if (u->chunks == NULL) {
		u->chunks = chunks_new(s->scratch, SPOKEN_HZ, tempo_now(s));
		opus_output_begin(s->opus, s->pipeline->encodes);
		open_group(u);
		put_gap(u, pcm);
	}
	chunks_put(u->chunks, pcm);
	gap_add_sound(&s->gap, pcm);
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

/* The voice id; chosen by the speaker's pitch if the task says so. */
static const char *
voice_of(const struct synthesizer *s, const struct spoken_segment *p)
{
	const struct task_voice *v = &s->to->voice;
	const struct list *of = p->pitch_hz >= PITCH_HIGH_HZ ? &v->high : &v->low;

	return v->timbre ? ((const char **)of->items)[0] : v->id;
}

/* Warn once for each replaced voice.  A target has at most two. */
static bool
is_new_voice(struct synthesizer *s, const char *id)
{
	int i = s->no_voices[0] != NULL;

	if ((i > 0 && strcmp(s->no_voices[0], id) == 0) || s->no_voices[1] != NULL)
		return false;
	s->no_voices[i] = id;
	return true;
}

/* The speaker's own voice if this engine can speak with it; otherwise NULL. */
static const char *
own_voice(const struct synthesizer *s, const struct registry_engine *engine)
{
	return speaker_voice_speaks(s->to)
		   ? speaker_voice_for(s->pipeline->config->speaker, engine)
		   : NULL;
}

/* Choose the voice. If the task asks for cloning and no engine clones, choose another
   voice. */
static struct voice_chosen
choose_voice(
    const struct synthesizer *s, const struct registry_engine *engine, const char *id)
{
	const char *own = own_voice(s, engine);

	if (own != NULL)
		return (struct voice_chosen){ .voice = own };
	if (speaker_voice_speaks(s->to) &&
	    speaker_voice_engine(s->pipeline->config, s->to) == NULL)
		return voice_instead(s->scratch, engine, id);
	return voice_choose(s->scratch, engine, id, find_voice, s->pipeline->config);
}

/* The id of the engine to try first. */
static const char *
choose_model(const struct synthesizer *s, const char *id)
{
	struct pipeline_config *w = s->pipeline->config;
	const struct voice_wish wish = { id, s->to->language.code, s->to->voice.model };
	const struct registry_engine *engine =
	    speaker_voice_speaks(s->to) ? speaker_voice_engine(w, s->to) : NULL;

	return engine != NULL && own_voice(s, engine) != NULL
		   ? engine->at.id
		   : voice_model(s->scratch, w->registry, &wish, find_voice, w);
}

static enum err
synthesize_with(struct utterance *u, const struct registry_engine *engine)
{
	struct synthesizer *s = u->synthesizer;
	const char *id = voice_of(s, u->segment);
	struct voice_chosen voice = choose_voice(s, engine, id);
	const struct tts_text t = { .text = u->text,
		.lang = s->to->language.code,
		.voice = voice.voice,
		.high = voice.high,
		.rate = 1,
		.sample_url = voice.sample_url };
	enum err e;

	if (voice.warning != NULL && is_new_voice(s, id))
		synthesizer_warn(s, NULL, "VOICE_NOT_FOUND", voice.warning);
	e = registry_speak(
	    s->pipeline->config->registry, engine, s->scratch, &t, receive_sound, u);
	if (e == ERR_REFUSED && own_voice(s, engine) != NULL)
		speaker_voice_lose(s->pipeline->config->speaker);
	return e;
}

/*
 * Once an engine has produced sound, no other engine is tried, so that a sentence has
 * one voice.
 */
static enum err
try_engines(struct utterance *u)
{
	struct synthesizer *s = u->synthesizer;
	struct registry *reg = s->pipeline->config->registry;
	struct registry_want which = { choose_model(s, voice_of(s, u->segment)), NULL,
		monotonic_us() };
	const struct registry_engine *engine;
	enum err e = ERR_UNSUPPORTED;

	while (u->chunks == NULL && e != OK && !synthesizer_is_flushed(s) &&
	       (engine = registry_tts(reg, s->to->language.code, &which)) != NULL) {
		e = synthesize_with(u, engine);
		registry_report(reg,
		    &(const struct registry_call){
			.engine = engine, .from = s->to->language.code, .how = e },
		    monotonic_us());
		which.after = engine;
	}
	return e;
}

static bool
has_speech(struct synthesizer *s)
{
	const struct pipeline_config *w = s->pipeline->config;

	if (w->task.text_only || !s->to->speech)
		return false;
	if (registry_speaks(w->registry, s->to->language.code))
		return true;
	if (!s->no_speech)
		synthesizer_warn(s, NULL, "TTS_UNAVAILABLE",
		    "No engine has a voice for this language");
	s->no_speech = true;
	return false;
}

static void
synthesize(struct utterance *u)
{
	struct synthesizer *s = u->synthesizer;

	send_tts_text(s, u->segment, u->text, u->part);
	if (try_engines(u) != OK && !synthesizer_is_flushed(s))
		synthesizer_warn(s, &s->warnings, "TTS_UNAVAILABLE",
		    "A sentence could not be spoken");
	if (u->chunks == NULL)
		return;
	chunks_end(u->chunks);
	send_chunks(u);
}

/* ---- segments ---- */

/* Translate and speak the segment; returns the number of its next part. */
static int
process_segment(struct synthesizer *s, const struct spoken_segment *p)
{
	const struct blocked *blocked = s->pipeline->config->blocked;
	const char *text = p->plain ? p->text : translator_translate(s, p);
	struct utterance u = {
		.synthesizer = s, .segment = p, .translated_us = monotonic_us()
	};
	struct list parts;

	if (text == NULL || synthesizer_is_flushed(s))
		return p->part;
	text = blocked_mask(blocked, s->scratch, text);
	parts = p->partial || s->pipeline->config->flat
		    ? (struct list){ &text, 1 }
		    : output_parts(s->scratch, text);
	for (size_t i = 0; i < parts.n; i++)
		translator_send(
		    s, p, ((const char **)parts.items)[i], p->part + (int)i);
	if (p->partial || !has_speech(s) || pipeline_drops(s->pipeline, DROP_SPEECH))
		return p->part + (int)parts.n;
	for (size_t i = 0; i < parts.n && !synthesizer_is_flushed(s); i++) {
		struct utterance part = u;

		part.text = ((const char **)parts.items)[i];
		if (blocked != NULL)
			part.text = blocked_spoken(s->scratch, part.text);
		part.part = p->part + (int)i;
		part.last = i + 1 == parts.n;
		if (part.text[0] != '\0')
			synthesize(&part);
	}
	return p->part + (int)parts.n;
}

/* Translate the held text without its end. */
static void
close_text(struct synthesizer *s)
{
	struct spoken_segment p;

	if (open_text_pop(s, &p))
		process_segment(s, &p);
}

/* Process a segment together with the held text, if that is its beginning. */
static void
process_speech(struct synthesizer *s, const struct spoken_segment *segment)
{
	struct spoken_segment p = *segment;
	int part = 0;

	if (p.spoken || (!open_text_complete(s, &p) && !p.partial))
		close_text(s);
	if (!p.open) {
		process_segment(s, &p);
		s->open.holds &= p.partial;
		return;
	}
	if (open_text_hold(s, &p))
		part = process_segment(s, &p);
	s->open.segment.part = part;
}

/*
 * True for a partial text that comes too soon after the previous one, or that a newer
 * one in the queue replaces.
 */
static bool
is_stale(struct synthesizer *s, const struct spoken_segment *p)
{
	int64_t now = monotonic_us();

	if (!p->partial)
		return false;
	if (s->pipeline->waiting[s->target] > 0 || now < s->partial_us + PARTIAL_US ||
	    pipeline_drops(s->pipeline, DROP_PARTIAL_TRANSLATIONS))
		return true;
	s->partial_us = now;
	return false;
}

static void
read_message(void *self, struct actor_message *message)
{
	struct synthesizer_message *m = (struct synthesizer_message *)message;
	struct synthesizer *s = self;

	if (s->generation != m->generation)
		/* the playback was flushed: its end is unknown */
		s->gap = (struct gap){ 0 };
	s->generation = m->generation;
	s->pipeline->waiting[s->target]--;
	if (m->kind == SYNTHESIZER_DRAIN)
		pipeline_drained(s->pipeline);
	else if (m->kind == SYNTHESIZER_PREWARM)
		translator_prewarm(s->pipeline, s->target);
	else if (m->kind == SYNTHESIZER_CLOSE)
		close_text(s);
	else if (!synthesizer_is_flushed(s) && !is_stale(s, &m->segment))
		process_speech(s, &m->segment);
	arena_reset(s->scratch);
	arena_free(message->mem);
}

struct actor *
synthesizer_start(struct pipeline *p, int target)
{
	return actor_new(
	    p->host.pool, new_synthesizer(p, target), read_message, end_synthesizer);
}
