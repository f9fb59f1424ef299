/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_ENGLISH_CLAUSE_H
#define PIPELINE_ENGLISH_CLAUSE_H

#include "pipeline/verb_table.h"
#include "pipeline/word_edit.h"

/* The words of an English text with its short forms in full: "don't" is "do not". */

struct english_word {
	const char *s; /* in small letters */
	size_t at, end;
	bool joined;     /* only a blank stands before it */
	bool possessive; /* "'s" follows, which is no verb */
};

struct english {
	struct words *words;
	struct english_word w[WORDS_MAX * 2];
	size_t n;
};

struct english *english_words(struct words *);

/* The i-th word, "" after the last. */
const char *english_at(const struct english *, size_t i);
/* True if the word is one of a set with blanks around each. */
bool english_is(const struct english *, size_t i, const char *set);
/* True if the i-th word begins its clause: none, or a mark, stands before it. */
bool english_starts(const struct english *, size_t i);
/* The i-th word if it follows the one before with a blank; else "". */
const char *english_next(const struct english *, size_t i);
/* True if the sentence of the word ends with a question mark. */
bool english_asks(const struct english *, size_t i);

/* The words that name the subject of a verb at `end`: [from, end), and its number. */
struct english_subject {
	size_t from;
	bool plural;
	bool found;
	bool place; /* a preposition and its noun */
};
struct english_subject english_subject(const struct english *, size_t end);

/* True for a participle, of a known verb or on "-ed". */
bool english_is_participle(const struct english *, size_t i);

/* The longest verb that begins at the i-th word in one of the forms, a set of bits 1 <<
   form; *words: of the verb.  NULL: none does. */
const struct verb_reading *english_verb(
    const struct english *, size_t i, unsigned forms, size_t *words);

#define EN_DETERMINERS                                                                 \
	" the a an this that these those my your our his her its their each every "    \
	"another some any no all both many few several most more one two three four "  \
	"five six seven eight nine ten hundred thousand million much less fewer "
#define EN_SUBJECTS " i you he she it we they there "
#define EN_OBJECTS " me you him her it us them "
#define EN_PREPOSITIONS                                                                \
	" of in on at to from by with for about into over under between among "        \
	"against without through during near behind beside across around until since " \
	"after before like as than per within towards toward along despite "
#define EN_MODALS " can could will would shall should may might must "
#define EN_BE " is are am was were "
#define EN_ADVERBS                                                                     \
	" never always often sometimes also already still really usually only now "    \
	"ever probably even almost just then soon simply finally actually perhaps "    \
	"maybe certainly certainly clearly quickly slowly easily generally recently "  \
	"currently immediately suddenly completely both all rarely hardly together "   \
	"yet later again once first normally "
#define EN_OPENERS                                                                     \
	" how when if because that why where and but while as since who what so "      \
	"whether until before after which or than whom whose unless although though "  \
	"whenever wherever whatever whoever "

#endif
