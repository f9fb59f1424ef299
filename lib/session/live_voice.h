/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_LIVE_VOICE_H
#define SESSION_LIVE_VOICE_H

#include <stdint.h>

#include "base/err.h"

struct gateway;
struct session;
struct pipeline_config;

/*
 * Reserve a slot before the task starts, if the task wants the speaker's voice. At most
 * stream.live_voices exist at a time; LIMIT_LIVE_VOICES limits their rate. On the
 * database thread.
 */
enum err live_voice_reserve(struct gateway *, struct pipeline_config *) MUST_CHECK;
/*
 * Extend the time for which a worker must keep the session's voice. Times are
 * monotonic.
 */
void live_voice_tick(struct session *, int64_t now_us);
/* The session and its pipelines have ended: let a worker delete the voice. */
void live_voice_end(struct session *);

#endif
