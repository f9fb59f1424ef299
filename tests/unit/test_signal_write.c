/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "livekit/signal.h"
#include "tests/unit/protobuf_fixture.h"
#include "tests/unit/suite.h"

#define BYTES(literal) (literal), sizeof(literal) - 1

static const struct signal_track es = { "TR_000000000es", "translation_es", false,
	SIGNAL_SOURCE_MICROPHONE };

static const struct signal_participant translator = { .sid = "PA_translator0",
	.identity = "palabra_translator_0123abcd",
	.active = true,
	.tracks = &es,
	.n_tracks = 1,
	.joined_ms = 1790000000123,
	.version = 3,
	.can_subscribe = true,
	.can_publish = true,
	.can_publish_data = true,
	.is_publisher = true };

static const struct signal_participant listener = { .sid = "PA_listener000",
	.identity = "listener-7",
	.name = "Ines",
	.metadata = "{\"seat\":7}",
	.attributes = "{\"row\":\"A\",\"seat\":7,\"aisle\":\"left\",\"empty\":\"\"}",
	.joined_ms = 1790000000999,
	.version = 1,
	.can_subscribe = true,
	.hidden = true };

static const struct signal_ice_server servers[] = {
	{ "stun:stun.example.org:3478", NULL, NULL },
	{ "turn:turn.example.org:3478", "1790000000:PA_x", "secret" },
};

START_TEST(join_tells_all)
{
	struct buf b = { .mem = mem };

	signal_write_join(&b, &(struct signal_join){ .room_sid = "RM_000000000001",
				  .room_name = "room-of-a-session",
				  .created_s = 1789999999,
				  .self = &listener,
				  .translator = &translator,
				  .ice_servers = servers,
				  .n_ice_servers = 2,
				  .subscriber_primary = true });
	is_text("1.1.1", "RM_000000000001");
	is_text("1.1.2", "room-of-a-session");
	is_number("1.1.5", 1789999999);
	is_number("1.1.9", 2);
	is_text("1.2.1", "PA_listener000");
	is_number("1.2.3", 1);
	ck_assert_int_eq(count_at(&b, "1.3"), 1);
	is_text("1.3.1", "PA_translator0");
	is_number("1.3.3", 2);
	is_text("1.4", "1.8.0");
	ck_assert_int_eq(count_at(&b, "1.5"), 2);
	is_text("1.5.1", "stun:stun.example.org:3478");
	is_text("1.5.2", "(none)");
	is_text("1.5#1.1", "turn:turn.example.org:3478");
	is_text("1.5#1.2", "1790000000:PA_x");
	is_text("1.5#1.3", "secret");
	is_number("1.6", 1);
	is_number("1.10", 15);
	is_number("1.11", 5);
	is_number("1.12.1", -1);
	is_text("1.12.2", "1.8.0");
	is_number("1.12.3", 15);
	is_text("1.14.1", "audio/opus");
	is_number("1.15", -1);
	ck_assert_int_eq(count_at(&b, "1"), 1);
}
END_TEST

START_TEST(join_without_subscriber_says_so)
{
	struct buf b = { .mem = mem };

	signal_write_join(
	    &b, &(struct signal_join){ .self = &listener, .translator = &translator });
	is_number("1.6", -1);
	ck_assert_int_eq(count_at(&b, "1.5"), 0);
}
END_TEST

START_TEST(participants_are_told)
{
	struct buf b = { .mem = mem };

	signal_write_update(&b, &listener);
	is_text("5.1.2", "listener-7");
	ck_assert_int_eq(count_at(&b, "5.1.4"), 0);
	is_text("5.1.5", "{\"seat\":7}");
	is_number("5.1.6", 1790000000);
	is_text("5.1.9", "Ines");
	is_number("5.1.10", 1);
	is_number("5.1.11.1", 1);
	is_number("5.1.11.2", -1);
	is_number("5.1.11.3", -1);
	is_number("5.1.11.7", 1);
	is_number("5.1.13", -1);
	is_number("5.1.14", -1);
	ck_assert_int_eq(count_at(&b, "5.1.15"), 3);
	is_text("5.1.15.1", "row");
	is_text("5.1.15.2", "A");
	is_text("5.1.15#1.1", "aisle");
	is_text("5.1.15#1.2", "left");
	is_text("5.1.15#2.1", "empty");
	is_number("5.1.17", 1790000000999);
}
END_TEST

/* Values of a token may have any form. */
START_TEST(attributes_that_are_none_are_left_out)
{
	static const char *const texts[] = { NULL, "", "[]", "7", "{", "null",
		"{\"a\":1}" };

	for (int i = 0; i < COUNT(texts); i++) {
		struct buf b = { .mem = mem };
		struct signal_participant p = listener;

		p.attributes = texts[i];
		signal_write_update(&b, &p);
		ck_assert_int_eq(count_at(&b, "5.1.15"), 0);
	}
}
END_TEST

START_TEST(tracks_are_told)
{
	struct buf b = { .mem = mem };
	struct signal_track second = es;
	struct signal_participant p = translator;

	second.muted = true;
	second.source = SIGNAL_SOURCE_UNKNOWN;
	p.tracks = (struct signal_track[]){ es, second };
	p.n_tracks = 2;
	signal_write_update(&b, &p);
	ck_assert_int_eq(count_at(&b, "5.1.4"), 2);
	is_text("5.1.4.1", "TR_000000000es");
	is_number("5.1.4.2", -1);
	is_text("5.1.4.3", "translation_es");
	is_number("5.1.4.4", -1);
	is_number("5.1.4.9", 2);
	is_text("5.1.4.11", "audio/opus");
	is_text("5.1.4.13.1", "audio/opus");
	is_number("5.1.4.15", 1);
	is_number("5.1.4.16", -1);
	is_text("5.1.4.17", "TR_000000000es");
	is_number("5.1.4#1.4", 1);
	is_number("5.1.4#1.9", -1);
}
END_TEST

START_TEST(published_tracks_are_told)
{
	struct buf b = { .mem = mem };

	signal_write_track_published(&b, "cid of the client", &es);
	is_text("6.1", "cid of the client");
	is_text("6.2.1", "TR_000000000es");
}
END_TEST

START_TEST(descriptions_are_told)
{
	struct buf b = { .mem = mem };
	char *sdp = arena_alloc(mem, 60001);

	memset(sdp, 's', 60000);
	signal_write_description(&b, "answer", "v=0\r\n", 5, 7);
	is_text("2.1", "answer");
	is_text("2.2", "v=0\r\n");
	is_number("2.3", 7);
	b.len = 0;
	signal_write_description(&b, "offer", sdp, 60000, 1);
	is_text("3.1", "offer");
	is_text("3.2", sdp);
	is_number("3.3", 1);
}
END_TEST

START_TEST(leaving_tells_why)
{
	struct buf b = { .mem = mem };

	signal_write_leave(&b, SIGNAL_DUPLICATE_IDENTITY, SIGNAL_DISCONNECT);
	is_number("8.1", -1);
	is_number("8.2", 2);
	is_number("8.3", -1);
	b.len = 0;
	signal_write_leave(&b, SIGNAL_SERVER_SHUTDOWN, SIGNAL_RECONNECT);
	is_number("8.1", 1);
	is_number("8.2", 3);
	is_number("8.3", 2);
	b.len = 0;
	signal_write_leave(&b, SIGNAL_JOIN_FAILURE, SIGNAL_RESUME);
	is_number("8.1", 1);
	is_number("8.2", 7);
	is_number("8.3", 1);
}
END_TEST

START_TEST(pongs_are_told)
{
	struct buf b = { .mem = mem };

	signal_write_pong(&b, 1790000000123);
	is_number("18", 1790000000123);
	b.len = 0;
	signal_write_pong_resp(&b, 1790000000123, 1790000000125);
	is_number("20.1", 1790000000123);
	is_number("20.2", 1790000000125);
}
END_TEST

START_TEST(resuming_tells_ice_servers)
{
	struct buf b = { .mem = mem };

	signal_write_reconnect(&b, servers, 2);
	is_text("19.1#1.1", "turn:turn.example.org:3478");
	is_text("19.3.2", "1.8.0");
	is_number("19.3.3", 15);
	b.len = 0;
	signal_write_reconnect(&b, NULL, 0);
	ck_assert_int_eq(count_at(&b, "19"), 1);
}
END_TEST

START_TEST(refusals_tell_the_request)
{
	struct buf b = { .mem = mem }, add = { .mem = mem };
	struct signal_request rq;

	signal_write_refusal(&b, 7, SIGNAL_NOT_ALLOWED, "not allowed", NULL);
	is_number("22.1", 7);
	is_number("22.2", 2);
	is_text("22.3", "not allowed");
	ck_assert_int_eq(count_at(&b, "22.5"), 0);
	ck_assert(signal_read(mem,
	    BYTES("\x22\x07\x0a\x03"
		  "cid\x18\x01"),
	    &rq));
	b.len = 0;
	signal_write_refusal(&b, 0, SIGNAL_UNSUPPORTED_TYPE, "no video", &rq.add_track);
	is_number("22.1", -1);
	is_number("22.2", 5);
	is_text("22.5.1", "cid");
	is_number("22.5.3", 1);
	protobuf_write_bytes(&add, 4, rq.add_track.bytes, rq.add_track.n);
	ck_assert(signal_read(mem, add.p, add.len, &rq));
	ck_assert_str_eq(rq.add_track.cid, "cid");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("signal_write");
	TCase *t = tcase_create("responses");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, join_tells_all);
	tcase_add_test(t, join_without_subscriber_says_so);
	tcase_add_test(t, participants_are_told);
	tcase_add_test(t, attributes_that_are_none_are_left_out);
	tcase_add_test(t, tracks_are_told);
	tcase_add_test(t, published_tracks_are_told);
	tcase_add_test(t, descriptions_are_told);
	tcase_add_test(t, leaving_tells_why);
	tcase_add_test(t, pongs_are_told);
	tcase_add_test(t, resuming_tells_ice_servers);
	tcase_add_test(t, refusals_tell_the_request);
	suite_add_tcase(s, t);
	return unit_run(s);
}
