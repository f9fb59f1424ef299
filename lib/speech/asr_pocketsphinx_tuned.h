#ifndef SPEECH_ASR_POCKETSPHINX_TUNED_H
#define SPEECH_ASR_POCKETSPHINX_TUNED_H

#include "speech/asr_pocketsphinx_decoder.h"

/* Nouns: tuned. */

/*
 * Decoders with the words of an event.  A thread of their own loads them, one after
 * another; streams ask and look, and never wait.  One that was given back is kept for a
 * minute, for the next stream with the same words, if it was loaded by then.
 *
 *	free -> wanted -> loading -> ready -> free
 *	                          \-> failed -> free
 */
struct tuned;

/*
 * Of bin_dir and the model of the engine.  NULL: as many as asr_tuned_limit() allows
 * are there.  Everything is copied.
 */
struct tuned *tuned_ask(const struct engine_at *, const struct vocabulary *);
/* OK: it is ready; ERR_BUSY: not yet; ERR_FAILED: it will not be. */
enum err tuned_look(struct tuned *, struct decoder **) MUST_CHECK;
/* Whether the host is short of processors, by the time that a phrase took in it. */
bool tuned_too_slow(int64_t took_us, int64_t sound_us);
void tuned_give(struct tuned *); /* NULL is fine */
/* Free those that nobody uses. */
void tuned_cool(void);

#endif
