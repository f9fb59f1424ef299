/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The processor time of a long-running child, and the end of a child that has used up
 * its limit.
 */
#include "tests/unit/suite.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_clock.h"
#include "base/clock.h"
#include "channel/channel_child.h"

static void
nap_ms(int ms)
{
	usleep((unsigned)ms * 1000);
}

/* A child that works for this long in each 100 ms. */
static pid_t
start_worker(int work_ms)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	while (pid == 0) {
		int64_t end = monotonic_us() + work_ms * INT64_C(1000);

		while (monotonic_us() < end)
			;
		if (work_ms < 100)
			nap_ms(100 - work_ms);
	}
	return pid;
}

/* Returns how it ended within this time, as waitpid(2); -1: it is still running. */
static int
watch(struct child_cpu *c, pid_t pid, int s)
{
	int64_t end = monotonic_us() + s * S_US;
	int status;

	for (; monotonic_us() < end; nap_ms(200)) {
		child_cpu_allow(c, pid);
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

START_TEST(one_that_only_works_is_ended)
{
	struct child_cpu c = { .percent = 10, .full_s = 1 };

	ck_assert(child_cpu_spent(watch(&c, start_worker(100), 60)));
}
END_TEST

START_TEST(a_parent_that_does_not_look_is_no_excuse)
{
	struct child_cpu c = { .percent = 10, .full_s = 1 };
	pid_t pid = start_worker(100);
	int status;

	child_cpu_allow(&c, pid);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(child_cpu_spent(status));
}
END_TEST

START_TEST(one_within_its_share_goes_on)
{
	struct child_cpu c = { .percent = 50, .full_s = 1 };

	ck_assert_int_eq(watch(&c, start_worker(20), 5), -1);
}
END_TEST

START_TEST(what_is_not_used_is_not_saved)
{
	struct child_cpu c = { .percent = 50, .full_s = 1 };
	pid_t pid = start_worker(1);

	child_cpu_allow(&c, pid);
	c.at_us -= 3600 * S_US;
	child_cpu_allow(&c, pid);
	ck_assert_int_eq(c.left_us, S_US);
	ck_assert_int_eq(watch(&c, pid, 1), -1);
}
END_TEST

START_TEST(no_limit_is_none)
{
	struct child_cpu c = { .percent = 0, .full_s = 0 };

	ck_assert_int_eq(watch(&c, start_worker(100), 2), -1);
}
END_TEST

/* On a busy host the child gets little processor time. */
START_TEST(waiting_for_a_processor_is_progress)
{
	pid_t pid = start_worker(100);
	struct child_clock c;

	child_clock_begin(&c, &pid, 1, INT_MAX);
	for (int i = 0; i < 10; i++, nap_ms(child_clock_wait_ms(&c)))
		child_clock_check(&c);
	ck_assert_int_gt(c.ready_us, 0);
	kill(pid, SIGSTOP);
	nap_ms(CHILD_TICK_MS);
	c.ready_us = 0;
	for (int i = 0; i < 10; i++, nap_ms(child_clock_wait_ms(&c)))
		child_clock_check(&c);
	ck_assert_int_eq(c.ready_us, 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(a_stream_that_was_ended_for_it_waits_a_minute)
{
	char dir[] = "/tmp/dragoman-cpu-XXXXXX", path[64], byte;
	struct conf conf = { .bin_dir = mkdtemp(dir), .broadcast_max_children = 1 };
	struct gateway g = { .conf = &conf };
	struct channel_child c = CHANNEL_CHILD_NONE;
	const struct child what = { .reads = (const char *const[]){ dir, NULL } };
	ssize_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/spins", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("#!/bin/sh\nsleep 1\nkill -XCPU $$\n", f);
	fclose(f);
	chmod(path, 0755);
	ck_assert_int_eq(channel_child_start(&g, &c, "spins", &what, 25, "go\n"), OK);
	for (int i = 0; i < 200 && n == 0; i++, nap_ms(50))
		n = channel_child_receive(&g, &c, "spins", &byte, 1);
	ck_assert_int_eq(n, -1);
	ck_assert(channel_child_spent(&c));
	ck_assert_int_gt(c.start_us, monotonic_us() + 50 * S_US);
	ck_assert_int_eq(
	    channel_child_start(&g, &c, "spins", &what, 25, "go\n"), ERR_STALE);
	ck_assert_int_eq(g.children, 0);
	unlink(path);
	rmdir(dir);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("processor time of children");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, one_that_only_works_is_ended);
	tcase_add_test(t, a_parent_that_does_not_look_is_no_excuse);
	tcase_add_test(t, one_within_its_share_goes_on);
	tcase_add_test(t, what_is_not_used_is_not_saved);
	tcase_add_test(t, no_limit_is_none);
	tcase_add_test(t, waiting_for_a_processor_is_progress);
	tcase_add_test(t, a_stream_that_was_ended_for_it_waits_a_minute);
	suite_add_tcase(s, t);
	return unit_run(s);
}
