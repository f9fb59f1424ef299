/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PocketSphinx learns the words of an event: lib/speech/asr_pocketsphinx_words.c,
 * asr_pocketsphinx_adapted.c.
 */
#include <libgen.h>

#include "base/child.h"
#include "speech/asr_pocketsphinx_adapted.h"
#include "speech/asr_pocketsphinx_words.h"
#include "speech/engine.h"
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
	asr_adapted_limit(2);
	asr_adapted_patient(true);
}

static void
teardown(void)
{
	asr_adapted_await();
	asr_free_idle();
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

START_TEST(terms_are_heard_once_they_are_learnt)
{
	struct asr *a;
	const char *text;

	asr_adapted_limit(0);
	a = opened();
	text = heard(a, SENTENCE);
	ck_assert_msg(!knows_terms(text), "%s", text);
	asr_adapted_limit(1);
	text = heard(a, SENTENCE); /* this phrase requests the model */
	asr_adapted_await();
	text = heard(a, SENTENCE);
	ck_assert_msg(knows_terms(text), "%s", text);
	SPHINX->close(a);
}
END_TEST

START_TEST(words_are_pronounced_by_a_process)
{
	const char *words[] = { "Kubernetes", "Kowalczyk", "Łukasz" }, *phones[3];
	const struct list all = { words, 3 }, none = { words, 0 };

	ck_assert_int_eq(pronunciation_ask(mem, at.bin_dir, &all, phones), OK);
	ck_assert_str_eq(phones[0], "K Y UW B ER N IY T S");
	ck_assert_ptr_nonnull(phones[1]);
	ck_assert_ptr_nonnull(phones[2]);
	ck_assert_int_eq(pronunciation_ask(mem, at.bin_dir, &none, phones), OK);
	ck_assert_int_ne(pronunciation_ask(mem, "/nowhere", &all, phones), OK);
}
END_TEST

START_TEST(more_words_than_a_process_is_given_are_refused)
{
	enum { MANY = 10000 };
	const char **words = arena_alloc(mem, MANY * sizeof(*words));
	const char **phones = arena_alloc(mem, MANY * sizeof(*phones));
	const struct list all = { words, MANY };

	for (int i = 0; i < MANY; i++)
		words[i] = "microplastics";
	ck_assert_int_eq(pronunciation_ask(mem, at.bin_dir, &all, phones), ERR_LIMIT);
}
END_TEST

/* The state of a slot after loading succeeded or failed. */
static enum err
state_of(const struct engine_at *from, const struct list *hints)
{
	const struct list none = { 0 };
	struct vocabulary *v = vocabulary_new(mem, hints, &none, &none);
	struct decoder *d;
	struct adapted_decoder *t;
	enum err e;

	ck_assert_ptr_nonnull(v);
	ck_assert_ptr_nonnull(t = adapted_request(from, v));
	asr_adapted_await();
	e = adapted_poll(t, &d);
	adapted_release(t);
	return e;
}

START_TEST(what_cannot_be_learnt_leaves_the_stream_as_it_was)
{
	const char *common[] = { "of", "the" };
	struct engine_at wrong = at;
	struct asr *a;

	wrong.bin_dir = "/nowhere";
	ck_assert_int_eq(state_of(&wrong, &want.hints), ERR_FAILED);
	wrong = at;
	wrong.model = "/nonexistent";
	ck_assert_int_eq(state_of(&wrong, &want.hints), ERR_FAILED);
	ck_assert_int_eq(state_of(&at, &(struct list){ common, 2 }), ERR_FAILED);

	wrong = at;
	wrong.bin_dir = "/nowhere";
	ck_assert_int_eq(SPHINX->open(&wrong, &want, &a), OK);
	asr_adapted_await();
	for (int i = 0; i < 2; i++) {
		const char *text = heard(a, "welcome to the conference");

		ck_assert_str_eq(text, "Welcome to the conference.");
	}
	SPHINX->close(a);
	/* and it occupies no slot */
	ck_assert_int_eq(state_of(&at, &want.hints), OK);
	ck_assert_int_eq(state_of(&at, &want.hints), OK);
}
END_TEST

START_TEST(so_many_streams_learn_and_the_next_one_with_the_same_words_waits_for_nothing)
{
	const struct list none = { 0 };
	struct vocabulary *v = vocabulary_new(mem, &want.hints, &none, &none);
	const char *others[] = { "Ljubljana", "Zagreb" };
	const struct list other_hints = { others, 2 };
	struct vocabulary *other = vocabulary_new(mem, &other_hints, &none, &none);
	struct decoder *first, *d;
	struct adapted_decoder *a, *b;

	asr_adapted_limit(1);
	ck_assert_ptr_nonnull(a = adapted_request(&at, v));
	ck_assert_ptr_null(adapted_request(&at, v));
	asr_adapted_await();
	ck_assert_int_eq(adapted_poll(a, &first), OK);
	ck_assert_ptr_null(adapted_request(&at, v));
	adapted_release(a);
	ck_assert_ptr_nonnull(b = adapted_request(&at, v));
	ck_assert_int_eq(adapted_poll(b, &d), OK);
	ck_assert_ptr_eq(first, d);
	adapted_release(b);
	/* an unused slot is freed for other words */
	ck_assert_ptr_nonnull(b = adapted_request(&at, other));
	asr_adapted_await();
	ck_assert_int_eq(adapted_poll(b, &d), OK);
	adapted_release(b);
	asr_adapted_limit(0);
	ck_assert_ptr_null(adapted_request(&at, v));
	adapted_release(NULL);
}
END_TEST

START_TEST(a_stream_may_close_while_its_words_are_learnt)
{
	for (int i = 0; i < 3; i++)
		SPHINX->close(opened());
	asr_adapted_await();
	ck_assert_int_eq(state_of(&at, &want.hints), OK);
}
END_TEST

START_TEST(a_decoder_that_is_loaded_for_nobody_is_freed)
{
	struct vocabulary *v =
	    vocabulary_new(mem, &want.hints, &want.names, &want.titles);
	struct decoder *d;
	struct adapted_decoder *t;

	asr_adapted_limit(1);
	ck_assert_ptr_nonnull(t = adapted_request(&at, v));
	usleep(50000); /* the model is being loaded */
	adapted_release(t);
	asr_adapted_await();
	ck_assert_ptr_nonnull(t = adapted_request(&at, v));
	ck_assert_int_eq(adapted_poll(t, &d), ERR_BUSY);
	asr_adapted_await();
	ck_assert_int_eq(adapted_poll(t, &d), OK);
	adapted_release(t);
}
END_TEST

START_TEST(a_host_that_is_too_slow_for_words_hears_without_them)
{
	ck_assert(!adapted_too_slow(10 * S_US, S_US)); /* patient */
	asr_adapted_patient(false);
	ck_assert(adapted_too_slow(S_US, S_US));
	ck_assert(!adapted_too_slow(S_US / 2, S_US));
	ck_assert(!adapted_too_slow(S_US, S_US / 2)); /* too short to judge */
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
	asr_adapted_await();
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
	tcase_add_test(t, terms_are_heard_once_they_are_learnt);
	tcase_add_test(t, words_are_pronounced_by_a_process);
	tcase_add_test(t, more_words_than_a_process_is_given_are_refused);
	tcase_add_test(t, what_cannot_be_learnt_leaves_the_stream_as_it_was);
	tcase_add_test(t,
	    so_many_streams_learn_and_the_next_one_with_the_same_words_waits_for_nothing);
	tcase_add_test(t, a_stream_may_close_while_its_words_are_learnt);
	tcase_add_test(t, a_decoder_that_is_loaded_for_nobody_is_freed);
	tcase_add_test(t, a_host_that_is_too_slow_for_words_hears_without_them);
	tcase_add_test(t, odd_words_do_no_harm);
	suite_add_tcase(s, t);
	return unit_run(s);
}
