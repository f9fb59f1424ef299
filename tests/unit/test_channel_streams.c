/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limit of an account's channels with streams, and the use of their ports. */
#define UNIT_TEST
#include "tests/unit/channel_fixture.h"

#define SRT ",\"input_type\":\"srt_push\""
#define OUTPUTS(list) ",\"outputs\":[" list "]"
#define RECORDING                                                                      \
	"{\"protocol\":\"recording\",\"format\":\"ogg\",\"lang_codes\":[\"es\"]}"
#define HLS "{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\"]}"
#define FULL "stream-limit-reached"

static void
setup(void)
{
	channel_fixture();
	fixture.app.conf.broadcast_driver = "gateway";
	fixture.app.conf.ingest_srt_ports = "19000-19001";
}

static void
plan_streams(const char *n)
{
	sql(line("UPDATE accounts SET plan_streams = %s", n));
}

/* Sets the end of an event, in seconds from now. */
static void
set_end(const char *event, int s)
{
	sql(arena_printf(fixture.mem, "UPDATE events SET end_us = %lld WHERE id = '%s'",
	    (long long)(now_us() + s * S_US), event));
}

static int64_t
streaming(const char *but)
{
	int64_t n = -1;

	ck_assert_int_eq(
	    channels_streaming(fixture.app.db, fixture.account, but, &n), OK);
	return n;
}

#define RTMP                                                                           \
	"{\"protocol\":\"rtmp_push\",\"lang_code\":\"es\",\"stream_key\":\"k\","       \
	"\"server\":\"rtmp://live.example.org/app\"}"

START_TEST(each_output_is_one)
{
	const char *id;
	struct response a;

	plan_streams("3");
	a = add(NEW(SRT OUTPUTS(RECORDING)));
	answered(a, 201);
	id = said(&a, "/data/channel_id");
	ck_assert_int_eq(streaming(NULL), 2);
	a = add(NEW(OUTPUTS(HLS "," RTMP)));
	refused(a, 403, FULL);
	answered(add(NEW(OUTPUTS(HLS))), 201);
	a = on("PATCH", id, "{\"data\":{\"outputs\":[" HLS "," RECORDING "]}}");
	refused(a, 403, FULL);
	plan_streams("1");
	answered(on("PATCH", id, "{\"data\":{\"outputs\":[" HLS "]}}"), 200);
}
END_TEST

START_TEST(an_account_has_as_many_as_its_plan_allows)
{
	const char *plain, *srt;
	struct response a;

	plan_streams("2");
	a = add(NEW(SRT));
	answered(a, 201);
	srt = said(&a, "/data/channel_id");
	answered(add(NEW(OUTPUTS(RECORDING))), 201);
	a = add(NEW(SRT));
	refused(a, 403, FULL);
	is(a, "/errors/0/detail",
	    "The plan allows 2 streams into and out of channels.");
	ck_assert_int_eq(channels(), 2);
	a = add(NEW(OUTPUTS("{\"protocol\":\"webrtc_push\"}")));
	answered(a, 201);
	plain = said(&a, "/data/channel_id");
	a = on("PATCH", plain, "{\"data\":{\"outputs\":[" HLS "]}}");
	refused(a, 403, FULL);
	ck_assert_str_eq(channel_is(plain, "opened(outputs), version"),
	    channel_is(plain, "'[{\"protocol\":\"webrtc_push\"}]', version"));
	answered(on("DELETE", srt, NULL), 200);
	answered(on("PATCH", plain, "{\"data\":{\"outputs\":[" HLS "]}}"), 200);
	a = add(NEW(SRT));
	refused(a, 403, FULL);
	plan_streams("0");
	answered(add(NEW(SRT)), 201);
}
END_TEST

static const char *const inputs[] = { "webrtc_push", "rtmp_push", "srt_push",
	"hls_pull" };

static void
put_output(const char *id, const char *protocol, struct channel *c)
{
	struct channel was;

	ck_assert_int_eq(
	    channel_get(fixture.app.db, fixture.mem, fixture.account, id, &was), OK);
	*c = was;
	c->outputs = arena_printf(fixture.mem, "[{\"protocol\":\"%s\"}]", protocol);
	ck_assert_int_eq(channel_put(fixture.app.db, fixture.mem, &was, c), OK);
}

START_TEST(those_with_a_process_are_counted)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct channel c;
	int64_t streams = 0;

	for (int i = 0; i < COUNT(inputs); i++)
		for (const char *const *out = output_in_fields[0].names; *out != NULL;
		     out++) {
			set_channel(id,
			    arena_printf(fixture.mem, "input_type = '%s'", inputs[i]));
			put_output(id, *out, &c);
			ck_assert_msg(
			    streaming(NULL) == channel_streams(fixture.mem, &c),
			    "%s %s", inputs[i], *out);
			streams += streaming(NULL);
		}
	ck_assert_int_eq(streams, 3 * (7 + 5) + 5);
	ck_assert_int_eq(streaming(id), 0);
	set_channel(id, "lifecycle = 'deleting'");
	ck_assert_int_eq(streaming(NULL), 0);
}
END_TEST

/* True if the gateway must receive the channel's stream. */
static bool
is_on_air(void)
{
	struct list l;

	ck_assert_int_eq(channels_on_air(fixture.app.db, fixture.mem, false, &l), OK);
	return l.n == 1;
}

START_TEST(one_of_a_finished_event_has_none)
{
	const char *event = put_event(fixture.account);

	set_channel(
	    put_channel(fixture.account, event, "ready"), "input_type = 'rtmp_push'");
	set_end(event, 60);
	ck_assert_int_eq(streaming(NULL), 1);
	ck_assert(is_on_air());
	set_end(event, -60);
	ck_assert_int_eq(streaming(NULL), 0);
	ck_assert(!is_on_air());
	sql("UPDATE events SET channels_active = 1"); /* it is late */
	ck_assert_int_eq(streaming(NULL), 1);
	ck_assert(is_on_air());
}
END_TEST

START_TEST(a_port_of_a_finished_event_is_given_to_the_next)
{
	const char *event = put_event(fixture.account), *first;
	struct response a, b;

	set_end(event, 60);
	a = add_to(event, SRT);
	is(a, "/data/input/server", "srt://speech.example.org:19000");
	first = said(&a, "/data/channel_id");
	answered(add(NEW(SRT)), 201);
	b = add(NEW(SRT));
	is(b, "/data/lifecycle_status", "failed");
	set_end(event, -60);
	b = add(NEW(SRT));
	is(b, "/data/lifecycle_status", "ready");
	is(b, "/data/input/server", "srt://speech.example.org:19000");
	b = on("GET", first, NULL);
	is(b, "/data/input/server", "null");
	ck_assert_str_ne(head_of(&a, "ETag"), head_of(&b, "ETag"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel streams");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, an_account_has_as_many_as_its_plan_allows);
	tcase_add_test(t, each_output_is_one);
	tcase_add_test(t, those_with_a_process_are_counted);
	tcase_add_test(t, one_of_a_finished_event_has_none);
	tcase_add_test(t, a_port_of_a_finished_event_is_given_to_the_next);
	suite_add_tcase(s, t);
	return unit_run(s);
}
