#ifndef PIPELINE_PHRASES_INTERNAL_H
#define PIPELINE_PHRASES_INTERNAL_H

#include <stdbool.h>

enum phrase_language {
	PHRASE_EN,
	PHRASE_ES,
	PHRASE_FR,
	PHRASE_IT,
	PHRASE_PT,
	PHRASE_LANGUAGES
};

struct phrase {
	bool phrase; /* struct mt_term */
	const char *in[PHRASE_LANGUAGES];
};

extern const struct phrase phrases_list[]; /* the last has no words */

#endif
