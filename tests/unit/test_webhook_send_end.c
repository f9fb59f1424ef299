/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker that sends messages to webhooks ends when its successor starts. */
#include "tests/unit/webhook_send_fixture.h"

/* Waits until the time is over in which the worker would end. */
static void
outlive_its_time(void)
{
	while (now_us() / S_US % 60 < HANDOVER_S || now_us() / S_US % 60 > 50)
		usleep(100000);
	step();
	sender.until_us = monotonic_us() - S_US;
}

/* The next worker starts with the next minute. */
START_TEST(a_worker_beyond_its_time_stays_and_serves_all_endpoints)
{
	outlive_its_time();
	webhook("/ok");
	webhook("/answer-500");
	sql("UPDATE webhooks SET failing = 1 WHERE url LIKE '%500'");
	emit();
	send_until(tries() == 2);
	ck_assert_int_eq(sender.under_way, 0);
	ck_assert(is_busy());
}
END_TEST

START_TEST(a_worker_leaves_as_a_minute_begins_and_not_before_its_time)
{
	bool before, leaves;

	step();
	ck_assert(!is_leaving());
	ck_assert(!is_busy());
	sender.until_us = monotonic_us() - S_US;
	before = now_us() / S_US % 60 < HANDOVER_S;
	leaves = is_leaving();
	ck_assert(leaves == before || leaves == (now_us() / S_US % 60 < HANDOVER_S));
	ck_assert(is_busy() == !leaves);
}
END_TEST

START_TEST(a_worker_that_leaves_breaks_off_what_is_slow_and_begins_nothing)
{
	const char *slow = webhook("/hang");
	int64_t began_us;

	outlive_its_time();
	emit();
	send_until(receiver_hanging() == 1);
	sender.leaving_us = began_us = monotonic_us();
	webhook("/ok");
	emit();
	step();
	ck_assert(is_busy());
	send_until(!is_busy());
	ck_assert_int_lt(monotonic_us() - began_us, 5 * S_US);
	ck_assert_int_eq(receiver_count(), 1);
	ck_assert_str_eq(of(slow, "status, tries"), "pending|0");
}
END_TEST

START_TEST(what_is_under_way_at_the_end_is_due_at_the_next_start)
{
	const char *id = webhook("/hang"), *message;

	emit();
	message = of(id, "message");
	send_until(receiver_hanging() == 1);
	end();
	await(receiver_hanging() == 0);
	ck_assert_str_eq(of(id, "status, tries"), "pending|0");
	sender = (struct sender){ 0 };
	sql(arena_printf(fixture.mem,
	    "UPDATE webhooks SET url = 'http://127.0.0.1:%d/ok'", receiver.port));
	step();
	ck_assert_int_eq(tries(), 0); /* it is leased */
	ck_assert(begin(&w));
	send_until(tries() == 1);
	ck_assert_str_eq(of(id, "status"), "delivered");
	ck_assert_str_eq(received(1, "webhook-id"), message);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("the end of webhook_send");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 90);
	tcase_add_test(t, a_worker_beyond_its_time_stays_and_serves_all_endpoints);
	tcase_add_test(t, a_worker_leaves_as_a_minute_begins_and_not_before_its_time);
	tcase_add_test(
	    t, a_worker_that_leaves_breaks_off_what_is_slow_and_begins_nothing);
	tcase_add_test(t, what_is_under_way_at_the_end_is_due_at_the_next_start);
	suite_add_tcase(s, t);
	return unit_run(s);
}
