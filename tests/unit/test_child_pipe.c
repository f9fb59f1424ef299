/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_pipe.h"
#include "tests/unit/suite.h"

static struct arena *mem;

#define MB ((size_t)1 << 20)

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

static const char *const cat[] = { "/bin/cat", NULL };

/* Starts three programs; the middle one is a shell script. */
static struct child_pipe *
start_within(const char *script, size_t memory_bytes)
{
	const char **sh = arena_alloc(mem, 4 * sizeof(*sh));
	const char *const *stage[] = { cat, sh, cat };

	sh[0] = "/bin/sh";
	sh[1] = "-c";
	sh[2] = script;
	return child_pipe_start(
	    &(struct child_pipe_plan){ "test", stage, 3, memory_bytes });
}

static struct child_pipe *
start(const char *script)
{
	return start_within(script, 256 * MB);
}

#define CPU_MS 20000 /* more processor time than any test needs */

static enum err
ask_within(struct child_pipe *p, const char *text, struct buf *out, int cpu_ms)
{
	const struct child_ask a = { .in = text,
		.n = strlen(text),
		.out = out,
		.max = 2 * MB,
		.cpu_ms = cpu_ms };

	*out = (struct buf){ .mem = mem };
	return child_pipe_ask(p, &a);
}

static enum err
ask(struct child_pipe *p, const char *text, struct buf *out)
{
	return ask_within(p, text, out, CPU_MS);
}

START_TEST(it_answers_again_and_again)
{
	struct child_pipe *p = start("exec cat");
	struct buf out;

	ck_assert_ptr_nonnull(p);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq(ask(p, arena_printf(mem, "text %d", i), &out), OK);
		ck_assert_str_eq(buf_text(&out), arena_printf(mem, "text %d", i));
	}
	ck_assert_int_eq(ask(p, "", &out), OK);
	ck_assert_uint_eq(out.len, 0);
	ck_assert(!child_pipe_dead(p));
	child_pipe_stop(p);
}
END_TEST

START_TEST(more_than_pipes_hold_goes_through)
{
	struct child_pipe *p = start("exec cat");
	char *text = arena_alloc(mem, MB + 1);
	struct buf out;

	memset(text, 'x', MB);
	ck_assert_int_eq(ask(p, text, &out), OK);
	ck_assert_uint_eq(out.len, MB);
	ck_assert_int_eq(ask(p, "y", &out), OK);
	ck_assert_str_eq(buf_text(&out), "y");
	child_pipe_stop(p);
}
END_TEST

static const struct {
	const char *script;
	enum err e;
} bad[] = {
	{ "exit 3", ERR_FAILED },
	{ "kill -SEGV $$", ERR_FAILED },
	{ "cat >/dev/null", ERR_TIMEOUT }, /* sleeps without end, like all others */
	{ "exec sleep 1000", ERR_TIMEOUT },
	{ "while :; do :; done", ERR_TIMEOUT },
	{ "exec yes", ERR_LIMIT },
	{ "exec /no/such/program", ERR_FAILED },
};

START_TEST(a_pipeline_that_fails_is_dead)
{
	struct child_pipe *p = start(bad[_i].script);
	struct buf out;

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(ask_within(p, "hello", &out, 1500), bad[_i].e);
	ck_assert(child_pipe_dead(p));
	child_pipe_stop(p);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no program is left */
}
END_TEST

/* ---- time ---- */

/* Starts a program in the middle that prints its process id with its first answer. */
static struct child_pipe *
start_known(pid_t *pid)
{
	struct child_pipe *p = start("printf '%d ' $$; exec cat");
	struct buf out;

	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(ask(p, "hello", &out), OK);
	*pid = atoi(buf_text(&out));
	ck_assert_int_gt(*pid, 0);
	return p;
}

static void *
go_on_later(void *pid)
{
	usleep(1200000);
	kill(*(pid_t *)pid, SIGCONT);
	return NULL;
}

START_TEST(an_answer_may_take_as_long_as_a_busy_host_makes_it)
{
	pid_t pid;
	struct child_pipe *p = start_known(&pid);
	pthread_t thread;
	struct buf out;

	kill(pid, SIGSTOP);
	pthread_create(&thread, NULL, go_on_later, &pid);
	ck_assert_int_eq(ask_within(p, "late", &out, 1000), OK);
	ck_assert_str_eq(buf_text(&out), "late");
	pthread_join(thread, NULL);
	child_pipe_stop(p);
}
END_TEST

struct stop {
	pid_t pid;
	int told;
};

static void
go_on(void *arg)
{
	struct stop *s = arg;

	if (++s->told == 3)
		kill(s->pid, SIGCONT);
}

START_TEST(a_stopped_program_is_told_of_and_goes_on)
{
	struct stop s = { .told = 0 };
	struct child_pipe *p = start_known(&s.pid);
	struct buf out = { .mem = mem };
	const struct child_ask a = { .in = "late",
		.n = 4,
		.out = &out,
		.max = MB,
		.cpu_ms = 1000,
		.stopped = go_on,
		.arg = &s };

	kill(s.pid, SIGSTOP);
	ck_assert_int_eq(child_pipe_ask(p, &a), OK);
	ck_assert_str_eq(buf_text(&out), "late");
	ck_assert_int_ge(s.told, 3);
	ck_assert(!child_pipe_dead(p));
	child_pipe_stop(p);
}
END_TEST

/* Each answer needs 50 ms of processor time. */
START_TEST(the_processor_time_is_of_one_question_not_of_a_life)
{
	/* of its whole processor time, most of which is spent reading the clock */
	struct child_pipe *p = start("exec perl -0 -ne 'BEGIN { $| = 1 }"
				     " sub spent { my @t = times; $t[0] + $t[1] }"
				     " $e = spent() + 0.05;"
				     " 1 while spent() < $e; print'");
	struct buf out;

	ck_assert_ptr_nonnull(p);
	for (int i = 0; i < 12; i++) {
		ck_assert_int_eq(ask_within(p, "x", &out, 400), OK);
		ck_assert_str_eq(buf_text(&out), "x");
	}
	child_pipe_stop(p);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__ /* the program needs more memory than that */
START_TEST(a_program_that_takes_too_much_memory_fails)
{
	struct child_pipe *p = start_within("x=y; while :; do x=$x$x; done", 32 * MB);
	struct buf out;

	ck_assert_int_eq(ask(p, "hello", &out), ERR_FAILED);
	ck_assert(child_pipe_dead(p));
	child_pipe_stop(p);
}
END_TEST
#endif

START_TEST(a_program_that_does_not_exist_is_told)
{
	static const char *const none[] = { "/no/such/program", NULL };
	static const char *const *const stage[] = { cat, none };
	struct child_pipe *p =
	    child_pipe_start(&(struct child_pipe_plan){ "test", stage, 2, 256 * MB });
	struct buf out;

	if (p != NULL)
		ck_assert_int_eq(ask(p, "x", &out), ERR_FAILED);
	child_pipe_stop(p);
	child_pipe_stop(NULL);
}
END_TEST

static void *
start_one(void *arg)
{
	(void)arg;
	return start("exec cat");
}

START_TEST(it_outlives_the_thread_that_started_it)
{
	pthread_t thread;
	void *got;
	struct buf out;

	pthread_create(&thread, NULL, start_one, NULL);
	pthread_join(thread, &got);
	usleep(100000);
	ck_assert_int_eq(ask(got, "x", &out), OK);
	child_pipe_stop(got);
}
END_TEST

/* True while the middle program runs, which is recognized by its argument. */
static bool
runs(const char *script)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	bool found = false;
	char line[256];
	FILE *f;

	while (!found && (d = readdir(dir)) != NULL) {
		f = fopen(arena_printf(mem, "/proc/%s/cmdline", d->d_name), "r");
		if (atoi(d->d_name) > 0 && f != NULL) {
			size_t n = fread(line, 1, sizeof(line), f);

			found = memmem(line, n, script, strlen(script)) != NULL;
		}
		if (f != NULL)
			fclose(f);
	}
	closedir(dir);
	return found;
}

START_TEST(it_dies_with_us)
{
	const char *script = arena_printf(mem, "cat; : %d", (int)getpid());
	struct buf out;
	pid_t pid;
	int fds[2];
	char c;

	ck_assert_int_eq(pipe(fds), 0);
	if ((pid = fork()) == 0) {
		if (ask(start(script), "x", &out) != OK || write(fds[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], &c, 1), 1);
	ck_assert(runs(script));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	await_by(usleep(50000), !runs(script));
	close(fds[0]);
}
END_TEST

/*
 * The pipeline must inherit none of our descriptors, or closing them here would have no
 * effect.
 */
START_TEST(it_has_none_of_our_descriptors)
{
	int fds[2];
	struct child_pipe *p;
	char c;

	ck_assert_int_eq(pipe(fds), 0);
	p = start("exec cat");
	ck_assert_ptr_nonnull(p);
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], &c, 1), 0);
	close(fds[0]);
	child_pipe_stop(p);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("child_pipe");
	TCase *tc = tcase_create("child_pipe");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_test(tc, it_answers_again_and_again);
	tcase_add_test(tc, more_than_pipes_hold_goes_through);
	tcase_add_loop_test(
	    tc, a_pipeline_that_fails_is_dead, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, an_answer_may_take_as_long_as_a_busy_host_makes_it);
	tcase_add_test(tc, a_stopped_program_is_told_of_and_goes_on);
	tcase_add_test(tc, the_processor_time_is_of_one_question_not_of_a_life);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test(tc, a_program_that_takes_too_much_memory_fails);
#endif
	tcase_add_test(tc, a_program_that_does_not_exist_is_told);
	tcase_add_test(tc, it_outlives_the_thread_that_started_it);
	tcase_add_test(tc, it_dies_with_us);
	tcase_add_test(tc, it_has_none_of_our_descriptors);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
