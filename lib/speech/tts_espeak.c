/*
 * The built-in synthesiser.  It is a process for each utterance, which shapes the sound
 * too (workers/dragoman-speech.c).  That costs 4 ms, the longest part of a phrase is
 * spoken after 30, so there is nothing to gain from sound in pieces or from processes
 * that wait.
 */
#include <stdint.h>
#include <string.h>

#include "base/child.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/language.h"
#include "speech/tts.h"
#include "speech/utterance.h"

#define MEMORY_BYTES ((size_t)512 << 20)
#define SOUND_BYTES ((size_t)UTTERANCE_RATE_HZ * UTTERANCE_MAX_S * sizeof(int16_t))
#define LOW "{\"variant\":\"m3\"}"
#define HIGH "{\"variant\":\"f3\"}"

static bool
speaks(const char *lang)
{
	return language_voice(lang) != NULL;
}

static enum err
verdict(int status)
{
	return status == 0                       ? OK
	       : status == UTTERANCE_UNSUPPORTED ? ERR_UNSUPPORTED
	       : status == UTTERANCE_REFUSED     ? ERR_REFUSED
						 : ERR_FAILED;
}

static struct pcm
sound(struct arena *mem, const struct child_end *end)
{
	const int16_t *s = (const int16_t *)(const void *)end->out;
	struct pcm pcm = { .n = end->out_len / sizeof(*s),
		.rate_hz = UTTERANCE_RATE_HZ };

	pcm.s = arena_alloc(mem, (pcm.n + 1) * sizeof(*pcm.s));
	for (size_t i = 0; i < pcm.n; i++)
		pcm.s[i] = (float)s[i] / 32768;
	return pcm;
}

static const char *
choose_voice(const struct tts_text *t)
{
	if (t->voice != NULL || t->sample)
		return t->voice;
	return t->high ? HIGH : LOW;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	bool hurry = !t->sample && at->timeout_ms > TTS_FIRST_MS;
	const char *argv[] = { arena_printf(mem, "%s/dragoman-speech", at->bin_dir),
		lang_fold(mem, t->lang), choose_voice(t),
		t->sample ? NULL : arena_printf(mem, "%.3f", t->rate), NULL };
	struct child c = {
		.argv = argv,
		.in = t->text,
		.in_len = strlen(t->text),
		.timeout_ms = hurry ? TTS_FIRST_MS : at->timeout_ms,
		.memory_bytes = MEMORY_BYTES,
		.out_bytes = SOUND_BYTES,
	};
	struct child_end end;
	struct pcm pcm;
	enum err e;

	if (!speaks(argv[1]))
		return ERR_UNSUPPORTED;
	if (c.in_len > UTTERANCE_MAX_BYTES) {
		log_warn("speech: %zu bytes of text", c.in_len);
		return ERR_REFUSED;
	}
	if ((e = child_run(&c, mem, &end)) != OK || (e = verdict(end.status)) != OK)
		return e;
	pcm = sound(mem, &end);
	if (pcm.n > 0)
		sink(to, &pcm);
	return OK;
}

const struct tts_engine tts_espeak = { TTS_CLONE | TTS_RATE | TTS_PROFILE, speaks,
	synthesize };
