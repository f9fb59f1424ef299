/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_LIVE_VOICE_H
#define SESSION_LIVE_VOICE_H

#include <stdint.h>

#include "base/err.h"

struct gateway;
struct session;
struct pipeline_config;

/*
 * On the database thread, before the task starts: let a server make the voice of its
 * speaker, if it wants that and if there is room: stream.live_voices at a time, and
 * LIMIT_LIVE_VOICES.
 */
enum err live_voice_reserve(struct gateway *, struct pipeline_config *) MUST_CHECK;
/* The session lives, and so does the voice; monotonic_us(). */
void live_voice_tick(struct session *, int64_t now_us);
/* The session and its pipelines have gone: a worker deletes the voice. */
void live_voice_end(struct session *);

#endif
