/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Clones a voice without a neural network: measures the speaker, lets the synthesizer
 * speak with these measures, and learns the difference between the two spectra.
 * Measuring needs no child process: the sample is already decoded, and the arithmetic
 * is bounded by the length that is used.
 */
#include <math.h>

#include "speech/clone.h"
#include "speech/engine.h"
#include "speech/voice_analysis.h"
#include "speech/voice_filter.h"

/*
 * A text long enough for a spectrum. It is English for all languages: long-term spectra
 * differ little between languages (D. Byrne et al., "An international comparison of
 * long-term average speech spectra", JASA 96(4), 1994).
 */
static const char passage[] =
    "Every morning the two old friends walk along the river to the market. They buy "
    "bread, cheese and a few oranges, and they talk about the weather. Sometimes a "
    "young man with a large brown dog joins them, and they share a joke. When it "
    "rains they sit under the bridge, watch the ships go by, and think of the years "
    "when both of them worked at sea. By noon they are home again, just in time for "
    "a hot meal.";

/* Compute the gains that turn the synthesizer's spectrum into the speaker's. */
static enum err
learn_gains(const struct engine_at *at, struct arena *mem, struct voice_profile *p)
{
	const struct tts_text t = {
		.text = passage, .lang = "en", .voice = voice_profile_write(mem, p)
	};
	struct voice_profile own;
	struct pcm pcm;
	enum err e;

	if ((e = tts_sample(&tts_espeak, at, mem, &t, &pcm)) != OK ||
	    (e = voice_analysis_profile(mem, &pcm, &own)) != OK)
		return e;
	voice_filter_gains(own.ltas_db, p->ltas_db, p->eq_db);
	return OK;
}

static enum err
clone(const struct engine_at *at, struct arena *mem, const struct clone_sample *sample,
    const char **voice)
{
	struct voice_profile p;
	enum err e;

	if ((e = voice_analysis_profile(mem, &sample->pcm, &p)) != OK ||
	    (e = learn_gains(at, mem, &p)) != OK)
		return e;
	*voice = voice_profile_write(mem, &p);
	return OK;
}

/* Does nothing: the voice exists only in the database. */
static enum err
drop(const struct engine_at *at, struct arena *mem, const char *voice)
{
	(void)at;
	(void)mem;
	(void)voice;
	return OK;
}

const struct clone_engine clone_profile = { clone, drop };
