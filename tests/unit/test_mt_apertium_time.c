/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time limits of Apertium's sentences, and late answers. */
#include "tests/unit/apertium_fixture.h"

/*
 * Translates a sentence with this time limit, which begins when Apertium starts with
 * the sentence.
 */
static enum err
translate_within(const char *text, int64_t timeout_ms, const char **out)
{
	const struct mt_text t = {
		.text = text, .from = "en", .to = "es", .timeout_ms = timeout_ms
	};

	return mt_translate(&mt_apertium, &here, mem, &t, out, &guarded);
}

static void
check_fixture_by(pid_t pid)
{
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
	ck_assert_int_eq(find_stage("eng-spa.t1x.bin"), pid);
}

START_TEST(a_sentence_does_not_pay_for_the_start)
{
	const char *out;

	/* A sentence takes some 5 ms, the start some 800 ms. */
	ck_assert_int_eq(translate_within("The house is big.", 400, &out), OK);
	ck_assert_str_eq(out, "La casa es grande.");
}
END_TEST

/* A sentence of another thread. */
struct other {
	struct arena *mem;
	sem_t asked;
	bool waits;
	const char *out;
};

static bool
other_waits(void *arg)
{
	struct other *o = arg;

	if (!o->waits)
		sem_post(&o->asked);
	o->waits = true;
	return false;
}

static void *
ask_other(void *arg)
{
	struct other *o = arg;
	const struct mt_text t = { .text = "The house is red.",
		.from = "en",
		.to = "es",
		.unwanted = other_waits,
		.arg = o };
	bool all;

	if (mt_translate(&mt_apertium, &here, o->mem, &t, &o->out, &all) != OK)
		o->out = "not translated";
	return NULL;
}

static void *
go_on_later(void *arg)
{
	usleep(1000000);
	kill((pid_t)(intptr_t)arg, SIGCONT);
	return NULL;
}

/*
 * The sentence before it needs the programs for longer than this sentence's time limit.
 */
START_TEST(a_sentence_does_not_pay_for_its_turn)
{
	struct other o = { .mem = arena_new() };
	pthread_t asking, going_on;
	const char *out;
	pid_t pid;

	spanish("The house is big.");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	kill(pid, SIGSTOP);
	sem_init(&o.asked, 0, 0);
	pthread_create(&asking, NULL, ask_other, &o);
	while (sem_wait(&o.asked) != 0)
		;
	pthread_create(&going_on, NULL, go_on_later, (void *)(intptr_t)pid);
	ck_assert_int_eq(translate_within("The house is big.", 500, &out), OK);
	ck_assert_str_eq(out, "La casa es grande.");
	pthread_join(asking, NULL);
	pthread_join(going_on, NULL);
	ck_assert_str_eq(o.out, "La casa es roja.");
	arena_free(o.mem);
	check_fixture_by(pid);
}
END_TEST

START_TEST(a_late_answer_is_skipped_and_its_programs_live)
{
	const char *out;
	pid_t pid;

	spanish("The house is big.");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	kill(pid, SIGSTOP);
	/* the first sentence is being translated, two wait for their turn */
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(
		    translate_within("The house is red.", i == 0 ? 200 : 0, &out),
		    ERR_TIMEOUT);
	kill(pid, SIGCONT);
	check_fixture_by(pid);
}
END_TEST

START_TEST(stopped_programs_delay_no_request)
{
	pid_t pid, other;
	const char *out;
	int64_t start_us;

	spanish("The house is big.");
	translate("es", "en", "La casa es grande.", &out);
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	ck_assert_int_gt(other = find_stage("spa-eng.t1x.bin"), 0);
	kill(pid, SIGSTOP);
	start_us = monotonic_us();
	ck_assert_int_eq(translate("en", "es", "The house is red.", &out), ERR_TIMEOUT);
	ck_assert_int_ge(monotonic_us() - start_us, 29 * S_US / 10);
	/* The other mode is not affected. */
	ck_assert_int_eq(translate("es", "en", "La casa es grande.", &out), OK);
	ck_assert_int_eq(find_stage("spa-eng.t1x.bin"), other);
	kill(pid, SIGCONT);
	check_fixture_by(pid);
}
END_TEST

static bool
is_unwanted(void *arg)
{
	return ++*(int *)arg > 2;
}

START_TEST(a_sentence_that_is_no_longer_wanted_is_skipped)
{
	const char *out;
	int asked = 0;
	struct mt_text t = { .text = "The house is red.",
		.from = "en",
		.to = "es",
		.unwanted = is_unwanted,
		.arg = &asked };
	pid_t pid;

	spanish("The house is big.");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	kill(pid, SIGSTOP);
	ck_assert_int_eq(
	    mt_translate(&mt_apertium, &here, mem, &t, &out, &guarded), ERR_REFUSED);
	kill(pid, SIGCONT);
	check_fixture_by(pid);
}
END_TEST

/* The longest text takes much more than 1 ms, before the stage that is stopped. */
START_TEST(programs_that_run_away_are_killed_for_their_processor_time)
{
	struct engine_at strict = here;
	struct mt_text t = { .from = "en", .to = "es" };
	struct buf b = { .mem = mem };
	const char *out;
	pid_t pid;

	spanish("The house is big.");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	while (b.len + 40 < MT_TEXT_BYTES)
		buf_str(&b, "the big houses were given to us, ");
	t.text = buf_text(&b);
	strict.timeout_ms = 1;
	kill(pid, SIGSTOP); /* or a fast machine has answered before the check */
	ck_assert_int_eq(
	    mt_translate(&mt_apertium, &strict, mem, &t, &out, &guarded), ERR_TIMEOUT);
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
	ck_assert_int_ne(find_stage("eng-spa.t1x.bin"), pid);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt_apertium_time");
	TCase *tc = tcase_create("mt_apertium_time");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_sentence_does_not_pay_for_the_start);
	tcase_add_test(tc, a_sentence_does_not_pay_for_its_turn);
	tcase_add_test(tc, a_late_answer_is_skipped_and_its_programs_live);
	tcase_add_test(tc, stopped_programs_delay_no_request);
	tcase_add_test(tc, a_sentence_that_is_no_longer_wanted_is_skipped);
	tcase_add_test(tc, programs_that_run_away_are_killed_for_their_processor_time);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
