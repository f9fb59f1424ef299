/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passkeys, with an authenticator of the test's own. */
#define UNIT_TEST
#include "tests/unit/keys_fixture.h"

#include "tests/unit/authenticator.h"

#define OPTIONS "POST /auth/passkey/options"
#define ADD "POST /auth/passkey"

static const char *olga, *key;

static const char *
signed_in(void)
{
	struct response a;

	fixture.bearer = NULL;
	a = ask(TOKEN, FORMAT("{\"data\":{\"link\":\"%s\"}}", link_new("*")));
	answered(a, 201);
	return FORMAT("Bearer %s", kept(&a, "/data/token"));
}

static void
setup(void)
{
	struct member m = { .name = "Olga", .role = ROLE_OWNER, .status = "active" };

	keys_setup();
	m.account = fixture.account;
	ck_assert_int_eq(member_add(fixture.app.db, fixture.mem, &m), OK);
	key = fixture.bearer;
	olga = signed_in();
}

/* A challenge for the holder of a credential; NULL: to sign in. */
static const char *
challenge(const char *bearer)
{
	struct response a;

	fixture.bearer = bearer;
	a = ask(OPTIONS, NULL);
	answered(a, 200);
	is(a, "/data/kind", bearer != NULL ? "create" : "get");
	return kept(&a, "/data/public_key/challenge");
}

static struct response
send_new(const char *passkey)
{
	fixture.bearer = olga;
	return ask(
	    ADD, FORMAT("{\"data\":{\"name\":\"Laptop\",\"passkey\":%s}}", passkey));
}

static struct response
send_use(const char *passkey)
{
	fixture.bearer = NULL;
	return ask(TOKEN, FORMAT("{\"data\":{\"passkey\":%s}}", passkey));
}

static const char *
added(struct authenticator *a)
{
	struct response r = send_new(created(a, challenge(olga)));

	answered(r, 201);
	return kept(&r, "/data/passkey_id");
}

static struct response
used(struct authenticator *a)
{
	a->count += a->count > 0;
	return send_use(got(a, challenge(NULL)));
}

#define REFUSED(a, status, slug, sentence)                                             \
	do {                                                                           \
		refused(a, status, slug);                                              \
		ck_assert_msg(strstr((a).body, sentence) != NULL, "%s", (a).body);     \
	} while (0)

START_TEST(a_passkey_signs_its_member_in)
{
	static const int algorithms[] = { -7, -8, -257 };
	struct authenticator au = authenticator_new(algorithms[_i]);
	struct response a;

	added(&au);
	a = used(&au);
	answered(a, 201);
	is(a, "/data/scope", "*");
	fixture.bearer = FORMAT("Bearer %s", kept(&a, "/data/token"));
	a = ask(ME, NULL);
	is(a, "/data/member/name", "Olga");
	a = ask("GET /auth/passkeys", NULL);
	is(a, "/data/0/name", "Laptop");
	ck_assert_str_ne(said(&a, "/data/0/last_used_at"), "null");
	ck_assert_ptr_null(strstr(a.body, "credential"));
	a = used(&au);
	answered(a, 201);
}
END_TEST

START_TEST(the_options_are_those_of_webauthn)
{
	struct response a;

	fixture.bearer = olga;
	a = ask(OPTIONS, NULL);
	is(a, "/data/public_key/rp/id", "speech.example.org");
	is(a, "/data/public_key/user/name", "Olga");
	is(a, "/data/public_key/attestation", "none");
	is(a, "/data/public_key/authenticatorSelection/userVerification", "required");
	is(a, "/data/public_key/pubKeyCredParams/0/alg", "-7");
	is(a, "/data/public_key/timeout", "300000");
	fixture.bearer = NULL;
	a = ask(OPTIONS, NULL);
	is(a, "/data/public_key/rpId", "speech.example.org");
	is(a, "/data/public_key/userVerification", "required");
	is(a, "/data/public_key/user", "(none)");
}
END_TEST

START_TEST(a_challenge_is_good_once)
{
	struct authenticator au = authenticator_new(-7), other = authenticator_new(-7);
	const char *first = challenge(olga), *older = challenge(NULL), *sent;
	struct response a = send_new(created(&au, first));

	answered(a, 201);
	a = send_new(created(&other, first));
	refused(a, 409, "link-used");
	sent = got(&au, challenge(NULL));
	a = send_use(sent);
	answered(a, 201);
	a = send_use(sent);
	refused(a, 409, "link-used");
	a = send_use(got(&au, older));
	refused(a, 409, "link-used");
	ck_assert_int_eq(number("SELECT count(*) FROM credentials"
				" WHERE label = 'passkey'"),
	    1);
}
END_TEST

/* A challenge signed here, with this age. */
static const char *
challenge_aged(int64_t s)
{
	unsigned char is[56], secret[SHA256_BYTES];
	int64_t made_us = now_us() - s * S_US;
	const char *text;

	put_be32(is, (uint32_t)(made_us >> 32));
	put_be32(is + 4, (uint32_t)made_us);
	random_bytes(is + 8, 16);
	text = FORMAT(" %s %s", hex(fixture.mem, is, 8), hex(fixture.mem, is + 8, 16));
	conf_key(&fixture.app.conf, "passkey challenges", secret);
	hmac(secret, sizeof(secret), text, strlen(text), is + 24);
	return base64url(fixture.mem, is, sizeof(is));
}

START_TEST(a_challenge_is_good_for_five_minutes)
{
	struct authenticator au = authenticator_new(-7);
	struct response a;

	added(&au);
	sql("UPDATE passkeys SET challenge_us = 0");
	a = send_use(got(&au, challenge_aged(301)));
	REFUSED(a, 401, "unauthorized", "older than five minutes");
	a = send_use(got(&au, "AAAA"));
	REFUSED(a, 401, "unauthorized", "challenge is unknown");
	a = send_use(got(&au, challenge(olga))); /* for another purpose */
	REFUSED(a, 401, "unauthorized", "challenge is unknown");
	a = send_use(got(&au, challenge_aged(290)));
	answered(a, 201);
}
END_TEST

START_TEST(a_passkey_of_another_host_gets_a_sentence)
{
	struct authenticator au = authenticator_new(-7);
	struct response a;

	added(&au);
	au.origin = "https://evil.example.org";
	a = used(&au);
	REFUSED(a, 401, "unauthorized", "another address than https://speech");
	au.origin = "https://speech.example.org";
	au.host = "evil.example.org";
	a = used(&au);
	REFUSED(a, 401, "unauthorized", "another host than speech.example.org");
	au = authenticator_new(-7);
	au.host = "evil.example.org";
	a = send_new(created(&au, challenge(olga)));
	REFUSED(a, 422, "validation-error", "another host than speech.example.org");
}
END_TEST

START_TEST(the_user_must_be_verified)
{
	struct authenticator au = authenticator_new(-7), lazy = authenticator_new(-7);
	struct response a;

	added(&au);
	au.flags = 0x01;
	a = used(&au);
	REFUSED(a, 401, "unauthorized", "did not verify its user");
	lazy.flags = 0x01;
	a = send_new(created(&lazy, challenge(olga)));
	REFUSED(a, 422, "validation-error", "did not verify its user");
}
END_TEST

START_TEST(a_counter_that_goes_back_is_refused)
{
	struct authenticator au = authenticator_new(-7);
	struct response a;

	au.count = 5;
	added(&au);
	a = used(&au);
	answered(a, 201);
	au.count = 4;
	a = used(&au); /* 5 was used at the registration, 6 since */
	REFUSED(a, 401, "unauthorized", "may be a copy");
	au.count = 0;
	a = send_use(got(&au, challenge(NULL)));
	REFUSED(a, 401, "unauthorized", "may be a copy");
	au.count = 6;
	a = used(&au);
	answered(a, 201);
}
END_TEST

START_TEST(a_wrong_signature_or_passkey_counts_as_a_guess)
{
	struct authenticator au = authenticator_new(-7), thief = authenticator_new(-7);
	struct response a;

	added(&au);
	memcpy(thief.id, au.id, sizeof(thief.id));
	a = used(&thief);
	REFUSED(a, 401, "unauthorized", "signature is wrong");
	thief = authenticator_new(-7);
	a = used(&thief);
	REFUSED(a, 401, "unauthorized", "unknown, or was removed");
	a = send_use("{}");
	REFUSED(a, 401, "unauthorized", "unknown, or was removed");
	fixture.app.conf.rate_auth_failures_per_min = 4;
	a = used(&thief);
	refused(a, 401, "unauthorized");
	a = used(&thief);
	refused(a, 429, "rate-limited");
	a = used(&au);
	answered(a, 201);
}
END_TEST

START_TEST(a_key_has_no_passkeys)
{
	struct authenticator au = authenticator_new(-7);
	const char *sent = created(&au, challenge(olga));
	struct response a;

	fixture.bearer = key;
	a = ask(OPTIONS, NULL);
	refused(a, 403, "insufficient-scope");
	a = ask(ADD, FORMAT("{\"data\":{\"passkey\":%s}}", sent));
	refused(a, 403, "insufficient-scope");
	a = ask("GET /auth/passkeys", NULL);
	refused(a, 403, "insufficient-scope");
	a = send_new(created(&au, challenge(NULL))); /* for signing in */
	REFUSED(a, 422, "validation-error", "challenge is unknown");
}
END_TEST

START_TEST(passkeys_need_https_and_a_name)
{
	static const char *const bases[] = { "http://speech.example.org",
		"https://192.0.2.7", "https://192.0.2.7:8443",
		"https://[2001:db8::1]" };
	struct response a;

	for (int i = 0; i < COUNT(bases); i++) {
		fixture.app.conf.server_base_url = bases[i];
		fixture.bearer = NULL;
		a = ask(OPTIONS, NULL);
		ck_assert_int_eq(a.status, 404);
		ck_assert_ptr_nonnull(strstr(a.body, "https and a name"));
		a = ask(TOKEN, "{\"data\":{\"passkey\":{}}}");
		ck_assert_int_eq(a.status, 404);
	}
}
END_TEST

START_TEST(whatever_is_sent_instead_of_a_passkey_is_refused)
{
	struct authenticator au = authenticator_new(-7);
	struct buf object = attestation_of(&au);
	struct response a;

	for (size_t n = 0; n < object.len; n += n < 60 ? 1 : 7) {
		a = send_new(created_with(&au, challenge(olga), object.p, n));
		refused(a, 422, "validation-error");
	}
	for (size_t i = 0; i < object.len; i += 3) {
		object.p[i] ^= 0x55;
		a = send_new(created_with(&au, challenge(olga), object.p, object.len));
		ck_assert_msg(a.status == 422 || a.status == 201, "%d", a.status);
		object.p[i] ^= 0x55;
		sql("DELETE FROM passkeys");
	}
	a = send_new("{\"response\":{\"clientDataJSON\":7}}");
	refused(a, 422, "validation-error");
	a = send_new("[]");
	refused(a, 422, "validation-error");
}
END_TEST

START_TEST(a_stranger_takes_no_room)
{
	const char *before = everything();

	for (int i = 0; i < 50; i++)
		challenge(NULL);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_member_has_at_most_twenty)
{
	struct authenticator au = authenticator_new(-7);
	struct response a;

	for (int i = 0; i < PASSKEYS_MOST; i++) {
		random_bytes(au.id, sizeof(au.id));
		added(&au);
	}
	random_bytes(au.id, sizeof(au.id));
	a = send_new(created(&au, challenge(olga)));
	refused(a, 403, "key-limit-reached");
}
END_TEST

START_TEST(a_removed_passkey_is_refused)
{
	struct authenticator au = authenticator_new(-7), other = authenticator_new(-7);
	const char *id = added(&au);
	struct response a;

	a = send_new(created(&au, challenge(olga)));
	refused(a, 409, "link-used"); /* it is known */
	added(&other);
	fixture.bearer = olga;
	a = ask(FORMAT("DELETE /auth/passkey/%s", id), NULL);
	answered(a, 200);
	a = ask(FORMAT("DELETE /auth/passkey/%s", id), NULL);
	refused(a, 404, "resource-not-found");
	a = used(&au);
	refused(a, 401, "unauthorized");
	sql("UPDATE members SET name = name || '', role = 'owner'");
	sql(FORMAT("INSERT INTO members SELECT '%s', account, created_us, 'Bo', role,"
		   " status FROM members",
	    id));
	fixture.bearer = key;
	a = ask(FORMAT("DELETE /saas/member/%s",
		    arena_dup(fixture.mem,
			sql("SELECT id FROM members WHERE name = 'Olga'"), 36)),
	    NULL);
	answered(a, 200);
	ck_assert_int_eq(number("SELECT count(*) FROM passkeys"), 0);
	a = used(&other);
	refused(a, 401, "unauthorized");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("passkeys");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(t, a_passkey_signs_its_member_in, 0, 3);
	tcase_add_test(t, the_options_are_those_of_webauthn);
	tcase_add_test(t, a_challenge_is_good_once);
	tcase_add_test(t, a_challenge_is_good_for_five_minutes);
	tcase_add_test(t, a_passkey_of_another_host_gets_a_sentence);
	tcase_add_test(t, the_user_must_be_verified);
	tcase_add_test(t, a_counter_that_goes_back_is_refused);
	tcase_add_test(t, a_wrong_signature_or_passkey_counts_as_a_guess);
	tcase_add_test(t, a_key_has_no_passkeys);
	tcase_add_test(t, passkeys_need_https_and_a_name);
	tcase_add_test(t, whatever_is_sent_instead_of_a_passkey_is_refused);
	tcase_add_test(t, a_stranger_takes_no_room);
	tcase_add_test(t, a_member_has_at_most_twenty);
	tcase_add_test(t, a_removed_passkey_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
