/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/input_pacing.h"

#include <string.h>

#define S_US INT64_C(1000000)
#define FAST_EVERY_US (10 * S_US)
#define SLOW_EVERY_US (30 * S_US)

void
input_pacing_start(struct input_pacing *p, int64_t now_us)
{
	struct input_pacing old = *p;

	*p = (struct input_pacing){ .chunk_us = now_us, .sign_us = now_us };
	/* keep the time of the last warnings during a pause */
	p->was_fast = old.was_fast;
	p->was_slow = old.was_slow;
	p->fast_us = old.fast_us;
	p->slow_us = old.slow_us;
}

static void
begin_window(struct input_pacing *p, int64_t now_us)
{
	memset(p->heard, 0, sizeof(p->heard));
	p->window_us = now_us;
	p->second = 0;
}

/* Add audio to the current second, and clear the seconds without audio before it. */
static void
add_audio(struct input_pacing *p, int64_t now_us, int64_t sound_us)
{
	int64_t second = (now_us - p->window_us) / S_US;

	for (; p->second < second; p->second++)
		p->heard[(p->second + 1) % PACING_WINDOW_S] = 0;
	p->heard[second % PACING_WINDOW_S] += sound_us;
}

static bool
is_slow(const struct input_pacing *p, int64_t now_us)
{
	int64_t sum = 0, since_us = now_us - p->window_us;

	if (since_us < PACING_WINDOW_S * S_US)
		return false;
	for (int i = 0; i < PACING_WINDOW_S; i++)
		sum += p->heard[i];
	/* the current second is incomplete */
	return (double)sum <
	       PACING_SLOW * (double)((PACING_WINDOW_S - 1) * S_US + since_us % S_US);
}

/* True if a fault must be reported: at most once in every_us. */
static bool
is_report_due(bool *was, int64_t *last_us, int64_t now_us, int64_t every_us)
{
	if (*was && now_us - *last_us < every_us)
		return false;
	*was = true;
	*last_us = now_us;
	return true;
}

static void
note_input(struct input_pacing *p, int64_t now_us)
{
	p->chunk_us = p->sign_us = p->turn_us = now_us;
	p->quiet_us = 0;
	p->is_stalled = false;
}

unsigned
input_pacing_chunk(
    struct input_pacing *p, int64_t now_us, int64_t sound_us, int64_t backlog_us)
{
	unsigned faults = backlog_us + sound_us > PACING_BACKLOG_US ? PACING_DROP : 0;

	if (!p->has_first)
		p->first_us = now_us;
	/* a stall is not also reported as slowness */
	if (!p->has_first || now_us - p->chunk_us >= PACING_STALL_US)
		begin_window(p, now_us);
	p->has_first = true;
	note_input(p, now_us);
	p->sound_us += sound_us;
	add_audio(p, now_us, sound_us);
	if ((faults != 0 || p->sound_us - (now_us - p->first_us) > PACING_AHEAD_US) &&
	    is_report_due(&p->was_fast, &p->fast_us, now_us, FAST_EVERY_US))
		faults |= PACING_TOO_FAST;
	if (is_slow(p, now_us) &&
	    is_report_due(&p->was_slow, &p->slow_us, now_us, SLOW_EVERY_US))
		faults |= PACING_TOO_SLOW;
	return faults;
}

void
input_pacing_packet(struct input_pacing *p, int64_t now_us)
{
	note_input(p, now_us);
}

void
input_pacing_excuse(struct input_pacing *p, int64_t now_us)
{
	p->chunk_us = now_us;
	p->is_stalled = false;
}

bool
input_pacing_is_quiet(struct input_pacing *p, int64_t now_us, int64_t after_us)
{
	int64_t us = now_us - p->turn_us;

	p->quiet_us += us < PACING_TURN_US ? us : PACING_TURN_US;
	p->turn_us = now_us;
	return p->quiet_us >= after_us;
}

void
input_pacing_sign(struct input_pacing *p, int64_t now_us)
{
	p->sign_us = now_us;
}

unsigned
input_pacing_poll(struct input_pacing *p, int64_t now_us, int64_t *again_us)
{
	int64_t stall_us = p->chunk_us + PACING_STALL_US;
	int64_t timeout_us = p->sign_us + PACING_TIMEOUT_US;
	unsigned faults = 0;

	if (now_us >= timeout_us)
		faults |= PACING_TIMEOUT;
	if (!p->is_stalled && now_us >= stall_us) {
		p->is_stalled = true;
		faults |= PACING_STALLED;
	}
	*again_us = !p->is_stalled && stall_us < timeout_us ? stall_us : timeout_us;
	return faults;
}
