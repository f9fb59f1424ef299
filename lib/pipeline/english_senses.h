/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_ENGLISH_SENSES_H
#define PIPELINE_ENGLISH_SENSES_H

#include "pipeline/english_clause.h"

/* Spanish meanings of English verbs, which depend on the words beside them. */

/* True if "be" before the i-th word is "estar": a place or a state follows. */
bool english_stays(const struct english *, size_t i);
/* True if the subject before the i-th word is no person. */
bool english_is_thing(const struct english *, size_t i);
/* True if a certain person is named at the i-th word, an object that has "a". */
bool english_is_person(const struct english *, size_t i);

/* True if a noun without a verb begins at the i-th word. */
bool english_has_noun_group(const struct english *, size_t i);

/* Verbs that are another verb in Spanish before a gerund or "to". */
struct chain {
	const char *en, *es;
	bool gerund; /* a gerund follows in Spanish, else an infinitive */
	bool to;     /* of "to" and a verb, else of a gerund */
};
/* The chain of the verb of `words` words at the i-th word, or NULL. */
const struct chain *english_chain(
    const struct english *, size_t i, size_t words, const struct verb *);
/* The Spanish verb; NULL: this is no translation for the engine's own. */
const char *english_sense(
    const struct english *, size_t i, size_t words, const struct verb *, bool thing);

/* True if the verb at the beginning of a clause is an order, no noun. */
bool english_orders(
    const struct english *, size_t i, size_t words, const struct verb *);
/* The Spanish word for "to" before a verb at the i-th word: "para", or "". */
const char *english_link(const struct english *, size_t i);
/* True if a form that is past and present is past: "he put". */
bool english_past_is_clear(const struct verb_reading *, int person);

struct english_finite {
	bool plural, thing;
	bool continues; /* the verb has the subject of the verb before */
	bool relative;  /* behind "that" or "who" */
	bool place;     /* only "in the city" stands before: the subject is farther */
};
/*
 * True if a finite verb or an auxiliary stands at the i-th word and has a subject
 * before it that is no pronoun.  `person`, `form`: of the verb before, -1 for none.
 */
bool english_finite(const struct english *, size_t i, int person,
    enum english_form form, struct english_finite *);

#endif
