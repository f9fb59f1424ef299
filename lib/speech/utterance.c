/*
 * One utterance of an engine that is a library with a state in globals, or that reads
 * text of strangers: it is a process, which shapes the sound, too
 * (workers/dragoman-speech.c).  Starting it costs 4 ms.
 */
#include "speech/utterance.h"

#include <string.h>

#include "base/child.h"
#include "base/lang.h"
#include "base/log.h"

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
		pcm.s[i] = (float)s[i] / 32768;
	return pcm;
}

enum err
utterance_synthesize(const struct engine_at *at, struct arena *mem,
    const struct tts_text *t, int rate_hz, tts_sink *sink, void *to)
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
