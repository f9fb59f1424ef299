/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lost broadcasts are created again, and differing ones are corrected. */
#define UNIT_TEST
#include "tests/unit/channel_retry_fixture.h"

#define DOWN "The broadcasting backend did not answer."
#define REFUSED "The broadcasting backend refused the channel."

static const char *
named(const char *channel, int attempt)
{
	return arena_printf(fixture.mem, "%s-%d", channel, attempt);
}

static void
another_deletes(void)
{
	sql("UPDATE channels SET lifecycle = 'deleting', version = version + 1");
}

static const struct {
	enum err change, create;
	enum err end;
	const char *row, *job;
	int creates;
} restorations[] = {
	{ OK, OK, OK, "ready|1|1|NULL\n", "", 0 },
	{ ERR_NOT_FOUND, OK, OK, "ready|2|2|NULL\n", "", 1 },
	{ ERR_TIMEOUT, OK, ERR_REFUSED, "ready|1|1|" DOWN "\n", "ready|5|" DOWN "\n",
	    0 },
	{ ERR_REFUSED, OK, OK, "ready|2|2|NULL\n", "", 1 }, /* as good as lost */
	{ ERR_REFUSED, ERR_REFUSED, ERR_REFUSED, "ready|2|1|" REFUSED "\n",
	    "ready|5|" REFUSED "\n", 1 },
	{ ERR_NOT_FOUND, ERR_TIMEOUT, ERR_REFUSED, "ready|2|1|" DOWN "\n",
	    "ready|5|" DOWN "\n", 1 },
	{ ERR_NOT_FOUND, ERR_REFUSED, ERR_REFUSED, "ready|2|1|" REFUSED "\n",
	    "ready|5|" REFUSED "\n", 1 },
};

START_TEST(a_channel_stays_ready_whatever_becomes_of_its_restoration)
{
	const char *id = put_channel(fixture.account, event, "ready");

	put_work(CHANNEL_RESTORE, id, 4);
	backend.change = restorations[_i].change;
	backend.create = restorations[_i].create;
	ck_assert_int_eq(work_on(CHANNEL_RESTORE), restorations[_i].end);
	ck_assert_str_eq(
	    channel_is(id, "lifecycle, attempt, substr(broadcast, 38), error"),
	    restorations[_i].row);
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id), restorations[_i].job);
	ck_assert_int_eq(backend.creates, restorations[_i].creates);
	ck_assert_str_eq(backend.languages, "[\"de\"]");
	ck_assert_str_eq(channel_is(id, "held"), "1\n");
}
END_TEST

START_TEST(a_restored_channel_begins_anew_and_its_readers_learn_it)
{
	const char *id = put_channel(fixture.account, event, "ready");

	set_channel(id, "runtime = 'active', error = 'an old one'");
	put_work(CHANNEL_RESTORE, id, 0);
	backend.change = ERR_NOT_FOUND;
	ck_assert_int_eq(work_on(CHANNEL_RESTORE), OK);
	ck_assert_str_eq(channel_is(id, "runtime, error, version"), "pending|NULL|2\n");
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
	ck_assert_str_eq(backend.name, named(id, 2));
}
END_TEST

START_TEST(corrected_languages_interrupt_no_broadcast)
{
	const char *id = put_channel(fixture.account, event, "ready");

	set_channel(id, "runtime = 'active'");
	put_work(CHANNEL_RESTORE, id, 0);
	ck_assert_int_eq(work_on(CHANNEL_RESTORE), OK);
	ck_assert_str_eq(channel_is(id, "runtime, version"), "active|1\n");
}
END_TEST

/* The room was created, and the process died before it wrote the row. */
START_TEST(what_an_unfinished_restoration_made_is_taken)
{
	const char *id = put_channel(fixture.account, event, "ready");

	set_channel(id, "attempt = 2");
	put_work(CHANNEL_RESTORE, id, 0);
	ck_assert_int_eq(work_on(CHANNEL_RESTORE), OK);
	ck_assert_int_eq(backend.creates, 0);
	ck_assert_str_eq(backend.name, named(id, 2));
	ck_assert_str_eq(channel_is(id, "attempt, broadcast = id || '-2'"), "2|1\n");
}
END_TEST

static void
another_changes(void)
{
	sql("UPDATE channels SET target_languages = '[\"it\"]', version = version + 1");
}

START_TEST(a_change_that_comes_between_is_restored_as_well)
{
	const char *id = put_channel(fixture.account, event, "ready");

	put_work(CHANNEL_RESTORE, id, 0);
	backend.meanwhile = another_changes;
	ck_assert_int_eq(work_on(CHANNEL_RESTORE), OK);
	ck_assert_int_eq(backend.changes, 2);
	ck_assert_str_eq(backend.languages, "[\"it\"]");
}
END_TEST

START_TEST(a_deletion_that_comes_between_wins)
{
	const char *id = put_channel(fixture.account, event, "ready");

	put_work(CHANNEL_RESTORE, id, 0);
	backend.change = ERR_NOT_FOUND;
	backend.meanwhile = another_deletes;
	work_on(CHANNEL_RESTORE);
	work_on(CHANNEL_RESTORE);
	ck_assert_int_eq(jobs(), 0);
	ck_assert_int_eq(backend.creates, 0);
	ck_assert_str_eq(channel_is(id, "lifecycle, attempt"), "deleting|1\n");
}
END_TEST

START_TEST(a_deletion_waits_for_a_restoration_that_runs)
{
	const char *id = put_channel(fixture.account, event, "ready");
	int64_t n;

	put_work(CHANNEL_RESTORE, id, 0);
	sql(arena_printf(fixture.mem, "UPDATE jobs SET state = 'leased', due_us = %lld",
	    (long long)(now_us() + 100 * S_US)));
	ck_assert_int_eq(db_begin(w.db, DB_ALL), OK);
	ck_assert_int_eq(channels_of_event_deleting(
			     w.db, fixture.mem, w.conf, fixture.account, event, &n),
	    OK);
	ck_assert_int_eq(db_commit(w.db), OK);
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id), "");
	ck_assert_int_eq(number("SELECT due_us > created_us + 90000000 FROM jobs"), 1);
}
END_TEST

static void
another_wants_it_gone(void)
{
	sql("UPDATE channels SET lifecycle = 'deleting', version = version + 1;"
	    "DELETE FROM jobs");
	put_work(CHANNEL_REMOVE,
	    arena_printf(fixture.mem, "%.36s", sql("SELECT id FROM channels")), 0);
	sql("UPDATE jobs SET due_us = 9000000000000000");
}

START_TEST(a_deletion_waits_no_longer_than_the_attempt)
{
	put_work(CHANNEL_RESTORE, put_channel(fixture.account, event, "ready"), 0);
	backend.meanwhile = another_wants_it_gone;
	work_on(CHANNEL_RESTORE);
	ck_assert_int_eq(
	    number(arena_printf(fixture.mem,
		"SELECT count(*) FROM jobs WHERE due_us <= %lld", (long long)now_us())),
	    1);
}
END_TEST

START_TEST(whatever_statement_fails_a_restoration_goes_on)
{
	const char *id = put_channel(fixture.account, event, "ready");
	int n, lost = 0;

	put_work(CHANNEL_RESTORE, id, 0);
	backend.change = ERR_NOT_FOUND;
	for (n = 1; n < 40 && jobs() > 0; n++) {
		sql("UPDATE jobs SET due_us = 1");
		db_fault(w.db, n, ERR_FAILED);
		work_on(CHANNEL_RESTORE);
		db_fault(w.db, 0, OK);
		ck_assert_str_eq(channel_is(id, "lifecycle"), "ready\n");
		lost++;
	}
	ck_assert_int_gt(lost, 4);
	ck_assert_int_lt(n, 40);
	ck_assert_str_eq(channel_is(id, "broadcast = id || '-' || attempt"), "1\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("restore");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, retry_fixture, fixture_close);
	tcase_add_loop_test(t,
	    a_channel_stays_ready_whatever_becomes_of_its_restoration, 0,
	    COUNT(restorations));
	tcase_add_test(t, a_restored_channel_begins_anew_and_its_readers_learn_it);
	tcase_add_test(t, corrected_languages_interrupt_no_broadcast);
	tcase_add_test(t, what_an_unfinished_restoration_made_is_taken);
	tcase_add_test(t, a_change_that_comes_between_is_restored_as_well);
	tcase_add_test(t, a_deletion_that_comes_between_wins);
	tcase_add_test(t, a_deletion_waits_for_a_restoration_that_runs);
	tcase_add_test(t, a_deletion_waits_no_longer_than_the_attempt);
	tcase_add_test(t, whatever_statement_fails_a_restoration_goes_on);
	suite_add_tcase(s, t);
	return unit_run(s);
}
