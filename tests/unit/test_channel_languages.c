/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker of channels adds the languages that listeners requested. */
#define UNIT_TEST
#include "tests/unit/channel_retry_fixture.h"

static const char *
put_request(const char *channel, const char *language)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO requests (id, event, type, channel, language, status, asked,"
	    " first_us) VALUES ('%s', '%s', 'add_language', '%s', '%s', 'approved', 1, "
	    "1)",
	    id, event, channel, language));
	return id;
}

static const struct {
	const char *first, *second; /* lifecycles */
	/* 0: none, 1: the first channel, 2: the second, 3: a deleted one */
	int named;
	const char *language;
	const char *then; /* target languages of both channels */
	int calls;
} wishes[] = {
	{ "ready", "ready", 0, "es", "[\"de\",\"es\"]\n[\"de\"]\n", 1 },
	{ "ready", "ready", 2, "es", "[\"de\"]\n[\"de\",\"es\"]\n", 1 },
	{ "deleting", "ready", 0, "es", "[\"de\"]\n[\"de\",\"es\"]\n", 1 },
	{ "creating", "ready", 0, "es", "[\"de\",\"es\"]\n[\"de\"]\n", 0 },
	{ "failed", "ready", 1, "es", "[\"de\",\"es\"]\n[\"de\"]\n", 0 },
	{ "ready", "ready", 0, "de", "[\"de\"]\n[\"de\"]\n", 0 },
	{ "deleting", "ready", 1, "es", "[\"de\"]\n[\"de\"]\n", 0 },
	{ "deleting", "deleting", 0, "es", "[\"de\"]\n[\"de\"]\n", 0 },
	{ "ready", "ready", 3, "es", "[\"de\"]\n[\"de\"]\n", 0 },
};

START_TEST(a_language_that_was_asked_for_comes_to_its_channel)
{
	const char *id[] = { "", put_channel(fixture.account, event, wishes[_i].first),
		put_channel(fixture.account, event, wishes[_i].second), ID_NIL };
	bool changes = strstr(wishes[_i].then, "es") != NULL;

	plan_languages(2);
	put_work(CHANNEL_LANGUAGE,
	    put_request(id[wishes[_i].named], wishes[_i].language), 0);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(
	    sql("SELECT target_languages FROM channels ORDER BY created_us"),
	    wishes[_i].then);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM channels WHERE version = 2"), changes);
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), !changes);
	ck_assert_int_eq(backend.changes, wishes[_i].calls);
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

/* ---- the plan ---- */

static void
event_goes_on(void)
{
	sql("UPDATE events SET end_us = 9000000000000000");
}

static const char *
put_full_event(void)
{
	const char *id = put_channel(fixture.account, event, "ready");

	put_channel(fixture.account, event, "ready");
	set_channel(id, "target_languages = '[\"it\"]'");
	plan_languages(2);
	event_goes_on();
	return id;
}

START_TEST(a_language_waits_when_the_organiser_took_its_place)
{
	const char *id = put_full_event(), *request = put_request("", "es");

	put_work(CHANNEL_LANGUAGE, request, 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
		ck_assert_str_eq(channel_is(id, "target_languages"), "[\"it\"]\n");
		ck_assert_str_eq(
		    job_of(CHANNEL_LANGUAGE_LATER, request), "ready|0|NULL\n");
		ck_assert_int_eq(work_on(CHANNEL_LANGUAGE_LATER), OK);
	}
	ck_assert_int_eq(backend.changes, 0);
	plan_languages(3);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"it\",\"es\"]\n");
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

START_TEST(a_language_does_not_wait_for_room_at_an_event_that_is_over)
{
	put_full_event();
	put_work(CHANNEL_LANGUAGE, put_request("", "es"), 0);
	sql("UPDATE events SET end_us = 2");
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

START_TEST(a_language_that_the_event_has_takes_no_further_place)
{
	const char *id = put_full_event();

	put_work(CHANNEL_LANGUAGE, put_request("", "de"), 0);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"it\",\"de\"]\n");
}
END_TEST

static const char *rival; /* another channel of the event */

static void
the_last_place_is_taken(void)
{
	set_channel(rival, "target_languages = '[\"pl\"]'");
}

START_TEST(a_place_that_is_taken_meanwhile_is_not_taken_twice)
{
	const char *id = put_channel(fixture.account, event, "ready");

	rival = put_channel(fixture.account, event, "ready");
	plan_languages(2);
	event_goes_on();
	put_work(CHANNEL_LANGUAGE, put_request("", "es"), 0);
	backend.meanwhile = the_last_place_is_taken;
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	backend.meanwhile = NULL;
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"de\"]\n");
	ck_assert_int_eq(jobs(), 1);
}
END_TEST

/* ---- a language that no channel can have yet ---- */

static const char *
put_waiting_request(void)
{
	const char *request = put_request("", "es");

	event_goes_on();
	put_work(CHANNEL_LANGUAGE, request, 5);
	return request;
}

START_TEST(a_language_waits_for_a_channel_however_long_it_takes)
{
	const char *request = put_waiting_request(), *id;
	long long later = now_us() + LATER_US;

	put_channel(fixture.account, event, "deleting");
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
		ck_assert_str_eq(job_of(CHANNEL_LANGUAGE, request), "");
		ck_assert_str_eq(
		    job_of(CHANNEL_LANGUAGE_LATER, request), "ready|0|NULL\n");
		ck_assert_int_eq(number(arena_printf(fixture.mem,
				     "SELECT due_us >= %lld FROM jobs", later)),
		    1);
		ck_assert_int_eq(work_on(CHANNEL_LANGUAGE_LATER), OK);
		ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 1);
	}
	id = put_channel(fixture.account, event, "creating");
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"de\",\"es\"]\n");
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

static const char *const ends[] = { "DELETE FROM events; DELETE FROM requests",
	"UPDATE events SET end_us = 2", "UPDATE events SET finished_us = 2" };

START_TEST(a_language_does_not_wait_for_a_channel_of_an_event_that_is_over)
{
	const char *request = put_waiting_request();

	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	sql(ends[_i]);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE_LATER), OK);
	ck_assert_str_eq(job_of(CHANNEL_LANGUAGE, request), "ready|0|NULL\n");
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

static void
add_channel(const char *of)
{
	struct channel c;
	const char *id = put_channel(fixture.account, event, "creating");

	ck_assert_int_eq(channel_get(w.db, fixture.mem, fixture.account, id, &c), OK);
	sql("DELETE FROM channels");
	c.event = of;
	c.created_us = now_us();
	ck_assert_int_eq(db_begin(w.db, DB_ALL), OK);
	ck_assert_int_eq(channel_add(w.db, w.mem, &c), OK);
	ck_assert_int_eq(db_commit(w.db), OK);
}

START_TEST(a_channel_calls_those_that_wait_for_it)
{
	const char *request = put_waiting_request();
	const char *other = put_event(fixture.account);
	const char *due = "SELECT due_us <= %lld FROM jobs";

	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	add_channel(other);
	ck_assert_int_eq(
	    number(arena_printf(fixture.mem, due, (long long)now_us())), 0);
	add_channel(NULL);
	ck_assert_int_eq(
	    number(arena_printf(fixture.mem, due, (long long)now_us())), 0);
	add_channel(event);
	ck_assert_int_eq(
	    number(arena_printf(fixture.mem, due, (long long)now_us())), 1);
	ck_assert_str_eq(job_of(CHANNEL_LANGUAGE_LATER, request), "ready|0|NULL\n");
}
END_TEST

START_TEST(a_channel_that_comes_while_one_begins_to_wait_is_not_missed)
{
	const char *request = put_waiting_request();
	struct job jb = { .account = fixture.account, .ref = request };

	put_channel(fixture.account, event, "creating");
	ck_assert_int_eq(put_off(&w, &jb), ERR_STALE);
	db_rollback(w.db);
	ck_assert_str_eq(job_of(CHANNEL_LANGUAGE_LATER, request), "");
}
END_TEST

START_TEST(whatever_statement_fails_somebody_waits)
{
	const char *request = put_waiting_request();
	int n, failed = 0;

	for (n = 1; n < 12; n++) {
		const char *kind = strlen(job_of(CHANNEL_LANGUAGE, request)) > 0
				       ? CHANNEL_LANGUAGE
				       : CHANNEL_LANGUAGE_LATER;

		for (int again = 0; again < 2; again++) {
			sql("UPDATE jobs SET due_us = 1, tries = 0");
			db_fault(w.db, again ? 0 : n, ERR_FAILED);
			failed += work_on(kind) != OK;
			db_fault(w.db, 0, OK);
			ck_assert_int_eq(jobs(), 1);
		}
	}
	ck_assert_int_gt(failed, 5);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs WHERE state = 'dead'"), 0);
}
END_TEST

static const struct {
	enum err change;
	int tries;
	const char *job; /* afterwards */
} answers[] = {
	{ ERR_TIMEOUT, 0, "ready|1|timed out\n" },
	{ ERR_TIMEOUT, 11, "dead|12|timed out\n" },
	{ ERR_REFUSED, 0, "dead|1|the backend refused the language\n" },
};

START_TEST(a_language_that_the_backend_does_not_take_changes_nothing)
{
	const char *id = put_channel(fixture.account, event, "ready");
	const char *request = put_request("", "es");

	put_work(CHANNEL_LANGUAGE, request, answers[_i].tries);
	backend.change = answers[_i].change;
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), ERR_REFUSED);
	ck_assert_str_eq(job_of(CHANNEL_LANGUAGE, request), answers[_i].job);
	ck_assert_str_eq(channel_is(id, "target_languages, version"), "[\"de\"]|1\n");
}
END_TEST

static void
another_translates(void)
{
	sql("UPDATE channels SET target_languages = '[\"it\"]', version = version + 1");
}

START_TEST(a_change_meanwhile_is_not_lost)
{
	const char *id = put_channel(fixture.account, event, "ready");
	const char *request = put_request("", "es");

	put_work(CHANNEL_LANGUAGE, request, 0);
	backend.meanwhile = another_translates;
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"it\"]\n");
	ck_assert_int_eq(jobs(), 1);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"it\",\"es\"]\n");
	ck_assert_str_eq(backend.languages, "[\"it\",\"es\"]");
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

START_TEST(a_channel_of_another_event_is_not_the_requests)
{
	const char *other[] = { put_channel(fixture.account, NULL, "ready"),
		put_channel(fixture.account, put_event(fixture.account), "ready") };

	for (int i = 0; i < 2; i++) {
		put_work(CHANNEL_LANGUAGE, put_request(other[i], "es"), 0);
		ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
		ck_assert_str_eq(
		    channel_is(other[i], "target_languages"), "[\"de\"]\n");
	}
}
END_TEST

START_TEST(anothers_request_moves_nothing)
{
	const char *id = put_channel(fixture.account, event, "ready");
	const char *request = put_request("", "es");

	ck_assert_int_eq(
	    queue_add(w.db, fixture.mem, CHANNEL_LANGUAGE, fixture_account(), request),
	    OK);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"de\"]\n");
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel languages");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, retry_fixture, fixture_close);
	tcase_add_loop_test(
	    t, a_language_that_was_asked_for_comes_to_its_channel, 0, COUNT(wishes));
	tcase_add_test(t, a_language_waits_when_the_organiser_took_its_place);
	tcase_add_test(t, a_language_does_not_wait_for_room_at_an_event_that_is_over);
	tcase_add_test(t, a_language_that_the_event_has_takes_no_further_place);
	tcase_add_test(t, a_place_that_is_taken_meanwhile_is_not_taken_twice);
	tcase_add_test(t, a_language_waits_for_a_channel_however_long_it_takes);
	tcase_add_loop_test(t,
	    a_language_does_not_wait_for_a_channel_of_an_event_that_is_over, 0,
	    COUNT(ends));
	tcase_add_test(t, a_channel_calls_those_that_wait_for_it);
	tcase_add_test(t, a_channel_that_comes_while_one_begins_to_wait_is_not_missed);
	tcase_add_test(t, whatever_statement_fails_somebody_waits);
	tcase_add_loop_test(t,
	    a_language_that_the_backend_does_not_take_changes_nothing, 0,
	    COUNT(answers));
	tcase_add_test(t, a_change_meanwhile_is_not_lost);
	tcase_add_test(t, a_channel_of_another_event_is_not_the_requests);
	tcase_add_test(t, anothers_request_moves_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
