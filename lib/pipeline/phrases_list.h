/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PHRASES_LIST_H
#define PIPELINE_PHRASES_LIST_H

/* The built-in phrases, by language: phrases.h. */
enum phrase_language {
	PHRASE_EN,
	PHRASE_ES,
	PHRASE_FR,
	PHRASE_IT,
	PHRASE_PT,
	PHRASE_LANGUAGES
};

enum phrase_kind {
	PHRASE_NOUN,     /* takes articles and adjectives in its sentence */
	PHRASE_PHRASE,   /* independent of them: struct mt_term */
	PHRASE_SENTENCE, /* a phrase that can be a whole sentence, too */
	PHRASE_ALONE     /* a whole sentence only */
};

struct phrase {
	enum phrase_kind kind;
	const char *in[PHRASE_LANGUAGES];
};

extern const struct phrase phrases_list[]; /* the last has no words */

#endif
