/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of kinds of problems, and the two formats of problems. */
#include "base/problem.h"
#include "tests/unit/toy.h"

#define BASE "https://speech.example.org"

/* The error table of the contract, and the problems inside records. */
static const struct {
	const char *slug;
	int status, error_code;
	const char *title;
} contract[] = {
	{ "internal-server-error", 500, 100000, "Internal server error" },
	{ "bad-request", 400, 100010, "Bad request" },
	{ "invalid-page-token", 400, 100010, "Bad request" },
	{ "length-required", 411, 100011, "Length required" },
	{ "unauthorized", 401, 100020, "Unauthorized" },
	{ "validation-error", 422, 100030, "Validation error" },
	{ "idempotency-key-reused", 422, 100031, "Idempotency key reused" },
	{ "resource-not-found", 404, 100040, "Resource not found" },
	{ "insufficient-balance", 403, 100050, "Forbidden resource" },
	{ "insufficient-scope", 403, 100050, "Forbidden resource" },
	{ "voice-limit-reached", 403, 100050, "Forbidden resource" },
	{ "session-limit-reached", 403, 100050, "Forbidden resource" },
	{ "language-limit-reached", 403, 100050, "Forbidden resource" },
	{ "storage-limit-reached", 403, 100050, "Forbidden resource" },
	{ "glossary-limit-reached", 403, 100050, "Forbidden resource" },
	{ "webhook-limit-reached", 403, 100050, "Forbidden resource" },
	{ "stream-limit-reached", 403, 100050, "Forbidden resource" },
	{ "access-code-required", 403, 100050, "Forbidden resource" },
	{ "key-limit-reached", 403, 100050, "Forbidden resource" },
	{ "listener-requests-off", 403, 100050, "Forbidden resource" },
	{ "read-only-resource", 403, 100050, "Forbidden resource" },
	{ "link-invalid", 403, 100050, "Forbidden resource" },
	{ "resource-locked", 403, 100051, "Resource locked" },
	{ "method-not-allowed", 405, 100060, "Method not allowed" },
	{ "glossary-already-uploaded", 409, 100070, "Resource conflict" },
	{ "request-already-decided", 409, 100070, "Resource conflict" },
	{ "voice-not-ready", 409, 100070, "Resource conflict" },
	{ "channel-deleting", 409, 100070, "Resource conflict" },
	{ "line-sent", 409, 100070, "Resource conflict" },
	{ "webhook-not-pulled", 409, 100070, "Resource conflict" },
	{ "stage-in-use", 409, 100070, "Resource conflict" },
	{ "event-finalized", 409, 100070, "Resource conflict" },
	{ "event-finished", 409, 100070, "Resource conflict" },
	{ "language-already-available", 409, 100070, "Resource conflict" },
	{ "language-not-available", 409, 100070, "Resource conflict" },
	{ "blob-in-use", 409, 100070, "Resource conflict" },
	{ "last-key", 409, 100070, "Resource conflict" },
	{ "last-owner", 409, 100070, "Resource conflict" },
	{ "link-used", 409, 100070, "Resource conflict" },
	{ "request-in-progress", 409, 100070, "Resource conflict" },
	{ "socket-in-use", 409, 100070, "Resource conflict" },
	{ "stale-version", 412, 100071, "Precondition failed" },
	{ "precondition-required", 428, 100072, "Precondition required" },
	{ "payload-too-large", 413, 100080, "Payload too large" },
	{ "unsupported-media-type", 415, 100081, "Unsupported media type" },
	{ "uri-too-long", 414, 100082, "URI too long" },
	{ "upgrade-required", 426, 100010, "Upgrade required" },
	{ "headers-too-large", 431, 100083, "Request header fields too large" },
	{ "range-not-satisfiable", 416, 100084, "Range not satisfiable" },
	{ "rate-limited", 429, 100090, "Too many requests" },
	{ "bad-gateway", 502, 100100, "Bad gateway" },
	{ "gateway-timeout", 504, 100101, "Gateway timeout" },
	{ "service-busy", 503, 100102, "Service busy" },
	{ "engine-unavailable", 503, 100103, "Engine unavailable" },
	{ "insufficient-storage", 507, 100104, "Insufficient storage" },
	{ "unhealthy", 503, 100105, "Service unhealthy" },
	{ "gateway-unavailable", 503, 100110, "Gateway unavailable" },
	{ "other-node", 307, 100112, "Other node" },
	{ "webrtc-not-configured", 501, 100111, "Not implemented" },
	{ "sample-short", 422, 100201, "Sample is short" },
	{ "sample-too-short", 422, 100202, "Sample too short" },
	{ "sample-no-audio", 422, 100203, "Sample without audio" },
	{ "sample-undecodable", 422, 100204, "Sample undecodable" },
	{ "sample-type-mismatch", 422, 100205, "Sample type mismatch" },
	{ "sample-size", 422, 100206, "Sample size refused" },
	{ "sample-missing", 422, 100207, "Sample missing" },
	{ "cloning-failed", 502, 100208, "Cloning failed" },
	{ "external-voice-failed", 502, 100209, "External voice failed" },
	{ "tts-sample-failed", 502, 100210, "TTS sample failed" },
	{ "csv-not-utf8", 422, 100221, "CSV is not UTF-8" },
	{ "csv-column-count", 422, 100222, "CSV column count" },
	{ "csv-empty-term", 422, 100223, "CSV empty term" },
	{ "csv-term-too-long", 422, 100224, "CSV term too long" },
	{ "csv-duplicate-term", 422, 100225, "CSV duplicate term" },
	{ "csv-quoting", 422, 100226, "CSV quoting broken" },
	{ "csv-no-entries", 422, 100227, "CSV without entries" },
	{ "csv-control-character", 422, 100228, "CSV control character" },
	{ "language-not-served", 503, 100231, "Language not served" },
	{ "language-without-speech", 503, 100232, "Language without speech" },
};

START_TEST(every_problem_of_the_contract_is_there)
{
	const struct problem_kind *k = problem_kinds;

	ck_assert_int_eq(PROBLEMS, COUNT(contract));
	while (strcmp(k->slug, contract[_i].slug) != 0)
		ck_assert(++k < problem_kinds + PROBLEMS);
	ck_assert_int_eq(k->status, contract[_i].status);
	ck_assert_int_eq(k->error_code, contract[_i].error_code);
	ck_assert_str_eq(k->title, contract[_i].title);
	ck_assert_uint_ge(strlen(k->title), 5);
	ck_assert_uint_ge(strlen(k->description), 5);
}
END_TEST

/* ---- the envelope ---- */

START_TEST(a_problem_has_these_members_in_this_order)
{
	struct response a = ask_with("GET /nothing", NULL,
	    HEADS("X-Request-Id: baa2919c-0ded-47bb-bec0-c9226ed91f2e"));

	assert_same_body(a.body,
	    "{\"ok\":false,\"errors\":[{\"type\":\"" BASE "/problems/"
	    "resource-not-found\",\"status\":404,\"title\":\"Resource not found\","
	    "\"detail\":\"No such resource.\",\"instance\":\"urn:uuid:"
	    "baa2919c-0ded-47bb-bec0-c9226ed91f2e\",\"error_code\":100040}]}");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "application/json");
	a = ask("POST /toys/echo", "{\"data\":{}}");
	is(a, "/errors/0/pointer", "/data/name");
	is(a, "/errors/0/parameter", "(none)");
	a = ask("GET /toys?size=x", NULL);
	is(a, "/errors/0/pointer", "(none)");
	is(a, "/errors/0/parameter", "size");
}
END_TEST

START_TEST(a_success_is_an_envelope_too)
{
	struct response a = ask("POST /bare", NULL);

	assert_same_body(a.body, "{\"ok\":true,\"data\":null}");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "application/json");
}
END_TEST

#define FLAT "application/problem+json"

static const struct {
	const char *accept;
	bool flat;
} accepts[] = {
	{ FLAT, true },
	{ FLAT ", application/json;q=0.9", true },
	{ "application/json;q=0.5, " FLAT ";q=0.6", true },
	{ "application/json; q=0.5 , " FLAT " ; q=0.6", true },
	{ "application/*;q=0.5, " FLAT, true },
	{ "*/*;q=0.1, " FLAT ";q=0.2", true },
	{ "APPLICATION/PROBLEM+JSON", true },
	{ FLAT ";Q=0.6, application/json;q=0.5", true },
	{ "text/html, " FLAT ";q=0.1", true },
	{ "application/json;q=0, " FLAT ";q=0.001", true },
	{ FLAT ", application/json", false }, /* neither is before the other */
	{ FLAT ";q=0.5, application/json;q=0.6", false },
	{ FLAT ";Q=0.5, application/json;q=0.6", false },
	{ FLAT ";seq=9;q=0.5, application/json;q=0.6", false },
	{ FLAT ";q=0, */*", false },
	{ "application/*, application/json;q=1.0", false },
	{ "application/json", false },
	{ "*/*", false },
	{ "application/*", false },
	{ "text/html", false },
	{ "application/problem+xml", false },
	{ "", false },
	{ ",,;q=,", false },
};

START_TEST(the_flat_form_is_sent_to_clients_that_rank_it_higher)
{
	const char *line = arena_printf(fixture.mem, "Accept: %s", accepts[_i].accept);
	struct response a = ask_with("GET /nothing", NULL, HEADS(line));

	answered(a, 404);
	ck_assert_pstr_eq(
	    head_of(&a, "Content-Type"), accepts[_i].flat ? FLAT : "application/json");
	is(a, accepts[_i].flat ? "/error_code" : "/errors/0/error_code", "100040");
	is(a, "/ok", accepts[_i].flat ? "(none)" : "false");
	is(a, "/errors/1", "(none)");
	if (accepts[_i].flat)
		is(a, "/errors", "(none)");
	a = ask_with("GET /toys", NULL, HEADS(line)); /* never refuses */
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "application/json");
}
END_TEST

START_TEST(several_problems_are_an_extension_of_the_flat_first_one)
{
	struct response a =
	    ask_with("GET /toys?size=x&word=y", NULL, HEADS("Accept: " FLAT));

	answered(a, 422);
	is(a, "/parameter", "word");
	is(a, "/errors/0/parameter", "word");
	is(a, "/errors/1/parameter", "size");
	is(a, "/errors/2", "(none)");
	is(a, "/ok", "(none)");
}
END_TEST

/* ---- problems in records ---- */

START_TEST(problem_lines_are_read_as_they_were_written)
{
	const char *lines = arena_printf(fixture.mem, "%s%s",
	    problem_line(fixture.mem, P_SAMPLE_SHORT, "The sample lasts %.1f s.", 12.4),
	    problem_line(fixture.mem, P_TTS_SAMPLE_FAILED, "a\tb\nc"));
	struct list l = problem_lines(fixture.mem, lines, BASE, TOY_ID);
	const struct problem_document *p = l.items;

	ck_assert_uint_eq(l.n, 2);
	ck_assert_str_eq(p[0].type, BASE "/problems/sample-short");
	ck_assert_str_eq(p[0].detail, "The sample lasts 12.4 s.");
	ck_assert_str_eq(p[0].instance, "urn:uuid:" TOY_ID);
	ck_assert_str_eq(p[1].type, BASE "/problems/tts-sample-failed");
	ck_assert_str_eq(p[1].detail, "a b c");
	ck_assert_uint_eq(problem_lines(fixture.mem, "", BASE, TOY_ID).n, 0);
}
END_TEST

START_TEST(the_details_of_a_problem_are_cut_not_lost)
{
	char *text = arena_alloc(fixture.mem, 3001);
	struct list l;

	memset(text, 'x', 3000);
	l = problem_lines(fixture.mem,
	    problem_line(fixture.mem, P_CLONING_FAILED, "%s", text), BASE, TOY_ID);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(
	    strlen(((const struct problem_document *)l.items)->detail), 511);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("problem");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_loop_test(
	    t, every_problem_of_the_contract_is_there, 0, COUNT(contract));
	tcase_add_test(t, a_problem_has_these_members_in_this_order);
	tcase_add_test(t, a_success_is_an_envelope_too);
	tcase_add_loop_test(
	    t, the_flat_form_is_sent_to_clients_that_rank_it_higher, 0, COUNT(accepts));
	tcase_add_test(t, several_problems_are_an_extension_of_the_flat_first_one);
	tcase_add_test(t, problem_lines_are_read_as_they_were_written);
	tcase_add_test(t, the_details_of_a_problem_are_cut_not_lost);
	suite_add_tcase(s, t);
	return unit_run(s);
}
