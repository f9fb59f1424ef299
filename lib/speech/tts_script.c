/*
 * What tests hear: a sine for every character, its pitch tells the voice.  The
 * word fault-tts in a text makes it fail.
 */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "speech/tts.h"

#define RATE_HZ 24000
#define CHARACTER (RATE_HZ * 60 / 1000) /* samples */
#define BLOCK (RATE_HZ / 5)
#define LOUD 0.25f

static bool
speaks(const char *lang)
{
	(void)lang;
	return true;
}

static enum err
synthesize(const struct engine_at *at, struct arena *mem, const struct tts_text *t,
    tts_sink *sink, void *to)
{
	int hz = t->voice != NULL ? 330 : t->high ? 440 : 220;
	size_t n = text_length(t->text) * CHARACTER;
	struct pcm block = { .s = arena_alloc(mem, BLOCK * sizeof(float)),
		.rate_hz = RATE_HZ };

	if (strstr(t->text, "fault-tts") != NULL) {
		log_warn("engine %s: fails, as the text asks", at->id);
		return ERR_FAILED;
	}
	for (size_t done = 0; done < n; done += block.n) {
		block.n = n - done < BLOCK ? n - done : BLOCK;
		for (size_t i = 0; i < block.n; i++)
			block.s[i] =
			    LOUD *
			    sinf((float)(2 * M_PI * hz *
					 (double)((done + i) % RATE_HZ) / RATE_HZ));
		if (!sink(to, &block))
			break;
	}
	return OK;
}

const struct tts_engine tts_script = { TTS_CLONE, speaks, synthesize };
