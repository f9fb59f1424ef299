/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_TO_SPANISH_H
#define PIPELINE_TO_SPANISH_H

#include "pipeline/english_clause.h"
#include "pipeline/english_senses.h"
#include "pipeline/spanish_phrase.h"

/* The files of verbs_to_spanish() share these. */

#define ALL_FORMS (1U << EN_BASE | 1U << EN_S | 1U << EN_PAST)
#define BASE (1U << EN_BASE)
#define ING (1U << EN_ING)
#define PARTICIPLE (1U << EN_PARTICIPLE)
#define LATER_MAX 8

/* Verbs of a sentence that stand apart from their group. */
struct later_verb {
	size_t at;
	const char *link; /* "a", or "" */
	int person;       /* the subjunctive's; -1: an infinitive */
};

struct english_reader {
	struct arena *mem;
	struct english *e;
	size_t at;              /* next word */
	int person;             /* the last subject's; -1: none in this sentence */
	int last;               /* as person, and of "who" */
	enum english_form form; /* the last verb's */
	bool thing;             /* the last subject is a thing */
	struct later_verb later[LATER_MAX];
	size_t nlater;
};

/* A group that is read. */
struct english_group {
	struct english_reader *r;
	struct spanish_phrase p;
	size_t at;   /* next word */
	bool thing;  /* the subject is a thing */
	bool copula; /* a form of "be" is the last word */
	bool asks;
	bool wish;   /* the present is a subjunctive: "before I finish" */
	bool agrees; /* adjectives behind agree with agrees_with */
	int agrees_with;
};

/* A pronoun after a verb. */
struct english_object {
	const char *en;
	const char *dative, *accusative, *after; /* after a preposition */
};

/* The next word, "" after a mark; true if it is of the set. */
const char *to_spanish_word(const struct english_group *);
bool to_spanish_next_is(const struct english_group *, const char *set);
/* Read adverbs and "not". */
void to_spanish_adverbs(struct english_group *);
/* The pronoun at the i-th word that is an object, or NULL. */
const struct english_object *to_spanish_object(const struct english_group *, size_t i);
/* True if a verb in one of the forms stands at the i-th word. */
bool to_spanish_has_verb(const struct english_group *, size_t i, unsigned forms);
/* True if a clause of its own begins here. */
bool to_spanish_begins_clause(const struct english_group *);
/* Read a verb in one of the forms, with its objects; false: there is none. */
bool to_spanish_verb(
    struct english_group *, unsigned forms, enum spanish_tense, int depth);
/* Read "to look" after "want you" into a clause of its own. */
bool to_spanish_wish(struct english_group *, const struct verb *,
    const struct english_object *, int depth);

/* Read a finite verb with its auxiliaries; false: it is none that is known. */
bool to_spanish_finite(struct english_group *);
/* The past of the verb at the i-th word. */
enum spanish_tense to_spanish_past_of(const struct english *, size_t i);
/* True if the clause that begins with the word before the i-th is not real yet. */
bool to_spanish_is_wish(const struct english *, size_t i);

#endif
