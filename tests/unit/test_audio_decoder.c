/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <math.h>

#include "tests/unit/stream_files.h"
#include "tests/unit/stream_reading.h"

START_TEST(sound_of_16_khz_passes_as_it_is)
{
	struct pcm16 p = melody(HEARD_HZ);

	assert_same(heard(open_sound(AUDIO_PCM, HEARD_HZ, 1), p.s, p.n * 2, 999), p);
}
END_TEST

START_TEST(two_channels_are_averaged)
{
	static const int16_t both[] = { 100, 300, -7, -9, 32767, 32767, -32768, -32768,
		32767, -32768 };
	static const int16_t mono[] = { 200, -8, 32767, -32768, 0 };
	struct pcm16 got =
	    heard(open_sound(AUDIO_PCM, HEARD_HZ, 2), both, sizeof(both), 3);

	ck_assert_uint_eq(got.n, COUNT(mono));
	ck_assert_mem_eq(got.s, mono, sizeof(mono));
}
END_TEST

static const enum audio_encoding phases[] = { AUDIO_PCM, AUDIO_WAV, AUDIO_OPUS };

/*
 * A balanced cable in a stereo input makes the right channel the negative of the left,
 * so their mean is silence.
 */
START_TEST(channels_of_opposite_phase_are_heard)
{
	struct pcm16 one = melody(24000);
	struct pcm16 both = { arena_alloc(mem, 4 * one.n), 2 * one.n };
	struct buf b = { .mem = mem };
	struct pcm16 got;
	struct packet *packets;
	double sum = 0;
	size_t n;

	for (size_t i = 0; i < one.n; i++) {
		both.s[2 * i] = one.s[i];
		both.s[2 * i + 1] = (int16_t)-one.s[i];
	}
	if (phases[_i] == AUDIO_OPUS) {
		packets = opus_packets(both, 2, &n);
		b = ogg_file(packets, n, 77);
	} else if (phases[_i] == AUDIO_WAV)
		b = wav_file(both, 24000, 2);
	else
		buf_put(&b, both.s, both.n * sizeof(*both.s));
	got = heard(open_sound(phases[_i], 24000, 2), b.p, b.len, 0);
	for (size_t i = got.n / 2; i < got.n; i++)
		sum += fabs((double)got.s[i]);
	ck_assert_double_gt(sum / (double)(got.n - got.n / 2), 1000);
}
END_TEST

static const struct {
	enum audio_encoding form;
	int rate_hz, channels;
} cuts[] = { { AUDIO_PCM, 8000, 1 }, { AUDIO_PCM, 24000, 1 }, { AUDIO_PCM, 44100, 2 },
	{ AUDIO_PCM, 48000, 2 }, { AUDIO_PCM, 16000, 2 }, { AUDIO_WAV, 22050, 1 },
	{ AUDIO_WAV, 48000, 2 }, { AUDIO_OPUS, 48000, 1 }, { AUDIO_OPUS, 48000, 2 } };

static struct buf
stream_of(enum audio_encoding form, int rate_hz, int channels)
{
	struct pcm16 p = melody(rate_hz * channels);
	struct buf b = { .mem = mem };
	struct packet *packets;
	size_t n;

	if (form == AUDIO_OPUS) {
		packets = opus_packets(p, channels, &n);
		b = ogg_file(packets, n, 77);
	} else if (form == AUDIO_WAV) {
		b = wav_file(p, rate_hz, channels);
		buf_put(&b, "LIST\x04\0\0\0abcd", 12);
	} else
		buf_put(&b, p.s, p.n * sizeof(*p.s));
	return b;
}

START_TEST(how_a_stream_is_cut_makes_no_difference)
{
	int form = (int)cuts[_i].form, hz = cuts[_i].rate_hz, n = cuts[_i].channels;
	int given = form == AUDIO_WAV ? 0 : hz;
	struct buf b = stream_of(cuts[_i].form, hz, n);
	struct pcm16 whole = heard(open_sound(cuts[_i].form, given, n), b.p, b.len, 0);

	ck_assert_uint_gt(whole.n, (size_t)(1.45 * HEARD_HZ));
	ck_assert_uint_le(whole.n, (size_t)(1.5 * HEARD_HZ));
	for (size_t most = 1; most < 10000; most = most * 3 + 1)
		assert_same(whole,
		    heard(open_sound(cuts[_i].form, given, n), b.p, b.len, most));
}
END_TEST

/*
 * Decodes the whole file at SPOKEN_HZ; the sound at 16 kHz must be the same as without.
 */
static struct pcm16
fine(
    struct audio_decoder *in, const struct buf *b, size_t most, struct pcm16 *heard_too)
{
	struct buf all = { .mem = mem }, low = { .mem = mem };
	struct pcm16 got, to;

	for (size_t at = 0, piece; at < b->len; at += piece) {
		piece = 1 + draw((unsigned)most);
		piece = piece < b->len - at ? piece : b->len - at;
		ck_assert_int_eq(
		    audio_decoder_feed_fine(in, b->p + at, piece, mem, &got, &to), OK);
		buf_put(&all, to.s, to.n * sizeof(*to.s));
		buf_put(&low, got.s, got.n * sizeof(*got.s));
	}
	to = audio_decoder_end_fine(in, mem);
	buf_put(&all, to.s, to.n * sizeof(*to.s));
	*heard_too = (struct pcm16){ (void *)low.p, low.len / sizeof(int16_t) };
	return (struct pcm16){ (void *)all.p, all.len / sizeof(int16_t) };
}

START_TEST(what_listeners_get_has_more_than_what_is_heard)
{
	int form = (int)cuts[_i].form, hz = cuts[_i].rate_hz, n = cuts[_i].channels;
	int given = form == AUDIO_WAV ? 0 : hz;
	struct buf b = stream_of(cuts[_i].form, hz, n);
	struct pcm16 low, got, again,
	    plain = heard(open_sound(cuts[_i].form, given, n), b.p, b.len, 0);

	got = fine(open_sound(cuts[_i].form, given, n), &b, 3000, &low);
	assert_same(low, plain);
	ck_assert_uint_gt(got.n, (size_t)(1.45 * SPOKEN_HZ));
	ck_assert_uint_le(got.n, (size_t)(1.5 * SPOKEN_HZ) + 1);
	ck_assert_double_eq_tol(level_db(got.s + 4000, 24000), -18.7, 1);
	again = fine(open_sound(cuts[_i].form, given, n), &b, 100, &low);
	assert_same(got, again);
}
END_TEST

/* A tone of 10 kHz is above the band of 16 kHz sound, but not of 24 kHz. */
START_TEST(high_tones_reach_listeners)
{
	struct pcm16 p = tone(1, 10000, -20, 48000), low, got;
	struct buf pcm = { .mem = mem }, ogg;
	size_t n;
	struct packet *packets = opus_packets(p, 1, &n);

	buf_put(&pcm, p.s, p.n * sizeof(*p.s));
	got = fine(open_sound(AUDIO_PCM, 48000, 1), &pcm, 5000, &low);
	ck_assert_uint_eq(got.n, SPOKEN_HZ);
	ck_assert_double_eq_tol(level_db(got.s + 4000, 16000), -20, 0.2);
	ck_assert_double_lt(level_db(low.s + 4000, 8000), -60);
	ogg = ogg_file(packets, n, 3);
	got = fine(open_sound(AUDIO_OPUS, 0, 0), &ogg, 5000, &low);
	ck_assert_double_eq_tol(level_db(got.s + 4000, 16000), -20, 2);
	ck_assert_double_lt(level_db(low.s + 4000, 8000), -40);
}
END_TEST

/*
 * Switches the fine sound on, off and on: it must contain nothing from before the
 * second start.
 */
START_TEST(what_listeners_get_begins_anew)
{
	struct audio_decoder *in = open_sound(AUDIO_PCM, 48000, 1);
	struct pcm16 p = tone(1, 1000, -20, 48000), quiet = silence(1, 48000), low, got;
	struct buf a = { .mem = mem }, b = { .mem = mem };

	buf_put(&a, p.s, p.n * sizeof(*p.s));
	buf_put(&b, quiet.s, quiet.n * sizeof(*quiet.s));
	ck_assert_uint_eq(audio_decoder_end_fine(in, mem).n, 0);
	ck_assert_uint_eq(fine(in, &a, 999, &low).n, SPOKEN_HZ);
	ck_assert_int_eq(audio_decoder_feed(in, a.p, a.len, mem, &got), OK);
	got = fine(in, &b, 999, &low);
	ck_assert_uint_eq(got.n, SPOKEN_HZ);
	ck_assert_double_lt(level_db(got.s, got.n), -90);
}
END_TEST

static const int rates[] = { 8000, 11025, 22050, 24000, 32000, 44100, 48000 };

START_TEST(another_rate_keeps_level_and_time)
{
	int hz = rates[_i];
	struct pcm16 p = tone(1, 1000, -20, hz), click = silence(1, hz), got;
	size_t top = 0;

	got = heard(open_sound(AUDIO_PCM, hz, 1), p.s, p.n * 2, 0);
	ck_assert_double_eq_tol(level_db(got.s + 2000, 12000), -20, 0.1);
	ck_assert_uint_ge(got.n, HEARD_HZ - 96);
	click.s[hz / 2] = 30000;
	got = heard(open_sound(AUDIO_PCM, hz, 1), click.s, click.n * 2, 0);
	for (size_t i = 0; i < got.n; i++)
		top = got.s[i] > got.s[top] ? i : top;
	ck_assert_uint_ge(top, HEARD_HZ / 2 - 1);
	ck_assert_uint_le(top, HEARD_HZ / 2 + 1);
}
END_TEST

static const struct {
	int rate_hz;
	double hz;
} aliases[] = { { 24000, 9500 }, { 44100, 10000 }, { 48000, 9000 }, { 48000, 15000 },
	{ 48000, 23000 } };

START_TEST(frequencies_above_8_khz_are_filtered_out)
{
	struct pcm16 p = tone(1, aliases[_i].hz, -6, aliases[_i].rate_hz);
	struct pcm16 got =
	    heard(open_sound(AUDIO_PCM, aliases[_i].rate_hz, 1), p.s, p.n * 2, 0);

	ck_assert_double_lt(level_db(got.s + 2000, 12000), -60);
}
END_TEST

START_TEST(sound_that_came_is_counted)
{
	struct pcm16 p = silence(2.5, 44100), got;
	struct audio_decoder *in = open_sound(AUDIO_PCM, 44100, 1);
	struct buf file = wav_file(silence(1, 8000), 8000, 1);

	heard(in, p.s, p.n * 2, 10000);
	ck_assert_int_eq(audio_decoder_us(in), 2500000);
	in = open_sound(AUDIO_WAV, 0, 1);
	heard(in, file.p, file.len, 0);
	file = wav_file(silence(2, 22050), 22050, 2);
	ck_assert_int_eq(audio_decoder_feed(in, file.p, file.len, mem, &got), OK);
	ck_assert_int_eq(audio_decoder_us(in), 2000000);
}
END_TEST

START_TEST(a_header_wins_over_what_was_announced)
{
	struct pcm16 p = melody(8000), plain;
	struct buf b = wav_file(p, 8000, 1);

	plain = heard(open_sound(AUDIO_PCM, 8000, 1), p.s, p.n * 2, 0);
	assert_same(heard(open_sound(AUDIO_WAV, 48000, 2), b.p, b.len, 0), plain);
	assert_same(heard(open_sound(AUDIO_WAV, 48000, 2), b.p, b.len, 3), plain);
}
END_TEST

START_TEST(sound_without_a_header_is_as_announced)
{
	struct pcm16 p = melody(24000), plain;

	plain = heard(open_sound(AUDIO_PCM, 24000, 1), p.s, p.n * 2, 0);
	assert_same(heard(open_sound(AUDIO_WAV, 24000, 1), p.s, p.n * 2, 0), plain);
	assert_same(heard(open_sound(AUDIO_WAV, 24000, 1), p.s, p.n * 2, 2), plain);
}
END_TEST

static const uint32_t lengths[] = { 0, 2, 1000, 0x7fffffff, 0xffffffff };

START_TEST(sound_goes_on_behind_the_length_of_a_header)
{
	struct pcm16 p = melody(HEARD_HZ);
	struct buf b =
	    wav_head((struct wav_head){ 1, 1, HEARD_HZ, 16, 2, lengths[_i] });

	buf_put(&b, p.s, p.n * sizeof(*p.s));
	assert_same(heard(open_sound(AUDIO_WAV, 0, 0), b.p, b.len, 0), p);
	assert_same(heard(open_sound(AUDIO_WAV, 0, 0), b.p, b.len, 700), p);
}
END_TEST

START_TEST(chunks_of_a_file_that_are_no_sound_are_left_out)
{
	struct pcm16 p = melody(HEARD_HZ);
	struct buf file = wav_file(p, HEARD_HZ, 1), b = { .mem = mem };

	buf_put(&b, file.p, 12);
	buf_put(&b, "JUNK\x05\0\0\0abcde\0", 14);
	buf_put(&b, file.p + 12, file.len - 12);
	buf_put(&b, "LIST\x03\0\0\0abc\0id3 \x02\0\0\0xy", 22);
	assert_same(heard(open_sound(AUDIO_WAV, 0, 0), b.p, b.len, 0), p);
	/* another file follows in the stream */
	buf_put(&b, file.p, file.len);
	assert_same(heard(open_sound(AUDIO_WAV, 0, 0), b.p, b.len, 50), joined(p, p));
}
END_TEST

static const uint32_t format_sizes[] = { 16, 17, 18, 40, 100 };

START_TEST(formats_of_any_size_are_read)
{
	struct pcm16 p = melody(HEARD_HZ);
	struct buf file = wav_file(p, HEARD_HZ, 1), b = { .mem = mem };
	uint32_t size = format_sizes[_i];
	char more[100] = { 0 };

	if (size >= 40) { /* WAVE_FORMAT_EXTENSIBLE: the form is in its GUID */
		memcpy(file.p + 20, "\xfe\xff", 2);
		more[8] = 1;
	}
	buf_put(&b, file.p, 16);
	put_le(&b, size, 4);
	buf_put(&b, file.p + 20, 16);
	buf_put(&b, more, size - 16 + size % 2);
	buf_put(&b, file.p + 36, file.len - 36);
	assert_same(heard(open_sound(AUDIO_WAV, 0, 0), b.p, b.len, 0), p);
	assert_same(heard(open_sound(AUDIO_WAV, 0, 0), b.p, b.len, 9), p);
}
END_TEST

START_TEST(each_message_may_be_a_file)
{
	struct pcm16 p = melody(24000), plain;
	struct audio_decoder *in = open_sound(AUDIO_WAV, 0, 0);
	struct buf all = { .mem = mem };

	for (size_t i = 0; i + 2400 <= p.n; i += 2400) {
		struct buf b = wav_file((struct pcm16){ p.s + i, 2400 }, 24000, 1);
		struct pcm16 got;

		ck_assert_int_eq(audio_decoder_feed(in, b.p, b.len, mem, &got), OK);
		buf_put(&all, got.s, got.n * sizeof(*got.s));
	}
	plain = heard(open_sound(AUDIO_PCM, 24000, 1), p.s, p.n * 2, 0);
	ck_assert_uint_eq(all.len, plain.n * sizeof(*plain.s));
	ck_assert_mem_eq(all.p, plain.s, all.len);
}
END_TEST

static const struct wav_head hostile[] = {
	{ 1, 1, 16000, 12, 2, 100 },
	{ 1, 1, 16000, 24, 4, 100 },
	{ 0x11, 1, 16000, 4, 1, 100 },
	{ 1, 0, 16000, 16, 0, 100 },
	{ 1, 3, 16000, 16, 6, 100 },
	{ 1, 65535, 16000, 16, 2, 100 },
	{ 1, 2, 16000, 16, 2, 100 },
	{ 1, 1, 0, 16, 2, 100 },
	{ 1, 1, 7999, 16, 2, 100 },
	{ 1, 1, 48001, 16, 2, 100 },
	{ 1, 1, 0xffffffff, 16, 2, 100 },
	{ 0xfffe, 1, 16000, 16, 2, 100 },
};

START_TEST(a_hostile_header_is_refused_until_a_good_one_comes)
{
	struct audio_decoder *in = open_sound(AUDIO_WAV, 16000, 1);
	struct pcm16 p = melody(HEARD_HZ);
	struct buf bad = wav_head(hostile[_i]), good = wav_file(p, HEARD_HZ, 1);

	assert_refused(in, bad.p, bad.len);
	assert_refused(in, p.s, 100);
	assert_same(heard(in, good.p, good.len, 0), p);
}
END_TEST

#define OF(s) s, sizeof(s) - 1
static const struct {
	const char *p;
	size_t n;
} broken[] = {
	{ OF("RIFX\x24\0\0\0WAVEfmt ") },
	{ OF("OggS\0\0\0\0\0\0\0\0") },
	{ OF("RIFF\x24\0\0\0AVI LIST") },
	{ OF("RIFF\x24\0\0\0WAVEdata\x10\0\0\0\1\2\3\4") },
	{ OF("RIFF\x24\0\0\0WAVEfmt \x02\0\0\0\1\0") },
	{ OF("RIFF\x24\0\0\0WAVEfmt \xff\xff\xff\xff\1\0") },
	{ OF("RIFF\x24\0\0\0WAVELIST\xff\xff\xff\xff") },
	{ OF("RIFF\x24\0\0\0WAVELIST\0\0\x20\0") },
};

START_TEST(a_file_that_is_no_wav_is_refused)
{
	assert_refused(open_sound(AUDIO_WAV, 0, 0), broken[_i].p, broken[_i].n);
}
END_TEST

static const struct {
	enum audio_encoding form;
	const char *p;
	size_t n;
	int16_t want[8];
} raws[] = {
	{ AUDIO_S32LE, OF("\xff\xff\x01\0\0\0\xfe\xff\xff\xff\xff\x7f"),
	    { 1, -2, 32767 } },
	{ AUDIO_S32BE, OF("\0\1\xff\xff\xff\xfe\0\0\x80\0\0\0"), { 1, -2, -32768 } },
	{ AUDIO_F32LE, OF("\0\0\0\x3f\0\0\x80\xbf\0\0\0\x40\0\0\xc0\x7f"),
	    { 16384, -32768, 32767, 0 } },
	{ AUDIO_F32BE, OF("\x3f\0\0\0\xbf\0\0\0\xff\x80\0\0"),
	    { 16384, -16384, -32768 } },
	/* as `sox -t ul ... -t s16` converts it */
	{ AUDIO_MULAW, OF("\x00\x80\xff\x7f\x42\xc5"),
	    { -32124, 32124, 0, 0, -1756, 1564 } },
	{ AUDIO_ALAW, OF("\x2a\xaa\xd5\x55\x40\xf3"),
	    { -32256, 32256, 8, -8, -344, 720 } },
};

static const struct {
	const char *bytes; /* 12 */
	const char *why;   /* NULL: it is accepted */
} firsts[] = {
	{ "\x1a\x45\xdf\xa3\x9f\x42\x86\x81\1\x42\xf7\x81", "WebM" },
	{ "OggS\0\2\0\0\0\0\0\0", "Ogg" },
	{ "fLaC\0\0\0\x22\0\0\0\0", "FLAC" },
	{ "\0\0\0\x20\x66typisom", "MP4" },
	{ "ID3\4\0\0\0\0\0\0\0\0", "MP3" },
	{ "RIFF\0\0\0\0WAVE", NULL },
	{ "\0\0\0\0\0\0\0\0\0\0\0\0", NULL },
	{ "\xff\xfb\x90\xc4\0\0\0\0\0\0\0\0", NULL },
};

/* MediaRecorder's output, announced as raw samples. */
START_TEST(a_file_announced_as_samples_is_refused_by_name)
{
	struct audio_decoder *in = open_sound(AUDIO_PCM, HEARD_HZ, 1);
	const char more[640] = "";
	struct pcm16 got;
	enum err e;

	e = audio_decoder_feed(in, firsts[_i].bytes, 12, mem, &got);
	ck_assert_int_eq(e, firsts[_i].why != NULL ? ERR_REFUSED : OK);
	ck_assert_int_eq(audio_decoder_feed(in, more, sizeof(more), mem, &got), e);
	ck_assert_uint_eq(got.n, e == OK ? 320 : 0);
	if (e != OK)
		ck_assert_ptr_nonnull(strstr(audio_decoder_why(in), firsts[_i].why));
	/* in the middle of samples these bytes are sound */
	in = open_sound(AUDIO_PCM, HEARD_HZ, 1);
	ck_assert_int_eq(audio_decoder_feed(in, more, sizeof(more), mem, &got), OK);
	ck_assert_int_eq(audio_decoder_feed(in, firsts[_i].bytes, 12, mem, &got), OK);
	ck_assert_uint_eq(got.n, 6);
}
END_TEST

START_TEST(samples_of_other_forms_are_read)
{
	size_t size =
	    raws[_i].form == AUDIO_MULAW || raws[_i].form == AUDIO_ALAW ? 1 : 4;
	struct pcm16 got;

	for (size_t most = 0; most < 4; most++) {
		got = heard(open_sound(raws[_i].form, HEARD_HZ, 1), raws[_i].p,
		    raws[_i].n, most);
		ck_assert_uint_eq(got.n, raws[_i].n / size);
		ck_assert_mem_eq(got.s, raws[_i].want, got.n * sizeof(*got.s));
	}
}
END_TEST

static TCase *
wav_case(void)
{
	TCase *t = tcase_create("wav");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_header_wins_over_what_was_announced);
	tcase_add_test(t, sound_without_a_header_is_as_announced);
	tcase_add_loop_test(
	    t, sound_goes_on_behind_the_length_of_a_header, 0, COUNT(lengths));
	tcase_add_test(t, chunks_of_a_file_that_are_no_sound_are_left_out);
	tcase_add_loop_test(t, formats_of_any_size_are_read, 0, COUNT(format_sizes));
	tcase_add_test(t, each_message_may_be_a_file);
	tcase_add_loop_test(
	    t, a_hostile_header_is_refused_until_a_good_one_comes, 0, COUNT(hostile));
	tcase_add_loop_test(t, a_file_that_is_no_wav_is_refused, 0, COUNT(broken));
	return t;
}

int
main(void)
{
	Suite *s = suite_create("audio_decoder");
	TCase *t = tcase_create("pcm");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, sound_of_16_khz_passes_as_it_is);
	tcase_add_test(t, two_channels_are_averaged);
	tcase_add_loop_test(t, channels_of_opposite_phase_are_heard, 0, COUNT(phases));
	tcase_add_loop_test(
	    t, a_file_announced_as_samples_is_refused_by_name, 0, COUNT(firsts));
	tcase_add_loop_test(t, samples_of_other_forms_are_read, 0, COUNT(raws));
	tcase_add_loop_test(t, how_a_stream_is_cut_makes_no_difference, 0, COUNT(cuts));
	tcase_add_loop_test(
	    t, what_listeners_get_has_more_than_what_is_heard, 0, COUNT(cuts));
	tcase_add_test(t, high_tones_reach_listeners);
	tcase_add_test(t, what_listeners_get_begins_anew);
	tcase_add_loop_test(t, another_rate_keeps_level_and_time, 0, COUNT(rates));
	tcase_add_loop_test(
	    t, frequencies_above_8_khz_are_filtered_out, 0, COUNT(aliases));
	tcase_add_test(t, sound_that_came_is_counted);
	suite_add_tcase(s, t);
	suite_add_tcase(s, wav_case());
	return unit_run(s);
}
