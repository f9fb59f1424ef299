/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Join codes: drawing, guessing and expiry. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

#define DAY_US (86400 * S_US)

static const char *
drawn(const char *of, int64_t end_us)
{
	const char *code;

	ck_assert_int_eq(
	    join_code_draw(fixture.app.db, fixture.mem, of, end_us, &code), OK);
	return code;
}

static struct response
by_code(const char *code)
{
	return ask(
	    arena_printf(fixture.mem, "GET /saas/v2/event/public/code/%s", code), NULL);
}

static void
refuse_code(const char *code, int status, const char *slug)
{
	struct response a = by_code(code);

	answered(a, status);
	ck_assert_pstr_eq(said(&a, "/errors/0/type"),
	    arena_printf(fixture.mem, "https://speech.example.org/problems/%s", slug));
}

static void
set_code(const char *code)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE events SET join_code = '%s' WHERE id = '%s'", code, event));
}

/* ---- drawing ---- */

START_TEST(a_code_has_six_digits_and_leads_to_its_event)
{
	const char *code = drawn(event, now_us());
	struct response a = by_code(code);

	ck_assert_uint_eq(strlen(code), 6);
	ck_assert_int_ne(code[0], '0');
	answered(a, 200);
	is(a, "/data/event_id", event);
}
END_TEST

static void
put_codes(int from, int n)
{
	sql(arena_printf(fixture.mem,
	    "WITH RECURSIVE k (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM k WHERE i <"
	    " %d) INSERT INTO join_codes SELECT '' || i, 'event ' || i, 9e15 FROM k",
	    from, from + n - 1));
}

START_TEST(codes_grow_by_a_digit_when_a_tenth_is_taken)
{
	put_codes(100000, 89999);
	ck_assert_uint_eq(strlen(drawn("six", now_us())), 6);
	ck_assert_uint_eq(strlen(drawn("seven", now_us())), 7);
}
END_TEST

/* ---- guessing ---- */

static void
guess(const char *peer, int n)
{
	fixture.peer = peer;
	for (int i = 0; i < n; i++)
		refuse_code(
		    arena_printf(fixture.mem, "99%04d", i), 404, "resource-not-found");
}

START_TEST(an_address_may_send_thirty_unknown_codes_a_minute)
{
	const char *known = drawn(event, now_us()), *other = drawn("gone", now_us());
	struct response a;

	guess("192.0.2.7", 1);
	a = by_code(known);
	answered(a, 200);
	guess("192.0.2.7", 29);
	refuse_code("999999", 429, "rate-limited");
	a = by_code(known); /* a hall whose phones share one address */
	answered(a, 200);
	sql(arena_printf(fixture.mem,
	    "UPDATE join_codes SET event = 'none' WHERE code = '%s';"
	    "UPDATE join_codes SET event = '%s' WHERE code = '%s'",
	    known, event, other));
	refuse_code(other, 429, "rate-limited");
	fixture.peer = "192.0.2.8";
	a = by_code(other);
	answered(a, 200);
}
END_TEST

START_TEST(only_digits_are_a_code)
{
	struct response a;

	refuse_code("48291x", 404, "resource-not-found");
	refuse_code("%34%38", 404, "resource-not-found");
	a = ask("POST /saas/v2/event/public/code/482913", "{}");
	answered(a, 405);
	for (int i = 0; i < 40; i++) /* none of these counts as a guess */
		refuse_code("nonsense", 404, "resource-not-found");
}
END_TEST

START_TEST(a_suspended_account_has_no_codes)
{
	const char *code = drawn(event, now_us());

	sql("UPDATE accounts SET status = 'suspended'");
	refuse_code(code, 404, "resource-not-found");
}
END_TEST

/* ---- the end ---- */

static int64_t
expired(int64_t now)
{
	int64_t n;

	ck_assert_int_eq(join_code_expire(fixture.app.db, now, 500, &n), OK);
	return n;
}

START_TEST(a_code_is_free_thirty_days_after_the_end)
{
	int64_t end = now_us();
	const char *code = drawn(event, end);
	struct response a;

	set_code(code);
	a = at_event("GET", "", NULL);
	is(a, "/data/join_code", code);
	ck_assert_int_eq(expired(end + 30 * DAY_US), 0);
	ck_assert_int_eq(expired(end + 30 * DAY_US + 1), 1);
	a = at_event("GET", "", NULL);
	is(a, "/data/join_code", "(none)");
	refuse_code(code, 404, "resource-not-found");
}
END_TEST

START_TEST(the_code_of_a_deleted_event_is_free_thirty_days_later)
{
	const char *code = drawn(event, now_us() - 60 * DAY_US);

	set_code(code);
	ck_assert_int_eq(event_drop(fixture.app.db, fixture.account, event), OK);
	refuse_code(code, 404, "resource-not-found");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM join_codes WHERE event IS NULL"), 1);
	ck_assert_int_eq(expired(now_us() + 29 * DAY_US), 0);
	ck_assert_int_eq(expired(now_us() + 31 * DAY_US), 1);
}
END_TEST

START_TEST(a_new_end_moves_the_time_of_its_code)
{
	struct event was, ev;

	ck_assert_int_eq(
	    event_get(fixture.app.db, fixture.mem, fixture.account, event, &was), OK);
	for (int day = 1; day <= 2; day++) { /* the first change draws a code */
		ev = was;
		ev.end_us = now_us() + day * DAY_US;
		ck_assert_int_eq(event_put(fixture.app.db, fixture.mem, &was, &ev), OK);
		if (day == 2)
			ck_assert_str_eq(ev.join_code, was.join_code);
		was = ev;
	}
	ck_assert_int_eq(expired(ev.end_us + 29 * DAY_US), 0);
	ev.end_us = now_us() - 31 * DAY_US;
	ck_assert_int_eq(event_put(fixture.app.db, fixture.mem, &was, &ev), OK);
	ck_assert_int_eq(expired(now_us()), 1);
	ck_assert_int_eq(
	    event_get(fixture.app.db, fixture.mem, fixture.account, event, &was), OK);
	ck_assert_ptr_null(was.join_code);
	ev = was;
	ev.title = "Over";
	ck_assert_int_eq(event_put(fixture.app.db, fixture.mem, &was, &ev), OK);
	ck_assert_ptr_null(ev.join_code);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("join_codes");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, listener_fixture, fixture_close);
	tcase_add_test(t, a_code_has_six_digits_and_leads_to_its_event);
	tcase_add_test(t, codes_grow_by_a_digit_when_a_tenth_is_taken);
	tcase_add_test(t, an_address_may_send_thirty_unknown_codes_a_minute);
	tcase_add_test(t, only_digits_are_a_code);
	tcase_add_test(t, a_suspended_account_has_no_codes);
	tcase_add_test(t, a_code_is_free_thirty_days_after_the_end);
	tcase_add_test(t, the_code_of_a_deleted_event_is_free_thirty_days_later);
	tcase_add_test(t, a_new_end_moves_the_time_of_its_code);
	suite_add_tcase(s, t);
	return unit_run(s);
}
