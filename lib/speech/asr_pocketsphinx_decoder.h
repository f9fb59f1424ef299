/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_DECODER_H
#define SPEECH_ASR_POCKETSPHINX_DECODER_H

#include "speech/asr.h"

/* Nouns: decoder. */

struct ps_decoder_s; /* ps_decoder_t of the library */

/* The cepstral mean of a stream's sound so far, which each phrase adapts. */
#define DECODER_MEAN 64 /* numbers of a frame at most */
struct decoder_mean {
	float mean[DECODER_MEAN], sum[DECODER_MEAN];
	int frames;
};

/* A decoder, for one stream at a time; private. */
struct decoder {
	struct arena *mem;
	struct ps_decoder_s *ps;
	const char *model;
	struct decoder_mean *mean; /* after loading */
};

/* The folder of the engine's model. */
const char *decoder_model(const struct engine_at *);
/* Load a decoder: some hundred milliseconds of processor time, 100 MB. */
enum err decoder_load(const char *model, struct decoder **) MUST_CHECK;
void decoder_free(struct decoder *);

/* Reset a decoder to its state after loading, for a new stream. */
void decoder_begin_stream(struct decoder *);
void decoder_mean(const struct decoder *, struct decoder_mean *);
/* Continue the stream of another decoder: use its mean.  Between phrases only. */
void decoder_follow(struct decoder *, const struct decoder_mean *);

/* ---- the pool: decoders, loaded once and used by one stream after another ---- */

/*
 * Take a decoder for exclusive use, in the state after loading. ERR_UNSUPPORTED: the
 * model is not installed, or cannot be loaded.
 */
enum err decoder_acquire(const struct engine_at *, struct decoder **) MUST_CHECK;
/* Return a decoder to the pool, between phrases. */
void decoder_release(struct decoder *);
/* As asr_warm(), of this process. */
enum err decoder_warm(const struct engine_at *, int n) MUST_CHECK;
/* Free the decoders in the pool. */
void decoder_free_idle(void);

#endif
