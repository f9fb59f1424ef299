/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of an event and their export, as its organiser reads them.
 */
#define UNIT_TEST
#include "tests/unit/stats_rows.h"

#include "cgi-bin/events.c"

static const char *event, *stage;

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		stats_sql, listening_sql, NULL };

	fixture_open("events", event_routes, prepared);
	event = put_event(fixture.account, "Autumn summit", 1);
	stage = put_stage(event, "Main stage");
}

static struct response
read_event(const char *path)
{
	return ask(
	    arena_printf(fixture.mem, "GET /saas/v2/event/%s%s", event, path), NULL);
}

static struct response
stats(void)
{
	return read_event("/stats");
}

/* Does a worker's steps for a finished event. */
static void
freeze(void)
{
	struct stats_due due = { event, fixture.account, 5 };

	set_stats(event, "noticed_us = 5");
	ck_assert_int_eq(db_begin(fixture.app.db, DB_ALL), OK);
	ck_assert_int_eq(stats_freeze(fixture.app.db, fixture.mem, &due), OK);
	ck_assert_int_eq(db_commit(fixture.app.db), OK);
}

/* ---- statistics ---- */

START_TEST(statistics_are_those_of_the_example)
{
	const char *channel =
	    put_channel(fixture.account, stage, "Hall", "[\"de\",\"fr\"]", 1);
	struct response a;

	set_channel(channel, "runtime = 'active'");
	set_stats(event,
	    "participants = 57, streamed_us = 2550000000, used_micro = 21250000");
	put_heard(event, "original", 6);
	put_heard(event, "de", 40);
	put_heard(event, "fr", 15);
	a = stats();
	answered(a, 200);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"stages_count\":1,\"channels_count\":1,"
		"\"channels_live_count\":1,\"translations_count\":2,"
		"\"input_languages\":[\"en\"],\"output_languages\":[\"de\",\"fr\"],"
		"\"event_time_minutes\":42.5,\"participants_count\":57,"
		"\"consumed_languages_count\":3,\"credits_used\":21.25,"
		"\"language_distribution\":[{\"language\":\"de\",\"participants\":40},"
		"{\"language\":\"fr\",\"participants\":15},{\"language\":\"original\","
		"\"participants\":6}],\"stats_freshness\":\"%s\","
		"\"is_finalized\":false,\"now\":{\"listeners\":0,\"by_channel\":"
		"[]}}}",
		said(&a, "/data/stats_freshness")));
	ck_assert_ptr_null(head_of(&a, "ETag"));
}
END_TEST

START_TEST(a_new_event_has_statistics_of_nothing)
{
	struct response a = stats();

	answered(a, 200);
	is(a, "/data/stages_count", "1");
	is(a, "/data/channels_count", "0");
	is(a, "/data/channels_live_count", "0");
	is(a, "/data/translations_count", "0");
	is(a, "/data/input_languages", "[]");
	is(a, "/data/output_languages", "[]");
	is(a, "/data/event_time_minutes", "0");
	is(a, "/data/participants_count", "0");
	is(a, "/data/consumed_languages_count", "0");
	is(a, "/data/credits_used", "0");
	is(a, "/data/language_distribution", "[]");
}
END_TEST

START_TEST(channels_count_until_they_are_being_deleted)
{
	const char *side = put_stage(event, "Side stage");
	const char *other = put_stage(put_event(fixture.account, "Other", 2), "Main");
	struct response a;

	set_channel(put_channel(fixture.account, stage, "1", "[\"fr\",\"de\"]", 1),
	    "runtime = 'active'");
	set_channel(put_channel(fixture.account, stage, "2", "[\"it\"]", 2),
	    "runtime = 'active', lifecycle = 'deleting', source_language = 'pl'");
	set_channel(put_channel(fixture.account, side, "3", "[\"de\",\"es-mx\"]", 3),
	    "lifecycle = 'failed', runtime = NULL, source_language = 'auto'");
	set_channel(put_channel(fixture.account, side, "4", "[]", 4),
	    "lifecycle = 'creating', runtime = 'stopped'");
	put_channel(fixture.account, other, "of another event", "[\"uk\"]", 5);
	put_channel(fixture.account, NULL, "of no event", "[\"uk\"]", 6);
	a = stats();
	is(a, "/data/stages_count", "2");
	is(a, "/data/channels_count", "3");
	is(a, "/data/channels_live_count", "1");
	is(a, "/data/translations_count", "3");
	is(a, "/data/input_languages", "[\"auto\",\"en\"]");
	is(a, "/data/output_languages", "[\"de\",\"es-mx\",\"fr\"]");
}
END_TEST

static const struct {
	const char *streamed_us, *minutes, *used_micro, *credits;
} sums[] = {
	{ "0", "0", "0", "0" },
	{ "60000000", "1", "1000000", "1" },
	{ "299999", "0", "49", "0" },         /* just under half of the last place */
	{ "300000", "0.01", "50", "0.0001" }, /* half of it */
	{ "1", "0", "1", "0" },
	{ "20000000", "0.33", "333333", "0.3333" },
	{ "40000000", "0.67", "666667", "0.6667" },
	{ "59999999", "1", "999950", "1" },
	{ "864000000000000", "14400000", "123456789012345", "123456789.0123" },
	{ "863999999400000", "14399999.99", "99999999999950", "100000000" },
};

START_TEST(minutes_have_two_decimals_and_credits_four)
{
	struct response a;

	set_stats(event, arena_printf(fixture.mem, "streamed_us = %s, used_micro = %s",
			     sums[_i].streamed_us, sums[_i].used_micro));
	a = stats();
	is(a, "/data/event_time_minutes", sums[_i].minutes);
	is(a, "/data/credits_used", sums[_i].credits);
}
END_TEST

START_TEST(languages_come_by_their_listeners_then_by_name)
{
	struct response a;

	put_heard(event, "fr", 3);
	put_heard(event, "original", 10);
	put_heard(event, "es-mx", 3);
	put_heard(event, "es", 3);
	put_heard(event, "de", 9);
	a = stats();
	is(a, "/data/language_distribution",
	    "[{\"language\":\"original\",\"participants\":10},"
	    "{\"language\":\"de\",\"participants\":9},"
	    "{\"language\":\"es\",\"participants\":3},"
	    "{\"language\":\"es-mx\",\"participants\":3},"
	    "{\"language\":\"fr\",\"participants\":3}]");
	is(a, "/data/consumed_languages_count", "5");
}
END_TEST

START_TEST(live_statistics_are_as_fresh_as_their_answer)
{
	int64_t before = now_us() / S_US * S_US, fresh;
	struct response a = stats();

	ck_assert(time_parse(said(&a, "/data/stats_freshness"), &fresh));
	ck_assert_int_ge(fresh, before);
	ck_assert_int_le(fresh, now_us());
	is(a, "/data/is_finalized", "false");
}
END_TEST

START_TEST(final_statistics_stay_what_they_were)
{
	struct response a;

	put_channel(fixture.account, stage, "Hall", "[\"de\"]", 1);
	set_stats(event, "participants = 2, streamed_us = 90000000, used_micro = 50");
	put_heard(event, "de", 2);
	freeze();
	put_channel(fixture.account, stage, "Another", "[\"fr\"]", 2);
	put_stage(event, "Another");
	put_heard(event, "fr", 4);
	set_stats(
	    event, "participants = 6, streamed_us = 0, used_micro = 0, changed_us = 1");
	a = stats();
	answered(a, 200);
	is(a, "/data/stages_count", "1");
	is(a, "/data/channels_count", "1");
	is(a, "/data/output_languages", "[\"de\"]");
	is(a, "/data/event_time_minutes", "1.5");
	is(a, "/data/participants_count", "2");
	is(a, "/data/credits_used", "0.0001");
	is(a, "/data/language_distribution",
	    "[{\"language\":\"de\",\"participants\":2}]");
	is(a, "/data/is_finalized", "true");
	is(a, "/data/now", "{\"listeners\":0,\"by_channel\":[]}");
	ck_assert_ptr_null(strstr(sql("SELECT final FROM event_stats"), "\"now\""));
	ck_assert_str_eq(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"now\":{\"listeners\":0,\"by_channel\":[]},"
		"%.*s}",
		(int)strcspn(sql("SELECT final FROM event_stats"), "\n") - 1,
		sql("SELECT final FROM event_stats") + 1));
	a = read_event("/stats/export");
	assert_same_body(a.body, "language,participants\r\nde,2\r\n");
}
END_TEST

START_TEST(final_statistics_say_when_they_were_taken)
{
	int64_t before = now_us() / S_US * S_US, fresh;
	struct response a;

	freeze();
	a = stats();
	ck_assert(time_parse(said(&a, "/data/stats_freshness"), &fresh));
	ck_assert_int_ge(fresh, before);
	ck_assert_int_eq(
	    number("SELECT final_us / 1000000 FROM event_stats"), fresh / S_US);
}
END_TEST

/* ---- both ---- */

static const char *const paths[] = { "/stats", "/stats/export", "/stats/series",
	"/stats/export?format=xlsx" };

START_TEST(a_strangers_event_is_like_none)
{
	struct response a, b;

	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = read_event(paths[_i]);
	refused(a, 404, "resource-not-found");
	sql("DELETE FROM event_texts; DELETE FROM events");
	b = read_event(paths[_i]);
	refused(b, 404, "resource-not-found");
	is(a, "/errors/0/detail", said(&b, "/errors/0/detail"));
}
END_TEST

START_TEST(reading_needs_the_scope_of_events)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "channels:write voices:read");
	a = read_event(paths[_i]);
	refused(a, 403, "insufficient-scope");
	fixture.bearer = NULL;
	a = read_event(paths[_i]);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(reading_is_all_that_these_paths_offer)
{
	const char *path =
	    arena_printf(fixture.mem, "/saas/v2/event/%s%s", event, paths[_i]);
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "events:read");
	a = ask(arena_printf(fixture.mem, "POST %s", path), "{\"data\":{}}");
	refused(a, 405, "method-not-allowed");
	ck_assert_pstr_eq(head_of(&a, "Allow"), "GET, HEAD, OPTIONS");
}
END_TEST

START_TEST(an_event_that_goes_while_it_is_read_is_not_found)
{
	struct db *db = fixture.app.db;
	struct event ev;
	struct stats s;
	const char *csv;

	ck_assert_int_eq(event_get(db, fixture.mem, fixture.account, event, &ev), OK);
	ck_assert_int_eq(event_drop(db, fixture.account, event), OK);
	ck_assert_int_eq(stats_get(db, fixture.mem, &ev, &s), ERR_NOT_FOUND);
	ck_assert_int_eq(stats_csv(db, fixture.mem, &ev, &csv), ERR_NOT_FOUND);
}
END_TEST

START_TEST(statistics_are_their_accounts)
{
	struct event ev;
	struct stats s;
	const char *csv;

	ck_assert_int_eq(
	    event_get(fixture.app.db, fixture.mem, fixture.account, event, &ev), OK);
	ck_assert_int_eq(stats_get(fixture.app.db, fixture.mem, &ev, &s), OK);
	ev.account = fixture_account();
	ck_assert_int_eq(
	    stats_get(fixture.app.db, fixture.mem, &ev, &s), ERR_NOT_FOUND);
	ck_assert_int_eq(
	    stats_csv(fixture.app.db, fixture.mem, &ev, &csv), ERR_NOT_FOUND);
}
END_TEST

static const struct {
	enum err with;
	int status;
	const char *type;
} faults[] = {
	{ ERR_BUSY, 503, "https://speech.example.org/problems/service-busy" },
	{ ERR_FAILED, 500,
	    "https://speech.example.org/problems/internal-server-error" },
};

START_TEST(a_database_that_fails_is_told_of)
{
	const char *path = paths[_i / COUNT(faults)], *before;
	int k = _i % COUNT(faults), n;
	struct response a;

	put_heard(event, "de", 1);
	before = everything();
	for (n = 1; n < 30; n++) {
		db_fault(fixture.app.db, n, faults[k].with);
		a = read_event(path);
		if (a.status == 200)
			break;
		answered(a, faults[k].status);
		is(a, "/errors/0/type", faults[k].type);
	}
	db_fault(fixture.app.db, 0, OK);
	answered(a, 200);
	ck_assert_int_gt(n, 4);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* A million rows must not slow it down. */
START_TEST(no_statement_of_statistics_reads_joins)
{
	for (const struct sql *s = stats_sql; s->name != NULL; s++)
		ck_assert_ptr_null(strstr(s->text, "joins"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stats");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, statistics_are_those_of_the_example);
	tcase_add_test(t, a_new_event_has_statistics_of_nothing);
	tcase_add_test(t, channels_count_until_they_are_being_deleted);
	tcase_add_loop_test(
	    t, minutes_have_two_decimals_and_credits_four, 0, COUNT(sums));
	tcase_add_test(t, languages_come_by_their_listeners_then_by_name);
	tcase_add_test(t, live_statistics_are_as_fresh_as_their_answer);
	tcase_add_test(t, final_statistics_stay_what_they_were);
	tcase_add_test(t, final_statistics_say_when_they_were_taken);
	tcase_add_loop_test(t, a_strangers_event_is_like_none, 0, COUNT(paths));
	tcase_add_loop_test(t, reading_needs_the_scope_of_events, 0, COUNT(paths));
	tcase_add_loop_test(t, reading_is_all_that_these_paths_offer, 0, COUNT(paths));
	tcase_add_test(t, an_event_that_goes_while_it_is_read_is_not_found);
	tcase_add_test(t, statistics_are_their_accounts);
	tcase_add_loop_test(t, a_database_that_fails_is_told_of, 0, 2 * COUNT(faults));
	tcase_add_test(t, no_statement_of_statistics_reads_joins);
	suite_add_tcase(s, t);
	return unit_run(s);
}
