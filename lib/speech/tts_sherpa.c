/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sherpa-onnx in a separate process: VITS, which includes Piper's voices, and Kokoro.
 * Each sentence is passed on as soon as it is synthesized.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
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

/* Pass sound on. False: no more is wanted, or the message is no sound (*how). */
static bool
pass_sound(struct arena *mem, const struct model_message *m, tts_sink *sink, void *to,
    enum err *how)
{
	int32_t rate_hz = 0;
	struct pcm pcm;
	int16_t one;

	if (m->n >= sizeof(rate_hz))
		memcpy(&rate_hz, m->p, sizeof(rate_hz));
	pcm.n = (m->n - sizeof(rate_hz)) / sizeof(one);
	if (rate_hz < LEAST_HZ || rate_hz > MOST_HZ || pcm.n == 0) {
		*how = ERR_REFUSED;
		return false;
	}
	pcm.rate_hz = rate_hz;
	pcm.s = arena_alloc(mem, pcm.n * sizeof(*pcm.s));
	for (size_t i = 0; i < pcm.n; i++) {
		memcpy(&one, m->p + sizeof(rate_hz) + i * sizeof(one), sizeof(one));
		pcm.s[i] = (float)one / 32768;
	}
	return sink(to, &pcm);
}

/* Pass all sentences on. Each sentence has the whole time limit. */
static enum err
pass_all(struct model_process *p, const struct engine_at *at, struct arena *mem,
    bool sample, tts_sink *sink, void *to)
{
	int first_ms =
	    !sample && at->timeout_ms > TTS_FIRST_MS ? TTS_FIRST_MS : at->timeout_ms;
	struct model_message m;
	enum err e;

	model_clock(p, first_ms * at->threads);
	while ((e = model_await(p, false, &m)) == OK && m.kind == MODEL_AUDIO) {
		if (!pass_sound(mem, &m, sink, to, &e)) {
			/* further messages are ignored; if this one cannot be sent, the
			   process continues for nothing */
			(void)model_send(p, MODEL_DROP, NULL, 0);
			break;
		}
		model_clock(p, at->timeout_ms * at->threads);
	}
	return e;
}

static enum err
say(struct model_process *p, const struct engine_at *at, struct arena *mem,
    const struct tts_text *t, tts_sink *sink, void *to)
{
	const struct model_say how = { .rate = t->sample ? 1 : (float)t->rate,
		.speaker = t->voice != NULL ? atoi(t->voice) : 0 };
	size_t n = sizeof(how) + strlen(t->text);
	char *body = arena_alloc(mem, n);
	enum err e;

	memcpy(body, &how, sizeof(how));
	memcpy(body + sizeof(how), t->text, n - sizeof(how));
	if ((e = model_await_ready(p)) != OK)
		return e;
	if (!model_send(p, MODEL_SAY, body, n)) {
		log_warn("engine %s: its process takes no text", at->id);
		return ERR_FAILED;
	}
	return pass_all(p, at, mem, t->sample, sink, to);
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	struct model_process *p;
	enum err e;

	if (sizeof(struct model_say) + strlen(t->text) > MODEL_BYTES) {
		log_warn("engine %s: %zu bytes of text", at->id, strlen(t->text));
		return ERR_REFUSED;
	}
	if ((e = model_take(at, MODEL_SPEAK, true, &p)) != OK)
		return e;
	e = say(p, at, mem, t, sink, to);
	model_give(p, e);
	return e;
}

const struct tts_engine tts_sherpa = { TTS_RATE, speaks, synthesize };
