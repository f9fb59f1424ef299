/*
 * The recognizer actor: sound -> segments -> ASR engine -> glossaries.
 */
#include "pipeline/pitch.h"
#include "pipeline/recognizer_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

#define PARTIAL_US (300 * 1000) /* between two partial texts, at least */
#define ASKED_US (1500 * 1000)  /* the same if a partial text costs a request */
#define US_OF(samples) ((samples)*S_US / HEARD_HZ)

static struct segmenter_params
rule_of(const struct task *t)
{
	return (struct segmenter_params){
		.vad = t->vad,
		.vad_threshold = t->vad_threshold,
		.silence_ms = (int)(t->silence_s * 1000 + 0.5),
		.split = t->splitter && !t->only_silence,
		.split_characters = (int)t->splitter_characters,
		.split_s = t->splitter_s,
	};
}

void *
recognizer_new(struct pipeline *p)
{
	struct arena *mem = arena_new();
	struct recognizer *e = arena_alloc(mem, sizeof(*e));
	struct segmenter_params rule = rule_of(&p->config->task);

	*e = (struct recognizer){ .pipeline = p,
		.mem = mem,
		.scratch = arena_new(),
		.segment_mem = arena_new() };
	for (size_t i = 0; i < p->config->task.n_targets; i++)
		e->measures |= p->config->task.targets[i].voice.timbre;
	e->in = audio_input_new(mem, p);
	e->segmenter = segmenter_new(mem, &rule);
	return e;
}

void
recognizer_gone(void *ears)
{
	struct recognizer *e = ears;
	struct pipeline *p = e->pipeline;

	recognizer_close(e);
	passthrough_set(e, false);
	audio_input_close(e->in);
	arena_free(e->scratch);
	arena_free(e->segment_mem);
	arena_free(e->mem);
	for (int i = 0; i < (int)p->config->task.n_targets; i++)
		actor_leave(p->synthesizers[i]);
	pipeline_left(p);
}

/* ---- texts ---- */

static bool
is_flushed(const struct recognizer *e)
{
	return e->dropped || e->flushed != e->pipeline->flushed_all;
}

static void
ingest_partial(struct recognizer *e, int64_t at_us)
{
	int64_t now = monotonic_us();
	bool streams = (e->engine->asr->can & ASR_STREAM) != 0;
	struct spoken_segment p;
	struct heard h;

	if (is_flushed(e) || pipeline_drops(e->pipeline, DROP_PARTIALS) ||
	    now < e->partial_us + (streams ? PARTIAL_US : ASKED_US))
		return;
	e->partial_us = now;
	if (e->engine->asr->partial(e->asr, e->segment_mem, &h) != OK)
		return;
	h.text = recognizer_corrected(e, &h);
	if (h.text[0] == '\0' || strcmp(h.text, e->text) == 0)
		return;
	segmenter_text(e->segmenter, h.text);
	recognizer_send(e, OUTPUT_PARTIAL, &h, at_us);
	e->text = h.text;
	e->text_us = at_us;
	p = recognizer_segment(e, &h, at_us);
	p.partial = true;
	if (!pipeline_drops(e->pipeline, DROP_PARTIAL_TRANSLATIONS))
		pipeline_pass(e->pipeline, &p, -1);
}

static void
ingest_final(struct recognizer *e, int64_t end_us)
{
	struct spoken_segment p;
	struct heard h;

	if (is_flushed(e)) {
		e->engine->asr->drop(e->asr);
		return;
	}
	if (recognizer_finish(e, &h) != OK)
		return;
	h.text = recognizer_corrected(e, &h);
	if (h.text[0] == '\0' || is_flushed(e))
		return;
	recognizer_send(e, OUTPUT_VALIDATED, &h, end_us);
	p = recognizer_segment(e, &h, end_us);
	if (e->measures && e->nkept > 0)
		p.pitch_hz = pitch_median(e->kept, e->nkept);
	pipeline_pass(e->pipeline, &p, -1);
}

/* ---- sound ---- */

static void
begin_segment(struct recognizer *e, int64_t at_us)
{
	unsigned char id[8];

	arena_reset(e->segment_mem);
	random_bytes(id, sizeof(id));
	e->id = hex(e->segment_mem, id, sizeof(id));
	e->text = "";
	e->dropped = e->asr == NULL;
	e->lost = OK;
	e->kept = NULL;
	e->nkept = e->kept_room = 0;
	e->start_us = at_us;
	e->partial_us = monotonic_us();
}

static void
ingest_sound(struct recognizer *e, const struct segment_part *p)
{
	if (e->dropped)
		return;
	recognizer_feed(e, &p->sound);
	if (e->lost == OK)
		ingest_partial(
		    e, e->pipeline->before_us + US_OF(p->at + (int64_t)p->sound.n));
}

static void
take_part(struct recognizer *e, const struct segment_part *p)
{
	int64_t before_us = e->pipeline->before_us;

	switch (p->is) {
	case SEGMENT_BEGINS:
		begin_segment(e, before_us + US_OF(p->speech_at));
		return;
	case SEGMENT_AUDIO:
		ingest_sound(e, p);
		return;
	case SEGMENT_ENDS:
		if (p->speech_at > e->message_at)
			e->voiced_us = e->message_us;
		if (e->asr != NULL)
			ingest_final(e, before_us + US_OF(p->speech_at));
		e->id = NULL;
		return;
	}
}

static void
take_parts(struct recognizer *e)
{
	struct segment_part part;

	while (segmenter_next(e->segmenter, &part))
		take_part(e, &part);
}

static void
tell_unread(struct recognizer *e)
{
	if (warned_due(&e->warned, "VALIDATION_ERROR", monotonic_us()))
		pipeline_error(
		    e->pipeline, "VALIDATION_ERROR", "The audio cannot be read");
}

static void
hear(struct recognizer *e, const struct recognizer_message *l)
{
	int64_t before = audio_input_us(e->in), speech;
	struct pcm16 pcm;
	enum err how = passthrough_decode(e, l->bytes, l->n, &pcm);

	if (how != OK)
		tell_unread(e);
	if (!e->pipeline->dropped) {
		speech = segmenter_speech_at(e->segmenter);
		e->message_us = l->came_us;
		segmenter_feed(e->segmenter, pcm.s, pcm.n);
		take_parts(e);
		e->message_at += (int64_t)pcm.n;
		if (segmenter_speech_at(e->segmenter) > speech)
			e->pipeline->voiced_us = e->voiced_us = l->came_us;
	}
	e->pipeline->messages--;
	e->pipeline->read += (long long)l->n;
	e->pipeline->done_us += l->us;
	e->pipeline->queued -= (long long)l->n;
	e->pipeline->decoded_us += audio_input_us(e->in) - before;
}

static void
cut(struct recognizer *e)
{
	segmenter_cut(e->segmenter);
	take_parts(e);
}

/* Without a pending text, send an empty final text that carries the mark. */
static void
finalize(struct recognizer *e)
{
	int64_t at_us = e->pipeline->before_us + audio_input_us(e->in);
	const struct heard nothing = { .text = "",
		.lang = e->pipeline->config->task.language.said };

	e->finalizing = true;
	cut(e);
	if (!e->finalizing)
		return;
	begin_segment(e, at_us);
	recognizer_send(e, OUTPUT_VALIDATED, &nothing, at_us);
	e->id = NULL;
}

static void
drop_segment(struct recognizer *e)
{
	e->dropped = true;
	cut(e);
	e->flushed++;
}

void
recognizer_read(void *ears, struct actor_message *message)
{
	struct recognizer_message *l = (struct recognizer_message *)message;
	struct recognizer *e = ears;

	switch (l->kind) {
	case RECOGNIZER_OPEN:
		audio_input_open(e->in);
		recognizer_open(e);
		break;
	case RECOGNIZER_AUDIO:
		hear(e, l);
		break;
	case RECOGNIZER_CUT:
		cut(e);
		break;
	case RECOGNIZER_FINALIZE:
		finalize(e);
		break;
	case RECOGNIZER_DROP:
		drop_segment(e);
		break;
	case RECOGNIZER_DRAIN:
		cut(e);
		pipeline_pass_drain(e->pipeline);
		break;
	case RECOGNIZER_PASSTHROUGH:
	case RECOGNIZER_NO_PASSTHROUGH:
		passthrough_set(e, l->kind == RECOGNIZER_PASSTHROUGH);
		break;
	}
	arena_reset(e->scratch);
	arena_free(message->mem);
}
