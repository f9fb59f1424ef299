/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of events: the organiser's requests, and the worker's jobs. The case
 * writes listeners to the database, as joining counts them.
 */
#include "cases.h"
#include "db/db.h"

#define IN_2036 "\"2036-12-02T16:00:00Z\""

static struct account me;

static void
before(void)
{
	me = account_new("stats");
}

static const char *
path_of(const char *event, const char *more)
{
	return text("/saas/v2/event/%s%s", event, more);
}

/* Creates an event that ends then. */
static const char *
event_until(const char *end)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = text("{\"data\":{\"title\":\"Summit\",\"event_type\":\"online\","
			 "\"utc_start_dt\":\"2020-01-01T08:00:00Z\","
			 "\"utc_end_dt\":%s}}",
		end));

	EXPECT(a, 201);
	return text_at(a.json, "data.event_id");
}

static struct answer
stats_of(const char *event)
{
	return ASK(.path = path_of(event, "/stats"), .as = &me);
}

static struct answer
export_of(const char *event, const char *header)
{
	return ASK(.path = path_of(event, "/stats/export"), .as = &me,
	    .headers = { header });
}

static void
put_listeners(const char *event)
{
	static const struct sql heard = { "heard",
		"INSERT INTO heard (event, language, participants)"
		" SELECT CAST($1 AS TEXT), 'de', 40 UNION ALL"
		" SELECT CAST($1 AS TEXT), 'original', 6 UNION ALL"
		" SELECT CAST($1 AS TEXT), 'fr', 15",
		NULL };
	static const struct sql counted = { "counted",
		"UPDATE event_stats SET participants = 57, streamed_us = 2550000000,"
		" used_micro = 21250000, changed_us = 5 WHERE event = $1",
		NULL };

	change_db(&heard, event);
	change_db(&counted, event);
}

static const char csv[] = "language,participants\r\nde,40\r\nfr,15\r\noriginal,6\r\n";

START_TEST(statistics_are_read_while_an_event_goes_on)
{
	const char *id = event_until(IN_2036);
	struct answer a = stats_of(id);

	EXPECT(a, 200);
	ck_assert_int_eq(int_at(a.json, "data.stages_count"), 1);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), 0);
	ck_assert_uint_eq(count_at(a.json, "data.language_distribution"), 0);
	put_listeners(id);
	a = stats_of(id);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), 57);
	ck_assert_int_eq(int_at(a.json, "data.consumed_languages_count"), 3);
	ck_assert_double_eq(
	    json_number_value(at(a.json, "data.event_time_minutes")), 42.5);
	ck_assert_double_eq(json_number_value(at(a.json, "data.credits_used")), 21.25);
	ck_assert_str_eq(
	    text_at(a.json, "data.language_distribution.0.language"), "de");
	ck_assert(json_is_false(at(a.json, "data.is_finalized")));
}
END_TEST

START_TEST(the_export_is_a_file)
{
	const char *id = event_until(IN_2036), *tag;
	struct answer a = export_of(id, NULL);

	EXPECT(a, 200);
	ck_assert_str_eq(a.body, "language,participants\r\n");
	put_listeners(id);
	a = export_of(id, NULL);
	EXPECT(a, 200);
	ck_assert_str_eq(a.body, csv);
	ck_assert_pstr_eq(header_of(&a, "Content-Type"), "text/csv; charset=utf-8");
	ck_assert_pstr_eq(header_of(&a, "Content-Disposition"),
	    text("attachment; filename=\"event-%s-stats.csv\"", id));
	ck_assert_pstr_eq(header_of(&a, "Cache-Control"), "no-store");
	tag = header_of(&a, "ETag");
	ck_assert_pstr_eq(
	    tag, text("\"%s\"", sha256_of((struct bytes){ a.body, a.n })));
	a = export_of(id, text("If-None-Match: %s", tag));
	EXPECT(a, 304);
	ck_assert_uint_eq(a.n, 0);
	a = ASK(.method = "HEAD", .path = path_of(id, "/stats/export"), .as = &me);
	EXPECT(a, 200);
	ck_assert_uint_eq(a.n, 0);
	ck_assert_pstr_eq(header_of(&a, "ETag"), tag);
}
END_TEST

START_TEST(an_export_of_another_format_or_account_is_refused)
{
	const char *id = event_until(IN_2036);
	struct account other = account_new("stats, other");
	struct answer a =
	    ASK(.path = path_of(id, "/stats/export?format=xlsx"), .as = &me);

	expect_problem(&a, 422, "validation-error");
	ck_assert_str_eq(text_at(a.json, "errors.0.parameter"), "format");
	a = ASK(.path = path_of(id, "/stats/export?format=csv"), .as = &me);
	EXPECT(a, 200);
	a = ASK(.path = path_of(id, "/stats/export"), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id, "/stats"), .as = &other);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.path = path_of(id, "/stats"));
	expect_problem(&a, 401, "unauthorized");
	a = ASK(.method = "DELETE", .path = path_of(id, "/stats"), .as = &me);
	expect_problem(&a, 405, "method-not-allowed");
}
END_TEST

/* ---- what a worker does ---- */

static bool
is_exported(const void *event)
{
	static const struct sql exported = { "exported",
		"SELECT count(*) FROM event_stats WHERE event = $1 AND csv IS NOT NULL"
		" AND changed_us IS NULL",
		NULL };

	return count_in_db(&exported, event) == 1;
}

START_TEST(a_worker_writes_the_export_after_joins)
{
	static const struct sql more = { "more",
		"UPDATE heard SET participants = 41 WHERE event = $1 AND language = "
		"'de'",
		NULL };
	const char *id = event_until(IN_2036);
	struct answer a;

	put_listeners(id);
	ck_assert(becomes(is_exported, id, 60));
	a = export_of(id, NULL);
	ck_assert_str_eq(a.body, csv);
	/* not found as finished yet, so the worker must make the file */
	change_db(&more, id);
	a = export_of(id, NULL);
	ck_assert_str_eq(a.body, csv);
}
END_TEST

static bool
is_finished(const void *event)
{
	struct answer a = ASK(.path = path_of(event, ""), .as = &me);

	EXPECT(a, 200);
	return at(a.json, "data.finished_at") != NULL;
}

static bool
is_final(const void *event)
{
	struct answer a = stats_of(event);

	EXPECT(a, 200);
	return json_is_true(at(a.json, "data.is_finalized"));
}

static struct answer
move_end(const char *event, const char *end)
{
	return ASK(.method = "PATCH", .path = path_of(event, ""), .as = &me,
	    .json = text("{\"data\":{\"utc_end_dt\":%s}}", end));
}

/* Moves the moment when the end was found far into the past. */
static void
skip_the_wait(const char *event)
{
	static const struct sql long_ago = { "long_ago",
		"UPDATE event_stats SET noticed_us = 5 WHERE event = $1", NULL };

	change_db(&long_ago, event);
}

START_TEST(an_event_is_finished_and_its_statistics_are_final)
{
	const char *id = event_until("\"2020-01-02T08:00:00Z\"");
	struct answer a, last;

	put_listeners(id);
	ck_assert(becomes(is_finished, id, 60));
	a = ASK(.path = path_of(id, ""), .as = &me);
	ck_assert_str_eq(text_at(a.json, "data.finished_at"), "2020-01-02T08:00:00Z");
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "finished");
	ck_assert_pstr_eq(header_of(&a, "ETag"), "\"v2\"");
	ck_assert(!is_final(id));
	skip_the_wait(id);
	ck_assert(becomes(is_final, id, 60));
	last = stats_of(id);
	ck_assert_int_eq(int_at(last.json, "data.participants_count"), 57);
	a = move_end(id, IN_2036);
	expect_problem(&a, 409, "event-finalized");
	nap(1.1);
	a = stats_of(id);
	ck_assert_str_eq(a.body, last.body);
	a = export_of(id, NULL);
	ck_assert_str_eq(a.body, csv);
}
END_TEST

START_TEST(an_event_whose_end_moves_ahead_is_open_again)
{
	const char *id = event_until("\"2020-01-02T08:00:00Z\"");
	struct answer a;

	ck_assert(becomes(is_finished, id, 60));
	a = move_end(id, IN_2036);
	EXPECT(a, 200);
	ck_assert(!is_finished(id));
	a = move_end(id, "\"2020-01-03T08:00:00Z\"");
	EXPECT(a, 200);
	ck_assert(becomes(is_finished, id, 60));
	a = ASK(.path = path_of(id, ""), .as = &me);
	ck_assert_str_eq(text_at(a.json, "data.finished_at"), "2020-01-03T08:00:00Z");
}
END_TEST

static const struct sql left_behind = { "left_behind",
	"SELECT (SELECT count(*) FROM joins WHERE event = $1) +"
	" (SELECT count(*) FROM askers WHERE event = $1)",
	NULL };

static bool
is_purged(const void *event)
{
	return count_in_db(&left_behind, event) == 0;
}

START_TEST(rows_of_listeners_go_behind_the_event)
{
	static const struct sql joined = { "joined",
		"INSERT INTO joins (event, listener, language)"
		" WITH RECURSIVE k (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k"
		" WHERE i < 5000) SELECT CAST($1 AS TEXT), 'listener ' || i, 'de' FROM "
		"k",
		NULL };
	static const struct sql asked = { "asked",
		"INSERT INTO askers (event, request, listener)"
		" SELECT event, language, listener FROM joins WHERE event = $1",
		NULL };
	const char *id = event_until(IN_2036);
	struct answer a;

	change_db(&joined, id);
	change_db(&asked, id);
	ck_assert_int_eq(count_in_db(&left_behind, id), 10000);
	a = ASK(.method = "DELETE", .path = path_of(id, ""), .as = &me);
	EXPECT(a, 200);
	a = stats_of(id);
	expect_problem(&a, 404, "resource-not-found");
	a = export_of(id, NULL);
	expect_problem(&a, 404, "resource-not-found");
	ck_assert(becomes(is_purged, id, 60));
}
END_TEST

Suite *
stats_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stats", before, &t);

	tcase_add_test(t, statistics_are_read_while_an_event_goes_on);
	tcase_add_test(t, the_export_is_a_file);
	tcase_add_test(t, an_export_of_another_format_or_account_is_refused);
	tcase_add_test(t, a_worker_writes_the_export_after_joins);
	tcase_add_test(t, an_event_is_finished_and_its_statistics_are_final);
	tcase_add_test(t, an_event_whose_end_moves_ahead_is_open_again);
	tcase_add_test(t, rows_of_listeners_go_behind_the_event);
	return s;
}
