/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SPANISH_CLAUSE_H
#define PIPELINE_SPANISH_CLAUSE_H

#include "pipeline/verb_table.h"
#include "pipeline/word_edit.h"

/* The verbs of a Spanish text, their pronouns and their subjects. */

#define ES_DETERMINERS                                                                 \
	" el la los las un una unos unas mi mis tu tus su sus nuestro nuestra "        \
	"nuestros nuestras este esta estos estas ese esa esos esas aquel aquella "     \
	"aquellos aquellas cada otro otra otros otras mucho mucha muchos muchas poco " \
	"poca pocos pocas algún alguna algunos algunas ningún ninguna todo toda "    \
	"todos todas varios varias dos tres cuatro cinco seis siete ocho nueve diez "  \
	"cien mil cualquier tanto tanta tantos tantas primer primera primeros "        \
	"segundo segunda tercer tercera último última próximo próxima gran buen "  \
	"buena buenas buenos mal mala nuevo nueva nuevos nuevas mejor peor único "    \
	"única misma mismo propio propia vuestra vuestro siguiente siguientes "       \
	"anterior "
#define ES_PREPOSITIONS                                                                \
	" a al de del en con por para sin sobre entre desde hasta hacia durante "      \
	"según tras ante bajo contra mediante "
#define ES_PRONOUNS                                                                    \
	" yo tú él ella usted nosotros nosotras vosotros ellos ellas ustedes "
#define ES_CLITICS " me te se lo la los las le les nos os "
#define ES_CONJUNCTIONS                                                                \
	" y e o u pero porque si cuando mientras aunque como donde pues ni sino que "  \
	"entonces qué cómo dónde cuándo cuánto cuánta cuántos cuántas quién " \
	"quiénes cuál cuáles adonde luego así "
#define ES_ADVERBS                                                                      \
	" no nunca ya también todavía siempre casi solo aún tampoco hoy ahora ayer " \
	"mañana aquí allí ahí después antes luego entonces además incluso "       \
	"realmente quizás quizá bien mal mucho muy más menos apenas jamás así "    \
	"solamente simplemente "

/* A verb form at its place with the pronouns before it or joined to it. */
struct spanish_verb {
	const struct verb_reading *reading;
	size_t from, end;       /* words, with the pronouns and words of the verb */
	const char *clitics[2]; /* "" for none */
	bool article;   /* "del", "al": the article of the noun is its last word's */
	bool reflexive; /* "se" or the like belongs to the verb, and is no clitic */
};

bool spanish_is(const struct words *, size_t i, const char *set);
bool spanish_starts(const struct words *, size_t i);
/* The i-th word if it follows the one before with a blank; else "". */
const char *spanish_next(const struct words *, size_t i);

/* Read a finite verb whose first pronoun or form is the i-th word. */
bool spanish_finite(const struct words *, size_t i, bool past, struct spanish_verb *);
/* Read a form without person, of this tense, at the i-th word.  `clitic`: the pronoun
   before the finite verb, "" for none. */
bool spanish_nonfinite(const struct words *, size_t i, enum spanish_tense,
    const char *clitic, struct spanish_verb *);

/* The subject before a verb. */
enum spanish_subject { SUBJECT_NONE, SUBJECT_NOUN, SUBJECT_PRONOUN, SUBJECT_RELATIVE };
enum spanish_subject spanish_subject(const struct words *, size_t i);
/* The word after the noun with its adjectives at the i-th word; i: there is none. */
size_t spanish_noun_end(const struct words *, size_t i);

#endif
