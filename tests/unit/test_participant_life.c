/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of participants: leaving, resuming, replacement, and giving up. */
#include "tests/unit/participant_fixture.h"

/* A publisher with a running task; all messages to it have been read. */
static struct client *
with_task(const char *identity)
{
	struct client *c = settle(come_as(identity));

	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	await_running(c);
	next_of(c, GOT_UPDATE);
	answer(c, next_of(c, GOT_OFFER));
	return c;
}

static void
await_gone(void)
{
	gateway_await(gateway.participants == NULL);
	ck_assert_int_eq(gateway.n_participants, 0);
}

static void
await_no_task(void)
{
	gateway_await(gateway.tasks == 0);
}

/* ---- leaving ---- */

/* Lets the time pass after which participants without signalling end. */
static void
pass_grace(void)
{
	participants_tick(&gateway, monotonic_us() + 2 * S_US);
	gateway_tick();
}

START_TEST(a_participant_that_leaves_ends_its_task_at_once)
{
	struct client *c = with_task("anna");

	send_number(c, LEAVE, 2, SIGNAL_CLIENT_INITIATED);
	ck_assert_int_eq(c->socket->code, 1000);
	ck_assert_int_eq(gateway.connections, 0);
	add_track(c, microphone); /* too late */
	ck_assert_str_eq(kinds_of(c), "");
	cut(c);
	await_gone();
	await_no_task();
}
END_TEST

START_TEST(without_signalling_a_participant_stays_for_a_while)
{
	struct client *c = with_task("anna");
	int64_t cut_us = monotonic_us();

	cut(c);
	participants_tick(&gateway, cut_us + S_US);
	ck_assert_ptr_nonnull(gateway.participants);
	ck_assert_int_eq(gateway.tasks, 1);
	ck_assert_ptr_nonnull(gateway.participants->subscriber.link);
	await_gone();
	ck_assert_int_ge(monotonic_us() - cut_us, S_US);
	await_no_task();
}
END_TEST

/* ---- resuming ---- */

static struct client *
resume_as(const char *identity, const char *sid)
{
	return come(token_of(identity, STREAM_PUBLISHER, false),
	    arena_printf(fixture.mem, NEW "&reconnect=1%s%s",
		sid[0] != '\0' ? "&sid=" : "", sid));
}

/* Expects reconnect, the translator, and an offer that restarts ICE. */
static void
assert_resumed(struct client *c, const struct sdp *before)
{
	struct buf b = next_of(c, GOT_RECONNECT);
	const struct sdp *sdp;

	is_text("19.1.1", "stun:stun.example.org");
	is_text("19.3.2", "1.8.0");
	b = next_of(c, GOT_UPDATE);
	is_text("5.1.4.3", "translation_es");
	b = next_of(c, GOT_OFFER);
	sdp = description_of(b);
	ck_assert_uint_eq(sdp->n, 2);
	ck_assert_str_ne(sdp->ufrag, before->ufrag);
	ck_assert_str_ne(sdp->pwd, before->pwd);
	ck_assert_str_eq(sdp->fingerprint, before->fingerprint);
	ck_assert_uint_eq(sdp->sections[1].ssrc, before->sections[1].ssrc);
	answer(c, b);
	expect_nothing(c);
}

/* A publisher with a task; *offer: the last offer it received. */
static struct client *
with_offer(struct sdp **offer)
{
	struct client *c = settle(come_as("anna"));
	struct buf b;

	fixture.app.conf.rtc_ice_servers = "stun:stun.example.org";
	send_json(c, "set_task", WEBRTC_TASK(TO("es")));
	await_running(c);
	next_of(c, GOT_UPDATE);
	b = next_of(c, GOT_OFFER);
	*offer = description_of(b);
	answer(c, b);
	return c;
}

START_TEST(a_participant_resumes_by_its_sid)
{
	struct sdp *offer;
	struct client *c = with_offer(&offer), *again;
	struct participant *p = participant_of(c);

	cut(c);
	gateway_tick();
	again = resume_as("anna", p->sid);
	ck_assert_ptr_eq(participant_of(again), p);
	assert_resumed(again, offer);
	pass_grace();
	ck_assert_ptr_eq(gateway.participants, p);
	ck_assert_int_eq(gateway.n_participants, 1);
	ck_assert_int_eq(gateway.connections, 1);
	ck_assert_int_eq(session_of(again)->state, STATE_RUNNING);
}
END_TEST

START_TEST(a_participant_resumes_by_its_identity_while_its_socket_is_there)
{
	struct sdp *offer;
	struct client *c = with_offer(&offer), *again = resume_as("anna", "");

	ck_assert_int_eq(c->socket->code, 1000);
	expect_nothing(c);
	ck_assert_ptr_null(participant_of(c));
	assert_resumed(again, offer);
	cut(c);
	pass_grace();
	ck_assert_ptr_nonnull(participant_of(again)->connection);
	ck_assert_ptr_eq(participant_of(again)->signal, again->conn);
}
END_TEST

START_TEST(a_task_that_is_set_without_signalling_is_offered_on_resume)
{
	struct client *c = settle(come_as("anna")), *again;
	struct participant *p = participant_of(c);

	cut(c);
	send_data(p, "set_task", WEBRTC_TASK(TO("es")));
	gateway_await(translator_is(p->connection->session)->tracks != NULL);
	again = resume_as("anna", p->sid);
	next_of(again, GOT_RECONNECT);
	ck_assert_str_eq(kinds_of(again), "5 3 ");
	next_of(again, GOT_UPDATE);
	ck_assert_uint_eq(description_of(next_of(again, GOT_OFFER))->n, 2);
}
END_TEST

START_TEST(a_resume_of_a_participant_that_is_not_known_is_sent_away)
{
	struct client *c = settle(come_as("anna"));

	expect_leave(
	    resume_as("ben", ""), SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, 1000);
	expect_leave(resume_as("anna", "PA_ofsomebody00"), SIGNAL_STATE_MISMATCH,
	    SIGNAL_RECONNECT, 1000);
	ck_assert_int_eq(gateway.n_participants, 1);
	ck_assert_int_eq(gateway.connections, 1);
	expect_nothing(c);
}
END_TEST

/* A sid is not secret, so it alone must not resume. */
START_TEST(a_sid_of_another_identity_is_not_resumed)
{
	struct client *anna = settle(come_as("anna"));
	struct client *ben = come(token_of("ben", STREAM_SUBSCRIBER, false),
	    arena_printf(
		fixture.mem, NEW "&reconnect=1&sid=%s", participant_of(anna)->sid));

	expect_leave(ben, SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, 1000);
	expect_nothing(anna);
	ck_assert_int_eq(anna->socket->code, 0);
}
END_TEST

START_TEST(a_participant_that_was_given_up_is_sent_away)
{
	struct client *c = with_task("anna");
	const char *sid = arena_str(fixture.mem, participant_of(c)->sid);

	cut(c);
	await_gone();
	expect_leave(
	    resume_as("anna", sid), SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, 1000);
	await_no_task();
}
END_TEST

/* After its peer connection failed, the client has a new fingerprint. */
START_TEST(a_participant_with_a_dead_connection_makes_a_full_join)
{
	struct client *c = with_task("anna"), *again;
	struct buf b = { .mem = fixture.mem };
	const char *sid = arena_str(fixture.mem, participant_of(c)->sid);
	const char *text = offer_text("abcd", false);
	const char *print = strstr(text, "sha-256 0A");

	send_description(c, OFFER, text, 1);
	next_of(c, GOT_ANSWER);
	buf_printf(&b, "%.*ssha-256 0B%s", (int)(print - text), text,
	    print + strlen("sha-256 0A"));
	send_description(c, OFFER, buf_text(&b), 2);
	next_of(c, GOT_ANSWER);
	b = await_of(c, GOT_LEAVE);
	is_number("8.2", SIGNAL_JOIN_FAILURE);
	is_number("8.3", SIGNAL_RECONNECT);
	cut(c);
	expect_leave(
	    resume_as("anna", sid), SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, 1000);
	again = settle(come_as("anna"));
	ck_assert_int_eq(session_of(again)->state, STATE_RUNNING);
}
END_TEST

/* ---- being replaced ---- */

START_TEST(a_full_reconnect_keeps_the_task)
{
	struct client *c = with_task("anna"), *again = come_as("anna");
	struct session *s = session_of(again);
	struct buf b;

	expect_leave(c, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	b = next_of(again, GOT_JOIN);
	is_text("1.3.4.3", "translation_es");
	ck_assert_int_eq(s->state, STATE_RUNNING);
	ck_assert_ptr_eq(s->publisher, participant_of(again)->connection);
	answer(again, next_of(again, GOT_OFFER));
	cut(c);
	pass_grace();
	ck_assert_int_eq(s->state, STATE_RUNNING);
	ck_assert_int_eq(gateway.n_participants, 1);
	ck_assert_int_eq(gateway.connections, 1);
	ck_assert_int_eq(again->socket->code, 0);
}
END_TEST

START_TEST(a_join_beyond_the_limit_replaces_nothing)
{
	struct client *c = with_task("anna"), *again;

	for (int i = 1; i < 20; i++) {
		struct client *was = c;

		c = settle(come_as("anna"));
		cut(was);
	}
	again = come_as("anna");
	expect_nothing(c);
	ck_assert_int_eq(c->socket->code, 0);
	await_end(again->socket, 1000);
	ck_assert_int_eq(session_of(c)->state, STATE_RUNNING);
	while (again->read < again->socket->n && kind_at(again, again->read) != 8)
		again->read++;
	expect_leave(again, SIGNAL_PARTICIPANT_REMOVED, SIGNAL_DISCONNECT, 1000);
}
END_TEST

START_TEST(a_publisher_with_another_identity_begins_anew)
{
	struct client *anna = with_task("anna"), *ben = settle(come_as("ben"));

	gateway_tick();
	expect_leave(anna, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	ck_assert_int_ne(session_of(ben)->state, STATE_RUNNING);
	ck_assert_ptr_eq(session_of(ben)->publisher, participant_of(ben)->connection);
	ck_assert_int_eq(gateway.connections, 1);
}
END_TEST

START_TEST(a_listener_replaces_only_itself)
{
	struct client *anna = with_task("anna");
	struct client *ben = settle(come_listener("ben"));
	struct client *carl = settle(come_listener("carl"));
	struct client *again = settle(come_listener("ben"));

	expect_leave(ben, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	ck_assert_int_eq(session_of(anna)->state, STATE_RUNNING);
	expect_nothing(anna);
	expect_nothing(carl);
	expect_nothing(again);
	ck_assert_int_eq(gateway.connections, 3);
}
END_TEST

/* ---- being dismissed, and given up ---- */

START_TEST(a_gateway_that_stops_asks_participants_to_come_back)
{
	struct client *anna = with_task("anna");
	struct client *ben = settle(come_listener("ben"));

	participants_dismiss(&gateway);
	expect_leave(anna, SIGNAL_SERVER_SHUTDOWN, SIGNAL_RECONNECT, 1001);
	expect_leave(ben, SIGNAL_SERVER_SHUTDOWN, SIGNAL_RECONNECT, 1001);
	ck_assert_int_eq(gateway.connections, 0);
	await_no_task();
	ck_assert_int_eq(gateway.n_participants, 2); /* their sockets are connected */
}
END_TEST

START_TEST(an_offer_without_an_answer_ends_in_a_reconnect)
{
	struct client *c = come_as("anna");
	int64_t now = monotonic_us();

	next_of(c, GOT_JOIN);
	next_of(c, GOT_OFFER);
	participants_tick(&gateway, now + 19 * S_US);
	expect_nothing(c);
	participants_tick(&gateway, now + 21 * S_US);
	expect_leave(c, SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, 1000);
}
END_TEST

START_TEST(a_participant_that_never_connects_is_given_up)
{
	struct client *c = settle(come_as("anna"));
	int64_t now = monotonic_us();

	participants_tick(&gateway, now + 29 * S_US);
	expect_nothing(c);
	participants_tick(&gateway, now + 31 * S_US);
	expect_leave(c, SIGNAL_JOIN_FAILURE, SIGNAL_DISCONNECT, 1000);
	cut(c);
	await_gone();
}
END_TEST

START_TEST(a_client_that_reads_no_signalling_is_closed)
{
	struct client *c = settle(come_as("anna"));

	c->socket->unsent = (1 << 20) + 1;
	gateway_tick();
	ck_assert_int_eq(c->socket->code, 1008);
	ck_assert_str_eq(c->socket->reason, "slow consumer");
}
END_TEST

/* Causes of a failed connection, and the messages to the client. */
static const struct {
	enum webrtc_failure failure;
	int reason, action;
} failing[] = {
	{ MEDIA_TOO_SLOW, SIGNAL_STATE_MISMATCH, SIGNAL_DISCONNECT },
	{ MEDIA_LOST, SIGNAL_JOIN_FAILURE, SIGNAL_RECONNECT },
};

START_TEST(a_connection_that_fails_is_told_by_its_reason)
{
	struct client *c = settle(come_as("anna"));

	fail_connection(c, failing[_i].failure);
	await_end(c->socket, 1000);
	expect_leave(c, failing[_i].reason, failing[_i].action, 1000);
}
END_TEST

START_TEST(participants_of_a_channel_that_moves_come_back)
{
	struct client *c = settle(come_listener("ben"));

	lifecycle_move(session_of(c));
	await_end(c->socket, 1000);
	expect_leave(c, SIGNAL_STATE_MISMATCH, SIGNAL_RECONNECT, 1000);
}
END_TEST

START_TEST(the_end_of_a_session_is_told_after_its_last_message)
{
	struct client *c = with_task("anna");
	int64_t closed_us = monotonic_us();

	lifecycle_close(
	    session_of(c), CLOSE_SESSION_CLOSED, "The session was deleted.");
	ck_assert_ptr_nonnull(waiting_json(c, "SESSION_CLOSED"));
	ck_assert_str_eq(kinds_of(c), "");
	await_end(c->socket, 1000);
	ck_assert_int_ge(monotonic_us() - closed_us, S_US / 5);
	expect_leave(c, SIGNAL_ROOM_DELETED, SIGNAL_DISCONNECT, 1000);
}
END_TEST

/*
 * Without the exception, the participant would get leave a minute after its task ended.
 */
START_TEST(a_participant_whose_task_has_ended_is_replaced_too)
{
	struct client *c = with_task("anna"), *again;
	struct participant *p = participant_of(c);

	send_json(c, "end_task", "{}");
	gateway_await(p->dismissed_us != 0);
	ck_assert_int_gt(p->dismissed_us, monotonic_us() + 50 * S_US);
	ck_assert_int_eq(c->socket->code, 0);
	again = settle(come_as("anna"));
	while (c->read < c->socket->n && kind_at(c, c->read) != GOT_LEAVE)
		c->read++;
	expect_leave(c, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT, 1000);
	expect_nothing(again);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_life");
	TCase *t = tcase_create("participant_life");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, a_participant_that_leaves_ends_its_task_at_once);
	tcase_add_test(t, without_signalling_a_participant_stays_for_a_while);
	tcase_add_test(t, a_participant_resumes_by_its_sid);
	tcase_add_test(
	    t, a_participant_resumes_by_its_identity_while_its_socket_is_there);
	tcase_add_test(t, a_task_that_is_set_without_signalling_is_offered_on_resume);
	tcase_add_test(t, a_resume_of_a_participant_that_is_not_known_is_sent_away);
	tcase_add_test(t, a_sid_of_another_identity_is_not_resumed);
	tcase_add_test(t, a_participant_that_was_given_up_is_sent_away);
	tcase_add_test(t, a_participant_with_a_dead_connection_makes_a_full_join);
	tcase_add_test(t, a_full_reconnect_keeps_the_task);
	tcase_add_test(t, a_join_beyond_the_limit_replaces_nothing);
	tcase_add_test(t, a_publisher_with_another_identity_begins_anew);
	tcase_add_test(t, a_listener_replaces_only_itself);
	tcase_add_test(t, a_gateway_that_stops_asks_participants_to_come_back);
	tcase_add_test(t, an_offer_without_an_answer_ends_in_a_reconnect);
	tcase_add_test(t, a_participant_that_never_connects_is_given_up);
	tcase_add_test(t, a_client_that_reads_no_signalling_is_closed);
	tcase_add_loop_test(
	    t, a_connection_that_fails_is_told_by_its_reason, 0, COUNT(failing));
	tcase_add_test(t, participants_of_a_channel_that_moves_come_back);
	tcase_add_test(t, the_end_of_a_session_is_told_after_its_last_message);
	tcase_add_test(t, a_participant_whose_task_has_ended_is_replaced_too);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
