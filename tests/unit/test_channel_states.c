/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states of channels, row by row, with every failure on the way. */
#define UNIT_TEST
#include "tests/unit/channel_fixture.h"

static const struct {
	const char *lifecycle, *job; /* the state before; job: ready, leased, or none */
	enum err create;
	int status;
	const char *row;      /* lifecycle, attempt and error afterwards */
	const char *job_then; /* the job's state and tries */
	int calls;
} retries[] = {
	{ "creating", "ready", OK, 200, "ready|2|NULL\n", "", 1 },
	{ "creating", "ready", ERR_REFUSED, 200, "failed|2|" REFUSED "\n", "", 1 },
	{ "creating", "ready", ERR_TIMEOUT, 200, "creating|2|" DOWN "\n",
	    "ready|1|" DOWN "\n", 1 },
	{ "creating", "leased", OK, 200, "creating|1|NULL\n", "leased|7|NULL\n", 0 },
	{ "creating", "left", OK, 200, "ready|2|NULL\n", "", 1 },
	{ "failed", NULL, OK, 200, "ready|2|NULL\n", "", 1 },
	{ "failed", NULL, ERR_REFUSED, 200, "failed|2|" REFUSED "\n", "", 1 },
	{ "failed", NULL, ERR_TIMEOUT, 200, "creating|2|" DOWN "\n",
	    "ready|1|" DOWN "\n", 1 },
	{ "ready", NULL, ERR_REFUSED, 200, "ready|1|NULL\n", "", 0 },
	{ "deleting", NULL, OK, 409, "deleting|1|NULL\n", "", 0 },
};

START_TEST(a_retry_moves_a_channel_as_the_table_says)
{
	const char *id = put_channel(fixture.account, NULL, retries[_i].lifecycle);
	struct response a;

	if (retries[_i].job != NULL)
		put_job(id, retries[_i].job);
	backend.create = retries[_i].create;
	a = retry(id);
	answered(a, retries[_i].status);
	if (a.status == 409)
		is(a, "/errors/0/type", BASE "/problems/channel-deleting");
	ck_assert_str_eq(channel_is(id, "lifecycle, attempt, error"), retries[_i].row);
	ck_assert_str_eq(job_of(CHANNEL_CREATE, id), retries[_i].job_then);
	ck_assert_int_eq(backend.creates, retries[_i].calls);
}
END_TEST

static void
another_tries(void)
{
	sql("UPDATE channels SET attempt = attempt + 1"); /* its lease has expired */
}

START_TEST(an_attempt_that_another_has_overtaken_writes_nothing)
{
	const char *id = put_channel(fixture.account, NULL, "creating");
	struct response a;

	backend.meanwhile = another_tries;
	a = retry(id);
	answered(a, 200);
	is(a, "/data/lifecycle_status", "creating");
	ck_assert_str_eq(channel_is(id, "lifecycle, attempt, broadcast, version"),
	    "creating|3|NULL|1\n");
	ck_assert_int_eq(backend.creates, 1);
}
END_TEST

START_TEST(a_retry_of_what_is_as_it_was_is_no_new_version)
{
	const char *id = put_channel(fixture.account, NULL, "creating");
	struct response a;

	set_channel(id, "error = '" DOWN "'");
	backend.create = ERR_TIMEOUT;
	a = retry(id);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\"");
	ck_assert_str_eq(channel_is(id, "updated_us, attempt"), "1|2\n");
}
END_TEST

static const struct {
	const char *lifecycle, *job;
	enum err destroy;
	const char *row, *remove; /* lifecycle, and the job's state and tries */
	int calls;
} deletions[] = {
	{ "ready", NULL, OK, "", "", 1 },
	{ "ready", NULL, ERR_TIMEOUT, "deleting\n", "ready|1|timed out\n", 1 },
	{ "ready", NULL, ERR_REFUSED, "deleting\n", "ready|1|refused\n", 1 },
	{ "creating", "ready", OK, "", "", 1 }, /* the answer may have been lost */
	{ "creating", "ready", ERR_TIMEOUT, "deleting\n", "ready|1|timed out\n", 1 },
	{ "creating", "leased", OK, "deleting\n", "ready|0|NULL\n", 0 },
	{ "failed", NULL, ERR_TIMEOUT, "", "", 0 }, /* no room exists */
	{ "deleting", NULL, OK, "deleting\n", "ready|0|NULL\n", 0 },
};

START_TEST(a_deletion_moves_a_channel_as_the_table_says)
{
	const char *event = put_event(fixture.account);
	const char *id = put_channel(fixture.account, event, deletions[_i].lifecycle);
	const char *row;
	struct response a;

	if (deletions[_i].job != NULL)
		put_job(id, deletions[_i].job);
	backend.destroy = deletions[_i].destroy;
	a = on("DELETE", id, NULL);
	answered(a, 200);
	assert_same_body(a.body, "{\"ok\":true,\"data\":null}");
	row = channel_is(id, "lifecycle");
	ck_assert_str_eq(row, deletions[_i].row);
	ck_assert_str_eq(job_of(CHANNEL_CREATE, id), "");
	ck_assert_str_eq(job_of(CHANNEL_REMOVE, id), deletions[_i].remove);
	ck_assert_int_eq(backend.destroys, deletions[_i].calls);
	if (backend.destroys > 0)
		ck_assert_str_eq(backend.name, line("%s-1", id));
	ck_assert_int_eq(number("SELECT channels_ready FROM events"), 0);
	a = on("GET", id, NULL);
	answered(a, row[0] == '\0' ? 404 : 200);
	a = on("DELETE", id, NULL);
	answered(a, row[0] == '\0' ? 404 : 200);
}
END_TEST

START_TEST(what_runs_is_removed_when_it_must_be_over)
{
	const char *id = put_channel(fixture.account, NULL, "creating"), *due;

	put_job(id, "leased");
	sql("UPDATE jobs SET due_us = due_us + 12345");
	due = sql("SELECT due_us FROM jobs");
	on("DELETE", id, NULL);
	ck_assert_str_eq(
	    sql("SELECT due_us FROM jobs WHERE kind = 'channel.remove'"), due);
}
END_TEST

START_TEST(a_channel_that_is_being_deleted_takes_no_change)
{
	const char *id = put_channel(fixture.account, NULL, "deleting");
	const char *before = everything();
	struct response a = on("PATCH", id, "{\"data\":{\"name\":\"B\"}}");

	refused(a, 409, "channel-deleting");
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- an event goes ---- */

START_TEST(a_deleted_event_leaves_what_the_backend_may_hold)
{
	const char *event = put_event(fixture.account);
	const char *ready = put_channel(fixture.account, event, "ready");
	const char *failed = put_channel(fixture.account, event, "failed");
	const char *begun = put_channel(fixture.account, event, "creating");
	const char *going = put_channel(fixture.account, event, "deleting");
	const char *other = put_channel(fixture.account, NULL, "ready");
	int64_t n;

	put_job(begun, "leased");
	ck_assert_int_eq(db_begin(fixture.app.db, DB_ALL), OK);
	ck_assert_int_eq(channels_of_event_deleting(fixture.app.db, fixture.mem,
			     &fixture.app.conf, fixture.account, event, &n),
	    OK);
	ck_assert_int_eq(db_commit(fixture.app.db), OK);
	ck_assert_int_eq(n, 3);
	ck_assert_str_eq(channel_is(ready, "lifecycle, version"), "deleting|2\n");
	ck_assert_str_eq(channel_is(failed, "lifecycle"), "");
	ck_assert_str_eq(channel_is(begun, "lifecycle"), "deleting\n");
	ck_assert_str_eq(channel_is(going, "lifecycle, version"), "deleting|1\n");
	ck_assert_str_eq(channel_is(other, "lifecycle"), "ready\n");
	ck_assert_str_eq(job_of(CHANNEL_REMOVE, ready), "ready|0|NULL\n");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM jobs WHERE kind = 'channel.remove'"), 2);
	ck_assert_str_eq(job_of(CHANNEL_CREATE, begun), "");
	ck_assert_int_eq(
	    number(
		line("SELECT due_us > created_us FROM jobs WHERE ref = '%s'", begun)),
	    1);
}
END_TEST

START_TEST(a_row_that_comes_or_goes_drops_the_public_view)
{
	const char *event = put_event(fixture.account), *view;
	const char *id = put_channel(fixture.account, event, "ready");
	struct channel c;

	view = sql("SELECT * FROM bundles");
	ck_assert_int_eq(
	    channel_get(fixture.app.db, fixture.mem, fixture.account, id, &c), OK);
	c.id = ID;
	ck_assert_int_eq(channel_add(fixture.app.db, fixture.mem, &c), OK);
	ck_assert_str_eq(sql("SELECT * FROM bundles"), "");
	ck_assert_str_eq(sql("SELECT channels_ready FROM events"), "2\n");
	sql(arena_printf(
	    fixture.mem, "INSERT INTO bundles VALUES ('%s', 'm', 'h', '{}')", event));
	ck_assert_str_eq(sql("SELECT * FROM bundles"), view);
	ck_assert_int_eq(channel_drop(fixture.app.db, &c), OK);
	ck_assert_str_eq(sql("SELECT * FROM bundles"), "");
	ck_assert_str_eq(sql("SELECT channels_ready FROM events"), "1\n");
	ck_assert_int_eq(channel_drop(fixture.app.db, &c), ERR_NOT_FOUND);
}
END_TEST

/* ---- a silent backend ---- */

START_TEST(one_request_waits_for_a_silent_backend_and_the_others_do_not)
{
	struct response a;
	const char *id;

	backend.create = ERR_TIMEOUT;
	a = add(ALONE);
	answered(a, 201);
	ck_assert_int_eq(backend.creates, 1);
	a = add(ALONE);
	answered(a, 201);
	is(a, "/data/lifecycle_status", "creating");
	is(a, "/data/error", DOWN);
	ck_assert_int_eq(backend.creates, 1);
	id = said(&a, "/data/channel_id");
	ck_assert_str_eq(job_of(CHANNEL_CREATE, id), "ready|0|NULL\n");
	a = retry(id); /* a request for an attempt starts one */
	answered(a, 200);
	ck_assert_int_eq(backend.creates, 2);
	sql("UPDATE chores SET last_run_us = last_run_us - 61000000");
	a = add(ALONE); /* not reported for a minute */
	answered(a, 201);
	ck_assert_int_eq(backend.creates, 3);
}
END_TEST

START_TEST(a_change_and_a_deletion_do_not_wait_for_a_silent_backend)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;

	backend.change = ERR_TIMEOUT;
	a = on("PATCH", id, "{\"data\":{\"name\":\"B\"}}");
	refused(a, 504, "gateway-timeout");
	a = on("PATCH", id, "{\"data\":{\"name\":\"B\"}}");
	refused(a, 504, "gateway-timeout");
	ck_assert_int_eq(backend.changes, 1);
	a = on("DELETE", id, NULL);
	answered(a, 200);
	ck_assert_int_eq(backend.destroys, 0);
	ck_assert_str_eq(channel_is(id, "lifecycle"), "deleting\n");
	ck_assert_str_eq(job_of(CHANNEL_REMOVE, id), "ready|1|timed out\n");
}
END_TEST

/* a request for the channel $, and its state afterwards */

static const struct {
	/* a request for the channel $, and its state afterwards */
	const char *method, *path, *body, *lifecycle;
} calls[] = {
	{ "POST", "", NULL, "ready" },
	{ "GET", "s", NULL, "ready" },
	{ "GET", "/$", NULL, "ready" },
	{ "PATCH", "/$", "{\"data\":{\"target_languages\":[\"it\"]}}", "ready" },
	{ "DELETE", "/$", NULL, "ready" },
	{ "DELETE", "/$", NULL, "failed" },
	{ "POST", "/$/retry", NULL, "failed" },
	{ "POST", "/$/retry", NULL, "creating" },
};

/* Checks that every channel in transition has a job. */
static void
check_jobs(void)
{
	ck_assert_int_eq(
	    number(
		"SELECT count(*) FROM channels c WHERE lifecycle IN ('creating',"
		" 'deleting') AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.ref = c.id"
		" AND j.state <> 'dead')"),
	    0);
}

/*
 * Fields that a failure must not change; the backend may have executed a part of a
 * PATCH.
 */
static const char *
kept(const char *method)
{
	return strcmp(method, "PATCH") != 0
		   ? everything()
		   : sql("SELECT * FROM channels; SELECT * FROM events");
}

START_TEST(whatever_statement_fails_a_job_goes_on)
{
	static const enum err with[] = { ERR_BUSY, ERR_FAILED, ERR_FULL };
	static const int status[] = { 503, 500, 507 };
	int i = _i % COUNT(calls), k = _i / COUNT(calls), n;
	const char *event = put_event(fixture.account);
	const char *id = put_channel(fixture.account, event, calls[i].lifecycle);
	const char *body = calls[i].body, *before, *what;
	struct response a = { .status = 0 };

	if (strcmp(calls[i].lifecycle, "creating") == 0)
		put_job(id, "ready");
	if (calls[i].path[0] == '\0')
		body = line("{\"data\":{\"type\":\"event\",\"name\":\"A\",\"event_id\":"
			    "\"%s\"}}",
		    event);
	what = arena_printf(fixture.mem, "%s /saas/channel%.*s%s%s", calls[i].method,
	    (int)strcspn(calls[i].path, "$"), calls[i].path,
	    strchr(calls[i].path, '$') ? id : "",
	    strchr(calls[i].path, '$') ? strchr(calls[i].path, '$') + 1 : "");
	before = kept(calls[i].method);
	for (n = 1; n < 60; n++) {
		db_fault(fixture.app.db, n, with[k]);
		a = ask_with(what, body, HEADS("Idempotency-Key: k"));
		db_fault(fixture.app.db, 0, OK);
		check_jobs();
		if (a.status < 300)
			break;
		ck_assert_int_eq(a.status, status[k]);
		if (backend.creates + backend.destroys == 0)
			ck_assert_str_eq(kept(calls[i].method), before);
	}
	ck_assert_int_gt(n, 2);
	ck_assert_int_lt(n, 60);
}
END_TEST

/* ---- settings ---- */

START_TEST(a_driver_that_lacks_a_setting_is_refused_at_the_start)
{
	ck_assert(broadcast_known());
	setenv("DRAGOMAN_BROADCAST_DRIVER", "janus", 1);
	ck_assert(!broadcast_known()); /* the record has no secret */
	setenv("DRAGOMAN_BROADCAST_DRIVER", "gateway", 1);
	ck_assert(broadcast_known());
}
END_TEST

static const struct {
	int64_t tries, wait_s;
	bool again;
} waits[] = {
	{ 1, 30, true },
	{ 2, 60, true },
	{ 3, 120, true },
	{ 7, 1920, true },
	{ 8, 3600, true },
	{ 11, 3600, true },
	{ 12, 3600, false },
	{ 4000, 3600, false },
};

START_TEST(each_wait_is_twice_the_one_before_up_to_the_longest_or_less_by_chance)
{
	int64_t in_us, longest_us = waits[_i].wait_s * S_US, least = INT64_MAX,
		       most = 0;

	for (int i = 0; i < 1000; i++) {
		ck_assert(channel_again(&fixture.app.conf, waits[_i].tries, &in_us) ==
			  waits[_i].again);
		least = in_us < least ? in_us : least;
		ck_assert(
		    channel_again_always(&fixture.app.conf, waits[_i].tries, &in_us));
		most = in_us > most ? in_us : most;
	}
	ck_assert_int_ge(least, longest_us / 2);
	ck_assert_int_le(least, longest_us * 6 / 10);
	ck_assert_int_le(most, longest_us);
	ck_assert_int_ge(most, longest_us * 9 / 10);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel states");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_loop_test(
	    t, a_retry_moves_a_channel_as_the_table_says, 0, COUNT(retries));
	tcase_add_test(t, an_attempt_that_another_has_overtaken_writes_nothing);
	tcase_add_test(t, a_retry_of_what_is_as_it_was_is_no_new_version);
	tcase_add_loop_test(
	    t, a_deletion_moves_a_channel_as_the_table_says, 0, COUNT(deletions));
	tcase_add_test(t, what_runs_is_removed_when_it_must_be_over);
	tcase_add_test(t, a_channel_that_is_being_deleted_takes_no_change);
	tcase_add_test(t, a_row_that_comes_or_goes_drops_the_public_view);
	tcase_add_test(t, a_deleted_event_leaves_what_the_backend_may_hold);
	tcase_add_test(t, one_request_waits_for_a_silent_backend_and_the_others_do_not);
	tcase_add_test(t, a_change_and_a_deletion_do_not_wait_for_a_silent_backend);
	tcase_add_loop_test(
	    t, whatever_statement_fails_a_job_goes_on, 0, 3 * COUNT(calls));
	tcase_add_test(t, a_driver_that_lacks_a_setting_is_refused_at_the_start);
	tcase_add_loop_test(t,
	    each_wait_is_twice_the_one_before_up_to_the_longest_or_less_by_chance, 0,
	    COUNT(waits));
	suite_add_tcase(s, t);
	return unit_run(s);
}
