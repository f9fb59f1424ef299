/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients with an API key: their session, and its state after a crash. */
#include "tests/unit/admission_fixture.h"

#define MINUTES_US(n) ((n)*60 * S_US)

static struct websocket *
come_in(const char *key)
{
	return open_for(knock_from(key, NULL));
}

static int64_t
life_us(void)
{
	return atoll(sql("SELECT expires_us FROM sessions")) - now_us();
}

static size_t
listed(void)
{
	const struct list_cursor q = { false, INT64_MAX, "g", 10 };
	struct list l;

	ck_assert_int_eq(
	    session_list(fixture.app.db, fixture.mem, fixture.account, &q, &l), OK);
	return l.n;
}

static int64_t
places(void)
{
	int64_t n;

	ck_assert_int_eq(session_count(fixture.app.db, fixture.account, &n), OK);
	return n;
}

START_TEST(a_session_of_a_key_ends_with_its_connection)
{
	struct websocket *s = come_in(fixture_key(fixture.account, "s2s"));

	ck_assert_uint_eq(listed(), 1);
	hang_up(s);
	gateway_await(listed() == 0);
}
END_TEST

/* A session is renewed only as long as a client is connected. */
START_TEST(what_a_crash_leaves_of_it_is_gone_after_two_minutes)
{
	struct websocket *s = come_in(fixture_key(fixture.account, "s2s"));

	ck_assert_int_le(life_us(), MINUTES_US(2));
	sql("UPDATE sessions SET expires_us = expires_us - 90000000");
	s->connection->session->lease.checked_us =
	    s->connection->session->lease.renewed_us = 0;
	gateway_await(life_us() >= MINUTES_US(1));
	ck_assert_int_gt(life_us(), MINUTES_US(1));
	ck_assert_int_le(life_us(), MINUTES_US(2));
	ck_assert_uint_eq(listed(), 1);
	ck_assert_int_eq(places(), 1);
	sql("UPDATE sessions SET expires_us = expires_us - 120000000,"
	    " counted_us = counted_us - 120000000");
	ck_assert_uint_eq(listed(), 0);
	ck_assert_int_eq(places(), 0);
}
END_TEST

START_TEST(a_key_without_the_scope_is_not_let_in)
{
	ck_assert_ptr_null(
	    knock_from(fixture_key(fixture.account, "voices:read"), NULL));
	ck_assert_uint_eq(listed(), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: entry");
	TCase *t = tcase_create("keys");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_add_test(t, a_session_of_a_key_ends_with_its_connection);
	tcase_add_test(t, what_a_crash_leaves_of_it_is_gone_after_two_minutes);
	tcase_add_test(t, a_key_without_the_scope_is_not_let_in);
	suite_add_tcase(s, t);
	return unit_run(s);
}
