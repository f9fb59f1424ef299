/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a channel, at creation and change. */
#define UNIT_TEST
#include "tests/unit/channel_fixture.h"

#define ADDRESS "url must be an http or https URL of a public address."
#define NO_SEQ "url must have no fragment, and no seq, which is added."

/* clang-format off */
#define URL_FAULT "/data/input_url: input_url must be an https URL of a public address,"  \
	" of at most 2083 characters."
#define NO_PLACE "A standalone channel has no event and no stage."
static const struct {
	const char *data, *faults;
} bad[] = {
	{ "{}", "/data/type: type is required.\n/data/name: name is required." },
	{ "[]", "/data: data must be an object." },
	{ "{\"type\":\"other\",\"name\":\"A\"}", "/data/type: type is not in the list." },
	{ "{\"type\":\"event\",\"name\":\"A\"}", "/data/event_id: event_id is required." },
	{ "{\"type\":\"event\",\"name\":\"A\",\"event_id\":null}",
	  "/data/event_id: event_id is required." },
	{ "{\"type\":\"event\",\"name\":\"A\",\"event_id\":5}",
	  "/data/event_id: event_id must be a string." },
	{ "{\"type\":\"event\",\"name\":\"A\",\"event_id\":\"x\",\"stage_id\":\"y\"}",
	  "/data/event_id: event_id must be a uuid.\n/data/stage_id: stage_id must be a uuid." },
	{ "{\"type\":\"standalone\",\"name\":\"\",\"event_id\":\"" ID "\",\"stage_id\":\"" ID "\"}",
	  "/data/name: name must have 1 to 100 characters.\n/data/event_id: " NO_PLACE
	  "\n/data/stage_id: " NO_PLACE },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"input_type\":\"HLS_PULL\"}",
	  "/data/input_type: input_type is not in the list." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"input_type\":\"hls_pull\"}",
	  "/data/input_url: input_url is required." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"input_url\":\"https://example.org/\"}",
	  "/data/input_url: input_url belongs to input_type hls_pull." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"input_type\":\"hls_pull\","
	  "\"input_url\":\"https://127.0.0.1/a\"}", URL_FAULT },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"source_language\":\"de-at\"}",
	  "/data/source_language: source_language is not in the list." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"target_languages\":[\"de\",\"auto\",\"DE\"]}",
	  "/data/target_languages/1: item 1 is not in the list.\n"
	  "/data/target_languages/2: The language is listed twice." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"region\":\"EU\"}",
	  "/data/region: region may have a-z, 0-9 and - only." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"ignore_video\":1,"
	  "\"original_delay_seconds\":30.1,\"original_ducked_volume\":-0.1}",
	  "/data/ignore_video: ignore_video must be true or false.\n"
	  "/data/original_delay_seconds: original_delay_seconds must be a number from 0 to 30.\n"
	  "/data/original_ducked_volume: original_ducked_volume must be a number from 0 to 1." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"audio_settings\":[],"
	  "\"translation_pipeline\":\"x\"}",
	  "/data/audio_settings: audio_settings must be an object.\n"
	  "/data/translation_pipeline: translation_pipeline must be an object." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"outputs\":["
	  "{\"protocol\":\"rtmp_push\",\"lang_code\":\"de\",\"server\":\"http://a/b\",\"stream_key\":\"k\"},"
	  "{\"protocol\":\"rtmp_push\",\"lang_code\":\"de\",\"server\":\"rtmp://u@a/b\",\"stream_key\":\"k\"},"
	  "{\"protocol\":\"srt_push\",\"lang_code\":\"de\",\"server\":\"srt://a\",\"stream_key\":\"012345678\"},"
	  "{\"protocol\":\"icecast_push\",\"lang_code\":\"de\",\"server\":\"https:///a\",\"stream_key\":\"k\"}]}",
	  "/data/outputs/0/server: server must be an address such as rtmp://live.example.org/app.\n"
	  "/data/outputs/1/server: server must be an address such as rtmp://live.example.org/app.\n"
	  "/data/outputs/2/server: server must be an address such as srt://live.example.org:9000.\n"
	  "/data/outputs/2/stream_key: stream_key is the passphrase of SRT: 10 to 79 bytes.\n"
	  "/data/outputs/3/server: server must be an address such as https://radio.example.org:8443.\n"
	  "/data/outputs/3/mount: mount is required." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"outputs\":["
	  "{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\",\"fr\",\"ES\"]}]}",
	  "/data/outputs/0/lang_codes/2: The language is listed twice." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"outputs\":[{\"protocol\":\"webrtc_push\"},{},"
	  "{\"protocol\":\"webrtc_push\"},{\"protocol\":\"rtmp_push\",\"server\":\"\"},"
	  "{\"protocol\":\"hls_pull\",\"lang_codes\":null},"
	  "{\"protocol\":\"hls_pull\",\"lang_codes\":[]},5]}",
	  "/data/outputs/1/protocol: protocol is required.\n"
	  "/data/outputs/2: Only one output may be webrtc_push.\n"
	  "/data/outputs/3/lang_code: lang_code is required.\n"
	  "/data/outputs/3/server: server must have 1 to 2083 characters.\n"
	  "/data/outputs/3/stream_key: stream_key is required.\n"
	  "/data/outputs/4/lang_codes: lang_codes is required.\n"
	  "/data/outputs/5/lang_codes: lang_codes must have 1 to 67 items.\n"
	  "/data/outputs/6: item 6 must be an object." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"input_type\":\"captions_push\",\"outputs\":["
	  "{\"protocol\":\"captions_push\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"ftp://example.org/c\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"http://127.0.0.1/c\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"http://example.org/c#d\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"https://example.org/c?a=b&seq=1\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"http://example.org/c?myseq=1\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"fr\",\"url\":\"http://example.org/c?myseq=1\"},"
	  "{\"protocol\":\"captions_push\",\"lang_code\":\"tlh\",\"url\":7}]}",
	  "/data/input_type: input_type is not in the list.\n"
	  "/data/outputs/0/lang_code: lang_code is required.\n"
	  "/data/outputs/0/url: url is required.\n"
	  "/data/outputs/1/url: " ADDRESS "\n/data/outputs/2/url: " ADDRESS "\n"
	  "/data/outputs/3/url: " NO_SEQ "\n/data/outputs/4/url: " NO_SEQ "\n"
	  "/data/outputs/6/url: Only one output may post to an address.\n"
	  "/data/outputs/7/lang_code: lang_code is not in the list.\n"
	  "/data/outputs/7/url: url must be a string." },
	{ "{\"type\":\"standalone\",\"name\":\"A\",\"outputs\":[{\"protocol\":\"recording\"},"
	  "{\"protocol\":\"recording\",\"lang_codes\":[\"es\",\"ES\",\"original\"],\"format\":\"flac\"},"
	  "{\"protocol\":\"recording\",\"lang_codes\":[\"tlh\"],\"format\":7}]}",
	  "/data/outputs/0/lang_codes: lang_codes is required.\n"
	  "/data/outputs/0/format: format is required.\n"
	  "/data/outputs/1/lang_codes/1: The language is listed twice.\n"
	  "/data/outputs/1/format: format is not in the list.\n"
	  "/data/outputs/2/lang_codes/0: item 0 is not in the list.\n"
	  "/data/outputs/2/format: format is not in the list." },
	{ "{\"type\":\"event\",\"name\":\"A\",\"event_id\":\"" ID "\",\"keep_transcript\":true}",
	  "/data/keep_transcript: The event says whether its channels have transcripts." },
};
/* clang-format on */

START_TEST(a_channel_that_breaks_a_rule_is_422)
{
	const char *before = everything();
	struct response a = add(line("{\"data\":%s}", bad[_i].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), bad[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* The gateway posts captions with any backend. */
START_TEST(captions_need_no_backend)
{
	struct response a =
	    add("{\"data\":{\"type\":\"standalone\",\"name\":\"A\",\"outputs\":[{"
		"\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":"
		"\"http://example.org/?cid=k\",\"server\":\"s\"}]}}");

	is(a, "/data/outputs",
	    "[{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":"
	    "\"http://example.org/?cid=k\",\"runtime_status\":\"pending\",\"error\":"
	    "null,\"dropped\":0}]");
	is(a, "/data/lifecycle_status", "ready");
}
END_TEST

/* Adds a member that is an object of that many bytes, or one byte more. */
static struct response
add_sized(const char *member, int bytes)
{
	return add(arena_printf(fixture.mem,
	    "{\"data\":{\"type\":\"standalone\",\"name\":\"A\",\"%s\":{\"a\":\"%0*d\"}}"
	    "}",
	    member, bytes - 8, 0));
}

START_TEST(objects_have_their_sizes)
{
	struct response a = add_sized("audio_settings", 16384);

	answered(a, 201);
	a = add_sized("audio_settings", 16385);
	refused(a, 422, "validation-error");
	a = add_sized("translation_pipeline", 65536);
	answered(a, 201);
	a = add_sized("translation_pipeline", 65537);
	refused(a, 422, "validation-error");
}
END_TEST

/* clang-format off */
static const struct {
	const char *data, *faults;
} bad_edits[] = {
	{ "{\"type\":\"standalone\",\"event_id\":\"" ID "\",\"stage_id\":\"" ID "\","
	  "\"input_type\":\"webrtc_push\",\"input_url\":null}",
	  "/data/type: type cannot be changed.\n/data/event_id: event_id cannot be changed.\n"
	  "/data/stage_id: stage_id cannot be changed.\n"
	  "/data/input_type: input_type cannot be changed.\n"
	  "/data/input_url: input_url must not be null." },
	{ "{\"channel_id\":\"" ID "\"}", "/data/channel_id: channel_id must be that of the path." },
	{ "{\"channel_id\":\"x\"}", "/data/channel_id: channel_id must be that of the path." },
	{ "{\"name\":null,\"source_language\":null,\"region\":null,\"ignore_video\":null}",
	  "/data/name: name must not be null.\n"
	  "/data/source_language: source_language must not be null.\n"
	  "/data/region: region must not be null.\n"
	  "/data/ignore_video: ignore_video must not be null." },
	{ "{\"target_languages\":[\"de\",\"de\"],\"outputs\":[{\"protocol\":\"srt_push\"}]}",
	  "/data/target_languages/1: The language is listed twice.\n"
	  "/data/outputs/0/lang_code: lang_code is required.\n"
	  "/data/outputs/0/server: server is required.\n"
	  "/data/outputs/0/stream_key: stream_key is required." },
	{ "{\"outputs\":[{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"http://[::1]/c\"}]}",
	  "/data/outputs/0/url: " ADDRESS },
};
/* clang-format on */

START_TEST(a_change_that_breaks_a_rule_is_422)
{
	const char *id = put_channel(fixture.account, NULL, "ready"),
		   *before = everything();
	struct response a = on("PATCH", id, line("{\"data\":%s}", bad_edits[_i].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), bad_edits[_i].faults);
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(backend.changes, 0);
}
END_TEST

static const struct {
	const char *url;
	bool public;
} urls[] = {
	{ "https://example.org/live/a.m3u8?k=v#x", true },
	{ "HTTPS://Example.org", true },
	{ "https://example.org:8443/", true },
	{ "https://example.org.:8443/", true },
	{ "https://8.8.8.8/", true },
	{ "https://[2a00:1450:4001::1]/", true },
	{ "https://[2a00:1450:4001::1]:8443/a", true },
	{ "http://example.org/", false },
	{ "ftp://example.org/", false },
	{ "https:/", false },
	{ "https://", false },
	{ "https:///a", false },
	{ "https://.", false },
	{ "https://:443/", false },
	{ "https://.example.org/", false },
	{ "https://user@example.org/", false },
	{ "https://user:pass@example.org/", false },
	{ "https://example.org:65536/", false },
	{ "https://example.org:44a/", false },
	{ "https://example.org:1:2/", false },
	{ "https://exa mple.org/", false },
	{ "https://example.org/\n", false },
	{ "https://ex\xc3\xa4mple.org/", false },
	{ "https://example.org\\@8.8.8.8/", false },
	{ "https://localhost/", false },
	{ "https://LocalHost.:80/", false },
	{ "https://a.localhost/", false },
	{ "https://127.0.0.1/", false },
	{ "https://127.1/", false },
	{ "https://2130706433/", false },
	{ "https://0x7f.1/", false },
	{ "https://0177.0.0.1/", false },
	{ "https://10.1.2.3:443/", false },
	{ "https://169.254.169.254/latest", false },
	{ "https://192.168.0.1./", false },
	{ "https://[::1]/", false },
	{ "https://[::ffff:10.0.0.1]/", false },
	{ "https://[fd00::1]:443/", false },
	{ "https://[::1/", false },
	{ "https://[]/", false },
	{ "https://[fe80::1%25eth0]/", false },
};

START_TEST(an_address_is_public_or_it_is_refused)
{
	ck_assert_msg(url_is_public(fixture.mem, urls[_i].url) == urls[_i].public, "%s",
	    urls[_i].url);
}
END_TEST

START_TEST(outputs_are_kept_with_what_is_theirs)
{
	add(NEW(
	    ",\"outputs\":[{\"protocol\":\"srt_push\",\"stream_key\":\"0123456789\","
	    "\"server\":\"srt://example.org:9000\",\"lang_code\":\"ORIGINAL\","
	    "\"lang_codes\":[\"de\"],\"stream_id\":\"a\",\"mount\":\"/b\"},"
	    "{\"protocol\":\"webrtc_push\",\"lang_code\":\"de\"},"
	    "{\"lang_codes\":[\"FR\"],\"protocol\":\"hls_pull\","
	    "\"stream_key\":\"k\"},{\"protocol\":\"icecast_push\",\"lang_code\":"
	    "\"de\",\"server\":\"https://radio.example.org\",\"mount\":\"/de\","
	    "\"stream_key\":\"k\",\"stream_id\":\"a\",\"format\":\"ogg\"},"
	    "{\"protocol\":\"recording\",\"server\":\"s\",\"format\":\"MP4\","
	    "\"lang_codes\":[\"FR\",\"original\"]}]"));

	ck_assert_str_eq(sql("SELECT opened(outputs) FROM channels"),
	    "[{\"protocol\":\"srt_push\",\"lang_code\":\"original\",\"server\":"
	    "\"srt://example.org:9000\",\"stream_key\":\"0123456789\",\"stream_id\":"
	    "\"a\"},{\"protocol\":\"webrtc_push\"},{\"protocol\":\"hls_pull\","
	    "\"lang_codes\":[\"fr\"]},{\"protocol\":\"icecast_push\",\"lang_code\":"
	    "\"de\",\"server\":\"https://radio.example.org\",\"stream_key\":\"k\","
	    "\"mount\":\"/de\"},{\"protocol\":\"recording\",\"lang_codes\":[\"fr\","
	    "\"original\"],\"format\":\"mp4\"}]\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel input");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_loop_test(t, a_channel_that_breaks_a_rule_is_422, 0, COUNT(bad));
	tcase_add_test(t, captions_need_no_backend);
	tcase_add_test(t, objects_have_their_sizes);
	tcase_add_loop_test(t, a_change_that_breaks_a_rule_is_422, 0, COUNT(bad_edits));
	tcase_add_loop_test(t, an_address_is_public_or_it_is_refused, 0, COUNT(urls));
	tcase_add_test(t, outputs_are_kept_with_what_is_theirs);
	suite_add_tcase(s, t);
	return unit_run(s);
}
