#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "speech/mt.h"
#include "tests/unit/suite.h"
#include "tests/unit/warm.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static struct arena *mem;
static bool guarded;
static const struct engine_at here = {
	.id = "apertium", .kind = "apertium", .timeout_ms = 10000
};

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

/* One term, where the text has "|word>target|". */
static enum err
translate(const char *from, const char *to, const char *marked, const char **out)
{
	const char *bar = strchr(marked, '|'), *end, *target;
	struct mt_term term;
	struct mt_text t = { .text = marked, .from = from, .to = to };

	if (bar != NULL) {
		target = strchr(bar, '>');
		end = strchr(target, '|');
		term = (struct mt_term){ (size_t)(bar - marked),
			(size_t)(target - bar) - 1,
			arena_dup(mem, target + 1, (size_t)(end - target) - 1) };
		t.text = arena_printf(mem, "%.*s%.*s%s", (int)term.at, marked,
		    (int)term.len, bar + 1, end + 1);
		t.terms = &term;
		t.nterms = 1;
	}
	*out = NULL;
	return mt_translate(&mt_apertium, &here, mem, &t, out, &guarded);
}

static const char *
spanish(const char *marked)
{
	const char *out;

	ck_assert_int_eq(translate("en", "es", marked, &out), OK);
	return out;
}

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
	/* what means something to Apertium means nothing here */
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
	{ "en", "es", "The |xqzterma>cosa| is here.", "El cosa es aquí." },
	{ "en", "es", "|Budgets>presus| are small.", "Presus son pequeños." },
	{ "en", "es", "|We don't know>ni idea| it.", "Ni idea lo." },
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

/* Two terms of one word cannot both stay. */
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

/* What a file of /proc/PID says; "" when there is none. */
static const char *
read_proc(const char *pid, const char *name, size_t *n)
{
	FILE *f = fopen(arena_printf(mem, "/proc/%s/%s", pid, name), "r");
	char *text = arena_alloc(mem, 8192);

	*n = f != NULL ? fread(text, 1, 8191, f) : 0;
	if (f != NULL)
		fclose(f);
	return text;
}

static bool
is_child(const char *pid)
{
	size_t n;
	const char *stat = read_proc(pid, "stat", &n), *end = strrchr(stat, ')');

	return end != NULL && atoi(end + 4) == getpid();
}

/* The number behind that word in a file of a process. */
static long
figure(const char *pid, const char *file, const char *word)
{
	size_t n;
	const char *at = strstr(read_proc(pid, file, &n), word);

	return at != NULL ? strtol(at + strlen(word), NULL, 10) : 0;
}

/* The child whose arguments hold this; 0: there is none. */
static pid_t
find_stage(const char *what)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	pid_t found = 0;
	size_t n;

	while (found == 0 && (d = readdir(dir)) != NULL) {
		const char *line = read_proc(d->d_name, "cmdline", &n);

		if (atoi(d->d_name) > 0 && is_child(d->d_name) &&
		    memmem(line, n, what, strlen(what)) != NULL)
			found = atoi(d->d_name);
	}
	closedir(dir);
	return found;
}

static int
count_children(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *d;
	char line[4096];
	FILE *f;
	int n = 0;

	while ((d = readdir(dir)) != NULL) {
		f = fopen(
		    arena_printf(mem, "/proc/self/task/%s/children", d->d_name), "r");
		if (f == NULL)
			continue;
		for (size_t k = fread(line, 1, sizeof(line), f); k-- > 0;)
			n += line[k] == ' ';
		fclose(f);
	}
	closedir(dir);
	return n;
}

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
	usleep(200000);
	for (int i = 0; i < COUNT(stages); i++) /* the others with it */
		ck_assert_int_eq(find_stage(stages[i]), 0);
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
	kill(pid, SIGSTOP); /* so that the sentence is still there */
	pthread_create(&thread, NULL, kill_soon, (void *)(intptr_t)pid);
	start_us = monotonic_us();
	ck_assert_int_eq(translate("en", "es", "The house is red.", &out), ERR_FAILED);
	ck_assert_int_lt(monotonic_us() - start_us, S_US);
	pthread_join(thread, NULL);
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
}
END_TEST

/* ---- whose time counts ---- */

/* With so much time from when its programs begin with it. */
static enum err
translate_within(const char *text, int64_t timeout_ms, const char **out)
{
	const struct mt_text t = {
		.text = text, .from = "en", .to = "es", .timeout_ms = timeout_ms
	};

	return mt_translate(&mt_apertium, &here, mem, &t, out, &guarded);
}

static void
check_house_by(pid_t pid)
{
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
	ck_assert_int_eq(find_stage("eng-spa.t1x.bin"), pid);
}

START_TEST(a_sentence_does_not_pay_for_the_start)
{
	const char *out;
	int64_t start_us = monotonic_us();

	/* It takes some 5 ms, the start some 800. */
	ck_assert_int_eq(translate_within("The house is big.", 400, &out), OK);
	ck_assert_str_eq(out, "La casa es grande.");
	printf("cold: %.0f ms\n", (double)(monotonic_us() - start_us) / 1000);
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

/* The one before it keeps the programs for longer than its own time is. */
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
	check_house_by(pid);
}
END_TEST

START_TEST(a_late_answer_is_skipped_and_its_programs_live)
{
	const char *out;
	pid_t pid;

	spanish("The house is big.");
	ck_assert_int_gt(pid = find_stage("eng-spa.t1x.bin"), 0);
	kill(pid, SIGSTOP);
	for (int i = 0; i < 3; i++) /* the first is in there, two wait for their turn */
		ck_assert_int_eq(
		    translate_within("The house is red.", i == 0 ? 200 : 0, &out),
		    ERR_TIMEOUT);
	kill(pid, SIGCONT);
	check_house_by(pid);
}
END_TEST

START_TEST(stopped_programs_keep_nobody_waiting)
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
	/* The other mode did not notice. */
	ck_assert_int_eq(translate("es", "en", "La casa es grande.", &out), OK);
	ck_assert_int_eq(find_stage("spa-eng.t1x.bin"), other);
	kill(pid, SIGCONT);
	check_house_by(pid);
}
END_TEST

static bool
is_unwanted(void *arg)
{
	return ++*(int *)arg > 2;
}

START_TEST(a_sentence_that_nobody_wants_any_more_is_left_behind)
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
	check_house_by(pid);
}
END_TEST

/* The longest text takes far more of it than 20 ms. */
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
	strict.timeout_ms = 20;
	ck_assert_int_eq(
	    mt_translate(&mt_apertium, &strict, mem, &t, &out, &guarded), ERR_TIMEOUT);
	ck_assert_str_eq(spanish("The house is big."), "La casa es grande.");
	ck_assert_int_ne(find_stage("eng-spa.t1x.bin"), pid);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* then there is none */
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
	/* The threads are gone, what they have started is not. */
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
	tcase_add_test(tc, a_lost_term_is_told_and_the_rest_translated);
	tcase_add_test(tc, installed_modes_are_pairs);
	tcase_add_test(tc, a_pair_without_a_mode_is_refused);
	tcase_add_test(tc, the_longest_text_comes_through);
	tcase_add_test(tc, a_mode_is_warm_before_its_first_sentence);
	tcase_add_loop_test(
	    tc, a_stage_that_died_between_sentences_is_not_noticed, 0, COUNT(stages));
	tcase_add_test(tc, a_stage_that_dies_in_a_sentence_fails_that_one_alone);
	tcase_add_test(tc, a_sentence_does_not_pay_for_the_start);
	tcase_add_test(tc, a_sentence_does_not_pay_for_its_turn);
	tcase_add_test(tc, a_late_answer_is_skipped_and_its_programs_live);
	tcase_add_test(tc, stopped_programs_keep_nobody_waiting);
	tcase_add_test(tc, a_sentence_that_nobody_wants_any_more_is_left_behind);
	tcase_add_test(tc, programs_that_run_away_are_killed_for_their_processor_time);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(tc, a_stage_has_a_limit_on_its_memory);
#endif
	tcase_add_loop_test(tc, four_threads_share_the_modes, 0, 2);
	tcase_add_test(tc, a_sentence_takes_milliseconds);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
