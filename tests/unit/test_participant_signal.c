/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of signalling, and the answers to them. */
#include "tests/unit/participant_fixture.h"

static const struct wanted video = { "cid-v", "camera", 1, 0, 1, 0 };

/* ---- tracks of the client ---- */

START_TEST(an_audio_track_is_published)
{
	struct client *c = settle(come_as("anna"));
	struct buf b;

	add_track(c, microphone);
	b = next_of(c, GOT_PUBLISHED);
	is_text("6.1", "cid-1");
	ck_assert_int_eq(strncmp(text_at(&b, "6.2.1"), "TR_", 3), 0);
	ck_assert_uint_eq(strlen(text_at(&b, "6.2.1")), 15);
	is_number("6.2.2", -1);
	is_text("6.2.3", "mic");
	is_number("6.2.4", -1);
	is_number("6.2.9", 2);
	is_text("6.2.11", "audio/opus");
	is_text("6.2.13.1", "audio/opus");
	is_number("6.2.15", 1);
	is_text("6.2.17", text_at(&b, "6.2.1"));
	expect_nothing(c);
}
END_TEST

START_TEST(a_source_that_is_not_named_may_be_published)
{
	struct client *c = settle(come_as("anna"));
	struct buf b;

	add_track(c, (struct wanted){ "cid", "x", 0, 1, 0, 0 });
	b = next_of(c, GOT_PUBLISHED);
	is_number("6.2.4", 1);
	is_number("6.2.9", -1);
}
END_TEST

/* Expects a refusal that contains the request. */
static void
assert_refused_track(struct client *c, struct wanted w, int reason)
{
	struct buf b;

	add_track(c, w);
	b = next_of(c, GOT_REFUSAL);
	is_number("22.2", reason);
	ck_assert_str_ne(text_at(&b, "22.3"), "(none)");
	is_text("22.5.1", w.cid);
	is_text("22.5.2", w.name);
	expect_nothing(c);
}

START_TEST(video_and_encrypted_tracks_are_refused)
{
	struct client *c = settle(come_as("anna"));

	assert_refused_track(c, video, SIGNAL_UNSUPPORTED_TYPE);
	assert_refused_track(
	    c, (struct wanted){ "e", "x", 0, 0, 2, 1 }, SIGNAL_NOT_ALLOWED);
	ck_assert_ptr_null(participant_of(c)->microphone.sid);
}
END_TEST

START_TEST(a_second_track_is_refused)
{
	struct client *c = settle(come_as("anna"));

	add_track(c, microphone);
	next_of(c, GOT_PUBLISHED);
	assert_refused_track(
	    c, (struct wanted){ "second", "x", 0, 0, 2, 0 }, SIGNAL_NOT_ALLOWED);
	ck_assert_str_eq(participant_of(c)->microphone.name, "mic");
}
END_TEST

START_TEST(a_track_of_a_listener_is_refused)
{
	assert_refused_track(
	    settle(come_listener("ben")), microphone, SIGNAL_NOT_ALLOWED);
}
END_TEST

START_TEST(an_old_client_is_not_told_of_refusals)
{
	struct client *c =
	    settle(come(token_of("a", STREAM_PUBLISHER, false), "&protocol=9"));

	add_track(c, video);
	send_number(c, METADATA, 4, 7);
	expect_nothing(c);
	add_track(c, microphone);
	next_of(c, GOT_PUBLISHED);
}
END_TEST

START_TEST(a_mute_is_told_as_an_update_of_the_participant)
{
	struct client *c = settle(come_as("anna"));
	struct buf b;
	const char *sid;
	int64_t version;

	add_track(c, microphone);
	b = next_of(c, GOT_PUBLISHED);
	sid = text_at(&b, "6.2.1");
	send_switch(c, MUTE, sid, true);
	b = next_of(c, GOT_UPDATE);
	is_text("5.1.1", participant_of(c)->sid);
	is_text("5.1.4.1", sid);
	is_number("5.1.4.4", 1);
	is_number("5.1.13", 1);
	version = number_at(&b, "5.1.10");
	send_switch(c, MUTE, sid, true);
	expect_nothing(c);
	send_switch(c, MUTE, "TR_ofsomebody", false);
	expect_nothing(c);
	send_switch(c, MUTE, sid, false);
	b = next_of(c, GOT_UPDATE);
	is_number("5.1.4.4", -1);
	ck_assert_int_gt(number_at(&b, "5.1.10"), version);
}
END_TEST

START_TEST(a_track_that_is_unpublished_makes_room_for_another)
{
	struct client *c = settle(come_as("anna"));

	add_track(c, microphone);
	next_of(c, GOT_PUBLISHED);
	send_description(c, OFFER, offer_text("abcd", true), 1);
	next_of(c, GOT_ANSWER);
	send_description(c, OFFER, offer_text("abcd", false), 2);
	next_of(c, GOT_ANSWER);
	add_track(c, (struct wanted){ "cid-2", "second", 0, 0, 2, 0 });
	next_of(c, GOT_PUBLISHED);
}
END_TEST

/* ---- descriptions ---- */

START_TEST(an_offer_of_a_publisher_is_answered)
{
	struct client *c = settle(come_as("anna"));
	const struct sdp *sdp;
	struct buf b;

	send_description(c, OFFER, offer_text("abcd", true), 41);
	b = next_of(c, GOT_ANSWER);
	is_text("2.1", "answer");
	is_number("2.3", 41);
	sdp = description_of(b);
	ck_assert_uint_eq(sdp->n, 2);
	ck_assert_int_eq(sdp->sections[1].direction, SDP_RECVONLY);
	ck_assert_int_eq(sdp->sections[1].opus, 109);
	ck_assert_str_eq(sdp->setup, "passive");
}
END_TEST

START_TEST(an_offer_with_new_credentials_restarts_ice)
{
	struct client *c = settle(come_as("anna"));
	const struct sdp *first, *same, *restarted;

	send_description(c, OFFER, offer_text("abcd", false), 1);
	first = description_of(next_of(c, GOT_ANSWER));
	send_description(c, OFFER, offer_text("abcd", false), 2);
	same = description_of(next_of(c, GOT_ANSWER));
	send_description(c, OFFER, offer_text("efgh", false), 3);
	restarted = description_of(next_of(c, GOT_ANSWER));
	ck_assert_str_eq(first->ufrag, same->ufrag);
	ck_assert_str_ne(first->ufrag, restarted->ufrag);
	ck_assert_str_ne(first->pwd, restarted->pwd);
}
END_TEST

START_TEST(offers_of_listeners_and_broken_ones_are_not_answered)
{
	struct client *ben = settle(come_listener("ben"));
	struct client *anna = settle(come_as("anna"));

	send_description(ben, OFFER, offer_text("abcd", false), 1);
	expect_nothing(ben);
	send_description(anna, OFFER, "v=0\r\n", 1);
	expect_nothing(anna);
	send_description(anna, OFFER, offer_text("abcd", false), 2);
	next_of(anna, GOT_ANSWER);
}
END_TEST

START_TEST(offers_beyond_ten_in_ten_seconds_are_not_answered)
{
	struct client *c = settle(come_as("anna"));

	for (uint32_t id = 1; id <= 12; id++)
		send_description(c, OFFER, offer_text("abcd", false), id);
	ck_assert_int_eq(count_of(c, GOT_ANSWER), 10);
	ck_assert_int_eq(c->socket->code, 0);
}
END_TEST

START_TEST(an_answer_to_another_offer_is_ignored)
{
	struct client *c = come_as("anna");
	struct buf offer;

	next_of(c, GOT_JOIN);
	offer = next_of(c, GOT_OFFER);
	send_description(c, ANSWER, answer_text(description_of(offer), "active"), 7);
	ck_assert_int_ne(participant_of(c)->offered_us, 0);
	answer(c, offer);
	ck_assert_int_eq(participant_of(c)->offered_us, 0);
	expect_nothing(c);
}
END_TEST

/* pion's answer to the offer of an ICE-lite agent. */
START_TEST(a_passive_answer_is_taken)
{
	struct client *c = come_as("anna");

	next_of(c, GOT_JOIN);
	send_description(c, ANSWER,
	    answer_text(description_of(next_of(c, GOT_OFFER)), "passive"), 1);
	ck_assert_int_eq(participant_of(c)->offered_us, 0);
	expect_nothing(c);
}
END_TEST

START_TEST(an_answer_without_a_role_ends_the_participant)
{
	struct client *c = come_as("anna");

	next_of(c, GOT_JOIN);
	send_description(c, ANSWER,
	    answer_text(description_of(next_of(c, GOT_OFFER)), "actpass"), 1);
	expect_leave(c, SIGNAL_JOIN_FAILURE, SIGNAL_DISCONNECT, 1000);
}
END_TEST

/* ---- the rest ---- */

START_TEST(both_kinds_of_ping_are_answered)
{
	struct client *c = settle(come_as("anna"));
	struct buf b = { .mem = fixture.mem };

	protobuf_write_choice(&b, PING, 12345);
	send_bytes(c, &b);
	b = next_of(c, GOT_PONG);
	ck_assert_int_gt(number_at(&b, "18"), now_us() / 1000 - 60000);
	send_number(c, PING_REQ, 1, 54321);
	b = next_of(c, GOT_PONG_RESP);
	is_number("20.1", 54321);
	ck_assert_int_gt(number_at(&b, "20.2"), now_us() / 1000 - 60000);
}
END_TEST

START_TEST(metadata_cannot_be_changed)
{
	struct client *c = settle(come_as("anna"));
	struct buf b;

	send_number(c, METADATA, 4, 7);
	b = next_of(c, GOT_REFUSAL);
	is_number("22.1", 7);
	is_number("22.2", SIGNAL_NOT_ALLOWED);
	ck_assert_int_eq(count_at(&b, "22.5"), 0);
}
END_TEST

START_TEST(requests_that_are_not_known_are_ignored)
{
	struct client *c = settle(come_as("anna"));

	for (uint32_t field = 10; field <= 30; field++)
		if (field != METADATA && field != PING_REQ && field != PING)
			send_number(c, field, 1, 5);
	expect_nothing(c);
	ck_assert_int_eq(c->socket->code, 0);
}
END_TEST

static void
send_bad(struct client *c, int i)
{
	switch (i % 3) {
	case 0: /* a text frame */
		signal_owner.message(c->conn, "{}", 2, false);
		break;
	case 1: /* truncated: the length says nine bytes */
		signal_owner.message(c->conn, "\x22\x09\x0a", 3, true);
		break;
	default: /* a group */
		signal_owner.message(c->conn, "\x0b\x0c", 2, true);
	}
}

START_TEST(twenty_bad_messages_close_the_socket)
{
	struct client *c = settle(come_as("anna"));

	for (int i = 0; i < 19; i++)
		send_bad(c, i);
	ck_assert_int_eq(c->socket->code, 0);
	add_track(c, microphone);
	next_of(c, GOT_PUBLISHED);
	send_bad(c, _i);
	ck_assert_int_eq(c->socket->code, 1008);
	expect_nothing(c);
}
END_TEST

START_TEST(candidates_take_no_part_in_the_limit_of_messages)
{
	struct client *c = settle(come_as("anna"));

	for (int i = 0; i < 33; i++) {
		struct buf b = { .mem = fixture.mem };
		size_t begun = protobuf_begin(&b, TRICKLE);

		protobuf_write_text(&b, 1, "{\"candidate\":\"x\"}");
		protobuf_end(&b, begun);
		send_bytes(c, &b);
	}
	add_track(c, microphone);
	next_of(c, GOT_PUBLISHED);
	expect_nothing(c);
}
END_TEST

START_TEST(more_than_thirty_messages_in_a_second_are_dropped)
{
	struct client *c = come_as("anna");

	next_of(c, GOT_JOIN);
	next_of(c, GOT_OFFER);
	for (int i = 0; i < 35; i++)
		send_number(c, PING_REQ, 1, 1);
	ck_assert_int_eq(count_of(c, GOT_PONG_RESP), 30);
	ck_assert_int_eq(c->socket->code, 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_signal");
	TCase *t = tcase_create("participant_signal");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, an_audio_track_is_published);
	tcase_add_test(t, a_source_that_is_not_named_may_be_published);
	tcase_add_test(t, video_and_encrypted_tracks_are_refused);
	tcase_add_test(t, a_second_track_is_refused);
	tcase_add_test(t, a_track_of_a_listener_is_refused);
	tcase_add_test(t, an_old_client_is_not_told_of_refusals);
	tcase_add_test(t, a_mute_is_told_as_an_update_of_the_participant);
	tcase_add_test(t, a_track_that_is_unpublished_makes_room_for_another);
	tcase_add_test(t, an_offer_of_a_publisher_is_answered);
	tcase_add_test(t, an_offer_with_new_credentials_restarts_ice);
	tcase_add_test(t, offers_of_listeners_and_broken_ones_are_not_answered);
	tcase_add_test(t, offers_beyond_ten_in_ten_seconds_are_not_answered);
	tcase_add_test(t, an_answer_to_another_offer_is_ignored);
	tcase_add_test(t, a_passive_answer_is_taken);
	tcase_add_test(t, an_answer_without_a_role_ends_the_participant);
	tcase_add_test(t, both_kinds_of_ping_are_answered);
	tcase_add_test(t, metadata_cannot_be_changed);
	tcase_add_test(t, requests_that_are_not_known_are_ignored);
	tcase_add_loop_test(t, twenty_bad_messages_close_the_socket, 0, 3);
	tcase_add_test(t, candidates_take_no_part_in_the_limit_of_messages);
	tcase_add_test(t, more_than_thirty_messages_in_a_second_are_dropped);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
