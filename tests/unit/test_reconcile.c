/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Differences between the backend and the channels' rows: lost rooms, rooms without an
 * owner, and jobs that waited for the backend.
 */
#define UNIT_TEST
#include "store/sessions.h"
#include "tests/unit/channel_retry_fixture.h"

#define DOWN "The broadcasting backend did not answer."
#define REFUSED "The broadcasting backend refused the channel."
#define ROWS "SELECT * FROM channels"

static const char *
named(const char *channel, int attempt)
{
	return arena_printf(fixture.mem, "%s-%d", channel, attempt);
}

static int
by_broadcast(const void *a, const void *b)
{
	return strcmp(((const struct broadcast_seen *)a)->name,
	    ((const struct broadcast_seen *)b)->name);
}

/* Runs one round; the backend lists its rooms in order. */
static void
look(void)
{
	if (backend.seen.n > 0)
		qsort(backend.seen.items, backend.seen.n, sizeof(struct broadcast_seen),
		    by_broadcast);
	ck_assert_int_eq(chores[0].run(&w), OK);
	ck_assert(!db_writing(w.db));
	ck_assert(db_idle(w.db));
	arena_reset(fixture.wire);
}

/* ---- what was lost ---- */

static const struct {
	/* languages at the backend; NULL: the room is lost */
	const char *lifecycle, *has;
	bool restored;
} looks[] = {
	{ "ready", "[\"de\"]", false },
	{ "ready", NULL, true },
	{ "ready", "[\"fr\"]", true },
	{ "ready", "[]", true },
	{ "ready", "[\"de\",\"fr\"]", true },
	{ "failed", NULL, false },
};

START_TEST(a_difference_to_a_ready_row_gets_a_job)
{
	const char *id = put_channel(fixture.account, event, looks[_i].lifecycle);
	const char *before = sql(ROWS);

	if (looks[_i].has != NULL)
		backend_has(named(id, 1), looks[_i].has);
	look();
	look(); /* and never two */
	ck_assert_str_eq(
	    job_of(CHANNEL_RESTORE, id), looks[_i].restored ? "ready|0|NULL\n" : "");
	ck_assert_int_eq(jobs(), looks[_i].restored);
	ck_assert_int_eq(backend.creates + backend.changes + backend.destroys, 0);
	ck_assert_str_eq(sql(ROWS), before);
}
END_TEST

static const struct {
	const char *lifecycle, *kind;
} on_their_way[] = { { "creating", CHANNEL_CREATE }, { "deleting", CHANNEL_REMOVE } };

START_TEST(what_is_on_its_way_has_a_job)
{
	const char *id =
	    put_channel(fixture.account, event, on_their_way[_i].lifecycle);

	look();
	look();
	ck_assert_str_eq(job_of(on_their_way[_i].kind, id), "ready|0|NULL\n");
	ck_assert_int_eq(jobs(), 1);
}
END_TEST

START_TEST(a_room_that_is_missing_is_seen_though_its_mountpoints_are_there)
{
	const char *id = put_channel(fixture.account, event, "ready");

	backend_has(named(id, 1), "[\"de\"]");
	((struct broadcast_seen *)backend.seen.items)->whole = false;
	look();
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id), "ready|0|NULL\n");
}
END_TEST

START_TEST(a_thousand_that_differ_get_their_jobs)
{
	for (int i = 0; i < 1000; i++)
		put_channel(fixture.account, NULL, "ready");
	look();
	ck_assert_int_eq(jobs(), 1000);
}
END_TEST

START_TEST(the_order_of_languages_is_no_difference)
{
	const char *id = put_channel(fixture.account, event, "ready");

	set_channel(id, "target_languages = '[\"it\",\"de\",\"fr\"]'");
	backend_has(named(id, 1), "[\"de\",\"fr\",\"it\"]");
	look();
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

START_TEST(whatever_statement_fails_a_look_does_no_harm)
{
	const char *id = put_channel(fixture.account, event, "ready");
	int n;

	for (n = 1; n < 40; n++) {
		db_fault(w.db, n, ERR_FAILED);
		if (reconcile(w.db, w.mem, w.conf) == OK && jobs() == 1)
			break;
		db_fault(w.db, 0, OK);
		db_rollback(w.db);
		ck_assert_int_eq(jobs(), 0);
	}
	db_fault(w.db, 0, OK);
	ck_assert_int_gt(n, 3);
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id), "ready|0|NULL\n");
}
END_TEST

/* ---- what has no owner ---- */

static const struct {
	const char *lifecycle; /* NULL: there is no such channel */
	const char *set;       /* columns of the row, or NULL */
	int attempt;           /* languages at the backend */
	bool removed;
} strays[] = {
	{ "ready", NULL, 1, false },
	{ "ready", "attempt = 2", 1, false }, /* named as in its row */
	{ "ready", "attempt = 2", 2, false }, /* being restored */
	{ "ready", "attempt = 3, broadcast = id || '-3'", 1, true },
	{ "ready", "attempt = 3, broadcast = id || '-3'", 2, true },
	{ "ready", "attempt = 3, broadcast = id || '-3'", 4, true },
	{ "creating", "attempt = 2", 2, false },
	{ "creating", "attempt = 2", 1, true },
	{ "deleting", NULL, 1, false }, /* its job creates the room */
	{ "deleting", "attempt = 2", 1, true },
	{ "failed", "held = 1", 1, false }, /* its tries were used up */
	{ "failed", "held = 0", 1, true },
	{ NULL, NULL, 1, true },
};

START_TEST(broadcasts_without_a_row_are_removed)
{
	const char *id = ID_NIL, *name, *before;

	if (strays[_i].lifecycle != NULL)
		id = put_channel(fixture.account, event, strays[_i].lifecycle);
	if (strays[_i].set != NULL)
		set_channel(id, strays[_i].set);
	name = named(id, strays[_i].attempt);
	backend_has(name, "[\"de\"]");
	before = sql(ROWS);
	look();
	ck_assert_int_eq(backend.destroys, strays[_i].removed);
	if (strays[_i].removed)
		ck_assert_str_eq(backend.name, name);
	ck_assert_str_eq(sql(ROWS), before);
}
END_TEST

static const char *const foreign[] = {
	"k3v9q2xab",
	"k3v9q-xa",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5-",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5-0",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5-x",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5-01",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5-+1",
	"8c0a70a7-a845-47f9-953a-5154281fa6f5-1-de",
	"8c0a70a7+a845-47f9-953a-5154281fa6f5-1",
	"",
};

START_TEST(what_is_no_channels_name_is_left_alone)
{
	backend_has(foreign[_i], "[]");
	look();
	ck_assert_int_eq(backend.destroys, 0);
}
END_TEST

/* ---- rooms of sessions ---- */

static const struct {
	/* seconds until its session expires; 0: there is no session */
	int place_s;
	bool removed;
} rooms[] = { { 60, false }, { -1, true }, { 0, true } };

START_TEST(a_sessions_room_goes_with_its_place)
{
	struct stream_session s = session_new(w.mem, w.conf, fixture.account, "api");
	const char *name = "k3v9q2xa";

	if (rooms[_i].place_s != 0) {
		s.counted_us = now_us() + rooms[_i].place_s * S_US;
		ck_assert_int_eq(session_add(w.db, w.mem, &s), OK);
		name = arena_str(fixture.mem, s.room);
	}
	backend_has(name, "[\"es\"]");
	look();
	ck_assert_int_eq(backend.destroys, rooms[_i].removed);
	ck_assert_int_eq(jobs(), 0);
}
END_TEST

static void
another_deletes(void)
{
	sql("UPDATE channels SET lifecycle = 'deleting', version = version + 1");
}

static const char *late;

static void
another_creates(void)
{
	late = put_channel(fixture.account, event, "creating");
}

START_TEST(what_is_made_while_the_backend_is_asked_is_left_alone)
{
	/* Its name is not known yet: the backend lists any room of that channel. */
	backend.meanwhile = another_creates;
	look();
	ck_assert_int_eq(channel_stands(w.db, late, named(late, 1), 1), OK);
	backend_has(named(late, 1), "[\"de\"]");
	look();
	ck_assert_int_eq(backend.destroys, 0);
}
END_TEST

START_TEST(what_goes_while_the_backend_is_asked_is_not_made_again)
{
	put_channel(fixture.account, event, "ready");
	backend.meanwhile = another_deletes;
	look();
	work_on(CHANNEL_RESTORE);
	ck_assert_int_eq(backend.creates + backend.changes + jobs(), 0);
}
END_TEST

START_TEST(a_round_ends_when_the_backend_goes)
{
	for (int i = 0; i < 250; i++)
		backend_has(named(id_new(fixture.mem), 1), "[]");
	backend.destroy = ERR_TIMEOUT;
	look();
	ck_assert_int_eq(backend.destroys, 1);
	backend.destroy = ERR_REFUSED; /* one failure must not stop the others */
	look();
	ck_assert_int_eq(backend.destroys, 1 + 250);
}
END_TEST

/* ---- outages ---- */

static int
soon(void)
{
	return number(
	    arena_printf(fixture.mem, "SELECT count(*) FROM jobs WHERE due_us < %lld",
		(long long)(now_us() + 2 * S_US)));
}

static void
put_waiting(const char *kind, int tries)
{
	put_work(kind, put_channel(fixture.account, NULL, "failed"), tries);
	sql(arena_printf(fixture.mem, "UPDATE jobs SET due_us = %lld WHERE kind = '%s'",
	    (long long)(now_us() + 3000 * S_US), kind));
}

static const char *const waiting[] = { CHANNEL_CREATE, CHANNEL_RESTORE, CHANNEL_REMOVE,
	CHANNEL_LANGUAGE };

START_TEST(what_waited_for_the_backend_is_due_when_it_is_back)
{
	put_waiting(waiting[_i], 9);
	look();
	ck_assert_int_eq(soon(), 0); /* the backend was always reachable */
	backend.list = ERR_TIMEOUT;
	look();
	look();
	ck_assert_int_eq(soon(), 0);
	backend.list = OK;
	look();
	ck_assert_int_eq(soon(), 1);
	put_waiting("voice.clone", 9);
	put_waiting(CHANNEL_CREATE, 9);
	look(); /* once per outage */
	ck_assert_int_eq(soon(), _i > 0);
	ck_assert_int_eq(number("SELECT count(*) FROM chores"), 1);
}
END_TEST

static bool
known_silent(void)
{
	bool known;

	ck_assert_int_eq(backend_known_silent(w.db, fixture.mem, &known), OK);
	return known;
}

static void
fall_silent(void)
{
	backend.list = ERR_TIMEOUT;
	look();
	ck_assert(known_silent());
	backend.list = OK;
}

static const struct {
	const char *kind, *lifecycle;
	enum err answer; /* result of the call; OK: success */
} talks[] = {
	{ CHANNEL_CREATE, "creating", OK }, { CHANNEL_RESTORE, "ready", OK },
	{ CHANNEL_REMOVE, "deleting", OK }, { CHANNEL_CREATE, "creating", ERR_TIMEOUT },
	{ CHANNEL_REMOVE, "deleting", ERR_TIMEOUT },
	{ CHANNEL_CREATE, "creating", ERR_UNSUPPORTED }, /* no backend was called */
};

START_TEST(a_backend_that_did_something_is_back)
{
	fall_silent();
	put_work(talks[_i].kind,
	    put_channel(fixture.account, event, talks[_i].lifecycle), 0);
	backend.create = backend.change = backend.destroy = talks[_i].answer;
	work_on(talks[_i].kind);
	ck_assert_int_eq(known_silent(), talks[_i].answer != OK);
}
END_TEST

START_TEST(what_waited_does_not_wait_for_a_look)
{
	fall_silent();
	put_work(CHANNEL_REMOVE, put_channel(fixture.account, NULL, "deleting"), 0);
	put_waiting(CHANNEL_CREATE, 9);
	ck_assert_int_eq(work_one(&w, kinds + 2, "test"), OK); /* removal */
	ck_assert_int_eq(jobs(), 1);
	ck_assert_int_eq(soon(), 1);
}
END_TEST

START_TEST(only_a_silent_backend_is_asked_more_often)
{
	backend.list = ERR_TIMEOUT;
	ck_assert_int_eq(chores[1].run(&w), OK);
	ck_assert(!known_silent());
	fall_silent();
	ck_assert_int_eq(chores[1].run(&w), OK);
	ck_assert(!known_silent());
	ck_assert_int_lt(chores[1].every_s, chores[0].every_s);
}
END_TEST

START_TEST(what_waits_for_something_else_goes_on_waiting)
{
	/* due then, because the user requested it then */
	put_waiting(CHANNEL_CREATE, 0);
	backend.list = ERR_TIMEOUT;
	look();
	backend.list = OK;
	look();
	ck_assert_int_eq(soon(), 0);
}
END_TEST

START_TEST(nothing_is_lost_or_nobodys_while_the_backend_is_silent)
{
	put_channel(fixture.account, event, "ready");
	backend_has(named(ID_NIL, 1), "[]");
	backend.list = ERR_TIMEOUT;
	look();
	ck_assert_int_eq(jobs() + backend.destroys, 0);
}
END_TEST

/* Otherwise each return of the backend would use up a try of every job. */
START_TEST(a_backend_that_comes_and_goes_uses_no_tries_up)
{
	const char *id = put_channel(fixture.account, event, "creating");

	put_work(CHANNEL_CREATE, id, 10);
	backend.create = ERR_TIMEOUT;
	for (int i = 0; i < 6; i++) {
		sql("UPDATE jobs SET due_us = 9000000000000000");
		backend.list = ERR_TIMEOUT;
		look();
		backend.list = OK;
		look();
		ck_assert_int_eq(soon(), i == 0);
	}
	sql("UPDATE chores SET last_run_us = last_run_us - 5000000");
	backend.list = ERR_TIMEOUT;
	look();
	backend.list = OK;
	look();
	ck_assert_int_eq(soon(), 1);
	ck_assert_int_eq(number("SELECT tries FROM jobs"), 1);
}
END_TEST

START_TEST(a_clock_that_was_ahead_delays_no_job)
{
	put_waiting(CHANNEL_CREATE, 9);
	ck_assert_int_eq(chore_done(w.db, "broadcast: waiting jobs are due now"), OK);
	sql("UPDATE chores SET last_run_us = last_run_us + 3600000000");
	backend.list = ERR_TIMEOUT;
	look();
	backend.list = OK;
	look();
	ck_assert_int_eq(soon(), 1);
}
END_TEST

START_TEST(a_backend_that_loses_nothing_is_not_asked)
{
	fixture.app.conf.broadcast_driver = "gateway";
	put_channel(fixture.account, event, "ready");
	look();
	ck_assert_int_eq(jobs(), 0);
	fixture.app.conf.broadcast_driver = "none such";
	look();
}
END_TEST

static TCase *
losses(void)
{
	TCase *t = tcase_create("lost");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, retry_fixture, fixture_close);
	tcase_add_loop_test(t, a_difference_to_a_ready_row_gets_a_job, 0, COUNT(looks));
	tcase_add_loop_test(t, what_is_on_its_way_has_a_job, 0, COUNT(on_their_way));
	tcase_add_test(
	    t, a_room_that_is_missing_is_seen_though_its_mountpoints_are_there);
	tcase_add_test(t, a_thousand_that_differ_get_their_jobs);
	tcase_add_test(t, the_order_of_languages_is_no_difference);
	tcase_add_test(t, whatever_statement_fails_a_look_does_no_harm);
	return t;
}

int
main(void)
{
	Suite *s = suite_create("reconcile");
	TCase *t = tcase_create("strays and outages");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, retry_fixture, fixture_close);
	tcase_add_loop_test(t, broadcasts_without_a_row_are_removed, 0, COUNT(strays));
	tcase_add_loop_test(t, a_sessions_room_goes_with_its_place, 0, COUNT(rooms));
	tcase_add_loop_test(
	    t, what_is_no_channels_name_is_left_alone, 0, COUNT(foreign));
	tcase_add_test(t, what_is_made_while_the_backend_is_asked_is_left_alone);
	tcase_add_test(t, what_goes_while_the_backend_is_asked_is_not_made_again);
	tcase_add_test(t, a_round_ends_when_the_backend_goes);
	tcase_add_loop_test(
	    t, what_waited_for_the_backend_is_due_when_it_is_back, 0, COUNT(waiting));
	tcase_add_loop_test(t, a_backend_that_did_something_is_back, 0, COUNT(talks));
	tcase_add_test(t, what_waited_does_not_wait_for_a_look);
	tcase_add_test(t, only_a_silent_backend_is_asked_more_often);
	tcase_add_test(t, what_waits_for_something_else_goes_on_waiting);
	tcase_add_test(t, nothing_is_lost_or_nobodys_while_the_backend_is_silent);
	tcase_add_test(t, a_backend_that_comes_and_goes_uses_no_tries_up);
	tcase_add_test(t, a_clock_that_was_ahead_delays_no_job);
	tcase_add_test(t, a_backend_that_loses_nothing_is_not_asked);
	suite_add_tcase(s, losses());
	suite_add_tcase(s, t);
	return unit_run(s);
}
