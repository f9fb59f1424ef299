/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins that do not count as participants: screens, previews, and HLS. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

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

START_TEST(who_was_a_screen_can_be_a_listener)
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

int
main(void)
{
	Suite *s = suite_create("joins: kinds");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, listener_fixture, fixture_close);
	tcase_add_loop_test(
	    t, screens_and_previews_are_no_participants, 0, COUNT(joins));
	tcase_add_test(t, who_was_a_screen_can_be_a_listener);
	tcase_add_test(t, other_kinds_are_refused);
	tcase_add_test(t, a_language_that_is_in_an_output_has_a_playlist);
	suite_add_tcase(s, t);
	return unit_run(s);
}
