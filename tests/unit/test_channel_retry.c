/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker of channels repeats creation and removal. */
#define UNIT_TEST
#include "tests/unit/channel_retry_fixture.h"

#define DOWN "The broadcasting backend did not answer."
#define REFUSED "The broadcasting backend refused the channel."

static const char *
line(const char *fmt, const char *a)
{
	return arena_printf(fixture.mem, fmt, a);
}

/* ---- creation ---- */

static const struct {
	enum err create;
	int tries; /* tries before this one */
	const char *row, *job;
} creations[] = {
	{ OK, 1, "ready|1|1|pending|NULL\n", "" },
	{ ERR_REFUSED, 1, "failed|1|0|NULL|" REFUSED "\n", "" },
	{ ERR_UNSUPPORTED, 1, "failed|1|0|NULL|" REFUSED "\n", "" },
	{ ERR_TIMEOUT, 1, "creating|1|1|NULL|" DOWN "\n", "ready|2|" DOWN "\n" },
	{ ERR_TIMEOUT, 10, "creating|1|1|NULL|" DOWN "\n", "ready|11|" DOWN "\n" },
	{ ERR_TIMEOUT, 11, "failed|1|1|NULL|" DOWN "\n", "dead|12|" DOWN "\n" },
	{ OK, 11, "ready|1|1|pending|NULL\n", "" },
};

START_TEST(creation_is_tried_until_it_ends)
{
	const char *id = put_channel(fixture.account, event, "creating");
	bool done = strlen(creations[_i].job) == 0;

	put_work(CHANNEL_CREATE, id, creations[_i].tries);
	backend.create = creations[_i].create;
	ck_assert_int_eq(work_on(CHANNEL_CREATE), done ? OK : ERR_REFUSED);
	ck_assert_str_eq(channel_is(id, "lifecycle, attempt, held, runtime, error"),
	    creations[_i].row);
	ck_assert_str_eq(job_of(CHANNEL_CREATE, id), creations[_i].job);
	ck_assert_str_eq(backend.name, line("%s-1", id)); /* no try makes a new room */
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
}
END_TEST

START_TEST(a_row_that_was_stored_and_no_more_begins_with_the_first_attempt)
{
	const char *id = put_channel(fixture.account, NULL, "creating");

	set_channel(id, "attempt = 0, held = 0");
	put_work(CHANNEL_CREATE, id, 0);
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK);
	ck_assert_str_eq(channel_is(id, "lifecycle, attempt, held"), "ready|1|1\n");
}
END_TEST

START_TEST(a_wait_is_as_the_settings_say)
{
	const char *id = put_channel(fixture.account, NULL, "creating");
	int64_t before, wait_s;

	put_work(CHANNEL_CREATE, id, 2);
	backend.create = ERR_TIMEOUT;
	before = now_us();
	ck_assert_int_eq(work_on(CHANNEL_CREATE), ERR_REFUSED);
	wait_s = number(arena_printf(fixture.mem,
	    "SELECT (due_us - %lld) / 1000000 FROM jobs", (long long)before));
	/* delays 30, 60, 120 s: the third, or half of it */
	ck_assert_int_ge(wait_s, 60);
	ck_assert_int_le(wait_s, 120);
}
END_TEST

static const char *const settled[] = { "ready", "failed", "deleting", NULL };

START_TEST(a_channel_that_is_not_creating_any_more_is_left_alone)
{
	const char *id = ID_NIL, *before;

	if (settled[_i] != NULL)
		id = put_channel(fixture.account, event, settled[_i]);
	before = sql("SELECT * FROM channels");
	put_work(CHANNEL_CREATE, id, 0);
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK);
	ck_assert_int_eq(jobs(), 0);
	ck_assert_int_eq(backend.creates, 0);
	ck_assert_str_eq(sql("SELECT * FROM channels"), before);
}
END_TEST

START_TEST(a_program_that_died_in_its_attempt_is_followed_by_the_next)
{
	const char *id = put_channel(fixture.account, NULL, "creating");

	put_job(id, "leased");
	ck_assert_int_eq(work_on(CHANNEL_CREATE), ERR_NOT_FOUND); /* it may live */
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK);
	ck_assert_str_eq(channel_is(id, "lifecycle, broadcast"),
	    arena_printf(fixture.mem, "ready|%s-1\n", id));
}
END_TEST

/* Until the operation is done, a job must exist that continues it. */
static void
fail_each(const char *kind, const char *id, const char *end)
{
	int n, goes_on = 0;

	for (n = 1; n < 40; n++) {
		sql("UPDATE jobs SET due_us = 1"); /* also after a lost lease */
		db_fault(w.db, n, ERR_FAILED);
		work_on(kind);
		db_fault(w.db, 0, OK);
		if (jobs() == 0)
			break;
		goes_on++;
		ck_assert_str_ne(channel_is(id, "lifecycle"), end);
	}
	ck_assert_int_gt(goes_on, 2);
	ck_assert_str_eq(channel_is(id, "lifecycle"), end);
}

START_TEST(whatever_statement_fails_creation_goes_on)
{
	const char *id = put_channel(fixture.account, event, "creating");

	put_work(CHANNEL_CREATE, id, -30);
	fail_each(CHANNEL_CREATE, id, "ready\n");
	ck_assert_str_eq(channel_is(id, "broadcast = id || '-' || attempt"), "1\n");
	ck_assert_int_eq(number("SELECT channels_ready FROM events"), 1);
}
END_TEST

static void
another_deletes(void)
{
	sql("UPDATE channels SET lifecycle = 'deleting', version = version + 1");
}

START_TEST(an_attempt_that_loses_to_a_deletion_writes_nothing)
{
	const char *id = put_channel(fixture.account, NULL, "creating");

	put_work(CHANNEL_CREATE, id, 0);
	backend.meanwhile = another_deletes;
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK);
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK); /* the job checks again */
	ck_assert_int_eq(jobs(), 0);
	ck_assert_str_eq(channel_is(id, "lifecycle, broadcast"), "deleting|NULL\n");
}
END_TEST

/* ---- removal ---- */

static const struct {
	enum err destroy;
	int tries;
	const char *row;
} removals[] = {
	{ OK, 0, "" },
	{ ERR_TIMEOUT, 0, "deleting|1\n" },
	{ ERR_TIMEOUT, 4000, "deleting|1\n" }, /* retries have no end */
	{ ERR_REFUSED, 10, "deleting|1\n" },
	{ ERR_REFUSED, 11, "" }, /* the backend will always refuse */
	{ OK, 4000, "" },
};

START_TEST(removal_is_repeated_until_it_is_confirmed)
{
	const char *id = put_channel(fixture.account, event, "deleting");
	bool gone_now = removals[_i].row[0] == '\0';

	put_work(CHANNEL_REMOVE, id, removals[_i].tries);
	backend.destroy = removals[_i].destroy;
	ck_assert_int_eq(work_on(CHANNEL_REMOVE), gone_now ? OK : ERR_REFUSED);
	ck_assert_str_eq(channel_is(id, "lifecycle, version"), removals[_i].row);
	ck_assert_int_eq(jobs(), !gone_now);
	ck_assert_str_eq(backend.name, line("%s-1", id));
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), !gone_now);
}
END_TEST

START_TEST(a_channel_outlives_its_event_until_it_is_removed)
{
	const char *id = put_channel(fixture.account, event, "deleting");

	put_work(CHANNEL_REMOVE, id, 0);
	sql("DELETE FROM events");
	ck_assert_int_eq(work_on(CHANNEL_REMOVE), OK);
	ck_assert_str_eq(channel_is(id, "1"), "");
}
END_TEST

START_TEST(whatever_statement_fails_removal_goes_on)
{
	const char *id = put_channel(fixture.account, event, "deleting");

	put_work(CHANNEL_REMOVE, id, 0);
	fail_each(CHANNEL_REMOVE, id, "");
}
END_TEST

START_TEST(nothing_is_removed_that_is_not_being_deleted)
{
	const char *id = put_channel(fixture.account, NULL, "ready");

	put_work(CHANNEL_REMOVE, id, 0);
	ck_assert_int_eq(work_on(CHANNEL_REMOVE), OK);
	ck_assert_str_eq(channel_is(id, "lifecycle"), "ready\n");
	ck_assert_int_eq(backend.destroys + jobs(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel retry");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, retry_fixture, fixture_close);
	tcase_add_loop_test(t, creation_is_tried_until_it_ends, 0, COUNT(creations));
	tcase_add_test(
	    t, a_row_that_was_stored_and_no_more_begins_with_the_first_attempt);
	tcase_add_test(t, a_wait_is_as_the_settings_say);
	tcase_add_loop_test(t, a_channel_that_is_not_creating_any_more_is_left_alone, 0,
	    COUNT(settled));
	tcase_add_test(t, a_program_that_died_in_its_attempt_is_followed_by_the_next);
	tcase_add_test(t, whatever_statement_fails_creation_goes_on);
	tcase_add_test(t, an_attempt_that_loses_to_a_deletion_writes_nothing);
	tcase_add_loop_test(
	    t, removal_is_repeated_until_it_is_confirmed, 0, COUNT(removals));
	tcase_add_test(t, a_channel_outlives_its_event_until_it_is_removed);
	tcase_add_test(t, whatever_statement_fails_removal_goes_on);
	tcase_add_test(t, nothing_is_removed_that_is_not_being_deleted);
	suite_add_tcase(s, t);
	return unit_run(s);
}
