/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_VERB_TABLE_H
#define PIPELINE_VERB_TABLE_H

#include <stdbool.h>

#include "pipeline/verb_spanish.h"

/*
 * Common verbs in English and Spanish, and their forms.  Flags:
 *
 *	D	takes a person as indirect object: "tell me"
 *	S	a clause follows, in English without "that", too
 *	W	"want somebody to do": "querer que" with a subjunctive
 *	K	"ask somebody to do": "pedir que" with a subjunctive
 *	H	"help somebody (to) do"
 *	L	"let somebody do"
 *	M	goes somewhere: Spanish "a" is no object
 *	N	the English word is a noun or adjective, too
 *	X	a state: its past is an imperfect
 *	A	an auxiliary
 *	<	only from English; >: only from Spanish; -: neither
 */
struct verb {
	const char *en, *past, *participle; /* past NULL: regular */
	const char *es;
	const char *flags;
	const char *link; /* before an infinitive in Spanish; NULL: none follows */
};

extern const struct verb verb_list[]; /* the last has no words */

bool verb_is(const struct verb *, char flag);

enum english_form { EN_BASE, EN_S, EN_PAST, EN_PARTICIPLE, EN_ING, EN_FORMS };

/* The form of a verb of one or several words: "gave up". */
const char *english_form(struct arena *, const struct verb *, enum english_form);

/* A verb that a word may be, or begin. */
struct verb_reading {
	const struct verb *verb;
	int form; /* enum english_form or enum spanish_tense */
	int person;
	const char *rest; /* other words of the verb, "" for none */
	const struct verb_reading *next;
};

/* The readings of a word in small letters, in the order of the list; NULL: none. */
const struct verb_reading *verbs_english(const char *word);
const struct verb_reading *verbs_spanish(const char *word);

#endif
