/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens for speakers' pages: a new token makes the earlier ones invalid. */
#define UNIT_TEST
#include "base/qr.h"
#include "base/token.h"
#include "tests/unit/channel_fixture.h"
#include "tests/unit/node_rows.h"

static struct response
make_token(const char *id)
{
	return ask(line("POST /saas/channel/%s/speaker-token", id), NULL);
}

static struct response
get_token(const char *id)
{
	return ask(line("GET /saas/channel/%s/speaker-token", id), NULL);
}

/* Returns the claims of the token at that pointer of the answer. */
static struct stream_token
token_at(struct response a, const char *at)
{
	struct stream_token t;

	ck_assert(stream_token_check(fixture.mem, said(&a, at),
	    fixture.app.conf.session_jwt_keys, now_us(), &t));
	return t;
}

START_TEST(a_token_says_which_channel_is_spoken_on)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;
	struct stream_token t;
	int64_t expires_us;

	fixture.app.conf.session_token_days = 2;
	a = make_token(id);
	answered(a, 200);
	is(a, "/data/url",
	    arena_printf(fixture.mem,
		"wss://speech.example.org/streaming-api/%.8s/v1/speech-to-speech/"
		"stream",
		id));
	t = token_at(a, "/data/token");
	ck_assert_int_eq(t.role, STREAM_PUBLISHER);
	ck_assert_str_eq(t.sid, id);
	ck_assert_str_eq(t.room, line("%s-1", id));
	ck_assert_int_eq(t.speaker_version, 1);
	ck_assert(time_parse(said(&a, "/data/expires_at"), &expires_us));
	ck_assert_int_eq(expires_us, t.expires_us);
	ck_assert_int_gt(expires_us, now_us() + 47 * 3600 * S_US);
	ck_assert_int_le(expires_us, now_us() + 48 * 3600 * S_US);
}
END_TEST

START_TEST(each_token_is_of_a_version_of_its_own)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	const char *other = put_channel(fixture.account, NULL, "ready");

	for (int i = 1; i < 4; i++)
		ck_assert_int_eq(
		    token_at(make_token(id), "/data/token").speaker_version, i);
	ck_assert_int_eq(token_at(make_token(other), "/data/token").speaker_version, 1);
}
END_TEST

START_TEST(reading_gives_the_current_token_and_voids_none)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *first;
	struct response a = get_token(id), b;

	answered(a, 200);
	first = said(&a, "/data/token");
	ck_assert_int_eq(token_at(a, "/data/token").speaker_version, 0);
	ck_assert_str_eq(channel_is(id, "speaker_version, version"), "0|1\n");
	b = get_token(id);
	ck_assert_str_eq(b.body, a.body);
	a = make_token(id);
	ck_assert_str_ne(said(&a, "/data/token"), first);
	ck_assert_int_eq(token_at(a, "/data/token").speaker_version, 1);
	b = get_token(id);
	ck_assert_str_eq(b.body, a.body);
}
END_TEST

static const char *
ago(int64_t us)
{
	return arena_printf(fixture.mem, "%lld", (long long)(now_us() - us));
}

/* ---- short addresses ---- */

/* Returns the page that a short address leads to; "": no channel has this code. */
static const char *
page_of(const char *short_url)
{
	const char *code = strrchr(short_url, '/') + 1, *page = "";
	enum err e;

	fixture.app.conf.broadcast_driver = "gateway";
	ck_assert_int_eq(db_begin(fixture.app.db, DB_ALL), OK);
	e = speaker_link_open(
	    fixture.app.db, fixture.mem, &fixture.app.conf, code, &page);
	ck_assert_int_eq(db_commit(fixture.app.db), OK);
	ck_assert_int_eq(e, page[0] != '\0' ? OK : ERR_NOT_FOUND);
	return page;
}

static const char *
capitals(const char *s)
{
	char *to = arena_str(fixture.mem, s);

	for (char *c = to; *c != '\0'; c++)
		*c = (char)toupper((unsigned char)*c);
	return to;
}

START_TEST(a_short_address_leads_to_the_page_for_speakers)
{
	const char *event = put_event(fixture.account), *stage = stage_at(event, 0);
	const char *id = put_channel(fixture.account, event, "ready"), *link;
	struct response a = get_token(id);

	set_channel(id, line("stage = '%s'", stage));
	link = said(&a, "/data/short_url");
	ck_assert_int_eq(strncmp(link, BASE "/s/", strlen(BASE "/s/")), 0);
	is(a, "/data/qr_svg", qr_svg(fixture.mem, link));
	ck_assert_uint_eq(
	    strspn(link + strlen(BASE "/s/"), "abcdefghjkmnpqrstuvwxyz23456789"), 10);
	ck_assert_uint_eq(strlen(link), strlen(BASE "/s/") + 10);
	ck_assert_str_eq(page_of(link),
	    arena_printf(fixture.mem,
		BASE "/speak/#ws_url=wss%%3A%%2F%%2Fspeech.example.org%%2Fstreaming-api"
		     "%%2F%.8s%%2Fv1%%2Fspeech-to-speech%%2Fstream&token=%s&webrtc_url="
		     "https%%3A%%2F%%2Fspeech.example.org%%2Fstreaming-api%%2Fwebrtc"
		     "&e=%s&s=%s",
		id, said(&a, "/data/token"), event, stage));
	ck_assert_str_eq(page_of(capitals(strrchr(link, '/'))), page_of(link));
	ck_assert_str_eq(page_of("/aaaaaaaaaa"), "");
	ck_assert_str_eq(page_of("/"), "");
}
END_TEST

START_TEST(a_short_address_ends_with_a_new_link)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *was;
	struct response a = get_token(id);

	was = said(&a, "/data/short_url");
	a = make_token(id);
	ck_assert_str_ne(said(&a, "/data/short_url"), was);
	ck_assert_str_eq(page_of(was), "");
	ck_assert_ptr_nonnull(
	    strstr(page_of(said(&a, "/data/short_url")), said(&a, "/data/token")));
}
END_TEST

START_TEST(a_short_address_is_of_a_channel_that_stays)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *link;
	struct response a = get_token(id);

	link = said(&a, "/data/short_url");
	set_channel(id, "lifecycle = 'deleting'");
	ck_assert_str_eq(page_of(link), "");
	set_channel(id, "lifecycle = 'failed'");
	ck_assert_str_ne(page_of(link), "");
	sql("UPDATE accounts SET status = 'suspended'");
	ck_assert_str_eq(page_of(link), "");
}
END_TEST

START_TEST(a_short_address_outlives_its_first_token)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *link, *token;
	struct response a = get_token(id), b;

	link = said(&a, "/data/short_url");
	token = said(&a, "/data/token");
	fixture.app.conf.session_token_days = 10;
	set_channel(id, line("speaker_made_us = %s", ago(11 * 86400 * S_US)));
	ck_assert_ptr_null(strstr(page_of(link), token));
	b = get_token(id);
	ck_assert_str_eq(said(&b, "/data/short_url"), link);
	ck_assert_ptr_nonnull(strstr(page_of(link), said(&b, "/data/token")));
}
END_TEST

START_TEST(a_code_cannot_be_read_from_the_database)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *was;
	struct response a = get_token(id);

	was = said(&a, "/data/short_url");
	ck_assert_ptr_null(strstr(everything(), strrchr(was, '/') + 1));
	fixture.app.conf.session_jwt_keys = "dragoman:another-secret-of-32-characters";
	ck_assert_str_eq(page_of(was), "");
	a = get_token(id); /* a new secret voids the tokens, so it makes another link */
	ck_assert_str_ne(said(&a, "/data/short_url"), was);
	ck_assert_str_ne(page_of(said(&a, "/data/short_url")), "");
}
END_TEST

START_TEST(a_token_near_its_end_is_followed_by_another)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *was;
	const int64_t day = 86400 * S_US;
	struct response a;

	fixture.app.conf.session_token_days = 10;
	set_channel(id, line("speaker_made_us = %s", ago(8 * day)));
	a = get_token(id);
	was = said(&a, "/data/token");
	ck_assert_int_lt(token_at(a, "/data/token").expires_us, now_us() + 3 * day);
	set_channel(id, line("speaker_made_us = %s", ago(9 * day + S_US)));
	a = get_token(id);
	ck_assert_str_ne(said(&a, "/data/token"), was);
	ck_assert_int_gt(token_at(a, "/data/token").expires_us, now_us() + 9 * day);
	ck_assert_str_eq(channel_is(id, "speaker_version, version"), "0|1\n");
}
END_TEST

START_TEST(the_current_token_is_for_those_that_may_write)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a = get_token(put_channel(fixture_account(), NULL, "ready"));

	refused(a, 404, "resource-not-found");
	a = get_token(put_channel(fixture.account, NULL, "deleting"));
	refused(a, 409, "channel-deleting");
	fixture.bearer = fixture_bearer(fixture.account, "channels:read");
	a = get_token(id);
	refused(a, 403, "insufficient-scope");
	ck_assert_str_eq(channel_is(id, "speaker_made_us"), "NULL\n");
}
END_TEST

START_TEST(the_channels_own_token_is_new_as_well)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *tag, *was;
	struct response a = on("GET", id, NULL);

	was = said(&a, "/data/input/token");
	ck_assert_int_eq(token_at(a, "/data/input/token").speaker_version, 0);
	tag = head_of(&a, "ETag");
	answered(make_token(id), 200);
	a = ask_with(line("GET /saas/channel/%s", id), NULL,
	    HEADS(line("If-None-Match: %s", tag)));
	answered(a, 200);
	ck_assert_int_eq(token_at(a, "/data/input/token").speaker_version, 1);
	ck_assert_str_ne(said(&a, "/data/input/token"), was);
}
END_TEST

START_TEST(a_channel_that_is_not_ready_yet_has_a_token_for_later)
{
	static const char *const states[] = { "creating", "failed" };

	for (int i = 0; i < COUNT(states); i++) {
		const char *id = put_channel(fixture.account, NULL, states[i]);

		ck_assert_str_eq(token_at(make_token(id), "/data/token").room, id);
	}
}
END_TEST

START_TEST(a_channel_that_goes_has_none)
{
	const char *id = put_channel(fixture.account, NULL, "deleting");
	struct response a = make_token(id);

	refused(a, 409, "channel-deleting");
	ck_assert_str_eq(channel_is(id, "speaker_version, version"), "0|1\n");
}
END_TEST

START_TEST(making_one_is_writing)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	const char *foreign = put_channel(fixture_account(), NULL, "ready");
	struct response a = make_token(foreign);

	refused(a, 404, "resource-not-found");
	fixture.bearer = fixture_bearer(fixture.account, "channels:read");
	a = make_token(id);
	refused(a, 403, "insufficient-scope");
	ck_assert_str_eq(channel_is(id, "speaker_version"), "0\n");
	ck_assert_str_eq(channel_is(foreign, "speaker_version"), "0\n");
}
END_TEST

START_TEST(the_address_is_that_of_a_node_that_lives)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;

	put_node("a", 0, 16);
	put_node("b", 0, 0);
	set_channel(id, "node = 'a'");
	a = make_token(id);
	answered(a, 200);
	ck_assert_ptr_nonnull(strstr(said(&a, "/data/url"), "//b.example.org/"));
	ck_assert_str_eq(channel_is(id, "node"), "b\n");
}
END_TEST

START_TEST(a_failing_database_voids_nothing)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	int failed = 0;
	struct response a = { 0 };

	for (int n = 1; a.status != 200; n++) {
		const char *before = everything();

		db_fault(fixture.app.db, n, ERR_FAILED);
		a = make_token(id);
		db_fault(fixture.app.db, 0, OK);
		if (a.status == 200)
			break;
		ck_assert_int_ge(a.status, 500);
		ck_assert_str_eq(everything(), before);
		failed++;
	}
	ck_assert_int_gt(failed, 2);
	ck_assert_str_eq(channel_is(id, "speaker_version"), "1\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channels: speaker tokens");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_test(t, a_token_says_which_channel_is_spoken_on);
	tcase_add_test(t, each_token_is_of_a_version_of_its_own);
	tcase_add_test(t, reading_gives_the_current_token_and_voids_none);
	tcase_add_test(t, a_token_near_its_end_is_followed_by_another);
	tcase_add_test(t, a_short_address_leads_to_the_page_for_speakers);
	tcase_add_test(t, a_short_address_ends_with_a_new_link);
	tcase_add_test(t, a_short_address_is_of_a_channel_that_stays);
	tcase_add_test(t, a_short_address_outlives_its_first_token);
	tcase_add_test(t, a_code_cannot_be_read_from_the_database);
	tcase_add_test(t, the_current_token_is_for_those_that_may_write);
	tcase_add_test(t, the_channels_own_token_is_new_as_well);
	tcase_add_test(t, a_channel_that_is_not_ready_yet_has_a_token_for_later);
	tcase_add_test(t, a_channel_that_goes_has_none);
	tcase_add_test(t, making_one_is_writing);
	tcase_add_test(t, the_address_is_that_of_a_node_that_lives);
	tcase_add_test(t, a_failing_database_voids_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
