/* Members of a channel's record that let a client speak need the right to write. */
#define UNIT_TEST
#include "base/token.h"
#include "tests/unit/channel_fixture.h"

#define PUSHED                                                                         \
	"[{\"protocol\":\"rtmp_push\",\"lang_code\":\"de\",\"server\":"                \
	"\"rtmp://example.org/live\",\"stream_key\":\"abcdefghij\"},"                  \
	"{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]}]"

/* Scopes, and whether what is secret is told to their holder. */
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

/* The record below that pointer of the answer. */
static void
check_record(struct response a, const char *at, bool told)
{
	struct stream_token t;
	const char *token = line("%s/input/token", at);

	is(a, line("%s/input/protocol", at), "webrtc_push");
	is(a, line("%s/outputs/0/server", at), "rtmp://example.org/live");
	is(a, line("%s/outputs/1/lang_codes/0", at), "de");
	is(a, line("%s/outputs/0/stream_key", at), told ? "abcdefghij" : "null");
	if (told)
		ck_assert(stream_token_check(fixture.mem, said(&a, token),
		    fixture.app.conf.session_jwt_keys, now_us(), &t));
	else
		is(a, token, "null");
}

START_TEST(what_lets_one_speak_is_null_for_those_who_may_only_read)
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

int
main(void)
{
	Suite *s = suite_create("channels: rights");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_loop_test(t, what_lets_one_speak_is_null_for_those_who_may_only_read,
	    0, COUNT(rights));
	tcase_add_test(t, a_change_is_answered_with_the_token);
	tcase_add_test(t, reading_without_the_right_changes_no_key);
	suite_add_tcase(s, t);
	return unit_run(s);
}
