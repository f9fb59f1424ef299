/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The listeners of a channel stay connected while its speakers come, pause and leave.
 */
#include "tests/unit/channel_session_fixture.h"
#include "tests/unit/event_rows.h"

/* ---- breaks ---- */

START_TEST(listeners_hear_the_next_speaker)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *es = connect_to(id, false, "es"),
			 *first = connect_to(id, true, NULL), *next;

	ck_assert_str_eq(es->said[0], BREAK); /* no speaker had connected yet */
	send_24k(first);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	ck_assert_str_eq(es->said[1], LIVE);
	tell(first, "end_task", "{\"eos_timeout\":1}");
	await_end(first, 1000);
	ck_assert_str_eq(first->said[first->n - 1], EOS);
	await_row(id, "runtime", "stopped\n");
	ck_assert_int_eq(es->code, 0);
	ck_assert_int_eq(count_seen(es, BREAK, ""), 2);
	ck_assert_int_eq(count_seen(es, EOS, ""), 0);
	hang_up(first);
	next = connect_to(id, true, NULL);
	send_24k(next);
	await_seen(es, CHUNK, "\"last_chunk\":true", 2);
	ck_assert_int_eq(count_seen(es, LIVE, ""), 2);
	ck_assert_int_eq(count_seen(first, "channel_state", ""), 0);
	ck_assert_int_eq(count_seen(next, "channel_state", ""), 0);
	await_row(id, "runtime", "active\n");
	let_it_end(next);
}
END_TEST

static void
pause_it(struct websocket *s)
{
	tell(s, "pause_task", "{}");
}

static void
fall_silent(struct websocket *s)
{
	channel_session_tick(s->connection->session, monotonic_us() + 11 * S_US);
}

static void
talk_nonsense(struct websocket *s)
{
	for (int i = 0; i < 20; i++)
		tell(s, "nonsense", "{}");
	ck_assert_int_eq(s->code, 1008);
	hang_up(s);
}

static void (*const ways[])(
    struct websocket *) = { pause_it, hang_up, fall_silent, talk_nonsense };

START_TEST(every_break_is_told_and_so_is_its_end)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *es = connect_to(id, false, "es"),
			 *s = connect_to(id, true, NULL);

	send_24k(s);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	ways[_i](s);
	await_seen(es, BREAK, "", 2);
	ck_assert_str_eq(es->said[es->n - 1], BREAK);
	if (s->connection == NULL)
		s = connect_to(id, true, NULL);
	else
		tell(s, "set_task", TASK("", ""));
	await_state(s, STATE_RUNNING);
	send_24k(s);
	await_seen(es, LIVE, "", 2);
	ck_assert_int_eq(es->code, 0);
	let_it_end(s);
}
END_TEST

START_TEST(a_listener_is_told_the_state_at_once)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL), *es;

	send_24k(s);
	await_seen(s, FINAL, "", 1);
	es = connect_to(id, false, "es");
	ck_assert_str_eq(es->said[0], LIVE);
	let_it_end(s);
	es = connect_to(id, false, "es");
	ck_assert_str_eq(es->said[0], BREAK);
}
END_TEST

START_TEST(listeners_of_a_session_are_told_no_state)
{
	struct websocket *s = start_task(TASK(TO("es"), "")), *l;

	l = connect_as(s->connection->session->id, false, true, "es");
	send_phrase(s);
	await_seen(l, "[es]", "", 1);
	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_end(l, 1000);
	ck_assert_str_eq(l->said[l->n - 1], EOS);
	ck_assert_int_eq(count_seen(l, "channel_state", ""), 0);
}
END_TEST

/* ---- one speaker after the other ---- */

START_TEST(the_last_words_are_heard_though_the_speaker_has_gone)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *es = connect_to(id, false, "es"), *s;

	gateway_engines(
	    SCRIPTS "[engine.script]\nkind = script\nlines = slow-mt please\n"
		    "timeout_ms = 30000\n");
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_seen(s, FINAL, "", 1);
	tell(s, "end_task", "{}");
	await_end(s, 1000);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	ck_assert_int_eq(count_seen(es, "[es] slow-mt", ""), 1);
	ck_assert_int_eq(es->code, 0);
}
END_TEST

START_TEST(an_end_by_force_drops_what_was_not_said)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *es = connect_to(id, false, "es"), *s;

	gateway_engines(
	    SCRIPTS "[engine.script]\nkind = script\nlines = slow-mt please\n");
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_seen(s, FINAL, "", 1);
	tell(s, "end_task", "{\"force\":true}");
	ck_assert_int_eq(s->code, 1000);
	ck_assert_int_eq(es->code, 0);
	await_row(id, "runtime", "stopped\n");
	ck_assert_int_eq(count_seen(es, "[es]", ""), 0);
}
END_TEST

START_TEST(the_next_speaker_is_not_ended_with_the_one_before)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *es = connect_to(id, false, "es"),
			 *first = connect_to(id, true, NULL), *next;

	send_24k(first);
	await_seen(first, FINAL, "", 1);
	tell(first, "end_task", "{\"eos_timeout\":30}");
	gateway_tick();
	ck_assert_int_eq(first->code, 0);
	next = connect_to(id, true, NULL);
	ck_assert_int_eq(first->code, 1000);
	ck_assert_str_eq(first->said[first->n - 1], EOS);
	tell(next, "set_task", TASK("", ""));
	await_state(next, STATE_RUNNING);
	send_phrase(next);
	await_seen(es, "[es] hello world", "", 2);
	ck_assert_int_eq(next->code, 0);
	let_it_end(next);
}
END_TEST

/* ---- when it is over ---- */

START_TEST(a_finished_event_is_over_for_its_listeners)
{
	const char *id = new_channel("[\"es\"]");
	const char *event = put_event(fixture.account, "Forum", 1);
	struct websocket *s, *es;

	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET type = 'event', event = '%s' WHERE id = '%s'", event,
	    id));
	s = connect_to(id, true, NULL);
	es = connect_to(id, false, "es");
	send_24k(s);
	await_seen(es, "[es]", "", 1);
	await_row(id, "runtime", "active\n");
	set_event(event, "end_us = 5, start_us = 4");
	look_again(s);
	ck_assert_int_eq(es->code, 0); /* it takes longer than announced */
	let_it_end(s);
	await_row(id, "runtime", "stopped\n");
	look_again(s);
	await_end(es, 1000);
	ck_assert_str_eq(es->said[es->n - 1], EOS);
	ck_assert_int_eq(s->code, 0);
}
END_TEST

START_TEST(a_gateway_that_stops_ends_it_for_all)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *es = connect_to(id, false, "es"),
			 *s = connect_to(id, true, NULL);

	send_24k(s);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	gateway.stopping = true;
	lifecycle_event(s->connection->session, EVENT_END);
	await_end(es, 1001);
	await_end(s, 1001);
	ck_assert_int_eq(count_seen(es, EOS, ""), 0); /* it continues at another node */
	gateway.stopping = false;
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: breaks");
	TCase *t = tcase_create("breaks");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, listeners_hear_the_next_speaker);
	tcase_add_loop_test(t, every_break_is_told_and_so_is_its_end, 0, COUNT(ways));
	tcase_add_test(t, a_listener_is_told_the_state_at_once);
	tcase_add_test(t, listeners_of_a_session_are_told_no_state);
	tcase_add_test(t, the_last_words_are_heard_though_the_speaker_has_gone);
	tcase_add_test(t, an_end_by_force_drops_what_was_not_said);
	tcase_add_test(t, the_next_speaker_is_not_ended_with_the_one_before);
	tcase_add_test(t, a_finished_event_is_over_for_its_listeners);
	tcase_add_test(t, a_gateway_that_stops_ends_it_for_all);
	suite_add_tcase(s, t);
	return unit_run(s);
}
