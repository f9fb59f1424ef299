/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "session/input_pacing.h"
#include "tests/unit/stream_sounds.h"

#define MS INT64_C(1000)
#define S (1000 * MS)

/* Chunks of chunk_ms, sent every step_ms; how often each warning came. */
struct told {
	int fast, slow, stalled, dropped, timeouts;
};

static void
count(struct told *t, unsigned faults)
{
	t->fast += (faults & PACING_TOO_FAST) != 0;
	t->slow += (faults & PACING_TOO_SLOW) != 0;
	t->stalled += (faults & PACING_STALLED) != 0;
	t->dropped += (faults & PACING_DROP) != 0;
	t->timeouts += (faults & PACING_TIMEOUT) != 0;
}

static struct told
sent(struct input_pacing *p, int64_t *now, double seconds, int chunk_ms, int step_ms)
{
	struct told t = { .fast = 0 };
	int64_t end = *now + (int64_t)(seconds * S), again;

	for (; *now < end; *now += step_ms * MS) {
		count(&t, input_pacing_poll(p, *now, &again));
		count(&t, input_pacing_chunk(p, *now, chunk_ms * MS, 0));
	}
	return t;
}

static const struct {
	int chunk_ms, step_ms;
	double seconds;
	int fast, slow, stalled;
} paces[] = {
	{ 320, 320, 300, 0, 0, 0 }, { 20, 20, 100, 0, 0, 0 },
	{ 1000, 1000, 100, 0, 0, 0 }, { 320, 330, 300, 0, 0, 0 },
	{ 320, 390, 100, 0, 0, 0 }, /* 82 % */
	{ 320, 420, 10, 0, 0, 0 },  /* 76 %, but not long enough */
	{ 320, 420, 11, 0, 1, 0 }, { 320, 420, 38, 0, 1, 0 }, { 320, 420, 45, 0, 2, 0 },
	{ 43, 100, 80, 0, 3, 0 },
	{ 320, 160, 6, 1, 0, 0 }, /* 3 s ahead after 3 s, then each 10 s */
	{ 320, 160, 25, 3, 0, 0 },
	{ 6400, 6400, 60, 1, 0, 9 }, /* bursts with silence in between */
};

START_TEST(a_warning_comes_when_it_is_due)
{
	struct input_pacing p = { .has_first = false };
	int64_t now = 123456789;
	struct told t;

	input_pacing_start(&p, now);
	t = sent(&p, &now, paces[_i].seconds, paces[_i].chunk_ms, paces[_i].step_ms);
	if (paces[_i].chunk_ms == 6400) /* each burst is 6.4 s ahead for a moment */
		ck_assert_int_ge(t.fast, 1);
	else
		ck_assert_int_eq(t.fast, paces[_i].fast);
	ck_assert_int_eq(t.slow, paces[_i].slow);
	ck_assert_int_eq(t.stalled, paces[_i].stalled);
	ck_assert_int_eq(t.timeouts, 0);
	ck_assert_int_eq(t.dropped, 0);
}
END_TEST

START_TEST(a_whole_file_at_once_is_told_of_once)
{
	struct input_pacing p = { .has_first = false };
	struct told t = { .fast = 0 };

	input_pacing_start(&p, 0);
	for (int i = 0; i < 100; i++)
		count(&t, input_pacing_chunk(&p, i * MS, 320 * MS, i * 320 * MS));
	ck_assert_int_eq(t.fast, 1);
	ck_assert_int_eq(t.dropped, 0);
}
END_TEST

START_TEST(what_would_fill_the_backlog_beyond_a_minute_is_dropped)
{
	struct input_pacing p = { .has_first = false };

	input_pacing_start(&p, 0);
	ck_assert_uint_eq(input_pacing_chunk(&p, 0, 320 * MS, 59680 * MS), 0);
	ck_assert_uint_eq(input_pacing_chunk(&p, 0, 320 * MS, 59681 * MS),
	    PACING_DROP | PACING_TOO_FAST);
	ck_assert_uint_eq(input_pacing_chunk(&p, 5 * S, 320 * MS, 60 * S), PACING_DROP);
	ck_assert_uint_eq(input_pacing_chunk(&p, 9 * S, 320 * MS, 50 * S), 0);
	ck_assert_uint_eq(input_pacing_chunk(&p, 10 * S, 320 * MS, 60 * S),
	    PACING_DROP | PACING_TOO_FAST);
}
END_TEST

START_TEST(a_stall_is_told_once_and_so_is_the_next)
{
	struct input_pacing p = { .has_first = false };
	int64_t again;

	input_pacing_start(&p, 0);
	input_pacing_chunk(&p, 1 * S, 320 * MS, 0);
	ck_assert_uint_eq(input_pacing_poll(&p, 2 * S, &again), 0);
	ck_assert_int_eq(again, 6 * S);
	ck_assert_uint_eq(input_pacing_poll(&p, 6 * S - 1, &again), 0);
	ck_assert_uint_eq(input_pacing_poll(&p, 6 * S, &again), PACING_STALLED);
	ck_assert_int_eq(again, 11 * S);
	ck_assert_uint_eq(input_pacing_poll(&p, 8 * S, &again), 0);
	input_pacing_chunk(&p, 9 * S, 320 * MS, 0);
	ck_assert_uint_eq(input_pacing_poll(&p, 14 * S, &again), PACING_STALLED);
}
END_TEST

START_TEST(ten_seconds_without_a_sign_are_the_end)
{
	struct input_pacing p = { .has_first = false };
	int64_t again;

	input_pacing_start(&p, 100 * S);
	ck_assert_uint_eq(input_pacing_poll(&p, 106 * S, &again), PACING_STALLED);
	input_pacing_sign(&p, 107 * S);
	ck_assert_uint_eq(input_pacing_poll(&p, 107 * S, &again), 0);
	ck_assert_int_eq(again, 117 * S);
	ck_assert_uint_eq(input_pacing_poll(&p, 117 * S - 1, &again), 0);
	ck_assert_uint_eq(input_pacing_poll(&p, 117 * S, &again), PACING_TIMEOUT);
	input_pacing_start(&p, 200 * S);
	ck_assert_uint_eq(input_pacing_poll(&p, 204 * S, &again), 0);
	ck_assert_int_eq(again, 205 * S);
}
END_TEST

/*
 * Runs turns of 50 ms up to that time; returns whether any found the end of the
 * segment.
 */
static bool
is_over_by(struct input_pacing *p, int64_t from, int64_t to)
{
	bool over = false;

	for (int64_t now = from; now <= to; now += 50 * MS)
		over |= input_pacing_is_quiet(p, now, PACING_SEGMENT_US);
	return over;
}

START_TEST(a_second_without_a_chunk_is_quiet)
{
	struct input_pacing p = { 0 };

	input_pacing_start(&p, 10 * S);
	input_pacing_chunk(&p, 10 * S, 320 * MS, 0);
	ck_assert(!is_over_by(&p, 10 * S, 11 * S - 50 * MS));
	ck_assert(is_over_by(&p, 11 * S, 11 * S));
	input_pacing_chunk(&p, 12 * S, 320 * MS, 0);
	input_pacing_sign(&p, 12 * S + 10 * MS); /* a tts_task contains no sound */
	ck_assert(!is_over_by(&p, 12 * S, 13 * S - 50 * MS));
	ck_assert(is_over_by(&p, 13 * S, 13 * S));
	input_pacing_packet(&p, 14 * S);
	ck_assert(!is_over_by(&p, 14 * S, 15 * S - 50 * MS));
}
END_TEST

/* Sound that arrived while reading was paused must be read first. */
START_TEST(a_turn_that_comes_late_ends_no_segment)
{
	struct input_pacing p = { 0 };

	input_pacing_start(&p, 10 * S);
	input_pacing_chunk(&p, 10 * S, 320 * MS, 0);
	ck_assert(!is_over_by(&p, 10 * S, 10 * S + 500 * MS));
	ck_assert(!is_over_by(&p, 13 * S, 13 * S));
	ck_assert(!is_over_by(&p, 16 * S, 16 * S));
	input_pacing_chunk(&p, 16 * S, 320 * MS, 0);
	ck_assert(!is_over_by(&p, 16 * S, 17 * S - 50 * MS));
	ck_assert(is_over_by(&p, 17 * S, 17 * S));
}
END_TEST

START_TEST(a_stall_is_no_slowness_and_a_pause_is_no_stall)
{
	struct input_pacing p = { .has_first = false };
	int64_t now = 0, again;
	struct told t;

	input_pacing_start(&p, now);
	t = sent(&p, &now, 20, 320, 320);
	now += 8 * S;
	ck_assert_uint_eq(input_pacing_poll(&p, now, &again), PACING_STALLED);
	t = sent(&p, &now, 30, 320, 320);
	ck_assert_int_eq(t.slow, 0);
	now += 1000 * S;
	input_pacing_start(&p, now);
	t = sent(&p, &now, 30, 320, 320);
	ck_assert_int_eq(t.slow + t.fast + t.stalled + t.timeouts, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("pace");
	TCase *t = tcase_create("all");

	tcase_add_loop_test(t, a_warning_comes_when_it_is_due, 0, COUNT(paces));
	tcase_add_test(t, a_whole_file_at_once_is_told_of_once);
	tcase_add_test(t, what_would_fill_the_backlog_beyond_a_minute_is_dropped);
	tcase_add_test(t, a_stall_is_told_once_and_so_is_the_next);
	tcase_add_test(t, ten_seconds_without_a_sign_are_the_end);
	tcase_add_test(t, a_second_without_a_chunk_is_quiet);
	tcase_add_test(t, a_turn_that_comes_late_ends_no_segment);
	tcase_add_test(t, a_stall_is_no_slowness_and_a_pause_is_no_stall);
	suite_add_tcase(s, t);
	return unit_run(s);
}
