/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sound that arrives in pieces of any size: WAV files and raw samples. */
#include "speech/tts_stream.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static struct buf heard; /* int16_t */
static int rate_hz;

static bool
hear(void *arg, const struct pcm *pcm)
{
	(void)arg;
	rate_hz = pcm->rate_hz;
	for (size_t i = 0; i < pcm->n; i++) {
		int16_t v = (int16_t)(pcm->s[i] * 32768);

		buf_put(&heard, &v, sizeof(v));
	}
	return true;
}

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	heard = (struct buf){ .mem = mem };
}

static void
teardown(void)
{
	arena_free(mem);
}

/* Reads the sound in pieces of that length; true if all of it was valid. */
static bool
listen_to(const char *p, size_t n, size_t piece, int bare_hz)
{
	struct audio_reader ear = { .sink = hear, .rate_hz = bare_hz };

	heard.len = 0;
	for (size_t some; n > 0; p += some, n -= some) {
		some = piece < n ? piece : n;
		if (!audio_reader_feed(&ear, p, some))
			break;
	}
	return audio_reader_done(&ear);
}

/* Returns the samples as text. */
static const char *
samples(void)
{
	struct buf b = { .mem = mem };
	int16_t v;

	for (size_t i = 0; i < heard.len; i += sizeof(v)) {
		memcpy(&v, heard.p + i, sizeof(v));
		buf_printf(&b, "%s%d", i > 0 ? " " : "", v);
	}
	return buf_text(&b);
}

#define BYTES(s) s, sizeof(s) - 1
#define HEAD "RIFF\xff\xff\xff\xffWAVE"
#define FMT(channels, frame, hz, bits)                                                 \
	"fmt \x10\0\0\0\1\0" channels "\0" hz "----" frame "\0" bits "\0"
#define LONG_FMT                                                                       \
	"fmt \x28\0\0\0\xfe\xff\1\0\x40\x1f\0\0----\2\0\x10\0\x16\0\x10\0\4\0\0\0"     \
	"\1\0--------------"
#define HZ_8000 "\x40\x1f\0\0"
#define HZ_48000 "\x80\xbb\0\0"
#define HZ_96000 "\0\x77\1\0"
#define DATA "data\xff\xff\xff\xff"
#define THREE "\1\0\xff\xff\0\x80"

static const struct {
	const char *p;
	size_t n;
	int rate_hz;
	const char *samples;
} files[] = {
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x10") DATA THREE), 8000,
	    "1 -1 -32768" },
	{ BYTES(HEAD FMT("\1", "\2", HZ_48000, "\x10") "data\6\0\0\0" THREE), 48000,
	    "1 -1 -32768" },
	{ BYTES(HEAD "LIST\3\0\0\0abc\0" FMT("\1", "\2", HZ_8000, "\x10") DATA THREE),
	    8000, "1 -1 -32768" },
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x10") "data\6\0\0\0" THREE "LISTabc"),
	    8000, "1 -1 -32768" },
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x10") "data\0\0\0\0" THREE), 8000,
	    "1 -1 -32768" },
	{ BYTES(HEAD LONG_FMT DATA THREE), 8000, "1 -1 -32768" },
	{ BYTES("RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0"
		"----------------------------" FMT("\1", "\2", HZ_8000, "\x10")
		    DATA THREE),
	    8000, "1 -1 -32768" },
	{ BYTES(HEAD FMT("\2", "\4", HZ_8000, "\x10") DATA "\2\0\4\0\0\x80\0\x40"),
	    8000, "3 -8192" },
	{ BYTES(HEAD FMT("\1", "\1", HZ_8000, "\x08") DATA "\x80\xc0\0"), 8000,
	    "0 16384 -32768" },
	{ BYTES(HEAD FMT("\1", "\3", HZ_8000, "\x18") DATA "\xff\1\0\0\0\x80"), 8000,
	    "1 -32768" },
	{ BYTES(HEAD "fmt \x10\0\0\0\3\0\1\0" HZ_8000 "----\4\0\x20\0" DATA
		     "\0\0\0\xbf\0\0\x80\x3e"),
	    8000, "-16384 8192" },
};

START_TEST(a_file_may_be_cut_anywhere)
{
	for (size_t piece = 1; piece <= files[_i].n; piece++) {
		ck_assert_msg(
		    listen_to(files[_i].p, files[_i].n, piece, 0), "%zu", piece);
		ck_assert_str_eq(samples(), files[_i].samples);
		ck_assert_int_eq(rate_hz, files[_i].rate_hz);
		ck_assert(listen_to(files[_i].p, files[_i].n, piece, 24000));
		ck_assert_int_eq(rate_hz, files[_i].rate_hz);
	}
}
END_TEST

static const struct {
	const char *p;
	size_t n;
} no_files[] = {
	{ BYTES("") },
	{ BYTES("RIFF") },
	{ BYTES(HEAD) },
	{ BYTES(HEAD DATA THREE) },
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x10")) },
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x10") DATA THREE "\1") },
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x10") "data\3\0\0\0" THREE) },
	{ BYTES(HEAD FMT("\1", "\2", HZ_8000, "\x08") DATA THREE) },
	{ BYTES(HEAD "fmt \x10\0\0\0\x55\0\1\0" HZ_8000 "----\1\0\0\0" DATA THREE) },
	{ BYTES(HEAD FMT("\3", "\6", HZ_8000, "\x10") DATA THREE) },
	{ BYTES(HEAD FMT("\0", "\0", HZ_8000, "\x10") DATA THREE) },
	{ BYTES(HEAD FMT("\1", "\2", HZ_96000, "\x10") DATA THREE) },
	{ BYTES(HEAD FMT("\1", "\2", "\0\0\0\0", "\x10") DATA THREE) },
	{ BYTES(HEAD FMT("\1", "\2", "\xff\xff\xff\xff", "\x10") DATA THREE) },
	{ BYTES(HEAD "fmt \2\0\0\0\1\0" DATA THREE) },
	{ BYTES(HEAD "LIST\xff\xff\xff\xff" THREE) },
	{ BYTES("RIFF\xff\xff\xff\xff"
		"AVI " FMT("\1", "\2", HZ_8000, "\x10") DATA THREE) },
	{ BYTES(THREE) },
	{ BYTES("<html></html>") },
	{ BYTES("{\"error\":{}}") },
};

START_TEST(what_is_no_sound_is_refused)
{
	for (size_t piece = 1; piece <= no_files[_i].n + 1; piece++)
		ck_assert_msg(
		    !listen_to(no_files[_i].p, no_files[_i].n, piece, 0), "%zu", piece);
}
END_TEST

START_TEST(bare_samples_are_taken_where_they_are_expected)
{
	for (size_t piece = 1; piece <= 7; piece++) {
		ck_assert(listen_to(BYTES(THREE), piece, 24000));
		ck_assert_str_eq(samples(), "1 -1 -32768");
		ck_assert_int_eq(rate_hz, 24000);
		ck_assert(!listen_to(BYTES(THREE "\1"), piece, 24000));
		ck_assert(!listen_to(BYTES("{\"error\":1} "), piece, 24000));
		ck_assert(!listen_to(BYTES("<html></html> "), piece, 24000));
	}
}
END_TEST

START_TEST(a_sample_may_have_a_higher_rate)
{
	struct audio_reader ear = { .sink = hear, .most_hz = 96000 };

	ck_assert(audio_reader_feed(
	    &ear, BYTES(HEAD FMT("\1", "\2", HZ_96000, "\x10") DATA THREE)));
	ck_assert(audio_reader_done(&ear));
	ck_assert_int_eq(rate_hz, 96000);
}
END_TEST

START_TEST(what_is_called_sound_may_begin_with_any_byte)
{
	struct audio_reader ear = {
		.sink = hear, .rate_hz = 22050, .type = "audio/pcm"
	};

	ck_assert(audio_reader_feed(&ear, BYTES("{\1<\1")));
	ck_assert(audio_reader_done(&ear));
	ck_assert_str_eq(samples(), "379 316");
}
END_TEST

/* Returns a second of it: its frames, or its bytes, repeated. */
static struct buf
fill(const char *p, size_t n, size_t frame)
{
	struct buf b = { .mem = mem };
	char pad[8192] = { 0 };

	while (b.len < 48000) {
		buf_put(&b, p, n);
		buf_put(&b, pad, frame > n ? frame - n : 0);
	}
	return b;
}

static const struct {
	const char *type; /* NULL: none */
	const char *p;
	size_t n, frame; /* bytes of a frame; 0: p is one frame */
	size_t before;   /* number of zeros before it */
	const char *coded;
} codings[] = {
	{ "audio/mpeg", BYTES("\xff\xfb\x90\xc4"), 417, 0, "MP3" },
	{ "audio/pcm", BYTES("\xff\xf3\x44\xc0"), 96, 0, "MP3" },
	{ NULL, BYTES("\xff\xfb\xe0\xc4"), 1044, 0, "MP3" },
	{ NULL, BYTES("\xff\xfb\x90\xc4"), 417, 417, "MP3" },
	{ "audio/pcm", BYTES("ID3\4\0\0\0\0\1\0"), 417, 0, "MP3" },
	{ "audio/pcm", BYTES("\xff\xf1\x50\x80\x2e\x7f\xfc"), 371, 0, "AAC" },
	{ "audio/pcm", BYTES("OggS\0\2"), 0, 0, "Ogg" },
	{ "audio/wav", BYTES("fLaC\0\0\0\x22"), 0, 0, "FLAC" },
	{ "audio/wav", BYTES("FORM\0\0\1\0AIFFCOMM"), 0, 0, "AIFF" },
	{ NULL, BYTES("\x1a\x45\xdf\xa3"), 0, 0, "WebM" },
	{ NULL, BYTES("\0\0\0\x20\x66typisom"), 0, 0, "MP4" },
	{ NULL, BYTES("RIFX\0\0\0\0WAVEfmt "), 0, 0, "RIFX" },
	{ "audio/ogg", BYTES("any"), 0, 0, NULL },
	{ "audio/opus; rate=24000", BYTES("any"), 0, 0, NULL },
	{ "audio/flac", BYTES("any"), 0, 0, NULL },
	{ "text/event-stream", BYTES("data: 1\n"), 0, 0, NULL },
	{ "application/json; charset=utf-8", BYTES(" {\"audio\":1}"), 0, 0, NULL },
};

START_TEST(sound_of_another_coding_is_never_taken_for_samples)
{
	struct buf b = fill(codings[_i].p, codings[_i].n, codings[_i].frame);
	const char *zeros = arena_alloc(mem, codings[_i].before + 1);

	for (size_t piece = 1; piece < 5000; piece = piece * 3 + 1)
		for (int hz = 0; hz <= 24000; hz += 24000) {
			struct audio_reader ear = {
				.sink = hear, .rate_hz = hz, .type = codings[_i].type
			};

			heard.len = 0;
			audio_reader_feed(&ear, zeros, codings[_i].before);
			for (size_t at = 0; at + piece <= b.len; at += piece)
				if (!audio_reader_feed(&ear, b.p + at, piece))
					break;
			ck_assert(!audio_reader_done(&ear));
			ck_assert_uint_eq(heard.len, 0);
			ck_assert_pstr_eq(ear.coded, codings[_i].coded);
			ck_assert(ear.coded != NULL || ear.why != NULL);
		}
}
END_TEST

/* MP3 that was cut out of a stream, with the type audio/mpeg. */
START_TEST(frames_of_mpeg_may_begin_anywhere)
{
	struct buf b = fill(BYTES("\xff\xfb\x90\xc4"), 417);

	for (size_t cut = 1; cut < 417; cut++) {
		struct audio_reader ear = {
			.sink = hear, .rate_hz = 24000, .type = "audio/mpeg"
		};

		audio_reader_feed(&ear, b.p + cut, b.len - cut);
		ck_assert(!audio_reader_done(&ear));
		ck_assert_uint_eq(heard.len, 0);
	}
}
END_TEST

/* Some servers send every format as audio/mpeg. */
START_TEST(samples_are_known_by_their_bytes)
{
	static const char *const types[] = { NULL, "audio/pcm", "audio/mpeg",
		"audio/L16", "audio/wav", "application/octet-stream" };
	struct audio_reader ear = { .sink = hear, .rate_hz = 24000, .type = types[_i] };
	uint32_t random = 1;
	int16_t s[24000];

	for (int i = 0; i < COUNT(s); i++) {
		random = random * 1664525 + 1013904223;
		s[i] = (int16_t)((int)(random >> 16) % 2000 - 1000);
	}
	ck_assert(audio_reader_feed(&ear, s, sizeof(s)));
	ck_assert(audio_reader_done(&ear));
	ck_assert_uint_eq(heard.len, sizeof(s));
	ck_assert_mem_eq(heard.p, s, sizeof(s));
	ck_assert_int_eq(rate_hz, 24000);
}
END_TEST

START_TEST(a_type_may_name_the_rate)
{
	struct audio_reader ear = {
		.sink = hear, .rate_hz = 24000, .type = "audio/pcm; rate=16000"
	};

	ck_assert(audio_reader_feed(&ear, BYTES(THREE)));
	ck_assert(audio_reader_done(&ear));
	ck_assert_int_eq(rate_hz, 16000);
}
END_TEST

START_TEST(channels_of_opposite_phase_are_heard)
{
	struct audio_reader ear = { .sink = hear };
	int16_t s[16000], *got;

	for (int i = 0; i < COUNT(s); i += 2) {
		s[i] = (int16_t)(i / 20 % 2 ? 8000 : -8000);
		s[i + 1] = (int16_t)-s[i];
	}
	ck_assert(
	    audio_reader_feed(&ear, BYTES(HEAD FMT("\2", "\4", HZ_8000, "\x10") DATA)));
	ck_assert(audio_reader_feed(&ear, s, sizeof(s)));
	ck_assert(audio_reader_done(&ear));
	got = (int16_t *)(void *)heard.p;
	for (size_t i = 4000; i < 8000; i++)
		ck_assert_int_ge(abs(got[i]), 7900);
}
END_TEST

START_TEST(a_head_without_an_end_is_given_up)
{
	struct audio_reader ear = { .sink = hear };
	static const char chunk[] = "junk\0\x10\0\0";
	char *body = arena_alloc(mem, 0x1000);
	int n = 0;

	ck_assert(audio_reader_feed(&ear, HEAD, 12));
	while (
	    audio_reader_feed(&ear, chunk, 8) && audio_reader_feed(&ear, body, 0x1000))
		ck_assert_int_lt(n++, 300);
	ck_assert(!audio_reader_done(&ear));
	ck_assert_uint_eq(heard.len, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("speak ear");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_file_may_be_cut_anywhere, 0, COUNT(files));
	tcase_add_loop_test(t, what_is_no_sound_is_refused, 0, COUNT(no_files));
	tcase_add_test(t, bare_samples_are_taken_where_they_are_expected);
	tcase_add_test(t, a_head_without_an_end_is_given_up);
	tcase_add_test(t, a_sample_may_have_a_higher_rate);
	tcase_add_test(t, what_is_called_sound_may_begin_with_any_byte);
	tcase_add_loop_test(
	    t, sound_of_another_coding_is_never_taken_for_samples, 0, COUNT(codings));
	tcase_add_test(t, frames_of_mpeg_may_begin_anywhere);
	tcase_add_loop_test(t, samples_are_known_by_their_bytes, 0, 6);
	tcase_add_test(t, a_type_may_name_the_rate);
	tcase_add_test(t, channels_of_opposite_phase_are_heard);
	suite_add_tcase(s, t);
	return unit_run(s);
}
