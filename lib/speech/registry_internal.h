#ifndef SPEECH_REGISTRY_INTERNAL_H
#define SPEECH_REGISTRY_INTERNAL_H

#include "speech/registry.h"

/* What the files of the registry share; private to them. */
enum engine_list { LIST_ASR, LIST_MT, LIST_TTS, LISTS };

struct engines {
	struct registry_engine *e; /* in the order of the settings */
	size_t n;
};

#define CODE_BYTES 16

/* The code as the lists spell it; false: it is too long to be one. */
bool registry_spell(const char *code, char to[CODE_BYTES]);
const struct engines *registry_list(const struct registry *, enum engine_list);
/* What engines of speech.mt said of their pairs; gone with the arena. */
struct learnt;
struct learnt *learnt_new(struct arena *, const struct engines *);
struct learnt *registry_learnt(const struct registry *);
/* Whether the engine can hear or say `from`, or translate from it. */
bool registry_able(const struct registry *, const struct registry_engine *,
    const char *from, const char *to);
/*
 * Whether an engine of speech.mt has the pair, by what is known, or by asking it; and
 * through which language it goes, a literal; NULL: none, or it was not learnt.
 */
bool registry_has(const struct registry *, const struct registry_engine *,
    const char *from, const char *to, const char **via);

#endif
