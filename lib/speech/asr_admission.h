/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_ASR_ADMISSION_H
#define SPEECH_ASR_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "speech/at.h"

/*
 * Admission of streams to an engine that recognizes on this host, by what its phrases
 * took for each second of sound: processor time, which does not count waiting for a
 * busy host, and time, which does. Any thread may call.
 */
struct admission; /* one engine with its settings; lives as long as the process */

/*
 * Count another stream. ERR_LIMIT: the phrases of the streams would take longer than
 * their sound, or those of the last seconds nearly did, whatever else keeps the host
 * busy, and half of the processors are taken; the log has a sentence.
 * supposed: processor time for a second of sound, until 10 s of sound have been
 * measured; 0: streams are admitted until then. A measurement is valid for 10 minutes.
 */
enum err admission_enter(
    const struct engine_at *, double supposed, struct admission **) MUST_CHECK;
/* As admission_enter(), without a limit, for a stream that replaces another one. */
struct admission *admission_replace(const struct engine_at *);
void admission_leave(struct admission *);

/* The work on a phrase, or a part of it, in microseconds. */
struct admission_work {
	int64_t used_us; /* processor time */
	int64_t took_us; /* time until all was recognized, without the speaker's pauses;
			    0: unknown */
	int64_t sound_us; /* its length */
};

void admission_measure(struct admission *, const struct admission_work *);

#endif
