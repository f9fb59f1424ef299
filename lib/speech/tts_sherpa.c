/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sherpa-onnx in a separate process: VITS, which includes Piper's voices, and Kokoro.
 * Each clause is passed on as soon as it is synthesized.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "speech/clause.h"
#include "speech/engine.h"
#include "speech/model_process.h"

#define LEAST_HZ 8000
#define MOST_HZ 48000

static bool
speaks(const char *lang)
{
	(void)lang; /* engine_at.languages decides */
	return true;
}

/* A call of synthesize(). */
struct saying {
	const struct engine_at *at;
	struct arena *mem;
	struct model_process *process;
	tts_sink *sink;
	void *to;
	bool enough; /* the sink wants no more */
};

static enum err
pass_sound(struct saying *s, const struct model_message *m)
{
	int32_t rate_hz = 0;
	struct pcm pcm;
	int16_t one;

	if (m->n >= sizeof(rate_hz))
		memcpy(&rate_hz, m->p, sizeof(rate_hz));
	pcm.n = (m->n - sizeof(rate_hz)) / sizeof(one);
	if (rate_hz < LEAST_HZ || rate_hz > MOST_HZ || pcm.n == 0)
		return ERR_REFUSED;
	pcm.rate_hz = rate_hz;
	pcm.s = arena_alloc(s->mem, pcm.n * sizeof(*pcm.s));
	for (size_t i = 0; i < pcm.n; i++) {
		memcpy(&one, m->p + sizeof(rate_hz) + i * sizeof(one), sizeof(one));
		pcm.s[i] = (float)one / 32768;
	}
	s->enough = !s->sink(s->to, &pcm);
	return OK;
}

/* Pass on the sound of a clause. Each sentence of it has the whole time limit. */
static enum err
pass_all(struct saying *s, bool sample)
{
	const struct engine_at *at = s->at;
	int first_ms =
	    !sample && at->timeout_ms > TTS_FIRST_MS ? TTS_FIRST_MS : at->timeout_ms;
	struct model_message m;
	enum err e;

	model_clock(s->process, first_ms * at->threads);
	while (
	    (e = model_await(s->process, false, &m)) == OK && m.kind == MODEL_AUDIO) {
		if ((e = pass_sound(s, &m)) != OK || s->enough) {
			/* further messages are ignored; if this one cannot be sent, the
			   process continues for nothing */
			(void)model_send(s->process, MODEL_DROP, NULL, 0);
			break;
		}
		model_clock(s->process, at->timeout_ms * at->threads);
	}
	return e;
}

static enum err
say_clause(struct saying *s, const struct tts_text *t, size_t n)
{
	const struct model_utterance how = { .rate = t->sample ? 1 : (float)t->rate,
		.speaker = t->voice != NULL ? atoi(t->voice) : 0 };
	char *body = arena_alloc(s->mem, sizeof(how) + n);

	memcpy(body, &how, sizeof(how));
	memcpy(body + sizeof(how), t->text, n);
	if (model_send(s->process, MODEL_UTTERANCE, body, sizeof(how) + n))
		return pass_all(s, t->sample);
	log_warn("engine %s: its process takes no text", s->at->id);
	return ERR_FAILED;
}

/* Synthesize clause by clause; a stored sample as a whole. */
static enum err
speak(struct saying *s, struct tts_text t)
{
	enum err e = model_await_ready(s->process);

	for (size_t n; e == OK && !s->enough && *t.text != '\0'; t.text += n) {
		n = t.sample ? strlen(t.text) : (size_t)(clause_end(t.text) - t.text);
		e = say_clause(s, &t, n);
	}
	return e;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	struct saying s = { .at = at, .mem = mem, .sink = sink, .to = to };
	enum err e;

	if (sizeof(struct model_utterance) + strlen(t->text) > MODEL_BYTES) {
		log_warn("engine %s: %zu bytes of text", at->id, strlen(t->text));
		return ERR_REFUSED;
	}
	if ((e = model_acquire(at, MODEL_SPEAK, true, &s.process)) != OK)
		return e;
	e = speak(&s, *t);
	model_release(s.process, e);
	return e;
}

const struct tts_engine tts_sherpa = { TTS_RATE | TTS_NAMED, speaks, synthesize };
