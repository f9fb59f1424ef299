/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which HLS files are written to a bucket. */
#include "egress/bucket_queue.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/suite.h"

static struct bucket_queue q;
static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
	bucket_queue_init(&q);
}

static void
teardown(void)
{
	bucket_queue_free(&q);
	arena_free(mem);
}

static void
put(const char *name, const char *bytes)
{
	ck_assert(
	    bucket_queue_put(&q, name, bytes, bytes != NULL ? strlen(bytes) : 100));
}

/* Queues a playlist of two segments. */
static void
put_playlist(const char *code, int first)
{
	put(arena_printf(mem, "%s-audio.m3u8", code),
	    arena_printf(mem,
		"#MAP:URI=\"%s-init-0.mp4\"\n#\n%s-%d.m4s\n#\n%s-%d.m4s\n", code, code,
		first, code, first + 1));
}

static void
put_segment(const char *code, int number)
{
	put(arena_printf(mem, "%s-%d.m4s", code, number), NULL);
}

/* The next calls; "" none; "-" marks a call that ends. */
static const char *
next(struct bucket_item **to)
{
	struct bucket_item *i = bucket_queue_next(&q);

	*to = i;
	return i == NULL
		   ? ""
		   : arena_printf(mem, "%s%s", i->state == LEAVES ? "-" : "", i->name);
}

/* Executes all calls one after another, each successfully. */
static const char *
all(void)
{
	struct bucket_item *i;
	const char *said = "", *name;

	while (*(name = next(&i)) != '\0') {
		said = arena_printf(mem, "%s%s ", said, name);
		bucket_queue_end(&q, i, true);
	}
	return said;
}

START_TEST(segments_go_before_the_playlist_that_names_them)
{
	struct bucket_item *head, *segment, *other, *list, *none;

	put("es-init-0.mp4", NULL);
	put_segment("es", 1);
	put_playlist("es", 0);
	put_segment("pt-br", 1);
	put_playlist("pt-br", 0);
	put("es.m3u8", "#EXTM3U\n");
	put("index.m3u8", "#EXTM3U\n");
	ck_assert_str_eq(next(&head), "es-init-0.mp4");
	ck_assert_str_eq(next(&segment), "es-1.m4s");
	ck_assert_str_eq(next(&other), "pt-br-1.m4s");
	ck_assert_str_eq(next(&none), "");
	bucket_queue_end(&q, segment, true);
	bucket_queue_end(&q, other, true);
	/* all its segments are stored */
	ck_assert_str_eq(next(&list), "pt-br-audio.m3u8");
	ck_assert_str_eq(next(&none), "");
	bucket_queue_end(&q, head, true);
	ck_assert_str_eq(next(&segment), "es-audio.m3u8");
	bucket_queue_end(&q, list, true);
	/* an index is written after all its playlists */
	ck_assert_str_eq(next(&none), "");
	bucket_queue_end(&q, segment, true);
	ck_assert_str_eq(all(), "es.m3u8 index.m3u8 ");
}
END_TEST

START_TEST(a_call_that_failed_is_made_again_before_its_playlist)
{
	struct bucket_item *i;

	put_segment("es", 1);
	put_playlist("es", 0);
	ck_assert_str_eq(next(&i), "es-1.m4s");
	bucket_queue_end(&q, i, false);
	ck_assert_str_eq(all(), "es-1.m4s es-audio.m3u8 ");
}
END_TEST

START_TEST(of_playlists_that_may_go_the_newest_does)
{
	struct bucket_item *i, *none;

	put_playlist("es", 0);
	put_playlist("es", 1);
	ck_assert_str_eq(next(&i), "es-audio.m3u8");
	ck_assert_ptr_nonnull(strstr(i->bytes, "es-2.m4s"));
	put_playlist("es", 2);
	/* the second call would overtake the first */
	ck_assert_str_eq(next(&none), "");
	bucket_queue_end(&q, i, true);
	ck_assert_str_eq(all(), "es-audio.m3u8 ");
	ck_assert_uint_eq(q.n, 0);
}
END_TEST

/*
 * With a slow bucket the playlist is written although newer segments arrived meanwhile.
 */
START_TEST(a_playlist_goes_when_its_own_segments_are_there)
{
	struct bucket_item *first, *second, *i;

	put_segment("es", 1);
	put_playlist("es", 0);
	ck_assert_str_eq(next(&first), "es-1.m4s");
	put_segment("es", 2);
	put_playlist("es", 1);
	ck_assert_str_eq(next(&second), "es-2.m4s");
	bucket_queue_end(&q, first, true);
	ck_assert_str_eq(next(&i), "es-audio.m3u8");
	ck_assert_ptr_nonnull(strstr(i->bytes, "es-0.m4s"));
	bucket_queue_end(&q, i, true);
	bucket_queue_end(&q, second, true);
	ck_assert_str_eq(all(), "es-audio.m3u8 ");
}
END_TEST

START_TEST(a_segment_that_no_playlist_names_any_more_is_not_put)
{
	put_segment("de", 1);
	for (int n = 1; n < 9; n++) {
		put_segment("es", n);
		put(arena_printf(mem, "es-%d.vtt", n), NULL);
		put_playlist("es", n - 1);
		put("es-text.m3u8",
		    arena_printf(mem, "#\nes-%d.vtt\n#\nes-%d.vtt\n", n - 1, n));
	}
	ck_assert_uint_le(q.n, 1 + 16 + 2 * 3);
	ck_assert_str_eq(all(), "de-1.m4s es-7.m4s es-7.vtt es-8.m4s es-8.vtt "
				"es-audio.m3u8 es-text.m3u8 ");
}
END_TEST

START_TEST(a_segment_that_is_there_is_removed_and_no_other)
{
	struct bucket_item *i;

	put_segment("es", 1);
	put_segment("es", 2);
	ck_assert_str_eq(next(&i), "es-1.m4s");
	bucket_queue_end(&q, i, true);
	bucket_queue_remove(&q, "es-1.m4s");
	bucket_queue_remove(&q, "es-2.m4s"); /* the file was never written */
	bucket_queue_remove(&q, "es-0.m4s"); /* file of an earlier child process */
	ck_assert_str_eq(all(), "-es-1.m4s -es-0.m4s ");
	ck_assert_uint_eq(q.n, 0);
}
END_TEST

START_TEST(what_is_on_its_way_is_removed_after_it)
{
	struct bucket_item *i, *none;

	put_segment("es", 1);
	ck_assert_str_eq(next(&i), "es-1.m4s");
	bucket_queue_remove(&q, "es-1.m4s");
	ck_assert_str_eq(next(&none), "");
	bucket_queue_end(&q, i, false); /* the file may be stored nevertheless */
	ck_assert_str_eq(next(&i), "-es-1.m4s");
	bucket_queue_end(&q, i, false);
	ck_assert_str_eq(all(), "-es-1.m4s ");
	ck_assert_uint_eq(q.n, 0);
}
END_TEST

START_TEST(a_bucket_that_is_away_for_long_keeps_no_more_than_can_be_played)
{
	for (int n = 1; n < 10000; n++) {
		put_segment("es", n);
		put_playlist("es", n - 1);
		if (n > 18)
			bucket_queue_remove(&q, arena_printf(mem, "es-%d.m4s", n - 18));
	}
	ck_assert_uint_le(q.n, 18 + 3);
	ck_assert_str_eq(all() + strlen("es-9998.m4s "), "es-9999.m4s es-audio.m3u8 ");
}
END_TEST

START_TEST(what_waits_has_a_bound)
{
	char name[32];

	for (int n = 0; n < BUCKET_QUEUE_MOST; n++) {
		snprintf(name, sizeof(name), "es-init-%d.mp4", n);
		put(name, NULL);
	}
	ck_assert(!bucket_queue_put(&q, "es-1.m4s", NULL, 1));
	bucket_queue_remove(&q, "es-0.m4s");
	ck_assert_uint_eq(q.n, BUCKET_QUEUE_MOST);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bucket_queue");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, segments_go_before_the_playlist_that_names_them);
	tcase_add_test(t, a_call_that_failed_is_made_again_before_its_playlist);
	tcase_add_test(t, of_playlists_that_may_go_the_newest_does);
	tcase_add_test(t, a_playlist_goes_when_its_own_segments_are_there);
	tcase_add_test(t, a_segment_that_no_playlist_names_any_more_is_not_put);
	tcase_add_test(t, a_segment_that_is_there_is_removed_and_no_other);
	tcase_add_test(t, what_is_on_its_way_is_removed_after_it);
	tcase_add_test(
	    t, a_bucket_that_is_away_for_long_keeps_no_more_than_can_be_played);
	tcase_add_test(t, what_waits_has_a_bound);
	suite_add_tcase(s, t);
	return unit_run(s);
}
