/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session with a socket that sends commands and a participant that speaks. */
#include "tests/unit/participant_fixture.h"

/* Expects that both are connected. */
static void
assert_partners(const struct websocket *socket, const struct client *c)
{
	const struct session *s = session_of(c);

	ck_assert_ptr_eq(s->publisher, socket->connection);
	ck_assert_ptr_eq(s->partner, participant_of(c)->connection);
	ck_assert_int_eq(socket->code, 0);
	ck_assert_int_eq(c->socket->code, 0);
}

static void
start_both(struct websocket **socket, struct client **c)
{
	*socket = connect_as(session, true, true, NULL);
	*c = settle(come_as("anna"));
	tell(*socket, "set_task", WEBRTC_TASK(TO("es")));
	await_running(*c);
	next_of(*c, GOT_UPDATE);
	answer(*c, next_of(*c, GOT_OFFER));
	assert_partners(*socket, *c);
}

START_TEST(a_participant_joins_a_socket)
{
	struct websocket *socket = connect_as(session, true, true, NULL);
	struct client *c = settle(come_as("anna"));

	gateway_tick();
	assert_partners(socket, c);
	expect_nothing(c);
}
END_TEST

START_TEST(a_socket_joins_a_participant)
{
	struct client *c = settle(come_as("anna"));
	struct websocket *socket = connect_as(session, true, true, NULL);

	gateway_tick();
	assert_partners(socket, c);
	expect_nothing(c);
}
END_TEST

START_TEST(the_socket_sets_the_task_of_the_participant)
{
	struct websocket *socket;
	struct client *c;

	start_both(&socket, &c);
	ck_assert_int_eq(session_of(c)->source, TASK_WEBRTC);
	expect_nothing(c);
}
END_TEST

START_TEST(a_task_with_the_sound_of_the_socket_dismisses_the_participant)
{
	struct websocket *socket = connect_as(session, true, true, NULL);
	struct client *c = settle(come_as("anna"));

	tell(socket, "set_task", TASK(TO("es"), ""));
	gateway_await(c->socket->code != 0);
	while (c->read < c->socket->n && kind_at(c, c->read) != GOT_LEAVE)
		c->read++;
	expect_leave(c, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	await_state(socket, STATE_RUNNING);
	ck_assert_ptr_null(socket->connection->session->partner);
}
END_TEST

START_TEST(a_task_that_the_participant_sets_closes_the_socket)
{
	struct websocket *socket = connect_as(session, true, true, NULL);
	struct client *c = settle(come_as("anna"));

	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	ck_assert_int_eq(socket->code, 1008);
	ck_assert_str_eq(socket->reason, "replaced");
	await_running(c);
	ck_assert_ptr_eq(session_of(c)->publisher, participant_of(c)->connection);
}
END_TEST

START_TEST(the_task_stays_when_the_socket_leaves)
{
	struct websocket *socket;
	struct client *c;

	start_both(&socket, &c);
	hang_up(socket);
	gateway_tick();
	ck_assert_int_eq(session_of(c)->state, STATE_RUNNING);
	ck_assert_ptr_eq(session_of(c)->publisher, participant_of(c)->connection);
	ck_assert_ptr_null(session_of(c)->partner);
	expect_nothing(c);
}
END_TEST

START_TEST(the_task_stays_when_the_participant_leaves)
{
	struct websocket *socket;
	struct client *c, *again;

	start_both(&socket, &c);
	send_number(c, LEAVE, 2, SIGNAL_CLIENT_INITIATED);
	gateway_tick();
	ck_assert_int_eq(socket->connection->session->state, STATE_RUNNING);
	ck_assert_int_eq(socket->code, 0);
	again = come_as("anna");
	assert_partners(socket, again);
}
END_TEST

START_TEST(a_full_reconnect_of_the_participant_keeps_the_pair)
{
	struct websocket *socket;
	struct client *c, *again;

	start_both(&socket, &c);
	again = come_as("anna");
	expect_leave(c, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	gateway_tick();
	assert_partners(socket, again);
	ck_assert_int_eq(session_of(again)->state, STATE_RUNNING);
}
END_TEST

START_TEST(another_socket_replaces_the_socket)
{
	struct websocket *socket, *other;
	struct client *c;

	start_both(&socket, &c);
	other = connect_as(session, true, true, NULL);
	gateway_tick();
	ck_assert_int_eq(socket->code, 1008);
	ck_assert_str_eq(socket->reason, "replaced");
	ck_assert_int_eq(other->code, 0);
	assert_partners(other, c);
}
END_TEST

START_TEST(a_participant_replaces_a_socket_that_speaks)
{
	struct websocket *socket = connect_as(session, true, true, NULL);
	struct client *c;

	tell(socket, "set_task", TASK(TO("es"), ""));
	await_state(socket, STATE_RUNNING);
	c = settle(come_as("anna"));
	ck_assert_int_eq(socket->code, 1008);
	ck_assert_str_eq(socket->reason, "replaced");
	ck_assert_ptr_eq(session_of(c)->publisher, participant_of(c)->connection);
	ck_assert_ptr_null(session_of(c)->partner);
	gateway_tick();
	ck_assert_int_ne(session_of(c)->state, STATE_RUNNING);
}
END_TEST

START_TEST(a_socket_joins_a_participant_with_a_task)
{
	struct client *c = settle(come_as("anna"));
	struct websocket *socket;

	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	await_running(c);
	next_of(c, GOT_UPDATE);
	answer(c, next_of(c, GOT_OFFER));
	socket = connect_as(session, true, true, NULL);
	gateway_tick();
	assert_partners(socket, c);
	ck_assert_int_eq(session_of(c)->state, STATE_RUNNING);
	tell(socket, "get_task", "{}");
	ck_assert_int_eq(count_seen(socket, "current_task", "es"), 1);
	expect_nothing(c);
	tell(socket, "set_task", TASK(TO("es"), "")); /* with its own sound */
	gateway_tick();
	expect_leave(c, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	ck_assert_int_eq(socket->code, 0);
}
END_TEST

/* The gateway may or may not have noticed the end of the old connection. */
START_TEST(a_control_socket_that_comes_back_finds_its_partner)
{
	struct websocket *socket, *again;
	struct client *c;
	const struct pipeline_slot *slot;

	start_both(&socket, &c);
	slot = session_of(c)->now;
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			hang_up(socket);
		gateway_tick();
		again = connect_as(session, true, true, NULL);
		gateway_tick();
		assert_partners(again, c);
		ck_assert_int_eq(session_of(c)->state, STATE_RUNNING);
		ck_assert_ptr_eq(session_of(c)->now, slot);
		ck_assert(i == 0 || socket->code == 1008);
		socket = again;
	}
	expect_nothing(c);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_partner");
	TCase *t = tcase_create("participant_partner");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, a_participant_joins_a_socket);
	tcase_add_test(t, a_socket_joins_a_participant);
	tcase_add_test(t, the_socket_sets_the_task_of_the_participant);
	tcase_add_test(
	    t, a_task_with_the_sound_of_the_socket_dismisses_the_participant);
	tcase_add_test(t, a_task_that_the_participant_sets_closes_the_socket);
	tcase_add_test(t, the_task_stays_when_the_socket_leaves);
	tcase_add_test(t, the_task_stays_when_the_participant_leaves);
	tcase_add_test(t, a_full_reconnect_of_the_participant_keeps_the_pair);
	tcase_add_test(t, another_socket_replaces_the_socket);
	tcase_add_test(t, a_participant_replaces_a_socket_that_speaks);
	tcase_add_test(t, a_socket_joins_a_participant_with_a_task);
	tcase_add_test(t, a_control_socket_that_comes_back_finds_its_partner);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
