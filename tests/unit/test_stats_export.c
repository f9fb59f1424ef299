/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker of events: exports, the end of an event and its last statistics. */
#include "tests/unit/stats_fixture.h"

/* ---- exports ---- */

START_TEST(an_export_is_written_after_joins)
{
	put_heard(event, "de", 2);
	put_heard(event, "original", 7);
	set_stats(event, "changed_us = 5");
	ran(EXPORT);
	ck_assert_str_eq(of_stats("csv, changed_us"),
	    "language,participants\r\noriginal,7\r\nde,2\r\n|NULL\n");
}
END_TEST

START_TEST(an_event_without_joins_gets_no_export)
{
	const char *before = everything();

	ran(EXPORT);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(every_event_is_exported_however_many_there_are)
{
	put_heard(event, "de", 1);
	put_events(2 * BATCH + 1, "version = 1", "changed_us = 5");
	ran(EXPORT);
	ck_assert_int_eq(number("SELECT count(*) FROM event_stats s JOIN heard h"
				" ON h.event = s.event WHERE changed_us IS NULL AND"
				" csv = 'language,participants' || char(13, 10) ||"
				" 'de,' || h.participants || char(13, 10)"),
	    2 * BATCH + 2);
}
END_TEST

START_TEST(exports_do_not_wait_for_a_clock_that_was_set_back)
{
	set_stats(event, "changed_us = (unixepoch() + 3600) * 1000000");
	put_heard(event, "de", 1);
	ran(EXPORT);
	ck_assert_str_eq(
	    of_stats("csv, changed_us"), "language,participants\r\nde,1\r\n|NULL\n");
}
END_TEST

/* Joins that go on must not keep a round from ending. */
START_TEST(a_round_ends_with_the_newest_join_at_its_start)
{
	put_events(BATCH, "version = 1", "changed_us = 5");
	sql("CREATE TRIGGER joins_go_on AFTER UPDATE OF csv ON event_stats BEGIN"
	    " UPDATE event_stats SET changed_us = 6 WHERE event = NEW.event; END");
	ran(EXPORT);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM event_stats WHERE csv IS NOT NULL AND"
		   " changed_us = 6"),
	    BATCH + 1);
}
END_TEST

START_TEST(a_join_behind_the_list_keeps_the_event_due)
{
	struct stats_due due;

	put_heard(event, "de", 1);
	set_stats(event, "changed_us = 5");
	due = due_of(STATS_CHANGED);
	put_heard(event, "de", 2);
	set_stats(event, "changed_us = 6");
	ck_assert_int_eq(stats_export(w.db, fixture.mem, &due), OK);
	ck_assert_str_eq(
	    of_stats("csv, changed_us"), "language,participants\r\nde,2\r\n|6\n");
	ran(EXPORT);
	ck_assert_str_eq(of_stats("changed_us"), "NULL\n");
}
END_TEST

START_TEST(the_final_export_stays)
{
	set_stats(event, "csv = 'final', final = '{}', final_us = 4, changed_us = 5");
	put_heard(event, "de", 1);
	ran(EXPORT);
	ck_assert_str_eq(of_stats("csv, changed_us"), "final|NULL\n");
}
END_TEST

/* ---- the end ---- */

#define AN_HOUR_AGO "(unixepoch() - 3600) * 1000000"

static const struct {
	const char *name, *event, *stats;
	const char *finished; /* finished_us at that time, in SQL */
} ends[] = {
	{ "ended", "end_us = 9", "active_us = NULL", "end_us" },
	{ "no join came later", "end_us = 9", "active_us = 8", "end_us" },
	{ "active to the end", "end_us = 9", "active_us = 9", "end_us" },
	{ "active behind it", "end_us = 9", "active_us = 10", "10" },
	{ "ended long ago", "end_us = -9", "active_us = NULL", "end_us" },
	{ "ended just now", "end_us = " AN_HOUR_AGO, "active_us = 10", "end_us" },
	{ "goes on", "end_us = unixepoch() * 1000000 + 60000000", "active_us = 10",
	    "NULL" },
	{ "is live", "end_us = 9, channels_active = 1", "active_us = 10", "NULL" },
	{ "was finished before", "end_us = 9, finished_us = 11", "active_us = 12",
	    "11" },
};

START_TEST(an_event_is_finished_at_its_end_or_its_last_activity)
{
	set_event(event, ends[_i].event);
	set_stats(event, ends[_i].stats);
	ran(FINISH);
	ck_assert_msg(
	    number(arena_printf(fixture.mem, "SELECT finished_us IS %s FROM events",
		ends[_i].finished)) == 1,
	    "%s: %s", ends[_i].name, of_event("finished_us, end_us"));
}
END_TEST

START_TEST(finishing_is_a_change_of_the_event)
{
	long long before = now_us();

	set_event(event, "end_us = 9");
	ran(FINISH);
	ck_assert_str_eq(of_event("version"), "2\n");
	ck_assert_int_ge(atoll(of_event("updated_us")), before);
	ck_assert_str_eq(of_stats("noticed_us"), of_event("updated_us"));
	before = atoll(of_stats("noticed_us"));
	ran(FINISH);
	ck_assert_str_eq(of_event("version"), "2\n");
	ck_assert_int_eq(atoll(of_stats("noticed_us")), before);
}
END_TEST

START_TEST(every_event_is_finished_however_many_there_are)
{
	put_events(2 * BATCH + 1, "end_us = 9", "active_us = NULL");
	ran(FINISH);
	ck_assert_int_eq(
	    number("SELECT count(*) FROM events e JOIN event_stats s ON s.event = e.id"
		   " WHERE e.finished_us = 9 AND s.noticed_us IS NOT NULL"),
	    2 * BATCH + 2);
}
END_TEST

/* Events that never end must not delay others. */
START_TEST(live_events_are_passed_over)
{
	const char *over;

	put_events(BATCH + 1, "end_us = 8, finished_us = NULL, channels_active = 1",
	    "noticed_us = NULL");
	over = event_of(77);
	set_event(over, "end_us = 9, channels_active = 0");
	ran(FINISH);
	ck_assert_str_eq(sql("SELECT id FROM events WHERE finished_us IS NOT NULL"),
	    arena_printf(fixture.mem, "%s\n", over));
	sql("UPDATE event_stats SET noticed_us = 5");
	set_stats(over, "noticed_us = 6");
	ran(FREEZE);
	ck_assert_str_eq(sql("SELECT event FROM event_stats WHERE final IS NOT NULL"),
	    arena_printf(fixture.mem, "%s\n", over));
}
END_TEST

static const char *const meanwhile[] = { "end_us = 10", "finished_us = 7",
	"channels_active = 1" };

START_TEST(an_event_that_changed_behind_the_list_is_not_finished)
{
	struct stats_due due;
	const char *before;

	set_event(event, "end_us = 9");
	due = due_of(STATS_ENDED);
	set_event(event, meanwhile[_i]);
	before = everything();
	ck_assert_int_eq(stats_finish(w.db, fixture.mem, &due), OK);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- the last statistics ---- */

/* Adds an event that a worker found to be finished this long ago. */
static void
finish(int64_t s)
{
	set_event(event, "end_us = 9, finished_us = 9");
	set_stats(event, arena_printf(fixture.mem, "noticed_us = %lld",
			     (long long)(now_us() - s * S_US)));
}

START_TEST(the_last_usage_is_waited_for)
{
	const char *before;

	finish(20);
	before = everything();
	ran(FREEZE);
	ck_assert_str_eq(everything(), before);
	finish(31);
	ran(FREEZE);
	ck_assert_str_eq(of_stats("final_us IS NOT NULL"), "1\n");
}
END_TEST

START_TEST(the_last_statistics_are_those_that_were_live)
{
	const char *stage = put_stage(event, "Main stage");
	struct event ev;
	struct stats live, last;
	struct buf b = { .mem = fixture.mem };
	char time[TIME_TEXT];

	put_channel(fixture.account, stage, "Hall", "[\"fr\",\"de\"]", 1);
	put_heard(event, "de", 40);
	put_heard(event, "fr", 15);
	set_stats(event,
	    "participants = 50, streamed_us = 30000000, used_micro = 250000,"
	    " changed_us = 7, csv = 'old'");
	finish(31);
	ck_assert_int_eq(event_get(w.db, fixture.mem, fixture.account, event, &ev), OK);
	ck_assert_int_eq(stats_get(w.db, fixture.mem, &ev, &live), OK);
	ck_assert_ptr_null(live.snapshot);
	ran(FREEZE);
	ck_assert_int_eq(stats_get(w.db, fixture.mem, &ev, &last), OK);
	live.fresh_us = atoll(of_stats("final_us"));
	live.final = true;
	field_write(&(struct json_writer){ .out = &b }, NULL, stats_fields, &live);
	ck_assert_pstr_eq(last.snapshot, buf_text(&b));
	ck_assert_ptr_nonnull(strstr(last.snapshot, time_text(live.fresh_us, time)));
	ck_assert_str_eq(of_stats("csv, changed_us"),
	    "language,participants\r\nde,40\r\nfr,15\r\n|NULL\n");
}
END_TEST

START_TEST(the_last_statistics_are_taken_once)
{
	const char *before;
	bool final;

	finish(31);
	ck_assert_int_eq(stats_finalized(w.db, event, &final), OK);
	ck_assert(!final);
	ran(FREEZE);
	ck_assert_int_eq(stats_finalized(w.db, event, &final), OK);
	ck_assert(final);
	put_heard(event, "de", 1);
	before = everything();
	ran(FREEZE);
	ran(FINISH);
	ck_assert_int_eq(stats_reopened(w.db, event), OK);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(webhooks_are_told_once_that_an_event_is_finished)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO webhooks (id, account, url, events, enabled, failures, "
	    "failing,"
	    " seed, good_us, created_us, updated_us) VALUES ('w', '%s', 'https://a/',"
	    " '[\"*\"]', 1, 0, 0, 's', 1, 1, 1)",
	    fixture.account));
	finish(31);
	ck_assert_str_eq(sql("SELECT type FROM webhook_deliveries"), "");
	ran(FREEZE);
	ran(FREEZE);
	ck_assert_str_eq(
	    sql("SELECT type FROM webhook_deliveries"), "event.finished\n");
	ck_assert_ptr_nonnull(
	    strstr(sql("SELECT opened(body) FROM webhook_deliveries"), event));
}
END_TEST

START_TEST(every_finished_event_gets_its_last_statistics)
{
	put_events(2 * BATCH + 1, "finished_us = 5", "noticed_us = 5");
	ran(FREEZE);
	ck_assert_int_eq(number("SELECT count(*) FROM event_stats WHERE final LIKE"
				" '{\"stages_count\":0,%\"is_finalized\":true}'"),
	    2 * BATCH + 2);
}
END_TEST

START_TEST(a_live_event_keeps_its_statistics_open)
{
	const char *channel =
	    put_channel(fixture.account, put_stage(event, "Main"), "Hall", "[]", 1);

	finish(31);
	set_channel(channel, "runtime = 'active'");
	ran(FREEZE);
	ck_assert_str_eq(of_stats("final_us"), "NULL\n");
	set_channel(channel, "runtime = 'stopped'");
	ran(FREEZE);
	ck_assert_str_eq(of_stats("final_us IS NOT NULL"), "1\n");
}
END_TEST

static const struct {
	const char *event, *stats;
} stirs[] = {
	{ "channels_active = 1", "noticed_us = 5" },
	{ "channels_active = 0", "active_us = unixepoch() * 1000000" },
	{ "channels_active = 0", "noticed_us = unixepoch() * 1000000" },
};

START_TEST(an_event_that_stirred_behind_the_list_is_not_frozen)
{
	struct stats_due due;
	const char *before;

	finish(31);
	due = due_of(STATS_AWAITED);
	set_event(event, stirs[_i].event);
	set_stats(event, stirs[_i].stats);
	before = everything();
	ck_assert_int_eq(stats_freeze(w.db, fixture.mem, &due), OK);
	ran(FREEZE);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* Returns a time in the past as event_stats has it. */
static const char *
active(int64_t ago_s)
{
	return arena_printf(
	    fixture.mem, "active_us = %lld", (long long)(now_us() - ago_s * S_US));
}

START_TEST(an_event_that_was_live_again_waits_anew)
{
	const char *before;

	finish(3600);
	set_stats(event, active(20));
	before = everything();
	ran(FREEZE);
	ran(FINISH);
	ck_assert_str_eq(everything(), before);
	set_stats(event, active(31));
	ran(FREEZE);
	ck_assert_str_eq(of_stats("final_us IS NOT NULL"), "1\n");
}
END_TEST

START_TEST(what_was_live_again_is_finished_at_its_last_activity)
{
	finish(3600);
	set_stats(event, active(31));
	ran(FREEZE);
	ck_assert_str_eq(of_event("finished_us"), of_stats("active_us"));
	ck_assert_str_eq(of_event("updated_us"), of_stats("final_us"));
	ck_assert_str_eq(of_event("version"), "2\n");
}
END_TEST

static const char *const earlier[] = { "active_us = NULL", "active_us = 8",
	"active_us = 9" };

START_TEST(what_was_not_live_again_stays_finished_at_its_end)
{
	const char *before;

	finish(31);
	set_stats(event, earlier[_i]);
	before = of_event("*");
	ran(FREEZE);
	ck_assert_str_eq(of_stats("final_us IS NOT NULL"), "1\n");
	ck_assert_str_eq(of_event("*"), before);
}
END_TEST

START_TEST(an_event_that_was_reopened_is_not_frozen)
{
	struct stats_due due;
	const char *before;

	finish(31);
	due = due_of(STATS_AWAITED);
	set_event(event, "finished_us = NULL");
	ck_assert_int_eq(stats_reopened(w.db, event), OK);
	before = everything();
	ran(FREEZE);
	ck_assert_int_eq(stats_freeze(w.db, fixture.mem, &due), OK);
	ck_assert_str_eq(everything(), before);
	ran(FINISH); /* and ends again */
	ck_assert_str_eq(of_stats("noticed_us > 100"), "1\n");
}
END_TEST

START_TEST(an_event_that_ended_twice_waits_anew)
{
	struct stats_due due;

	finish(31);
	due = due_of(STATS_AWAITED);
	finish(20);
	ck_assert_int_eq(stats_freeze(w.db, fixture.mem, &due), OK);
	ck_assert_str_eq(of_stats("final_us"), "NULL\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stats export");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, an_export_is_written_after_joins);
	tcase_add_test(t, an_event_without_joins_gets_no_export);
	tcase_add_test(t, every_event_is_exported_however_many_there_are);
	tcase_add_test(t, exports_do_not_wait_for_a_clock_that_was_set_back);
	tcase_add_test(t, a_round_ends_with_the_newest_join_at_its_start);
	tcase_add_test(t, a_join_behind_the_list_keeps_the_event_due);
	tcase_add_test(t, the_final_export_stays);
	tcase_add_loop_test(
	    t, an_event_is_finished_at_its_end_or_its_last_activity, 0, COUNT(ends));
	tcase_add_test(t, finishing_is_a_change_of_the_event);
	tcase_add_test(t, every_event_is_finished_however_many_there_are);
	tcase_add_test(t, live_events_are_passed_over);
	tcase_add_loop_test(t, an_event_that_changed_behind_the_list_is_not_finished, 0,
	    COUNT(meanwhile));
	tcase_add_test(t, the_last_usage_is_waited_for);
	tcase_add_test(t, the_last_statistics_are_those_that_were_live);
	tcase_add_test(t, the_last_statistics_are_taken_once);
	tcase_add_test(t, webhooks_are_told_once_that_an_event_is_finished);
	tcase_add_test(t, every_finished_event_gets_its_last_statistics);
	tcase_add_test(t, a_live_event_keeps_its_statistics_open);
	tcase_add_loop_test(
	    t, an_event_that_stirred_behind_the_list_is_not_frozen, 0, COUNT(stirs));
	tcase_add_test(t, an_event_that_was_live_again_waits_anew);
	tcase_add_test(t, what_was_live_again_is_finished_at_its_last_activity);
	tcase_add_loop_test(
	    t, what_was_not_live_again_stays_finished_at_its_end, 0, COUNT(earlier));
	tcase_add_test(t, an_event_that_was_reopened_is_not_frozen);
	tcase_add_test(t, an_event_that_ended_twice_waits_anew);
	suite_add_tcase(s, t);
	return unit_run(s);
}
