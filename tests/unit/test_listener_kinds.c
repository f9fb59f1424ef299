/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins that do not count as participants: screens, previews, and HLS. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

#include "store/nodes.h"

#define ANNA "5df6f817-b099-4bcf-a0ec-6db25097c040"

static const char *
counts(void)
{
	return sql("SELECT language, participants FROM heard ORDER BY 1;"
		   "SELECT participants FROM event_stats");
}

static struct response
join_kind(const char *kind)
{
	return at_event("POST", "/join",
	    arena_printf(fixture.mem,
		"{\"data\":{\"listener_id\":\"" ANNA
		"\",\"language\":\"de\",\"kind\":%s}}",
		kind));
}

static const struct {
	/* kind in the request; kind in the token, NULL: none */
	const char *kind, *claim;
	const char *counts;
} joins[] = {
	{ "\"listener\"", NULL, "de|1\n1\n" },
	{ "null", NULL, "de|1\n1\n" },
	{ "\"screen\"", "screen", "0\n" },
	{ "\"preview\"", "preview", "0\n" },
};

START_TEST(screens_and_previews_are_no_participants)
{
	struct response a = join_kind(joins[_i].kind);
	struct stream_token t;

	answered(a, 201);
	ck_assert(stream_token_check(fixture.mem, said(&a, "/data/token"),
	    fixture.app.conf.session_jwt_keys, now_us(), &t));
	ck_assert_pstr_eq(t.bystander, joins[_i].claim);
	ck_assert_str_eq(t.listener, ANNA);
	ck_assert_str_eq(counts(), joins[_i].counts);
}
END_TEST

START_TEST(a_former_screen_can_be_a_listener)
{
	struct response a = join_kind("\"screen\"");

	answered(a, 201);
	a = join_kind("\"screen\"");
	answered(a, 201);
	a = join_kind("\"listener\"");
	answered(a, 201);
	a = join_kind("\"preview\"");
	answered(a, 201);
	a = join_kind("\"listener\"");
	answered(a, 200);
	ck_assert_str_eq(counts(), "de|1\n1\n");
}
END_TEST

START_TEST(other_kinds_are_refused)
{
	static const char *const bad[] = { "\"Screen\"", "\"\"", "\"speaker\"", "7" };

	for (int i = 0; i < COUNT(bad); i++) {
		struct response a = join_kind(bad[i]);

		refused(a, 422, "validation-error");
		is(a, "/errors/0/pointer", "/data/kind");
	}
	ck_assert_str_eq(counts(), "0\n");
}
END_TEST

START_TEST(a_language_that_is_in_an_output_has_a_playlist)
{
	const char *url;
	struct response a;

	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]}]'");
	a = join_kind("null");
	url = strstr(said(&a, "/data/hls_url"), "/hls/");
	ck_assert_ptr_nonnull(url);
	ck_assert_str_eq(url + strlen("/hls/") + 32, "/de.m3u8");
	/* The address stays the same as long as the channel exists. */
	sql("UPDATE channels SET broadcast = 'another-1', outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\",\"de\"]}]'");
	a = join_kind("null");
	ck_assert_str_eq(strstr(said(&a, "/data/hls_url"), "/hls/"), url);
	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\"]},"
	    "{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]}]'");
	a = join_kind("null");
	ck_assert_str_ne(strstr(said(&a, "/data/hls_url"), "/hls/"), url);
	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"fr\"]}]'");
	a = join_kind("null");
	is(a, "/data/hls_url", "null");
}
END_TEST

static bool
is_by_hls(void)
{
	struct response a = join_kind("null");

	return strstr(a.body, "\"listen_by\":\"hls\"") != NULL;
}

/* Other answers do not have the member: they are as older clients know them. */
START_TEST(attendees_listen_by_hls_if_the_organiser_wants_it)
{
	struct response a;

	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"],"
	    "\"attendees\":\"when_full\"}]'");
	a = join_kind("null");
	ck_assert_ptr_null(strstr(a.body, "listen_by"));
	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"],"
	    "\"attendees\":\"first\"}]'");
	ck_assert(is_by_hls());
	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\"],"
	    "\"attendees\":\"first\"}]'");
	ck_assert(!is_by_hls());
}
END_TEST

/* The places are counted at all nodes that are alive. */
START_TEST(attendees_listen_by_hls_if_a_channel_is_full)
{
	const struct node one = { .id = "11111111-1111-4111-8111-111111111111",
		.public_url = "https://one.example.org",
		.ingest_host = "" },
			  two = { .id = "22222222-2222-4222-8222-222222222222",
				  .public_url = "https://two.example.org",
				  .ingest_host = "" };

	fixture.app.conf.stream_max_listeners = 100;
	sql("UPDATE channels SET outputs = "
	    "'[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]}]'");
	ck_assert_int_eq(node_beat(fixture.app.db, &one), OK);
	sql("INSERT INTO listening (node, event, channel, language, listeners) SELECT "
	    "'11111111-1111-4111-8111-111111111111', event, id, 'de', 60 FROM channels "
	    "WHERE event IS NOT NULL");
	ck_assert(!is_by_hls());
	sql("INSERT INTO listening (node, event, channel, language, listeners) SELECT "
	    "'11111111-1111-4111-8111-111111111111', event, id, 'es', 36 FROM channels "
	    "WHERE event IS NOT NULL");
	ck_assert(is_by_hls());
	ck_assert_int_eq(node_beat(fixture.app.db, &two), OK);
	ck_assert(!is_by_hls());
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("joins: kinds");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, listener_fixture, fixture_close);
	tcase_add_loop_test(
	    t, screens_and_previews_are_no_participants, 0, COUNT(joins));
	tcase_add_test(t, a_former_screen_can_be_a_listener);
	tcase_add_test(t, other_kinds_are_refused);
	tcase_add_test(t, a_language_that_is_in_an_output_has_a_playlist);
	tcase_add_test(t, attendees_listen_by_hls_if_the_organiser_wants_it);
	tcase_add_test(t, attendees_listen_by_hls_if_a_channel_is_full);
	suite_add_tcase(s, t);
	return unit_run(s);
}
