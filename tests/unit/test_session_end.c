/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of tasks and connections, and its effect on the price. */
#include "tests/unit/gateway_fixture.h"

/* Returns the milliseconds from that message to the last one; there is at least one. */
static int64_t
ms_since(const struct websocket *s, int64_t us)
{
	ck_assert_int_gt(s->n, 0);
	return (s->at_us[s->n - 1] - us) / 1000;
}

/*
 * More than a second, and less than thirty, the limit of every other wait. The margin
 * is for a busy machine.
 */
#define BOUND_MS 10000

/* ---- end_task ---- */

START_TEST(the_end_comes_so_long_after_it_was_asked_for)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	int64_t us = monotonic_us();

	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_end(s, 1000);
	ck_assert_str_eq(s->said[s->n - 1], "{\"message_type\":\"eos\",\"data\":{}}");
	ck_assert_int_ge(ms_since(s, us), 1000);
	ck_assert_int_lt(ms_since(s, us), BOUND_MS);
}
END_TEST

START_TEST(what_is_said_while_it_ends_puts_the_end_off)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	int64_t us = monotonic_us();

	tell(s, "end_task", "{\"eos_timeout\":2}");
	gateway_wait(600);
	send_sound(s, 500, true); /* no silence ends this phrase */
	await_end(s, 1000);
	ck_assert_int_eq(count_seen(s, FINAL, "hello world"), 1);
	ck_assert_int_eq(count_seen(s, "output_audio_data", "\"last_chunk\":true"), 1);
	ck_assert_int_ge(ms_since(s, us), 2600);
	ck_assert_int_lt(ms_since(s, us), BOUND_MS);
}
END_TEST

/* Runs a tick right after the end was requested. */
static void
pass_no_time(const struct websocket *s)
{
	s->connection->session->end.ended_us = monotonic_us();
	gateway_tick();
}

START_TEST(without_a_timeout_the_end_comes_when_all_of_it_was_sent)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	send_sound(s, 600, true);
	tell(s, "end_task", "{\"eos_timeout\":null}");
	await_by(pass_no_time(s), s->code != 0);
	ck_assert_int_eq(s->code, 1000);
	ck_assert_int_eq(count_seen(s, FINAL, ""), 1);
	ck_assert_int_eq(count_seen(s, "output_audio_data", "\"last_chunk\":true"), 1);
	ck_assert_int_eq(count_seen(s, "\"end_of_stream\"", ""), 1);
	ck_assert_int_eq(count_seen(s, "\"eos\"", ""), 1);
}
END_TEST

/* Clients send an empty end_task and wait for the last translation. */
START_TEST(a_slow_engine_is_waited_for_without_a_timeout)
{
	struct websocket *s;
	int64_t us;

	gateway_engines(SCRIPTS "[engine.script]\nkind = script\nlines = slow-mt\n"
				"timeout_ms = 30000\n");
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	us = monotonic_us();
	tell(s, "end_task", "{}");
	await_end(s, 1000);
	ck_assert_int_ge(monotonic_us() - us, 4 * S_US); /* it takes five seconds */
	ck_assert_int_eq(count_seen(s, "translated_transcription", "[es] slow-mt"), 1);
	ck_assert_int_eq(count_seen(s, "\"end_of_stream\"", ""), 1);
}
END_TEST

/*
 * Further sound of an open microphone must not delay the end while the last phrase is
 * translated.
 */
static void
expect_nothing_after(const char *end, int ms)
{
	struct websocket *s;

	gateway_engines(SCRIPTS "[engine.script]\nkind = script\nlines = slow-mt\n"
				"timeout_ms = 30000\n");
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	tell(s, "end_task", end);
	gateway_wait(ms);
	send_sound(s, 600, true);
	await_end(s, 1000);
	ck_assert_int_eq(count_seen(s, FINAL, "slow-mt"), 1);
	ck_assert_int_eq(count_seen(s, "translated_transcription", "[es] slow-mt"), 1);
}

START_TEST(after_the_timeout_of_an_end_nothing_is_heard)
{
	expect_nothing_after("{\"eos_timeout\":1}", 1500);
}
END_TEST

START_TEST(after_an_end_without_a_timeout_nothing_is_heard)
{
	expect_nothing_after("{}", 200);
}
END_TEST

START_TEST(force_drops_everything_at_once)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	send_phrase(s);
	tell(s, "end_task", "{\"force\":true,\"eos_timeout\":5}");
	ck_assert_int_eq(s->code, 1000);
	ck_assert_int_eq(count_seen(s, "output_audio_data", ""), 0);
	ck_assert_int_eq(count_seen(s, "\"end_of_stream\"", ""), 1);
	ck_assert_int_eq(count_seen(s, "\"eos\"", ""), 1);
}
END_TEST

START_TEST(a_second_end_changes_nothing_but_by_force)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	tell(s, "end_task", "{\"eos_timeout\":30}");
	tell(s, "end_task", "{}");
	tell(s, "set_task", TASK(TO("es"), ""));
	/* the task waited without a reason */
	ck_assert_int_eq(count_seen(s, "CONFLICT", ""), 0);
	gateway_wait(1300);
	ck_assert_int_eq(s->code, 0);
	tell(s, "end_task", "{\"force\":true}");
	ck_assert_int_eq(s->code, 1000);
}
END_TEST

START_TEST(a_replacement_that_comes_too_late_is_not_waited_for)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	send_phrase(s);
	tell(s, "set_task", TASK(TO("fr"), ""));
	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_end(s, 1000);
	ck_assert_int_eq(count_seen(s, "translated_transcription", "[es]"), 1);
}
END_TEST

START_TEST(without_a_task_the_end_comes_at_once)
{
	struct websocket *s = connect_writer();

	tell(s, "end_task", "{\"eos_timeout\":5}");
	ck_assert_int_eq(s->code, 1000);
	ck_assert_int_eq(count_seen(s, "\"eos\"", ""), 1);
}
END_TEST

/* ---- other ends ---- */

START_TEST(a_client_silent_for_ten_seconds_is_closed)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	struct session *session = s->connection->session;

	s2s_ops.tick(session, monotonic_us() + 9 * S_US);
	ck_assert_int_eq(s->code, 0);
	s2s_ops.tick(session, monotonic_us() + 11 * S_US);
	ck_assert_int_eq(count_seen(s, "SERVICE_TIMEOUT", "pause_task"), 1);
	ck_assert_int_eq(s->code, 1008);
	ck_assert_str_eq(s->reason, "SERVICE_TIMEOUT");
	ck_assert_int_eq(session->meter.since_us, 0);
}
END_TEST

START_TEST(a_start_may_take_twenty_five_seconds)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", TASK(TO("es"), ""));
	s2s_ops.tick(s->connection->session, monotonic_us() + 24 * S_US);
	ck_assert_int_eq(s->connection->session->state, STATE_STARTING);
	s2s_ops.tick(s->connection->session, monotonic_us() + 26 * S_US);
	ck_assert_int_eq(count_seen(s, "ENGINE_UNAVAILABLE", ""), 1);
	ck_assert_int_eq(s->connection->session->state, STATE_NONE);
	gateway_wait(100); /* the engines answer too late */
	ck_assert_int_eq(s->connection->session->state, STATE_NONE);
	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
}
END_TEST

START_TEST(the_newer_writer_wins)
{
	const char *session = new_session();
	struct websocket *a = connect_as(session, true, true, NULL), *b;

	tell(a, "set_task", TASK(TO("es"), ""));
	await_state(a, STATE_RUNNING);
	send_phrase(a);
	b = connect_as(session, true, true, NULL);
	ck_assert_int_eq(a->code, 1008);
	tell(b, "get_task", "{}");
	ck_assert_int_eq(count_seen(b, "NOT_FOUND", ""), 1);
	hang_up(a);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(b, "transcription", ""), 0);
	ck_assert_int_eq(b->code, 0);
}
END_TEST

START_TEST(a_listener_waits_ten_seconds_for_a_publisher)
{
	struct websocket *s = start_task(TASK(TO("es"), "")), *l;
	struct session *session = s->connection->session;

	l = connect_as(session->id, false, true, "es");
	hang_up(s);
	s2s_ops.tick(session, monotonic_us() + 9 * S_US);
	ck_assert_int_eq(l->code, 0);
	s2s_ops.tick(session, monotonic_us() + 11 * S_US);
	ck_assert_int_eq(l->code, 1000);
	ck_assert_int_eq(count_seen(l, "\"eos\"", ""), 1);
}
END_TEST

START_TEST(twenty_connections_a_minute_are_enough)
{
	const char *session = new_session();
	struct websocket *s[21];

	for (int i = 0; i < 21; i++)
		s[i] = connect_as(session, true, true, NULL);
	ck_assert_int_eq(s[20]->code, 1008);
	ck_assert_str_eq(s[20]->reason, "connection rate limit");
	ck_assert_int_eq(s[19]->code, 0); /* it is still the publisher */
	ck_assert_int_eq(connect_writer()->code, 0);
	for (int i = 0; i < 21; i++)
		hang_up(s[i]);
}
END_TEST

START_TEST(a_client_that_sends_nonsense_is_closed)
{
	struct websocket *s = connect_writer();

	for (int i = 0; i < 19; i++)
		tell(s, "nonsense", "{}");
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", ""), 19);
	ck_assert_int_eq(s->code, 0);
	tell(s, "nonsense", "{}");
	ck_assert_int_eq(s->code, 1008);
	ck_assert_str_eq(s->reason, "too many bad messages");
}
END_TEST

START_TEST(a_client_that_does_not_read_is_closed_and_not_metered)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	s->unsent = (4 << 20) + 1;
	connection_watch(s->connection);
	gateway_tick();
	ck_assert_int_eq(s->code, 1008);
	ck_assert_str_eq(s->reason, "slow consumer");
	ck_assert_int_eq(s->connection->session->meter.since_us, 0);
}
END_TEST

/* ---- what is paid ---- */

static int64_t
balance(void)
{
	int64_t micro;

	gateway_wait(20);
	ck_assert_int_eq(ledger_balance(fixture.app.db, fixture.account, &micro), OK);
	return 100 * MICRO - micro;
}

/* An hour of speech costs 30 credits, a second 8333 millionths. */
#define SECONDS(n) ((n)*INT64_C(30000000) / 3600)

START_TEST(an_interval_is_paid_in_pieces_that_add_up)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	struct session *session = s->connection->session;
	int64_t from = session->meter.since_us;

	billing_tick(session, from + 9 * S_US);
	ck_assert_int_eq(balance(), 0);
	billing_tick(session, from + 10 * S_US + 1);
	ck_assert_int_eq(balance(), SECONDS(11));
	billing_tick(session, from + 20 * S_US + 2);
	ck_assert_int_eq(balance(), SECONDS(21));
	billing_meter(session, false, from + 21 * S_US);
	ck_assert_int_eq(balance(), SECONDS(21));
	billing_tick(session, from + 60 * S_US); /* a pause costs nothing */
	ck_assert_int_eq(balance(), SECONDS(21));
}
END_TEST

START_TEST(what_could_not_be_booked_is_booked_again)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	struct session *session = s->connection->session;
	int64_t from = session->meter.since_us;

	for (int n = 1; n <= 8; n++) { /* each statement of an entry fails once */
		db_fault(fixture.app.db, n, ERR_BUSY);
		billing_tick(session, from + n * 10 * S_US);
		gateway_wait(5);
		db_fault(fixture.app.db, 0, OK);
		ck_assert_int_eq(balance(), SECONDS(10 * n));
	}
}
END_TEST

START_TEST(each_interval_is_rounded_up)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	for (int i = 1; i <= 3; i++) {
		tell(s, "pause_task", "{}");
		ck_assert_int_eq(s->connection->session->meter.since_us, 0);
		ck_assert_int_eq(balance(), i * SECONDS(1));
		tell(s, "set_task", TASK(TO("es"), ""));
		await_state(s, STATE_RUNNING);
		ck_assert_int_ne(s->connection->session->meter.since_us, 0);
	}
}
END_TEST

START_TEST(it_is_paid_until_it_has_ended)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	tell(s, "end_task", "{\"eos_timeout\":2}");
	await_end(s, 1000);
	ck_assert_int_ge(balance(), SECONDS(3));
	ck_assert_int_lt(balance(), SECONDS(4));
}
END_TEST

START_TEST(starting_costs_nothing_and_text_costs_less)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task",
	    "{\"input_stream\":{\"source\":{\"sample_rate\":16000}},"
	    "\"output_stream\":null,\"pipeline\":{\"transcription\":{"
	    "\"source_language\":\"en\"},\"translations\":[]}}");
	ck_assert_int_eq(s->connection->session->meter.since_us, 0);
	await_state(s, STATE_RUNNING);
	tell(s, "pause_task", "{}");
	ck_assert_int_eq(balance(), SECONDS(1) / 3);
}
END_TEST

START_TEST(a_session_without_credits_is_closed)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	struct session *session = s->connection->session;

	gateway_pay(-100 * MICRO + SECONDS(11));
	billing_tick(session, session->meter.since_us + 10 * S_US);
	gateway_wait(20);
	ck_assert_int_eq(s->code, 0); /* credits for one second are left */
	billing_tick(session, session->meter.since_us + 20 * S_US);
	await_end(s, 1008);
	ck_assert_str_eq(s->reason, "INSUFFICIENT_BALANCE");
	ck_assert_int_eq(count_seen(s, "error", "INSUFFICIENT_BALANCE"), 1);
	ck_assert_int_eq(session->meter.since_us, 0);
}
END_TEST

START_TEST(a_deleted_session_is_closed)
{
	const char *session = new_session();
	struct websocket *w = connect_as(session, true, true, NULL);
	struct websocket *l = connect_as(session, false, true, NULL);
	struct session *s = w->connection->session;

	tell(w, "set_task", TASK(TO("es"), ""));
	await_state(w, STATE_RUNNING);
	ck_assert_int_eq(session_drop(fixture.app.db, fixture.account, session), OK);
	billing_tick(s, s->lease.checked_us + 5 * S_US);
	await_end(w, 1008);
	ck_assert_str_eq(w->reason, "SESSION_CLOSED");
	ck_assert_int_eq(count_seen(w, "error", "SESSION_CLOSED"), 1);
	ck_assert_int_eq(l->code, 1008);
	ck_assert_int_eq(s->meter.since_us, 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_end");
	TCase *t = tcase_create("end");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, the_end_comes_so_long_after_it_was_asked_for);
	tcase_add_test(t, what_is_said_while_it_ends_puts_the_end_off);
	tcase_add_test(t, without_a_timeout_the_end_comes_when_all_of_it_was_sent);
	tcase_add_test(t, a_slow_engine_is_waited_for_without_a_timeout);
	tcase_add_test(t, after_the_timeout_of_an_end_nothing_is_heard);
	tcase_add_test(t, after_an_end_without_a_timeout_nothing_is_heard);
	tcase_add_test(t, force_drops_everything_at_once);
	tcase_add_test(t, a_second_end_changes_nothing_but_by_force);
	tcase_add_test(t, a_replacement_that_comes_too_late_is_not_waited_for);
	tcase_add_test(t, without_a_task_the_end_comes_at_once);
	tcase_add_test(t, a_client_silent_for_ten_seconds_is_closed);
	tcase_add_test(t, a_start_may_take_twenty_five_seconds);
	tcase_add_test(t, the_newer_writer_wins);
	tcase_add_test(t, a_listener_waits_ten_seconds_for_a_publisher);
	tcase_add_test(t, twenty_connections_a_minute_are_enough);
	tcase_add_test(t, a_client_that_sends_nonsense_is_closed);
	tcase_add_test(t, a_client_that_does_not_read_is_closed_and_not_metered);
	tcase_add_test(t, an_interval_is_paid_in_pieces_that_add_up);
	tcase_add_test(t, what_could_not_be_booked_is_booked_again);
	tcase_add_test(t, each_interval_is_rounded_up);
	tcase_add_test(t, it_is_paid_until_it_has_ended);
	tcase_add_test(t, starting_costs_nothing_and_text_costs_less);
	tcase_add_test(t, a_session_without_credits_is_closed);
	tcase_add_test(t, a_deleted_session_is_closed);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
