/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_MESSAGES_H
#define TESTS_WEBSOCKET_FUZZ_MESSAGES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "dice.h"

enum kind { KIND_S2S, KIND_STT, KIND_TTS, KINDS };

/* Adds a message for this kind of socket: a valid one, or a damaged one. */
void message_add(struct buf *, struct dice *, enum kind);
void message_spoil(struct buf *, struct dice *);

/* A set_task for sound in this format. */
extern const char *const message_formats[3];
void message_add_task(struct buf *, struct dice *, const char *format);
void message_add_audio(struct buf *, const void *, size_t n);

/*
 * Reads the corpora of the fuzzers, in tests/fuzz/corpus. Call it once, before any
 * thread starts.
 */
void sounds_read(struct arena *);
/* Adds a piece of sound in a format of S2S or STT, often damaged. */
void sound_add(struct buf *, struct dice *, const char *format);

#endif
