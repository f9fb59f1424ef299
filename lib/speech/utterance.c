/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engines espeak and flite. These libraries keep their state in globals and read
 * untrusted text, so they do not run in the gateway: each utterance has a process,
 * which also shapes the sound (workers/dragoman-speech.c). Starting a process takes 4
 * ms.
 */
#include "speech/utterance.h"

#include <string.h>

#include "base/child.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/builtin_voices.h"
#include "speech/engine.h"
#include "speech/synth_flite.h"

#define MEMORY_BYTES ((size_t)512 << 20)

static enum err
verdict(int status)
{
	return status == 0                       ? OK
	       : status == UTTERANCE_UNSUPPORTED ? ERR_UNSUPPORTED
	       : status == UTTERANCE_REFUSED     ? ERR_REFUSED
						 : ERR_FAILED;
}

static struct pcm
sound(struct arena *mem, const struct child_end *end, int rate_hz)
{
	const int16_t *s = (const int16_t *)(const void *)end->out;
	struct pcm pcm = { .n = end->out_len / sizeof(*s), .rate_hz = rate_hz };

	pcm.s = arena_alloc(mem, (pcm.n + 1) * sizeof(*pcm.s));
	for (size_t i = 0; i < pcm.n; i++)
		pcm.s[i] = (float)s[i] * UTTERANCE_MOST / 32768;
	return pcm;
}

/*
 * Run the program for one text of at most UTTERANCE_MAX_BYTES; t.voice is the argument
 * VOICE, rate_hz the rate of the sound. Errors as tts_engine.synthesize().
 */
static enum err
run(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    int rate_hz, tts_sink *sink, void *to)
{
	bool hurry = !t->sample && at->timeout_ms > TTS_FIRST_MS;
	const char *argv[] = { arena_printf(mem, "%s/dragoman-speech", at->bin_dir),
		lang_fold(mem, t->lang), t->voice,
		t->sample ? NULL : arena_printf(mem, "%.3f", t->rate), NULL };
	struct child c = {
		.argv = argv,
		.in = t->text,
		.in_len = strlen(t->text),
		.timeout_ms = hurry ? TTS_FIRST_MS : at->timeout_ms,
		.memory_bytes = MEMORY_BYTES,
		.out_bytes = (size_t)rate_hz * UTTERANCE_MAX_S * sizeof(int16_t),
	};
	struct child_end end;
	struct pcm pcm;
	enum err e;

	if (c.in_len > UTTERANCE_MAX_BYTES) {
		log_warn("speech: %zu bytes of text", c.in_len);
		return ERR_REFUSED;
	}
	if ((e = child_run(&c, mem, &end)) != OK || (e = verdict(end.status)) != OK)
		return e;
	pcm = sound(mem, &end, rate_hz);
	if (pcm.n > 0)
		sink(to, &pcm);
	return OK;
}

/* ---- espeak ---- */

/*
 * The built-in synthesizer. The longest part of a phrase is synthesized within 30 ms,
 * so sending sound in pieces, or starting processes ahead, would gain nothing.
 */
static bool
speaks_espeak(const char *lang)
{
	return builtin_voice_file(lang) != NULL;
}

static enum err
espeak(const struct engine_at *at, struct arena *mem, const struct tts_text *text,
    tts_sink *sink, void *to)
{
	struct tts_text t = *text;

	/* use our softened voices, because eSpeak's variants are hardly intelligible */
	if (t.voice == NULL && !t.sample)
		t.voice = builtin_voices[t.high ? 1 : 0].voice;
	return run(at, mem, &t, UTTERANCE_RATE_HZ, sink, to);
}

const struct tts_engine tts_espeak = { TTS_CLONE | TTS_RATE | TTS_PROFILE,
	speaks_espeak, espeak };

/* ---- flite ---- */

/*
 * flite, for English, where it is installed. Its voices are made of recordings of
 * people and are far more intelligible than eSpeak's. It ends its process when it
 * fails. A sentence of 4 s takes 55 ms.
 */
#define LOW "rms"
#define HIGH "slt"
#define MAX_BYTES 2048 /* longest text in bytes; it takes 2 s until the first sound */

static bool
speaks_flite(const char *lang)
{
	return lang_same_base(lang, "en") && synth_flite_is_installed();
}

static enum err
flite(const struct engine_at *at, struct arena *mem, const struct tts_text *text,
    tts_sink *sink, void *to)
{
	struct tts_text t = *text;

	if (!speaks_flite(lang_fold(mem, t.lang)))
		return ERR_UNSUPPORTED;
	if (strlen(t.text) > MAX_BYTES) {
		log_warn("engine %s: %zu bytes of text", at->id, strlen(t.text));
		return ERR_REFUSED;
	}
	t.voice = arena_printf(mem, UTTERANCE_FLITE "%s",
	    t.voice != NULL ? t.voice
	    : t.high        ? HIGH
			    : LOW);
	return run(at, mem, &t, UTTERANCE_FLITE_HZ, sink, to);
}

const struct tts_engine tts_flite = { TTS_RATE, speaks_flite, flite };
