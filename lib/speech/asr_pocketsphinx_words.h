/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_WORDS_H
#define SPEECH_ASR_POCKETSPHINX_WORDS_H

#include <pthread.h>

#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: words, ngram, pronunciation. */

/*
 * Give a decoder without a language model one that has the words of a vocabulary: that
 * of its folder and a small one of these words, interpolated.  Words missing from the
 * dictionary are added to it as they are written.  `loading` is locked while the
 * library loads. Errors as of decoder_load_with().
 */
enum err words_add(struct decoder *, const char *bin_dir, const struct vocabulary *,
    pthread_mutex_t *loading) MUST_CHECK;

/* ---- the steps of it, for tests ---- */

/*
 * The pronunciation of English words, by eSpeak NG.  It runs in a process, as it keeps
 * its state in globals and the words are untrusted:
 *
 *	dragoman-speech --phones <WORDS >PHONES
 *
 * WORDS and PHONES are lines; arpabet.h has the phones; an empty line is for a word
 * that cannot be pronounced.
 */
#define PRONUNCIATION_BYTES (64 << 10) /* of words */

/*
 * For each word, of const char *, its phones or NULL, in the arena.  ERR_LIMIT: the
 * words have more than PRONUNCIATION_BYTES; ERR_FAILED, ERR_TIMEOUT: of the process.
 */
enum err pronunciation_ask(struct arena *, const char *bin_dir,
    const struct list *words, const char **phones) MUST_CHECK;

struct ngram_word {
	const char *text;
	double p; /* its probability, above 0 */
};

struct ngram_pair {
	size_t first, second; /* words, by number */
};

/*
 * A language model of such words and of pairs of them, struct ngram_word and
 * ngram_pair, in the ARPA format (Doug Paul, 1992).  All words that follow a word in
 * pairs are equally likely.  Any other word, <UNK>, is very unlikely but possible:
 * readers that interpolate models rely on it.  Each pair must occur once.
 */
const char *ngram_text(
    struct arena *, const struct list *words, const struct list *pairs);

#endif
