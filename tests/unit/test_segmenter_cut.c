/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speech without a pause is cut, too. */
#include "tests/unit/segmenter_fixture.h"

START_TEST(sound_without_a_pause_is_cut_within_10_s_and_nothing_is_lost)
{
	struct many m = heard(segmenter_new(mem, &usual), BEEPS(1000, 65000, 1000), 0);

	ck_assert_uint_ge(m.n, 7);
	assert_cut(&m);
	ck_assert_int_eq(m.one[m.n - 1].why, SEGMENT_SILENCE);
	assert_near_ms(m.one[m.n - 1].to, 66200);
}
END_TEST

START_TEST(without_words_the_cut_is_where_the_sound_is_softest)
{
	struct pcm16 p = BEEPS(400, 12000, 1000);
	struct many m;

	for (int64_t i = MS(5600); i < MS(5720); i++)
		p.s[i] = (int16_t)(p.s[i] / 100);
	m = heard(segmenter_new(mem, &usual), p, 0);
	ck_assert_uint_eq(m.n, 2);
	assert_cut(&m);
	ck_assert_int_ge(m.one[0].to, MS(5600));
	ck_assert_int_le(m.one[0].to, MS(5760));
}
END_TEST

/* Makes words of 400 ms with 40 ms between; one gap of 240 ms follows `gap` words. */
static size_t
make_words(struct boundary_word *w, int gap, const char *last, const char *next)
{
	size_t n = 0;

	for (int at = 10; at < 450; n++) {
		bool is_last = (int)n == gap - 1, is_next = (int)n == gap;

		w[n] = (struct boundary_word){ is_last   ? last
					       : is_next ? next
							 : "word",
			at, at + 20 };
		at += is_last ? 32 : 22;
	}
	return n;
}

/* As heard(), but with words when they are requested, and moves the first cut. */
static struct many
heard_words(struct pcm16 sound, const struct boundary_word *w, size_t n, int64_t moved)
{
	struct segmenter *p = segmenter_new(mem, &usual);
	struct many m = { .one = arena_alloc(mem, 100 * sizeof(*m.one)) };
	struct segment_part part;

	segmenter_feed(p, sound.s, sound.n);
	while (segmenter_next(p, &part)) {
		if (moved > 0 && part.is == SEGMENT_ENDS && m.n == 0) {
			segmenter_resume(p, moved);
			part.at = moved;
		}
		take(&m, &part);
		if (part.is == SEGMENT_AUDIO && m.n == 0 && segmenter_wants_words(p))
			segmenter_words(p, w, n);
	}
	return m;
}

START_TEST(a_cut_is_between_two_words_and_nothing_is_heard_twice)
{
	static const struct {
		const char *last, *next;
		int gap;
	} talks[] = { { "word", "word", 13 }, { "word", "and", 12 },
		{ "word", "because", 13 } };
	struct pcm16 p = BEEPS(400, 9000, 1000);
	struct boundary_word w[100];
	size_t n = make_words(w, talks[_i].gap, talks[_i].last, talks[_i].next);
	struct many m = heard_words(p, w, n, 0);

	ck_assert_uint_eq(m.n, 2);
	assert_cut(&m);
	ck_assert_int_eq((m.one[0].to - m.one[0].from) / VAD_FRAME,
	    (w[talks[_i].gap - 1].to + w[talks[_i].gap].from) / 2);
	ck_assert_mem_eq(m.one[1].sound.p, p.s + m.one[1].from, m.one[1].sound.len);
}
END_TEST

START_TEST(an_engine_that_knows_better_moves_the_cut)
{
	struct pcm16 p = BEEPS(400, 9000, 1000);
	struct boundary_word w[100];
	size_t n = make_words(w, 12, "word", "word");
	struct many m = heard_words(p, w, n, MS(4000));

	ck_assert_uint_eq(m.n, 2);
	ck_assert_int_eq(m.one[0].to, MS(4000));
	ck_assert_int_eq(m.one[1].from, MS(4000));
	ck_assert_mem_eq(m.one[1].sound.p, p.s + MS(4000), m.one[1].sound.len);
	assert_near_ms(m.one[1].to, 9600);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("segmenter_cut");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, sound_without_a_pause_is_cut_within_10_s_and_nothing_is_lost);
	tcase_add_test(t, without_words_the_cut_is_where_the_sound_is_softest);
	tcase_add_loop_test(
	    t, a_cut_is_between_two_words_and_nothing_is_heard_twice, 0, 3);
	tcase_add_test(t, an_engine_that_knows_better_moves_the_cut);
	suite_add_tcase(s, t);
	return unit_run(s);
}
