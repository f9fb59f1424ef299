/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WHIP and WHEP: encoders that speak on a channel, players that listen to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "offers.h"
#include "stream.h"
#include "talk.h"

#define OTHER_CREDENTIALS "a=ice-ufrag:efgh\r\na=ice-pwd:9876543210987654321098\r\n"
#define FRAGMENT "application/trickle-ice-sdpfrag"

/* ---- requests ---- */

struct call {
	const char *method; /* NULL: POST */
	const char *path, *token, *type, *body, *header;
};
#define CALL(...) call(&(const struct call){ __VA_ARGS__ })

static struct answer
call(const struct call *c)
{
	return ASK(.method = c->method != NULL ? c->method : "POST", .path = c->path,
	    .type = c->type, .body = { c->body, c->body != NULL ? strlen(c->body) : 0 },
	    .headers = { c->token != NULL ? text("Authorization: Bearer %s", c->token)
					  : "X-Nothing: 1",
		c->header });
}

static const char *
whip_path(const struct talk *h)
{
	return text("/whip/%s", h->channel);
}

static const char *
whep_path(const struct talk *h)
{
	return text("/whep/%s", h->channel);
}

static const char *
speaker_token(const struct talk *h)
{
	return strchr(h->speaker_url, '=') + 1;
}

static struct answer
post_whip(const struct talk *h, const char *offer)
{
	return CALL(.path = whip_path(h), .token = speaker_token(h), .type = OFFER,
	    .body = offer);
}

/* ---- media ---- */

struct paid {
	const struct account *account;
	double before; /* credits */
};

static bool
has_paid(const void *of)
{
	const struct paid *p = of;

	return balance_of(p->account) < p->before;
}

static FILE *
start_peer(const char *options, const char *path, const char *token)
{
	FILE *f = popen(text("exec %s --whip %s %s%s %s", getenv("E2E_WEBRTC_CLIENT"),
			    options, instance()->base_url, path, token),
	    "r");

	ck_assert_ptr_nonnull(f);
	return f;
}

/* Reads the peer's output to its end; returns its report. */
static json_t *
report_of(FILE *f)
{
	char line[8192], last[8192] = "";

	while (fgets(line, sizeof(line), f) != NULL)
		memcpy(last, line, sizeof(last));
	ck_assert_int_eq(pclose(f), 0);
	return json_loads(last, 0, NULL);
}

/*
 * Both restart ICE meanwhile. The encoder's first words arrive when it has spoken them,
 * and the player's sound comes with those of the socket.
 */
START_TEST(an_encoder_speaks_and_a_player_listens)
{
	struct talk h = talk_open("");
	double credits = balance_of(&h.owner), began;
	FILE *player = start_peer("--listen-only --seconds 60 --until 0,50 "
				  "--cut-signalling-at 1",
	    text("%s?language=es", whep_path(&h)), h.token);
	FILE *encoder;
	json_t *report;

	hear_state(h.es, "break", 5);
	nap(1.5);
	began = seconds();
	encoder = start_peer(
	    text("--seconds 9 --cut-signalling-at 3 --speak %s", tone_file(8, 0.6, 1)),
	    whip_path(&h), speaker_token(&h));
	hear_state(h.es, "live", 10);
	printf("WHIP: live after %.2f s\n", seconds() - began);
	ck_assert_str_eq(talk_text(&h, 10), "[es] hello world");
	printf("WHIP: the first text after %.2f s\n", seconds() - began);
	report = report_of(player);
	ck_assert_int_ge(int_at(report, "data.tracks.0.packets"), 50);
	report = report_of(encoder);
	ck_assert_int_ge(int_at(report, "data.spoken_packets"), 400);
	for (int i = 0; i < 3; i++) /* also after the restart */
		ck_assert_str_eq(talk_text(&h, 10), "[es] hello world");
	ck_assert(becomes(has_paid, &(const struct paid){ &h.owner, credits }, 20));
}
END_TEST

/* In a pause. MediaMTX leaves after two seconds without a packet. */
START_TEST(a_player_gets_a_packet_at_once)
{
	struct talk h = talk_open("");
	FILE *player;
	json_t *report;

	talk_say(&h);
	ck_assert_str_eq(talk_text(&h, 10), "[es] hello world");
	hear_speech(h.es, "es", 10);
	nap(1);
	player = start_peer("--listen-only --seconds 5 --until 0,1",
	    text("%s?language=es", whep_path(&h)), h.token);
	report = report_of(player);
	ck_assert_int_ge(int_at(report, "data.tracks.0.packets"), 1);
}
END_TEST

/* The player gets it as it is spoken: the phrase never ends. */
START_TEST(a_player_hears_the_original)
{
	struct talk h = talk_open("");
	FILE *player = start_peer("--listen-only --seconds 20 --until 0,50",
	    text("%s?language=original", whep_path(&h)), h.token);
	FILE *encoder;
	json_t *report;

	hear_state(h.es, "break", 5);
	nap(1);
	encoder = start_peer(text("--seconds 5 --speak %s", tone_file(4, 4, 0)),
	    whip_path(&h), speaker_token(&h));
	report = report_of(player);
	ck_assert_int_ge(int_at(report, "data.tracks.0.packets"), 50);
	report_of(encoder);
}
END_TEST

START_TEST(a_peer_by_tcp_speaks)
{
	struct talk h = talk_open("");
	FILE *encoder =
	    start_peer(text("--tcp --seconds 5 --speak %s", tone_file(3, 0.6, 1)),
		whip_path(&h), speaker_token(&h));

	ck_assert_str_eq(talk_text(&h, 10), "[es] hello world");
	report_of(encoder);
}
END_TEST

/* ---- resources ---- */

/* Each status that a change may have. */
static void
patch_resource(const char *it, const char *token)
{
	static const struct {
		const char *type, *body, *header;
		int status;
		const char *slug; /* NULL: no problem */
	} rows[] = {
		{ FRAGMENT, CREDENTIALS, "If-Match: \"v1\"", 204, NULL },
		{ FRAGMENT, CREDENTIALS, NULL, 428, "precondition-required" },
		{ FRAGMENT, CREDENTIALS, "If-Match: \"v0\"", 412, "stale-version" },
		{ FRAGMENT, CREDENTIALS, "If-Match: v1", 400, "bad-request" },
		{ OFFER, CREDENTIALS, "If-Match: *", 415, "unsupported-media-type" },
		{ FRAGMENT, "a=mid:0\r\n", "If-Match: *", 400, "bad-request" },
		{ FRAGMENT, OTHER_CREDENTIALS, "If-Match: *", 200, NULL },
		{ FRAGMENT, OTHER_CREDENTIALS, "If-Match: \"v1\"", 412,
		    "stale-version" },
	};
	struct answer a;

	for (int i = 0; i < ROWS(rows); i++) {
		a = CALL(.method = "PATCH", .path = it, .token = token,
		    .type = rows[i].type, .body = rows[i].body,
		    .header = rows[i].header);
		if (rows[i].slug != NULL)
			expect_problem(&a, rows[i].status, rows[i].slug);
		EXPECT(a, rows[i].status);
		if (rows[i].status != 200) /* new credentials restart ICE */
			continue;
		ck_assert_str_eq(header_of(&a, "ETag"), "\"v2\"");
		ck_assert_str_eq(header_of(&a, "Content-Type"), FRAGMENT);
		ck_assert_ptr_nonnull(strstr(a.body, "a=ice-pwd:"));
		ck_assert_ptr_nonnull(strstr(a.body, "a=candidate:"));
	}
	a = CALL(.method = "PATCH", .path = it, .token = token, .type = FRAGMENT,
	    .body = same_bytes_of('x', 100000).p, .header = "If-Match: *");
	expect_problem(&a, 413, "payload-too-large");
}

static const char *const changes[] = { "PATCH", "DELETE" };

/* _i: 0 WHIP, 1 WHEP */
START_TEST(a_resource_is_made_changed_and_ended)
{
	struct talk h = talk_open("");
	const char *token = _i == 0 ? speaker_token(&h) : h.token, *it;
	const char *other = _i == 0 ? h.token : speaker_token(&h);
	struct answer a = CALL(.path = _i == 0 ? whip_path(&h) : whep_path(&h),
	    .token = token, .type = OFFER, .body = _i == 0 ? SPEAKS : LISTENS);

	EXPECT(a, 201);
	it = header_of(&a, "Location");
	ck_assert_ptr_eq(strstr(it, instance()->base_url), it);
	ck_assert_str_eq(header_of(&a, "ETag"), "\"v1\"");
	ck_assert_str_eq(header_of(&a, "Content-Type"), OFFER);
	ck_assert_ptr_nonnull(strstr(a.body, "a=ice-lite\r\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "a=group:BUNDLE 0\r\n"));
	ck_assert_ptr_nonnull(
	    strstr(a.body, _i == 0 ? "a=recvonly\r\n" : "a=sendonly\r\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "a=setup:passive\r\n"));
	ck_assert_ptr_nonnull(strstr(a.body, " tcptype passive\r\n"));
	patch_resource(it, token);
	a = CALL(.method = "PATCH", .path = it, .token = other, .type = FRAGMENT,
	    .body = CREDENTIALS, .header = "If-Match: *");
	expect_problem(&a, 403, "insufficient-scope");
	for (int i = 0; i < ROWS(changes); i++) {
		a = CALL(.method = changes[i], .path = it, .token = "x.y.z",
		    .type = FRAGMENT, .body = CREDENTIALS, .header = "If-Match: *");
		expect_problem(&a, 401, "unauthorized");
	}
	a = CALL(.method = "DELETE", .path = it, .token = other);
	expect_problem(&a, 403, "insufficient-scope");
	a = CALL(.method = "DELETE", .path = it, .token = token);
	EXPECT(a, 200);
	for (int i = 0; i < ROWS(changes); i++) {
		a = CALL(.method = changes[i], .path = it, .token = token,
		    .type = FRAGMENT, .body = CREDENTIALS, .header = "If-Match: *");
		expect_problem(&a, 404, "resource-not-found");
	}
}
END_TEST

struct ended {
	const char *path, *token;
};

static bool
has_ended(const void *of)
{
	const struct ended *e = of;
	struct answer a = CALL(.method = "PATCH", .path = e->path, .token = e->token,
	    .type = FRAGMENT, .body = CREDENTIALS, .header = "If-Match: \"v1\"");

	return a.status == 404;
}

START_TEST(a_second_encoder_replaces_the_first)
{
	struct talk h = talk_open("");
	struct answer first = post_whip(&h, SPEAKS), second = post_whip(&h, SPEAKS);
	struct ended e = { header_of(&first, "Location"), speaker_token(&h) };

	EXPECT(first, 201);
	EXPECT(second, 201);
	ck_assert(becomes(has_ended, &e, 5));
	e.path = header_of(&second, "Location");
	ck_assert(!has_ended(&e));
	hear_close(h.speaker, 1008, 5, NULL); /* so was the speaker's socket */
}
END_TEST

/* ---- refusals ---- */

/* _i: 0 WHIP, 1 WHEP */
START_TEST(unfit_offers_are_refused)
{
	static const struct {
		const char *type, *body;
		int status;
		const char *slug;
	} rows[] = {
		{ OFFER, HEAD TRANSPORT, 400, "bad-request" },
		{ OFFER, HEAD VIDEO TRANSPORT, 422, "validation-error" },
		{ OFFER, HEAD AUDIO("0", "sendonly") TRANSPORT, 422,
		    "validation-error" },
		{ OFFER, HEAD AUDIO("9", "sendonly") CREDENTIALS, 400, "bad-request" },
		{ OFFER, "hello", 400, "bad-request" },
		{ OFFER, NULL, 400, "bad-request" },
		{ "application/json", SPEAKS, 415, "unsupported-media-type" },
		{ NULL, SPEAKS, 415, "unsupported-media-type" },
	};
	struct talk h = talk_open("");
	const char *path = _i == 0 ? whip_path(&h) : whep_path(&h),
		   *token = _i == 0 ? speaker_token(&h) : h.token;
	struct answer a;

	for (int i = 0; i < ROWS(rows); i++) {
		a = CALL(.path = path, .token = token, .type = rows[i].type,
		    .body = rows[i].body);
		expect_problem(&a, rows[i].status, rows[i].slug);
	}
	a = CALL(.path = path, .token = token, .type = OFFER,
	    .body = text("%s%s", SPEAKS, same_bytes_of('x', 100000).p));
	expect_problem(&a, 413, "payload-too-large");
	a = CALL(.path = path, .token = token, .type = OFFER, /* the wrong way */
	    .body = _i == 0 ? LISTENS : SPEAKS);
	expect_problem(&a, 422, "validation-error");
	a = post_whip(&h, HEAD AUDIO("0", "sendonly\r\na=bundle-only") TRANSPORT);
	EXPECT(a, 201); /* port 0 is no refusal then */
}
END_TEST

START_TEST(a_client_that_comes_too_often_is_told_when_to_return)
{
	struct talk h = talk_open("");
	struct answer a = { .status = 201 };
	int times = 0;

	while (a.status == 201 && times++ < 25)
		a = post_whip(&h, SPEAKS);
	ck_assert_int_ge(times, 19); /* the speaker's socket counts, too */
	expect_problem(&a, 429, "rate-limited");
	ck_assert_str_eq(header_of(&a, "Retry-After"), "60");
	ck_assert_str_eq(header_of(&a, "Access-Control-Allow-Origin"), "*");
}
END_TEST

START_TEST(the_input_of_a_channel_names_the_address)
{
	struct talk h = talk_open("");
	struct answer a =
	    ASK(.path = text("/saas/channel/%s", h.channel), .as = &h.owner);

	ck_assert_str_eq(text_at(a.json, "data.input.whip_url"),
	    text("%s%s", instance()->base_url, whip_path(&h)));
	a = CALL(.path = whip_path(&h), .token = text_at(a.json, "data.input.token"),
	    .type = OFFER, .body = SPEAKS);
	EXPECT(a, 201);
}
END_TEST

START_TEST(tokens_of_others_are_refused)
{
	static const char *const no_targets[] = { "ja", "all", "klingon" };
	struct talk h = talk_open(""), other = talk_open("");
	const struct {
		const char *path, *token;
		int status;
		const char *slug;
	} rows[] = {
		{ whip_path(&h), NULL, 401, "unauthorized" },
		{ whip_path(&h), "x.y.z", 401, "unauthorized" },
		{ whip_path(&h), h.owner.api_key, 401, "unauthorized" },
		{ whip_path(&h), speaker_token(&other), 403, "insufficient-scope" },
		{ whip_path(&h), h.token, 403, "insufficient-scope" },
		{ whep_path(&h), speaker_token(&h), 403, "insufficient-scope" },
		{ whep_path(&h), other.token, 403, "insufficient-scope" },
		{ "/whep/none", h.token, 404, "resource-not-found" },
		{ "/whip/none", speaker_token(&h), 404, "resource-not-found" },
		{ "/whip/%2e%2e", speaker_token(&h), 404, "resource-not-found" },
		{ "/whip/x/y/z", speaker_token(&h), 404, "resource-not-found" },
	};
	struct answer a;

	for (int i = 0; i < ROWS(rows); i++) {
		a = CALL(.path = rows[i].path, .token = rows[i].token, .type = OFFER,
		    .body = SPEAKS);
		expect_problem(&a, rows[i].status, rows[i].slug);
	}
	for (int i = 0; i < ROWS(no_targets); i++) {
		a = CALL(.path = text("%s?language=%s", whep_path(&h), no_targets[i]),
		    .token = h.token, .type = OFFER, .body = LISTENS);
		expect_problem(&a, 422, "validation-error");
	}
	a = CALL(.method = "GET", .path = whip_path(&h), .token = speaker_token(&h));
	expect_problem(&a, 405, "method-not-allowed");
}
END_TEST

/* _i: the event has an access code. */
START_TEST(a_player_joins_without_a_token)
{
	struct talk h = talk_open("");
	struct answer a, wrong;
	const char *it;

	if (_i == 1) {
		a = ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", h.event),
		    .as = &h.owner, .json = "{\"data\":{\"access_code\":\"sesame\"}}");
		EXPECT(a, 200);
	}
	a = CALL(.path = text("%s?language=es", whep_path(&h)), .type = OFFER,
	    .body = LISTENS);
	wrong = CALL(.path = text("%s?code=simsim", whep_path(&h)), .type = OFFER,
	    .body = LISTENS);
	if (_i == 1) {
		expect_problem(&a, 403, "access-code-required");
		expect_problem(&wrong, 403, "access-code-required");
		a = CALL(.path = text("%s?language=es&code=sesame", whep_path(&h)),
		    .type = OFFER, .body = LISTENS);
	}
	EXPECT(a, 201);
	it = header_of(&a, "Location");
	a = CALL(.method = "DELETE", .path = it);
	EXPECT(a, 200);
	a = CALL(.path = whip_path(&h), .type = OFFER, .body = SPEAKS);
	expect_problem(&a, 401, "unauthorized");
	a = ASK(.path = "/saas/channel", .as = &h.owner,
	    .json = "{\"data\":{\"type\":\"standalone\",\"name\":\"Hall\"}}");
	EXPECT(a, 201);
	a = CALL(.path = text("/whep/%s", text_at(a.json, "data.channel_id")),
	    .type = OFFER, .body = LISTENS);
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

START_TEST(pages_of_other_origins_may_call)
{
	struct talk h = talk_open("");
	struct answer a = ASK(.method = "OPTIONS", .path = whip_path(&h),
	    .headers = { "Origin: https://example.org",
		"Access-Control-Request-Method: POST",
		"Access-Control-Request-Headers: authorization,content-type" });

	EXPECT(a, 204);
	ck_assert_str_eq(
	    header_of(&a, "Access-Control-Allow-Methods"), "POST, OPTIONS");
	ck_assert_str_eq(header_of(&a, "Accept-Post"), OFFER);
	a = post_whip(&h, SPEAKS);
	EXPECT(a, 201);
	ck_assert_str_eq(header_of(&a, "Access-Control-Allow-Origin"), "*");
	ck_assert_ptr_nonnull(
	    strstr(header_of(&a, "Access-Control-Expose-Headers"), "Location"));
}
END_TEST

Suite *
whip_suite(void)
{
	TCase *t;
	Suite *s = suite_of("whip", NULL, &t);

	tcase_add_test(t, an_encoder_speaks_and_a_player_listens);
	tcase_add_test(t, a_player_gets_a_packet_at_once);
	tcase_add_test(t, a_player_hears_the_original);
	tcase_add_test(t, a_peer_by_tcp_speaks);
	tcase_add_test(t, a_client_that_comes_too_often_is_told_when_to_return);
	tcase_add_test(t, the_input_of_a_channel_names_the_address);
	tcase_add_loop_test(t, a_resource_is_made_changed_and_ended, 0, 2);
	tcase_add_test(t, a_second_encoder_replaces_the_first);
	tcase_add_loop_test(t, unfit_offers_are_refused, 0, 2);
	tcase_add_test(t, tokens_of_others_are_refused);
	tcase_add_loop_test(t, a_player_joins_without_a_token, 0, 2);
	tcase_add_test(t, pages_of_other_origins_may_call);
	return s;
}
