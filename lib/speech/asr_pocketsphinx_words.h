/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_WORDS_H
#define SPEECH_ASR_POCKETSPHINX_WORDS_H

#include "speech/asr_pocketsphinx_decoder.h"
#include "speech/vocabulary.h"

/* Nouns: words, ngram. */

/*
 * Set the language model of a decoder: its own, interpolated with a small model of the
 * vocabulary. Words missing from the dictionary are added to it with their spelling, as
 * eSpeak NG pronounces them; it keeps its state in globals, so only a process of one
 * stream may call this, and once. ERR_NOT_FOUND: no word of the vocabulary can be
 * pronounced; ERR_FAILED: a library has failed.
 */
enum err words_add(struct decoder *, const struct vocabulary *) MUST_CHECK;

/* ---- a step of it, for tests ---- */

struct ngram_word {
	const char *text;
	double p; /* its probability, above 0 */
};

struct ngram_pair {
	size_t first, second; /* numbers of the two words */
};

/*
 * Write a language model of words and pairs of words, struct ngram_word and ngram_pair,
 * in the ARPA format (Doug Paul, 1992). All words that follow a word in pairs are
 * equally likely. Any other word, <UNK>, is very unlikely but possible, as the
 * interpolation requires. Each pair must occur only once.
 */
const char *ngram_text(
    struct arena *, const struct list *words, const struct list *pairs);

#endif
