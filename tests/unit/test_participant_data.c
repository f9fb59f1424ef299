/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages over data channels, and messages that wait for a channel. */
#include "tests/unit/participant_fixture.h"

/* Sends a packet with this sequence number that asks for the task. */
static void
send_sequence(struct participant *p, uint32_t sequence)
{
	static const char text[] = "{\"message_type\":\"get_task\",\"data\":{}}";
	struct buf b = { .mem = fixture.mem };

	data_packet_write(&b, "PA_x", "x", text, strlen(text));
	protobuf_write_number(&b, 16, sequence);
	participant_data(p, b.p, b.len);
}

static int
count_waiting(const struct participant *p)
{
	int n = 0;

	for (const struct participant_waiting *w = p->waiting; w != NULL; w = w->next)
		n++;
	return n;
}

START_TEST(a_repeated_packet_is_dropped)
{
	struct participant *p = participant_of(settle(come_as("anna")));

	send_sequence(p, 5);
	ck_assert_int_eq(count_waiting(p), 1);
	send_sequence(p, 5);
	send_sequence(p, 4);
	ck_assert_int_eq(count_waiting(p), 1);
	send_sequence(p, 6);
	send_sequence(p, 0);
	send_sequence(p, 0);
	ck_assert_int_eq(count_waiting(p), 4);
}
END_TEST

START_TEST(audio_does_not_come_by_data_channel)
{
	struct client *c = settle(come_as("anna"));

	send_json(c, "input_audio_data", "{\"data\":\"AAAA\"}");
	ck_assert_ptr_nonnull(waiting_json(c, "VALIDATION_ERROR"));
	ck_assert_int_eq(count_waiting(participant_of(c)), 1);
}
END_TEST

START_TEST(too_many_packets_are_dropped_and_told_once)
{
	struct client *c = settle(come_as("anna"));
	struct participant *p = participant_of(c);

	for (int i = 0; i < 150; i++)
		send_json(c, "get_task", "{}");
	ck_assert_ptr_nonnull(waiting_json(c, "at most 100 messages per 1 s"));
	for (int n = count_waiting(p), i = 0; i < 50; i++) {
		send_json(c, "get_task", "{}");
		ck_assert_int_eq(count_waiting(p), n);
	}
}
END_TEST

START_TEST(packets_without_the_right_to_send_are_dropped)
{
	struct connection_request *v =
	    knock_with(token_of("anna", STREAM_PUBLISHER, false), NEW);
	struct signal_params params = *v->signal;
	struct client *c = &clients[n_clients++];

	params.sends_data = false;
	v->signal = &params;
	*c = (struct client){ .socket = arena_alloc(fixture.mem, sizeof(*c->socket)) };
	c->conn = signal_owner.opened(&gateway, c->socket, v);
	send_json(c, "get_task", "{}");
	ck_assert_int_eq(count_waiting(participant_of(c)), 0);
	add_track(settle(c), microphone);
	next_of(c, GOT_PUBLISHED);
}
END_TEST

START_TEST(a_listener_may_ask_and_not_command)
{
	struct client *anna = settle(come_as("anna"));
	struct client *ben = settle(come_listener("ben"));

	send_json(ben, "get_task", "{}");
	ck_assert_int_eq(count_waiting(participant_of(ben)), 1);
	send_json(ben, "set_task", WEBRTC_TASK(TO("es")));
	gateway_tick();
	ck_assert_ptr_nonnull(waiting_json(ben, "PERMISSION_DENIED"));
	ck_assert_int_eq(session_of(anna)->state, STATE_NONE);
}
END_TEST

START_TEST(messages_wait_for_the_channel_up_to_their_limit)
{
	struct client *c = settle(come_as("anna"));
	struct participant *p = participant_of(c);
	const size_t n = 100 << 10;
	char *text = arena_alloc(fixture.mem, n);

	memset(text, 'x', n);
	for (int i = 0; i < 3; i++) {
		struct shared_buffer *b = shared_buffer_new(text, n);

		participant_transport.send(p, b, 0);
		shared_buffer_drop(b);
	}
	ck_assert_int_eq(count_waiting(p), 2);
	ck_assert_uint_eq(p->waiting_bytes, 2 * n);
}
END_TEST

START_TEST(messages_that_wait_too_long_end_the_participant)
{
	struct client *c = settle(come_as("anna"));
	struct participant *p = participant_of(c);

	send_json(c, "get_task", "{}");
	gateway_tick();
	ck_assert_int_eq(p->dismissed_us, 0);
	p->waiting_us -= 31 * S_US;
	gateway_tick();
	gateway_tick();
	expect_leave(c, SIGNAL_STATE_MISMATCH, SIGNAL_DISCONNECT, 1000);
}
END_TEST

START_TEST(packets_that_cannot_be_read_are_dropped)
{
	struct client *c = settle(come_as("anna"));
	struct participant *p = participant_of(c);

	participant_data(p, "\x12\x09\x0a", 3);
	participant_data(p, "", 0);
	participant_data(p, "\x0b\x0c", 2);
	ck_assert_int_eq(count_waiting(p), 0);
	expect_nothing(c);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_data");
	TCase *t = tcase_create("participant_data");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, a_repeated_packet_is_dropped);
	tcase_add_test(t, audio_does_not_come_by_data_channel);
	tcase_add_test(t, too_many_packets_are_dropped_and_told_once);
	tcase_add_test(t, packets_without_the_right_to_send_are_dropped);
	tcase_add_test(t, a_listener_may_ask_and_not_command);
	tcase_add_test(t, messages_wait_for_the_channel_up_to_their_limit);
	tcase_add_test(t, messages_that_wait_too_long_end_the_participant);
	tcase_add_test(t, packets_that_cannot_be_read_are_dropped);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
