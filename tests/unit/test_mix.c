/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The original in a stream, its delay, and the time of the picture beside it. */
#include "tests/unit/suite.h"

#include <stdlib.h>

#include "audio/opus_encoder.h"
#include "base/clock.h"
#include "egress/mix.h"

#define DELAY_TICKS 50
#define TICK_US 20000
#define HOUR_US (3600 * S_US)

static struct arena *mem; /* until the process ends, like the memory of a mix */
static struct mix *mix;
static struct buf silence; /* 20 ms of silence, encoded */

/* Encode silence once: encoding it for each of 50,000 ticks took half of the time. */
static void
encode_silence(void)
{
	static const int16_t sound[OPUS_ENCODER_SAMPLES];

	silence = (struct buf){ .mem = mem };
	opus_encoder_put(
	    opus_encoder_new(mem), sound, OPUS_ENCODER_SAMPLES, false, &silence);
}

static void
setup(void)
{
	mem = arena_new();
	mix = mix_new(
	    mem, &(const struct egress_order){
		     .codes = { "original" }, .n = 1, .delay_ms = DELAY_TICKS * 20 });
	encode_silence();
}

static void
put_sound(int64_t time_us)
{
	mix_put_original(mix, time_us,
	    (struct opus_packets){ (unsigned char *)silence.p, silence.len });
}

/* Lets this many ticks pass, each with its sound, from that time on. */
static void
run(int ticks, int64_t from_us)
{
	for (int i = 0; i < ticks; i++) {
		put_sound(from_us + i * TICK_US);
		mix_step(mix);
	}
}

/* Simulates a new child, whose pictures wait for its sound. */
START_TEST(a_stream_that_begins_anew_comes_later_by_the_delay)
{
	int64_t us;

	run(200, 0);
	ck_assert(mix_time(mix, &us));
	ck_assert_int_lt(us, 4 * S_US);
	for (int i = 0; i < 100; i++)
		mix_step(mix);
	run(DELAY_TICKS - 5, HOUR_US);
	ck_assert(mix_time(mix, &us));
	ck_assert_int_lt(us, HOUR_US);
	run(10, HOUR_US + (DELAY_TICKS - 5) * TICK_US);
	ck_assert(mix_time(mix, &us));
	ck_assert_int_ge(us, HOUR_US);
	ck_assert_int_lt(us, HOUR_US + S_US / 2);
}
END_TEST

/* Number of ticks in which the original is heard after this sender's time. */
static int64_t
later_than(int64_t us)
{
	int64_t heard;

	ck_assert(mix_time(mix, &heard));
	return (us - heard) / TICK_US;
}

/* The original and its picture have their former delay again. */
START_TEST(an_original_that_stalled_comes_back_to_its_delay)
{
	int64_t at = 500;

	run(500, 0);
	ck_assert_int_le(llabs(later_than(at * TICK_US) - DELAY_TICKS), 1);
	for (int i = 0; i < 250; i++)
		mix_step(mix);
	for (int i = 0; i < 250; i++) /* sound that waited in the network */
		put_sound(at++ * TICK_US);
	run(100, at * TICK_US);
	at += 100;
	ck_assert_int_ge(later_than(at * TICK_US), 2 * DELAY_TICKS);
	run(250 * 50, at * TICK_US);
	at += 250 * 50;
	ck_assert_int_le(llabs(later_than(at * TICK_US) - DELAY_TICKS), 2);
	run(50 * 50, at * TICK_US);
	at += 50 * 50;
	ck_assert_int_le(llabs(later_than(at * TICK_US) - DELAY_TICKS), 2);
}
END_TEST

/* Counts ticks in three minutes, with sound in lumps of this many ticks. */
static const int clocks[] = { -200, -1000, 1000, 200 };

START_TEST(the_clock_of_a_sender_changes_no_delay)
{
	int64_t at = 0;

	for (int i = 1; i < 3 * 60 * 50; i++) {
		if (clocks[_i] > 0 || i % clocks[_i] != 0)
			put_sound(at++ * TICK_US);
		if (clocks[_i] > 0 && i % clocks[_i] == 0)
			put_sound(at++ * TICK_US);
		mix_step(mix);
		if (i > 500)
			ck_assert_int_le(
			    llabs(later_than(at * TICK_US) - DELAY_TICKS), 3);
	}
}
END_TEST

/* Sound may come in lumps as long as the delay: this changes nothing. */
START_TEST(what_the_network_varies_is_not_steered)
{
	int64_t at = 0, heard = 0, us;

	for (int i = 0; i < 60 * 50; i++) {
		for (int k = 0; i % 25 == 0 && k < 25; k++)
			put_sound(at++ * TICK_US);
		mix_step(mix);
		if (i <= 500)
			continue;
		ck_assert(mix_time(mix, &us));
		ck_assert(heard == 0 || us == heard + TICK_US);
		heard = us;
	}
}
END_TEST

static const int64_t times[][2] = { { INT64_MAX, INT64_MAX }, { INT64_MIN, INT64_MIN },
	{ 60 * INT64_C(1000000), 0 } };

START_TEST(a_picture_without_a_time_is_passed_over)
{
	struct picture is = { .key = true,
		.pts = times[_i][0],
		.dts = times[_i][1],
		.bytes = (const unsigned char *)"picture",
		.n = 7 };
	struct picture_queue p = { .bytes = 0 };
	struct buf message = { .mem = mem };
	size_t done = 0;

	ck_assert(picture_message(&is, &done, &message));
	picture_queue_add(&p, HOUR_US, message.p, message.len);
	ck_assert_ptr_null(picture_queue_first(&p, INT64_MAX));
	is.pts = is.dts = done = message.len = 0;
	ck_assert(picture_message(&is, &done, &message));
	picture_queue_add(&p, HOUR_US, message.p, message.len);
	ck_assert_ptr_null(picture_queue_first(&p, HOUR_US - 1));
	ck_assert_ptr_nonnull(picture_queue_first(&p, HOUR_US));
	picture_queue_drop(&p);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mix");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_stream_that_begins_anew_comes_later_by_the_delay);
	tcase_add_test(t, an_original_that_stalled_comes_back_to_its_delay);
	tcase_add_loop_test(
	    t, the_clock_of_a_sender_changes_no_delay, 0, COUNT(clocks));
	tcase_add_test(t, what_the_network_varies_is_not_steered);
	tcase_add_loop_test(
	    t, a_picture_without_a_time_is_passed_over, 0, COUNT(times));
	suite_add_tcase(s, t);
	return unit_run(s);
}
