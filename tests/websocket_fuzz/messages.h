/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_MESSAGES_H
#define TESTS_WEBSOCKET_FUZZ_MESSAGES_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "dice.h"

enum kind { KIND_S2S, KIND_STT, KIND_TTS, KINDS };

/* A message for such a socket: a valid one, or one made invalid. */
void message_add(struct buf *, struct dice *, enum kind);
void message_spoil(struct buf *, struct dice *);

/* A set_task whose sound comes in this format. */
extern const char *const message_formats[3];
void message_add_task(struct buf *, struct dice *, const char *format);
void message_add_audio(struct buf *, const void *, size_t n);

/* The corpora of the fuzzers, in tests/fuzz/corpus: read once, before any thread. */
void sounds_read(struct arena *);
/* A piece of sound in a format of S2S or STT, and often spoilt. */
void sound_add(struct buf *, struct dice *, const char *format);

#endif
