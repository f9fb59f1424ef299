/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_ADMISSION_H
#define SPEECH_ASR_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "speech/at.h"

/*
 * Admission of streams to an engine that recognizes on this host, by the processor time
 * that its phrases took for each second of sound. Waiting for a busy host does not
 * count. Any thread may call.
 */
struct admission; /* one engine with its settings; lives as long as the process */

/*
 * Count another stream. ERR_LIMIT: the phrases of the streams would take longer than
 * their sound; the log has a sentence. Streams are admitted until 10 s of sound have
 * been measured, and again when the last measurement is 10 minutes old.
 */
enum err admission_enter(const struct engine_at *, struct admission **) MUST_CHECK;
/* As admission_enter(), without a limit, for a stream that replaces another one. */
struct admission *admission_replace(const struct engine_at *);
void admission_leave(struct admission *);
/* Add a phrase: its processor time and its length. */
void admission_measure(struct admission *, int64_t used_us, int64_t sound_us);

#endif
