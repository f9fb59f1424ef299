/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of rate limits, with a simulated clock. */
#include "protocol/limit.h"
#include "tests/unit/unit.h"

#define MS INT64_C(1000)
#define S (1000 * MS)

/* clang-format off */
static const struct {
	enum limit_kind kind;
	int most;
	int64_t wait_us; /* after this many at once: time until the next one */
	const char *text;
} limits[] = {
	{ LIMIT_CONNECTIONS, 20,  60 * S,   "at most 20 connections per 60 s" },
	{ LIMIT_SET_TASK,    5,   2 * S,    "set_task: at most 5 at once, then 1 per 2 s" },
	{ LIMIT_PAUSE_TASK,  3,   3 * S,    "pause_task: at most 3 at once, then 1 per 3 s" },
	{ LIMIT_GET_TASK,    5,   2 * S,    "get_task: at most 5 at once, then 1 per 2 s" },
	{ LIMIT_FLUSH_TASK,  10,  500 * MS, "flush_task: at most 10 at once, then 2 per 1 s" },
	{ LIMIT_TTS_TASK,    60,  60 * S,   "tts_task: at most 60 per 60 s" },
	{ LIMIT_AUDIO,       100, S,        "input_audio_data: at most 100 per 1 s" },
	{ LIMIT_TTS_TEXT,    50,  S,        "text: at most 50 per 1 s" },
	{ LIMIT_SIGNAL,      30,  S,        "at most 30 messages per 1 s" },
	{ LIMIT_OFFERS,      10,  10 * S,   "at most 10 offers per 10 s" },
	{ LIMIT_DATA,        100, S,        "at most 100 messages per 1 s" },
	{ LIMIT_LIVE_VOICES, 60,  3600 * S, "at most 60 voices of speakers per hour" },
	{ LIMIT_BAD,         19,  60 * S,   "at most 19 bad messages per 60 s" },
};
/* clang-format on */

static const int64_t starts[] = { 0, 1, INT64_C(1795170000000000) };

START_TEST(so_many_at_once_and_no_more)
{
	int64_t now = starts[_i % COUNT(starts)];
	int k = _i / COUNT(starts);
	struct limit l = { 0 };

	for (int i = 0; i < limits[k].most; i++)
		ck_assert(limit_admit(&l, limits[k].kind, now));
	ck_assert(!limit_admit(&l, limits[k].kind, now));
	ck_assert(!limit_admit(&l, limits[k].kind, now + limits[k].wait_us - 1));
	ck_assert(limit_admit(&l, limits[k].kind, now + limits[k].wait_us));
	ck_assert_str_eq(limit_text(limits[k].kind), limits[k].text);
}
END_TEST

START_TEST(a_bucket_fills_one_by_one)
{
	struct limit l = { 0 };

	for (int i = 0; i < 5; i++)
		ck_assert(limit_admit(&l, LIMIT_SET_TASK, 0));
	for (int i = 1; i < 100; i++) {
		ck_assert(limit_admit(&l, LIMIT_SET_TASK, i * 2 * S));
		ck_assert(!limit_admit(&l, LIMIT_SET_TASK, i * 2 * S));
	}
	for (int i = 0; i < 5; i++)
		ck_assert(limit_admit(&l, LIMIT_SET_TASK, 300 * S));
	ck_assert(!limit_admit(&l, LIMIT_SET_TASK, 300 * S));
}
END_TEST

/* A client that connects each second gets 20 in any minute. */
START_TEST(no_stretch_of_a_window_has_more)
{
	struct limit l = { 0 };
	int64_t taken[1000];
	int n = 0;

	for (int i = 0; i < 1000; i++)
		if (limit_admit(&l, LIMIT_CONNECTIONS, i * S))
			taken[n++] = i * S;
	ck_assert_int_eq(n, 16 * 20 + 20);
	for (int i = 20; i < n; i++)
		ck_assert_int_ge(taken[i] - taken[i - 20], 60 * S);
}
END_TEST

START_TEST(a_get_task_every_two_seconds_is_never_refused)
{
	struct limit l = { 0 };

	for (int i = 0; i < 1000; i++)
		ck_assert(limit_admit(&l, LIMIT_GET_TASK, i * 2100 * MS));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stream_limit");
	TCase *t = tcase_create("all");

	(void)fixture_open, (void)fixture_close;
	_Static_assert(COUNT(limits) == LIMIT_KINDS, "each kind has a row");
	tcase_add_loop_test(
	    t, so_many_at_once_and_no_more, 0, COUNT(limits) * COUNT(starts));
	tcase_add_test(t, a_bucket_fills_one_by_one);
	tcase_add_test(t, no_stretch_of_a_window_has_more);
	tcase_add_test(t, a_get_task_every_two_seconds_is_never_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
