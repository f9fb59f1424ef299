/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_VOICES_INTELLIGIBLE_H
#define TESTS_VOICES_INTELLIGIBLE_H

#include <math.h>
#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <stdio.h>

#include "audio/resample.h"
#include "base/buf.h"
#include "speech/engine.h"
#include "tests/words.h"

/*
 * Measures how well a voice is understood: an engine speaks English sentences, and
 * PocketSphinx recognizes them with its whole dictionary. Each sentence is recognized
 * as a separate file, so that no voice profits from adaptation to earlier ones.
 */
#define SENTENCES "tests/voices/said.en"
#define MODEL "/usr/share/pocketsphinx/model/en-us/"
#define PAUSE (ASR_RATE_HZ / 4) /* samples of silence on either side */

/* Number of words spoken, and of those recognized as other words. */
struct intelligibility {
	int wrong, words;
};

static inline double
wer_percent(struct intelligibility i)
{
	return i.words > 0 ? 100.0 * i.wrong / i.words : NAN;
}

static inline struct pcm16
sound_for_asr(struct arena *mem, const struct pcm *pcm)
{
	struct resample *r = resample_new(mem, pcm->rate_hz, ASR_RATE_HZ);
	int16_t *s = arena_alloc(mem, pcm->n * sizeof(*s) + 1);
	static const int16_t silence[PAUSE];
	struct buf all = { .mem = mem };
	struct pcm16 part;

	for (size_t i = 0; i < pcm->n; i++)
		s[i] = (int16_t)lrintf(fmaxf(-1, fminf(1, pcm->s[i])) * 32767);
	buf_put(&all, silence, sizeof(silence));
	part = resample_feed(r, s, pcm->n, mem);
	buf_put(&all, part.s, part.n * sizeof(*part.s));
	part = resample_end(r, mem);
	buf_put(&all, part.s, part.n * sizeof(*part.s));
	buf_put(&all, silence, sizeof(silence));
	return (struct pcm16){ (int16_t *)(void *)all.p, all.len / sizeof(int16_t) };
}

/* NULL: the engine is not installed. */
static inline ps_decoder_t *
load_recogniser(void)
{
	cmd_ln_t *c;
	ps_decoder_t *ps;

	err_set_logfp(NULL);
	c = cmd_ln_init(NULL, ps_args(), TRUE, "-hmm", MODEL "en-us", "-lm",
	    MODEL "en-us.lm.bin", "-dict", MODEL "cmudict-en-us.dict", "-fwdflat", "no",
	    (char *)NULL);
	ps = c != NULL ? ps_init(c) : NULL;
	if (c != NULL)
		cmd_ln_free_r(c);
	return ps;
}

/*
 * The recognized words of one utterance, separated by blanks; NULL: recognition failed.
 */
static inline char *
recognise(struct arena *mem, ps_decoder_t *ps, const struct pcm *pcm)
{
	struct pcm16 sound = sound_for_asr(mem, pcm);
	const char *text;

	if (ps_start_utt(ps) < 0 ||
	    ps_process_raw(ps, sound.s, sound.n, FALSE, TRUE) < 0 || ps_end_utt(ps) < 0)
		return NULL;
	text = ps_get_hyp(ps, NULL);
	return arena_str(mem, text != NULL ? text : "");
}

struct spoken {
	struct buf samples; /* float */
	int rate_hz;
};

static inline bool
collect_sound(void *arg, const struct pcm *pcm)
{
	struct spoken *to = arg;

	to->rate_hz = pcm->rate_hz;
	buf_put(&to->samples, pcm->s, pcm->n * sizeof(*pcm->s));
	return true;
}

/* Speak the text and count the words that are recognised as others. */
static inline bool
try_sentence(ps_decoder_t *ps, const struct tts_engine *en, const struct engine_at *at,
    const struct tts_text *t, struct intelligibility *to)
{
	struct arena *mem = arena_new();
	struct spoken spoken = { .samples.mem = mem };
	char *heard = NULL;

	if (en->synthesize(at, mem, t, collect_sound, &spoken) == OK &&
	    spoken.samples.len > 0) {
		const struct pcm pcm = { .s = (float *)(void *)spoken.samples.p,
			.n = spoken.samples.len / sizeof(float),
			.rate_hz = spoken.rate_hz };

		heard = recognise(mem, ps, &pcm);
	}
	if (heard != NULL)
		to->wrong += word_errors(arena_str(mem, t->text), heard, &to->words);
	arena_free(mem);
	return heard != NULL;
}

/* Speak the first n lines of SENTENCES as t says. False: a sentence was not spoken. */
static inline bool
try_voice(ps_decoder_t *ps, const struct tts_engine *en, const struct engine_at *at,
    struct tts_text t, int n, struct intelligibility *to)
{
	FILE *f = fopen(SENTENCES, "r");
	bool ok = f != NULL;
	char line[1024];

	*to = (struct intelligibility){ 0, 0 };
	t.text = line;
	while (ok && n-- > 0 && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		ok = try_sentence(ps, en, at, &t, to);
	}
	if (f != NULL)
		fclose(f);
	return ok && to->words > 0;
}

#endif
