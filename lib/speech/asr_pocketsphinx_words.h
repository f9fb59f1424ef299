/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_WORDS_H
#define SPEECH_ASR_POCKETSPHINX_WORDS_H

#include <pthread.h>

#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: words, ngram, pronunciation. */

/*
 * Set the language model of a decoder: the model of its folder, interpolated with a
 * small model of the vocabulary. Words missing from the dictionary are added to it with
 * their spelling. `loading` is locked while the library loads. Errors as
 * decoder_load_with().
 */
enum err words_add(struct decoder *, const char *bin_dir, const struct vocabulary *,
    pthread_mutex_t *loading) MUST_CHECK;

/* ---- the steps of it, for tests ---- */

/*
 * Pronounces English words by eSpeak NG. It runs in a process of its own, as it keeps
 * its state in globals and the words are untrusted:
 *
 *	dragoman-speech --phones <WORDS >PHONES
 *
 * WORDS and PHONES have a line for each word; arpabet.h describes the phones; an empty
 * line means that the word cannot be pronounced.
 */
#define PRONUNCIATION_BYTES (64 << 10) /* bytes of words */

/*
 * Get the phones, or NULL, of each word, a const char *; they live in the arena.
 * ERR_LIMIT: the words have more than PRONUNCIATION_BYTES. ERR_FAILED, ERR_TIMEOUT: the
 * process failed.
 */
enum err pronunciation_ask(struct arena *, const char *bin_dir,
    const struct list *words, const char **phones) MUST_CHECK;

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
