/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/state.h"

#include <string.h>

#define NO_TASK STATE_NONE, ACT_ERROR, "NOT_FOUND", "No active task found"
#define CONFLICT(state, desc) STATE_##state, ACT_ERROR, "CONFLICT", desc
#define INVALID(state) STATE_##state, ACT_ERROR, "VALIDATION_ERROR"
#define DEAD STATE_NONE, ACT_STOP, "ENGINE_UNAVAILABLE", "The task could not be run"
#define IS_ENDING "The task is ending"
#define IS_PAUSED "The task is paused"

/* clang-format off */
static const struct state_step table[STATES][STATE_EVENTS] = {
	[STATE_NONE] = {
		[EVENT_SET]         = { STATE_STARTING, ACT_START },
		[EVENT_SET_WRONG]   = { INVALID(NONE) },
		[EVENT_GET]         = { NO_TASK },
		[EVENT_PAUSE]       = { NO_TASK },
		[EVENT_FLUSH]       = { NO_TASK },
		[EVENT_FLUSH_PAUSE] = { NO_TASK },
		[EVENT_TTS]         = { NO_TASK },
		[EVENT_AUDIO]       = { NO_TASK, .once = true },
		[EVENT_END]         = { STATE_CLOSED, ACT_CLOSE },
		[EVENT_END_FORCE]   = { STATE_CLOSED, ACT_CLOSE_NOW },
		[EVENT_READY]       = { STATE_NONE },
		[EVENT_FAILED]      = { STATE_NONE },
		[EVENT_SENT]        = { STATE_NONE },
		[EVENT_GONE]        = { STATE_CLOSED, ACT_LEAVE },
	},
	[STATE_STARTING] = {
		[EVENT_SET]         = { STATE_STARTING, ACT_RESTART },
		[EVENT_SET_WRONG]   = { INVALID(STARTING) },
		[EVENT_GET]         = { STATE_STARTING, ACT_ERROR, "NOT_FOUND",
					"No active task found" },
		[EVENT_PAUSE]       = { STATE_HELD },
		[EVENT_FLUSH]       = { STATE_STARTING },
		[EVENT_FLUSH_PAUSE] = { STATE_STARTING },
		[EVENT_TTS]         = { STATE_STARTING, ACT_SPEAK_LATER },
		[EVENT_AUDIO]       = { STATE_STARTING, ACT_KEEP_AUDIO },
		[EVENT_END]         = { STATE_CLOSED, ACT_CLOSE },
		[EVENT_END_FORCE]   = { STATE_CLOSED, ACT_CLOSE_NOW },
		[EVENT_READY]       = { STATE_RUNNING, ACT_BEGIN },
		[EVENT_FAILED]      = { DEAD },
		[EVENT_SENT]        = { STATE_STARTING },
		[EVENT_GONE]        = { STATE_CLOSED, ACT_LEAVE },
	},
	[STATE_HELD] = {
		[EVENT_SET]         = { STATE_STARTING, ACT_RESTART },
		[EVENT_SET_WRONG]   = { INVALID(HELD) },
		[EVENT_GET]         = { STATE_HELD, ACT_ERROR, "NOT_FOUND",
					"No active task found" },
		[EVENT_PAUSE]       = { STATE_HELD },
		[EVENT_FLUSH]       = { STATE_HELD },
		[EVENT_FLUSH_PAUSE] = { STATE_HELD },
		[EVENT_TTS]         = { CONFLICT(HELD, IS_PAUSED) },
		[EVENT_AUDIO]       = { STATE_HELD },
		[EVENT_END]         = { STATE_CLOSED, ACT_CLOSE },
		[EVENT_END_FORCE]   = { STATE_CLOSED, ACT_CLOSE_NOW },
		[EVENT_READY]       = { STATE_PAUSED, ACT_BEGIN_PAUSED },
		[EVENT_FAILED]      = { DEAD },
		[EVENT_SENT]        = { STATE_HELD },
		[EVENT_GONE]        = { STATE_CLOSED, ACT_LEAVE },
	},
	[STATE_RUNNING] = {
		[EVENT_SET]         = { STATE_RUNNING, ACT_REPLACE },
		[EVENT_SET_WRONG]   = { INVALID(RUNNING) },
		[EVENT_GET]         = { STATE_RUNNING, ACT_NOTIFY },
		[EVENT_PAUSE]       = { STATE_PAUSED, ACT_PAUSE },
		[EVENT_FLUSH]       = { STATE_RUNNING, ACT_FLUSH },
		[EVENT_FLUSH_PAUSE] = { STATE_PAUSED, ACT_FLUSH_PAUSE },
		[EVENT_TTS]         = { STATE_RUNNING, ACT_SPEAK },
		[EVENT_AUDIO]       = { STATE_RUNNING, ACT_INGEST },
		[EVENT_END]         = { STATE_ENDING, ACT_END },
		[EVENT_END_FORCE]   = { STATE_CLOSED, ACT_CLOSE_NOW },
		[EVENT_READY]       = { STATE_RUNNING },
		[EVENT_FAILED]      = { DEAD },
		[EVENT_SENT]        = { STATE_RUNNING },
		[EVENT_GONE]        = { STATE_CLOSED, ACT_LEAVE },
	},
	[STATE_PAUSED] = {
		[EVENT_SET]         = { STATE_RUNNING, ACT_RESUME },
		[EVENT_SET_WRONG]   = { INVALID(PAUSED) },
		[EVENT_GET]         = { STATE_PAUSED, ACT_NOTIFY },
		[EVENT_PAUSE]       = { STATE_PAUSED },
		[EVENT_FLUSH]       = { STATE_PAUSED, ACT_DROP_OUTPUT },
		[EVENT_FLUSH_PAUSE] = { STATE_PAUSED, ACT_DROP_OUTPUT },
		[EVENT_TTS]         = { CONFLICT(PAUSED, IS_PAUSED) },
		[EVENT_AUDIO]       = { STATE_PAUSED },
		[EVENT_END]         = { STATE_ENDING, ACT_END },
		[EVENT_END_FORCE]   = { STATE_CLOSED, ACT_CLOSE_NOW },
		[EVENT_READY]       = { STATE_PAUSED },
		[EVENT_FAILED]      = { STATE_PAUSED },
		[EVENT_SENT]        = { STATE_PAUSED },
		[EVENT_GONE]        = { STATE_CLOSED, ACT_LEAVE },
	},
	[STATE_ENDING] = {
		[EVENT_SET]         = { CONFLICT(ENDING, IS_ENDING) },
		[EVENT_SET_WRONG]   = { CONFLICT(ENDING, IS_ENDING) },
		[EVENT_GET]         = { STATE_ENDING, ACT_NOTIFY },
		[EVENT_PAUSE]       = { STATE_ENDING },
		[EVENT_FLUSH]       = { STATE_ENDING, ACT_DROP_OUTPUT },
		[EVENT_FLUSH_PAUSE] = { STATE_ENDING, ACT_DROP_OUTPUT },
		[EVENT_TTS]         = { CONFLICT(ENDING, IS_ENDING) },
		[EVENT_AUDIO]       = { STATE_ENDING, ACT_INGEST },
		[EVENT_END]         = { STATE_ENDING },
		[EVENT_END_FORCE]   = { STATE_CLOSED, ACT_CLOSE_NOW },
		[EVENT_READY]       = { STATE_ENDING },
		[EVENT_FAILED]      = { STATE_ENDING },
		[EVENT_SENT]        = { STATE_CLOSED, ACT_CLOSE },
		[EVENT_GONE]        = { STATE_CLOSED, ACT_LEAVE },
	},
};
/* clang-format on */

struct state_step
state_step(enum state state, enum state_event event)
{
	return state == STATE_CLOSED ? (struct state_step){ .next = STATE_CLOSED }
				     : table[state][event];
}

const char *
state_status(enum state state)
{
	return state == STATE_PAUSED ? "paused" : "running";
}

void
state_begins(struct state_startup *s, int64_t now_us)
{
	*s = (struct state_startup){ .until_us = now_us + STATE_QUIET_US };
}

void
state_reported(struct state_startup *s)
{
	*s = (struct state_startup){ .told = true };
}

bool
state_asks_freely(const struct state_startup *s)
{
	return !s->told;
}

bool
state_allows_error(
    const struct state_startup *s, const char *error, bool always, int64_t now_us)
{
	return now_us >= s->until_us || always || strcmp(error, "NOT_FOUND") == 0 ||
	       strcmp(error, "ENGINE_UNAVAILABLE") == 0;
}
