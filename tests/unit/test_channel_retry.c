/*
 * The worker of channels: creation and removal once more, and the languages that
 * listeners asked for.
 */
#define UNIT_TEST
#include "tests/unit/channel_rows.h"

#include "workers/channel_retry.c"

#define DOWN "The broadcasting backend did not answer."
#define REFUSED "The broadcasting backend refused the channel."

static struct work w;
static const char *event;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, channel_sql,
		queue_sql, NULL };

	memset(&backend, 0, sizeof(backend));
	house_open("channel_retry", none, prepared);
	house.app.conf.broadcast_driver = "told";
	w = (struct work){ house.app.db, house.wire, &house.app.conf };
	event = put_event(house.account);
}

static const char *
line(const char *fmt, const char *a)
{
	return arena_printf(house.mem, fmt, a);
}

/* What is due of a kind, as the loop would do it. */
static enum err
work_on(const char *kind)
{
	const struct job_kind *k = kinds;
	enum err e;

	while (strcmp(k->name, kind) != 0)
		k++;
	sql("UPDATE jobs SET due_us = 1 WHERE state = 'ready'");
	e = work_one(&w, k, "test");
	arena_reset(house.wire);
	ck_assert(db_idle(w.db));
	return e;
}

static void
put_work(const char *kind, const char *ref, int tries)
{
	ck_assert_int_eq(queue_add(w.db, house.mem, kind, house.account, ref), OK);
	sql(arena_printf(house.mem, "UPDATE jobs SET tries = %d", tries));
}

static int
jobs(void)
{
	return number("SELECT count(*) FROM jobs WHERE state <> 'dead'");
}

/* ---- creation ---- */

static const struct {
	enum err create;
	int tries; /* before this one */
	const char *row, *job;
} creations[] = {
	{ OK, 1, "ready|2|1|pending|NULL\n", "" },
	{ ERR_REFUSED, 1, "failed|2|0|NULL|" REFUSED "\n", "" },
	{ ERR_UNSUPPORTED, 1, "failed|2|0|NULL|" REFUSED "\n", "" },
	{ ERR_TIMEOUT, 1, "creating|2|1|NULL|" DOWN "\n", "ready|2|" DOWN "\n" },
	{ ERR_TIMEOUT, 10, "creating|2|1|NULL|" DOWN "\n", "ready|11|" DOWN "\n" },
	{ ERR_TIMEOUT, 11, "failed|2|1|NULL|" DOWN "\n", "dead|12|" DOWN "\n" },
	{ OK, 11, "ready|2|1|pending|NULL\n", "" },
};

START_TEST(creation_is_tried_until_it_ends)
{
	const char *id = put_channel(house.account, event, "creating");
	bool done = strlen(creations[_i].job) == 0;

	put_work(CHANNEL_CREATE, id, creations[_i].tries);
	backend.create = creations[_i].create;
	ck_assert_int_eq(work_on(CHANNEL_CREATE), done ? OK : ERR_REFUSED);
	ck_assert_str_eq(channel_is(id, "lifecycle, attempt, held, runtime, error"),
	    creations[_i].row);
	ck_assert_str_eq(job_of(CHANNEL_CREATE, id), creations[_i].job);
	ck_assert_str_eq(backend.name, line("%s-2", id));
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
}
END_TEST

START_TEST(a_wait_is_as_the_settings_say)
{
	const char *id = put_channel(house.account, NULL, "creating");
	int64_t before;

	put_work(CHANNEL_CREATE, id, 2);
	backend.create = ERR_TIMEOUT;
	before = now_us();
	ck_assert_int_eq(work_on(CHANNEL_CREATE), ERR_REFUSED);
	before += 120 * S_US; /* the third */
	ck_assert_int_eq(number(arena_printf(house.mem,
			     "SELECT due_us >= %lld FROM jobs", (long long)before)),
	    1);
}
END_TEST

static const char *const settled[] = { "ready", "failed", "deleting", NULL };

START_TEST(a_channel_that_is_not_creating_any_more_is_left_alone)
{
	const char *id = ID_NIL, *before;

	if (settled[_i] != NULL)
		id = put_channel(house.account, event, settled[_i]);
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
	const char *id = put_channel(house.account, NULL, "creating");

	put_job(id, "leased");
	ck_assert_int_eq(work_on(CHANNEL_CREATE), ERR_NOT_FOUND); /* it may live */
	sql("UPDATE jobs SET due_us = 1");
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK);
	ck_assert_str_eq(channel_is(id, "lifecycle, broadcast"),
	    arena_printf(house.mem, "ready|%s-2\n", id));
}
END_TEST

/* Until it is done, there is a job that goes on. */
static void
fail_each(const char *kind, const char *id, const char *end)
{
	int n, goes_on = 0;

	for (n = 1; n < 40; n++) {
		sql("UPDATE jobs SET due_us = 1"); /* a lease that was lost, too */
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
	const char *id = put_channel(house.account, event, "creating");

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
	const char *id = put_channel(house.account, NULL, "creating");

	put_work(CHANNEL_CREATE, id, 0);
	backend.meanwhile = another_deletes;
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK);
	ck_assert_int_eq(work_on(CHANNEL_CREATE), OK); /* it has another look */
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
	{ ERR_REFUSED, 4000, "deleting|1\n" }, /* for as long as it takes */
	{ OK, 4000, "" },
};

START_TEST(removal_is_repeated_until_it_is_confirmed)
{
	const char *id = put_channel(house.account, event, "deleting");
	bool gone_now = removals[_i].destroy == OK;

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
	const char *id = put_channel(house.account, event, "deleting");

	put_work(CHANNEL_REMOVE, id, 0);
	sql("DELETE FROM events");
	ck_assert_int_eq(work_on(CHANNEL_REMOVE), OK);
	ck_assert_str_eq(channel_is(id, "1"), "");
}
END_TEST

START_TEST(whatever_statement_fails_removal_goes_on)
{
	const char *id = put_channel(house.account, event, "deleting");

	put_work(CHANNEL_REMOVE, id, 0);
	fail_each(CHANNEL_REMOVE, id, "");
}
END_TEST

START_TEST(nothing_is_removed_that_is_not_being_deleted)
{
	const char *id = put_channel(house.account, NULL, "ready");

	put_work(CHANNEL_REMOVE, id, 0);
	ck_assert_int_eq(work_on(CHANNEL_REMOVE), OK);
	ck_assert_str_eq(channel_is(id, "lifecycle"), "ready\n");
	ck_assert_int_eq(backend.destroys + jobs(), 0);
}
END_TEST

/* ---- languages ---- */

static const char *
put_request(const char *channel, const char *language)
{
	const char *id = id_new(house.mem);

	sql(arena_printf(house.mem,
	    "INSERT INTO requests (id, event, type, channel, language, status, asked,"
	    " first_us) VALUES ('%s', '%s', 'add_language', '%s', '%s', 'approved', 1, "
	    "1)",
	    id, event, channel, language));
	return id;
}

static const struct {
	const char *first, *second; /* lifecycles */
	int named;                  /* 0: none, 1: the first, 2: the second, 3: gone */
	const char *language;
	const char *then; /* target languages of both */
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
	const char *id[] = { "", put_channel(house.account, event, wishes[_i].first),
		put_channel(house.account, event, wishes[_i].second), ID_NIL };
	bool changes = strstr(wishes[_i].then, "es") != NULL;

	plan_languages(1); /* it was looked at when it was asked */
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
	const char *id = put_channel(house.account, event, "ready");
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
	const char *id = put_channel(house.account, event, "ready");
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
	const char *other[] = { put_channel(house.account, NULL, "ready"),
		put_channel(house.account, put_event(house.account), "ready") };

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
	const char *id = put_channel(house.account, event, "ready");
	const char *request = put_request("", "es");

	ck_assert_int_eq(
	    queue_add(w.db, house.mem, CHANNEL_LANGUAGE, house_account(), request), OK);
	ck_assert_int_eq(work_on(CHANNEL_LANGUAGE), OK);
	ck_assert_str_eq(channel_is(id, "target_languages"), "[\"de\"]\n");
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel retry");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, house_close);
	tcase_add_loop_test(t, creation_is_tried_until_it_ends, 0, COUNT(creations));
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
	tcase_add_loop_test(
	    t, a_language_that_was_asked_for_comes_to_its_channel, 0, COUNT(wishes));
	tcase_add_loop_test(t,
	    a_language_that_the_backend_does_not_take_changes_nothing, 0,
	    COUNT(answers));
	tcase_add_test(t, a_change_meanwhile_is_not_lost);
	tcase_add_test(t, a_channel_of_another_event_is_not_the_requests);
	tcase_add_test(t, anothers_request_moves_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
