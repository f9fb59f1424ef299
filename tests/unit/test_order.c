/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a request has two faults, the contract's earlier step answers. Each pair of
 * faults is added to the same request.
 */
#include "tests/unit/toy.h"

enum {
	PATH,
	METHOD,
	CREDENTIAL,
	SCOPE,
	RATE,
	SIZE,
	TYPE,
	REUSED,
	SYNTAX,
	OBJECT,
	TOKEN,
	FIELD,
	VERSION,
	STATE,
	FAULTS
};

static const struct {
	int status;
	const char *slug;
} steps[FAULTS] = {
	[PATH] = { 404, "resource-not-found" },
	[METHOD] = { 405, "method-not-allowed" },
	[CREDENTIAL] = { 401, "unauthorized" },
	[SCOPE] = { 403, "insufficient-scope" },
	[RATE] = { 429, "rate-limited" },
	[SIZE] = { 413, "payload-too-large" },
	[TYPE] = { 415, "unsupported-media-type" },
	[REUSED] = { 422, "idempotency-key-reused" },
	[SYNTAX] = { 400, "bad-request" },
	[OBJECT] = { 404, "resource-not-found" },
	[TOKEN] = { 400, "invalid-page-token" },
	[FIELD] = { 422, "validation-error" },
	[VERSION] = { 412, "stale-version" },
	[STATE] = { 409, "stage-in-use" },
};

static const char *
path_of(const bool has[FAULTS])
{
	if (has[PATH])
		return "/none";
	return has[OBJECT] ? "/judge/" ID_NIL : "/judge/" TOY_ID;
}

static const char *
body_of(const bool has[FAULTS])
{
	char *big;

	if (has[SIZE]) {
		big = arena_alloc(fixture.mem, (1 << 20) + 2);
		memset(big, has[SYNTAX] ? '{' : ' ', (1 << 20) + 1);
		return big;
	}
	return has[SYNTAX] ? "{\"data\":" : "{\"data\":{\"name\":\"Bear\"}}";
}

/* Prepares the fixture's state for this request. */
static void
prepare(const bool has[FAULTS])
{
	fixture.bearer = fixture_bearer(fixture.account, has[SCOPE] ? "x:read" : "*");
	if (has[REUSED])
		ask_with("POST /judge/" TOY_ID, "{\"data\":{\"name\":\"Other\"}}",
		    HEADS("Idempotency-Key: k"));
	sql(arena_printf(fixture.mem, "UPDATE accounts SET plan_requests_per_min = %d",
	    has[RATE] ? 1 : 0));
	if (has[RATE])
		ask("GET /old", NULL);
	if (has[CREDENTIAL])
		fixture.bearer = "Bearer wrong";
}

static struct response
request_with(const bool has[FAULTS])
{
	const char *call = arena_printf(fixture.mem, "%s %s?x=1%s%s%s",
	    has[METHOD] ? "PUT" : "POST", path_of(has), has[TOKEN] ? "&token=x" : "",
	    has[FIELD] ? "&size=0" : "", has[STATE] ? "&state=on" : "");

	prepare(has);
	return ask_with(call, body_of(has),
	    HEADS(has[TYPE] ? "Content-Type: text/plain" : "X: 1",
		has[REUSED] ? "Idempotency-Key: k" : "X: 2",
		has[VERSION] ? "If-Match: \"v9\"" : "X: 3"));
}

/* An Idempotency-Key belongs to its path, so these two faults cannot be combined. */
static bool
possible(int first, int second)
{
	return !(first == REUSED && second == OBJECT);
}

START_TEST(of_two_faults_the_earlier_step_answers)
{
	int first = _i / FAULTS, second = _i % FAULTS;
	bool has[FAULTS] = { false };
	struct response a;

	if (first > second || !possible(first, second))
		return;
	has[first] = has[second] = true;
	a = request_with(has);
	ck_assert_msg(a.status == steps[first].status, "%s before %s: %d: %s",
	    steps[first].slug, steps[second].slug, a.status, a.body);
	is(a, "/errors/0/type",
	    arena_printf(fixture.mem, "https://speech.example.org/problems/%s",
		steps[first].slug));
	is(a, "/errors/1", "(none)");
}
END_TEST

START_TEST(without_a_fault_the_request_is_good)
{
	const bool has[FAULTS] = { false };
	struct response a = request_with(has);

	answered(a, 200);
}
END_TEST

START_TEST(with_every_fault_the_path_answers)
{
	bool has[FAULTS];
	struct response a;

	for (int i = 0; i < FAULTS; i++)
		has[i] = true;
	a = request_with(has);
	refused(a, 404, "resource-not-found");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("order");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_loop_test(
	    t, of_two_faults_the_earlier_step_answers, 0, FAULTS * FAULTS);
	tcase_add_test(t, without_a_fault_the_request_is_good);
	tcase_add_test(t, with_every_fault_the_path_answers);
	suite_add_tcase(s, t);
	return unit_run(s);
}
