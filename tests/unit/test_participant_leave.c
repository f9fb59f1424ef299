/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Participants that leave a session, and participants that lose their network. */
#include "tests/unit/participant_fixture.h"

START_TEST(a_leave_is_read_behind_many_pings)
{
	struct client *c = settle(come_listener("ben"));

	for (int i = 0; i < 40; i++)
		send_number(c, PING_REQ, 1, 1);
	send_number(c, LEAVE, 2, SIGNAL_CLIENT_INITIATED);
	ck_assert_int_eq(c->socket->code, 1000);
	ck_assert_int_eq(gateway.connections, 0);
}
END_TEST

/* Simulates a closed page: no leave message, but closed connections. */
START_TEST(a_listener_that_cannot_resume_has_left)
{
	struct client *ben = settle(come_listener("ben"));
	struct client *carl = settle(come_listener("carl"));

	fail_connection(ben, MEDIA_LOST);
	cut(ben);
	gateway_tick();
	ck_assert_int_eq(gateway.connections, 1);
	ck_assert_int_eq(gateway.n_participants, 1);
	ck_assert_ptr_nonnull(participant_of(carl)->connection);
}
END_TEST

START_TEST(a_listener_that_lost_its_network_resumes)
{
	struct client *ben = settle(come_listener("ben")), *again;
	struct participant *p = participant_of(ben);

	cut(ben);
	gateway_tick();
	ck_assert_int_eq(gateway.connections, 1);
	again = come(token_of("ben", STREAM_SUBSCRIBER, false),
	    arena_printf(fixture.mem, NEW "&reconnect=1&sid=%s", p->sid));
	next_of(again, GOT_RECONNECT);
	ck_assert_ptr_eq(participant_of(again), p);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_leave");
	TCase *t = tcase_create("participant_leave");

	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, a_leave_is_read_behind_many_pings);
	tcase_add_test(t, a_listener_that_cannot_resume_has_left);
	tcase_add_test(t, a_listener_that_lost_its_network_resumes);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
