/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The join answer of participants, and the first offer. */
#include "rtc/stun.h"
#include "rtc/transport_socket.h"
#include "tests/unit/participant_fixture.h"

START_TEST(the_join_answer_tells_of_the_participant_and_the_translator)
{
	struct client *c = come_as("anna");
	struct buf b = next_of(c, GOT_JOIN);
	const char *identity = text_at(&b, "1.3.2");

	ck_assert_int_eq(strncmp(text_at(&b, "1.1.1"), "RM_", 3), 0);
	ck_assert_uint_eq(strlen(text_at(&b, "1.1.1")), 15);
	is_text("1.1.2", ROOM);
	ck_assert_int_gt(number_at(&b, "1.1.5"), now_us() / S_US - 60);
	is_text("1.2.1", participant_of(c)->sid);
	ck_assert_int_eq(strncmp(text_at(&b, "1.2.1"), "PA_", 3), 0);
	ck_assert_uint_eq(strlen(text_at(&b, "1.2.1")), 15);
	is_text("1.2.2", id_derived(fixture.mem, "anna", "sub"));
	is_number("1.2.3", 1);
	is_number("1.2.11.1", 1);
	is_number("1.2.11.2", 1);
	is_number("1.2.11.3", 1);
	ck_assert_int_eq(count_at(&b, "1.3"), 1);
	is_number("1.3.3", 2);
	ck_assert_int_eq(count_at(&b, "1.3.4"), 0);
	ck_assert_int_eq(strncmp(identity, "palabra_translator_", 19), 0);
	ck_assert_uint_eq(strlen(identity), 19 + 8);
}
END_TEST

START_TEST(the_join_answer_tells_of_the_server)
{
	struct client *c = come_as("anna");
	struct buf b = next_of(c, GOT_JOIN);

	is_text("1.4", "1.8.0");
	is_number("1.6", 1);
	is_number("1.10", 15);
	is_number("1.11", 5);
	is_text("1.12.2", "1.8.0");
	is_number("1.12.3", 15);
	is_text("1.14.1", "audio/opus");
	ck_assert_int_eq(count_at(&b, "1.5"), 0);
	ck_assert_int_eq(count_at(&b, "1.15"), 0);
	ck_assert_uint_eq(c->socket->most, SIGNAL_BYTES);
}
END_TEST

START_TEST(the_translator_stays_the_same_for_a_room)
{
	struct client *a = come_as("anna"), *b = come_listener("ben");
	struct buf first = next_of(a, GOT_JOIN), second = next_of(b, GOT_JOIN);

	ck_assert_str_eq(text_at(&first, "1.3.1"), text_at(&second, "1.3.1"));
	ck_assert_str_eq(text_at(&first, "1.3.2"), text_at(&second, "1.3.2"));
	ck_assert_str_eq(text_at(&first, "1.1.1"), text_at(&second, "1.1.1"));
	ck_assert_str_ne(text_at(&first, "1.2.1"), text_at(&second, "1.2.1"));
	ck_assert_int_eq(number_at(&second, "1.2.11.2"), -1);
	ck_assert_int_eq(number_at(&second, "1.2.11.1"), 1);
}
END_TEST

START_TEST(the_prefix_of_the_translator_is_a_setting)
{
	struct buf b;

	fixture.app.conf.rtc_bot_prefix = "interpreter-";
	b = next_of(come_as("anna"), GOT_JOIN);
	ck_assert_int_eq(strncmp(text_at(&b, "1.3.2"), "interpreter-", 12), 0);
	ck_assert_uint_eq(strlen(text_at(&b, "1.3.2")), 12 + 8);
}
END_TEST

/* The password is the HMAC of the username, which ends with the participant's sid. */
static void
assert_turn(const struct buf *b, const char *sid, const char *secret)
{
	const char *username = text_at(b, "1.5#1.2");
	unsigned char mac[20];
	char *end;
	long long expires_s = strtoll(username, &end, 10), now_s = now_us() / S_US;

	ck_assert_int_ge(expires_s, now_s + 86400 - 60);
	ck_assert_int_le(expires_s, now_s + 86400);
	ck_assert_str_eq(end, arena_printf(fixture.mem, ":%s", sid));
	hmac_sha1(secret, strlen(secret), username, strlen(username), mac);
	ck_assert_str_eq(text_at(b, "1.5#1.3"), base64(fixture.mem, mac, sizeof(mac)));
}

START_TEST(servers_of_stun_and_turn_are_told_with_credentials)
{
	struct client *c;
	struct buf b;

	fixture.app.conf.rtc_ice_servers =
	    "stun:stun.example.org, turn:turn.example.org:3478?transport=udp";
	fixture.app.conf.rtc_turn_secret = "secret of turn";
	c = come_as("anna");
	b = next_of(c, GOT_JOIN);
	ck_assert_int_eq(count_at(&b, "1.5"), 2);
	is_text("1.5.1", "stun:stun.example.org");
	is_text("1.5.2", "(none)");
	is_text("1.5.3", "(none)");
	is_text("1.5#1.1", "turn:turn.example.org:3478?transport=udp");
	assert_turn(&b, participant_of(c)->sid, "secret of turn");
}
END_TEST

START_TEST(an_offer_of_data_follows_the_join_answer)
{
	struct client *c = come_as("anna");
	struct buf b;
	const struct sdp *sdp;

	ck_assert_str_eq(kinds_of(c), "1 3 ");
	next_of(c, GOT_JOIN);
	b = next_of(c, GOT_OFFER);
	is_text("3.1", "offer");
	is_number("3.3", 1);
	sdp = description_of(b);
	ck_assert_uint_eq(sdp->n, 1);
	ck_assert_int_eq(sdp->sections[0].kind, SDP_APPLICATION);
	ck_assert_str_eq(sdp->setup, "actpass");
	ck_assert_str_eq(sdp->fingerprint, webrtc_fingerprint(gateway.webrtc_thread));
	ck_assert_ptr_nonnull(strstr(
	    text_at(&b, "3.2"), arena_printf(fixture.mem, " 127.0.0.1 %d typ host",
				    webrtc_addresses(gateway.webrtc_thread)->port)));
	answer(c, b);
	expect_nothing(c);
}
END_TEST

START_TEST(without_the_right_to_subscribe_nothing_is_offered)
{
	struct client *c = come(token_of("anna", STREAM_PUBLISHER, true), NEW);
	struct buf b = next_of(c, GOT_JOIN);

	is_number("1.6", -1);
	is_number("1.2.11.1", -1);
	expect_nothing(c);
}
END_TEST

START_TEST(a_publisher_hears_the_tracks_of_a_running_task_at_once)
{
	struct client *first = settle(come_as("anna")), *again;
	struct buf b;

	send_json(first, "set_task", WEBRTC_TASK(TO("es") "," TO("de")));
	await_running(first);
	again = come_as("anna");
	b = next_of(again, GOT_JOIN);
	ck_assert_int_eq(count_at(&b, "1.3.4"), 2);
	is_text("1.3.4.3", "translation_es");
	is_text("1.3.4#1.3", "translation_de");
	ck_assert_str_eq(tracks_offered(next_of(again, GOT_OFFER)),
	    arena_printf(fixture.mem, "%s %s ", text_at(&b, "1.3.4.1"),
		text_at(&b, "1.3.4#1.1")));
	expect_nothing(again);
}
END_TEST

START_TEST(a_listener_is_offered_one_language_and_told_of_all)
{
	struct client *speaker = settle(come_as("anna")), *listener;
	struct buf b;

	send_json(speaker, "set_task", WEBRTC_TASK(TO("es") "," TO("de")));
	await_running(speaker);
	listener = come_listener("ben");
	b = next_of(listener, GOT_JOIN);
	ck_assert_int_eq(count_at(&b, "1.3.4"), 2);
	ck_assert_str_eq(tracks_offered(next_of(listener, GOT_OFFER)),
	    arena_printf(fixture.mem, "%s ", text_at(&b, "1.3.4.1")));
}
END_TEST

START_TEST(without_auto_subscribe_no_track_is_offered)
{
	struct client *speaker = settle(come_as("anna")), *listener;
	struct buf b;

	send_json(speaker, "set_task", WEBRTC_TASK(TO("es")));
	await_running(speaker);
	listener =
	    come(token_of("ben", STREAM_SUBSCRIBER, false), NEW "&auto_subscribe=0");
	b = next_of(listener, GOT_JOIN);
	ck_assert_int_eq(count_at(&b, "1.3.4"), 1);
	b = next_of(listener, GOT_OFFER);
	ck_assert_uint_eq(description_of(b)->n, 1);
	expect_nothing(listener);
}
END_TEST

/* ---- IPv6 ---- */

static void
setup_on_both(void)
{
	participants_setup_at("::1,127.0.0.1");
}

/*
 * Sends a check with the credentials of the offer, to the address of one of its
 * candidates.
 */
static bool
is_checked(const struct sdp *offer, const char *address, int port)
{
	struct stun_check check = { .ufrag = "wxyz",
		.peer_ufrag = offer->ufrag,
		.peer_pwd = offer->pwd,
		.priority = 1,
		.use_candidate = true };
	unsigned char p[STUN_ROOM], got[STUN_MOST];
	struct sockaddr_storage to, mapped;
	socklen_t n = transport_address_read(address, port, &to);
	int fd = socket(to.ss_family, SOCK_DGRAM, 0);
	struct timeval patience = { .tv_sec = AWAIT_US / S_US };
	ssize_t size;

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, n), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	size = (ssize_t)stun_write_request(&check, p);
	ck_assert_int_eq(send(fd, p, (size_t)size, 0), size);
	size = recv(fd, got, sizeof(got), 0);
	close(fd);
	return size > 0 && stun_read_success(got, (size_t)size, &check, &mapped) &&
	       mapped.ss_family == to.ss_family;
}

/* Waits until the media thread has opened the peer connection. */
static void
await_peer(void)
{
	int64_t until_us = monotonic_us() + AWAIT_US;
	struct rtc_stats stats = { 0 };

	while (stats.peers[RTC_NEW] == 0 && monotonic_us() < until_us) {
		gateway_tick();
		webrtc_stats(gateway.webrtc_thread, &stats);
	}
	ck_assert_uint_eq(stats.peers[RTC_NEW], 1);
}

static const char *const addresses[] = { "::1", "127.0.0.1" };

START_TEST(clients_are_told_and_answered_by_addresses_of_both_kinds)
{
	struct client *c = come_as("anna");
	int port = webrtc_addresses(gateway.webrtc_thread)->port;
	struct buf offer;

	next_of(c, GOT_JOIN);
	offer = next_of(c, GOT_OFFER);
	ck_assert_ptr_nonnull(strstr(text_at(&offer, "3.2"),
	    arena_printf(fixture.mem, " %s %d typ host\r\n", addresses[_i], port)));
	await_peer();
	ck_assert(is_checked(description_of(offer), addresses[_i], port));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("participant_join");
	TCase *t = tcase_create("participant_join"), *v6 = tcase_create("ipv6");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, participants_setup, participants_teardown);
	tcase_add_test(t, the_join_answer_tells_of_the_participant_and_the_translator);
	tcase_add_test(t, the_join_answer_tells_of_the_server);
	tcase_add_test(t, the_translator_stays_the_same_for_a_room);
	tcase_add_test(t, the_prefix_of_the_translator_is_a_setting);
	tcase_add_test(t, servers_of_stun_and_turn_are_told_with_credentials);
	tcase_add_test(t, an_offer_of_data_follows_the_join_answer);
	tcase_add_test(t, without_the_right_to_subscribe_nothing_is_offered);
	tcase_add_test(t, a_publisher_hears_the_tracks_of_a_running_task_at_once);
	tcase_add_test(t, a_listener_is_offered_one_language_and_told_of_all);
	tcase_add_test(t, without_auto_subscribe_no_track_is_offered);
	tcase_add_checked_fixture(v6, setup_on_both, participants_teardown);
	tcase_add_loop_test(v6,
	    clients_are_told_and_answered_by_addresses_of_both_kinds, 0,
	    COUNT(addresses));
	suite_add_tcase(s, v6);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
