/*
 * Sound that comes in pieces: WAV files and bare samples, cut anywhere.
 */
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

/* All of it in pieces of that length; whether it was sound to the end. */
static bool
listen_to(const char *p, size_t n, size_t piece, int bare_hz)
{
	struct audio_reader ear = { .sink = hear, .rate_hz = bare_hz };

	heard.len = 0;
	for (size_t some; n > 0; p += some, n -= some) {
		some = piece < n ? piece : n;
		if (!audio_reader_take(&ear, p, some))
			break;
	}
	return audio_reader_done(&ear);
}

/* The samples, as text. */
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
	{ BYTES(HEAD FMT("\2", "\4", HZ_8000, "\x10") DATA "\2\0\4\0\0\x80\0\x40"),
	    8000, "3 -8192" },
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

	ck_assert(audio_reader_take(
	    &ear, BYTES(HEAD FMT("\1", "\2", HZ_96000, "\x10") DATA THREE)));
	ck_assert(audio_reader_done(&ear));
	ck_assert_int_eq(rate_hz, 96000);
}
END_TEST

START_TEST(what_is_called_sound_may_begin_with_any_byte)
{
	struct audio_reader ear = { .sink = hear, .rate_hz = 22050, .typed = true };

	ck_assert(audio_reader_take(&ear, BYTES("{\1<\1")));
	ck_assert(audio_reader_done(&ear));
	ck_assert_str_eq(samples(), "379 316");
}
END_TEST

START_TEST(a_head_without_an_end_is_given_up)
{
	struct audio_reader ear = { .sink = hear };
	static const char chunk[] = "junk\0\x10\0\0";
	char *body = arena_alloc(mem, 0x1000);
	int n = 0;

	ck_assert(audio_reader_take(&ear, HEAD, 12));
	while (
	    audio_reader_take(&ear, chunk, 8) && audio_reader_take(&ear, body, 0x1000))
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
	suite_add_tcase(s, t);
	return unit_run(s);
}
