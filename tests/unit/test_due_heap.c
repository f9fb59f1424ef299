/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap of due times, beside a list that is searched for the soonest one. */
#include "base/due_heap.h"

#include <check.h>
#include <stdlib.h>

#include "tests/unit/suite.h"

#define N 200

static struct due_heap heap;
static struct due_entry entries[N];
static int64_t due[N]; /* -1: not in the heap */

static void
setup(void)
{
	heap = (struct due_heap){ NULL };
	for (int i = 0; i < N; i++) {
		entries[i] = (struct due_entry){ 0 };
		due[i] = -1;
	}
	srand(1);
}

static int64_t
soonest(void)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < N; i++)
		if (due[i] >= 0 && due[i] < least)
			least = due[i];
	return least;
}

static void
change(int i)
{
	int64_t us = rand() % 1000;

	switch (rand() % 4) {
	case 0:
		due_heap_remove(&heap, &entries[i]);
		due[i] = -1;
		break;
	case 1:
		due_heap_sooner(&heap, &entries[i], us);
		if (due[i] < 0 || us < due[i])
			due[i] = us;
		break;
	default:
		due_heap_set(&heap, &entries[i], us);
		due[i] = us;
		break;
	}
}

static void
take(int64_t now)
{
	int64_t least = soonest();
	const struct due_entry *e = due_heap_next(&heap, now);

	if (least > now) {
		ck_assert_ptr_null(e);
		return;
	}
	ck_assert_ptr_nonnull(e);
	ck_assert_int_eq(e->due_us, least);
	ck_assert_int_eq(due[e - entries], least);
	ck_assert_ptr_null(e->at);
	due[e - entries] = -1;
}

START_TEST(the_longest_due_comes_first_after_any_changes)
{
	for (int i = 0; i < 100000; i++) {
		if (rand() % 3 == 0)
			take(rand() % 1000);
		else
			change(rand() % N);
		ck_assert_int_eq(due_heap_first_us(&heap), soonest());
	}
	while (due_heap_first_us(&heap) != INT64_MAX)
		take(1000);
	ck_assert_ptr_null(due_heap_next(&heap, INT64_MAX));
}
END_TEST

START_TEST(a_heap_that_was_filled_in_order_is_emptied_in_order)
{
	for (int i = 0; i < N; i++)
		due_heap_set(&heap, &entries[i], i);
	for (int i = 0; i < N; i++) {
		ck_assert_ptr_null(due_heap_next(&heap, i - 1));
		ck_assert_ptr_eq(due_heap_next(&heap, i), &entries[i]);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("due_heap");
	TCase *t = tcase_create("due_heap");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, the_longest_due_comes_first_after_any_changes);
	tcase_add_test(t, a_heap_that_was_filled_in_order_is_emptied_in_order);
	suite_add_tcase(s, t);
	return unit_run(s);
}
