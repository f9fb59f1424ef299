#ifndef SPEECH_MT_APERTIUM_TERM_H
#define SPEECH_MT_APERTIUM_TERM_H

#include "speech/mt.h"

/*
 * What the target of a term is in its language, and so what goes through the pipeline
 * in place of the term; private to the engine.
 *
 *	"two [[g:0]]cities[[/]]"  a noun: one of its gender and number, so that
 *articles, adjectives and verbs agree with the target
 *	"[[g:0]]Xqz0[[/]]"        a name: a word that no dictionary has
 *	"[p:0]"                   a phrase: a blank, which the grammar does not see
 *	"[[g:0]]of the term[[/]]" anything else, and where nothing is known: its own
 *words
 */
enum apertium_kind { APERTIUM_WORDS, APERTIUM_NOUN, APERTIUM_NAME, APERTIUM_PHRASE };

struct apertium_term {
	enum apertium_kind kind;
	const char *word; /* of a noun or name: what goes in its place */
};

/*
 * For each term of the text.  The analyser of the target language tells: the first
 * stage of the mode back; where there is none, or it does not answer, or the targets
 * are longer than MT_TEXT_BYTES together, all are their own words.
 */
struct apertium_term *apertium_terms(
    const struct engine_at *, struct arena *, const struct mt_text *);
/* Start the analyser for translations between these languages. */
void apertium_term_warm(const struct engine_at *, const char *from, const char *to);

#endif
