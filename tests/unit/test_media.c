/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Media with the real child: types of files, their sound, and encoding. */
#include "data/media/files.h"

#include "base/child.h"
#include "tests/unit/ebur128.h"

/* clang-format off */
static const struct {
	const char *file;
	const char *mime_type;
	enum media_verdict check, decode;
	const char *codec; /* the decoded codec */
	double duration_s; /* duration of its sound; the voice takes 5.7 s, films 3 s */
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

	/* Additional bytes that recorders, taggers and old programs write. */
	{ "cut.mp3",        "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       5.7 },
	{ "cut-table.mp3",  "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       5.7 },
	{ "zeros-first.mp3","audio/mp3",   MEDIA_FINE, MEDIA_FINE, "mp3",       5.7 },
	{ "small-tag.mp3",  "audio/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp3",       5.7 },
	{ "cut.aac",        "audio/aac",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "tag-first.wav",  "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "bw64.wav",       "audio/wav",   MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "w64.wav",        "audio/x-wav", MEDIA_FINE, MEDIA_FINE, "pcm_s16le", 5.7 },
	{ "gsm.wav",        "audio/wav",   MEDIA_FINE, MEDIA_FINE, "gsm_ms",    5.7 },
	{ "g726.wav",       "audio/wav",   MEDIA_FINE, MEDIA_FINE, "adpcm_g726", 5.7 },
	{ "adpcm.wav",      "audio/wav",   MEDIA_FINE, MEDIA_FINE, "adpcm_ms",  5.7 },
	{ "rifx.wav",       "audio/wav",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "3gp5.mp4",       "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "isoc.mp4",       "audio/x-m4a", MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "sound.mov",      "video/mp4",   MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "old.mov",        "audio/x-m4a", MEDIA_FINE, MEDIA_FINE, "aac",       5.7 },
	{ "cut.mpg",        "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       2.9 },
	{ "cut2.mpg",       "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       2.9 },
	{ "film.ts",        "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       3.0 },
	{ "film.m2ts",      "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       3.0 },
	{ "cut.ts",         "video/mpeg",  MEDIA_FINE, MEDIA_FINE, "mp2",       3.0 },

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

	/* Cut in the middle: the first part is played, if it can be decoded. */
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

	/* Files of that format that cannot be decoded. */
	{ "16.wav",         "audio/wav",   MEDIA_MISMATCH, MEDIA_UNDECODABLE, NULL, 0 },
	{ "tracks.webm",    "audio/webm",  MEDIA_MISMATCH, MEDIA_UNDECODABLE, NULL, 0 },

	/* Headers without content. */
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

	/* Similar formats that were not declared, and unknown types. */
	{ "sound.mkv",      "video/webm",  MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "picture.gif",    "image/png",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "picture.gif",    "image/gif",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "voice.wav",      "text/html",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
	{ "bomb.png",       "image/png",   MEDIA_MISMATCH, MEDIA_MISMATCH, NULL, 0 },
};

/* Each of these belongs only to its own types. */
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
	{ "film.ts",      "video/mpeg" },
	{ "cut.mp3",      "audio/mpeg audio/mp3" },
	{ "cut.aac",      "audio/aac" },
	{ "old.mov",      "video/mp4 audio/x-m4a" },
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
	const char *path = path_of(kinds[_i].file);

	for (size_t i = 0; i < NELEM(types); i++) {
		bool its = strstr(kinds[_i].types, types[i]) != NULL;

		ck_assert(has_form(kinds[_i].file, types[i]) == its);
		if (!its)
			continue;
		ck_assert_int_eq(media_check(&at, mem, path, types[i], &info), OK);
		ck_assert_int_eq(info.verdict, MEDIA_FINE);
	}
	decode(kinds[_i].file, (struct media_want){ .mime_type = NULL });
	ck_assert_int_eq(
	    info.verdict, kinds[_i].types[0] == 'i' ? MEDIA_NO_AUDIO : MEDIA_FINE);
}
END_TEST

static const struct {
	const char *file, *found;
} strangers[] = {
	{ "voice.wav", "wav" },
	{ "rifx.wav", "RIFX" },
	{ "film.ts", "mpeg" },
	{ "picture.gif", "GIF" },
	{ "sound.mkv", "Matroska" },
	{ "page.mp3", "HTML or XML" },
	{ "script.sh", "a script" },
	{ "empty", "empty" },
	{ "zeros", NULL },
	{ "head.flac", NULL },
};

START_TEST(of_a_mismatch_it_is_said_what_was_found)
{
	const char *path = path_of(strangers[_i].file);

	ck_assert_int_eq(media_check(&at, mem, path, "audio/flac", &info), OK);
	ck_assert_int_eq(info.verdict, MEDIA_MISMATCH);
	ck_assert_pstr_eq(info.format, strangers[_i].found);
	decode(strangers[_i].file, (struct media_want){ .mime_type = "audio/flac" });
	ck_assert_int_eq(info.verdict, MEDIA_MISMATCH);
	ck_assert_pstr_eq(info.format, strangers[_i].found);
}
END_TEST

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
	ck_assert_double_eq_tol(ebur128_says(mem, &pcm, "lavfi.r128.I="), -18, 0.5);
	ck_assert_double_le(
	    20 * log10(ebur128_says(mem, &pcm, "lavfi.r128.true_peak=")), -1.9);
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

START_TEST(each_track_of_sound_can_be_had)
{
	struct media_want want = { .mime_type = "video/mp4" };

	decode("two-tracks.mp4", want);
	ck_assert_double_le(level_db(&pcm, 0.2, 5), -100);
	want.track = 1;
	decode("two-tracks.mp4", want);
	ck_assert_double_ge(level_db(&pcm, 0.2, 5), -30);
	want.track = 2;
	decode("two-tracks.mp4", want);
	ck_assert_int_eq(info.verdict, MEDIA_NO_AUDIO);
}
END_TEST

START_TEST(files_sound_like_the_original)
{
	static const char *const list[] = { "plain.mp3", "id3.mp3", "adts.aac",
		"sound.webm", "sound.m4a", "sound.flac", "vorbis.ogg", "layer2.mp3",
		"opposite.wav", "opposite.mp3" };
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

/* A third of the time that the program takes to start. */
START_TEST(filters_are_loaded_only_when_they_are_used)
{
	const char *argv[] = { "/usr/bin/readelf", "-d", NULL, NULL };
	struct child c = { .argv = argv,
		.timeout_ms = 20000,
		.memory_bytes = (size_t)1 << 30,
		.out_bytes = 65536,
		.reads = argv + 2 };
	struct child_end end;

	argv[2] = realpath(program, arena_alloc(mem, 4096));
	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_ptr_nonnull(memmem(end.out, end.out_len, "libavcodec", 10));
	ck_assert_ptr_null(memmem(end.out, end.out_len, "libavfilter", 11));
}
END_TEST

static const int rates[] = { 8000, 11025, 24000, 44100, 48000 };

static const struct {
	const char *format, *codec, *mime_type;
} forms[] = {
	{ "mp3", "mp3", "audio/mpeg" },
	{ "ogg", "opus", "audio/ogg" },
	{ "wav", "pcm_s16le", "audio/wav" },
};

/* Encoded sound has the requested type and sounds like the original. */
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
	ck_assert_int_eq(media_decode(&at, mem, path, &want, &back, &info), OK);
	unlink(path);
	ck_assert_str_eq(info.codec, codec);
	ck_assert_double_eq_tol(info.duration_s, file.duration_s, 0.1);
	ck_assert_double_eq_tol(level_db(&back, 0.2, 5), level_db(&pcm, 0.2, 5), 0.7);
}

START_TEST(encoded_audio_can_be_decoded)
{
	decode("voice.wav", (struct media_want){ .rate_hz = rates[_i] });
	for (size_t i = 0; i < NELEM(forms); i++)
		encode_and_back(forms[i].format, forms[i].codec, forms[i].mime_type);
}
END_TEST

int
main(int argc, char **argv)
{
	TCase *t = tcase_create("all");

	if (argc != 1 || !prepare(argv[0]))
		return EXIT_FAILURE;
	tcase_add_loop_test(t, a_file_is_what_it_is, 0, NELEM(files));
	tcase_add_loop_test(
	    t, of_a_mismatch_it_is_said_what_was_found, 0, NELEM(strangers));
	tcase_add_loop_test(t, the_type_decides_nothing_the_bytes_do, 0, NELEM(kinds));
	tcase_add_loop_test(
	    t, normalised_sound_has_the_loudness_asked_for, 0, NELEM(normalised));
	tcase_add_loop_test(t, the_silent_and_the_short_stay_as_they_are, 0, 2);
	tcase_add_test(t, noise_goes_and_speech_stays);
	tcase_add_test(t, each_track_of_sound_can_be_had);
	tcase_add_loop_test(t, files_sound_like_the_original, 0, 10);
	tcase_add_test(t, no_more_is_decoded_than_asked_for);
	tcase_add_test(t, filters_are_loaded_only_when_they_are_used);
	tcase_add_loop_test(t, encoded_audio_can_be_decoded, 0, NELEM(rates));
	return run_case("media", t);
}
