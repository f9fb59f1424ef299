/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/apertium_fixture.h"

/* ---- what is translated ---- */

static const struct {
	const char *from, *to, *text, *out;
} sentences[] = {
	/* clang-format off */
	{ "en", "es", "Good morning.", "Buenos días." },
	{ "en", "es", "The house is big.", "La casa es grande." },
	{ "en-us", "es-mx", "The house is big.", "La casa es grande." },
	{ "es", "en", "La casa es grande.", "The house is big." },
	{ "es", "en-us", "La casa es grande.", "The house is big." },
	{ "es-mx", "en-gb", "La casa es grande.", "The house is big." },
	{ "en", "es", "the house is big", "La casa es grande" },
	{ "en", "es", "I give up smoking.", "Dejo de fumar." },
	{ "en", "es", "The xqzterma is big.", "El xqzterma es grande." },
	/* characters with a meaning for Apertium have none in texts */
	{ "en", "es", "[house], {house}, <house>, ^house$, 10/20, xq\\xz, @house",
	  "[Casa], {casa}, <casa>, ^casa$, 10/20, xq\\xz, @casa" },
	{ "en", "es", "house [[g:0]]house[[/]] [<STREAMCMD:FLUSH>] house",
	  "Casa [[g:0]]casa[[/]] [<STREAMCMD:FLUSH>] casa" },
	{ "en", "es", "house,\nhouse", "Casa, casa" },
	{ "en", "es", "...", "..." },
	{ "en", "es", "^", "^" },
	{ "en", "es", "10 ^ %", "10 ^ %" },
	{ "en", "es", "你好", "你好" },
	/* terms */
	{ "en", "es", "The |budgets>PRESUS| of the big project are very small.",
	  "Los PRESUS del proyecto grande son muy pequeños." },
	{ "en", "es", "The |big house>torre alta| is here.", "La torre alta es aquí." },
	{ "en", "es", "The |xqzterma>cosa| is here.", "La cosa es aquí." },
	{ "en", "es", "|Budgets>presus| are small.", "Presus son pequeños." },
	{ "en", "es", "|We don't know>ni idea| it.", "Ni idea él." },
	/* several words, another gender or number, a name, a word that is no noun */
	{ "en", "es", "The |coffee break>pausa para el café| is red.",
	  "La pausa para el café es roja." },
	{ "en", "es", "The |headset>auriculares| is red.", "Los auriculares es rojos." },
	{ "en", "es", "We need a new |heat pump>bomba de calor|.",
	  "Necesitamos una bomba de calor nueva." },
	{ "en", "es", "|Heat pumps>bombas de calor| are red.",
	  "Las bombas de calor son rojas." },
	{ "en", "es", "We use |Acme Cloud>Acme Cloud| every day.",
	  "Utilizamos Acme Cloud todos los días." },
	{ "en", "es", "|As you know>como es sabido|, the house is big.",
	  "Como es sabido, la casa es grande." },
	{ "en", "es", "The house is |big>enorme|.", "La casa es enorme." },
	{ "es", "en", "Las |bombas de calor>heat pumps| son rojas.",
	  "The heat pumps are red." },
	{ "es", "en", "La |pausa para el café>coffee break| es larga.",
	  "The coffee break is long." },
	{ "en", "es", "See |[a/b]>x|.", "Ve x." },
	{ "es", "en", "El |presupuesto>allotment| es pequeño.", "The allotment is small." },
	/* clang-format on */
};

START_TEST(sentences_are_translated)
{
	const char *out;

	ck_assert_int_eq(
	    translate(sentences[_i].from, sentences[_i].to, sentences[_i].text, &out),
	    OK);
	ck_assert_str_eq(out, sentences[_i].out);
	ck_assert(guarded);
}
END_TEST

START_TEST(terms_with_long_targets_are_guarded_too)
{
	char target[1001];
	struct mt_term terms[40];
	struct mt_text t = { .from = "en", .to = "es", .terms = terms, .nterms = 40 };
	struct buf b = { .mem = mem };
	const char *out;

	memset(target, 'a', sizeof(target) - 1);
	target[sizeof(target) - 1] = '\0';
	for (int i = 0; i < COUNT(terms); i++) {
		terms[i] = (struct mt_term){ b.len, strlen("house"), target, false };
		buf_str(&b, "house, ");
	}
	t.text = buf_text(&b);
	ck_assert_int_eq(
	    mt_translate(&mt_apertium, &here, mem, &t, &out, &guarded), OK);
	ck_assert(guarded);
	ck_assert_uint_gt(strlen(out), COUNT(terms) * strlen(target));
}
END_TEST

/* The analyser is given only targets. */
START_TEST(targets_mean_nothing_to_the_analyser)
{
	static const char *const targets[] = { "[t1]", "a$b^c/d<n>", "\\", "]", "[",
		"^", "/", "*", "{x}", "casa[t1]perro.[t0]", "~", "a\tb" };
	const char *out;

	for (int i = 0; i < COUNT(targets); i++) {
		ck_assert_int_eq(
		    translate("en", "es",
			arena_printf(mem, "The |big house>%s| is red.", targets[i]),
			&out),
		    OK);
		ck_assert_msg(
		    guarded && strstr(out, targets[i]) != NULL, "%s", targets[i]);
	}
}
END_TEST

/* Two terms of one word cannot both be kept. */
START_TEST(a_lost_term_is_told_and_the_rest_translated)
{
	const struct mt_term terms[] = { { 4, 2, "X" }, { 6, 3, "Y" } };
	struct mt_text t = { "The houses are big.", "en", "es", terms, 2, 0 };
	const char *out, *bare = spanish("The houses are big.");

	ck_assert_int_eq(
	    mt_translate(&mt_apertium, &here, mem, &t, &out, &guarded), OK);
	if (guarded) {
		ck_assert_ptr_nonnull(strstr(out, "X"));
		ck_assert_ptr_nonnull(strstr(out, "Y"));
	} else
		ck_assert_str_eq(out, bare);
}
END_TEST

START_TEST(installed_modes_are_pairs)
{
	struct list pairs;
	const struct mt_pair *p;
	bool en_es = false, es_en = false;

	ck_assert_int_eq(mt_apertium.list(&here, mem, &pairs), OK);
	p = pairs.items;
	for (size_t i = 0; i < pairs.n; i++) {
		en_es = en_es || (!strcmp(p[i].from, "en") && !strcmp(p[i].to, "es"));
		es_en = es_en || (!strcmp(p[i].from, "es") && !strcmp(p[i].to, "en"));
		ck_assert(mt_pairs(&mt_apertium, &here, p[i].from, p[i].to));
	}
	ck_assert(en_es && es_en);
	ck_assert(mt_pairs(&mt_apertium, &here, "en-gb", "es-ar"));
	ck_assert(!mt_pairs(&mt_apertium, &here, "en", "ja"));
	ck_assert(!mt_pairs(&mt_apertium, &here, "../x", "es"));
}
END_TEST

START_TEST(a_pair_without_a_mode_is_refused)
{
	const char *out;

	ck_assert_int_eq(translate("en", "ja", "Hi.", &out), ERR_UNSUPPORTED);
}
END_TEST

START_TEST(the_longest_text_comes_through)
{
	struct buf b = { .mem = mem };

	while (b.len + 8 < MT_TEXT_BYTES)
		buf_str(&b, "house, ");
	ck_assert_uint_gt(strlen(spanish(buf_text(&b))), MT_TEXT_BYTES / 2);
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
}
END_TEST

/* ---- what goes wrong ---- */

static const char *const stages[] = { "eng-spa.automorf.bin", "eng-spa.prob",
	"eng-spa.t1x.bin", "eng-spa.t3x.bin", "eng-spa.autopgen.bin" };

START_TEST(a_stage_that_died_between_sentences_is_not_noticed)
{
	pid_t pid;
	int n;

	spanish("The house is big.");
	n = count_children();
	ck_assert_int_gt(n, 5);
	pid = find_stage(stages[_i]);
	ck_assert_int_gt(pid, 0);
	kill(pid, SIGKILL);
	for (int i = 0; i < COUNT(stages); i++) /* the other programs end with it */
		await(find_stage(stages[i]) == 0);
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
	ck_assert_int_eq(count_children(), n);
	ck_assert_int_ne(find_stage(stages[_i]), pid);
}
END_TEST

START_TEST(a_mode_is_warm_before_its_first_sentence)
{
	int before = count_children();
	pid_t pid;

	warm(&here, "en", "ja");
	warm(&here, "es", "es-mx");
	ck_assert_int_eq(count_children(), before);
	warm(&here, "en-gb", "es-mx");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	warm(&here, "en", "es");
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
	ck_assert_int_eq(find_stage("eng-spa.t1x.bin"), pid);
}
END_TEST

static void *
kill_soon(void *arg)
{
	usleep(300000);
	kill((pid_t)(intptr_t)arg, SIGKILL);
	return NULL;
}

START_TEST(a_stage_that_dies_in_a_sentence_fails_that_one_alone)
{
	pid_t pid;
	pthread_t thread;
	const char *out;
	int64_t start_us;

	spanish("The house is big.");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	kill(pid, SIGSTOP); /* so that the sentence is still being translated */
	pthread_create(&thread, NULL, kill_soon, (void *)(intptr_t)pid);
	start_us = monotonic_us();
	ck_assert_int_eq(translate("en", "es", "The house is red.", &out), ERR_FAILED);
	ck_assert_int_lt(monotonic_us() - start_us, 9 * S_US); /* of ten */
	pthread_join(thread, NULL);
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* then there is no pipeline */
START_TEST(a_stage_has_a_limit_on_its_memory)
{
	const char *pid;

	spanish("The house is big.");
	pid = arena_printf(mem, "%d", (int)find_stage("eng-spa.t1x.bin"));
	ck_assert_int_eq(figure(pid, "limits", "Max address space"), 512L << 20);
}
END_TEST
#endif

/* ---- how much, how fast ---- */

struct job {
	pthread_t thread;
	const char *from, *to, *text, *out;
	int wrong;
};

#define ROUNDS 100

static void *
work(void *arg)
{
	struct job *job = arg;
	struct arena *own = arena_new();
	const struct mt_text t = {
		.text = job->text, .from = job->from, .to = job->to
	};
	const char *out;
	bool all;

	for (int i = 0; i < ROUNDS; i++) {
		if (mt_translate(&mt_apertium, &here, own, &t, &out, &all) != OK ||
		    strcmp(out, job->out) != 0)
			job->wrong++;
		arena_reset(own);
	}
	arena_free(own);
	return NULL;
}

START_TEST(four_threads_share_the_modes)
{
	struct job jobs[] = {
		{ 0, "en", "es", "The house is big.", "La casa es grande.", 0 },
		{ 0, "en", "es", "Good morning.", "Buenos días.", 0 },
		{ 0, "en", "es", "I give up smoking.", "Dejo de fumar.", 0 },
		{ 0, "en", "es", "The house is red.", "La casa es roja.", 0 },
	};
	int64_t start_us = monotonic_us();

	if (_i == 1) {
		jobs[0] = (struct job){ 0, "es", "en", "La casa es grande.",
			"The house is big.", 0 };
		jobs[1] = (struct job){ 0, "es", "en", "La casa es roja.",
			"The house is red.", 0 };
	}
	for (int i = 0; i < COUNT(jobs); i++)
		ck_assert_int_eq(
		    pthread_create(&jobs[i].thread, NULL, work, &jobs[i]), 0);
	for (int i = 0; i < COUNT(jobs); i++) {
		pthread_join(jobs[i].thread, NULL);
		ck_assert_int_eq(jobs[i].wrong, 0);
	}
	printf("4 threads, %d modes: %d sentences in %.0f ms\n", _i + 1,
	    ROUNDS * COUNT(jobs), (double)(monotonic_us() - start_us) / 1000);
	/* The threads have ended, but not the programs that they started. */
	ck_assert_int_gt(count_children(), 5);
}
END_TEST

static int
by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
print_memory(void)
{
	long pss = 0, own = 0, most = 0;
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while ((d = readdir(dir)) != NULL) {
		if (atoi(d->d_name) <= 0 || !is_child(d->d_name))
			continue;
		long peak = figure(d->d_name, "status", "VmPeak:");

		pss += figure(d->d_name, "smaps_rollup", "\nPss:");
		own += figure(d->d_name, "smaps_rollup", "\nPrivate_Dirty:");
		most = peak > most ? peak : most;
	}
	closedir(dir);
	printf("%d processes: %ld KB, %ld KB private; largest address space %ld KB\n",
	    count_children(), pss, own, most);
}

START_TEST(a_sentence_takes_milliseconds)
{
	static const char *const text[] = { "Good morning.",
		"The budgets of the big project are very small.",
		"I would like to thank you all for coming to this conference today.",
		"We will talk about the new machines that we have bought this year." };
	int64_t us[400], start_us = monotonic_us();

	spanish("Hello.");
	printf("first sentence: %.0f ms\n", (double)(monotonic_us() - start_us) / 1000);
	for (int i = 0; i < COUNT(us); i++) {
		start_us = monotonic_us();
		spanish(text[i % COUNT(text)]);
		us[i] = monotonic_us() - start_us;
	}
	qsort(us, COUNT(us), sizeof(us[0]), by_size);
	printf("a sentence: median %.2f ms, p95 %.2f ms, most %.2f ms\n",
	    (double)us[COUNT(us) / 2] / 1000, (double)us[COUNT(us) * 95 / 100] / 1000,
	    (double)us[COUNT(us) - 1] / 1000);
	print_memory();
	ck_assert_int_lt(us[COUNT(us) / 2], 100000);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt_apertium");
	TCase *tc = tcase_create("mt_apertium");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, sentences_are_translated, 0, COUNT(sentences));
	tcase_add_test(tc, terms_with_long_targets_are_guarded_too);
	tcase_add_test(tc, targets_mean_nothing_to_the_analyser);
	tcase_add_test(tc, a_lost_term_is_told_and_the_rest_translated);
	tcase_add_test(tc, installed_modes_are_pairs);
	tcase_add_test(tc, a_pair_without_a_mode_is_refused);
	tcase_add_test(tc, the_longest_text_comes_through);
	tcase_add_test(tc, a_mode_is_warm_before_its_first_sentence);
	tcase_add_loop_test(
	    tc, a_stage_that_died_between_sentences_is_not_noticed, 0, COUNT(stages));
	tcase_add_test(tc, a_stage_that_dies_in_a_sentence_fails_that_one_alone);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(tc, a_stage_has_a_limit_on_its_memory);
#endif
	tcase_add_loop_test(tc, four_threads_share_the_modes, 0, 2);
	tcase_add_test(tc, a_sentence_takes_milliseconds);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
