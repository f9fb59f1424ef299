/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of an account, their invitations, and browsers that stay signed in. */
#define UNIT_TEST
#include "tests/unit/keys_fixture.h"

#define PERSON(id) FORMAT("/saas/member/%s", id)
#define DAY_US ((long long)(86400 * S_US))

static struct response
call(const char *method, const char *path, const char *data)
{
	return ask(FORMAT("%s %s", method, path),
	    data != NULL ? FORMAT("{\"data\":%s}", data) : NULL);
}

static struct response
invited(const char *role)
{
	struct response a = call(
	    "POST", "/saas/member", FORMAT("{\"name\":\"Ada\",\"role\":\"%s\"}", role));

	answered(a, 201);
	return a;
}

/* Returns the secret of an invitation, the part after #invite=. */
static const char *
secret_of(const struct response *a)
{
	const char *link = said(a, "/data/link");
	const char *start = "https://speech.example.org/console/#invite=";

	ck_assert_int_eq(strncmp(link, start, strlen(start)), 0);
	return link + strlen(start);
}

/* Exchanges a secret as a browser without other credentials; more begins with a comma.
 */
static struct response
exchange(const char *secret, const char *more, const char *const *heads)
{
	struct response a;
	const char *bearer = fixture.bearer;

	fixture.bearer = NULL;
	a = ask_with(
	    TOKEN, FORMAT("{\"data\":{\"invite\":\"%s\"%s}}", secret, more), heads);
	fixture.bearer = bearer;
	return a;
}

static const char *
signed_in(const char *role)
{
	struct response a = invited(role);

	a = exchange(secret_of(&a), "", NULL);
	answered(a, 201);
	return FORMAT("Bearer %s", said(&a, "/data/token"));
}

static const char *
owner(void)
{
	struct response a = call("GET", "/saas/members?sort=asc", NULL);

	is(a, "/data/items/0/role", "owner");
	return said(&a, "/data/items/0/member_id");
}

static void
setup(void)
{
	struct member m = { .name = "Olga", .role = ROLE_OWNER, .status = "active" };

	keys_setup();
	m.account = fixture.account;
	ck_assert_int_eq(member_add(fixture.app.db, fixture.mem, &m), OK);
}

/* ---- members ---- */

START_TEST(an_invitation_signs_one_browser_in)
{
	struct response a = invited("desk");
	const char *id = said(&a, "/data/member_id"), *secret = secret_of(&a);

	is(a, "/data/name", "Ada");
	is(a, "/data/role", "desk");
	is(a, "/data/status", "invited");
	is(a, "/data/last_seen_at", "null");
	a = exchange(secret, "", HEADS("User-Agent: Browser/1.0"));
	answered(a, 201);
	is(a, "/data/scope", member_scopes("desk"));
	is(a, "/data/refresh_token", "(none)");
	fixture.bearer = FORMAT("Bearer %s", said(&a, "/data/token"));
	a = ask(ME, NULL);
	is(a, "/data/member/member_id", id);
	is(a, "/data/member/name", "Ada");
	is(a, "/data/member/role", "desk");
	a = call("GET", "/auth/sign-ins", NULL);
	is(a, "/data/0/browser", "Browser/1.0");
	is(a, "/data/0/member", "Ada");
	is(a, "/data/0/current", "true");
	is(a, "/data/1", "(none)");
	a = exchange(secret, "", NULL);
	refused(a, 409, "link-used");
}
END_TEST

START_TEST(an_invitation_ends_after_a_week_or_with_the_next)
{
	struct response a = invited("viewer"), b;
	const char *first = secret_of(&a), *next;

	b = call("POST", FORMAT("%s/link", PERSON(said(&a, "/data/member_id"))), NULL);
	answered(b, 200);
	next = secret_of(&b);
	a = exchange(first, "", NULL);
	refused(a, 401, "unauthorized");
	sql(FORMAT("UPDATE credentials SET expires_us = %lld WHERE kind = 'invite'",
	    (long long)now_us() - 1));
	a = exchange(next, "", NULL);
	refused(a, 401, "unauthorized");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM members WHERE status = 'active'"), 1);
}
END_TEST

START_TEST(the_last_owner_stays)
{
	const char *first = owner(), *second;
	struct response a = call("DELETE", PERSON(first), NULL);

	refused(a, 409, "last-owner");
	a = call("PATCH", PERSON(first), "{\"role\":\"viewer\"}");
	refused(a, 409, "last-owner");
	a = invited("owner"); /* an owner only after the first sign-in */
	second = said(&a, "/data/member_id");
	a = call("DELETE", PERSON(first), NULL);
	refused(a, 409, "last-owner");
	sql("UPDATE members SET status = 'active'");
	a = call("PATCH", PERSON(first), "{\"role\":\"viewer\",\"name\":\"Eva\"}");
	answered(a, 200);
	is(a, "/data/role", "viewer");
	is(a, "/data/name", "Eva");
	a = call("DELETE", PERSON(second), NULL);
	refused(a, 409, "last-owner");
	a = call("DELETE", PERSON(first), NULL);
	answered(a, 200);
}
END_TEST

START_TEST(scopes_of_a_token_shrink_with_the_role)
{
	struct response a = invited("organiser");
	const char *id = said(&a, "/data/member_id"), *full = fixture.bearer, *token;

	a = exchange(secret_of(&a), "", NULL);
	token = FORMAT("Bearer %s", said(&a, "/data/token"));
	a = call("PATCH", PERSON(id), "{\"role\":\"desk\"}");
	answered(a, 200);
	fixture.bearer = token;
	a = ask(ME, NULL);
	answered(a, 200);
	ck_assert_ptr_null(strstr(a.body, "glossaries:"));
	ck_assert_ptr_null(strstr(a.body, "channels:write"));
	fixture.bearer = full;
	a = call("DELETE", PERSON(id), NULL);
	answered(a, 200);
	fixture.bearer = token;
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(a_caller_invites_to_no_higher_role)
{
	const char *full = fixture.bearer, *first = owner();
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "members:write");
	a = call("POST", "/saas/member", "{\"name\":\"Eve\",\"role\":\"owner\"}");
	refused(a, 403, "insufficient-scope");
	a = call("POST", "/saas/member", "{\"name\":\"Eve\",\"role\":\"viewer\"}");
	refused(a, 403, "insufficient-scope");
	a = call("DELETE", PERSON(first), NULL);
	refused(a, 403, "insufficient-scope");
	fixture.bearer = full;
	fixture.bearer = signed_in("organiser");
	a = call("GET", "/saas/members", NULL);
	refused(a, 403, "insufficient-scope");
	fixture.bearer = full;
	a = call("POST", "/saas/member", "{\"name\":\"\",\"role\":\"king\"}");
	refused(a, 422, "validation-error");
	is(a, "/errors/0/pointer", "/data/name");
	is(a, "/errors/1/pointer", "/data/role");
	a = call("PATCH", PERSON(fixture.account), "{}");
	refused(a, 404, "resource-not-found");
}
END_TEST

/* ---- browsers that stay signed in ---- */

struct browser {
	const char *token, *refresh, *cookie;
};

/* The browser after an answer to it. */
static struct browser
browser_after(const struct response *a)
{
	const char *cookie = head_of(a, "Set-Cookie");

	ck_assert_ptr_nonnull(cookie);
	return (struct browser){ FORMAT("Bearer %s", said(a, "/data/token")),
		said(a, "/data/refresh_token"),
		FORMAT("Cookie: a=b; %.*s", (int)strcspn(cookie, ";"), cookie) };
}

static struct browser
remembered(const char *role)
{
	struct response a = invited(role);

	a = exchange(secret_of(&a), ",\"remember\":true", NULL);
	answered(a, 201);
	return browser_after(&a);
}

static struct response
refresh(const char *token, const char *cookie)
{
	struct response a;
	const char *bearer = fixture.bearer;

	fixture.bearer = NULL;
	a = ask_with("POST /auth/refresh",
	    FORMAT("{\"data\":{\"refresh_token\":\"%s\"}}", token),
	    cookie != NULL ? HEADS(cookie) : NULL);
	fixture.bearer = bearer;
	return a;
}

static void
rotated_before(int64_t us)
{
	sql(FORMAT("UPDATE credentials SET refreshed_us = refreshed_us - %lld",
	    (long long)us));
}

START_TEST(a_cookie_is_hidden_from_scripts_and_other_sites)
{
	struct response a = invited("desk");
	const char *cookie;
	int64_t expires_us;

	a = exchange(secret_of(&a), ",\"remember\":true", NULL);
	cookie = head_of(&a, "Set-Cookie");
	ck_assert_int_eq(strncmp(cookie, "__Host-dragoman=", 16), 0);
	ck_assert_ptr_nonnull(strstr(
	    cookie, "; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure"));
	ck_assert(time_parse(said(&a, "/data/expires_at"), &expires_us));
	ck_assert_int_gt(expires_us, now_us() + DAY_US / 2 - 60 * S_US);
	fixture.app.conf.server_base_url = "http://127.0.0.1:8080";
	a = call("POST", "/saas/member", "{\"name\":\"Bo\",\"role\":\"desk\"}");
	a = exchange(
	    strchr(said(&a, "/data/link"), '=') + 1, ",\"remember\":true", NULL);
	cookie = head_of(&a, "Set-Cookie");
	ck_assert_int_eq(strncmp(cookie, "dragoman=", 9), 0);
	ck_assert_ptr_null(strstr(cookie, "Secure"));
}
END_TEST

START_TEST(a_refresh_token_is_replaced_at_each_use)
{
	struct browser b = remembered("desk"), next;
	struct response a = refresh(b.refresh, b.cookie);

	answered(a, 201);
	next = browser_after(&a);
	ck_assert_str_eq(next.cookie, b.cookie);
	ck_assert_str_ne(next.refresh, b.refresh);
	is(a, "/data/scope", member_scopes("desk"));
	fixture.bearer = next.token;
	a = ask(ME, NULL);
	answered(a, 200);
	a = refresh(next.refresh, next.cookie);
	answered(a, 201);
	ck_assert_int_gt(number("SELECT max(expires_us) / 1000000 FROM credentials"
				" WHERE kind = 'browser'"),
	    (int)(now_us() / S_US) + 29 * 86400);
	ck_assert_ptr_null(strstr(everything(), strchr(next.refresh, '.') + 1));
}
END_TEST

START_TEST(tabs_may_use_a_refresh_token_at_once)
{
	struct browser b = remembered("desk");
	struct response a = refresh(b.refresh, b.cookie);
	const char *next = said(&a, "/data/refresh_token");

	a = refresh(b.refresh, b.cookie);
	answered(a, 201);
	is(a, "/data/refresh_token", "(none)");
	a = refresh(next, b.cookie);
	answered(a, 201);
}
END_TEST

START_TEST(a_refresh_token_used_twice_ends_both)
{
	struct browser b = remembered("desk"), next;
	struct response a = refresh(b.refresh, b.cookie);

	next = browser_after(&a);
	rotated_before(31 * S_US);
	a = refresh(b.refresh, b.cookie);
	refused(a, 401, "unauthorized");
	a = refresh(next.refresh, next.cookie);
	refused(a, 401, "unauthorized");
	fixture.bearer = next.token;
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(another_browser_cannot_use_a_refresh_token)
{
	struct browser b = remembered("desk"), other = remembered("desk");
	struct response a = refresh(b.refresh, other.cookie);

	refused(a, 401, "unauthorized");
	a = refresh(b.refresh, NULL);
	refused(a, 401, "unauthorized");
	a = refresh("nonsense", b.cookie);
	refused(a, 401, "unauthorized");
	a = refresh(FORMAT("%s.x", fixture.account), b.cookie);
	refused(a, 401, "unauthorized");
	a = refresh(b.refresh, b.cookie); /* none of these ended it */
	answered(a, 201);
}
END_TEST

START_TEST(a_browser_without_use_is_forgotten_after_a_month)
{
	struct browser b = remembered("desk");
	struct response a;

	sql(FORMAT(
	    "UPDATE credentials SET expires_us = expires_us - %lld", 30 * DAY_US));
	a = refresh(b.refresh, b.cookie);
	refused(a, 401, "unauthorized");
}
END_TEST

/* Each use counts 30 days anew, so there is no end for a browser in use. */
START_TEST(a_browser_in_use_stays_signed_in_beyond_a_month)
{
	struct browser b = remembered("desk");
	struct response a;

	for (int i = 0; i < 3; i++) {
		sql(FORMAT("UPDATE credentials SET expires_us = expires_us - %lld,"
			   " created_us = created_us - %lld,"
			   " refreshed_us = refreshed_us - %lld",
		    29 * DAY_US, 29 * DAY_US, 29 * DAY_US));
		a = refresh(b.refresh, b.cookie);
		answered(a, 201);
		b = browser_after(&a);
	}
	fixture.bearer = b.token;
	a = ask(ME, NULL);
	answered(a, 200);
	sql(FORMAT(
	    "UPDATE credentials SET expires_us = expires_us - %lld", 31 * DAY_US));
	a = refresh(b.refresh, b.cookie);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(sign_ins_can_be_ended_one_by_one_and_all)
{
	struct browser one = remembered("desk"), other = remembered("viewer");
	const char *full = fixture.bearer, *id;
	struct response a = call("GET", "/auth/sign-ins", NULL);

	is(a, "/data/1/member", "Ada");
	fixture.bearer = other.token;
	a = call("GET", "/auth/sign-ins", NULL);
	id = said(&a, "/data/0/sign_in_id");
	is(a, "/data/1", "(none)");
	fixture.bearer = one.token;
	a = call("DELETE", FORMAT("/auth/sign-ins/%s", id), NULL);
	refused(a, 404, "resource-not-found");
	a = call("DELETE", "/auth/sign-ins", NULL);
	answered(a, 200);
	a = ask(ME, NULL);
	refused(a, 401, "unauthorized");
	a = refresh(one.refresh, one.cookie);
	refused(a, 401, "unauthorized");
	fixture.bearer = full;
	a = call("DELETE", FORMAT("/auth/sign-ins/%s", id), NULL);
	answered(a, 200);
	a = call("DELETE", FORMAT("/auth/sign-ins/%s", id), NULL);
	refused(a, 404, "resource-not-found");
	a = refresh(other.refresh, other.cookie);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(the_operators_link_signs_the_owner_in)
{
	const char *secret = link_new("*"), *id = owner();
	struct response a;

	fixture.bearer = NULL;
	a = ask(
	    TOKEN, FORMAT("{\"data\":{\"link\":\"%s\",\"remember\":true}}", secret));
	answered(a, 201);
	is(a, "/data/scope", "*");
	fixture.bearer = FORMAT("Bearer %s", said(&a, "/data/token"));
	a = ask(ME, NULL);
	is(a, "/data/member/member_id", id);
	is(a, "/data/member/role", "owner");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("members");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, an_invitation_signs_one_browser_in);
	tcase_add_test(t, an_invitation_ends_after_a_week_or_with_the_next);
	tcase_add_test(t, the_last_owner_stays);
	tcase_add_test(t, scopes_of_a_token_shrink_with_the_role);
	tcase_add_test(t, a_caller_invites_to_no_higher_role);
	tcase_add_test(t, a_cookie_is_hidden_from_scripts_and_other_sites);
	tcase_add_test(t, a_refresh_token_is_replaced_at_each_use);
	tcase_add_test(t, tabs_may_use_a_refresh_token_at_once);
	tcase_add_test(t, a_refresh_token_used_twice_ends_both);
	tcase_add_test(t, another_browser_cannot_use_a_refresh_token);
	tcase_add_test(t, a_browser_without_use_is_forgotten_after_a_month);
	tcase_add_test(t, a_browser_in_use_stays_signed_in_beyond_a_month);
	tcase_add_test(t, sign_ins_can_be_ended_one_by_one_and_all);
	tcase_add_test(t, the_operators_link_signs_the_owner_in);
	suite_add_tcase(s, t);
	return unit_run(s);
}
