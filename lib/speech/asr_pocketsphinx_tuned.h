/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_TUNED_H
#define SPEECH_ASR_POCKETSPHINX_TUNED_H

#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: tuned. */

/*
 * Decoders with the words of an event.  A thread loads them, one after another; streams
 * request and poll them, and never wait.  A loaded one that is given back is kept for a
 * minute, for the next stream with the same words.
 *
 *	free -> wanted -> loading -> ready -> free
 *	                          \-> failed -> free
 */
struct tuned;

/*
 * Request one, with bin_dir and the model of the engine.  NULL: asr_tuned_limit() is
 * reached.  Everything is copied.
 */
struct tuned *tuned_ask(const struct engine_at *, const struct vocabulary *);
/* OK: it is ready; ERR_BUSY: not yet; ERR_FAILED: it will not be. */
enum err tuned_look(struct tuned *, struct decoder **) MUST_CHECK;
/* True if the host is too slow, by the time that a phrase took. */
bool tuned_too_slow(int64_t took_us, int64_t sound_us);
void tuned_give(struct tuned *); /* NULL is fine */
/* Free unused ones. */
void tuned_cool(void);

#endif
