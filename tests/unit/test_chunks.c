/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <zlib.h>

#include "audio/chunks.h"
#include "base/buf.h"
#include "base/hash.h"
#include "tests/unit/stream_sounds.h"

static struct pcm
speech(double seconds, int rate_hz)
{
	struct pcm16 p = tone(seconds, 440, -20, rate_hz);
	struct pcm to = { arena_alloc(mem, p.n * sizeof(float) + 1), p.n, rate_hz };

	for (size_t i = 0; i < p.n; i++)
		to.s[i] = (float)p.s[i] / 32768;
	return to;
}

/* Joins all chunks; each must have the right length. */
static struct buf
together(struct chunks *c, size_t whole, int *last)
{
	struct buf b = { .mem = mem };
	struct chunk one;

	*last = 0;
	while (chunks_next(c, &one)) {
		ck_assert_int_eq(*last, 0);
		ck_assert_int_eq(one.last, one.n < whole);
		ck_assert_uint_le(one.n, whole);
		*last += one.last;
		if (one.n > 0)
			buf_put(&b, one.s, one.n * sizeof(*one.s));
	}
	return b;
}

static const struct {
	double seconds;
	int rate_hz, to_hz;
} lengths[] = { { 1.1, 22050, SPOKEN_HZ }, { 0.05, 24000, SPOKEN_HZ },
	{ 1, 24000, SPOKEN_HZ }, { 1, 16000, SPOKEN_HZ }, { 2.3, 48000, SPOKEN_HZ },
	{ 0.7, 8000, SPOKEN_HZ }, { 1.1, 22050, 8000 }, { 1.1, 22050, 48000 } };

START_TEST(speech_of_any_rate_becomes_chunks_of_200_ms)
{
	int hz = lengths[_i].to_hz, last;
	struct pcm p = speech(lengths[_i].seconds, lengths[_i].rate_hz);
	struct chunks *c = chunks_new(mem, hz, 1);
	struct buf b;

	chunks_put(c, &p);
	chunks_end(c);
	chunks_end(c);
	b = together(c, (size_t)hz / 5, &last);
	ck_assert_int_eq(last, 1);
	ck_assert_int_eq(b.len / 2, (size_t)lrint(lengths[_i].seconds * hz));
	ck_assert_double_eq_tol(level_db((int16_t *)(void *)b.p, b.len / 2), -20, 0.3);
}
END_TEST

START_TEST(chunks_come_as_soon_as_they_are_full)
{
	struct pcm p = speech(0.2, 24000), more = speech(0.01, 24000);
	struct chunks *c = chunks_new(mem, SPOKEN_HZ, 1);
	struct chunk one;

	ck_assert(!chunks_next(c, &one));
	chunks_put(c, &p);
	ck_assert(chunks_next(c, &one));
	ck_assert_uint_eq(one.n, 4800);
	ck_assert(!one.last);
	chunks_put(c, &more);
	ck_assert(!chunks_next(c, &one));
	chunks_end(c);
	ck_assert(chunks_next(c, &one));
	ck_assert_uint_eq(one.n, 240);
	ck_assert(one.last);
	ck_assert(!chunks_next(c, &one));
}
END_TEST

START_TEST(speech_that_fills_its_chunks_and_none_at_all_end_with_an_empty_one)
{
	struct pcm p = speech(0.4 * _i, 24000);
	struct chunks *c = chunks_new(mem, SPOKEN_HZ, 1);
	struct chunk one;
	size_t n;

	if (_i > 0)
		chunks_put(c, &p);
	chunks_end(c);
	for (int k = 0; k < 2 * _i; k++)
		ck_assert(chunks_next(c, &one) && one.n == 4800);
	ck_assert(chunks_next(c, &one));
	ck_assert(one.last && one.n == 0);
	chunk_bytes(mem, &one, &n);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(how_an_engine_streams_makes_no_difference)
{
	struct pcm p = speech(2, 22050);
	struct chunks *a = chunks_new(mem, SPOKEN_HZ, 1);
	struct chunks *b = chunks_new(mem, SPOKEN_HZ, 1);
	struct buf whole, cut;
	int last;

	chunks_put(a, &p);
	for (size_t i = 0, n; i < p.n; i += n) {
		n = draw(1500);
		n = n < p.n - i ? n : p.n - i;
		chunks_put(b, &(struct pcm){ p.s + i, n, p.rate_hz });
	}
	chunks_end(a);
	chunks_end(b);
	whole = together(a, 4800, &last);
	cut = together(b, 4800, &last);
	ck_assert_uint_eq(whole.len, cut.len);
	ck_assert_mem_eq(whole.p, cut.p, cut.len);
}
END_TEST

START_TEST(a_hurried_phrase_is_shorter)
{
	struct pcm p = speech(2.9, 22050);
	struct chunks *c = chunks_new(mem, SPOKEN_HZ, 1.45);
	int last;

	chunks_put(c, &p);
	chunks_end(c);
	ck_assert_double_eq_tol((double)together(c, 4800, &last).len / 2, 48000, 500);
	ck_assert_int_eq(last, 1);
}
END_TEST

START_TEST(samples_beyond_full_scale_are_clipped)
{
	float s[] = { 2, -3, 1, -1, 0, NAN, INFINITY, -INFINITY, 0.5F };
	static const int16_t want[] = { 32767, -32767, 32767, -32767, 0, 0, 32767,
		-32767, 16384 };
	struct chunks *c = chunks_new(mem, SPOKEN_HZ, 1);
	struct chunk one;

	chunks_put(c, &(struct pcm){ s, COUNT(s), SPOKEN_HZ });
	chunks_end(c);
	ck_assert(chunks_next(c, &one));
	ck_assert_uint_eq(one.n, COUNT(want));
	ck_assert_mem_eq(one.s, want, sizeof(want));
}
END_TEST

START_TEST(a_message_holds_little_endian_samples_as_they_are_or_compressed)
{
	static const int16_t s[] = { 1, -2, 0x1234 };
	static const unsigned char want[] = { 1, 0, 0xfe, 0xff, 0x34, 0x12 };
	struct pcm16 big = tone(0.2, 300, -20, SPOKEN_HZ);
	struct chunk one = { s, 3, false }, large = { big.s, big.n, false };
	unsigned char to[20000];
	uLongf n = sizeof(to);
	size_t got;
	const unsigned char *p = chunk_bytes(mem, &one, &got);

	ck_assert_uint_eq(got, sizeof(want));
	ck_assert_mem_eq(p, want, got);
	p = chunk_bytes(mem, &large, &got);
	ck_assert_uint_eq(got, 9600);
	p = deflate_message(mem, p, got, &got);
	ck_assert_uint_lt(got, 9600);
	ck_assert_int_eq(uncompress(to, &n, p, got), Z_OK);
	ck_assert_uint_eq(n, 9600);
	ck_assert_mem_eq(to, big.s, n); /* on a little-endian machine */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("chunks");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, speech_of_any_rate_becomes_chunks_of_200_ms, 0, COUNT(lengths));
	tcase_add_test(t, chunks_come_as_soon_as_they_are_full);
	tcase_add_loop_test(t,
	    speech_that_fills_its_chunks_and_none_at_all_end_with_an_empty_one, 0, 3);
	tcase_add_test(t, how_an_engine_streams_makes_no_difference);
	tcase_add_test(t, a_hurried_phrase_is_shorter);
	tcase_add_test(t, samples_beyond_full_scale_are_clipped);
	tcase_add_test(
	    t, a_message_holds_little_endian_samples_as_they_are_or_compressed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
