/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of incoming streams: ports, keys, and missing settings. */
#define UNIT_TEST
#include "tests/unit/channel_fixture.h"

#define SRT ",\"input_type\":\"srt_push\""

START_TEST(each_srt_channel_has_a_port_and_a_key_of_its_own)
{
	struct response a, b;

	fixture.app.conf.broadcast_driver = "gateway";
	fixture.app.conf.ingest_srt_ports = "19000-19001";
	fixture.app.conf.ingest_host = "";
	a = add(NEW(SRT));
	is(a, "/data/lifecycle_status", "ready");
	is(a, "/data/input/protocol", "srt_push");
	is(a, "/data/input/server", "srt://speech.example.org:19000");
	is(a, "/data/input/stream_id", said(&a, "/data/channel_id"));
	ck_assert_uint_eq(strlen(said(&a, "/data/input/stream_key")), 32);
	fixture.app.conf.ingest_host = "srt.example.org";
	b = add(NEW(SRT));
	is(b, "/data/input/server", "srt://srt.example.org:19001");
	ck_assert_str_ne(
	    said(&a, "/data/input/stream_key"), said(&b, "/data/input/stream_key"));
	b = add(NEW(SRT));
	is(b, "/data/lifecycle_status", "failed");
	is(b, "/data/error", "No port of ingest.srt_ports is left.");
	answered(
	    ask(line("DELETE /saas/channel/%s", said(&a, "/data/channel_id")), NULL),
	    200);
	b = ask(
	    line("POST /saas/channel/%s/retry", said(&b, "/data/channel_id")), NULL);
	is(b, "/data/lifecycle_status", "ready");
	is(b, "/data/error", "null");
	is(b, "/data/input/server", "srt://srt.example.org:19000");
}
END_TEST

START_TEST(it_is_sent_to_the_host_that_serves_it)
{
	struct node other = { .id = "other", .public_url = "https://b.example.org" };
	struct response a;

	fixture.app.conf.broadcast_driver = "gateway";
	fixture.app.conf.ingest_srt_ports = "19000-19001";
	fixture.app.conf.ingest_host = "srt.a.example.org";
	a = add(NEW(SRT));
	ck_assert_int_eq(node_beat(fixture.app.db, &other), OK);
	sql("UPDATE channels SET node = 'other'");
	a = ask(line("GET /saas/channel/%s", said(&a, "/data/channel_id")), NULL);
	is(a, "/data/input/server", "srt://b.example.org:19000");
	other.ingest_host = "srt.b.example.org";
	ck_assert_int_eq(node_beat(fixture.app.db, &other), OK);
	a = ask(line("GET /saas/channel/%s", said(&a, "/data/channel_id")), NULL);
	is(a, "/data/input/server", "srt://srt.b.example.org:19000");
}
END_TEST

static const struct {
	const char *ports, *error;
} lacking_cases[] = {
	{ "", "This service does not receive SRT: ingest.srt_ports is empty." },
	{ "19000", "No port of ingest.srt_ports is left." },
	{ "19001-19000", "No port of ingest.srt_ports is left." },
	{ "65000-65536", "No port of ingest.srt_ports is left." },
};

START_TEST(without_ports_a_channel_of_srt_is_failed)
{
	struct response a;

	fixture.app.conf.broadcast_driver = "gateway";
	fixture.app.conf.ingest_srt_ports = lacking_cases[_i].ports;
	a = add(NEW(SRT));
	is(a, "/data/lifecycle_status", "failed");
	is(a, "/data/broadcast_id", "null");
	is(a, "/data/error", lacking_cases[_i].error);
}
END_TEST

#define RTMP ",\"input_type\":\"rtmp_push\""

START_TEST(rtmp_goes_to_the_operators_server)
{
	struct response a;

	fixture.app.conf.broadcast_driver = "gateway";
	fixture.app.conf.ingest_rtmp_url = "";
	a = add(NEW(RTMP));
	is(a, "/data/lifecycle_status", "failed");
	is(a, "/data/error",
	    "This service does not receive RTMP: ingest.rtmp_url is empty.");
	fixture.app.conf.ingest_rtmp_url = "rtmp://127.0.0.1/live";
	fixture.app.conf.ingest_rtmp_public_url = "";
	a = add(NEW(RTMP));
	is(a, "/data/lifecycle_status", "ready");
	is(a, "/data/input/protocol", "rtmp_push");
	is(a, "/data/input/server", "rtmp://127.0.0.1/live");
	ck_assert_uint_eq(strlen(said(&a, "/data/input/stream_key")), 32);
	fixture.app.conf.ingest_rtmp_public_url = "rtmp://live.example.org/live";
	a = add(NEW(RTMP));
	is(a, "/data/input/server", "rtmp://live.example.org/live");
}
END_TEST

#define PULL(url) ",\"input_type\":\"hls_pull\",\"input_url\":\"" url "\""

START_TEST(a_stream_that_is_pulled_has_its_address)
{
	struct response a;

	fixture.app.conf.broadcast_driver = "gateway";
	fixture.app.conf.ingest_allow_private = false;
	a = add(NEW(PULL("https://example.org/live.m3u8")));
	is(a, "/data/lifecycle_status", "ready");
	is(a, "/data/input",
	    "{\"protocol\":\"hls_pull\",\"url\":\"https://example.org/live.m3u8\"}");
	answered(add(NEW(PULL("http://example.org/live.m3u8"))), 422);
	answered(add(NEW(PULL("https://127.0.0.1/live.m3u8"))), 422);
	fixture.app.conf.ingest_allow_private = true;
	a = add(NEW(PULL("http://127.0.0.1:8000/live")));
	is(a, "/data/lifecycle_status", "ready");
	is(a, "/data/input/url", "http://127.0.0.1:8000/live");
	answered(add(NEW(PULL("file:///etc/passwd"))), 422);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ingest");
	TCase *t = tcase_create("ingest");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_test(t, each_srt_channel_has_a_port_and_a_key_of_its_own);
	tcase_add_test(t, it_is_sent_to_the_host_that_serves_it);
	tcase_add_loop_test(
	    t, without_ports_a_channel_of_srt_is_failed, 0, COUNT(lacking_cases));
	tcase_add_test(t, rtmp_goes_to_the_operators_server);
	tcase_add_test(t, a_stream_that_is_pulled_has_its_address);
	suite_add_tcase(s, t);
	return unit_run(s);
}
