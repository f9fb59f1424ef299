/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PocketSphinx learns the words of an event: lib/speech/asr_pocketsphinx_words.c, in a
 * process of asr_pocketsphinx_process.c.
 */
#include <libgen.h>
#include <signal.h>

#include "base/child.h"
#include "speech/asr_pocketsphinx_process.h"
#include "speech/engine.h"
#include "speech/model_process.h"
#include "tests/unit/hear_processes.h"
#include "tests/unit/unit.h"

#define SPHINX (&asr_pocketsphinx)

static struct arena *mem;
static struct engine_at at;
static const char *const terms[] = { "diarization", "Anneliese Brandt", "spectrogram" };
static struct asr_want want;

static void
setup(void)
{
	char self[1024] = "";
	const char **copy;

	(void)fixture;
	mem = arena_new();
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	at = (struct engine_at){ .id = "pocketsphinx",
		.kind = "pocketsphinx",
		.threads = 1,
		.timeout_ms = 10000,
		.bin_dir = arena_printf(mem, "%s/../bin", dirname(self)) };
	copy = arena_alloc(mem, sizeof(terms));
	memcpy(copy, terms, sizeof(terms));
	want = (struct asr_want){ .lang = "en", .hints = { copy, COUNT(terms) } };
	asr_learn_words(true);
	asr_words_patient(true);
}

static void
teardown(void)
{
	asr_free_idle();
	model_end_idle();
	arena_free(mem);
}

static struct asr *
opened(void)
{
	struct asr *a;

	ck_assert_int_eq(SPHINX->open(&at, &want, &a), OK);
	return a;
}

/* A sentence spoken by flite, 16 kHz. */
static struct child_end
spoken(const char *text)
{
	const char *const argv[] = { arena_printf(
					 mem, "%s/dragoman-speech", at.bin_dir),
		"en", "flite:rms", NULL };
	const struct child c = { .argv = argv,
		.in = text,
		.in_len = strlen(text),
		.timeout_ms = 60000,
		.memory_bytes = (size_t)512 << 20,
		.out_bytes = 4 << 20 };
	struct child_end end;

	ck_assert_int_eq(child_run(&c, mem, &end), OK);
	ck_assert_int_eq(end.status, 0);
	return end;
}

static const char *
heard(struct asr *a, const char *text)
{
	struct child_end sound = spoken(text);
	struct asr_result h;

	ck_assert_int_eq(SPHINX->feed(a, (const int16_t *)(const void *)sound.out,
			     sound.out_len / sizeof(int16_t)),
	    OK);
	ck_assert_int_eq(SPHINX->finish(a, mem, &h), OK);
	return h.text;
}

#define SENTENCE "now we show you the spectrogram and explain speaker diarization"

static bool
knows_terms(const char *text)
{
	return strstr(text, "spectrogram") != NULL &&
	       strstr(text, "diarization") != NULL;
}

START_TEST(terms_are_heard_if_they_are_learnt)
{
	for (int learns = 0; learns < 2; learns++) {
		struct asr *a;

		asr_learn_words(learns);
		a = opened();
		for (int i = 0; i < 2; i++) {
			const char *text = heard(a, SENTENCE);

			ck_assert_msg(knows_terms(text) == learns, "%s", text);
		}
		SPHINX->close(a);
	}
}
END_TEST

START_TEST(a_stream_hears_while_it_learns)
{
	struct asr *a;
	const char *text = "";

	asr_words_patient(false);
	a = opened();
	for (int i = 0; i < 60 && !knows_terms(text); i++) {
		text = heard(a, SENTENCE);
		ck_assert_msg(strstr(text, "we show you") != NULL, "%s", text);
	}
	SPHINX->close(a);
}
END_TEST

/* The result of learning these words. */
static enum err
learnt(const struct list *hints)
{
	const struct list none = { 0 };
	struct vocabulary *v = vocabulary_new(mem, hints, &none, &none);
	struct hearing *h;
	enum err e;

	ck_assert_int_eq(hearing_open(&at, &h), OK);
	hearing_learn(h, v);
	while ((e = hearing_learnt(h)) == ERR_BUSY)
		usleep(10000);
	ck_assert_int_eq(hearing_learnt(h), e == OK ? OK : ERR_FAILED);
	hearing_close(h);
	return e;
}

START_TEST(words_that_need_no_help_are_not_learnt)
{
	const char *common[] = { "of", "the" };

	ck_assert_int_eq(learnt(&(struct list){ common, 2 }), ERR_NOT_FOUND);
	ck_assert_int_eq(learnt(&want.hints), OK);
}
END_TEST

START_TEST(a_stream_may_close_while_its_words_are_learnt)
{
	asr_words_patient(false);
	for (int i = 0; i < 3; i++)
		SPHINX->close(opened());
}
END_TEST

/* The process of a stream's words is its second one. */
static void
end_newest_process(void)
{
	pid_t all[8], newest = 0;
	int n = hear_processes(mem, all, COUNT(all));

	for (int i = 0; i < n; i++)
		newest = all[i] > newest ? all[i] : newest;
	ck_assert_int_eq(kill(newest, SIGKILL), 0);
}

START_TEST(a_stream_whose_process_with_words_ends_hears_without_them)
{
	struct asr *a = opened();
	struct asr_result h;
	const char *text = heard(a, SENTENCE);
	int16_t silence[1600] = { 0 };

	ck_assert_msg(knows_terms(text), "%s", text);
	end_newest_process();
	ck_assert_int_ne(SPHINX->feed(a, silence, COUNT(silence)), OK);
	ck_assert_int_ne(SPHINX->finish(a, mem, &h), OK);
	text = heard(a, "welcome to the conference");
	ck_assert_str_eq(text, "Welcome to the conference.");
	SPHINX->close(a);
}
END_TEST

START_TEST(odd_words_do_no_harm)
{
	const char *odd[] = { "", "\x01\x02", "<s> </s> <UNK>",
		"<script>alert(1)</script>", "\\end\\ ngram 1=9", "Привет", "\xff",
		"zzzz", "xq", "'''", "a", "AI", "Ng Li Wu", "Łódź", "tsktsktsk", "hmm",
		"the of and" };
	struct asr *a;

	want.names = (struct list){ odd, COUNT(odd) };
	want.titles = want.names;
	a = opened();
	for (int i = 0; i < 2; i++) {
		const char *text = heard(a, "welcome to the conference");

		ck_assert_str_eq(text, "Welcome to the conference.");
	}
	SPHINX->close(a);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asr_words");
	TCase *t = tcase_create("words");

	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, terms_are_heard_if_they_are_learnt);
	tcase_add_test(t, a_stream_hears_while_it_learns);
	tcase_add_test(t, words_that_need_no_help_are_not_learnt);
	tcase_add_test(t, a_stream_may_close_while_its_words_are_learnt);
	tcase_add_test(t, a_stream_whose_process_with_words_ends_hears_without_them);
	tcase_add_test(t, odd_words_do_no_harm);
	suite_add_tcase(s, t);
	return unit_run(s);
}
