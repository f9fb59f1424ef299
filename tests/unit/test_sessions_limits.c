/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits of creating sessions: balance, plan, idempotency keys; and the deprecation of
 * the old route.
 */
#define UNIT_TEST
#include "store/sessions.h"

static int counts; /* number of times that the program counted rows */

static enum err
count_once(struct db *db, const char *account, int64_t *n)
{
	counts++;
	return session_count(db, account, n);
}

#define session_count count_once
#include "lib/gateway/session_quota.c"
#include "tests/unit/session_fixture.h"

static const char *const routes[] = { NEW, OLD };
static const int made[] = { 201, 200 };

/* ---- the plan ---- */

START_TEST(sessions_are_counted_against_the_plan)
{
	struct response a;

	set_plan(fixture.account, 3);
	put_session(fixture_account(), 0, 3600);
	for (int i = 0; i < 3; i++) {
		a = ask(routes[_i], NULL);
		answered(a, made[_i]);
	}
	ck_assert_int_eq(counts, 3);
	for (int i = 0; i < 2; i++) {
		a = ask(routes[i], NULL);
		refused(a, 403, "session-limit-reached");
		is(a, "/errors/0/error_code", "100050");
		is(a, "/errors/0/detail", "The plan allows 3 parallel sessions.");
	}
	ck_assert_int_eq(sessions(), 4);
}
END_TEST

START_TEST(without_a_limit_nothing_is_counted)
{
	struct response a;

	set_plan(fixture.account, 0);
	for (int i = 0; i < 12; i++)
		put_session(fixture.account, 0, 3600);
	a = ask(NEW, NULL);
	answered(a, 201);
	ck_assert_int_eq(counts, 0);
}
END_TEST

START_TEST(the_plan_of_an_account_is_the_setting_unless_it_is_set)
{
	struct response a;

	fixture.app.conf.plan_parallel_sessions = 1;
	put_session(fixture.account, 0, 3600);
	a = ask(NEW, NULL);
	refused(a, 403, "session-limit-reached");
	set_plan(fixture.account, 2);
	a = ask(NEW, NULL);
	answered(a, 201);
}
END_TEST

static const struct {
	int64_t age_s, left_s;
	const char *set; /* NULL: no such fault */
	bool counts;
} places[] = {
	{ 0, 3600, NULL, true },
	{ 599, 3600, NULL, true },
	{ 601, 3600, NULL, false },
	{ 7200, 3600, NULL, false },
	{ 10, -1, NULL, false },                             /* expired */
	{ 10, 1, NULL, true },                               /* expires soon */
	{ 7200, 3600, "counted_us = updated_us * 2", true }, /* is connected */
	{ 10, 3600, "counted_us = created_us", false },
};

START_TEST(a_session_has_a_place_while_it_is_used_or_new)
{
	const char *id =
	    put_session(fixture.account, places[_i].age_s, places[_i].left_s);
	struct response a;

	set_plan(fixture.account, 1);
	if (places[_i].set != NULL)
		set_session(id, places[_i].set);
	a = ask(NEW, NULL);
	answered(a, places[_i].counts ? 403 : 201);
}
END_TEST

START_TEST(a_deleted_session_frees_its_place_at_once)
{
	struct response a = ask(NEW, NULL);
	const char *id = said(&a, "/data/id");

	set_plan(fixture.account, 1);
	a = ask(NEW, NULL);
	refused(a, 403, "session-limit-reached");
	a = on("DELETE", id, "", NULL);
	answered(a, 204);
	a = ask(NEW, NULL);
	answered(a, 201);
	a = ask(NEW, NULL);
	refused(a, 403, "session-limit-reached");
}
END_TEST

/* ---- the balance ---- */

static const struct {
	int64_t micro;
	bool enough;
} balances[] = { { INT64_C(-5000000000), false }, { -1, false }, { 0, false },
	{ 1, true }, { INT64_C(1000000000), true } };

START_TEST(a_session_needs_a_balance)
{
	struct response a;

	set_balance(fixture.account, balances[_i].micro);
	set_plan(fixture.account, 1);
	a = ask(OLD, NULL);
	if (balances[_i].enough) {
		answered(a, 200);
		return;
	}
	refused(a, 403, "insufficient-balance");
	is(a, "/errors/0/title", "Forbidden resource");
	is(a, "/errors/0/detail", "Insufficient balance");
	is(a, "/errors/0/error_code", "100050");
	ck_assert_int_eq(sessions(), 0);
}
END_TEST

START_TEST(the_first_check_that_fails_answers)
{
	put_session(fixture.account, 0, 3600);
	set_plan(fixture.account, 1);
	set_balance(fixture.account, 0);
	for (int i = 0; i < 2; i++) {
		struct response a = ask(routes[i], DATA("\"subscriber_count\":11"));

		refused(a, 422, "validation-error");
		a = ask(routes[i], NULL);
		refused(a, 403, "insufficient-balance");
	}
	ck_assert_int_eq(counts, 0);
	set_balance(fixture.account, 1);
	for (int i = 0; i < 2; i++) {
		struct response a = ask(routes[i], NULL);

		refused(a, 403, "session-limit-reached");
	}
	ck_assert_int_eq(sessions(), 1);
}
END_TEST

/* ---- once more ---- */

START_TEST(a_key_makes_one_session_however_often)
{
	const char *const *key = HEADS("Idempotency-Key: k");
	struct response a = ask_with(routes[_i], NULL, key), b;

	answered(a, made[_i]);
	set_plan(fixture.account, 1);
	set_balance(fixture.account, 0);
	b = ask_with(routes[_i], NULL, key);
	answered(b, made[_i]);
	assert_same_body(b.body, a.body);
	ck_assert_pstr_eq(head_of(&b, "Idempotency-Replayed"), "true");
	ck_assert_pstr_eq(head_of(&b, "Location"), head_of(&a, "Location"));
	ck_assert_pstr_eq(head_of(&b, "Deprecation"), head_of(&a, "Deprecation"));
	ck_assert_int_eq(sessions(), 1);
	a = ask_with(routes[_i], "{}", key);
	refused(a, 422, "idempotency-key-reused");
	set_plan(fixture.account, 0);
	set_balance(fixture.account, 1);
	a = ask_with(routes[!_i], NULL, key);
	answered(a, made[!_i]);
	ck_assert_ptr_null(head_of(&a, "Idempotency-Replayed"));
	ck_assert_int_eq(sessions(), 2);
}
END_TEST

/* A refused request is not stored. */
START_TEST(a_refusal_is_not_repeated)
{
	const char *const *key = HEADS("Idempotency-Key: \"k\"");
	struct response a;

	set_balance(fixture.account, 0);
	a = ask_with(NEW, NULL, key);
	refused(a, 403, "insufficient-balance");
	set_balance(fixture.account, 1);
	a = ask_with(NEW, NULL, key);
	answered(a, 201);
}
END_TEST

/* ---- what is old ---- */

#define SUCCESSOR                                                                      \
	"<https://speech.example.org/session-storage/session>; "                       \
	"rel=\"successor-version\""

static const struct {
	int status;
	const char *scopes; /* NULL: no credential */
	const char *body, *head;
	int64_t micro;
	int plan;
	enum err fault;
} old_answers[] = {
	{ 200, "sessions:write", NULL, "A: b", 1, 0, OK },
	{ 400, "sessions:write", "{", "A: b", 1, 0, OK },
	{ 400, "sessions:write", "{}", "Idempotency-Key: \x01", 1, 0, OK },
	{ 401, NULL, NULL, "A: b", 1, 0, OK },
	{ 401, NULL, NULL, "Authorization: Bearer nonsense", 1, 0, OK },
	{ 403, "sessions:read", NULL, "A: b", 1, 0, OK },
	{ 403, "*", NULL, "A: b", 0, 0, OK },
	{ 403, "*", NULL, "A: b", 1, 1, OK },
	{ 415, "*", "{}", "Content-Type: text/plain", 1, 0, OK },
	{ 422, "*", "{\"data\":1}", "A: b", 1, 0, OK },
	{ 422, "*", "{\"data\":{}}", "Idempotency-Key: used", 1, 0, OK },
	{ 500, "*", NULL, "A: b", 1, 0, ERR_FAILED },
	{ 503, "*", NULL, "A: b", 1, 0, ERR_BUSY },
};

START_TEST(every_answer_of_the_old_route_says_that_it_is_old)
{
	struct response a;

	fixture.bearer = old_answers[_i].scopes != NULL
			     ? fixture_bearer(fixture.account, old_answers[_i].scopes)
			     : NULL;
	ask_with(OLD, NULL, HEADS("Idempotency-Key: used"));
	set_balance(fixture.account, old_answers[_i].micro);
	set_plan(fixture.account, old_answers[_i].plan);
	fixture.app.conf.deprecation_sunset = "2031-02-28";
	if (old_answers[_i].fault != OK)
		db_fault(fixture.app.db, 3, old_answers[_i].fault);
	a = ask_with(OLD, old_answers[_i].body, HEADS(old_answers[_i].head));
	answered(a, old_answers[_i].status);
	ck_assert_pstr_eq(head_of(&a, "Deprecation"), "@1767225600");
	ck_assert_pstr_eq(head_of(&a, "Sunset"), "Fri, 28 Feb 2031 23:59:59 GMT");
	ck_assert_pstr_eq(head_of(&a, "Link"), SUCCESSOR);
}
END_TEST

START_TEST(the_day_of_sunset_is_the_settings)
{
	struct response a = ask(OLD, NULL);

	ck_assert_pstr_eq(head_of(&a, "Sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
}
END_TEST

static const char *const not_old[] = { NEW, LIST, "HEAD /session-storage/sessions",
	"PUT /session-storage/sessions", "OPTIONS /session-storage/sessions" };

START_TEST(the_list_at_the_same_path_is_not_old)
{
	struct response a = ask(not_old[_i], NULL);

	ck_assert_ptr_null(head_of(&a, "Deprecation"));
	ck_assert_ptr_null(head_of(&a, "Sunset"));
	ck_assert_ptr_null(head_of(&a, "Link"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sessions' limits");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, session_fixture, fixture_close);
	tcase_add_loop_test(t, sessions_are_counted_against_the_plan, 0, 2);
	tcase_add_test(t, without_a_limit_nothing_is_counted);
	tcase_add_test(t, the_plan_of_an_account_is_the_setting_unless_it_is_set);
	tcase_add_loop_test(
	    t, a_session_has_a_place_while_it_is_used_or_new, 0, COUNT(places));
	tcase_add_test(t, a_deleted_session_frees_its_place_at_once);
	tcase_add_loop_test(t, a_session_needs_a_balance, 0, COUNT(balances));
	tcase_add_test(t, the_first_check_that_fails_answers);
	tcase_add_loop_test(t, a_key_makes_one_session_however_often, 0, 2);
	tcase_add_test(t, a_refusal_is_not_repeated);
	tcase_add_loop_test(t, every_answer_of_the_old_route_says_that_it_is_old, 0,
	    COUNT(old_answers));
	tcase_add_test(t, the_day_of_sunset_is_the_settings);
	tcase_add_loop_test(t, the_list_at_the_same_path_is_not_old, 0, COUNT(not_old));
	suite_add_tcase(s, t);
	return unit_run(s);
}
