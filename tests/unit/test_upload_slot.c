/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "web/upload_slot.h"

static struct arena *mem;
static char dir[64];
static pid_t others[UPLOAD_SLOTS];

static void
setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/test-upload-slot-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
	for (int i = 0; i < UPLOAD_SLOTS; i++)
		if (others[i] > 0) {
			kill(others[i], SIGKILL);
			waitpid(others[i], NULL, 0);
		}
	unlink(arena_printf(mem = arena_new(), "%s/upload-slots", dir));
	rmdir(dir);
	arena_free(mem);
}

/* Starts another process that holds a place; bytes: -1: its form is unknown. */
static pid_t
other(int64_t bytes)
{
	struct upload_slot *s;
	int ready[2];
	char c = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		if (upload_slot_acquire(mem, dir, &s) != OK ||
		    (bytes >= 0 && upload_slot_expect(s, dir, bytes) != OK))
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static int64_t
tenth_of_free(void)
{
	struct statvfs at;

	ck_assert_int_eq(statvfs(dir, &at), 0);
	return (int64_t)at.f_bavail * (int64_t)at.f_frsize / 10;
}

START_TEST(the_process_that_waits_longest_for_a_form_gives_way)
{
	struct upload_slot *s;
	int status;

	for (int i = 0; i < UPLOAD_SLOTS; i++)
		others[i] = other(i == 0 ? 1000 : -1);
	ck_assert_int_eq(upload_slot_acquire(mem, dir, &s), OK);
	ck_assert_int_eq(waitpid(others[1], &status, 0), others[1]);
	ck_assert(WIFSIGNALED(status));
	others[1] = 0;
	ck_assert_int_eq(waitpid(-1, &status, WNOHANG), 0); /* no other request did */
}
END_TEST

START_TEST(no_file_that_arrives_gives_way)
{
	struct upload_slot *s;

	for (int i = 0; i < UPLOAD_SLOTS; i++)
		others[i] = other(1000);
	ck_assert_int_eq(upload_slot_acquire(mem, dir, &s), ERR_BUSY);
	kill(others[7], SIGKILL);
	waitpid(others[7], NULL, 0);
	others[7] = 0;
	ck_assert_int_eq(upload_slot_acquire(mem, dir, &s), OK);
}
END_TEST

/* The free space may change meanwhile, so the margin is wide. */
START_TEST(all_that_comes_is_a_tenth_of_the_free_disk)
{
	int64_t tenth = tenth_of_free();
	struct upload_slot *s;

	others[0] = other(tenth * 6 / 10);
	ck_assert_int_eq(upload_slot_acquire(mem, dir, &s), OK);
	ck_assert_int_eq(upload_slot_expect(s, dir, tenth * 2), ERR_FULL);
	ck_assert_int_eq(upload_slot_expect(s, dir, tenth * 6 / 10), ERR_BUSY);
	ck_assert_int_eq(upload_slot_expect(s, dir, tenth * 2 / 10), OK);
	kill(others[0], SIGKILL);
	waitpid(others[0], NULL, 0);
	others[0] = 0;
	ck_assert_int_eq(upload_slot_expect(s, dir, tenth * 6 / 10), OK);
}
END_TEST

START_TEST(a_place_is_given_back_with_the_request)
{
	struct upload_slot *s;

	for (int i = 0; i < 2 * UPLOAD_SLOTS; i++) {
		ck_assert_int_eq(upload_slot_acquire(mem, dir, &s), OK);
		ck_assert_int_eq(upload_slot_expect(s, dir, 1000), OK);
		arena_reset(mem);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("upload slot");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_process_that_waits_longest_for_a_form_gives_way);
	tcase_add_test(t, no_file_that_arrives_gives_way);
	tcase_add_test(t, all_that_comes_is_a_tenth_of_the_free_disk);
	tcase_add_test(t, a_place_is_given_back_with_the_request);
	suite_add_tcase(s, t);
	return unit_run(s);
}
