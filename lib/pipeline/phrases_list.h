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
	PHRASE_NOUN,     /* a noun: takes articles and adjectives of its sentence */
	PHRASE_PHRASE,   /* independent of the words around it: see struct mt_term */
	PHRASE_SENTENCE, /* a phrase that can also be a whole sentence */
	PHRASE_ALONE     /* a whole sentence only */
};

struct phrase {
	enum phrase_kind kind;
	const char *in[PHRASE_LANGUAGES];
};

extern const struct phrase phrases_list[]; /* the last has no words */

#endif
