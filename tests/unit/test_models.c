/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engines sherpa and whisper with the real libraries, and models that the test
 * makes: lib/speech/model_sherpa.c, model_whisper.c.  The libraries come from npm
 * (tests/model-libraries). Without them the tests only check that their absence is
 * reported.
 */
#include <signal.h>

#include "tests/unit/model_fixture.h"
#include "tests/unit/tiny_models.h"

#define SHERPA "sherpa-onnx-linux-x64/libsherpa-onnx-c-api.so"
#define FAINT 0.01
#define WHISPER "@fugood/node-whisper-linux-x64/index.node"

/* False: the library is not available. */
static bool
use(const char *kind, const char *library)
{
	at.kind = kind;
	at.library = arena_printf(
	    fixture.mem, "%s/../model-libraries/node_modules/%s", self, library);
	return access(at.library, R_OK) == 0;
}

START_TEST(sherpa_recognizes_while_it_is_said)
{
	struct asr *a;

	if (!use("sherpa", SHERPA))
		return;
	tiny_transducer(dir);
	a = opened(&asr_sherpa, "en");
	ck_assert_int_eq(count_children(), 1);
	for (int phrase = 0; phrase < 3; phrase++) {
		ck_assert_int_eq(feed_tone(&asr_sherpa, a, 800, 0.5), OK);
		await(strcmp(partly(&asr_sherpa, a), "hello") == 0);
		ck_assert_int_eq(feed_tone(&asr_sherpa, a, 480, 0.5), OK);
		ck_assert_str_eq(finished(&asr_sherpa, a).text, "Hello world.");
	}
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 0), OK);
	ck_assert_str_eq(finished(&asr_sherpa, a).text, "");
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 1000, 0.5), OK);
	asr_sherpa.drop(a);
	ck_assert_str_eq(finished(&asr_sherpa, a).text, "");
	asr_sherpa.close(a);
}
END_TEST

/* Returns the text of a faint tone, for which the model is not sure of HELLO. */
static const char *
faint_text(const char *term)
{
	struct asr_want want = { .lang = "en", .hints = { &term, term != NULL } };
	struct asr *a = NULL;
	const char *text;

	ck_assert_int_eq(asr_sherpa.open(&at, &want, &a), OK);
	ck_assert_int_eq(feed_tone(&asr_sherpa, a, 640, FAINT), OK);
	text = finished(&asr_sherpa, a).text;
	asr_sherpa.close(a);
	return text;
}

START_TEST(sherpa_prefers_hot_words)
{
	if (!use("sherpa", SHERPA))
		return;
	tiny_transducer(dir);
	ck_assert_str_eq(faint_text("World"), "Hello.");
	/* Without the vocabulary the model knows no hot words. */
	model_end_idle();
	unit_write(arena_printf(fixture.mem, "%s/bpe.vocab", dir),
	    "<blk>\t0\n\xe2\x96\x81HELLO\t-1\n\xe2\x96\x81WORLD\t-2\n");
	for (int phrase = 0; phrase < 2; phrase++) {
		ck_assert_str_eq(faint_text("World"), "World world.");
		ck_assert_str_eq(faint_text(NULL), "Hello hello.");
		ck_assert_str_eq(faint_text("nonsense/word"), "Hello hello.");
	}
}
END_TEST

START_TEST(sherpa_speaks)
{
	if (!use("sherpa", SHERPA))
		return;
	tiny_vits(dir);
	ck_assert_int_eq(SAY(.text = "abc."), OK);
	ck_assert_uint_eq(spoken.n, 4 * TINY_LETTER);
	ck_assert_int_eq(spoken.rate_hz, TINY_RATE_HZ);
	ck_assert_double_eq_tol(spoken.first, 0.01, 0.001);
	ck_assert_int_eq(SAY(.text = "abc.", .voice = "1"), OK);
	ck_assert_double_eq_tol(spoken.first, 0.11, 0.001);
	ck_assert_int_eq(SAY(.text = "abc.", .rate = 2), OK);
	ck_assert_double_eq_tol(spoken.first, 0.005, 0.001);
}
END_TEST

/* False: the library is not available. */
static bool
use_whisper(void)
{
	if (!use("whisper", WHISPER))
		return false;
	at.model = arena_printf(fixture.mem, "%s/tiny.bin", dir);
	at.languages = NULL;
	tiny_whisper(at.model);
	return true;
}

START_TEST(whisper_hears_a_phrase)
{
	struct asr_result h;
	struct asr *a;

	if (!use_whisper())
		return;
	a = opened(&asr_whisper, "es");
	ck_assert_int_eq(feed_tone(&asr_whisper, a, 700, 0.5), OK);
	ck_assert_str_eq(partly(&asr_whisper, a), "");
	h = finished(&asr_whisper, a);
	ck_assert_str_eq(h.text, "hello");
	ck_assert_str_eq(h.lang, "es");
	ck_assert_int_eq(feed_tone(&asr_whisper, a, 31000, 0.5), OK);
	ck_assert_str_eq(finished(&asr_whisper, a).text, "hello hello");
	asr_whisper.close(a);
	a = opened(&asr_whisper, "auto");
	ck_assert_int_eq(feed_tone(&asr_whisper, a, 700, 0.5), OK);
	ck_assert_str_eq(finished(&asr_whisper, a).lang, "de");
	asr_whisper.close(a);
}
END_TEST

/* The model takes every sound for German. */
static struct {
	const char *wanted, *candidates[3], *lang, *foreign;
} languages[] = {
	{ "de", { NULL }, "de", NULL },
	{ "es", { NULL }, "es", "de" },
	{ "auto", { NULL }, "de", NULL },
	{ "auto", { "fr", "de-AT", NULL }, "de-AT", NULL },
	/* both languages are equally unlikely */
	{ "auto", { "fr", "es", NULL }, "es", NULL },
	{ "auto", { "fr", NULL }, "fr", "de" },
};

START_TEST(whisper_reports_the_language_that_was_spoken)
{
	const char **c = languages[_i].candidates;
	struct asr_want want = { .lang = languages[_i].wanted, .candidates = { c, 0 } };
	struct asr_result h;
	struct asr *a = NULL;

	if (!use_whisper())
		return;
	while (c[want.candidates.n] != NULL)
		want.candidates.n++;
	ck_assert_int_eq(asr_whisper.open(&at, &want, &a), OK);
	ck_assert_int_eq(feed_tone(&asr_whisper, a, 700, 0.5), OK);
	h = finished(&asr_whisper, a);
	ck_assert_str_eq(h.lang, languages[_i].lang);
	ck_assert_pstr_eq(h.foreign, languages[_i].foreign);
	ck_assert_double_gt(h.confidence, 0.5);
	asr_whisper.close(a);
}
END_TEST

/* The children: the loader, and the processes that it has forked. */
static size_t
list_children(pid_t to[8])
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *d;
	size_t n = 0;
	FILE *f;

	while ((d = readdir(tasks)) != NULL) {
		f = fopen(
		    arena_printf(fixture.mem, "/proc/self/task/%s/children", d->d_name),
		    "r");
		while (f != NULL && n < 8 && fscanf(f, "%d", &to[n]) == 1)
			n++;
		if (f != NULL)
			fclose(f);
	}
	closedir(tasks);
	return n;
}

START_TEST(processes_of_whisper_share_a_model)
{
	struct asr *a, *b;
	pid_t pids[8];

	if (!use_whisper())
		return;
	at.parallel = 2;
	a = opened(&asr_whisper, "es");
	b = opened(&asr_whisper, "es");
	ck_assert_int_eq(feed_tone(&asr_whisper, a, 700, 0.5), OK);
	ck_assert_int_eq(feed_tone(&asr_whisper, b, 700, 0.5), OK);
	ck_assert_str_eq(finished(&asr_whisper, a).text, "hello");
	ck_assert_str_eq(finished(&asr_whisper, b).text, "hello");
	ck_assert_uint_ge(list_children(pids), 2);
	/* whatever ends, the next phrase but one has a process */
	for (size_t n = list_children(pids); n-- > 0;) {
		struct asr_result h;

		kill(pids[n], SIGKILL);
		if (feed_tone(&asr_whisper, a, 700, 0.5) != OK ||
		    asr_whisper.finish(a, fixture.mem, &h) != OK)
			asr_whisper.drop(a);
		ck_assert_int_eq(feed_tone(&asr_whisper, a, 700, 0.5), OK);
		ck_assert_str_eq(finished(&asr_whisper, a).text, "hello");
	}
	asr_whisper.close(a);
	asr_whisper.close(b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("models");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, sherpa_recognizes_while_it_is_said);
	tcase_add_test(t, sherpa_prefers_hot_words);
	tcase_add_test(t, sherpa_speaks);
	tcase_add_test(t, whisper_hears_a_phrase);
	tcase_add_test(t, processes_of_whisper_share_a_model);
	tcase_add_loop_test(
	    t, whisper_reports_the_language_that_was_spoken, 0, COUNT(languages));
	suite_add_tcase(s, t);
	return unit_run(s);
}
