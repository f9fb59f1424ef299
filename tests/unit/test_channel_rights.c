/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Secrets of a channel's record, with which a client could speak, are shown only with
 * the right to write.
 */
#define UNIT_TEST
#include "base/token.h"
#include "store/channel_outputs.h"
#include "tests/unit/channel_fixture.h"

#define ADDRESS "http://example.org/?cid=abcdefghij"
#define CAPTIONS                                                                       \
	"{\"protocol\":\"captions_push\",\"lang_code\":\"de\",\"url\":\"" ADDRESS "\"" \
	"}"
#define PUSHED                                                                         \
	"[{\"protocol\":\"rtmp_push\",\"lang_code\":\"de\",\"server\":"                \
	"\"rtmp://example.org/live\",\"stream_key\":\"abcdefghij\"},"                  \
	"{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]}," CAPTIONS "]"

/* Scopes, and whether their holder sees the secrets. */
static const struct {
	const char *scopes;
	bool told;
} rights[] = {
	{ "channels:read", false },
	{ "events:write channels:read", false },
	{ "channels:write", true },
	{ "channels:read channels:write", true },
	{ "*", true },
};

/* Checks the record at that pointer of the answer. */
static void
check_record(struct response a, const char *at, bool told)
{
	struct stream_token t;
	const char *token = line("%s/input/token", at);

	is(a, line("%s/input/protocol", at), "webrtc_push");
	is(a, line("%s/outputs/0/server", at), "rtmp://example.org/live");
	is(a, line("%s/outputs/1/lang_codes/0", at), "de");
	is(a, line("%s/outputs/0/stream_key", at), told ? "abcdefghij" : "null");
	is(a, line("%s/outputs/2/url", at), told ? ADDRESS : "null");
	if (told)
		ck_assert(stream_token_check(fixture.mem, said(&a, token),
		    fixture.app.conf.session_jwt_keys, now_us(), &t));
	else
		is(a, token, "null");
}

START_TEST(secrets_for_speaking_are_null_for_readers)
{
	const char *id = put_channel(fixture.account, NULL, "ready");

	set_channel(id, "outputs = '" PUSHED "'");
	fixture.bearer = fixture_bearer(fixture.account, rights[_i].scopes);
	check_record(on("GET", id, NULL), "/data", rights[_i].told);
	check_record(ask("GET /saas/channels", NULL), "/data/0", rights[_i].told);
}
END_TEST

START_TEST(a_change_is_answered_with_the_token)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "channels:write");
	a = on("PATCH", id, "{\"data\":{\"name\":\"Hall\"}}");
	answered(a, 200);
	ck_assert_uint_gt(strlen(said(&a, "/data/input/token")), 100);
	a = retry(id);
	answered(a, 200);
	ck_assert_uint_gt(strlen(said(&a, "/data/input/token")), 100);
}
END_TEST

START_TEST(reading_without_the_right_changes_no_key)
{
	const char *id = put_channel(fixture.account, NULL, "ready");

	set_channel(id, "outputs = '" PUSHED "'");
	fixture.bearer = fixture_bearer(fixture.account, "channels:read");
	answered(on("GET", id, NULL), 200);
	ck_assert_str_eq(channel_is(id, "outputs"), PUSHED "\n");
}
END_TEST

/* The state of an output as the gateway writes it, and the part that clients read. */
static const struct {
	const char *channel, *output, *told;
} runtimes[] = {
	{ "active", "'active', NULL", "active" },
	{ "stopped", "'active', NULL", "stopped" },
	{ "active", "'failed', 'The server answered 403.'", "failed" },
	{ "stopped", "'failed', 'The server answered 403.'", "failed" },
	{ "active", "'pending', NULL", "pending" },
};

START_TEST(what_became_of_captions_is_told_to_all)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	const char *why;
	struct response a;

	set_channel(
	    id, line("outputs = '" PUSHED "', runtime = '%s'", runtimes[_i].channel));
	sql(arena_printf(fixture.mem,
	    "INSERT INTO channel_outputs (channel, output, seq, runtime, error,"
	    " dropped, updated_us) VALUES ('%s', '%s', 5, %s, 7, 1)",
	    id,
	    channel_output_id(
		fixture.mem, json_read(fixture.mem, CAPTIONS, strlen(CAPTIONS), &why)),
	    runtimes[_i].output));
	fixture.bearer = fixture_bearer(fixture.account, "channels:read");
	a = on("GET", id, NULL);
	is(a, "/data/outputs/2/url", "null");
	is(a, "/data/outputs/2/runtime_status", runtimes[_i].told);
	is(a, "/data/outputs/2/dropped", "7");
	is(a, "/data/outputs/2/error",
	    strcmp(runtimes[_i].told, "failed") == 0 ? "The server answered 403."
						     : "null");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channels: rights");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_loop_test(
	    t, secrets_for_speaking_are_null_for_readers, 0, COUNT(rights));
	tcase_add_test(t, a_change_is_answered_with_the_token);
	tcase_add_test(t, reading_without_the_right_changes_no_key);
	tcase_add_loop_test(
	    t, what_became_of_captions_is_told_to_all, 0, COUNT(runtimes));
	suite_add_tcase(s, t);
	return unit_run(s);
}
