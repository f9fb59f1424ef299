/*
 * The media room, with its real child.  Files are made by data/media/make, once,
 * into the directory of the build.
 */
#include <check.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "media/media.h"
#include "media/wire.h"

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))
#define DATA "tests/unit/data/media/"

static char build[512]; /* the directory above this program's */
static char program[600];
static struct media_at at = { .program = program, .timeout_ms = 20000 };
static struct arena *mem;
static struct media_info info;
static struct pcm pcm;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static const char *
path_of(const char *file)
{
	return arena_printf(mem, "%s/media-test/%s", build, file);
}

static void
write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(p, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static char *
read_file(struct arena *a, const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *p;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	p = arena_alloc(a, (size_t)st.st_size + 1);
	*n = fread(p, 1, (size_t)st.st_size, f);
	fclose(f);
	return p;
}

static void
decode(const char *file, struct media_want want)
{
	if (want.rate_hz == 0)
		want.rate_hz = 24000;
	ck_assert_int_eq(media_decode(&at, mem, path_of(file), &want, &pcm, &info), OK);
	ck_assert_uint_eq(pcm.n > 0, info.verdict == MEDIA_FINE);
}

/* clang-format off */
static const struct {
	const char *file;
	const char *mime_type;
	enum media_verdict check, decode;
	const char *codec; /* what is decoded */
	double duration_s; /* of its sound; the voice takes 5.7 s, films 3 s */
} files[] = {
	{ "wav.wav",        "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "voice.wav",      "audio/x-wav", MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "float.wav",      "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_f32le", 5.7 },
	{ "ulaw.wav",       "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_mulaw", 5.7 },
	{ "rf64.wav",       "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "7.1.wav",        "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "huge.wav",       "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "plain.mp3",      "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       5.7 },
	{ "id3.mp3",        "audio/mp3",   MEDIA_FINE, MEDIA_FINE, "mp3",       5.7 },
	{ "layer2.mp3",     "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       5.7 },
	{ "three.mp3",      "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       0.15 },
	{ "adts.aac",       "audio/aac",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "sound.webm",     "audio/webm",  MEDIA_FINE, MEDIA_FINE, "opus",      5.7 },
	{ "vorbis.webm",    "video/webm",  MEDIA_FINE, MEDIA_FINE, "vorbis",    5.7 },
	{ "film.webm",      "video/webm",  MEDIA_FINE, MEDIA_FINE, "vorbis",    3.0 },
	{ "film.webm",      "audio/webm",  MEDIA_FINE, MEDIA_FINE, "vorbis",    3.0 },
	{ "film.mp4",       "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       3.0 },
	{ "fast.mp4",       "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       3.0 },
	{ "sound.mp4",      "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "fragments.mp4",  "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "sound.m4a",      "audio/x-m4a", MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "alac.m4a",       "audio/x-m4a", MEDIA_FINE, MEDIA_FINE, "alac",      5.7 },
	{ "film.mp4",       "audio/x-m4a", MEDIA_FINE, MEDIA_FINE, "aac",       3.0 },
	{ "sound.m4a",      "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "film.mpg",       "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       3.0 },
	{ "film1.mpg",      "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       3.0 },
	{ "sound.flac",     "audio/flac",  MEDIA_FINE, MEDIA_FINE, "flac",      5.7 },
	{ "sound.ogg",      "audio/ogg",   MEDIA_FINE, MEDIA_FINE, "opus",      5.7 },
	{ "vorbis.ogg",     "audio/ogg",   MEDIA_FINE, MEDIA_FINE, "vorbis",    5.7 },

	/* Without sound. */
	{ "mute.webm",      "video/webm",  MEDIA_FINE, MEDIA_NO_AUDIO, "vp8", 0 },
	{ "mute9.webm",     "audio/webm",  MEDIA_FINE, MEDIA_NO_AUDIO, "vp9", 0 },
	{ "mute1.webm",     "video/webm",  MEDIA_FINE, MEDIA_NO_AUDIO, "av1", 0 },
	{ "mute.mp4",       "video/mp4",   MEDIA_FINE, MEDIA_NO_AUDIO, "h264", 0 },
	{ "mute.mpg",       "video/mpeg",  MEDIA_FINE, MEDIA_NO_AUDIO, "mpeg2video", 0 },
	{ "mute.m2v",       "video/mpeg",  MEDIA_FINE, MEDIA_NO_AUDIO, "mpeg2video", 0 },
	{ "picture.png",    "image/png",   MEDIA_FINE, MEDIA_NO_AUDIO, "png", 0 },
	{ "moving.png",     "image/png",   MEDIA_FINE, MEDIA_NO_AUDIO, "png", 0 },
	{ "picture.jpg",    "image/jpeg",  MEDIA_FINE, MEDIA_NO_AUDIO, "jpeg", 0 },
	{ "picture.webp",   "image/webp",  MEDIA_FINE, MEDIA_NO_AUDIO, "webp", 0 },
	{ "lossless.webp",  "image/webp",  MEDIA_FINE, MEDIA_NO_AUDIO, "webp", 0 },
	{ "moving.webp",    "image/webp",  MEDIA_FINE, MEDIA_NO_AUDIO, "webp", 0 },

	/* Cut in the middle: what is there is played, if it can be found. */
	{ "half-wav.wav",   "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 2.85 },
	{ "half-plain.mp3", "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       2.9 },
	{ "half-id3.mp3",   "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       2.9 },
	{ "half-adts.aac",  "audio/aac",   MEDIA_FINE, MEDIA_FINE, "aac",       2.9 },
	{ "half-sound.webm","audio/webm",  MEDIA_FINE, MEDIA_FINE, "opus",      2.85 },
	{ "half-film.webm", "video/webm",  MEDIA_FINE, MEDIA_FINE, "vorbis",    1.1 },
	{ "half-fast.mp4",  "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       1.25 },
	{ "half-film.mpg",  "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       1.3 },
	{ "half-sound.flac","audio/flac",  MEDIA_FINE, MEDIA_FINE, "flac",      2.5 },
	{ "half-sound.ogg", "audio/ogg",   MEDIA_FINE, MEDIA_FINE, "opus",      2.0 },
	{ "half-film.mp4",  "video/mp4",   MEDIA_MISMATCH, MEDIA_UNDECODABLE, NULL, 0 },
	{ "half-sound.m4a", "audio/x-m4a", MEDIA_MISMATCH, MEDIA_UNDECODABLE, NULL, 0 },
	{ "half-picture.png","image/png",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "half-picture.jpg","image/jpeg", MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },

	/* Of that format, but not to be decoded. */
	{ "16.wav",         "audio/wav",   MEDIA_MISMATCH, MEDIA_UNDECODABLE, NULL, 0 },
	{ "tracks.webm",    "audio/webm",  MEDIA_MISMATCH, MEDIA_UNDECODABLE, NULL, 0 },

	/* Heads with nothing behind. */
	{ "head.wav",       "audio/wav",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "riff.wav",       "audio/wav",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.flac",      "audio/flac",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.mp4",       "video/mp4",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.mp4",       "audio/x-m4a", MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.webm",      "video/webm",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.mpg",       "video/mpeg",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.png",       "image/png",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.jpg",       "image/jpeg",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "head.webp",      "image/webp",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },

	/* Relatives that are not what was said, and types nobody knows. */
	{ "sound.mkv",      "video/webm",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "sound.mov",      "video/mp4",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "sound.mov",      "audio/x-m4a", MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "picture.gif",    "image/png",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "picture.gif",    "image/gif",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "voice.wav",      "text/html",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "bomb.png",       "image/png",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
};

static const char *const types[] = {
	"audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3", "audio/aac", "audio/webm",
	"video/webm", "video/mp4", "audio/x-m4a", "video/mpeg", "audio/flac", "audio/ogg",
	"image/png", "image/jpeg", "image/webp",
};

/* Nothing of this is any of the types. */
static const char *const nothing[] = {
	"empty", "page.html", "page.mp3", "script.sh", "random", "random.mp3", "zeros",
};

/* Each of these is only of its own types. */
static const struct {
	const char *file;
	const char *types;
} kinds[] = {
	{ "wav.wav",      "audio/wav audio/x-wav" },
	{ "plain.mp3",    "audio/mpeg audio/mp3" },
	{ "adts.aac",     "audio/aac" },
	{ "film.webm",    "audio/webm video/webm" },
	{ "film.mp4",     "video/mp4 audio/x-m4a" },
	{ "film.mpg",     "video/mpeg" },
	{ "sound.flac",   "audio/flac" },
	{ "sound.ogg",    "audio/ogg" },
	{ "picture.png",  "image/png" },
	{ "picture.jpg",  "image/jpeg" },
	{ "picture.webp", "image/webp" },
};
/* clang-format on */

START_TEST(a_file_is_what_it_is)
{
	const char *path = path_of(files[_i].file), *type = files[_i].mime_type;

	ck_assert_int_eq(media_check(&at, mem, path, type, &info), OK);
	ck_assert_int_eq(info.verdict, files[_i].check);
	decode(files[_i].file, (struct media_want){ .mime_type = type });
	ck_assert_int_eq(info.verdict, files[_i].decode);
	if (files[_i].codec != NULL)
		ck_assert_pstr_eq(info.codec, files[_i].codec);
	if (info.verdict != MEDIA_FINE)
		return;
	ck_assert(info.has_audio);
	ck_assert_double_eq_tol(info.duration_s, files[_i].duration_s, 0.1);
	ck_assert_double_eq_tol((double)pcm.n / pcm.rate_hz, info.duration_s, 1e-9);
}
END_TEST

START_TEST(the_type_decides_nothing_the_bytes_do)
{
	for (size_t i = 0; i < NELEM(types); i++) {
		bool its = strstr(kinds[_i].types, types[i]) != NULL;

		ck_assert_int_eq(
		    media_check(&at, mem, path_of(kinds[_i].file), types[i], &info),
		    OK);
		ck_assert_int_eq(info.verdict, its ? MEDIA_FINE : MEDIA_MISMATCH);
	}
	decode(kinds[_i].file, (struct media_want){ .mime_type = NULL });
	ck_assert_int_eq(
	    info.verdict, kinds[_i].types[0] == 'i' ? MEDIA_NO_AUDIO : MEDIA_FINE);
}
END_TEST

START_TEST(what_is_none_of_it_is_never_taken)
{
	const char *path = path_of(nothing[_i]);

	for (size_t i = 0; i < NELEM(types); i++) {
		ck_assert_int_eq(media_check(&at, mem, path, types[i], &info), OK);
		ck_assert_int_eq(info.verdict, MEDIA_MISMATCH);
		ck_assert_ptr_null(info.format);
	}
	decode(nothing[_i], (struct media_want){ .mime_type = NULL });
	ck_assert_int_eq(info.verdict, MEDIA_UNDECODABLE);
}
END_TEST

/* Bytes of a WAV head that promise too much. */
static const struct {
	int offset;
	unsigned char bytes[8];
	int n;
} heads[] = {
	{ 4, { 0, 0, 0, 0 }, 4 },              /* RIFF of nothing */
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
	{ 40, { 0, 0, 0, 0 }, 4 },             /* data of nothing */
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

static double
level_db(const struct pcm *p, double from_s, double to_s)
{
	size_t from = (size_t)(from_s * p->rate_hz), to = (size_t)(to_s * p->rate_hz);
	double sum = 0;

	ck_assert_uint_le(to, p->n);
	for (size_t i = from; i < to; i++)
		sum += (double)p->s[i] * p->s[i];
	return 10 * log10(sum / (double)(to - from) + 1e-12);
}

/* The text of the last "key=..." in what ffmpeg's ebur128 says of the sound. */
static double
ffmpeg_says(const struct pcm *p, const char *key)
{
	const char *const argv[] = { "/usr/bin/ffmpeg", "-v", "error", "-f", "f32le",
		"-ar", arena_printf(mem, "%d", p->rate_hz), "-ac", "1", "-i", "-",
		"-af", "ebur128=metadata=1:peak=true,ametadata=print:file=-", "-f",
		"null", "-", NULL };
	struct child c = { .argv = argv,
		.in = p->s,
		.in_len = p->n * sizeof(float),
		.timeout_ms = 20000,
		.memory_bytes = (size_t)2 << 30,
		.out_bytes = 16 << 20 };
	const char *found = NULL;
	struct child_end end;

	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_int_eq(end.status, 0);
	for (const char *s = arena_dup(mem, end.out, end.out_len);
	     (s = strstr(s, key)) != NULL; s++)
		found = s + strlen(key);
	ck_assert_ptr_nonnull(found);
	return atof(found);
}

static const struct {
	const char *file;
	int rate_hz;
	bool denoise;
} normalised[] = {
	{ "voice.wav", 24000, false },
	{ "voice.wav", 22050, false },
	{ "voice.wav", 48000, true },
	{ "voice.wav", 8000, false },
	{ "soft.wav", 24000, false },
	{ "soft.wav", 24000, true },
	{ "loud.wav", 24000, false },
	{ "noisy.wav", 24000, true },
	{ "tone.wav", 44100, false },
	{ "clicks.wav", 24000, false },
	{ "7.1.wav", 16000, false },
};

START_TEST(normalised_sound_has_the_loudness_asked_for)
{
	decode(
	    normalised[_i].file, (struct media_want){ .rate_hz = normalised[_i].rate_hz,
				     .normalise = true,
				     .denoise = normalised[_i].denoise });
	ck_assert_double_eq_tol(ffmpeg_says(&pcm, "lavfi.r128.I="), -18, 0.5);
	ck_assert_double_le(
	    20 * log10(ffmpeg_says(&pcm, "lavfi.r128.true_peak=")), -1.9);
}
END_TEST

START_TEST(the_silent_and_the_short_stay_as_they_are)
{
	static const char *const list[] = { "silence.wav", "blip.wav" };
	struct pcm before;

	decode(list[_i], (struct media_want){ .rate_hz = 24000 });
	before = pcm;
	decode(list[_i], (struct media_want){ .rate_hz = 24000, .normalise = true });
	ck_assert_uint_eq(pcm.n, before.n);
	ck_assert_mem_eq(pcm.s, before.s, pcm.n * sizeof(float));
}
END_TEST

START_TEST(noise_goes_and_speech_stays)
{
	double speech, rest;

	decode("noisy.wav", (struct media_want){ .rate_hz = 22050 });
	speech = level_db(&pcm, 0.2, 2.0);
	rest = level_db(&pcm, 5.5, 5.7);
	decode("noisy.wav", (struct media_want){ .rate_hz = 22050, .denoise = true });
	ck_assert_double_eq_tol(level_db(&pcm, 0.2, 2.0), speech, 1);
	ck_assert_double_le(level_db(&pcm, 5.5, 5.7), rest - 6);
}
END_TEST

START_TEST(lossy_files_sound_like_the_original)
{
	static const char *const list[] = { "plain.mp3", "id3.mp3", "adts.aac",
		"sound.webm", "sound.m4a", "sound.flac", "vorbis.ogg", "layer2.mp3" };
	double original;

	decode("voice.wav", (struct media_want){ .rate_hz = 24000 });
	original = level_db(&pcm, 0.2, 5);
	decode(list[_i], (struct media_want){ .rate_hz = 24000 });
	ck_assert_double_eq_tol(level_db(&pcm, 0.2, 5), original, 0.7);
}
END_TEST

START_TEST(no_more_is_decoded_than_asked_for)
{
	decode("long.wav", (struct media_want){ .rate_hz = 8000 });
	ck_assert_uint_eq(pcm.n, 600 * 8000);
	decode("long.wav", (struct media_want){ .rate_hz = 48000, .max_s = 2 });
	ck_assert_uint_eq(pcm.n, 2 * 48000);
	decode("long.wav", (struct media_want){ .rate_hz = 8000, .max_s = 100000 });
	ck_assert_uint_eq(pcm.n, 600 * 8000);
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

static const int rates[] = { 8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000 };

static const struct {
	const char *format, *codec, *mime_type;
} forms[] = {
	{ "mp3", "mp3", "audio/mpeg" },
	{ "ogg", "opus", "audio/ogg" },
	{ "wav", "pcm_s16le", "audio/wav" },
};

/* What was encoded is of its type and sounds as it did. */
static void
encode_and_back(const char *format, const char *codec, const char *mime_type)
{
	const char *path = path_of(arena_printf(mem, "back-%d", (int)getpid()));
	struct media_want want = { .mime_type = mime_type, .rate_hz = pcm.rate_hz };
	struct media_file file;
	struct pcm back;

	ck_assert_int_eq(media_encode(&at, mem, &pcm, format, &file), OK);
	ck_assert_str_eq(file.format, format);
	ck_assert_str_eq(file.codec, codec);
	ck_assert_str_eq(file.mime_type, mime_type);
	ck_assert_double_eq_tol(file.duration_s, (double)pcm.n / pcm.rate_hz, 1e-9);
	write_file(path, file.bytes, file.n);
	ck_assert_int_eq(media_check(&at, mem, path, mime_type, &info), OK);
	ck_assert_int_eq(info.verdict, MEDIA_FINE);
	ck_assert_double_eq_tol(info.duration_s, file.duration_s, 0.2);
	ck_assert_int_eq(media_decode(&at, mem, path, &want, &back, &info), OK);
	unlink(path);
	ck_assert_str_eq(info.codec, codec);
	ck_assert_double_eq_tol(info.duration_s, file.duration_s, 0.1);
	ck_assert_double_eq_tol(level_db(&back, 0.2, 5), level_db(&pcm, 0.2, 5), 0.7);
}

START_TEST(what_is_encoded_can_be_decoded)
{
	decode("voice.wav", (struct media_want){ .rate_hz = rates[_i] });
	for (size_t i = 0; i < NELEM(forms); i++)
		encode_and_back(forms[i].format, forms[i].codec, forms[i].mime_type);
}
END_TEST

START_TEST(odd_sounds_are_encoded_or_refused)
{
	float one = 0.5F, wild[4] = { NAN, INFINITY, -INFINITY, 1e30F };
	struct media_file file;

	for (size_t i = 0; i < NELEM(forms); i++) {
		pcm = (struct pcm){ &one, 1, 24000 };
		ck_assert_int_eq(
		    media_encode(&at, mem, &pcm, forms[i].format, &file), OK);
		ck_assert_uint_gt(file.n, 0);
		pcm = (struct pcm){ wild, 4, 24000 };
		ck_assert_int_eq(
		    media_encode(&at, mem, &pcm, forms[i].format, &file), OK);
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
	struct media_at bad = { DATA "impostor", 1000 };

	ck_assert_int_eq(
	    media_check(&bad, mem, path_of("voice.wav"), impostors[_i].how, &info),
	    impostors[_i].e);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

/* The impostor hands back the file, which is an answer: this one is well-formed. */
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
 * A hundred variants of every format with some bits flipped, half of them near
 * the beginning.  Whatever they are now, there is an answer, and soon.
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

#define VARIANTS 100
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

/* Find the build, and make its files unless they are there. */
static bool
prepare(char *argv0)
{
	char *copy = strdup(argv0);
	int status = -1;
	pid_t pid;

	snprintf(build, sizeof(build), "%s", dirname(dirname(copy)));
	snprintf(program, sizeof(program), "%s/media-test/done", build);
	free(copy);
	if (access(program, F_OK) != 0) {
		snprintf(program, sizeof(program), "%s/media-test", build);
		if ((pid = fork()) == 0) {
			execl(DATA "make", "make", program, (char *)NULL);
			_exit(127);
		}
		waitpid(pid, &status, 0);
		if (status != 0)
			return false;
	}
	snprintf(program, sizeof(program), "%s/bin/dragoman-media", build);
	return true;
}

static TCase *
case_new(Suite *s, const char *name)
{
	TCase *t = tcase_create(name);

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	suite_add_tcase(s, t);
	return t;
}

static void
add_good(TCase *t)
{
	tcase_add_loop_test(t, a_file_is_what_it_is, 0, NELEM(files));
	tcase_add_loop_test(t, the_type_decides_nothing_the_bytes_do, 0, NELEM(kinds));
	tcase_add_loop_test(
	    t, normalised_sound_has_the_loudness_asked_for, 0, NELEM(normalised));
	tcase_add_loop_test(t, the_silent_and_the_short_stay_as_they_are, 0, 2);
	tcase_add_test(t, noise_goes_and_speech_stays);
	tcase_add_loop_test(t, lossy_files_sound_like_the_original, 0, 8);
	tcase_add_test(t, no_more_is_decoded_than_asked_for);
	tcase_add_loop_test(t, what_is_encoded_can_be_decoded, 0, NELEM(rates));
}

static void
add_bad(TCase *t)
{
	tcase_add_loop_test(t, what_is_none_of_it_is_never_taken, 0, NELEM(nothing));
	tcase_add_loop_test(t, a_head_may_say_anything, 0, NELEM(heads));
	tcase_add_test(t, odd_wishes_are_refused);
	tcase_add_test(t, only_files_are_opened);
	tcase_add_test(t, odd_sounds_are_encoded_or_refused);
	tcase_add_loop_test(t, a_bad_child_does_no_harm, 0, NELEM(impostors));
	tcase_add_test(t, an_answer_is_not_believed);
	tcase_add_loop_test(t, flipped_bits_are_survived, 0, NELEM(flips));
}

int
main(int argc, char **argv)
{
	Suite *s = suite_create("media");
	SRunner *r = srunner_create(s);
	int failed;

	if (argc != 1 || !prepare(argv[0]))
		return EXIT_FAILURE;
	add_good(case_new(s, "good"));
	add_bad(case_new(s, "bad"));
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
