#ifndef SPEECH_BUILTIN_H
#define SPEECH_BUILTIN_H

/*
 * The voices that every installation has; constant, and so are their ids.  The first
 * two are called as the sockets call an engine's own low and high voice, and stand for
 * these.
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

#endif
