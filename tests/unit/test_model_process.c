/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes with models: their input and their failures, which must not affect other
 * processes. Tests lib/speech/model_process.c, model_server.c, asr_model.c,
 * tts_sherpa.c with the library tests/model-library.c.
 */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/model_fixture.h"

/* Uses a model whose library behaves as `what` says. */
static void
use(const char *what)
{
	for (const char *const *f = HEADS("encoder-1.onnx", "encoder-1.int8.onnx",
		 "decoder-1.onnx", "joiner-1.onnx");
	     *f != NULL; f++)
		unit_write(arena_printf(fixture.mem, "%s/%s", dir, *f), "");
	unit_write(arena_printf(fixture.mem, "%s/tokens.txt", dir), what);
	at.library = arena_printf(fixture.mem, "%s/model-library.so", self);
	at.model = dir;
	at.threads = 2;
}

static enum err
open_one(struct asr **to)
{
	const struct asr_want want = { .lang = "en" };

	return asr_sherpa.open(&at, &want, to);
}

/* The result of a phrase. */
static enum err
hear_phrase(struct asr *a)
{
	struct asr_result h;
	enum err e = feed_tone(&asr_sherpa, a, 1000, 0.5);

	return e != OK ? e : asr_sherpa.finish(a, fixture.mem, &h);
}

#define TAIL 10666 /* samples of silence after a phrase */

START_TEST(a_phrase_is_heard_whole)
{
	struct asr *a;

	use("count");
	a = opened(&asr_sherpa, "en");
	for (int ms = 1; ms < 32000; ms = ms * 3 + 7) {
		for (int left = ms; left > 0; left -= 320)
			ck_assert_int_eq(
			    feed_tone(&asr_sherpa, a, left < 320 ? left : 320, 1), OK);
		ck_assert_str_eq(finished(&asr_sherpa, a).text,
		    arena_printf(fixture.mem, "%d", ms * 16 + TAIL));
	}
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 40000, 1), OK);
	ck_assert_str_eq(finished(&asr_sherpa, a).text,
	    arena_printf(fixture.mem, "%d", ASR_PHRASE_MAX_S * S + TAIL));
	ck_assert_str_eq(finished(&asr_sherpa, a).text, "");
	asr_sherpa.close(a);
}
END_TEST

/* Folders of models that recognize a phrase after its end, and their languages. */
static const struct {
	const char *folder, *files[5], *first, *second;
} offline[] = {
	{ "whisper-tiny",
	    { "tiny-encoder.int8.onnx", "tiny-decoder.int8.onnx", "tiny-encoder.onnx" },
	    "en", "es" },
	{ "moonshine",
	    { "preprocess.onnx", "encode.int8.onnx", "uncached_decode.int8.onnx",
		"cached_decode.int8.onnx" },
	    "-", "-" },
	{ "x-sense-voice-zh-en", { "model.int8.onnx", "model.onnx" }, "en", "es" },
	{ "nemo-parakeet-tdt-0.6b",
	    { "encoder.int8.onnx", "decoder.int8.onnx", "joiner.int8.onnx" }, "-",
	    "-" },
	{ "nemo-canary-180m", { "encoder.int8.onnx", "decoder.int8.onnx" }, "en",
	    "es" },
};

START_TEST(a_phrase_is_recognized_after_its_end)
{
	const char *model = arena_printf(fixture.mem, "%s/%s", dir, offline[_i].folder);
	struct asr *a;

	ck_assert_int_eq(mkdir(model, 0700), 0);
	for (const char *const *f = offline[_i].files; *f != NULL; f++)
		unit_write(arena_printf(fixture.mem, "%s/%s", model, *f), "");
	unit_write(arena_printf(fixture.mem, "%s/tokens.txt", model), "count");
	use("count");
	at.model = model;
	at.languages = "en es";
	a = opened(&asr_sherpa, "en");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	ck_assert_str_eq(partly(&asr_sherpa, a), "");
	ck_assert_str_eq(finished(&asr_sherpa, a).text,
	    arena_printf(fixture.mem, "16000 %s", offline[_i].first));
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	asr_sherpa.drop(a);
	asr_sherpa.close(a);
	a = opened(&asr_sherpa, "es");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 500, 1), OK);
	ck_assert_str_eq(finished(&asr_sherpa, a).text,
	    arena_printf(fixture.mem, "8000 %s", offline[_i].second));
	asr_sherpa.close(a);
}
END_TEST

START_TEST(a_text_grows_with_the_phrase)
{
	struct asr *a;

	use("count");
	a = opened(&asr_sherpa, "en");
	ck_assert_str_eq(partly(&asr_sherpa, a), "");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	await(strcmp(partly(&asr_sherpa, a), "16000") == 0);
	asr_sherpa.drop(a);
	ck_assert_str_eq(partly(&asr_sherpa, a), "");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 200, 1), OK);
	await(strcmp(partly(&asr_sherpa, a), "3200") == 0);
	asr_sherpa.close(a);
}
END_TEST

START_TEST(streams_share_a_process)
{
	struct asr *a, *b;

	use("count");
	a = opened(&asr_sherpa, "en");
	b = opened(&asr_sherpa, "en");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	ck_assert_int_eq(feed_tone(&asr_sherpa, b, 500, 1), OK);
	await(strcmp(partly(&asr_sherpa, a), "16000") == 0);
	/* the second waits for the first */
	ck_assert_str_eq(partly(&asr_sherpa, b), "");
	ck_assert_str_eq(finished(&asr_sherpa, a).text,
	    arena_printf(fixture.mem, "%d", 16000 + TAIL));
	ck_assert_str_eq(finished(&asr_sherpa, b).text,
	    arena_printf(fixture.mem, "%d", 8000 + TAIL));
	ck_assert_int_eq(count_children(), 1);
	at.parallel = 2;
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	ck_assert_int_eq(feed_tone(&asr_sherpa, b, 500, 1), OK);
	await(strcmp(partly(&asr_sherpa, a), "16000") == 0);
	await(strcmp(partly(&asr_sherpa, b), "6400") == 0);
	ck_assert_int_eq(count_children(), 2);
	asr_sherpa.close(a);
	asr_sherpa.close(b);
}
END_TEST

/* Behaviours of a model, and the result of a phrase. */
static const struct {
	const char *what;
	enum err how;
	int timeout_ms;
} failures[] = {
	{ "crash", ERR_FAILED, 20000 },
#ifndef __SANITIZE_ADDRESS__ /* then there is no limit */
	{ "eat", ERR_FAILED, 20000 },
#endif
	{ "spin", ERR_TIMEOUT, 300 },
	{ "hang", ERR_TIMEOUT, 20000 },
};

START_TEST(a_process_that_fails_costs_a_phrase)
{
	struct asr *a;

	use(failures[_i].what);
	at.timeout_ms = failures[_i].timeout_ms;
	a = opened(&asr_sherpa, "en");
	ck_assert_int_eq(hear_phrase(a), failures[_i].how);
	ck_assert_int_eq(count_children(), 0);
	use("count");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	ck_assert_str_eq(finished(&asr_sherpa, a).text,
	    arena_printf(fixture.mem, "%d", 16000 + TAIL));
	asr_sherpa.close(a);
}
END_TEST

/* Kills the only process, as an operator does, or the kernel without free memory. */
static void
kill_process(void)
{
	char path[64];
	siginfo_t si;
	FILE *f;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	ck_assert_ptr_nonnull(f = fopen(path, "r"));
	ck_assert_int_eq(fscanf(f, "%d", &pid), 1);
	fclose(f);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
}

START_TEST(a_process_that_is_killed_is_replaced)
{
	struct asr *a;

	use("count");
	a = opened(&asr_sherpa, "en");
	kill_process();
	ck_assert_int_eq(hear_phrase(a), OK); /* it was idle */
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	kill_process();
	ck_assert_int_eq(hear_phrase(a), ERR_FAILED);
	ck_assert_int_eq(hear_phrase(a), OK);
	ck_assert_int_eq(count_children(), 1);
	asr_sherpa.close(a);
}
END_TEST

/* Neither model can be used, and no recognizer is opened. */
static const char *const refusals[] = { "refuse", "exit" };

START_TEST(a_model_that_cannot_be_loaded_is_refused)
{
	struct asr *a;

	use(refusals[_i]);
	ck_assert_int_eq(open_one(&a), ERR_UNSUPPORTED);
	ck_assert_int_eq(SAY(.text = "ab"), ERR_UNSUPPORTED);
	ck_assert_int_eq(count_children(), 0);
}
END_TEST

START_TEST(wrong_settings_are_refused)
{
	struct asr *a;

	use("count");
	at.library = "/nowhere/libsherpa-onnx-c-api.so";
	ck_assert_int_eq(open_one(&a), ERR_UNSUPPORTED);
	at.library = arena_printf(fixture.mem, "%s/tokens.txt", dir); /* no library */
	ck_assert_int_eq(open_one(&a), ERR_UNSUPPORTED);
	use("count");
	at.model = "/nowhere";
	ck_assert_int_eq(open_one(&a), ERR_UNSUPPORTED);
	use("count");
	at.library = "libm.so.6"; /* a library without the functions */
	ck_assert_int_eq(open_one(&a), ERR_UNSUPPORTED);
	use("count");
	at.kind = "whisper"; /* a library of an unknown version */
	ck_assert_int_eq(open_one(&a), ERR_UNSUPPORTED);
}
END_TEST

START_TEST(a_library_gets_nothing_of_the_host)
{
	struct asr *a;

	use("thieve");
	a = opened(&asr_sherpa, "en");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 1), OK);
	ck_assert_str_eq(finished(&asr_sherpa, a).text, "Threads.");
	asr_sherpa.close(a);
}
END_TEST

START_TEST(speech_comes_in_pieces)
{
	use("count");
	ck_assert_int_eq(SAY(.text = "abc"), OK);
	ck_assert_uint_eq(spoken.n, 3 * 1600);
	ck_assert_int_eq(spoken.rate_hz, 22050);
	ck_assert_double_eq(spoken.first, 0);
	ck_assert_int_eq(SAY(.text = "abc", .voice = "2"), OK);
	ck_assert_double_eq_tol(spoken.first, 0.5, 0.001);
	ck_assert_int_eq(SAY(.text = "abc", .voice = "9"), OK); /* no model exists */
	ck_assert_double_eq(spoken.first, 0);
	ck_assert_int_eq(count_children(), 1);
}
END_TEST

/* A sample that is stored is synthesized as a whole, not in pieces. */
START_TEST(clauses_are_spoken_one_by_one)
{
	const char *text = "A sensor costs as much as boots, it breaks when a tractor "
			   "drives over it, and somebody must read it.";

	use("begin");
	ck_assert_int_eq(SAY(.text = text), OK);
	ck_assert_int_eq(spoken.texts, 3);
	ck_assert_uint_eq(spoken.n, strlen(text) * 1600);
	ck_assert_int_eq(SAY(.text = text, .sample = true), OK);
	ck_assert_int_eq(spoken.texts, 1);
	spoken.most = 2;
	ck_assert_int_eq(SAY(.text = text), OK);
	ck_assert_int_eq(spoken.texts, 1);
	spoken.most = 0;
}
END_TEST

START_TEST(speech_ends_without_listeners)
{
	use("endless");
	spoken.most = 2;
	ck_assert_int_eq(SAY(.text = "abc"), OK);
	ck_assert_uint_eq(spoken.pieces, 2);
	ck_assert_int_eq(SAY(.text = "abc", .voice = "1"), OK);
	ck_assert_uint_eq(spoken.pieces, 2);
	/* not the rest of the earlier phrase */
	ck_assert_double_eq_tol(spoken.first, 0.25, 0.001);
	ck_assert_int_eq(count_children(), 1);
	spoken.most = 0;
}
END_TEST

START_TEST(speech_fails_alone)
{
	char *text = arena_alloc(fixture.mem, MODEL_BYTES + 1);

	use("hang");
	ck_assert_int_eq(SAY(.text = "abc"), ERR_TIMEOUT);
	use("crash"); /* 7 Hz */
	ck_assert_int_eq(SAY(.text = "abc"), ERR_REFUSED);
	use("count");
	memset(text, 'a', MODEL_BYTES);
	ck_assert_int_eq(SAY(.text = text), ERR_REFUSED);
	model_end_idle();
	text[MODEL_BYTES - sizeof(struct model_utterance)] = '\0';
	spoken.most = 1;
	ck_assert_int_eq(SAY(.text = text), OK);
	spoken.most = 0;
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("model process");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_phrase_is_heard_whole);
	tcase_add_loop_test(t, a_phrase_is_recognized_after_its_end, 0, COUNT(offline));
	tcase_add_test(t, a_text_grows_with_the_phrase);
	tcase_add_test(t, streams_share_a_process);
	tcase_add_loop_test(t, a_process_that_fails_costs_a_phrase, 0, COUNT(failures));
	tcase_add_test(t, a_process_that_is_killed_is_replaced);
	tcase_add_loop_test(
	    t, a_model_that_cannot_be_loaded_is_refused, 0, COUNT(refusals));
	tcase_add_test(t, wrong_settings_are_refused);
	tcase_add_test(t, a_library_gets_nothing_of_the_host);
	tcase_add_test(t, speech_comes_in_pieces);
	tcase_add_test(t, clauses_are_spoken_one_by_one);
	tcase_add_test(t, speech_ends_without_listeners);
	tcase_add_test(t, speech_fails_alone);
	suite_add_tcase(s, t);
	return unit_run(s);
}
