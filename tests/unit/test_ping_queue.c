/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/ping_queue.h"
#include "tests/unit/suite.h"

static struct ping_queue q;
static struct ping_entry a, b;

START_TEST(each_is_due_once_a_step_in_the_order_of_coming)
{
	q = (struct ping_queue){ 0 };
	ck_assert_ptr_null(ping_queue_next(&q, 0));
	ping_queue_add(&q, &a, 0);
	ping_queue_add(&q, &b, 5);
	ck_assert_ptr_null(ping_queue_next(&q, PING_QUEUE_STEP_US - 1));
	ck_assert_ptr_eq(ping_queue_next(&q, PING_QUEUE_STEP_US), &a);
	ck_assert_ptr_null(ping_queue_next(&q, PING_QUEUE_STEP_US));
	ck_assert_ptr_eq(ping_queue_next(&q, PING_QUEUE_STEP_US + 5), &b);
	ck_assert_ptr_eq(ping_queue_next(&q, 2 * PING_QUEUE_STEP_US), &a);
	ck_assert_uint_eq(a.steps, 2);
	ck_assert_uint_eq(b.steps, 1);
}
END_TEST

START_TEST(a_removed_connection_is_not_due)
{
	q = (struct ping_queue){ 0 };
	ping_queue_add(&q, &a, 0);
	ping_queue_add(&q, &b, 0);
	ping_queue_remove(&q, &a);
	ck_assert_ptr_eq(ping_queue_next(&q, PING_QUEUE_STEP_US), &b);
	ck_assert_ptr_null(ping_queue_next(&q, PING_QUEUE_STEP_US));
	ping_queue_remove(&q, &b);
	ck_assert_ptr_null(ping_queue_next(&q, 9 * PING_QUEUE_STEP_US));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("ping_queue");
	TCase *t = tcase_create("ping_queue");

	tcase_add_test(t, each_is_due_once_a_step_in_the_order_of_coming);
	tcase_add_test(t, a_removed_connection_is_not_due);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
