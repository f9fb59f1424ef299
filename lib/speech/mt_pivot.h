#ifndef SPEECH_MT_PIVOT_H
#define SPEECH_MT_PIVOT_H

#include "base/lang.h"
#include "speech/mt.h"

/* From code to code, by an engine's pairs; private to this folder. */

/* The source of pairs of exactly two codes: the engine, or what is known of it. */
struct mt_teller {
	const struct engine_at *at;
	const struct mt_engine *engine; /* NULL: it is not to be asked */
	const struct list *known;       /* in the order of mt_learn() */
};

struct mt_step {
	char from[LANG_BYTES], to[LANG_BYTES]; /* as the engine has them */
};

struct mt_pivot {
	const char *via; /* the language in between, a literal; NULL: there is none */
	struct mt_step step[2];
	int n;
};

/* One step if there is one; else, with at->pivot, two.  False: there is no way. */
bool mt_pivot_find(
    const struct mt_teller *, const char *from, const char *to, struct mt_pivot *);

#endif
