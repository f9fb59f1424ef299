/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_BUILTIN_VOICES_H
#define SPEECH_BUILTIN_VOICES_H

/*
 * The voices of every installation, with constant ids. The first two have the names
 * that the sockets use for an engine's own low and high voice, and stand for these.
 */
#define BUILTIN_LOW "default_low"
#define BUILTIN_HIGH "default_high"

struct builtin_voice {
	const char *id;
	const char *name;
	const char *description;
	const char *gender; /* labels, spelt as the API spells them */
	const char *age_group;
	const char *mood;
	const char *lang_code; /* L1 */
	const char *voice;     /* tts_text.voice of the engine espeak */
};

extern const struct builtin_voice builtin_voices[]; /* the last has no id */

const struct builtin_voice *builtin_find(const char *id); /* NULL: there is none */

/*
 * Languages the built-in synthesizer speaks, by the codes of the API's lists. A
 * regional code that has no entry is looked up by its base, "auto" is "en".
 */

/* The voice's file below espeak-ng-data/lang, "gmw/en-US"; NULL: not spoken. */
const char *builtin_voice_file(const char *code);
/* One natural sentence in that language, for samples; NULL: not spoken. */
const char *speech_sample_text(const char *code);

#endif
