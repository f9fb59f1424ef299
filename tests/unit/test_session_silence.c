/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of an STT socket when sound stops and the engines are late. */
#include "tests/unit/stt_fixture.h"

#include <semaphore.h>

#define THREADS 4 /* threads of gateway_open() */

/* ---- engines that are late: every thread of the pool has something else to do ---- */

static sem_t held, let_go;

static void
hold(void *self, struct actor_message *l)
{
	(void)self;
	sem_post(&held);
	sem_wait(&let_go);
	arena_free(l->mem);
}

static void
forget(void *self)
{
	(void)self;
}

static void
hold_engines(void)
{
	sem_init(&held, 0, 0);
	sem_init(&let_go, 0, 0);
	for (int i = 0; i < THREADS; i++) {
		struct actor *a = actor_new(gateway.pool, NULL, hold, forget);

		actor_send(a, ACTOR_MESSAGE(struct actor_message));
		actor_leave(a);
	}
	for (int i = 0; i < THREADS; i++)
		sem_wait(&held);
}

static void
let_engines_go(void)
{
	for (int i = 0; i < THREADS; i++)
		sem_post(&let_go);
}

/* ---- a socket ---- */

static struct websocket *
connect_plain(void)
{
	return connect_stt(
	    &(const struct stt_in){ .language = "en", .sample_rate = NULL_INT });
}

static int
answers(const struct websocket *s)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += strstr(s->said[i], STT_FIN) != NULL;
	return n;
}

/* Makes the session believe that this many seconds passed without a frame. */
static void
silence(struct websocket *s, int seconds)
{
	struct session *session = s->connection->session;

	session->ops->tick(session, monotonic_us() + seconds * S_US);
}

static void
await_running(struct websocket *s)
{
	while (gateway.tasks == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 0);
}

/* ---- cases ---- */

START_TEST(a_finalize_is_answered_before_silence_ends_the_socket)
{
	struct websocket *s = connect_plain();

	await_running(s);
	hold_engines();
	send_stt_sound(s, 1000, true);
	finalize(s);
	silence(s, 11);
	silence(s, 29);
	ck_assert_int_eq(s->code, 0);
	let_engines_go();
	while (s->code == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 1001);
	ck_assert_int_eq(answers(s), 1);
}
END_TEST

START_TEST(without_anything_to_hear_silence_ends_the_socket)
{
	struct websocket *s = connect_plain();

	await_running(s);
	silence(s, 9);
	ck_assert_int_eq(s->code, 0);
	silence(s, 11);
	while (s->code == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 1001);
	ck_assert_str_eq(s->reason, "no audio");
}
END_TEST

START_TEST(a_frame_that_comes_meanwhile_keeps_the_socket)
{
	struct websocket *s = connect_plain();

	await_running(s);
	hold_engines();
	send_stt_sound(s, 1000, true);
	silence(s, 11);
	finalize(s);
	let_engines_go();
	while (answers(s) == 0)
		gateway_tick();
	gateway_wait(50);
	ck_assert_int_eq(s->code, 0);
	silence(s, 11);
	while (s->code == 0)
		gateway_tick();
	ck_assert_int_eq(s->code, 1001);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: silence");
	TCase *t = tcase_create("stt");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_finalize_is_answered_before_silence_ends_the_socket);
	tcase_add_test(t, without_anything_to_hear_silence_ends_the_socket);
	tcase_add_test(t, a_frame_that_comes_meanwhile_keeps_the_socket);
	suite_add_tcase(s, t);
	return unit_run(s);
}
