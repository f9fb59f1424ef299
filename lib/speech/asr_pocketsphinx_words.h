#ifndef SPEECH_ASR_POCKETSPHINX_WORDS_H
#define SPEECH_ASR_POCKETSPHINX_WORDS_H

#include <pthread.h>

#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: words. */

/*
 * Give a decoder without a language model one that has the words of a vocabulary: that
 * of its folder and a small one of them, interpolated.  Words that the dictionary lacks
 * are added to it as they are written.  loading is held while the library loads.
 * Errors as of decoder_load_with().
 */
enum err words_add(struct decoder *, const char *bin_dir, const struct vocabulary *,
    pthread_mutex_t *loading) MUST_CHECK;

#endif
