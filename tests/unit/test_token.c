/*
 * API tokens that we make ourselves; foreign ones are tried in test_auth.c.
 */
#include "base/token.h"
#include "tests/unit/unit.h"

#define NOW (INT64_C(1795169924) * S_US)
#define SECRETS "k2:new-secret k1:old-secret"

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static const char *
make(const char *secrets, int64_t ttl_s)
{
	return token_make(mem, secrets, "dragoman", NOW, ttl_s,
	    &(struct api_token){ .sub = ID_NIL, .scope = "voices:read *" });
}

static bool
good(const char *token, const char *secrets, int64_t at_us)
{
	struct api_token t;

	return token_check(mem, token, secrets, "dragoman", at_us, &t);
}

START_TEST(what_is_made_is_good_until_it_expires)
{
	struct api_token t;
	const char *token = make(SECRETS, 100);

	ck_assert(token_check(mem, token, SECRETS, "dragoman", NOW, &t));
	ck_assert_str_eq(t.sub, ID_NIL);
	ck_assert_str_eq(t.scope, "voices:read *");
	ck_assert(good(token, SECRETS, NOW + 129 * S_US)); /* 30 s of leeway */
	ck_assert(!good(token, SECRETS, NOW + 130 * S_US));
	ck_assert(!token_check(mem, token, SECRETS, "other", NOW, &t));
}
END_TEST

START_TEST(a_token_lives_a_day_at_most)
{
	ck_assert(good(make(SECRETS, 86400), SECRETS, NOW));
	ck_assert(good(make(SECRETS, 86430), SECRETS, NOW));
	ck_assert(!good(make(SECRETS, 86431), SECRETS, NOW));
}
END_TEST

START_TEST(secrets_rotate_without_a_gap)
{
	const char *old = make("k1:old-secret", 100), *new = make(SECRETS, 100);

	ck_assert(good(old, SECRETS, NOW) && good(new, SECRETS, NOW));
	ck_assert(!good(old, "k2:new-secret", NOW));
	ck_assert(good(new, " k2:new-secret ", NOW));
	ck_assert(!good(new, "k1:new-secret", NOW)); /* kid names another */
	ck_assert(!good(new, "", NOW));
	ck_assert(!good(new, "k2", NOW));
}
END_TEST

static const char *const not_tokens[] = { "", ".", "..", "...", "a.b.c", "e30.e30.",
	"eyJhbGciOiJIUzI1NiJ9..", "eyJhbGciOiJIUzI1NiJ9.e30", "dgm_x" };

START_TEST(what_is_no_token_is_refused)
{
	ck_assert(!good(not_tokens[_i], SECRETS, NOW));
}
END_TEST

START_TEST(a_token_changed_anywhere_is_refused)
{
	const char *token = make(SECRETS, 100);

	for (size_t i = 0; i < strlen(token); i++) {
		char *bad = arena_str(mem, token);

		bad[i] = bad[i] == 'A' ? 'Q' : 'A';
		ck_assert_msg(!good(bad, SECRETS, NOW), "%zu of %zu", i, strlen(token));
		bad[i] = '\0';
		ck_assert(!good(bad, SECRETS, NOW));
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("token");
	TCase *t = tcase_create("all");

	(void)house;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_made_is_good_until_it_expires);
	tcase_add_test(t, a_token_lives_a_day_at_most);
	tcase_add_test(t, secrets_rotate_without_a_gap);
	tcase_add_loop_test(t, what_is_no_token_is_refused, 0, COUNT(not_tokens));
	tcase_add_test(t, a_token_changed_anywhere_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
