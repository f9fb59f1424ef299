/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets of an account that is suspended or has no credits. */
#include "session/payer.h"
#include "tests/unit/admission_fixture.h"

/* An hour of speech costs 30 credits. */
#define SECONDS(n) ((n)*INT64_C(30000000) / 3600)

static const char *other; /* a second account */

static void
setup(void)
{
	gateway_open();
	fixture.app.conf.session_jwt_keys = "k1:0123456789abcdef0123456789abcdef";
	other = fixture_account();
	sql("UPDATE accounts SET balance_micro = 100000000");
}

/* Some seconds later, when all accounts are checked. */
static void
check_accounts(void)
{
	payer_tick(&gateway, monotonic_us() + 4 * S_US);
	gateway_wait(20);
}

static struct websocket *
open_session_of(const char *account)
{
	const char *session = new_session();

	sql(arena_printf(fixture.mem,
	    "UPDATE sessions SET account = '%s' WHERE id = '%s'", account, session));
	return open_for(
	    knock_from(session_token(session, "room", STREAM_PUBLISHER), NULL));
}

static void
closed_for(const struct websocket *s, const char *code)
{
	await_end(s, 1008);
	ck_assert_str_eq(s->reason, code);
	ck_assert_int_eq(count_seen(s, "error", code), 1);
	ck_assert_int_eq(s->connection->session->meter.since_us, 0);
}

/* ---- suspended ---- */

START_TEST(a_suspended_account_is_closed_on_every_socket)
{
	const char *channel = new_channel("[\"es\"]");
	struct websocket *all[] = {
		open_session_of(fixture.account),
		open_for(knock_from(fixture_key(fixture.account, "s2s"), NULL)),
		open_for(knock_from(
		    session_token(channel, arena_printf(fixture.mem, "%s-1", channel),
			STREAM_PUBLISHER),
		    NULL)),
		open_for(
		    knock_from(listener_token(channel, id_new(fixture.mem)), NULL)),
	};
	struct websocket *theirs = open_session_of(other);

	tell(all[0], "set_task", TASK(TO("es"), ""));
	await_state(all[0], STATE_RUNNING);
	check_accounts();
	for (int i = 0; i < COUNT(all); i++)
		ck_assert_int_eq(all[i]->code, 0);
	ck_assert_int_eq(
	    account_set_status(fixture.app.db, fixture.account, "suspended"), OK);
	check_accounts();
	for (int i = 0; i < COUNT(all); i++)
		closed_for(all[i], "SESSION_CLOSED");
	ck_assert_int_eq(theirs->code, 0);
	ck_assert_ptr_null(
	    knock_from(listener_token(channel, id_new(fixture.mem)), NULL));
	ck_assert(was_refused(401, "unauthorized"));
}
END_TEST

/* ---- nothing left ---- */

/* A task that has run for this long without an entry. */
static struct websocket *
run_for(const char *account, int seconds)
{
	struct websocket *s = open_session_of(account);
	struct session *session = s->connection->session;

	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	session->meter.since_us -= seconds * S_US;
	session->meter.booked_us -= seconds * S_US;
	return s;
}

static void
leave_credits(int64_t micro)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE accounts SET balance_micro = %lld WHERE id = '%s'",
	    (long long)micro, fixture.account));
}

START_TEST(the_entry_that_empties_the_balance_ends_every_room)
{
	struct websocket *a = run_for(fixture.account, 0),
			 *b = run_for(fixture.account, 0);
	struct websocket *idle = open_session_of(fixture.account);
	struct websocket *theirs = run_for(other, 0);
	struct session *s = a->connection->session;

	leave_credits(SECONDS(15));
	billing_tick(s, s->meter.since_us + 20 * S_US);
	gateway_await(a->code != 0 && b->code != 0 && idle->code != 0);
	closed_for(a, "INSUFFICIENT_BALANCE");
	closed_for(b, "INSUFFICIENT_BALANCE");
	closed_for(idle, "INSUFFICIENT_BALANCE");
	ck_assert_int_eq(theirs->code, 0);
}
END_TEST

START_TEST(what_runs_and_is_not_booked_yet_counts)
{
	struct websocket *a = run_for(fixture.account, 5),
			 *b = run_for(fixture.account, 5);
	struct websocket *theirs = run_for(other, 5);

	leave_credits(SECONDS(13));
	check_accounts(); /* on its clock 4 s have passed: 9 s and 9 s */
	closed_for(a, "INSUFFICIENT_BALANCE");
	closed_for(b, "INSUFFICIENT_BALANCE");
	ck_assert_int_eq(theirs->code, 0);
}
END_TEST

START_TEST(a_session_with_credits_continues)
{
	struct websocket *a = run_for(fixture.account, 5),
			 *b = run_for(fixture.account, 5);

	leave_credits(SECONDS(30));
	check_accounts();
	ck_assert_int_eq(a->code, 0);
	ck_assert_int_eq(b->code, 0);
}
END_TEST

/* The gateway checks an account with few credits more often. */
START_TEST(little_is_overdrawn)
{
	struct websocket *s[4];
	int64_t micro;

	for (int i = 0; i < COUNT(s); i++)
		s[i] = run_for(fixture.account, 0);
	leave_credits(SECONDS(4 * 4));
	for (int i = 0; i < COUNT(s); i++) {
		gateway_await(s[i]->code != 0);
		closed_for(s[i], "INSUFFICIENT_BALANCE");
	}
	gateway_wait(20);
	ck_assert_int_eq(ledger_balance(fixture.app.db, fixture.account, &micro), OK);
	ck_assert_int_le(micro, 0);
	ck_assert_int_ge(micro, -SECONDS(4 * 10));
}
END_TEST

START_TEST(credits_that_come_in_time_are_seen)
{
	struct websocket *s = run_for(fixture.account, 5);

	leave_credits(SECONDS(13));
	payer_tick(&gateway, monotonic_us());
	leave_credits(SECONDS(1000));
	check_accounts();
	ck_assert_int_eq(s->code, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: payer");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, gateway_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_suspended_account_is_closed_on_every_socket);
	tcase_add_test(t, the_entry_that_empties_the_balance_ends_every_room);
	tcase_add_test(t, what_runs_and_is_not_booked_yet_counts);
	tcase_add_test(t, a_session_with_credits_continues);
	tcase_add_test(t, little_is_overdrawn);
	tcase_add_test(t, credits_that_come_in_time_are_seen);
	suite_add_tcase(s, t);
	return unit_run(s);
}
