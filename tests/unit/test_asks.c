/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of listeners to the organiser of an event. */
#define UNIT_TEST
#include "tests/unit/listener_fixture.h"

#define ANNA "5df6f817-b099-4bcf-a0ec-6db25097c040"
#define BERT "0b0b0b0b-b099-4bcf-a0ec-6db25097c040"
#define ABSENT "11111111-1111-4111-8111-111111111111"
#define WANT(language)                                                                 \
	"\"type\":\"add_language\",\"payload\":{\"language\":\"" language "\"}"
#define AS(listener) ",\"listener_id\":\"" listener "\""
#define ON(channel) ",\"channel_id\":\"" channel "\""

/* Channels: $1 de fr; $2 it; $3 pl, being deleted; $4 sv, of another event. */
static const char *ids[4];

static void
setup(void)
{
	const char *other;

	listener_fixture();
	other = put_stage(put_event(fixture.account, "Other", MADE_US + 9), "Theirs");
	ids[0] = channel;
	ids[1] = put_channel(fixture.account, stage, "B", "[\"it\"]", MADE_US + 2);
	ids[2] = put_channel(fixture.account, stage, "E", "[\"pl\"]", MADE_US + 3);
	ids[3] = put_channel(fixture.account, other, "F", "[\"sv\"]", MADE_US + 4);
	set_channel(ids[2], "lifecycle = 'deleting'");
}

static struct response
want(const char *members)
{
	return at_event("POST", "/requests", data_of(members, ids));
}

static const char *
rows(void)
{
	return sql("SELECT type, channel <> '', language, status, asked, reason,"
		   " decided_us IS NULL FROM requests ORDER BY first_us, language");
}

static const char *
jobs(void)
{
	return sql(arena_printf(fixture.mem,
	    "SELECT kind, account = '%s', ref IN (SELECT id FROM requests) FROM jobs",
	    fixture.account));
}

/* ---- one ---- */

START_TEST(a_request_waits_for_the_organiser)
{
	int64_t begin = now_us();
	struct response a = want(WANT("ES") AS(ANNA));

	answered(a, 201);
	ck_assert_str_eq(
	    a.body, arena_printf(fixture.mem,
			"{\"ok\":true,\"data\":{\"request_id\":\"%s\",\"type\":"
			"\"add_language\",\"status\":\"pending\",\"request_count\":1,"
			"\"served\":true}}",
			said(&a, "/data/request_id")));
	ck_assert_str_eq(rows(), "add_language|0|es|pending|1|NULL|1\n");
	ck_assert_int_ge(atoll(sql("SELECT first_us FROM requests")), begin);
	ck_assert_str_eq(jobs(), "");
}
END_TEST

/*
 * Each row has the mode of the event, a request, and its answer. put_requests() stores
 * earlier requests.
 */
static const struct {
	const char *mode, *members;
	int status;
	const char *slug; /* slug, or the request's status */
	int asked;
} cases[] = {
	/* mode "off" is checked first */
	{ "off", WANT("es"), 403, "listener-requests-off", 0 },
	{ "off", WANT("de"), 403, "listener-requests-off", 0 },
	{ "off", WANT("ro"), 403, "listener-requests-off", 0 },
	{ "off", WANT("es") ON("$1"), 403, "listener-requests-off", 0 },
	/* the language exists already, on this or another channel */
	{ "approval", WANT("de"), 409, "language-already-available", 0 },
	{ "approval", WANT("it"), 409, "language-already-available", 0 },
	{ "approval", WANT("de") ON("$1"), 409, "language-already-available", 0 },
	{ "auto", WANT("it") ON("$2"), 409, "language-already-available", 0 },
	{ "approval", WANT("fi"), 409, "language-already-available", 0 },
	{ "approval", WANT("pl"), 201, "pending", 1 },
	{ "approval", WANT("sv"), 201, "pending", 1 },
	{ "approval", WANT("it") ON("$1"), 201, "pending", 1 },
	{ "approval", WANT("es-mx"), 201, "pending", 1 },
	/* the language was requested before */
	{ "approval", WANT("ro"), 200, "pending", 2 },
	{ "approval", WANT("ro") AS(ANNA), 200, "pending", 1 },
	{ "approval", WANT("ro") AS(BERT), 200, "pending", 2 },
	{ "approval", WANT("ja"), 200, "rejected", 6 },
	{ "approval", WANT("ko"), 200, "approved", 8 },
	{ "auto", WANT("ro"), 200, "pending", 2 },
	{ "auto", WANT("ja"), 200, "rejected", 6 },
	{ "approval", WANT("ro") ON("$1"), 201, "pending", 1 },
	{ "approval", WANT("hu"), 201, "pending", 1 },
	{ "approval", WANT("hu") ON("$1"), 200, "pending", 4 },
	/* a new request, or one that is approved at once */
	{ "auto", WANT("es"), 201, "approved", 1 },
	{ "auto", WANT("it") ON("$1"), 201, "approved", 1 },
	/* a channel of another event, or being deleted */
	{ "approval", WANT("es") ON("$3"), 404, "resource-not-found", 0 },
	{ "approval", WANT("es") ON("$4"), 404, "resource-not-found", 0 },
	{ "approval", WANT("es") ON(ABSENT), 404, "resource-not-found", 0 },
	{ "off", WANT("es") ON("$4"), 404, "resource-not-found", 0 },
};

static void
put_request(const char *language, const char *on, const char *status, int asked)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO requests (id, event, type, channel, language, status, asked,"
	    " first_us) VALUES ('%s', '%s', 'add_language', '%s', '%s', '%s', %d, 1)",
	    id_new(fixture.mem), event, on, language, status, asked));
}

static void
put_requests(void)
{
	put_request("ro", "", "pending", 1);
	put_request("ja", "", "rejected", 5);
	put_request("ko", "", "approved", 7);
	put_request("fi", "", "pending", 2);
	put_request("hu", ids[0], "pending", 3);
	sql(arena_printf(fixture.mem, "INSERT INTO askers SELECT event, id, '" ANNA
				      "' FROM requests WHERE language = 'ro'"));
	set_channel(ids[1], "target_languages = '[\"it\",\"fi\"]'");
}

START_TEST(the_first_row_that_holds_decides)
{
	const char *before;
	struct response a;

	put_requests();
	set_event(
	    event, arena_printf(fixture.mem, "listener_mode = '%s'", cases[_i].mode));
	before = everything();
	a = want(cases[_i].members);
	answered(a, cases[_i].status);
	if (a.status < 300) {
		is(a, "/data/status", cases[_i].slug);
		ck_assert_int_eq(
		    atoi(said(&a, "/data/request_count")), cases[_i].asked);
		ck_assert_int_eq(number(arena_printf(fixture.mem,
				     "SELECT asked FROM requests WHERE id = '%s'",
				     said(&a, "/data/request_id"))),
		    cases[_i].asked);
		ck_assert_str_eq(
		    jobs(), a.status == 201 && strcmp(cases[_i].slug, "approved") == 0
				? "channel.language|1|1\n"
				: "");
		return;
	}
	ck_assert_str_eq(said(&a, "/errors/0/type"),
	    arena_printf(
		fixture.mem, "https://speech.example.org/problems/%s", cases[_i].slug));
	is(a, "/errors/0/pointer", a.status == 404 ? "/data/channel_id" : "(none)");
	ck_assert_str_eq(everything(), before);
}
END_TEST

static const struct {
	const char *members, *faults;
} wrong[] = {
	{ "", "/data/type: type is required.\n"
	      "/data/payload: payload is required." },
	{ "\"type\":\"more_coffee\",\"payload\":{\"language\":\"es\"}",
	    "/data/type: type is not in the list." },
	{ "\"type\":\"add_language\",\"payload\":{}",
	    "/data/payload/language: language is required." },
	{ "\"type\":\"add_language\",\"payload\":\"es\"",
	    "/data/payload: payload must be an object." },
	{ WANT("xx"), "/data/payload/language: language is not in the list." },
	{ WANT("original"), "/data/payload/language: language is not in the list." },
	{ WANT("es") ON("x") AS("y"),
	    "/data/channel_id: channel_id must be a uuid.\n"
	    "/data/listener_id: listener_id must be a uuid." },
	{ WANT("es") AS("5df6f817-b099-4bcf-a0ec-6db25097c04g"),
	    "/data/listener_id: listener_id must be a uuid." },
	{ WANT("es") AS("5df6f817-b099-4bcf-a0ec-6db25097c0400"),
	    "/data/listener_id: listener_id must be a uuid." },
	{ WANT("es") AS("5df6f817b099-4bcf-a0ec-6db25097c040-"),
	    "/data/listener_id: listener_id must be a uuid." },
};

START_TEST(a_request_that_breaks_a_rule_is_422)
{
	const char *before = everything();
	struct response a = want(wrong[_i].members);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- waiting for the lock ---- */

START_TEST(only_admitted_requests_wait_for_a_writer)
{
	static const struct {
		const char *more, *members;
		int status;
	} strangers[] = {
		{ "/requests", WANT("es"), 403 },
		{ "/requests?code=x", WANT("es"), 403 },
		{ "/requests?code=FORUM26", WANT("xx"), 422 },
		{ "/requests?code=FORUM26", WANT("es") ON(ABSENT), 404 },
		{ "/requests?code=FORUM26", "\"type\":", 400 },
	};
	pid_t writer;

	set_event(event, "access_code = 'FORUM26'");
	writer = writer_begin();
	for (int i = 0; i < COUNT(strangers); i++) {
		struct response a = at_event(
		    "POST", strangers[i].more, data_of(strangers[i].members, ids));

		answered(a, strangers[i].status);
	}
	writer_end(writer);
}
END_TEST

/* A change by another client after the request was admitted. */
static const struct {
	const char *meanwhile, *members;
	int status;
	const char *slug;
} lates[] = {
	{ "DELETE FROM events", WANT("es"), 404, "resource-not-found" },
	{ "UPDATE events SET access_code = 'FORUM26'", WANT("es"), 403,
	    "access-code-required" },
	{ "UPDATE events SET listener_mode = 'off'", WANT("es"), 403,
	    "listener-requests-off" },
	{ "UPDATE channels SET lifecycle = 'deleting'", WANT("es") ON("$1"), 404,
	    "resource-not-found" },
	{ "UPDATE channels SET target_languages = '[\"es\"]'", WANT("es"), 409,
	    "language-already-available" },
	{ "UPDATE events SET title = 'Another'", WANT("es"), 201, NULL },
};

START_TEST(what_happens_before_the_lock_is_taken_counts)
{
	struct response a;

	fixture.app.routes = late_routes;
	meanwhile = lates[_i].meanwhile;
	a = want(lates[_i].members);
	answered(a, lates[_i].status);
	ck_assert_int_eq(number("SELECT count(*) FROM requests"), a.status == 201);
	if (lates[_i].slug != NULL)
		ck_assert_ptr_nonnull(
		    strstr(said(&a, "/errors/0/type"), lates[_i].slug));
}
END_TEST

/* ---- counting ---- */

START_TEST(a_listener_is_counted_once_and_a_nameless_one_each_time)
{
	static const struct {
		const char *members;
		int status, asked;
	} steps[] = {
		{ WANT("es") AS(ANNA), 201, 1 },
		{ WANT("es") AS(ANNA), 200, 1 },
		{ WANT("es") AS(BERT), 200, 2 },
		{ WANT("es"), 200, 3 },
		{ WANT("es"), 200, 4 },
		{ WANT("es") AS("5DF6F817-B099-4BCF-A0EC-6DB25097C040"), 200, 4 },
		{ WANT("es") AS(ANNA) ON("$1"), 201, 1 },
		{ WANT("sv") AS(ANNA), 201, 1 },
	};

	for (int i = 0; i < COUNT(steps); i++) {
		struct response a = want(steps[i].members);

		answered(a, steps[i].status);
		ck_assert_int_eq(atoi(said(&a, "/data/request_count")), steps[i].asked);
	}
	ck_assert_str_eq(
	    sql("SELECT asked FROM requests ORDER BY first_us"), "4\n1\n1\n");
}
END_TEST

/* Runs in another process, with connections of its own. */
static _Noreturn void
ask_from_a_process_of_ones_own(int go)
{
	char c;

	if (app_open(&fixture.app, arena_new(), "listeners", listener_routes,
		listener_prepared) != OK)
		_exit(2);
	if (read(go, &c, 1) != 0) /* blocks until the other end is closed */
		_exit(3);
	_exit(want(WANT("es")).status < 300 ? 0 : 1);
}

START_TEST(two_that_ask_first_at_once_are_two_for_one_request)
{
	int go[2], status, children = 4;

	ck_assert_int_eq(pipe(go), 0);
	for (int i = 0; i < children; i++)
		if (fork() == 0) {
			close(go[1]);
			ask_from_a_process_of_ones_own(go[0]);
		}
	close(go[1]);
	for (int i = 0; i < children; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_str_eq(rows(), "add_language|0|es|pending|4|NULL|1\n");
}
END_TEST

/* ---- the plan ---- */

static void
set_plan(const char *languages)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE accounts SET plan_event_languages = %s", languages));
	set_event(event, "listener_mode = 'auto'");
}

/* The event has de, fr and it. */
static const struct {
	const char *plan, *members;
	int status;
} plans[] = {
	{ "4", WANT("es"), 201 },
	{ "3", WANT("es"), 403 },
	{ "2", WANT("es"), 403 },
	{ "1", WANT("pl"), 403 },
	{ "0", WANT("es"), 201 },
	{ "NULL", WANT("es"), 201 },       /* the limit in the settings */
	{ "3", WANT("it") ON("$1"), 201 }, /* the event has it */
	{ "2", WANT("fr") ON("$2"), 201 },
};

START_TEST(more_languages_than_the_plan_has_are_refused)
{
	const char *before;
	struct response a;

	set_plan(plans[_i].plan);
	before = everything();
	a = want(plans[_i].members);
	answered(a, plans[_i].status);
	if (a.status == 201) {
		ck_assert_str_eq(jobs(), "channel.language|1|1\n");
		return;
	}
	refused(a, 403, "language-limit-reached");
	is(a, "/errors/0/detail",
	    arena_printf(fixture.mem, "The plan allows %s languages per event.",
		plans[_i].plan));
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(what_is_still_to_be_done_counts_as_there)
{
	struct response a;

	set_plan("4");
	a = want(WANT("es"));
	answered(a, 201);
	a = want(WANT("pt"));
	refused(a, 403, "language-limit-reached");
	a = want(WANT("es") ON("$1"));
	answered(a, 201);
	/* with the number of listeners that wait */
	sql("UPDATE jobs SET kind = 'channel.language_later'");
	a = want(WANT("pt"));
	refused(a, 403, "language-limit-reached");
	/* no worker has to execute it any more */
	sql("UPDATE jobs SET state = 'dead'");
	a = want(WANT("pt"));
	answered(a, 201);
}
END_TEST

START_TEST(a_request_that_waits_is_within_every_plan)
{
	struct response a;

	set_plan("1");
	set_event(event, "listener_mode = 'approval'");
	a = want(WANT("es"));
	answered(a, 201);
}
END_TEST

START_TEST(an_event_without_channels_takes_requests_too)
{
	struct response a;

	set_event(event, "listener_mode = 'auto'");
	sql("DELETE FROM channels");
	a = want(WANT("de"));
	answered(a, 201);
	is(a, "/data/status", "approved");
	ck_assert_str_eq(jobs(), "channel.language|1|1\n");
}
END_TEST

/* ---- when the database fails ---- */

static struct response
want_once(void)
{
	return want(WANT("es") AS(ANNA));
}

START_TEST(a_request_is_recorded_whole_or_not_at_all)
{
	static const struct {
		enum err with;
		int status;
	} faults[] = { { ERR_BUSY, 503 }, { ERR_FAILED, 500 }, { ERR_FULL, 507 } };
	static const char *const modes[] = { "approval", "auto" };
	static const char *const reset =
	    "DELETE FROM requests; DELETE FROM askers; DELETE FROM jobs";

	set_event(
	    event, arena_printf(fixture.mem, "listener_mode = '%s'", modes[_i % 2]));
	fail_each(want_once, reset, faults[_i / 2].with, faults[_i / 2].status);
	fail_each(want_once, "DELETE FROM askers; UPDATE requests SET asked = 1",
	    faults[_i / 2].with, faults[_i / 2].status);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("asks");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, a_request_waits_for_the_organiser);
	tcase_add_loop_test(t, the_first_row_that_holds_decides, 0, COUNT(cases));
	tcase_add_loop_test(t, a_request_that_breaks_a_rule_is_422, 0, COUNT(wrong));
	tcase_add_test(t, only_admitted_requests_wait_for_a_writer);
	tcase_add_loop_test(
	    t, what_happens_before_the_lock_is_taken_counts, 0, COUNT(lates));
	tcase_add_test(t, a_listener_is_counted_once_and_a_nameless_one_each_time);
	tcase_add_test(t, two_that_ask_first_at_once_are_two_for_one_request);
	tcase_add_loop_test(
	    t, more_languages_than_the_plan_has_are_refused, 0, COUNT(plans));
	tcase_add_test(t, what_is_still_to_be_done_counts_as_there);
	tcase_add_test(t, a_request_that_waits_is_within_every_plan);
	tcase_add_test(t, an_event_without_channels_takes_requests_too);
	tcase_add_loop_test(t, a_request_is_recorded_whole_or_not_at_all, 0, 6);
	suite_add_tcase(s, t);
	return unit_run(s);
}
