/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_ADAPTED_H
#define SPEECH_ASR_POCKETSPHINX_ADAPTED_H

#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: adapted. */

/*
 * Decoders with the words of an event. A thread loads them, one after another. Streams
 * request and poll them, and never wait. A decoder that is given back is kept for a
 * minute, for the next stream with the same words.
 *
 *	free -> wanted -> loading -> ready -> free
 *	                          \-> failed -> free
 */
struct adapted_decoder;

/* Request a decoder, with bin_dir and the model of the engine. */
struct adapted_decoder *adapted_request(
    const struct engine_at *, const struct vocabulary *);
/* OK: the decoder is ready; ERR_BUSY: not yet; ERR_FAILED: it could not be loaded. */
enum err adapted_poll(struct adapted_decoder *, struct decoder **) MUST_CHECK;
/* True if the host is too slow, judged by the time that a phrase took. */
bool adapted_too_slow(int64_t took_us, int64_t sound_us);
void adapted_release(struct adapted_decoder *); /* give it back; NULL is allowed */
/* Free unused decoders. */
void adapted_free_idle(void);

#endif
