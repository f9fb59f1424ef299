/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Media under attack: files of another type, broken files and files with false headers,
 * children that misbehave, invalid calls.
 */
#include "data/media/files.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>

#include "media/wire.h"

/* None of this is of any of the types. */
static const char *const nothing[] = {
	"empty",
	"page.html",
	"page.mp3",
	"script.sh",
	"random",
	"random.mp3",
	"zeros",
};

START_TEST(what_is_none_of_it_is_never_taken)
{
	for (size_t i = 0; i < NELEM(types); i++)
		ck_assert(!has_form(nothing[_i], types[i]));
	ck_assert_int_eq(
	    media_check(&at, mem, path_of(nothing[_i]), "audio/mpeg", &info), OK);
	ck_assert_int_eq(info.verdict, MEDIA_MISMATCH);
	decode(nothing[_i], (struct media_want){ .mime_type = NULL });
	ck_assert_int_eq(info.verdict, MEDIA_UNDECODABLE);
}
END_TEST

/* Magic numbers are letters, which may also occur in texts. */
static const char *const texts[] = {
	"RIFFiso4WEBPVP8 ",
	"RIFFiso4WAVEfmt  means sound",
	"iso4ftypisom stands in films",
	"OggS and fLaC are free",
	"fLaC and OggS are free",
	"ID3 is older than MP4",
};

START_TEST(no_text_has_a_format)
{
	write_file(path_of("text"), texts[_i], strlen(texts[_i]));
	ck_assert(!has_form("text", NULL));
	unlink(path_of("text"));
}
END_TEST

static double
children_s(void)
{
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* Each byte of these files may begin a frame or a pack. */
START_TEST(a_search_for_frames_is_short)
{
	static const char *const list[] = { "long-zeros", "long-ones" };
	static const char *const mime_types[] = { "audio/mpeg", "audio/aac",
		"video/mpeg" };
	double before_s = children_s();

	ck_assert_int_eq(
	    media_check(&at, mem, path_of(list[_i / 3]), mime_types[_i % 3], &info),
	    OK);
	ck_assert_int_eq(info.verdict, MEDIA_MISMATCH);
	ck_assert_double_lt(children_s() - before_s, 3);
}
END_TEST

/* Fields of a WAV header with values that are too large. */
static const struct {
	int offset;
	unsigned char bytes[8];
	int n;
} heads[] = {
	{ 4, { 0, 0, 0, 0 }, 4 },              /* RIFF of length 0 */
	{ 16, { 0xff, 0xff, 0xff, 0x7f }, 4 }, /* format of 2 GB */
	{ 20, { 0xff, 0xff }, 2 },             /* unknown codec */
	{ 20, { 0, 0 }, 2 },                   /* no codec */
	{ 22, { 0, 0 }, 2 },                   /* no channel */
	{ 22, { 0xff, 0xff }, 2 },             /* 65535 channels */
	{ 24, { 0, 0, 0, 0 }, 4 },             /* 0 Hz */
	{ 24, { 1, 0, 0, 0 }, 4 },             /* 1 Hz */
	{ 24, { 0xff, 0xff, 0xff, 0xff }, 4 }, /* 4 GHz */
	{ 32, { 0, 0 }, 2 },                   /* blocks of 0 */
	{ 32, { 0xff, 0xff }, 2 },             /* blocks of 64 KB */
	{ 34, { 0, 0 }, 2 },                   /* no bits */
	{ 34, { 0xff, 0xff }, 2 },             /* 65535 bits */
	{ 40, { 0, 0, 0, 0 }, 4 },             /* data of length 0 */
	{ 22, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8 }, /* the lot */
};

START_TEST(a_head_may_say_anything)
{
	const char *path = path_of("liar.wav");
	size_t n;
	char *p = read_file(mem, path_of("voice.wav"), &n);

	memcpy(p + heads[_i].offset, heads[_i].bytes, (size_t)heads[_i].n);
	write_file(path, p, n);
	ck_assert_int_eq(media_check(&at, mem, path, "audio/wav", &info), OK);
	decode("liar.wav", (struct media_want){ .mime_type = "audio/wav" });
	ck_assert_uint_le(pcm.n, (size_t)MEDIA_MAX_S * 24000);
	unlink(path);
}
END_TEST

START_TEST(odd_wishes_are_refused)
{
	struct media_want want = { .rate_hz = 7999 };
	const char *voice = path_of("voice.wav");

	ck_assert_int_eq(
	    media_decode(&at, mem, voice, &want, &pcm, &info), ERR_UNSUPPORTED);
	want.rate_hz = 48001;
	ck_assert_int_eq(
	    media_decode(&at, mem, voice, &want, &pcm, &info), ERR_UNSUPPORTED);
}
END_TEST

START_TEST(only_files_are_opened)
{
	const char *fifo = path_of("fifo");

	ck_assert_int_eq(
	    media_check(&at, mem, path_of("none"), "audio/wav", &info), ERR_NOT_FOUND);
	ck_assert_int_eq(
	    media_check(&at, mem, path_of("."), "audio/wav", &info), ERR_FAILED);
	unlink(fifo);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(media_check(&at, mem, fifo, "audio/wav", &info), ERR_FAILED);
	unlink(fifo);
}
END_TEST

static const char *const formats[] = { "mp3", "ogg", "wav" };

START_TEST(odd_sounds_are_encoded_or_refused)
{
	float one = 0.5F, wild[4] = { NAN, INFINITY, -INFINITY, 1e30F };
	struct media_file file;

	for (size_t i = 0; i < NELEM(formats); i++) {
		pcm = (struct pcm){ &one, 1, 24000 };
		ck_assert_int_eq(media_encode(&at, mem, &pcm, formats[i], &file), OK);
		ck_assert_uint_gt(file.n, 0);
		pcm = (struct pcm){ wild, 4, 24000 };
		ck_assert_int_eq(media_encode(&at, mem, &pcm, formats[i], &file), OK);
	}
	ck_assert_int_eq(media_encode(&at, mem, &pcm, "flac", &file), ERR_UNSUPPORTED);
	pcm.n = 0;
	ck_assert_int_eq(media_encode(&at, mem, &pcm, "mp3", &file), ERR_UNSUPPORTED);
	pcm = (struct pcm){ &one, 1, 96000 };
	ck_assert_int_eq(media_encode(&at, mem, &pcm, "mp3", &file), ERR_UNSUPPORTED);
}
END_TEST

static const struct {
	const char *how;
	enum err e;
} impostors[] = {
	{ "hang", ERR_TIMEOUT },
	{ "spin", ERR_TIMEOUT },
	{ "fork", ERR_TIMEOUT },
	{ "crash", ERR_FAILED },
	{ "bloat", ERR_FAILED },
	{ "flood", ERR_FAILED },
	{ "fail", ERR_FAILED },
	{ "zeros", ERR_FAILED },
	{ "short", ERR_FAILED },
	{ "nothing", ERR_FAILED },
};

START_TEST(a_bad_child_does_no_harm)
{
	struct media_at bad = { DATA "impostor", 2000 };

	ck_assert_int_eq(
	    media_check(&bad, mem, path_of("voice.wav"), impostors[_i].how, &info),
	    impostors[_i].e);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

/* The impostor returns the file, which is a well-formed answer. */
static struct wire
answer(void)
{
	struct wire w = { .magic = WIRE_MAGIC, .n = 4, .duration_s = 1 };

	memcpy(w.format, "wav", 4);
	memcpy(w.codec, "pcm", 4);
	return w;
}

static enum err
take(const struct wire *w, const float *s, size_t n)
{
	struct media_at bad = { DATA "impostor", 5000 };
	struct media_want want = { .mime_type = "echo", .rate_hz = 24000 };
	char *p = arena_alloc(mem, sizeof(*w) + n * sizeof(*s));
	const char *path = path_of("answer");
	enum err e;

	memcpy(p, w, sizeof(*w));
	memcpy(p + sizeof(*w), s, n * sizeof(*s));
	write_file(path, p, sizeof(*w) + n * sizeof(*s));
	e = media_decode(&bad, mem, path, &want, &pcm, &info);
	unlink(path);
	return e;
}

START_TEST(an_answer_is_not_believed)
{
	const float s[4] = { NAN, INFINITY, -7, 0.5F };
	struct wire w = answer();

	ck_assert_int_eq(take(&w, s, 4), OK);
	ck_assert_uint_eq(pcm.n, 4);
	ck_assert(pcm.s[0] == 0 && pcm.s[1] == 1 && pcm.s[2] == -1 && pcm.s[3] == 0.5F);
	ck_assert_int_eq(take(&w, s, 3), ERR_FAILED);
	w.n = UINT64_MAX / 4 + 2;
	ck_assert_int_eq(take(&w, s, 4), ERR_FAILED);
	w = answer();
	w.verdict = 17;
	ck_assert_int_eq(take(&w, s, 4), ERR_FAILED);
	w = answer();
	w.verdict = MEDIA_NO_AUDIO;
	ck_assert_int_eq(take(&w, s, 4), ERR_FAILED);
	w = answer();
	w.duration_s = -1;
	ck_assert_int_eq(take(&w, s, 4), ERR_FAILED);
	w = answer();
	memset(w.codec, 'a', sizeof(w.codec));
	ck_assert_int_eq(take(&w, s, 4), ERR_FAILED);
	w = answer();
	memcpy(w.format, "\xc3\x28", 3);
	ck_assert_int_eq(take(&w, s, 4), ERR_FAILED);
}
END_TEST

/*
 * Variants of every format with some bits flipped, half of them near the beginning.
 * Each must be answered soon.
 */
static const struct {
	const char *file, *mime_type;
} flips[] = {
	{ "voice.wav", "audio/wav" },
	{ "id3.mp3", "audio/mpeg" },
	{ "adts.aac", "audio/aac" },
	{ "film.webm", "video/webm" },
	{ "film.mp4", "video/mp4" },
	{ "film.mpg", "video/mpeg" },
	{ "sound.flac", "audio/flac" },
	{ "sound.ogg", "audio/ogg" },
	{ "picture.png", "image/png" },
	{ "picture.jpg", "image/jpeg" },
	{ "moving.webp", "image/webp" },
};

#define VARIANTS 8
#define THREADS 4

struct flipper {
	pthread_t thread;
	const char *file, *mime_type, *path;
	uint32_t random;
	int bad; /* answers other than OK */
};

static uint32_t
next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	return *x ^= *x << 5;
}

static void
flip_bits(struct flipper *f, char *p, size_t n)
{
	size_t reach = next_random(&f->random) % 2 == 0 && n > 400 ? 400 : n;

	for (uint32_t i = next_random(&f->random) % 20 + 1; i > 0; i--)
		p[next_random(&f->random) % reach] ^=
		    (char)(1 << next_random(&f->random) % 8);
}

static void *
flip(void *arg)
{
	struct flipper *f = arg;
	struct arena *a = arena_new();

	for (int i = 0; i < VARIANTS / THREADS; i++) {
		struct media_want want = { .mime_type = f->mime_type,
			.rate_hz = 22050 };
		struct media_info in;
		struct pcm sound;
		size_t n;
		char *p = read_file(a, f->file, &n);

		flip_bits(f, p, n);
		write_file(f->path, p, n);
		if (i % 2 == 0)
			f->bad += media_check(&at, a, f->path, f->mime_type, &in) != OK;
		else
			f->bad +=
			    media_decode(&at, a, f->path, &want, &sound, &in) != OK;
		arena_reset(a);
	}
	arena_free(a);
	return NULL;
}

START_TEST(flipped_bits_are_survived)
{
	struct flipper f[THREADS];

	for (int i = 0; i < THREADS; i++) {
		f[i] = (struct flipper){ .file = path_of(flips[_i].file),
			.mime_type = flips[_i].mime_type,
			.path = path_of(arena_printf(mem, "flip-%d-%d", _i, i)),
			.random = 2463534242U + (uint32_t)(_i * THREADS + i) };
		ck_assert_int_eq(pthread_create(&f[i].thread, NULL, flip, &f[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(f[i].thread, NULL), 0);
		ck_assert_int_eq(f[i].bad, 0);
		unlink(f[i].path);
	}
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

int
main(int argc, char **argv)
{
	TCase *t = tcase_create("all");

	if (argc != 1 || !prepare(argv[0]))
		return EXIT_FAILURE;
	tcase_add_loop_test(t, what_is_none_of_it_is_never_taken, 0, NELEM(nothing));
	tcase_add_loop_test(t, no_text_has_a_format, 0, NELEM(texts));
	tcase_add_loop_test(t, a_search_for_frames_is_short, 0, 6);
	tcase_add_loop_test(t, a_head_may_say_anything, 0, NELEM(heads));
	tcase_add_test(t, odd_wishes_are_refused);
	tcase_add_test(t, only_files_are_opened);
	tcase_add_test(t, odd_sounds_are_encoded_or_refused);
	tcase_add_loop_test(t, a_bad_child_does_no_harm, 0, NELEM(impostors));
	tcase_add_test(t, an_answer_is_not_believed);
	tcase_add_loop_test(t, flipped_bits_are_survived, 0, NELEM(flips));
	return run_case("media, hostile", t);
}
