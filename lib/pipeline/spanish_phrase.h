/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SPANISH_PHRASE_H
#define PIPELINE_SPANISH_PHRASE_H

#include <stdbool.h>

#include "base/buf.h"
#include "pipeline/verb_spanish.h"

/* A Spanish verb with its adverbs, pronouns and further verbs: "no se lo voy a decir".
   Zero-initialise, set mem and person. */
struct spanish_phrase {
	struct arena *mem;
	int person;
	const char *before; /* adverbs, "" or NULL for none */
	const char *behind; /* an adverb behind all verbs, or NULL */
	bool denied;
	bool reflexive;
	const char *object; /* pronouns: "se lo" */
	const char *finite; /* NULL: an infinitive */
	bool orders;        /* the finite form is an imperative */
	struct buf more;    /* what follows it, up to the last infinitive */
	bool infinitive;    /* the last verb is an infinitive */
	const char *rest;   /* words of the last verb: "a cabo" */
};

/* Add a verb of one or several words in a form; the first one with a person makes the
   finite form. */
void spanish_add(struct spanish_phrase *, const char *verb, enum spanish_tense);
/* Add a word after the verbs so far: "que", "a". */
void spanish_add_word(struct spanish_phrase *, const char *word);
/* Add an adverb before the verb. */
void spanish_add_adverb(struct spanish_phrase *, const char *adverb);
const char *spanish_text(struct spanish_phrase *);

#endif
