/* The original of a stream, its delay, and the time of the picture beside it. */
#include "tests/unit/suite.h"

#include "audio/opus_encoder.h"
#include "base/clock.h"
#include "egress/mix.h"
#include "egress/pictures.h"

#define DELAY_TICKS 50
#define TICK_US 20000
#define HOUR_US (3600 * S_US)

static struct arena *mem;
static struct mix *mix;
static struct opus_encoder *encoder;

static void
setup(void)
{
	mem = arena_new();
	mix = mix_new(
	    mem, &(const struct egress_order){
		     .codes = { "original" }, .n = 1, .delay_ms = DELAY_TICKS * 20 });
	encoder = opus_encoder_new(mem);
}

static void
teardown(void)
{
	arena_free(mem);
}

static void
put_sound(int64_t time_us)
{
	static const int16_t silence[OPUS_ENCODER_SAMPLES];
	struct buf to = { .mem = mem };

	opus_encoder_put(encoder, silence, OPUS_ENCODER_SAMPLES, false, &to);
	mix_put_original(
	    mix, time_us, (struct opus_packets){ (unsigned char *)to.p, to.len });
}

/* So many ticks pass, each with its sound from that time on. */
static void
run(int ticks, int64_t from_us)
{
	for (int i = 0; i < ticks; i++) {
		put_sound(from_us + i * TICK_US);
		mix_step(mix);
	}
}

/* As after another child came; its pictures wait for its sound. */
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

static const int64_t times[][2] = { { INT64_MAX, INT64_MAX }, { INT64_MIN, INT64_MIN },
	{ 60 * INT64_C(1000000), 0 } };

START_TEST(a_picture_without_a_time_is_passed_over)
{
	struct picture is = { .key = true,
		.pts = times[_i][0],
		.dts = times[_i][1],
		.bytes = (const unsigned char *)"picture",
		.n = 7 };
	struct pictures p = { .bytes = 0 };
	struct buf message = { .mem = mem };
	size_t done = 0;

	ck_assert(picture_message(&is, &done, &message));
	pictures_take(&p, HOUR_US, message.p, message.len);
	ck_assert_ptr_null(pictures_due(&p, INT64_MAX));
	is.pts = is.dts = done = message.len = 0;
	ck_assert(picture_message(&is, &done, &message));
	pictures_take(&p, HOUR_US, message.p, message.len);
	ck_assert_ptr_null(pictures_due(&p, HOUR_US - 1));
	ck_assert_ptr_nonnull(pictures_due(&p, HOUR_US));
	pictures_drop(&p);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mix");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_stream_that_begins_anew_comes_later_by_the_delay);
	tcase_add_loop_test(
	    t, a_picture_without_a_time_is_passed_over, 0, COUNT(times));
	suite_add_tcase(s, t);
	return unit_run(s);
}
