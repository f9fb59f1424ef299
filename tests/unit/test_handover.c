/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/handover.h"
#include "tests/unit/suite.h"

static struct arena *mem;
static char dir[] = "/tmp/handover-XXXXXX";
static const char *path;
static int receiver, pair[2];

static void
setup(void)
{
	mem = arena_new();
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	path = arena_printf(mem, "%s/socket", dir);
	receiver = handover_open(path);
	ck_assert_int_ge(receiver, 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

static void
teardown(void)
{
	close(receiver);
	close(pair[0]);
	unlink(path);
	rmdir(dir);
	arena_free(mem);
}

START_TEST(a_connection_arrives_with_what_was_not_read)
{
	char text[8] = "";
	int fd;

	ck_assert_int_eq(handover_receive(receiver), -1);
	ck_assert_int_eq(write(pair[0], "unread", 6), 6);
	ck_assert_int_eq(handover_send(path, pair[1]), HANDOVER_SENT);
	close(pair[1]);
	fd = handover_receive(receiver);
	ck_assert_int_eq(read(fd, text, sizeof(text)), 6);
	ck_assert_str_eq(text, "unread");
	close(fd);
	ck_assert_int_eq(read(pair[0], text, 1), 0);
}
END_TEST

START_TEST(a_receiver_that_does_not_take_is_full)
{
	int sent = 0, is;

	while ((is = handover_send(path, pair[1])) == HANDOVER_SENT && sent < 100000)
		sent++;
	ck_assert_int_eq(is, HANDOVER_FULL);
	close(handover_receive(receiver));
	ck_assert_int_eq(handover_send(path, pair[1]), HANDOVER_SENT);
	close(pair[1]);
}
END_TEST

START_TEST(nothing_is_sent_to_a_path_without_receiver)
{
	ck_assert_int_eq(
	    handover_send(arena_printf(mem, "%s/none", dir), pair[1]), HANDOVER_GONE);
	close(receiver); /* as of a process that was killed */
	ck_assert_int_eq(handover_send(path, pair[1]), HANDOVER_GONE);
	receiver = handover_open(path);
	ck_assert_int_eq(handover_send(path, pair[1]), HANDOVER_SENT);
	close(pair[1]);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("handover");
	TCase *t = tcase_create("handover");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_connection_arrives_with_what_was_not_read);
	tcase_add_test(t, a_receiver_that_does_not_take_is_full);
	tcase_add_test(t, nothing_is_sent_to_a_path_without_receiver);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
