/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distinguishing speech from texts that an engine made from noise. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "audio/vad_silero.h"
#include "pipeline/recognizer_internal.h"
#include "speech/engine.h"
#include "tests/unit/unit_files.h"

/*
 * Included last, because it has a variable with the name of parameters in other
 * headers.
 */
#include "tests/unit/stream_sounds.h"

static const struct {
	const char *text;
	double confidence, voiced, s;
	bool said;
} texts[] = {
	/* recognized from people */
	{ "yes", 0.8, 0.7, 0.4, true },
	{ "thank you", 0.7, 0.8, 0.8, true },
	{ "please hold while i try that extension", 0.41, 0.89, 2.1, true },
	{ "the conference will began when the leader where rhymes", 0.35, 0.92, 2.3,
	    true },
	{ "he was not told those young man", 0.87, 0.55, 2.4, true },
	/* recognized from coughs, hum, squeaks, clicks and paper */
	{ "heck", 0.8, 0.06, 1.1, false },
	{ "oh", 1, 0.8, 0.6, false },
	{ "or was", 0.56, 1, 0.8, false },
	{ "half of her", 0.02, 0.36, 1, false },
	{ "op op", 0.01, 0.5, 0.6, false },
	{ "whoa whoa whoa whoa", 0.45, 0.9, 1, false },
	{ "woo woo hoo hoo hoo of with", 0.58, 0.9, 2, false },
	{ "its so thick that", 0.65, 0, 1.4, false },
	{ "one of the one of them", 0.46, 0.93, 3.6, false },
	{ "cool in to", 0.68, 0.9, 4.6, false },
	/* of an engine without confidence values */
	{ "oh", 0, 0, 3, true },
	{ "", 0.5, 0, 3, true },
};

static struct list
words_of(const char *said)
{
	static struct asr_word words[20];
	char *text = arena_str(mem, said), *save, *word;
	size_t n = 0;

	for (word = strtok_r(text, " ", &save); word != NULL;
	     word = strtok_r(NULL, " ", &save))
		words[n++] = (struct asr_word){ .text = word };
	return (struct list){ words, n };
}

START_TEST(what_was_said_is_believed_and_noise_is_not)
{
	const struct asr_result h = { .text = texts[_i].text,
		.confidence = texts[_i].confidence,
		.words = words_of(texts[_i].text) };
	const struct recognizer r = { .voiced = texts[_i].voiced };

	ck_assert_int_eq(
	    recognizer_accepts(&r, &h, (int64_t)(texts[_i].s * 1e6)), texts[_i].said);
}
END_TEST

/* Recognized by Whisper, which reports no times of words. */
static const struct {
	const char *text, *lang;
	double confidence, voiced, s;
	bool said;
} untimed[] = {
	{ "Please enter your password. Follow the boba-pan key.", "en", 0.488, 0.9, 3.1,
	    true },
	{ "He was not an old sojourn man.", "en", 0.681, 0.6, 2.5, true },
	{ "Yes.", "en", 0.8, 0.7, 0.4, true },
	{ "会議を始めます", "ja", 0.8, 0.8, 1.5, true },
	/* noises of an office */
	{ "Oh!", "en", 0.145, 0.77, 0.7, false },
	{ "Oh, oh.", "en", 0.8, 0.77, 0.7, false },
	{ "you", "en", 0.074, 0.71, 0.1, false },
	{ "Thank you.", "en", 0.5, 0.7, 0.8, false },
	{ "the", "en", 0.249, 0.72, 3, false },
	{ "Thanks for watching.", "en", 0.9, 0.1, 1.5, false },
	{ "and so it is", "en", 0.3, 0.8, 1.4, false },
	{ "I'm going to go to the next room.", "en", 0.53, 0.9, 0.2, false },
	{ "", "en", 0, 0, 3, true },
};

START_TEST(a_text_without_times_of_words_is_judged_too)
{
	const struct asr_result h = { .text = untimed[_i].text,
		.lang = untimed[_i].lang,
		.confidence = untimed[_i].confidence };
	const struct recognizer r = { .voiced = untimed[_i].voiced };

	ck_assert_int_eq(recognizer_accepts(&r, &h, (int64_t)(untimed[_i].s * 1e6)),
	    untimed[_i].said);
}
END_TEST

/* PocketSphinx's measure of misfit; used: number of measured phrases. */
static const struct {
	double of[9];
	int used;
	enum language_is is; /* at the end */
} speakers[] = {
	/* English: studio, telephone, distant microphone */
	{ { 5.5, 4.1, 4, 3.9, 3.8, 4.4, 4.4, 3.3, 3.8 }, 9, LANGUAGE_OWN },
	{ { 5.3, 4.2, 3.5, 3.6, 3.8, 3.7, 4.1, 3.6, 3.7 }, 9, LANGUAGE_OWN },
	{ { 4.1, 3.7, 4.7, 4.2, 4.5, 5.3, 4.4, 3.7, 4.4 }, 9, LANGUAGE_OWN },
	{ { 4.1, 4.3, 4.5, 4.2, 4.5, 4.8, 4.4, 4.7, 4.5 }, 9, LANGUAGE_DOUBTFUL },
	/* Italian, Spanish */
	{ { 5.9, 4.5, 5.5, 5.2, 5.1, 5.2, 5.2, 5.3, 5 }, 2, LANGUAGE_FOREIGN },
	{ { 5.2, 5.1, 4.7, 4.5, 5.5, 4.6, 4.8, 4.7, 4.9 }, 2, LANGUAGE_FOREIGN },
	/* English, then Italian; Italian, then English */
	{ { 3.6, 4.1, 4, 3.7, 5.4, 5.2, 5.1, 5.2, 5.2 }, 6, LANGUAGE_FOREIGN },
	{ { 5.9, 4.5, 5.5, 5.2, 5.1, 4.1, 3.7, 4, 3.6 }, 5, LANGUAGE_OWN },
};

START_TEST(three_phrases_that_do_not_fit_are_another_language)
{
	struct language_guard g = { .n = 0 };
	struct asr_result h = { .text = "" };
	int used = 0;

	for (int i = 0; i < COUNT(speakers[_i].of); i++) {
		h.misfit = speakers[_i].of[i];
		used += language_guard_judges(&g, &h, 3) != LANGUAGE_FOREIGN;
	}
	ck_assert_int_eq(used, speakers[_i].used);
	ck_assert_int_eq(g.is, speakers[_i].is);
}
END_TEST

START_TEST(a_detected_language_is_believed_at_once)
{
	struct language_guard g = { .n = 0 };
	const struct asr_result own = { .text = "In the right language.",
		.lang = "en" },
				few = { .text = "Yes.", .lang = "en" },
				other = {
					.text = "Yes.", .lang = "en", .foreign = "it"
				};

	ck_assert_int_eq(language_guard_judges(&g, &few, 1), LANGUAGE_OWN);
	ck_assert_int_eq(language_guard_judges(&g, &own, 4), LANGUAGE_OWN);
	ck_assert_int_eq(language_guard_judges(&g, &other, 1), LANGUAGE_FOREIGN);
	/* nothing new */
	ck_assert_int_eq(language_guard_judges(&g, &few, 1), LANGUAGE_FOREIGN);
	ck_assert_int_eq(language_guard_judges(&g, &own, 4), LANGUAGE_OWN);
}
END_TEST

static const struct {
	const char *text;
	double voiced, s;
	bool said;
	const struct asr_engine *by; /* NULL: pocketsphinx */
} partials[] = {
	{ "please hold while", 0.8, 1.2, true, NULL },
	{ "please hold while i try that", 0.3, 2.1, true, NULL },
	/* it may still be a cough */
	{ "please", 0.8, 0.5, false, NULL },
	{ "thank you", 0.8, 0.8, false, NULL },
	/* no pitch, too slow, noises */
	{ "its so thick that", 0.1, 1.4, false, NULL },
	{ "cool in to", 0.9, 3, false, NULL },
	{ "whoa whoa whoa whoa", 0.9, 1, false, NULL },
	/* final texts of such an engine are not judged, either */
	{ "oh", 0, 3, true, &asr_script },
};

START_TEST(a_partial_text_waits_until_it_may_be_speech)
{
	const struct registry_engine engine = {
		.asr = partials[_i].by != NULL ? partials[_i].by : &asr_pocketsphinx
	};
	const struct asr_result h = { .text = partials[_i].text,
		.words = words_of(partials[_i].text) };
	const struct recognizer r = { .engine = &engine,
		.voiced = partials[_i].voiced };

	ck_assert_int_eq(
	    recognizer_accepts_partial(&r, &h, (int64_t)(partials[_i].s * 1e6)),
	    partials[_i].said);
}
END_TEST

/* Configurations of ONNX Runtime: missing, not a library, a different library. */
static const struct {
	const char *library, *model;
	bool missing;
} networks[] = {
	{ "", "", false },
	{ "none", "/nonexistent.onnx", false },
	{ "/nonexistent.so", "/nonexistent.onnx", true },
	{ "/etc/passwd", "/etc/passwd", true },
	{ "libm.so.6", "/etc/passwd", true },
};

START_TEST(without_its_network_speech_is_told_by_level)
{
	const struct conf conf = { .vad_library = networks[_i].library,
		.vad_model = networks[_i].model,
		.models_dir = "/nonexistent" };
	const struct silero_files files = silero_find(mem, &conf);
	struct vad *v = vad_new(mem);
	struct silero *s = silero_new(mem, &files);
	struct pcm16 p = tone(1, 300, -20, HEARD_HZ);

	ck_assert_ptr_null(s);
	ck_assert(silero_missing() == networks[_i].missing);
	ck_assert_str_eq(
	    pipeline_vad(&conf), networks[_i].missing ? "missing" : "level");
	vad_use(v, s);
	ck_assert(vad_frame(v, p.s));
}
END_TEST

static void
put(const char *dir, const char *folder, const char *file)
{
	FILE *f;

	ck_assert_int_eq(mkdir(arena_printf(mem, "%s/%s", dir, folder), 0700), 0);
	f = fopen(arena_printf(mem, "%s/%s/%s", dir, folder, file), "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
}

/*
 * The network is found where `dragoman models get silero` installs it; a setting takes
 * precedence.
 */
START_TEST(an_installed_network_is_found)
{
	const char *dir = unit_folder(mem);
	struct conf conf = { .vad_library = "", .vad_model = "", .models_dir = dir };
	struct silero_files files;

	put(dir, "sherpa-library", "libonnxruntime.so");
	ck_assert_ptr_null(silero_find(mem, &conf).library);
	put(dir, "silero", "silero_vad.onnx");
	files = silero_find(mem, &conf);
	ck_assert_str_eq(files.library,
	    arena_printf(mem, "%s/sherpa-library/libonnxruntime.so", dir));
	ck_assert_str_eq(
	    files.model, arena_printf(mem, "%s/silero/silero_vad.onnx", dir));
	ck_assert_str_eq(pipeline_vad(&conf), "network");
	conf.vad_model = "/opt/other.onnx";
	ck_assert_str_eq(silero_find(mem, &conf).model, "/opt/other.onnx");
	conf.vad_library = "none";
	ck_assert_ptr_null(silero_find(mem, &conf).library);
	ck_assert_str_eq(pipeline_vad(&conf), "level");
	unit_folder_drop(dir);
}
END_TEST

/*
 * Runs only if library and network are named in the environment, as tests/speech/run
 * does.
 */
START_TEST(the_network_hears_people_and_no_tone)
{
	const struct silero_files files = { getenv("VAD_LIBRARY"),
		getenv("VAD_MODEL") };
	struct silero *s = silero_new(mem, &files);
	struct pcm16 p = recording(RECORDINGS "01_austen_64kb-0880.wav"),
		     q = tone(3, 300, -20, HEARD_HZ);
	int speech = 0;

	if (getenv("VAD_LIBRARY") == NULL || p.n == 0)
		return;
	ck_assert_ptr_nonnull(s);
	for (size_t i = 0; i + VAD_FRAME <= q.n; i += VAD_FRAME)
		speech += silero_frame(s, q.s + i) > 0.5F;
	ck_assert_int_le(speech, 10);
	for (size_t i = 0; i + VAD_FRAME <= p.n; i += VAD_FRAME)
		speech += silero_frame(s, p.s + i) > 0.5F;
	ck_assert_int_ge(speech, (int)(p.n / VAD_FRAME / 2));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("evidence");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(
	    t, what_was_said_is_believed_and_noise_is_not, 0, COUNT(texts));
	tcase_add_loop_test(
	    t, a_text_without_times_of_words_is_judged_too, 0, COUNT(untimed));
	tcase_add_loop_test(
	    t, three_phrases_that_do_not_fit_are_another_language, 0, COUNT(speakers));
	tcase_add_test(t, a_detected_language_is_believed_at_once);
	tcase_add_loop_test(
	    t, a_partial_text_waits_until_it_may_be_speech, 0, COUNT(partials));
	tcase_add_loop_test(
	    t, without_its_network_speech_is_told_by_level, 0, COUNT(networks));
	tcase_add_test(t, an_installed_network_is_found);
	tcase_add_test(t, the_network_hears_people_and_no_tone);
	suite_add_tcase(s, t);
	return unit_run(s);
}
