/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters by the minute, and their headers in answers. */
#include <fcntl.h>
#include <sys/wait.h>

#include "tests/unit/toy.h"
#include "web/credential_cache.h"
#include "web/metrics.h"
#include "web/ratelimit.h"

#define MINUTE_US (60 * S_US)

static struct limits *limits;

static void
setup(void)
{
	toy_setup();
	limits = fixture.app.limits;
	ck_assert_ptr_nonnull(limits);
}

/* ---- the counters ---- */

START_TEST(a_window_is_a_minute_of_the_clock)
{
	int64_t now = 100 * MINUTE_US + 20 * S_US;
	struct limit l = { 0 };

	for (int i = 1; i <= 3; i++) {
		l = limit_count(limits, 'a', "x", 2, now);
		ck_assert_int_eq(l.over, i > 2);
		ck_assert_int_eq(l.left, i > 2 ? 0 : 2 - i);
		ck_assert_int_eq(l.reset_s, 40);
	}
	l = limit_count(limits, 'a', "x", 2, now + 40 * S_US);
	ck_assert_int_eq(l.over, false);
	ck_assert_int_eq(l.left, 1);
	ck_assert_int_eq(l.reset_s, 60);
}
END_TEST

START_TEST(kinds_and_names_are_counted_apart)
{
	ck_assert_int_eq(limit_count(limits, 'a', "x", 5, MINUTE_US).left, 4);
	ck_assert_int_eq(limit_count(limits, 'a', "y", 5, MINUTE_US).left, 4);
	ck_assert_int_eq(limit_count(limits, 'b', "x", 5, MINUTE_US).left, 4);
	ck_assert_int_eq(limit_count(limits, 'a', "x", 5, MINUTE_US).left, 3);
}
END_TEST

START_TEST(no_limit_and_no_file_limit_nothing)
{
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(limit_count(limits, 'a', "x", 0, 0).over, false);
		ck_assert_int_eq(limit_count(NULL, 'a', "x", 1, 0).over, false);
	}
}
END_TEST

/* Simulates a disk that was full when the program began. */
START_TEST(a_file_that_could_not_be_made_is_tried_again_after_seconds)
{
	const char *dir = arena_printf(fixture.mem, "%s/later", fixture.dir);
	struct limits *l = limits_open(fixture.mem, dir);
	int64_t now = now_us();

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(limit_count(l, 'a', "x", 1, now).over, false);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(limit_count(l, 'a', "x", 1, now + S_US).over, false);
	ck_assert_int_eq(limit_count(l, 'a', "x", 1, now + 70 * S_US).over, false);
	ck_assert_int_eq(limit_count(l, 'a', "x", 1, now + 70 * S_US).over, true);
	limits_close(l);
}
END_TEST

static bool
is_counted(struct metrics *m, const char *dir)
{
	struct buf b = { .mem = fixture.mem };

	metrics_count(m, 0, 200, 1000);
	metrics_write(&b, dir);
	return strstr(buf_text(&b), "{route=\"/toys\",method=") != NULL;
}

START_TEST(answers_are_counted_as_soon_as_their_file_can_be_made)
{
	const char *dir = arena_printf(fixture.mem, "%s/later", fixture.dir);
	struct metrics *m = metrics_open(fixture.mem, dir, "toys", toy_routes);

	ck_assert(!is_counted(m, dir));
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert(!is_counted(m, dir)); /* not for each request */
	await_by(usleep(50000), is_counted(m, dir));
	metrics_close(m);
}
END_TEST

START_TEST(a_full_table_forgets_the_counter_quiet_longest)
{
	char who[16];

	limit_count(limits, 'a', "busy", 5, 3 * MINUTE_US);
	for (int i = 0; i < 200000; i++) {
		snprintf(who, sizeof(who), "%d", i);
		ck_assert_int_eq(
		    limit_count(limits, 'a', who, 1, MINUTE_US).over, false);
	}
	ck_assert_int_eq(limit_count(limits, 'a', "busy", 5, 3 * MINUTE_US).left, 3);
}
END_TEST

/* FNV-1a, the table's former hash: names that share a slot are quickly found. */
static uint64_t
slot_of(char kind, const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	h = (h ^ (unsigned char)kind) * UINT64_C(1099511628211);
	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return (h >> 1) % 32768;
}

START_TEST(a_stranger_cannot_have_a_counter_forgotten)
{
	uint64_t full = slot_of('a', "guesser");
	char other[24];

	limit_count(limits, 'a', "guesser", 1, MINUTE_US);
	for (int i = 0, met = 0; met < 100; i++) {
		snprintf(other, sizeof(other), "2001:db8::%x", i);
		if (slot_of('a', other) != full)
			continue;
		limit_count(limits, 'a', other, 1, MINUTE_US);
		met++;
	}
	ck_assert(limit_peek(limits, 'a', "guesser", 1, MINUTE_US).over);
	ck_assert(limit_known(limits, 'a', "guesser", MINUTE_US));
	ck_assert(!limit_known(limits, 'b', "guesser", MINUTE_US));
}
END_TEST

START_TEST(processes_count_together)
{
	int status;

	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			for (int k = 0; k < 1000; k++)
				limit_count(limits, 'a', "x", 9000, MINUTE_US);
			_exit(0);
		}
	while (wait(&status) > 0)
		ck_assert_int_eq(status, 0);
	ck_assert_int_eq(limit_count(limits, 'a', "x", 9000, MINUTE_US).left, 4999);
}
END_TEST

/* ---- the answers ---- */

static void
allow(int per_minute)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE accounts SET plan_requests_per_min = %d", per_minute));
}

START_TEST(every_answer_to_a_valid_credential_tells_what_is_left)
{
	static const char *const calls[] = { "GET /toys", "GET /toys?size=0",
		"POST /toys/echo", "POST /toys" };
	struct response a;

	allow(100);
	for (int i = 0; i < COUNT(calls); i++) {
		a = ask(calls[i], NULL);
		ck_assert_pstr_eq(
		    head_of(&a, "RateLimit-Policy"), "\"account\";q=100;w=60");
		ck_assert_int_eq(
		    strncmp(head_of(&a, "RateLimit"),
			arena_printf(fixture.mem, "\"account\";r=%d;t=", 99 - i), 16),
		    0);
	}
	fixture.bearer = fixture_bearer(fixture.account, "other:read");
	a = ask("GET /toys", NULL);
	answered(a, 403);
	ck_assert_ptr_nonnull(head_of(&a, "RateLimit"));
	fixture.bearer = "Bearer wrong";
	a = ask("GET /toys", NULL);
	ck_assert_ptr_null(head_of(&a, "RateLimit"));
}
END_TEST

START_TEST(over_the_rate_of_the_plan_is_429_for_all_keys_of_the_account)
{
	const char *other = fixture_bearer(fixture_account(), "*");
	struct response a;

	allow(2);
	ask("GET /toys", NULL);
	fixture.bearer = fixture_bearer(fixture.account, "*");
	ask("GET /toys", NULL);
	a = ask("GET /toys", NULL);
	refused(a, 429, "rate-limited");
	is(a, "/errors/0/detail", "Over 2 requests in 60 seconds.");
	ck_assert_int_ge(atoi(head_of(&a, "Retry-After")), 1);
	ck_assert_int_le(atoi(head_of(&a, "Retry-After")), 60);
	ck_assert_ptr_nonnull(strstr(head_of(&a, "RateLimit"), ";r=0;t="));
	fixture.bearer = other;
	a = ask("GET /toys", NULL);
	answered(a, 200);
}
END_TEST

/* ---- keys that a process remembers ---- */

static void
revoke_all(void)
{
	struct list l;

	ck_assert_int_eq(
	    credential_list(fixture.app.db, fixture.mem, fixture.account, &l), OK);
	for (size_t i = 0; i < l.n; i++)
		ck_assert_int_eq(credential_revoke(fixture.app.db,
				     ((const struct credential *)l.items)[i].id),
		    OK);
}

START_TEST(a_revoked_key_is_refused_when_callers_are_forgotten)
{
	struct response a;

	fixture.app.credentials = credential_cache_new(fixture.mem);
	a = ask("GET /toys", NULL);
	answered(a, 200);
	revoke_all();
	a = ask("GET /toys", NULL); /* as on another node for a second */
	answered(a, 200);
	limits_forget_callers(fixture.app.conf.state_dir);
	a = ask("GET /toys", NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(a_key_is_remembered_for_a_second_and_a_generation)
{
	struct credential_cache *c = credential_cache_new(fixture.mem);
	struct caller who = { "account", "toys:read", "key", .plan.voices = 7 }, to;

	credential_cache_put(c, 5, "abc", 100, &who);
	ck_assert(!credential_cache_find(c, 5, "abd", 100, &to));
	ck_assert(!credential_cache_find(c, 6, "abc", 100, &to));
	ck_assert(!credential_cache_find(c, 5, "abc", 100 + S_US, &to));
	ck_assert(credential_cache_find(c, 5, "abc", 99 + S_US, &to));
	ck_assert_str_eq(to.account, "account");
	ck_assert_str_eq(to.scopes, "toys:read");
	ck_assert_str_eq(to.credential, "key");
	ck_assert_int_eq(to.plan.voices, 7);
	who.scopes = arena_printf(fixture.mem, "%600s", "toys:read");
	credential_cache_put(c, 5, "abc", 100, &who);
	ck_assert(!credential_cache_find(c, 5, "abc", 100, &to));
	who.scopes = "*";
	credential_cache_put(c, 0, "abc", 100, &who);
	ck_assert(!credential_cache_find(c, 0, "abc", 100, &to));
}
END_TEST

START_TEST(a_plan_of_0_is_no_limit)
{
	struct response a = { 0 };

	allow(0);
	for (int i = 0; i < 20; i++)
		a = ask("GET /toys", NULL);
	answered(a, 200);
	ck_assert_ptr_null(head_of(&a, "RateLimit"));
}
END_TEST

START_TEST(public_routes_are_counted_for_the_address)
{
	struct response a;

	fixture.app.conf.rate_public_per_min = 2;
	fixture.bearer = NULL;
	a = ask("GET /public", NULL);
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "RateLimit-Policy"), "\"public\";q=2;w=60");
	ask("GET /public", NULL);
	a = ask("GET /public", NULL);
	refused(a, 429, "rate-limited");
	a = ask("GET /open", NULL);
	answered(a, 200);
	ck_assert_ptr_null(head_of(&a, "RateLimit"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ratelimit");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_window_is_a_minute_of_the_clock);
	tcase_add_test(t, kinds_and_names_are_counted_apart);
	tcase_add_test(t, no_limit_and_no_file_limit_nothing);
	tcase_add_test(t, a_file_that_could_not_be_made_is_tried_again_after_seconds);
	tcase_add_test(t, answers_are_counted_as_soon_as_their_file_can_be_made);
	tcase_add_test(t, a_full_table_forgets_the_counter_quiet_longest);
	tcase_add_test(t, a_stranger_cannot_have_a_counter_forgotten);
	tcase_add_test(t, processes_count_together);
	tcase_add_test(t, every_answer_to_a_valid_credential_tells_what_is_left);
	tcase_add_test(t, over_the_rate_of_the_plan_is_429_for_all_keys_of_the_account);
	tcase_add_test(t, a_plan_of_0_is_no_limit);
	tcase_add_test(t, a_revoked_key_is_refused_when_callers_are_forgotten);
	tcase_add_test(t, a_key_is_remembered_for_a_second_and_a_generation);
	tcase_add_test(t, public_routes_are_counted_for_the_address);
	suite_add_tcase(s, t);
	return unit_run(s);
}
