/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The packet that is returned at each tick. */
#include "audio/packet_queue.h"
#include "tests/unit/suite.h"

static struct packet_queue queue;

static void
setup(void)
{
	queue = (struct packet_queue){ 0 };
}

static void
teardown(void)
{
	packet_queue_free(&queue);
}

/* Adds a packet for each letter. */
static void
put(const char *letters, bool last)
{
	struct arena *mem = arena_new();
	struct queued_packets *to = arena_alloc(mem, sizeof(*to));
	struct buf b = { .mem = mem };

	for (const char *p = letters; *p != '\0'; p++)
		opus_packets_put(&b, p, 1);
	to->mem = mem;
	to->packets = (struct opus_packets){ (unsigned char *)b.p, b.len };
	to->last = last;
	packet_queue_put(&queue, to);
}

/* Returns the output of n ticks: letters for packets, - for silence, . for nothing. */
static const char *
ticks(int n)
{
	static char to[64];
	struct opus_packet p;

	for (int i = 0; i < n; i++) {
		bool has = packet_queue_has_sound(&queue);

		ck_assert(packet_queue_due(&queue, &p) == has);
		to[i] = (char)(!has ? '.' : p.n == 1 ? p.bytes[0] : '-');
	}
	to[n] = '\0';
	return to;
}

START_TEST(packets_are_due_one_a_tick_and_silence_follows)
{
	ck_assert_str_eq(ticks(2), "..");
	put("abc", false);
	put("d", true);
	ck_assert_str_eq(ticks(9), "abcd---..");
	put("e", true);
	ck_assert_str_eq(ticks(5), "e---.");
}
END_TEST

START_TEST(a_segment_may_pause)
{
	put("ab", false);
	ck_assert_str_eq(ticks(4), "ab..");
	put("c", false);
	put("", true);
	ck_assert_str_eq(ticks(5), "c---.");
}
END_TEST

START_TEST(a_segment_that_follows_leaves_no_room_for_silence)
{
	put("ab", true);
	put("cd", true);
	ck_assert_str_eq(ticks(8), "abcd---.");
	put("e", true);
	ck_assert_str_eq(ticks(2), "e-");
	put("f", true);
	ck_assert_str_eq(ticks(5), "f---.");
}
END_TEST

START_TEST(a_flush_leaves_silence_only)
{
	put("abc", true);
	put("d", false);
	ck_assert_str_eq(ticks(1), "a");
	packet_queue_flush(&queue);
	ck_assert_str_eq(ticks(5), "---..");
	packet_queue_flush(&queue);
	ck_assert_str_eq(ticks(2), "..");
	put("e", true);
	ck_assert_str_eq(ticks(5), "e---.");
}
END_TEST

START_TEST(an_end_leaves_the_queue)
{
	put("abc", false);
	packet_queue_end(&queue);
	ck_assert_str_eq(ticks(7), "abc---.");
	packet_queue_end(&queue);
	ck_assert_str_eq(ticks(1), ".");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("packet_queue");
	TCase *t = tcase_create("packet_queue");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, packets_are_due_one_a_tick_and_silence_follows);
	tcase_add_test(t, a_segment_may_pause);
	tcase_add_test(t, a_segment_that_follows_leaves_no_room_for_silence);
	tcase_add_test(t, a_flush_leaves_silence_only);
	tcase_add_test(t, an_end_leaves_the_queue);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
