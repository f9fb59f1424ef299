/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_ENGLISH_PHRASE_H
#define PIPELINE_ENGLISH_PHRASE_H

#include "pipeline/verb_table.h"

/* An English verb with its subject, auxiliary and adverb: "I have never seen it". */
struct english_phrase {
	struct arena *mem;
	int person;          /* the Spanish one */
	const char *subject; /* NULL: it stands elsewhere */
	bool asks;           /* the auxiliary stands first */
	bool denied;
	const char *adverb; /* NULL: none */
	const char *aux;    /* NULL: "do", where one is needed */
	const char *main;   /* without an auxiliary, a finite form */
	const char *base;   /* the base form of main */
	bool past;          /* main is past */
	const char *tail;   /* objects and further verbs, each after a blank */
};

/* Set aux, main, base of a verb in a Spanish tense. */
void english_set(struct english_phrase *, const struct verb *, enum spanish_tense);
/* Set an auxiliary, "have" or "be" in a tense, and a main word after it. */
void english_set_have(struct english_phrase *, enum spanish_tense, const char *main);
void english_set_be(struct english_phrase *, enum spanish_tense, const char *main);

const char *english_text(const struct english_phrase *);
/* The part before the subject of a question, and the part after it. */
const char *english_before_subject(const struct english_phrase *);
const char *english_behind_subject(const struct english_phrase *);

#endif
