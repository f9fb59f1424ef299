/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <poll.h>
#include <stdlib.h>

#include "base/actor.h"
#include "tests/unit/suite.h"

static struct wakeup w;

static void
setup(void)
{
	ck_assert(wakeup_open(&w));
}

static void
teardown(void)
{
	wakeup_close(&w);
}

static bool
is_readable(void)
{
	struct pollfd p = { .fd = w.fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

START_TEST(it_is_readable_until_it_is_drained)
{
	ck_assert(!is_readable());
	wakeup_wake(&w);
	wakeup_wake(&w);
	ck_assert(is_readable());
	ck_assert(is_readable());
	wakeup_drain(&w);
	ck_assert(!is_readable());
	wakeup_drain(&w); /* does not wait */
	wakeup_wake(&w);
	ck_assert(is_readable());
}
END_TEST

START_TEST(a_thread_waits_for_it_and_for_one_descriptor)
{
	struct wakeup other;

	ck_assert(wakeup_open(&other));
	ck_assert(!wakeup_wait(&w, other.fd, 0));
	wakeup_wake(&w);
	ck_assert(!wakeup_wait(&w, other.fd, -1));
	ck_assert(!is_readable());
	wakeup_wake(&other);
	ck_assert(wakeup_wait(&w, other.fd, -1));
	ck_assert(wakeup_wait(&w, other.fd, -1));
	wakeup_close(&other);
}
END_TEST

START_TEST(a_mailbox_wakes_for_its_first_message)
{
	struct arena *mem = arena_new();
	struct mailbox *box = mailbox_new(mem, wakeup_wake, &w);
	struct actor_message *m;

	for (int i = 0; i < 2; i++) {
		mailbox_send(box, actor_message_new(sizeof(*m)));
		ck_assert(is_readable());
		wakeup_drain(&w);
		mailbox_send(box, actor_message_new(sizeof(*m)));
		ck_assert(!is_readable());
		for (struct actor_message *next = mailbox_drain(box); next != NULL;) {
			m = next;
			next = m->next;
			arena_free(m->mem);
		}
	}
	arena_free(mem);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("wakeup");
	TCase *t = tcase_create("wakeup");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, it_is_readable_until_it_is_drained);
	tcase_add_test(t, a_thread_waits_for_it_and_for_one_descriptor);
	tcase_add_test(t, a_mailbox_wakes_for_its_first_message);
	suite_add_tcase(s, t);
	return unit_run(s);
}
