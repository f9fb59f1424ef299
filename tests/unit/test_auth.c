/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Authentication: every form of credential, several at once, scopes, tokens with one
 * wrong claim each, and addresses that guess.
 */
#include "tests/unit/toy.h"

#define SECRETS "k1:first-secret-of-32-characters-at-least k2:second-secret-of-32-bytes"
#define FIRST "first-secret-of-32-characters-at-least"
#define SECOND "second-secret-of-32-bytes"

static void
setup(void)
{
	toy_setup();
	fixture.app.conf.token_secrets = SECRETS;
	fixture.bearer = NULL;
}

static const char *
header_line(const char *name, const char *value)
{
	return arena_printf(fixture.mem, "%s: %s", name, value);
}

/* ---- keys and pairs ---- */

START_TEST(without_a_credential_a_route_says_that_it_needs_one)
{
	struct response a = ask("GET /toys", NULL);

	refused(a, 401, "unauthorized");
	ck_assert_pstr_eq(head_of(&a, "WWW-Authenticate"), "Bearer realm=\"dragoman\"");
}
END_TEST

START_TEST(a_key_opens_the_routes_of_its_scopes)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "toys:read");
	a = ask("GET /toys", NULL);
	answered(a, 200);
	a = ask("POST /bare", NULL);
	refused(a, 403, "insufficient-scope");
	ck_assert_pstr_eq(head_of(&a, "WWW-Authenticate"),
	    "Bearer realm=\"dragoman\", error=\"insufficient_scope\", "
	    "scope=\"toys:write\"");
}
END_TEST

/* Variants of a valid "Bearer dgm_..." */
static const char *
spoiled(int how)
{
	const char *good = fixture_bearer(fixture.account, "*");
	char *bad = arena_str(fixture.mem, good);
	size_t n = strlen(bad);

	switch (how) {
	case 0: /* a changed character: the checksum is wrong */
		bad[20] = bad[20] == 'A' ? 'B' : 'A';
		return bad;
	case 1: /* a changed checksum */
		bad[n - 1] = bad[n - 1] == '0' ? '1' : '0';
		return bad;
	case 2:
		bad[n - 1] = '\0';
		return bad;
	case 3:
		return arena_printf(fixture.mem, "%s0", good);
	case 4: /* another scheme */
		return arena_printf(fixture.mem, "Basic %s", good + 7);
	case 5: /* no scheme */
		return good + 7;
	case 6: /* the checksum is right, but the key is unknown */
		memcpy(bad + 11, "unknown", 7);
		snprintf(bad + n - 8, 9, "%08x", crc(bad + 7, n - 7 - 9));
		return bad;
	case 7:
		return arena_printf(fixture.mem, "%s, %s", good, good);
	default:
		return "Bearer ";
	}
}

START_TEST(a_key_that_is_not_quite_one_is_401)
{
	struct response a;

	fixture.bearer = spoiled(_i);
	a = ask("GET /toys", NULL);
	refused(a, 401, "unauthorized");
	ck_assert_pstr_eq(head_of(&a, "WWW-Authenticate"),
	    "Bearer realm=\"dragoman\", error=\"invalid_token\"");
}
END_TEST

START_TEST(the_scheme_and_header_names_are_taken_in_any_case)
{
	const char *key = fixture_key(fixture.account, "*");
	struct response a;

	fixture.bearer = arena_printf(fixture.mem, "bearer  %s", key);
	a = ask("GET /toys", NULL);
	answered(a, 200);
	fixture.bearer = NULL;
	a = ask_with("GET /toys", NULL,
	    HEADS(arena_printf(
		fixture.mem, "Redirect-Http-Authorization: BEARER %s", key)));
	answered(a, 200); /* Apache's name for it after an internal redirect */
}
END_TEST

static const struct {
	bool id, secret, upper, wrong;
	int status;
} pairs[] = {
	{ true, true, false, false, 200 },
	{ true, true, true, false, 200 },
	{ true, false, false, false, 401 },
	{ false, true, false, false, 401 },
	{ true, true, false, true, 401 },
};

START_TEST(a_client_pair_is_good_only_whole)
{
	const char *none[] = { "X: 1", "X: 2", NULL };
	char *id = arena_str(fixture.mem,
	    fixture_credential(fixture.account, "pair", "toys:read", "the secret"));
	struct response a;

	for (char *s = id; pairs[_i].upper && *s != '\0'; s++)
		*s = (char)toupper((unsigned char)*s);
	if (pairs[_i].id)
		none[0] = header_line("clientid", id);
	if (pairs[_i].secret)
		none[1] = header_line(
		    "ClientSecret", pairs[_i].wrong ? "the secreT" : "the secret");
	a = ask_with("GET /toys", NULL, none);
	answered(a, pairs[_i].status);
}
END_TEST

START_TEST(a_secret_of_a_pair_is_no_key_and_the_other_way_round)
{
	const char *key = fixture_key(fixture.account, "*");
	const char *id = fixture_credential(fixture.account, "pair", "*", "p");
	struct response a;

	a = ask_with("GET /toys", NULL,
	    HEADS(header_line("ClientID", id), header_line("ClientSecret", key)));
	answered(a, 401);
	a = ask_with(
	    "GET /toys", NULL, HEADS("ClientID: not-a-uuid", "ClientSecret: p"));
	answered(a, 401);
}
END_TEST

START_TEST(a_revoked_credential_is_unknown)
{
	const char *id = fixture_credential(fixture.account, "pair", "*", "p");
	const char *const heads[] = { header_line("ClientID", id), "ClientSecret: p",
		NULL };
	struct response a = ask_with("GET /toys", NULL, heads);

	answered(a, 200);
	ck_assert_int_eq(credential_revoke(fixture.app.db, id), OK);
	a = ask_with("GET /toys", NULL, heads);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(a_suspended_account_has_no_credentials)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "*");
	ck_assert_int_eq(
	    account_set_status(fixture.app.db, fixture.account, "suspended"), OK);
	a = ask("GET /toys", NULL);
	refused(a, 401, "unauthorized");
	ck_assert_int_eq(
	    account_set_status(fixture.app.db, fixture.account, "active"), OK);
	a = ask("GET /toys", NULL);
	answered(a, 200);
}
END_TEST

/* ---- scopes ---- */

static const struct {
	const char *scopes, *needed;
	bool has;
} scopes[] = {
	{ "*", "toys:read", true },
	{ "a:read *", "toys:write", true },
	{ "toys:read", "toys:read", true },
	{ "toys:write", "toys:read", true },
	{ "toys:read", "toys:write", false },
	{ "toys:writer", "toys:read", false },
	{ "toy:write", "toys:read", false },
	{ "a:read  toys:read", "toys:read", true },
	{ "xtoys:write toys", "toys:read", false },
	{ "**", "toys:read", false },
	{ "", "toys:read", false },
	{ " ", "toys:read", false },
	{ "stt", "stt", true },
	{ "sttx", "stt", false },
	{ "uploads:write", "uploads:write", true },
};

START_TEST(writing_includes_reading_and_a_star_is_all)
{
	ck_assert_int_eq(
	    scope_has(scopes[_i].scopes, scopes[_i].needed), scopes[_i].has);
}
END_TEST

/* ---- API tokens ---- */

static const char *
part(const char *json)
{
	return base64url(fixture.mem, json, strlen(json));
}

static const char *
signed_by(const char *head, const char *claims, const char *secret)
{
	const char *text = arena_printf(fixture.mem, "%s.%s", part(head), part(claims));
	unsigned char mac[SHA256_BYTES];

	hmac(secret, strlen(secret), text, strlen(text), mac);
	return arena_printf(fixture.mem, "Bearer %s.%s", text,
	    base64url(fixture.mem, mac, sizeof(mac)));
}

/* $sub, $N+5 and $N-5 in claims become the account and times around now. */
static const char *
filled(const char *claims)
{
	struct buf b = { .mem = fixture.mem };
	char *end;

	for (; *claims != '\0'; claims++)
		if (strncmp(claims, "$sub", 4) == 0) {
			buf_str(&b, fixture.account);
			claims += 3;
		} else if (strncmp(claims, "$N", 2) == 0) {
			buf_printf(&b, "%lld",
			    (long long)(now_us() / S_US) +
				strtoll(claims + 2, &end, 10));
			claims = end - 1;
		} else
			buf_put(&b, claims, 1);
	return buf_text(&b);
}

#define HS256 "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"
#define REST ",\"sub\":\"$sub\",\"scope\":\"toys:read\"}"
#define WHO "{\"iss\":\"dragoman\",\"aud\":\"dragoman-api\""
#define GOOD WHO ",\"exp\":$N+60" REST

static const struct {
	const char *head, *claims, *secret;
	int status;
} tokens[] = {
	{ HS256, GOOD, FIRST, 200 },
	{ HS256, GOOD, SECOND, 200 },
	{ HS256, GOOD, "another-secret-of-32-characters-x", 401 },
	{ HS256, GOOD, "", 401 },
	/* kid selects the secret */
	{ "{\"alg\":\"HS256\",\"kid\":\"k1\"}", GOOD, FIRST, 200 },
	{ "{\"alg\":\"HS256\",\"kid\":\"k2\"}", GOOD, SECOND, 200 },
	{ "{\"alg\":\"HS256\",\"kid\":\"k2\"}", GOOD, FIRST, 401 },
	{ "{\"alg\":\"HS256\",\"kid\":\"k3\"}", GOOD, FIRST, 401 },
	/* alg must be HS256 */
	{ "{\"alg\":\"none\"}", GOOD, FIRST, 401 },
	{ "{\"alg\":\"HS512\"}", GOOD, FIRST, 401 },
	{ "{\"alg\":\"RS256\"}", GOOD, FIRST, 401 },
	{ "{\"alg\":\"hs256\"}", GOOD, FIRST, 401 },
	{ "{\"alg\":[\"HS256\"]}", GOOD, FIRST, 401 },
	{ "{\"typ\":\"JWT\"}", GOOD, FIRST, 401 },
	{ "{", GOOD, FIRST, 401 },
	/* each claim */
	{ HS256, "{\"iss\":\"other\",\"aud\":\"dragoman-api\",\"exp\":$N+60" REST,
	    FIRST, 401 },
	{ HS256, "{\"aud\":\"dragoman-api\",\"exp\":$N+60" REST, FIRST, 401 },
	{ HS256, "{\"iss\":\"dragoman\",\"aud\":\"stream\",\"exp\":$N+60" REST, FIRST,
	    401 },
	{ HS256, "{\"iss\":\"dragoman\",\"exp\":$N+60" REST, FIRST, 401 },
	{ HS256,
	    "{\"iss\":\"dragoman\",\"aud\":[\"x\",\"dragoman-api\"],\"exp\":$N+60" REST,
	    FIRST, 200 },
	{ HS256, "{\"iss\":\"dragoman\",\"aud\":[\"x\",1],\"exp\":$N+60" REST, FIRST,
	    401 },
	{ HS256, "{\"iss\":\"dragoman\",\"aud\":[],\"exp\":$N+60" REST, FIRST, 401 },
	{ HS256, WHO REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":\"$N+60\"" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N-20" REST, FIRST, 200 }, /* 30 s of leeway */
	{ HS256, WHO ",\"exp\":$N-40" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+86400" REST, FIRST, 200 },
	{ HS256, WHO ",\"exp\":$N+86500" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+60.5" REST, FIRST, 200 },
	{ HS256, WHO ",\"exp\":$N+60,\"nbf\":$N+20" REST, FIRST, 200 },
	{ HS256, WHO ",\"exp\":$N+60,\"nbf\":$N+40" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+60,\"nbf\":$N+40.5" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+60,\"nbf\":\"soon\"" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+60,\"iat\":$N+40" REST, FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+60,\"iat\":$N-40" REST, FIRST, 200 },
	{ HS256, WHO ",\"exp\":$N+60,\"sub\":\"x\",\"scope\":\"toys:read\"}", FIRST,
	    401 },
	{ HS256, WHO ",\"exp\":$N+60,\"sub\":\"" ID_NIL "\",\"scope\":\"*\"}", FIRST,
	    401 },
	{ HS256, WHO ",\"exp\":$N+60,\"scope\":\"toys:read\"}", FIRST, 401 },
	{ HS256, WHO ",\"exp\":$N+60,\"sub\":\"$sub\"}", FIRST, 403 }, /* no scope */
	{ HS256, WHO ",\"exp\":$N+60,\"sub\":\"$sub\",\"scope\":\"events:read\"}",
	    FIRST, 403 },
	{ HS256, WHO ",\"exp\":$N+60,\"sub\":\"$sub\",\"scope\":[\"toys:read\"]}",
	    FIRST, 403 },
	{ HS256, "[]", FIRST, 401 },
	{ HS256, "nonsense", FIRST, 401 },
};

START_TEST(a_token_is_as_good_as_each_of_its_claims)
{
	struct response a;

	fixture.bearer =
	    signed_by(tokens[_i].head, filled(tokens[_i].claims), tokens[_i].secret);
	a = ask("GET /toys", NULL);
	answered(a, tokens[_i].status);
}
END_TEST

START_TEST(a_token_names_its_account_in_any_case)
{
	char *claims = arena_str(fixture.mem, filled(GOOD));
	char *sub = strstr(claims, fixture.account);
	struct response a;

	for (int i = 0; i < 36; i++)
		sub[i] = (char)toupper((unsigned char)sub[i]);
	fixture.bearer = signed_by(HS256, claims, FIRST);
	a = ask("GET /toys", NULL);
	answered(a, 200);
}
END_TEST

START_TEST(a_token_without_a_signature_is_nothing)
{
	const char *none = "{\"alg\":\"none\"}", *claims = filled(GOOD);
	const char *const ends[] = { "", ".", ".AAAA", ".." };
	struct response a;

	for (int i = 0; i < COUNT(ends); i++) {
		fixture.bearer = arena_printf(
		    fixture.mem, "Bearer %s.%s%s", part(none), part(claims), ends[i]);
		a = ask("GET /toys", NULL);
		answered(a, 401);
	}
}
END_TEST

START_TEST(the_token_of_a_suspended_account_is_401)
{
	struct response a;

	ck_assert_int_eq(
	    account_set_status(fixture.app.db, fixture.account, "suspended"), OK);
	fixture.bearer = signed_by(HS256, filled(GOOD), FIRST);
	a = ask("GET /toys", NULL);
	answered(a, 401);
}
END_TEST

/* ---- guessing ---- */

START_TEST(guesses_are_429_after_too_many_and_a_good_credential_always_passes)
{
	const char *good = fixture_bearer(fixture.account, "*");
	struct response a = { 0 };

	fixture.app.conf.rate_auth_failures_per_min = 3;
	for (int i = 0; i < 10; i++) {
		fixture.bearer = "Bearer guess";
		a = ask("GET /toys", NULL);
		if (i < 3)
			refused(a, 401, "unauthorized");
		else
			refused(a, 429, "rate-limited");
		fixture.bearer = good;
		ck_assert_int_eq(ask("GET /toys", NULL).status, 200);
	}
	ck_assert_ptr_null(head_of(&a, "WWW-Authenticate"));
	ck_assert_int_ge(atoi(head_of(&a, "Retry-After")), 1);
	ck_assert_int_le(atoi(head_of(&a, "Retry-After")), 60);
}
END_TEST

START_TEST(asking_without_a_credential_is_no_guess)
{
	struct response a = { 0 };

	fixture.app.conf.rate_auth_failures_per_min = 2;
	for (int i = 0; i < 5; i++)
		a = ask("GET /toys", NULL);
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(a_database_that_fails_is_no_wrong_credential)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "*");
	db_fault(fixture.app.db, 1, ERR_BUSY);
	a = ask("GET /toys", NULL);
	refused(a, 503, "service-busy");
	db_fault(fixture.app.db, 1, ERR_FAILED);
	a = ask("GET /toys", NULL);
	refused(a, 500, "internal-server-error");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("auth");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, without_a_credential_a_route_says_that_it_needs_one);
	tcase_add_test(t, a_key_opens_the_routes_of_its_scopes);
	tcase_add_loop_test(t, a_key_that_is_not_quite_one_is_401, 0, 9);
	tcase_add_test(t, the_scheme_and_header_names_are_taken_in_any_case);
	tcase_add_loop_test(t, a_client_pair_is_good_only_whole, 0, COUNT(pairs));
	tcase_add_test(t, a_secret_of_a_pair_is_no_key_and_the_other_way_round);
	tcase_add_test(t, a_revoked_credential_is_unknown);
	tcase_add_test(t, a_suspended_account_has_no_credentials);
	tcase_add_loop_test(
	    t, writing_includes_reading_and_a_star_is_all, 0, COUNT(scopes));
	tcase_add_loop_test(
	    t, a_token_is_as_good_as_each_of_its_claims, 0, COUNT(tokens));
	tcase_add_test(t, a_token_names_its_account_in_any_case);
	tcase_add_test(t, a_token_without_a_signature_is_nothing);
	tcase_add_test(t, the_token_of_a_suspended_account_is_401);
	tcase_add_test(
	    t, guesses_are_429_after_too_many_and_a_good_credential_always_passes);
	tcase_add_test(t, asking_without_a_credential_is_no_guess);
	tcase_add_test(t, a_database_that_fails_is_no_wrong_credential);
	suite_add_tcase(s, t);
	return unit_run(s);
}
