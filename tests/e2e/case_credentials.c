/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Credentials: which are accepted, and their rate limits. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/token.h"
#include "cases.h"
#include "stream.h"

#define PROTECTED "/saas/voice/limits" /* the call needs voices:read */

static struct account me, other;

static void
before(void)
{
	me = account_new("credentials");
	other = account_new("someone else");
}

static const char *
token(const char *user_id, const char *scope, int age_s)
{
	const struct conf *c = settings();

	return token_make(memory(), c->token_secrets, c->token_issuer,
	    now_us() - age_s * S_US, 600, &(struct api_token){ user_id, scope });
}

static const char *
bearer(const char *s)
{
	return text("Authorization: Bearer %s", s);
}

static struct answer
knock(const char *first, const char *second, const char *third)
{
	return ASK(.path = PROTECTED, .headers = { first, second, third });
}

START_TEST(each_of_the_three_credentials_opens_the_door)
{
	struct answer a = knock(bearer(me.api_key), NULL, NULL);

	EXPECT(a, 200);
	a = knock(text("ClientID: %s", me.client_id),
	    text("ClientSecret: %s", me.client_secret), NULL);
	EXPECT(a, 200);
	a = knock(text("clientid: %s", me.client_id),
	    text("CLIENTSECRET: %s", me.client_secret), NULL);
	EXPECT(a, 200);
	a = knock(bearer(DRAGOMAN("token", me.user_id)), NULL, NULL);
	EXPECT(a, 200);
	a = knock(bearer(token(me.user_id, "voices:read", 0)), NULL, NULL);
	EXPECT(a, 200);
	a = knock(text("Authorization: bearer %s", me.api_key), NULL, NULL);
	EXPECT(a, 200);
}
END_TEST

START_TEST(no_credential_is_asked_for_one)
{
	struct answer a = knock(NULL, NULL, NULL);

	expect_problem(&a, 401, "unauthorized");
	ck_assert_str_eq(
	    header_of(&a, "WWW-Authenticate"), "Bearer realm=\"dragoman\"");
	ck_assert_ptr_null(header_of(&a, "RateLimit"));
}
END_TEST

static const char *
spoilt(const char *s, size_t at_byte)
{
	char *t = arena_str(memory(), s);

	t[at_byte] = t[at_byte] == 'A' ? 'B' : 'A';
	return t;
}

static struct answer
bad_knock(int i)
{
	const char *id = text("ClientID: %s", me.client_id);
	const char *secret = text("ClientSecret: %s", me.client_secret);
	const char *good = bearer(me.api_key), *jwt = token(me.user_id, "*", 0);

	switch (i) {
	case 0:
		return knock(bearer(spoilt(me.api_key, 20)), NULL, NULL);
	case 1:
		return knock(bearer(text("%.47s_00000000", me.api_key)), NULL, NULL);
	case 2:
		return knock(id, NULL, NULL);
	case 3:
		return knock(secret, NULL, NULL);
	case 4:
		return knock(id, text("ClientSecret: %s", other.client_secret), NULL);
	case 5:
		return knock("Authorization: Basic YTpi", NULL, NULL);
	case 6:
		return knock(bearer(spoilt(me.api_key, 20)), id,
		    text("ClientSecret: %s", spoilt(me.client_secret, 4)));
	case 7:
		return knock(good, text("ClientID: %s", other.client_id),
		    text("ClientSecret: %s", other.client_secret));
	case 8:
		return knock(bearer(token(me.user_id, "*", 3600)), NULL, NULL);
	case 9:
		return knock(bearer(spoilt(jwt, strlen(jwt) - 10)), NULL, NULL);
	case 10:
		return knock(bearer(token(id_new(memory()), "*", 0)), NULL, NULL);
	case 11: /* alg none */
		return knock(bearer(text("eyJhbGciOiJub25lIn0%.*s",
				 (int)(strrchr(jwt, '.') + 1 - strchr(jwt, '.')),
				 strchr(jwt, '.'))),
		    NULL, NULL);
	case 12:
		return knock("Authorization: Bearer", NULL, NULL);
	case 13:
		return knock(text("Authorization: %s", me.api_key), NULL, NULL);
	default:
		return knock(bearer("dgo_operator"), NULL, NULL);
	}
}

START_TEST(a_bad_credential_is_refused)
{
	struct answer a = bad_knock(_i);

	expect_problem(&a, 401, "unauthorized");
	ck_assert_str_eq(header_of(&a, "WWW-Authenticate"),
	    "Bearer realm=\"dragoman\", error=\"invalid_token\"");
}
END_TEST

START_TEST(a_missing_scope_is_named)
{
	struct account limited = account_limited(&me, "uploads:write voices:read");
	struct answer a = ASK(.path = PROTECTED, .as = &limited);

	EXPECT(a, 200);
	a = CLONE(.as = &limited);
	expect_problem(&a, 403, "insufficient-scope");
	ck_assert_str_eq(header_of(&a, "WWW-Authenticate"),
	    "Bearer realm=\"dragoman\", error=\"insufficient_scope\", "
	    "scope=\"voices:write\"");
	a = ASK(.path = PROTECTED, .headers = { bearer(token(me.user_id, "", 0)) });
	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

START_TEST(to_write_is_to_read)
{
	struct account limited = account_limited(&me, "voices:write");
	struct answer a = ASK(.path = PROTECTED, .as = &limited);

	EXPECT(a, 200);
}
END_TEST

START_TEST(scopes_of_two_credentials_add_up)
{
	struct account files = account_limited(&me, "uploads:write");
	struct account voices = account_limited(&me, "voices:read");
	struct answer a = knock(bearer(files.api_key), NULL, NULL);

	expect_problem(&a, 403, "insufficient-scope");
	a = knock(bearer(files.api_key), text("ClientID: %s", voices.client_id),
	    text("ClientSecret: %s", voices.client_secret));
	EXPECT(a, 200);
	a = knock(bearer(voices.api_key), text("ClientID: %s", voices.client_id),
	    text("ClientSecret: %s", spoilt(voices.client_secret, 4)));
	EXPECT(a, 200);
}
END_TEST

START_TEST(a_revoked_credential_is_unknown_and_so_is_a_suspended_account)
{
	struct account gone = account_new("suspended"), more;
	struct answer a = ASK(.path = PROTECTED, .as = &gone);

	EXPECT(a, 200);
	more = account_limited(&gone, "*");
	DRAGOMAN("key", "revoke", more.client_id);
	a = knock(text("ClientID: %s", more.client_id),
	    text("ClientSecret: %s", more.client_secret), NULL);
	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = PROTECTED, .as = &more); /* the key next to it is another one */
	EXPECT(a, 200);
	DRAGOMAN("account", "suspend", gone.user_id);
	a = ASK(.path = PROTECTED, .as = &gone);
	expect_problem(&a, 401, "unauthorized");
	a = knock(bearer(token(gone.user_id, "*", 0)), NULL, NULL);
	expect_problem(&a, 401, "unauthorized");
	DRAGOMAN("account", "suspend", gone.user_id, "--lift", "yes");
	a = ASK(.path = PROTECTED, .as = &gone);
	EXPECT(a, 200);
}
END_TEST

/* ---- how often ---- */

/* The rate window is a minute of the clock and may end between two calls. */
START_TEST(over_its_rate_an_account_has_to_wait)
{
	struct account slow = account_new("slow");
	struct answer a = { 0 };
	int good = 0, left, t;

	account_plan(&slow, "--requests_per_min", "5");
	for (int i = 0; i < 12 && a.status != 429; i++, good += a.status == 200) {
		a = ASK(.path = PROTECTED, .as = &slow);
		ck_assert_str_eq(
		    header_of(&a, "RateLimit-Policy"), "\"account\";q=5;w=60");
		ck_assert_int_eq(sscanf(header_of(&a, "RateLimit"),
				     "\"account\";r=%d;t=%d", &left, &t),
		    2);
		ck_assert(left >= 0 && left < 5 && t >= 0 && t <= 60);
	}
	expect_problem(&a, 429, "rate-limited");
	ck_assert_int_ge(good, 5);
	t = atoi(header_of(&a, "Retry-After"));
	ck_assert(t > 0 && t <= 60);
	ck_assert_int_eq(left, 0);
	a = CLONE(.as = &slow); /* all programs share one count */
	expect_problem(&a, 429, "rate-limited");
	a = ASK(.path = PROTECTED, .as = &me); /* other accounts are not affected */
	EXPECT(a, 200);
	a = ASK(.path = "/health", .as = &slow);
	EXPECT(a, 200);
}
END_TEST

/* Guesses keys from that address until 429; returns the number of guesses. */
static int
guess_from(const char *address)
{
	struct answer a = { 0 };
	int guesses = 0;

	while (a.status != 429 && guesses < 1300) {
		a = ASK(.path = PROTECTED, .from = address,
		    .headers = { bearer("guess") });
		ck_assert_msg(a.status == 401 || a.status == 429, "%s", shown(&a));
		guesses++;
	}
	expect_problem(&a, 429, "rate-limited");
	ck_assert_ptr_nonnull(header_of(&a, "Retry-After"));
	return guesses;
}

/* From an address of its own, so that other cases are not limited. */
START_TEST(an_address_that_guesses_slows_down_its_guesses_alone)
{
	const char *from = "X-Forwarded-For: 127.0.0.3";
	const char *gateway =
	    text("ws://%s/streaming-api/x/v1/speech-to-speech/stream?token=",
		settings()->stream_listen);
	struct session s = session_new(&me, NULL);
	struct answer a;

	ck_assert_int_gt(guess_from("127.0.0.3"), 600);
	a = ASK(.path = PROTECTED, .as = &me, .from = "127.0.0.3");
	EXPECT(a, 200);
	a = stream_refused(text("%sguess", gateway), from, NULL);
	expect_problem(&a, 429, "rate-limited");
	start_task(stream_call(text("%s%s", gateway, s.publisher),
		       (const char *const[]){ from, NULL }),
	    TASK);
	start_task(stream_call(text("%s%s", gateway, me.api_key),
		       (const char *const[]){ from, NULL }),
	    TASK);
	a = ASK(.path = PROTECTED, .headers = { bearer("guess") });
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

Suite *
credentials_suite(void)
{
	TCase *t;
	Suite *s = suite_of("credentials", before, &t);

	tcase_add_test(t, each_of_the_three_credentials_opens_the_door);
	tcase_add_test(t, no_credential_is_asked_for_one);
	tcase_add_loop_test(t, a_bad_credential_is_refused, 0, 15);
	tcase_add_test(t, a_missing_scope_is_named);
	tcase_add_test(t, to_write_is_to_read);
	tcase_add_test(t, scopes_of_two_credentials_add_up);
	tcase_add_test(
	    t, a_revoked_credential_is_unknown_and_so_is_a_suspended_account);
	tcase_add_test(t, over_its_rate_an_account_has_to_wait);
	tcase_add_test(t, an_address_that_guesses_slows_down_its_guesses_alone);
	return s;
}
