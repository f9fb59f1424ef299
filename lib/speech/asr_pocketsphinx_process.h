/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_POCKETSPHINX_PROCESS_H
#define SPEECH_ASR_POCKETSPHINX_PROCESS_H

#include "speech/asr_pocketsphinx_decoder.h"
#include "speech/vocabulary.h"

/* Nouns: hearing. */

/*
 * A decoder in a process of its own, for one stream. The processes are forked by one
 * that has loaded the model, so they share its memory but for what decoding changes.
 * Each call waits for the process. One thread at a time.
 */
struct hearing;

/* True if the engine's child programs are installed; else decode in this process. */
bool hearing_is_possible(const struct engine_at *);
/* Errors as asr_engine.open(). */
enum err hearing_open(const struct engine_at *, struct hearing **) MUST_CHECK;
/* Add sound to the phrase, and read its words so far, which live in the arena. */
enum err hearing_feed(struct hearing *, const int16_t *, size_t n, struct arena *,
    struct list *words) MUST_CHECK;
/* End the phrase: its words, confidence and misfit. */
enum err hearing_end(struct hearing *, struct arena *, struct asr_result *) MUST_CHECK;
void hearing_drop(struct hearing *);
/* The mean after the last answer; false: there has been none. */
bool hearing_mean(const struct hearing *, struct decoder_mean *);
void hearing_follow(struct hearing *, const struct decoder_mean *);
/* Let it learn the words of an event, which takes a second or more; before its first
   phrase. */
void hearing_learn(struct hearing *, const struct vocabulary *);
/*
 * OK: it can be used, and knows them; ERR_BUSY: not yet. ERR_NOT_FOUND: no word can be
 * pronounced; ERR_FAILED, ERR_TIMEOUT: it is of no use.
 */
enum err hearing_learnt(struct hearing *) MUST_CHECK;
/* Processor time of the process so far, microseconds. */
int64_t hearing_used_us(const struct hearing *);
void hearing_close(struct hearing *); /* NULL is allowed */

/* Load the model for the streams to come. Errors as hearing_open(). */
enum err hearing_warm(const struct engine_at *) MUST_CHECK;

#endif
