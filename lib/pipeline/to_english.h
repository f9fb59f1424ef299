/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_TO_ENGLISH_H
#define PIPELINE_TO_ENGLISH_H

#include "pipeline/english_phrase.h"
#include "pipeline/spanish_clause.h"

/* The files of verbs_to_english() share these. */

struct spanish_reader {
	struct arena *mem;
	struct words *t;
	size_t at;
	bool asks;         /* in a question */
	bool asked;        /* its first verb was read */
	bool past;         /* the sentence is about the past */
	bool ordered;      /* the last verb was an order */
	size_t cut;        /* drop this word */
	size_t end;        /* the last group's */
	bool denied;       /* "no" stands before in this clause */
	const char *owner; /* "su" is "your" or "their"; NULL: leave it */
	bool age;          /* years follow */
	bool of_me;        /* the last verb had "me": "me piden que explique" */
	const char *he;    /* "he", "she" or "it": the last subject */
};

struct spanish_group {
	struct spanish_reader *r;
	struct spanish_verb v;
	struct english_phrase p;
	size_t from, at;  /* words [from, at) */
	bool own_subject; /* a pronoun in the group */
};

/* The next word, "" after a mark. */
const char *to_english_next(const struct spanish_group *);
/* True if it is this Spanish verb. */
bool to_english_is(const struct verb *, const char *es);
/* Read a form without person; the pronouns before the finite verb are its own. */
bool to_english_form(const struct spanish_group *, size_t i, enum spanish_tense,
    const char **a, const char **b, struct spanish_verb *);
/* The English words of a verb without a preposition at their end. */
const char *to_english_bare(struct arena *, const char *form);
/* The English words of a verb with its objects, two Spanish pronouns. */
const char *to_english_objects(const struct spanish_group *, const struct verb *,
    const char *form, const char *a, const char *b);
/* The verb that it means beside these words. */
const struct verb *to_english_sense(
    const struct spanish_group *, const struct verb *, const char *clitic);
/* Drop the "a" of a person as object: "conocemos a Ana". */
void to_english_drop_a(struct spanish_group *, const struct verb *);
/* " her" for "ella" after a verb with a preposition; or NULL. */
const char *to_english_pronoun(struct spanish_group *, const struct verb *);
/* The gerund after verbs as "dejar de", which become *v; NULL: there is none. */
const char *to_english_pair(
    struct spanish_group *, const struct verb **v, const char *a, const char *b);
/* Read an infinitive after a verb: " to see it"; NULL: there is none. */
const char *to_english_further(struct spanish_group *, const struct verb *,
    const char *a, const char *b, int depth);
/* The verb's words in an English form, with its objects and further verbs. */
const char *to_english_verb(struct spanish_group *, const struct spanish_verb *,
    enum english_form, const char *a, const char *b, int depth);

/* Set the phrase of a finite verb, and read what belongs to it. */
void to_english_finite(struct spanish_group *);

#endif
