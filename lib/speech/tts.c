/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/tts.h"

#include <string.h>

#include "base/lang.h"
#include "base/log.h"
#include "speech/voice_level.h"

bool
tts_knows(const struct tts_engine *en, const struct engine_at *at, const char *lang)
{
	char code[LANG_BYTES];

	return lang_spell(lang, code) && strcmp(code, "auto") != 0 &&
	       lang_covered(at->languages, code) && en->speaks(code);
}

bool
tts_collect(void *arg, const struct pcm *pcm)
{
	struct tts_collected *to = arg;

	to->rate_hz = pcm->rate_hz;
	buf_put(&to->samples, pcm->s, pcm->n * sizeof(*pcm->s));
	return true;
}

struct pcm
tts_collected(const struct tts_collected *all)
{
	return (struct pcm){ .s = (float *)(void *)all->samples.p,
		.n = all->samples.len / sizeof(float),
		.rate_hz = all->rate_hz };
}

enum err
tts_sample(const struct tts_engine *en, const struct engine_at *at, struct arena *mem,
    const struct tts_text *text, struct pcm *to)
{
	struct tts_collected all = { .samples.mem = mem };
	struct tts_text t = *text;
	enum err e;

	t.sample = true;
	if ((e = en->synthesize(at, mem, &t, tts_collect, &all)) != OK)
		return e;
	if (all.samples.len == 0) {
		log_warn("engine %s: a text produced no sound", at->id);
		return ERR_REFUSED;
	}
	*to = tts_collected(&all);
	voice_level_whole(to);
	return OK;
}
