/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/actor.h"
#include "base/clock.h"
#include "tests/unit/suite.h"

#define ACTORS 20
#define SENDERS 4
#define EACH 500

/* A number from a sender; numbers of one sender arrive in order. */
struct count {
	struct actor_message message;
	int sender, number;
};

struct counter {
	struct actor *actor;
	atomic_int inside; /* number of threads that read for it */
	int last[SENDERS];
	int letters;
	bool out_of_order, crowded;
};

static struct pool *pool;
static struct counter counters[ACTORS];
static atomic_int gone;

static void
setup(void)
{
	pool = pool_start(4, NULL);
	gone = 0;
	for (int i = 0; i < ACTORS; i++)
		counters[i] = (struct counter){ 0 };
}

static void
await_all(int n)
{
	while (gone < n)
		usleep(1000);
	pool_stop(pool);
}

static void
read_count(void *self, struct actor_message *message)
{
	struct counter *c = self;
	struct count *l = (struct count *)message;

	c->crowded |= ++c->inside > 1;
	c->out_of_order |= l->number != c->last[l->sender] + 1;
	c->last[l->sender] = l->number;
	c->letters++;
	if (l->number % 100 == 0)
		usleep(100); /* so that another thread can try meanwhile */
	c->inside--;
	arena_free(message->mem);
}

static void
count_gone(void *self)
{
	(void)self;
	gone++;
}

static void
send_count(struct counter *c, int sender, int number)
{
	struct count *l = ACTOR_MESSAGE(struct count);

	l->sender = sender;
	l->number = number;
	actor_send(c->actor, &l->message);
}

static void *
send_all(void *arg)
{
	int sender = (int)(intptr_t)arg;

	for (int n = 1; n <= EACH; n++)
		for (int i = 0; i < ACTORS; i++)
			send_count(&counters[i], sender, n);
	return NULL;
}

START_TEST(letters_come_in_order_to_one_thread_at_a_time)
{
	pthread_t threads[SENDERS];

	for (int i = 0; i < ACTORS; i++)
		counters[i].actor =
		    actor_new(pool, &counters[i], read_count, count_gone);
	for (int i = 0; i < SENDERS; i++)
		pthread_create(&threads[i], NULL, send_all, (void *)(intptr_t)i);
	for (int i = 0; i < SENDERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ACTORS; i++)
		actor_leave(counters[i].actor);
	await_all(ACTORS);
	for (int i = 0; i < ACTORS; i++) {
		ck_assert_int_eq(counters[i].letters, SENDERS * EACH);
		ck_assert(!counters[i].crowded);
		ck_assert(!counters[i].out_of_order);
	}
}
END_TEST

START_TEST(an_actor_that_leaves_without_a_message_is_gone_too)
{
	for (int i = 0; i < ACTORS; i++) {
		counters[i].actor =
		    actor_new(pool, &counters[i], read_count, count_gone);
		actor_leave(counters[i].actor);
	}
	await_all(ACTORS);
	ck_assert_int_eq(gone, ACTORS);
}
END_TEST

/* Returns the values that two actors on one thread read, in order. */
static char said[8];
static atomic_int nsaid;

static void
say_self(void *self, struct actor_message *message)
{
	said[nsaid++] = *(const char *)self;
	arena_free(message->mem);
}

static void
hold(void *self, struct actor_message *message)
{
	while (*(atomic_bool *)self)
		usleep(1000);
	arena_free(message->mem);
}

START_TEST(one_actor_cannot_keep_a_thread)
{
	static char names[] = "ab";
	struct pool *one = pool_start(1, NULL);
	atomic_bool held = true;
	struct actor *holder = actor_new(one, &held, hold, count_gone);
	struct actor *a = actor_new(one, names, say_self, count_gone);
	struct actor *b = actor_new(one, names + 1, say_self, count_gone);

	actor_send(holder, ACTOR_MESSAGE(struct actor_message));
	for (int i = 0; i < 3; i++)
		actor_send(a, ACTOR_MESSAGE(struct actor_message));
	for (int i = 0; i < 3; i++)
		actor_send(b, ACTOR_MESSAGE(struct actor_message));
	actor_leave(a);
	actor_leave(b);
	actor_leave(holder);
	held = false;
	while (gone < 3)
		usleep(1000);
	pool_stop(one);
	pool_stop(pool);
	ck_assert_mem_eq(said, "ababab", 6);
}
END_TEST

#define MANY 100

static atomic_int met;

/* Waits until all messages have arrived, at most a minute. */
static void
meet(void *self, struct actor_message *message)
{
	(void)self;
	met++;
	for (int i = 0; i < 6000 && met < MANY; i++)
		usleep(10000);
	arena_free(message->mem);
}

START_TEST(there_are_as_many_threads_as_were_asked_for)
{
	struct pool *many = pool_start(MANY, NULL);

	met = 0;
	for (int i = 0; i < MANY; i++) {
		struct actor *a = actor_new(many, NULL, meet, count_gone);

		actor_send(a, ACTOR_MESSAGE(struct actor_message));
		actor_leave(a);
	}
	await(met == MANY);
	while (gone < MANY)
		usleep(1000);
	pool_stop(many);
	pool_stop(pool);
}
END_TEST

/* ---- mailboxes ---- */

static void
count_wake(void *arg)
{
	++*(int *)arg;
}

START_TEST(a_mailbox_wakes_once_and_keeps_the_order)
{
	struct arena *mem = arena_new();
	int woken = 0;
	struct mailbox *b = mailbox_new(mem, count_wake, &woken);
	struct actor_message *l;

	for (int i = 1; i <= 3; i++) {
		struct count *c = ACTOR_MESSAGE(struct count);

		c->number = i;
		mailbox_send(b, &c->message);
	}
	ck_assert_int_eq(woken, 1);
	l = mailbox_drain(b);
	for (int i = 1; i <= 3; i++) {
		struct actor_message *next = l->next;

		ck_assert_int_eq(((struct count *)l)->number, i);
		arena_free(l->mem);
		l = next;
	}
	ck_assert_ptr_null(l);
	ck_assert_ptr_null(mailbox_drain(b));
	mailbox_send(b, ACTOR_MESSAGE(struct actor_message));
	ck_assert_int_eq(woken, 2);
	arena_free(mem); /* messages that were not read are freed with the actor */
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_pool");
	TCase *t = tcase_create("pool");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 20);
	tcase_add_test(t, letters_come_in_order_to_one_thread_at_a_time);
	tcase_add_test(t, an_actor_that_leaves_without_a_message_is_gone_too);
	tcase_add_test(t, one_actor_cannot_keep_a_thread);
	tcase_add_test(t, there_are_as_many_threads_as_were_asked_for);
	tcase_add_test(t, a_mailbox_wakes_once_and_keeps_the_order);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
