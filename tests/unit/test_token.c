/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens that we make ourselves; test_auth.c tries foreign tokens. */
#include "base/token.h"
#include "tests/livekit-token.h"
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
	ck_assert(!good(new, "k1:new-secret", NOW)); /* kid names another key */
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

/* ---- for a media server ---- */

#define KEYS "APIkey:0123456789abcdef0123456789abcdef old:0123456789abcdef"

/* {"alg":"HS256","kid":"APIkey","typ":"JWT"} */
#define HEAD "eyJhbGciOiJIUzI1NiIsImtpZCI6IkFQSWtleSIsInR5cCI6IkpXVCJ9."

/* Random parts are replaced by $. */
#define CLAIMS(dgm, role, scopes, sid, publish, subscribe, room)                       \
	"{\"aud\":\"stream\",\"dgm\":{" dgm "},\"exp\":1795169994,"                    \
	"\"iss\":\"APIkey\",\"jti\":\"$\",\"nbf\":1795169924,\"role\":\"" role         \
	"\",\"scope\":[" scopes "],\"sid\":\"" sid "\",\"sub\":\"$\",\"video\":{"      \
	"\"canPublish\":" publish ",\"canPublishData\":" publish                       \
	",\"canSubscribe\":" subscribe ",\"room\":\"" room "\",\"roomJoin\":true}}"
#define DGM(role) "\"role\":\"" role "\""
#define WRITES "\"s2s\",\"stt\",\"tts\""

static const struct {
	struct stream_token t;
	const char *claims;
} streams[] = {
	{ { STREAM_PUBLISHER, .sid = "s1", .room = "r1" },
	    CLAIMS(DGM("publisher"), "publisher", WRITES, "s1", "true", "true", "r1") },
	{ { STREAM_PUBLISHER, .sid = "c1", .room = "c1-1", .speaker_version = 3 },
	    CLAIMS(DGM("publisher") ",\"speaker_version\":3", "publisher", WRITES, "c1",
		"true", "true", "c1-1") },
	{ { STREAM_PUBLISHER, .sid = "s1", .room = "r1", .silent = true },
	    CLAIMS(
		DGM("publisher"), "publisher", WRITES, "s1", "true", "false", "r1") },
	{ { STREAM_SUBSCRIBER, .sid = "s1", .room = "r1" },
	    CLAIMS(DGM("subscriber"), "subscriber", "\"s2s\"", "s1", "false", "true",
		"r1") },
	{ { STREAM_LISTENER, .sid = "c1", .room = "c1-1", .event = "e1",
	      .listener = "l1", .language = "de", .code_version = 2 },
	    CLAIMS("\"code_version\":2,\"event_id\":\"e1\",\"language\":\"de\","
		   "\"listener_id\":\"l1\"," DGM("listener"),
		"subscriber", "\"s2s\"", "c1", "false", "true", "c1-1") },
	{ { STREAM_LISTENER, .sid = "c1", .room = "c1-1", .event = "e1",
	      .listener = "l1", .language = "de", .bystander = "screen" },
	    CLAIMS("\"event_id\":\"e1\",\"kind\":\"screen\",\"language\":\"de\","
		   "\"listener_id\":\"l1\"," DGM("listener"),
		"subscriber", "\"s2s\"", "c1", "false", "true", "c1-1") },
	{ { STREAM_LISTENER, .sid = "c1", .room = "c1-1", .event = "e1",
	      .listener = "l1", .language = "de" },
	    CLAIMS(
		"\"event_id\":\"e1\",\"language\":\"de\",\"listener_id\":\"l1\"," DGM(
		    "listener"),
		"subscriber", "\"s2s\"", "c1", "false", "true", "c1-1") },
};

/* Returns the claims after checking the signature. */
static const char *
claims_of(const char *token)
{
	const char *dot = strrchr(token, '.');
	unsigned char sum[SHA256_BYTES];
	size_t n;

	ck_assert_ptr_nonnull(dot);
	hmac("0123456789abcdef0123456789abcdef", 32, token, (size_t)(dot - token), sum);
	ck_assert_str_eq(dot + 1, base64url(mem, sum, sizeof(sum)));
	ck_assert_int_eq(strncmp(token, HEAD, strlen(HEAD)), 0);
	token += strlen(HEAD);
	return (const char *)base64_read(mem, token, (size_t)(dot - token), &n);
}

/* Returns the text with $ in place of uuids, which must all differ. */
static const char *
without_ids(const char *text)
{
	const char *last = "";
	struct buf b = { .mem = mem };

	for (const char *id; *text != '\0'; text++) {
		id = strlen(text) < 36 ? NULL : arena_dup(mem, text, 36);
		if (id == NULL || id_read(mem, id) == NULL) {
			buf_put(&b, text, 1);
			continue;
		}
		ck_assert_str_ne(id, last);
		last = id;
		text += 35;
		buf_str(&b, "$");
	}
	return buf_text(&b);
}

START_TEST(a_stream_token_has_the_grants_of_its_role)
{
	struct stream_token t = streams[_i].t;

	t.expires_us = NOW + 70 * S_US;
	ck_assert_str_eq(without_ids(claims_of(stream_token_make(mem, KEYS, NOW, &t))),
	    streams[_i].claims);
}
END_TEST

START_TEST(a_stream_token_is_read_as_it_was_made)
{
	struct stream_token t = streams[_i].t, back;
	const char *token;

	t.expires_us = NOW + 70 * S_US;
	token = stream_token_make(mem, KEYS, NOW, &t);
	ck_assert(stream_token_check(mem, token, KEYS, NOW, &back));
	ck_assert_int_eq(back.role, t.role);
	ck_assert_str_eq(back.sid, t.sid);
	ck_assert_str_eq(back.room, t.room);
	ck_assert(back.silent == t.silent);
	ck_assert(back.speaks == (t.role == STREAM_PUBLISHER));
	ck_assert_pstr_eq(back.listener, t.listener);
	ck_assert_pstr_eq(back.language, t.language);
	ck_assert_pstr_eq(back.bystander, t.bystander);
	ck_assert_int_eq(back.code_version, t.code_version);
	ck_assert_int_eq(back.speaker_version, t.speaker_version);
	ck_assert_int_eq(back.expires_us, t.expires_us);
	/* A minute of leeway at both ends. */
	ck_assert(stream_token_check(mem, token, KEYS, NOW + 129 * S_US, &back));
	ck_assert(!stream_token_check(mem, token, KEYS, NOW + 131 * S_US, &back));
	ck_assert(stream_token_check(mem, token, KEYS, NOW - 60 * S_US, &back));
	ck_assert(!stream_token_check(mem, token, KEYS, NOW - 62 * S_US, &back));
}
END_TEST

START_TEST(no_other_token_is_a_stream_token)
{
	static const char other[] = "api:"
				    "0123456789abcdef0123456789abcdef";
	struct stream_token t = streams[0].t, back;
	const char *token;
	char *cut;

	t.expires_us = NOW + 70 * S_US;
	token = stream_token_make(mem, other, NOW, &t);
	ck_assert(!stream_token_check(mem, token, KEYS, NOW, &back)); /* iss */
	token = token_make(mem, KEYS, "k1", NOW, 60,
	    &(const struct api_token){ "62f746b4-84e6-4ceb-95bd-447e7184d454", "*" });
	ck_assert(!stream_token_check(mem, token, KEYS, NOW, &back)); /* aud */
	token = stream_token_make(mem, KEYS, NOW, &t);
	cut = arena_str(mem, token);
	cut[strlen(cut) - 3] ^= 1;
	ck_assert(!stream_token_check(mem, cut, KEYS, NOW, &back));
	ck_assert(!stream_token_check(mem, "", KEYS, NOW, &back));
	ck_assert(!stream_token_check(mem, "a.b", KEYS, NOW, &back));
}
END_TEST

/* ---- made by LiveKit's own tools ---- */

#define TIMES "\"exp\":1795169994,\"nbf\":1795169924,\"sub\":\"anna\""
#define VIDEO(more) TIMES ",\"video\":{\"roomJoin\":true,\"room\":\"r1\"" more "}"

static const struct {
	const char *claims;
	bool speaks, sends_data, silent, joins;
} livekits[] = {
	{ VIDEO(""), true, true, false, true },
	{ VIDEO(",\"canPublish\":true,\"canSubscribe\":true"), true, true, false,
	    true },
	{ VIDEO(",\"canPublish\":false"), false, false, false, true },
	{ VIDEO(",\"canPublishData\":false"), true, false, false, true },
	{ VIDEO(",\"canSubscribe\":false"), true, true, true, true },
	{ TIMES ",\"video\":{\"room\":\"r1\"}", true, true, false, false },
	{ TIMES ",\"video\":{\"room\":\"r1\",\"roomCreate\":true,\"roomJoin\":false}",
	    true, true, false, false },
};

START_TEST(a_token_of_livekits_tools_is_read)
{
	struct stream_token t;

	ck_assert(stream_token_check(
	    mem, livekit_token(mem, KEYS, livekits[_i].claims), KEYS, NOW, &t));
	ck_assert_ptr_null(t.sid);
	ck_assert_str_eq(t.room, "r1");
	ck_assert_str_eq(t.identity, "anna");
	ck_assert_int_eq(
	    t.role, livekits[_i].speaks ? STREAM_PUBLISHER : STREAM_SUBSCRIBER);
	ck_assert(t.speaks == livekits[_i].speaks);
	ck_assert(t.sends_data == livekits[_i].sends_data);
	ck_assert(t.silent == livekits[_i].silent);
	ck_assert(t.joins == livekits[_i].joins);
	ck_assert(t.microphone);
}
END_TEST

/* A token of ours without one claim must not be taken for LiveKit's. */
static const char *const no_livekits[] = {
	VIDEO("") ",\"aud\":\"stream\"",
	VIDEO("") ",\"aud\":\"other\"",
	VIDEO("") ",\"aud\":null",
	VIDEO("") ",\"sid\":\"s1\"",
	VIDEO("") ",\"sid\":7",
	VIDEO("") ",\"dgm\":{\"role\":\"publisher\"}",
	VIDEO("") ",\"sid\":\"s1\",\"aud\":\"stream\"",
	VIDEO("") ",\"sid\":\"s1\",\"dgm\":{\"role\":\"publisher\"}",
	"\"exp\":1795169860,\"video\":{\"roomJoin\":true,\"room\":\"r1\"}",
	"\"exp\":1795169994,\"nbf\":1795169990,\"video\":{\"roomJoin\":true}",
	"\"video\":{\"roomJoin\":true,\"room\":\"r1\"}",
};

START_TEST(what_is_neither_ours_nor_livekits_is_refused)
{
	struct stream_token t;

	ck_assert(!stream_token_check(
	    mem, livekit_token(mem, KEYS, no_livekits[_i]), KEYS, NOW, &t));
}
END_TEST

START_TEST(the_key_of_livekits_tools_must_be_ours)
{
	static const char old[] = "old:0123456789abcdef";
	struct stream_token t;

	ck_assert(
	    stream_token_check(mem, livekit_token(mem, old, VIDEO("")), KEYS, NOW, &t));
	ck_assert(!stream_token_check(
	    mem, livekit_token(mem, "old:0123456789abcdeg", VIDEO("")), KEYS, NOW, &t));
	ck_assert(!stream_token_check(mem,
	    livekit_token(mem, "APIkey:0123456789abcdef", VIDEO("")), KEYS, NOW, &t));
	ck_assert(!stream_token_check(
	    mem, livekit_token(mem, "devkey:secret", VIDEO("")), KEYS, NOW, &t));
}
END_TEST

/* ---- the bytes ---- */

/* A token made by another library, libjwt. */
static const char *const by_libjwt[] = {
	"eyJhbGciOiJIUzI1NiIsImtpZCI6ImvDqSIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJkcmFnb"
	"21hbi1hcGkiLCJleHAiOjE3OTUxNjk5ODQsImlzcyI6Imlzc3VlciBcInhcIiIsInNjb3B"
	"lIjoiIiwic3ViIjoiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwIn0.w"
	"R5g0WwrXRwIz8bM3vL0jwQO8XzgfxodINyBDJyEqjk",
	"eyJhbGciOiJIUzI1NiIsImtpZCI6IkFQSWtleSIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJzd"
	"HJlYW0iLCJkZ20iOnsicm9sZSI6InB1Ymxpc2hlciJ9LCJleHAiOjE3OTUxNjk5ODQsIml"
	"zcyI6IkFQSWtleSIsImp0aSI6IjU5NjA1YmY2LTMwZjctNDJjMi05OWZlLTBkNzkzMGM1Y"
	"Tk0MyIsIm5iZiI6MTc5NTE2OTkyNCwicm9sZSI6InB1Ymxpc2hlciIsInNjb3BlIjpbInM"
	"ycyIsInN0dCIsInR0cyJdLCJzaWQiOiJzLTEiLCJzdWIiOiIwN2YzOThlNi00NTI5LTQwN"
	"2QtYmM4OC0yM2Y2OTA3ZGZkODIiLCJ2aWRlbyI6eyJjYW5QdWJsaXNoIjp0cnVlLCJjYW5"
	"QdWJsaXNoRGF0YSI6dHJ1ZSwiY2FuU3Vic2NyaWJlIjp0cnVlLCJyb29tIjoiciBcIjFcI"
	"i9cXFxiXGZcblxyXHRcdTAwMDF_IMOpIOiqniDwn5iAIiwicm9vbUpvaW4iOnRydWV9fQ."
	"pq9ZYTsW7rGra7OThDznvwkWTiYND8W4hfuGAuSMc28",
	"eyJhbGciOiJIUzI1NiIsImtpZCI6IkFQSWtleSIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJzd"
	"HJlYW0iLCJkZ20iOnsiZXZlbnRfaWQiOiJlIiwibGFuZ3VhZ2UiOiJwdC1iciIsImxpc3R"
	"lbmVyX2lkIjoibCIsInJvbGUiOiJsaXN0ZW5lciJ9LCJleHAiOjE3OTUxNjk5ODQsImlzc"
	"yI6IkFQSWtleSIsImp0aSI6IjU5NjA1YmY2LTMwZjctNDJjMi05OWZlLTBkNzkzMGM1YTk"
	"0MyIsIm5iZiI6MTc5NTE2OTkyNCwicm9sZSI6InN1YnNjcmliZXIiLCJzY29wZSI6WyJzM"
	"nMiXSwic2lkIjoicy0xIiwic3ViIjoiMDdmMzk4ZTYtNDUyOS00MDdkLWJjODgtMjNmNjk"
	"wN2RmZDgyIiwidmlkZW8iOnsiY2FuUHVibGlzaCI6ZmFsc2UsImNhblB1Ymxpc2hEYXRhI"
	"jpmYWxzZSwiY2FuU3Vic2NyaWJlIjp0cnVlLCJyb29tIjoici0xIiwicm9vbUpvaW4iOnR"
	"ydWV9fQ.OybcmpFPd98Y40DJ5CzB0vt-pboiwjHJ4C7fWKJoYuc",
};

START_TEST(a_token_is_byte_for_byte_what_libjwt_makes)
{
	struct stream_token t = { .role = STREAM_LISTENER,
		.sid = "s-1",
		.room = "r-1",
		.expires_us = NOW + 60 * S_US,
		.seed = "seed",
		.event = "e",
		.listener = "l",
		.language = "pt-br" };
	const struct api_token none = { .sub = ID_NIL, .scope = "" };

	ck_assert_str_eq(
	    token_make(mem, "k\u00e9:s\u00e9cret", "issuer \"x\"", NOW, 60, &none),
	    by_libjwt[0]);
	ck_assert_str_eq(stream_token_make(mem, KEYS, NOW, &t), by_libjwt[2]);
	t.role = STREAM_PUBLISHER;
	t.room = "r \"1\"/\\\b\f\n\r\t\x01\x7f \u00e9 \u8a9e \U0001f600";
	ck_assert_str_eq(stream_token_make(mem, KEYS, NOW, &t), by_libjwt[1]);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("token");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_made_is_good_until_it_expires);
	tcase_add_test(t, a_token_lives_a_day_at_most);
	tcase_add_test(t, secrets_rotate_without_a_gap);
	tcase_add_loop_test(t, what_is_no_token_is_refused, 0, COUNT(not_tokens));
	tcase_add_test(t, a_token_changed_anywhere_is_refused);
	tcase_add_loop_test(
	    t, a_stream_token_has_the_grants_of_its_role, 0, COUNT(streams));
	tcase_add_loop_test(
	    t, a_stream_token_is_read_as_it_was_made, 0, COUNT(streams));
	tcase_add_test(t, no_other_token_is_a_stream_token);
	tcase_add_loop_test(t, a_token_of_livekits_tools_is_read, 0, COUNT(livekits));
	tcase_add_loop_test(
	    t, what_is_neither_ours_nor_livekits_is_refused, 0, COUNT(no_livekits));
	tcase_add_test(t, the_key_of_livekits_tools_must_be_ours);
	tcase_add_test(t, a_token_is_byte_for_byte_what_libjwt_makes);
	suite_add_tcase(s, t);
	return unit_run(s);
}
