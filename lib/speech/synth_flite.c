/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/synth_flite.h"

#include <dlfcn.h>
#include <flite/flite.h>
#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"
#include "speech/utterance.h"

#define LIBRARY "libflite_cmu_us_%s.so.1"

static struct {
	cst_wave *(*text_to_wave)(const char *, cst_voice *);
	void (*set_float)(cst_features *, const char *, float);
	cst_voice *voice;
} flite;

/* ---- the library ---- */

static bool installed;

static void
try_library(void)
{
	void *library = dlopen("libflite_cmu_us_rms.so.1", RTLD_LAZY);

	installed = library != NULL;
	if (library != NULL)
		dlclose(library);
}

bool
synth_flite_is_installed(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, try_library);
	return installed;
}

/* Look up a function of the library, into a pointer of any type. */
static bool
find(void *library, const char *name, void *to)
{
	void *function = dlsym(library, name);

	memcpy(to, &function, sizeof(function));
	return function != NULL;
}

/* True if the name can be part of a file's name. */
static bool
is_name(const char *voice)
{
	size_t n = strspn(voice, "abcdefghijklmnopqrstuvwxyz0123456789");

	return n > 0 && voice[n] == '\0';
}

enum err
synth_flite_open(struct arena *mem, const char *voice)
{
	cst_voice *(*load)(const char *);
	int (*begin)(void);
	void *library = NULL;

	if (is_name(voice))
		library = dlopen(arena_printf(mem, LIBRARY, voice), RTLD_NOW);
	if (library == NULL || !find(library, "flite_init", &begin) ||
	    !find(library, "flite_text_to_wave", &flite.text_to_wave) ||
	    !find(library, "flite_feat_set_float", &flite.set_float) ||
	    !find(library, arena_printf(mem, "register_cmu_us_%s", voice), &load)) {
		log_warn("speech: flite has no voice %s", voice);
		return ERR_REFUSED;
	}
	begin();
	flite.voice = load(NULL);
	return flite.voice != NULL ? OK : ERR_FAILED;
}

/* ---- text ---- */

/* Characters that must be replaced because flite would drop them. */
static const struct {
	uint32_t cp;
	const char *said;
} signs[] = {
	{ 0xa3, " pounds " },
	{ 0xb0, " degrees " },
	{ 0x2013, ", " },
	{ 0x2014, ", " },
	{ 0x2018, "'" },
	{ 0x2019, "'" },
	{ 0x2026, "..." },
	{ 0x20ac, " euros " },
};

static void
put_folded(struct buf *to, uint32_t cp)
{
	uint32_t folded[TEXT_FOLD];
	size_t n = text_fold_one(cp, folded);

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (signs[i].cp == cp) {
			buf_str(to, signs[i].said);
			return;
		}
	for (size_t i = 0; i < n; i++)
		buf_put(to, folded[i] < 0x7f ? &(char){ (char)folded[i] } : " ", 1);
}

static const char *
ascii(struct arena *mem, const char *text)
{
	struct buf b = { .mem = mem };
	uint32_t cp;

	while (*text != '\0') {
		text = text_next(text, &cp);
		if (cp < 0x20 || cp == 0x7f)
			buf_str(&b, " ");
		else if (cp < 0x7f)
			buf_put(&b, &(char){ (char)cp }, 1);
		else
			put_folded(&b, cp);
	}
	return buf_text(&b);
}

/* ---- speech ---- */

enum err
synth_flite_speak(struct arena *mem, const char *text, double rate, struct pcm *pcm)
{
	const cst_wave *w;

	flite.set_float(flite.voice->features, "duration_stretch", (float)(1 / rate));
	text = ascii(mem, text);
	w = text_first_word(text) != 0 ? flite.text_to_wave(text, flite.voice) : NULL;
	if (w == NULL || w->num_samples <= 0 || w->num_channels != 1 ||
	    w->sample_rate != UTTERANCE_FLITE_HZ) {
		log_warn("speech: the text makes no sound");
		return ERR_REFUSED;
	}
	*pcm = (struct pcm){ .n = (size_t)w->num_samples, .rate_hz = w->sample_rate };
	pcm->s = arena_alloc(mem, pcm->n * sizeof(*pcm->s));
	for (size_t i = 0; i < pcm->n; i++)
		pcm->s[i] = (float)w->samples[i] / 32768;
	return OK;
}
