/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The current number of listeners and the numbers by the minute, as the organiser reads
 * them.
 */
#define UNIT_TEST
#include "store/nodes.h"
#include "tests/unit/node_rows.h"
#include "tests/unit/stats_rows.h"

#include "cgi-bin/events.c"

#define MINUTE (60 * S_US)
#define NINE "2026-12-01T09:00:00Z"

static const char *event, *stage;
static int64_t nine_us; /* NINE */

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		stats_sql, listening_sql, NULL };

	fixture_open("events", event_routes, prepared);
	event = put_event(fixture.account, "Autumn summit", 1);
	stage = put_stage(event, "Main stage");
	ck_assert(time_parse(NINE, &nine_us));
}

static struct response
stats(void)
{
	return ask(
	    arena_printf(fixture.mem, "GET /saas/v2/event/%s/stats", event), NULL);
}

static struct response
series(const char *query)
{
	return ask(arena_printf(fixture.mem, "GET /saas/v2/event/%s/stats/series%s",
		       event, query),
	    NULL);
}

/* ---- now ---- */

/* Stores the count of a node's gateway for one channel and language. */
static void
count(const char *node, const char *channel, const char *language, int n)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO listening (event, channel, language, node, listeners)"
	    " VALUES ('%s', '%s', '%s', '%s', %d)",
	    event, channel, language, node, n));
}

START_TEST(a_new_event_has_no_listeners)
{
	struct response a = stats();

	answered(a, 200);
	is(a, "/data/now", "{\"listeners\":0,\"by_channel\":[]}");
}
END_TEST

START_TEST(what_the_nodes_counted_is_told_together)
{
	struct response a;

	put_node("a", 0, 0);
	put_node("b", 0, 6);
	count("a", "c1", "es", 30);
	count("a", "c1", "de", 11);
	count("b", "c2", "original", 2);
	a = stats();
	answered(a, 200);
	is(a, "/data/now",
	    "{\"listeners\":43,\"by_channel\":["
	    "{\"channel_id\":\"c1\",\"language\":\"de\",\"listeners\":11},"
	    "{\"channel_id\":\"c1\",\"language\":\"es\",\"listeners\":30},"
	    "{\"channel_id\":\"c2\",\"language\":\"original\",\"listeners\":2}]}");
}
END_TEST

/* A channel has listeners at every node. */
START_TEST(listeners_of_a_channel_at_two_nodes_are_added)
{
	struct listening l = { .event = event, .channel = "c1", .language = "es" };
	struct response a;

	put_node("a", 0, 0);
	put_node("b", 0, 0);
	for (int i = 0; i < 2; i++) {
		l.listeners = i == 0 ? 30 : 12;
		count(i == 0 ? "a" : "b", "c1", "es", (int)l.listeners);
		ck_assert_int_eq(db_begin(fixture.app.db, DB_ROWS), OK);
		ck_assert_int_eq(listening_store(fixture.app.db, nine_us,
				     &(const struct list){ &l, 1 }),
		    OK);
		ck_assert_int_eq(db_commit(fixture.app.db), OK);
	}
	a = stats();
	is(a, "/data/now",
	    "{\"listeners\":42,\"by_channel\":["
	    "{\"channel_id\":\"c1\",\"language\":\"es\",\"listeners\":42}]}");
	ck_assert_int_eq(number("SELECT max(listeners) FROM listening_minutes"), 42);
}
END_TEST

START_TEST(what_a_silent_node_counted_is_not_now)
{
	struct response a;

	put_node("a", 0, 10);
	count("a", "c1", "es", 30);
	a = stats();
	is(a, "/data/now/listeners", "0");
	put_node("a", 0, 1);
	a = stats();
	is(a, "/data/now/listeners", "30");
	ck_assert_int_eq(node_forget(fixture.app.db, now_us()), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM listening"), 0);
}
END_TEST

START_TEST(an_event_has_its_own_listeners)
{
	struct response a;

	put_node("a", 0, 0);
	count("a", "c1", "es", 30);
	event = put_event(fixture.account, "Another", 2);
	a = stats();
	is(a, "/data/now/listeners", "0");
}
END_TEST

/* ---- by the minute ---- */

static void
keep_at(const char *channel, const char *language, int64_t minute, int n)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO listening_minutes (event, at_us, language, channel, listeners)"
	    " VALUES ('%s', %lld, '%s', '%s', %d)",
	    event, (long long)(nine_us + minute * MINUTE), language, channel, n));
}

#define POINT(at, language, n)                                                         \
	"{\"utc_at\":\"2026-12-01T" at "Z\",\"language\":\"" language                  \
	"\",\"listeners\":" #n "}"

START_TEST(an_event_without_listeners_has_an_empty_series)
{
	struct response a = series("");

	answered(a, 200);
	is(a, "/data", "[]");
}
END_TEST

/* from, to and step, and the resulting points. */
static const struct {
	const char *query, *points;
} spans[] = {
	{ "", POINT("09:00:00", "de", 5) "," POINT("09:00:00", "es", 7) "," POINT(
		  "09:01:00", "es", 9) "," POINT("09:10:00", "es", 2) },
	{ "?step=120", POINT("09:00:00", "de", 5) "," POINT(
			   "09:00:00", "es", 9) "," POINT("09:10:00", "es", 2) },
	{ "?step=3600", POINT("09:00:00", "de", 5) "," POINT("09:00:00", "es", 9) },
	{ "?from=2026-12-01T09:01:00Z",
	    POINT("09:01:00", "es", 9) "," POINT("09:10:00", "es", 2) },
	{ "?to=2026-12-01T09:10:00Z", POINT("09:00:00", "de", 5) "," POINT("09:00:00",
					  "es", 7) "," POINT("09:01:00", "es", 9) },
	{ "?from=2026-12-01T09:01:59Z&to=2026-12-01T11:10:00%2B02:00",
	    POINT("09:01:00", "es", 9) },
	{ "?from=2026-12-01T09:02:00Z&to=2026-12-01T09:10:00Z", "" },
	{ "?from=1969-12-31T23:00:00Z&to=1970-01-01T00:30:00Z", "" },
};

START_TEST(a_series_has_the_most_of_each_step_by_language)
{
	struct response a;

	keep_at("c1", "es", 0, 4);
	keep_at("c2", "es", 0, 3);
	keep_at("c1", "de", 0, 5);
	keep_at("c1", "es", 1, 9);
	keep_at("c1", "es", 10, 2);
	a = series(spans[_i].query);
	answered(a, 200);
	is(a, "/data", arena_printf(fixture.mem, "[%s]", spans[_i].points));
}
END_TEST

START_TEST(without_a_span_it_is_the_last_day_that_there_is)
{
	struct response a;

	keep_at("c1", "es", 0, 4);
	keep_at("c1", "es", 1440, 5);
	a = series("");
	is(a, "/data/0/listeners", "5");
	a = series("?from=" NINE);
	is(a, "/data", "[" POINT("09:00:00", "es", 4) "]");
	a = series("?step=120");
	is(a, "/data/0/listeners", "4");
	is(a, "/data/1/listeners", "5");
}
END_TEST

static const char *const faulty[] = { "?step=59", "?step=3601", "?step=a", "?from=x",
	"?to=2026-02-30T00:00:00Z", "?from=" NINE "&to=" NINE,
	"?from=" NINE "&to=2026-12-01T08:00:00Z",
	"?from=" NINE "&to=2026-12-02T09:00:01Z",
	"?step=120&from=" NINE "&to=2026-12-03T09:00:01Z", "?step=60&step=60" };

START_TEST(a_span_that_makes_no_sense_or_too_many_steps_is_refused)
{
	struct response a = series(faulty[_i]);

	refused(a, 422, "validation-error");
}
END_TEST

START_TEST(the_longest_spans_are_answered)
{
	struct response a = series("?from=" NINE "&to=2026-12-02T09:00:00Z");

	answered(a, 200);
	a = series("?step=3600&from=" NINE "&to=2027-01-30T09:00:00Z");
	answered(a, 200);
}
END_TEST

START_TEST(a_strangers_event_has_no_series)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = series("");
	refused(a, 404, "resource-not-found");
	fixture.bearer = fixture_bearer(fixture.account, "channels:write");
	a = series("");
	refused(a, 403, "insufficient-scope");
}
END_TEST

/* One day with ten languages in two halls. */
START_TEST(a_day_of_ten_languages_is_told)
{
	struct response a;

	sql(arena_printf(fixture.mem,
	    "WITH RECURSIVE m (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM m WHERE i <"
	    " 1439), l (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM l WHERE k < 19)"
	    " INSERT INTO listening_minutes SELECT '%s', %lld + i * 60000000,"
	    " 'l' || (k / 2), 'c' || (k %% 2), i + k + 1 FROM m, l",
	    event, (long long)nine_us));
	a = series("");
	answered(a, 200);
	is(a, "/data/0/listeners", "3");
	is(a, "/data/14399/listeners", "2917");
}
END_TEST

/* ---- the end ---- */

static int64_t
expire(int64_t before_us, int most)
{
	int64_t n = -1;

	ck_assert_int_eq(
	    listening_expire(fixture.app.db, fixture.mem, before_us, most, &n), OK);
	return n;
}

/*
 * Minutes of four events: one runs, one ended long ago, one just ended, one was
 * deleted.
 */
START_TEST(minutes_go_a_while_after_their_event)
{
	const char *ends[] = { "end_us = 9000", "finished_us = 100, end_us = 50",
		"finished_us = 500, end_us = 50", NULL };

	for (int i = 0; i < 4; i++) {
		event = put_event(fixture.account, "Talk", 10 + i);
		for (int k = 0; k < 5; k++)
			keep_at("c", "es", k, 1);
		if (ends[i] != NULL)
			set_event(event, ends[i]);
		else
			ck_assert_int_eq(
			    event_drop(fixture.app.db, fixture.account, event), OK);
	}
	ck_assert_int_eq(expire(500, 3), 3);
	while (expire(500, 3) > 0)
		;
	ck_assert_int_eq(number("SELECT count(*) FROM listening_minutes"), 10);
	ck_assert_str_eq(sql("SELECT finished_us FROM events WHERE id IN (SELECT event"
			     " FROM listening_minutes) ORDER BY 1"),
	    "NULL\n500\n");
	ck_assert_int_eq(expire(501, 100), 5);
	ck_assert_int_eq(expire(501, 100), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stats: listeners");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_new_event_has_no_listeners);
	tcase_add_test(t, what_the_nodes_counted_is_told_together);
	tcase_add_test(t, listeners_of_a_channel_at_two_nodes_are_added);
	tcase_add_test(t, what_a_silent_node_counted_is_not_now);
	tcase_add_test(t, an_event_has_its_own_listeners);
	tcase_add_test(t, an_event_without_listeners_has_an_empty_series);
	tcase_add_loop_test(
	    t, a_series_has_the_most_of_each_step_by_language, 0, COUNT(spans));
	tcase_add_test(t, without_a_span_it_is_the_last_day_that_there_is);
	tcase_add_loop_test(t, a_span_that_makes_no_sense_or_too_many_steps_is_refused,
	    0, COUNT(faulty));
	tcase_add_test(t, the_longest_spans_are_answered);
	tcase_add_test(t, a_strangers_event_has_no_series);
	tcase_add_test(t, a_day_of_ten_languages_is_told);
	tcase_add_test(t, minutes_go_a_while_after_their_event);
	suite_add_tcase(s, t);
	return unit_run(s);
}
