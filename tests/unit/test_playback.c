/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "pipeline/playback.h"
#include "tests/unit/stream_sounds.h"

#define MS INT64_C(1000)
#define CHUNK_MS 200

/* A group of this many chunks of 200 ms; the last chunk ends it. */
static struct playback_group *
phrase(struct playback *p, int chunks)
{
	struct playback_group *g = arena_alloc(mem, sizeof(*g));

	playback_open(p, g);
	for (int i = 0; i < chunks; i++) {
		struct playback_chunk *c = arena_alloc(mem, sizeof(*c));

		c->us = CHUNK_MS * MS;
		c->last = i + 1 == chunks;
		ck_assert(playback_add(p, g, c));
	}
	return g;
}

/*
 * Returns the number of chunks that leave at this time; *again is the time of the next
 * call.
 */
static int
leaving(struct playback *p, int64_t now_us, int64_t *again)
{
	struct playback_output out;
	int n = 0;

	while (playback_next(p, now_us, &out, again))
		n += out.chunk != NULL;
	return n;
}

START_TEST(three_seconds_leave_at_once_and_the_rest_as_it_is_played)
{
	struct playback p = { .unpaced = false };
	int64_t again, now = 1000000 * MS;

	phrase(&p, 50);
	ck_assert_int_eq(leaving(&p, now, &again), 15);
	ck_assert_int_eq(again, now + 200 * MS);
	ck_assert_int_eq(leaving(&p, again - 1, &again), 0);
	ck_assert_int_eq(again, now + 200 * MS);
	ck_assert_int_eq(leaving(&p, again, &again), 1);
	ck_assert_int_eq(leaving(&p, now + 1400 * MS, &again), 6);
	ck_assert_int_eq(leaving(&p, now + 100000 * MS, &again), 15);
	ck_assert_int_eq(leaving(&p, now + 110000 * MS, &again), 13);
	ck_assert_int_eq(again, INT64_MAX);
}
END_TEST

START_TEST(the_level_is_what_was_made_and_not_played)
{
	struct playback p = { .unpaced = false };
	int64_t again;

	ck_assert_int_eq(playback_level_ms(&p, 0), 0);
	phrase(&p, 50);
	ck_assert_int_eq(playback_level_ms(&p, 5000 * MS), 10000);
	leaving(&p, 5000 * MS, &again);
	ck_assert_int_eq(playback_level_ms(&p, 5000 * MS), 10000);
	ck_assert_int_eq(playback_level_ms(&p, 6000 * MS), 9000);
	ck_assert_int_eq(playback_level_ms(&p, 9000 * MS), 7000);
}
END_TEST

/*
 * The player must never hold more than 3 s, and must not run empty while there are
 * chunks.
 */
START_TEST(whenever_one_asks_the_player_is_fed_and_not_flooded)
{
	struct playback p = { .unpaced = false };
	int64_t now = 7, again, made = 0, end = 0;
	struct playback_output out;

	for (int i = 0; i < 3000; i++) {
		if (draw(10) == 0)
			made += CHUNK_MS * MS *
				(int64_t)phrase(&p, 1 + (int)draw(20))->us /
				(CHUNK_MS * MS);
		while (playback_next(&p, now, &out, &again)) {
			end = (end > now ? end : now) + out.chunk->us;
			made -= out.chunk->us;
			ck_assert_int_le(end - now, 3000 * MS);
		}
		ck_assert_int_eq(playback_level_ms(&p, now),
		    (made + (end > now ? end - now : 0)) / 1000);
		if (p.first != NULL)
			ck_assert_int_gt(end - now, 2800 * MS);
		ck_assert_int_gt(again, now);
		now += draw(2) ? (int64_t)draw(900) * MS : 1;
	}
}
END_TEST

START_TEST(phrases_keep_their_order_though_one_is_late)
{
	struct playback p = { .unpaced = false };
	struct playback_chunk late = { .us = 200 * MS, .last = true };
	struct playback_group *a = phrase(&p, 0), *b = phrase(&p, 2);
	struct playback_output out;
	int64_t again;

	ck_assert(!playback_next(&p, 5, &out, &again));
	ck_assert_int_eq(again, INT64_MAX);
	ck_assert(playback_add(&p, a, &late));
	ck_assert(playback_next(&p, 5, &out, &again));
	ck_assert(out.group == a && out.chunk == &late && out.last && a->done);
	ck_assert(playback_next(&p, 5, &out, &again));
	ck_assert(out.group == b && !out.last);
	ck_assert(playback_next(&p, 5, &out, &again));
	ck_assert(out.group == b && out.last);
	ck_assert(p.first == NULL);
	ck_assert(!playback_add(&p, a, &late));
}
END_TEST

START_TEST(an_overflow_costs_the_oldest_unsent_phrases_their_audio)
{
	struct playback p = { .unpaced = false };
	struct playback_group *sent = phrase(&p, 20), *b, *c, *d;
	struct playback_chunk more = { .us = 200 * MS };
	struct playback_output out;
	int64_t again;

	leaving(&p, 0, &again);
	b = phrase(&p, 20);
	c = phrase(&p, 20);
	d = phrase(&p, 20);
	ck_assert_ptr_null(playback_shed(&p, 0, 16000));
	ck_assert_ptr_eq(playback_shed(&p, 0, 15999), b);
	ck_assert_int_eq(playback_level_ms(&p, 0), 12000);
	ck_assert_ptr_null(playback_shed(&p, 0, 15999));
	ck_assert(!playback_add(&p, b, &more));
	ck_assert_ptr_eq(playback_shed(&p, 0, 8000), c);
	ck_assert_ptr_null(playback_shed(&p, 0, 8000));
	while (playback_next(&p, 3000 * MS, &out, &again) && out.group == sent)
		ck_assert_ptr_nonnull(out.chunk);
	ck_assert(out.group == b && out.chunk == NULL && out.last && b->sent == 1);
	ck_assert(playback_next(&p, 3000 * MS, &out, &again));
	ck_assert(out.group == c && out.chunk == NULL && out.last);
	ck_assert(playback_next(&p, 3000 * MS, &out, &again));
	ck_assert(out.group == d && out.chunk != NULL);
}
END_TEST

START_TEST(a_long_group_ends_where_the_level_is_reached)
{
	struct playback p = { .unpaced = false };
	struct playback_group *g = phrase(&p, 59);
	struct playback_chunk more = { .us = 200 * MS, .last = true };
	struct playback_output out;
	int64_t again, sent = 0;

	p.unpaced = true;
	ck_assert_ptr_null(playback_shed(&p, 0, 5000));
	p.unpaced = false;
	ck_assert_ptr_eq(playback_shed(&p, 0, 5000), g);
	ck_assert_int_eq(playback_level_ms(&p, 0), 5000);
	ck_assert_ptr_null(playback_shed(&p, 0, 5000));
	ck_assert(!playback_add(&p, g, &more));
	for (int64_t now = 0; p.first != NULL; now += 200 * MS)
		while (playback_next(&p, now, &out, &again))
			sent++;
	ck_assert_int_eq(sent, 25 + 1);
	ck_assert(out.last && out.chunk == NULL && g->done);
}
END_TEST

START_TEST(a_group_that_is_being_sent_is_cut_after_the_newest)
{
	struct playback p = { .unpaced = false };
	struct playback_group *begun = phrase(&p, 40), *newest;
	struct playback_output out;
	int64_t again;

	leaving(&p, 0, &again);
	newest = phrase(&p, 40);
	ck_assert_ptr_eq(playback_shed(&p, 0, 12000), newest);
	ck_assert_int_eq(playback_level_ms(&p, 0), 12000);
	ck_assert_ptr_eq(playback_shed(&p, 0, 5000), newest);
	ck_assert_ptr_eq(playback_shed(&p, 0, 5000), begun);
	ck_assert_int_eq(playback_level_ms(&p, 0), 5000);
	ck_assert_ptr_null(playback_shed(&p, 0, 5000));
	while (playback_next(&p, 5000 * MS, &out, &again) && out.group == begun)
		ck_assert_int_eq(out.last, out.chunk == NULL);
	ck_assert(out.group == newest && out.chunk == NULL && out.last);
}
END_TEST

START_TEST(a_flush_ends_each_group_once)
{
	struct playback p = { .unpaced = false };
	struct playback_group *a = phrase(&p, 20), *b = phrase(&p, 2);
	struct playback_output out;
	int64_t again;

	leaving(&p, 0, &again);
	ck_assert_uint_eq(a->sent, 15);
	playback_flush(&p);
	ck_assert(playback_next(&p, 0, &out, &again));
	ck_assert(out.group == a && out.chunk == NULL && out.last && a->sent == 16);
	ck_assert(playback_next(&p, 0, &out, &again));
	ck_assert(out.group == b && out.chunk == NULL && b->sent == 1);
	ck_assert(!playback_next(&p, 0, &out, &again));
	/* the player already has it */
	ck_assert_int_eq(playback_level_ms(&p, 0), 3000);
}
END_TEST

START_TEST(unpaced_everything_leaves_at_once)
{
	struct playback p = { .unpaced = true };
	int64_t again;

	phrase(&p, 500);
	ck_assert_int_eq(leaving(&p, 0, &again), 500);
	ck_assert_int_eq(playback_level_ms(&p, 0), 100000);
}
END_TEST

START_TEST(a_chunk_of_over_three_seconds_leaves_when_nothing_is_ahead)
{
	struct playback p = { .unpaced = false };
	struct playback_chunk a = { .us = 4000 * MS },
			      b = { .us = 4000 * MS, .last = true };
	struct playback_group *g = phrase(&p, 0);
	int64_t again;

	playback_add(&p, g, &a);
	playback_add(&p, g, &b);
	ck_assert_int_eq(leaving(&p, 0, &again), 1);
	ck_assert_int_eq(again, 4000 * MS);
	ck_assert_int_eq(leaving(&p, again, &again), 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("playback");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, three_seconds_leave_at_once_and_the_rest_as_it_is_played);
	tcase_add_test(t, the_level_is_what_was_made_and_not_played);
	tcase_add_test(t, whenever_one_asks_the_player_is_fed_and_not_flooded);
	tcase_add_test(t, phrases_keep_their_order_though_one_is_late);
	tcase_add_test(t, an_overflow_costs_the_oldest_unsent_phrases_their_audio);
	tcase_add_test(t, a_long_group_ends_where_the_level_is_reached);
	tcase_add_test(t, a_group_that_is_being_sent_is_cut_after_the_newest);
	tcase_add_test(t, a_flush_ends_each_group_once);
	tcase_add_test(t, unpaced_everything_leaves_at_once);
	tcase_add_test(t, a_chunk_of_over_three_seconds_leaves_when_nothing_is_ahead);
	suite_add_tcase(s, t);
	return unit_run(s);
}
