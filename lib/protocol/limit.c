/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bucket stores the time at which it is full again (GCRA); a window stores the times
 * of its actions.
 */
#include "protocol/limit.h"

#define S INT64_C(1000000)

/* clang-format off */
static const struct rate {
	unsigned most;    /* bucket: burst; window: actions */
	int64_t every_us; /* bucket: interval of one action; 0: a window */
	int64_t window_us;
	const char *text;
} rates[LIMIT_KINDS] = {
	[LIMIT_CONNECTIONS] = { 20,  0,     60 * S, "at most 20 connections per 60 s" },
	[LIMIT_SET_TASK]    = { 5,   2 * S, 0, "set_task: at most 5 at once, then 1 per 2 s" },
	[LIMIT_PAUSE_TASK]  = { 3,   3 * S, 0, "pause_task: at most 3 at once, then 1 per 3 s" },
	[LIMIT_GET_TASK]    = { 5,   2 * S, 0, "get_task: at most 5 at once, then 1 per 2 s" },
	[LIMIT_FLUSH_TASK]  = { 10,  S / 2, 0, "flush_task: at most 10 at once, then 2 per 1 s" },
	[LIMIT_TTS_TASK]    = { 60,  0,     60 * S, "tts_task: at most 60 per 60 s" },
	[LIMIT_AUDIO]       = { 100, 0,     S, "input_audio_data: at most 100 per 1 s" },
	[LIMIT_TTS_TEXT]    = { 50,  0,     S, "text: at most 50 per 1 s" },
	[LIMIT_SIGNAL]      = { 30,  0,     S, "at most 30 messages per 1 s" },
	[LIMIT_OFFERS]      = { 10,  0,     10 * S, "at most 10 offers per 10 s" },
	[LIMIT_DATA]        = { 100, 0,     S, "at most 100 messages per 1 s" },
	[LIMIT_LIVE_VOICES] = { 60,  0,  3600 * S, "at most 60 voices of speakers per hour" },
	[LIMIT_BAD]         = { 19,  0,     60 * S, "at most 19 bad messages per 60 s" },
};
/* clang-format on */

static bool
use_bucket(struct limit *l, const struct rate *r, int64_t now_us)
{
	int64_t full_us = l->at_us[0] > now_us ? l->at_us[0] : now_us;

	if (full_us - now_us > (int64_t)(r->most - 1) * r->every_us)
		return false;
	l->at_us[0] = full_us + r->every_us;
	return true;
}

static bool
use_window(struct limit *l, const struct rate *r, int64_t now_us)
{
	if (l->n == r->most) {
		if (now_us - l->at_us[l->next] < r->window_us)
			return false;
		l->n--;
	}
	l->at_us[l->next] = now_us;
	l->next = (l->next + 1) % r->most;
	l->n++;
	return true;
}

bool
limit_admit(struct limit *l, enum limit_kind kind, int64_t now_us)
{
	const struct rate *r = &rates[kind];

	return (r->every_us > 0 ? use_bucket : use_window)(l, r, now_us);
}

const char *
limit_text(enum limit_kind kind)
{
	return rates[kind].text;
}
