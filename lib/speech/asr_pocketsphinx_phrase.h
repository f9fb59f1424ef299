/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_PHRASE_H
#define SPEECH_ASR_POCKETSPHINX_PHRASE_H

#include "base/buf.h"
#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: phrase, heard. */

/* A phrase of a decoder of this process. */
struct phrase {
	struct decoder *d; /* may change between phrases */
	bool begun;
};

/* Add sound at ASR_RATE_HZ; the first call begins the phrase. False: the library has
   failed. */
bool phrase_feed(struct phrase *, const int16_t *, size_t n);
/* Read the words so far, and their times. */
void phrase_words(const struct phrase *, struct arena *, struct list *words);
/*
 * End the phrase and read its words, confidence and misfit. False: the library has
 * failed; the words are those that it had.
 */
bool phrase_end(struct phrase *, struct arena *, struct asr_result *);
/* End the phrase without reading it. */
void phrase_drop(struct phrase *);

/*
 * The same of a decoder in another process (model_message.h): words, confidence and
 * misfit as the body of MODEL_HEARD and MODEL_FINAL, after the cepstral mean.
 */
void heard_write(struct buf *, const struct asr_result *, const struct decoder_mean *);
/* False: the body is broken. */
bool heard_read(
    struct arena *, const char *, size_t n, struct asr_result *, struct decoder_mean *);

#endif
