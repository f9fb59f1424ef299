/*
 * The built-in synthesiser, as its callers have it: a process for each
 * utterance, which shapes the sound too (workers/dragoman-speech.c).
 */
#include <stdint.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "speech/language.h"
#include "speech/tts.h"
#include "speech/utterance.h"

#define MEMORY_BYTES ((size_t)512 << 20)
#define SOUND_BYTES ((size_t)UTTERANCE_RATE_HZ * UTTERANCE_MAX_S * sizeof(int16_t))

static bool
speaks(const char *lang)
{
	return language_voice(lang) != NULL;
}

static enum err
verdict(int status)
{
	switch (status) {
	case 0:
		return OK;
	case UTTERANCE_UNSUPPORTED:
		return ERR_UNSUPPORTED;
	case UTTERANCE_REFUSED:
		return ERR_REFUSED;
	default:
		return ERR_FAILED;
	}
}

static struct pcm
lay(struct arena *mem, const struct child_end *end)
{
	size_t n = end->out_len / sizeof(int16_t);
	struct pcm pcm = { .n = n, .rate_hz = UTTERANCE_RATE_HZ };

	pcm.s = arena_alloc(mem, (n + 1) * sizeof(*pcm.s));
	for (size_t i = 0; i < n; i++) {
		int16_t v;

		memcpy(&v, end->out + i * sizeof(v), sizeof(v));
		pcm.s[i] = (float)v / 32768;
	}
	return pcm;
}

static enum err
speak(const struct tts_at *at, struct arena *mem, const struct tts_text *t,
    struct pcm *pcm)
{
	const char *argv[] = { at->program, t->lang, t->voice, NULL };
	struct child c = {
		.argv = argv,
		.in = t->text,
		.in_len = strlen(t->text),
		.timeout_ms = at->timeout_ms,
		.memory_bytes = MEMORY_BYTES,
		.out_bytes = SOUND_BYTES,
	};
	struct child_end end;
	enum err e;

	if (!speaks(t->lang))
		return ERR_UNSUPPORTED;
	if (c.in_len > UTTERANCE_MAX_BYTES) {
		log_warn("speech: %zu bytes of text", c.in_len);
		return ERR_REFUSED;
	}
	if ((e = child_run(&c, mem, &end)) != OK || (e = verdict(end.status)) != OK)
		return e;
	*pcm = lay(mem, &end);
	return OK;
}

const struct tts_engine tts_espeak = { "espeak", speaks, speak };
