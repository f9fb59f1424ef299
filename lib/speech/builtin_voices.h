/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_BUILTIN_VOICES_H
#define SPEECH_BUILTIN_VOICES_H

/*
 * The voices of every installation, with constant ids. The first two ids are also the
 * names that sockets use for an engine's own low and high voice, and mean those voices.
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

/* Returns NULL if there is none. */
const struct builtin_voice *builtin_find(const char *id);

/*
 * Languages that the built-in synthesizer speaks, by the codes of the API's lists. A
 * regional code without an entry is replaced by its base, "auto" by "en".
 */

/* The voice's file below espeak-ng-data/lang, such as "gmw/en-US"; NULL: not spoken. */
const char *builtin_voice_file(const char *code);
/* One natural sentence in that language, for samples; NULL: not spoken. */
const char *speech_sample_text(const char *code);

#endif
