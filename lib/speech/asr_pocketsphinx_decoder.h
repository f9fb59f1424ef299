/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_DECODER_H
#define SPEECH_ASR_POCKETSPHINX_DECODER_H

#include "speech/asr.h"
#include "speech/vocabulary.h"

/* Nouns: decoder. */

struct ps_decoder_s; /* ps_decoder_t of the library */

/* A decoder, for one stream at a time; private. */
struct decoder {
	struct arena *mem;
	struct ps_decoder_s *ps;
	const char *model;
	void *mean; /* the cepstral mean, as it was loaded */
};

/* The model of the engine: its folder. */
const char *decoder_model(const struct engine_at *);
/*
 * Load one: some hundred milliseconds of processor time, 100 MB.  ERR_UNSUPPORTED: the
 * model is not installed, or cannot be loaded.
 */
enum err decoder_load(const char *model, struct decoder **) MUST_CHECK;
/*
 * The same with a special language model: that of the package and a small one of the
 * vocabulary, interpolated.  bin_dir: the folder of the program that pronounces words
 * missing from the dictionary; also errors of pronunciation_ask().  ERR_NOT_FOUND: the
 * vocabulary has no word that can be pronounced.
 */
enum err decoder_load_with(const char *model, const char *bin_dir,
    const struct vocabulary *, struct decoder **) MUST_CHECK;
void decoder_free(struct decoder *);

/* Reset it to the state after loading, for a new stream. */
void decoder_begin_stream(struct decoder *);
/* Continue the stream of another decoder: copy its cepstral mean.  Between phrases
   only. */
void decoder_follow(struct decoder *, const struct decoder *);

/* ---- the pool: decoders, loaded once and used by one stream after another ---- */

/*
 * Get a decoder for exclusive use, as if just loaded.  ERR_LIMIT: asr_limit() is
 * reached, and `instead` is false; ERR_UNSUPPORTED: the model is not installed, or
 * cannot be loaded.
 */
enum err decoder_take(
    const struct engine_at *, bool instead, struct decoder **) MUST_CHECK;
/* Return it to the pool, between phrases. */
void decoder_give(struct decoder *);
/* Free the decoders in the pool. */
void decoder_cool(void);

#endif
