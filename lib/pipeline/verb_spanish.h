/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_VERB_SPANISH_H
#define PIPELINE_VERB_SPANISH_H

#include "base/arena.h"

/* The conjugation of Spanish verbs. */

enum spanish_tense {
	ES_PRESENT,
	ES_IMPERFECT,
	ES_PRETERITE,
	ES_FUTURE,
	ES_CONDITIONAL,
	ES_SUBJUNCTIVE,
	ES_PAST_SUBJUNCTIVE,
	ES_TENSES,
	/* these have no person */
	ES_INFINITIVE,
	ES_GERUND,
	ES_PARTICIPLE,
};

/* yo, tú, él, nosotros, vosotros, ellos */
enum { ES_1S, ES_2S, ES_3S, ES_1P, ES_2P, ES_3P, ES_PERSONS };

/* The form of an infinitive of one word, without "se". */
const char *spanish_form(
    struct arena *, const char *infinitive, enum spanish_tense, int person);

#endif
