/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events: changing and deleting one. */
#define UNIT_TEST
#include "tests/unit/event_fixture.h"

/* ---- changing ---- */

static const struct {
	const char *data, *pointer, *value;
	bool changes;
} changes[] = {
	{ "{}", "/data/title", "Health Forum", false },
	{ "{\"title\":\"Health Forum\"}", "/data/title", "Health Forum", false },
	{ "{\"utc_start_dt\":\"2036-12-01T09:00:00+01:00\"}", "/data/title",
	    "Health Forum", false },
	{ "{\"event_id\":\"x\",\"qr_code_url\":1}", "/data/title", "Health Forum",
	    false },
	{ "{\"target_languages\":[\"de\"]}", "/data/target_languages", "[\"de\"]",
	    false },
	{ "{\"title\":\"Forum\"}", "/data/title", "Forum", true },
	{ "{\"title\":\"Forum\"}", "/data/description", "Two days", true },
	{ "{\"description\":null}", "/data/description", "(none)", true },
	{ "{\"location\":\"\"}", "/data/location", "", true },
	{ "{\"timezone\":\"UTC\"}", "/data/timezone", "UTC", true },
	{ "{\"access_code\":null}", "/data/access_code", "(none)", true },
	{ "{\"is_recurring\":true}", "/data/is_recurring", "true", true },
	{ "{\"event_type\":\"online\"}", "/data/event_type", "online", true },
	{ "{\"target_languages\":[]}", "/data/target_languages", "[]", true },
	{ "{\"target_languages\":null}", "/data/target_languages", "[]", true },
	{ "{\"listener_language_mode\":\"auto\"}", "/data/listener_language_mode",
	    "auto", true },
	{ "{\"utc_end_dt\":\"2036-12-03T00:00:00Z\"}", "/data/utc_end_dt",
	    "2036-12-03T00:00:00Z", true },
	{ "{\"sessions\":[]}", "/data/sessions", "[]", true },
	{ "{\"sessions\":null}", "/data/sessions", "[]", true },
	{ "{\"stages\":[{\"name\":\"New\"}]}", "/data/sessions", "[]", true },
	{ "{\"stages\":[{\"name\":\"New\"}]}", "/data/stages/1", "(none)", true },
};

START_TEST(a_change_merges_and_grows_the_version_only_when_it_changes)
{
	const char *id = added(EVENT_WITH(
	    ",\"description\":\"Two days\",\"location\":\"Vienna\",\"access_code\":"
	    "\"FORUM26\",\"target_languages\":[\"de\"],\"sessions\":[" SESSION(
		"") "]"));
	struct response a;

	set_event(id, "updated_us = 1000000");
	a = change(id, changes[_i].data);
	answered(a, 200);
	is(a, changes[_i].pointer, changes[_i].value);
	ck_assert_pstr_eq(
	    head_of(&a, "ETag"), changes[_i].changes ? "\"v2\"" : "\"v1\"");
	if (!changes[_i].changes)
		is(a, "/data/utc_updated_at", "1970-01-01T00:00:01Z");
	else
		ck_assert_str_ne(
		    said(&a, "/data/utc_updated_at"), "1970-01-01T00:00:01Z");
	assert_same_body(on("GET", id, NULL).body, a.body);
}
END_TEST

/* Successive changes of the code, and the number of different codes among them. */
static const struct {
	const char *data, *version;
} codes[] = {
	{ "{\"title\":\"Forum\"}", "0\n" },
	{ "{\"access_code\":\"FORUM26\"}", "1\n" },
	{ "{\"access_code\":\"forum26\"}", "1\n" }, /* upper and lower case are equal */
	{ "{\"access_code\":\"FORUM27\"}", "2\n" },
	{ "{\"title\":\"Health Forum\"}", "2\n" },
	{ "{\"access_code\":null}", "2\n" }, /* the event is open to everybody now */
	{ "{\"access_code\":\"FORUM27\"}", "3\n" },
	{ "{\"access_code\":\"FORUM26\"}", "4\n" },
};

START_TEST(it_is_counted_how_often_a_code_was_set_to_another_one)
{
	const char *id = added(EVENT_WITH(""));

	for (int i = 0; i < COUNT(codes); i++) {
		struct response a = change(id, codes[i].data);

		answered(a, 200);
		ck_assert_str_eq(
		    sql("SELECT code_version FROM events"), codes[i].version);
		ck_assert_ptr_null(strstr(a.body, "code_version"));
	}
}
END_TEST

START_TEST(it_is_noted_when_the_transcript_was_set_to_another_mode)
{
	const char *id = added(EVENT_WITH(",\"transcript\":\"organizer\""));
	int64_t before;

	change(id, "{\"title\":\"Forum\",\"transcript\":\"organizer\"}");
	ck_assert_str_eq(sql("SELECT transcript_us FROM events"), "0\n");
	before = now_us();
	change(id, "{\"transcript\":\"public\"}");
	ck_assert(number(arena_printf(fixture.mem,
	    "SELECT transcript_us BETWEEN %lld AND %lld FROM events", (long long)before,
	    (long long)now_us())));
}
END_TEST

static const struct {
	const char *data, *faults;
} bad_changes[] = {
	{ "{\"title\":null}", "/data/title: title must not be null." },
	{ "{\"stages\":null}", "/data/stages: stages must not be null." },
	{ "{\"is_recurring\":null}", "/data/is_recurring: is_recurring must not be "
				     "null." },
	{ "{\"utc_end_dt\":\"2036-12-01T08:00:00Z\"}",
	    "/data/utc_end_dt: utc_end_dt must be after utc_start_dt." },
	{ "{\"utc_start_dt\":\"2036-12-02T16:00:00Z\"}",
	    "/data/utc_end_dt: utc_end_dt must be after utc_start_dt." },
	{ "{\"utc_start_dt\":\"soon\"}",
	    "/data/utc_start_dt: utc_start_dt must be an RFC 3339 time." },
	{ "{\"utc_end_dt\":\"soon\",\"sessions\":[" SESSION(",\"stage_index\":1") "]}",
	    "/data/utc_end_dt: utc_end_dt must be an RFC 3339 time.\n"
	    "/data/sessions/0/stage_index: No stage has this index." },
};

START_TEST(a_change_that_breaks_a_rule_changes_nothing)
{
	const char *id = added(EVENT_WITH("")), *before = everything();
	struct response a = change(id, bad_changes[_i].data);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), bad_changes[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(stages_that_are_named_are_kept_and_the_others_go)
{
	struct response a = add(EVENT_WITH(
	    ",\"stages\":[{\"name\":\"North\"},{\"name\":\"South\"}],\"sessions\":"
	    "[" SESSION(",\"stage_index\":0") "," SESSION(",\"stage_index\":1") "]"));
	const char *id = said(&a, "/data/event_id");
	const char *north = said(&a, "/data/stages/0/stage_id");
	const char *south = said(&a, "/data/stages/1/stage_id");
	const char *kept = said(&a, "/data/sessions/1/session_id");

	sql("UPDATE stages SET updated_us = 1000000");
	a = change(id,
	    arena_printf(fixture.mem,
		"{\"stages\":[{\"name\":\"East\"},{\"stage_id\":\"%.4s%s\",\"name\":"
		"\"South\"}]}",
		"ABCD", "")); /* no uuid */
	answered(a, 422);
	a = change(
	    id, arena_printf(fixture.mem,
		    "{\"stages\":[{\"name\":\"East\"},{\"stage_id\":\"%s\",\"name\":"
		    "\"South\"}]}",
		    south));
	answered(a, 200);
	is(a, "/data/stages/0/name", "East");
	ck_assert_str_ne(said(&a, "/data/stages/0/stage_id"), north);
	is(a, "/data/stages/1/stage_id", south);
	is(a, "/data/stages/1/utc_updated_at", "1970-01-01T00:00:01Z");
	is(a, "/data/stages/2", "(none)");
	is(a, "/data/sessions/0/session_id", kept);
	is(a, "/data/sessions/0/stage_id", south);
	is(a, "/data/sessions/1", "(none)");
	a = change(
	    id, arena_printf(fixture.mem,
		    "{\"stages\":[{\"stage_id\":\"%s\",\"name\":\"West\"}]}", south));
	is(a, "/data/stages/0/name", "West");
	ck_assert_str_ne(
	    said(&a, "/data/stages/0/utc_updated_at"), "1970-01-01T00:00:01Z");
	ck_assert_int_eq(number("SELECT count(*) FROM stages"), 1);
	/* sent back unchanged */
	a = change(id, arena_printf(fixture.mem, "{\"stages\":%s,\"sessions\":%s}",
			   said(&a, "/data/stages"), said(&a, "/data/sessions")));
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v3\"");
}
END_TEST

START_TEST(a_stage_or_session_of_another_event_is_not_found)
{
	const char *other = added(EVENT_WITH(",\"sessions\":[" SESSION("") "]"));
	struct response b = on("GET", other, NULL), a;
	const char *id = added(EVENT_WITH("")), *before = everything();
	const char *stage = said(&b, "/data/stages/0/stage_id");

	a = change(
	    id, arena_printf(fixture.mem,
		    "{\"stages\":[{\"stage_id\":\"%s\",\"name\":\"Mine\"}]}", stage));
	refused(a, 404, "resource-not-found");
	is(a, "/errors/0/pointer", "/data/stages/0/stage_id");
	a = change(id, arena_printf(fixture.mem,
			   "{\"sessions\":[" SESSION(",\"session_id\":\"%s\"") "]}",
			   said(&b, "/data/sessions/0/session_id")));
	is(a, "/errors/0/pointer", "/data/sessions/0/session_id");
	a = change(id, arena_printf(fixture.mem,
			   "{\"stages\":[{\"name\":\"New\"}],\"sessions\":[" SESSION(
			       ",\"stage_id\":\"%s\"") "]}",
			   stage));
	is(a, "/errors/0/pointer", "/data/sessions/0/stage_id");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_stage_with_channels_stays)
{
	const char *id = put_event(fixture.account, "Forum", MADE_US);
	const char *stage = put_stage(id, "North"), *before;
	const char *channel =
	    put_channel(fixture.account, stage, "Hall", "[\"de\"]", MADE_US);
	struct response a;

	before = everything();
	a = change(id, "{\"stages\":[{\"name\":\"South\"}]}");
	refused(a, 409, "stage-in-use");
	ck_assert_str_eq(everything(), before);
	set_channel(channel, "lifecycle = 'deleting'");
	a = change(id, "{\"stages\":[{\"name\":\"South\"}]}");
	answered(a, 200);
}
END_TEST

START_TEST(errors_are_told_in_the_order_of_the_policy)
{
	const char *id = added(EVENT_WITH(""));
	const char *call = arena_printf(fixture.mem, "PATCH /saas/v2/event/%s", id);
	const char *const *stale = HEADS("If-Match: \"v9\"");
	struct response a;

	a = ask_with(
	    call, "{\"data\":{\"utc_end_dt\":\"2000-01-01T00:00:00Z\"}}", stale);
	refused(a, 422, "validation-error");
	a = ask_with(call,
	    "{\"data\":{\"stages\":[{\"stage_id\":\"" UUID "\",\"name\":\"a\"}]}}",
	    stale);
	refused(a, 404, "resource-not-found");
	a = ask_with(call, "{\"data\":{\"title\":\"Forum\"}}", stale);
	refused(a, 412, "stale-version");
	a = ask_with(
	    call, "{\"data\":{\"title\":\"Forum\"}}", HEADS("If-Match: \"v1\""));
	answered(a, 200);
}
END_TEST

START_TEST(an_end_that_moves_opens_the_event_until_it_is_final)
{
	const char *id = added(EVENT_WITH(""));
	struct response a;

	set_event(id, "start_us = 1, end_us = 5000000, finished_us = 5000000");
	sql("UPDATE event_stats SET noticed_us = 6000000");
	a = on("GET", id, NULL);
	is(a, "/data/finished_at", "1970-01-01T00:00:05Z");
	a = change(id, "{\"title\":\"Forum\"}");
	is(a, "/data/finished_at", "1970-01-01T00:00:05Z");
	a = change(id, "{\"utc_end_dt\":\"2036-12-01T00:00:00Z\"}");
	answered(a, 200);
	is(a, "/data/finished_at", "(none)");
	is(a, "/data/lifecycle_status", "setup_required");
	ck_assert_int_eq(
	    number("SELECT count(*) FROM event_stats WHERE noticed_us IS NULL"), 1);
	set_event(id, "end_us = 5000000, finished_us = 5000000");
	sql("UPDATE event_stats SET noticed_us = 6000000, final = '{}', final_us = 7");
	a = change(id, "{\"utc_end_dt\":\"2036-12-01T00:00:00Z\"}");
	refused(a, 409, "event-finalized");
	a = change(id, "{\"utc_end_dt\":\"1970-01-01T00:00:09Z\"}");
	answered(a, 200);
	is(a, "/data/finished_at", "1970-01-01T00:00:05Z");
}
END_TEST

START_TEST(every_change_drops_the_public_view)
{
	const char *id = added(EVENT_WITH(""));
	struct cached_view b = { .event = id, .maker = "m", .hash = "h", .body = "{}" };
	struct response a;

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(public_view_cache_put(fixture.app.db, &b), OK);
		ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 1);
		if (i == 0) {
			a = change(id, "{\"title\":\"Forum\"}");
			answered(a, 200);
		} else
			ck_assert_int_eq(
			    event_channels_changed(fixture.app.db, id), OK);
		ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
	}
	ck_assert_int_eq(event_channels_changed(fixture.app.db, NULL), OK);
}
END_TEST

/* ---- deleting ---- */

START_TEST(a_deleted_event_takes_all_but_its_listeners_along)
{
	const char *id = added(EVENT_WITH("")), *kept = added(EVENT_WITH(""));
	struct response a;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO joins (event, listener, language) VALUES ('%s', 'l', 'de');"
	    "INSERT INTO heard VALUES ('%s', 'de', 1);"
	    "INSERT INTO requests VALUES ('r', '%s', 'add_language', '', 'de', "
	    "'pending',"
	    " 1, NULL, 1, NULL)",
	    id, id, id));
	a = on("DELETE", id, NULL);
	answered(a, 200);
	is(a, "/data", "null");
	a = on("GET", id, NULL);
	answered(a, 404);
	a = on("GET", kept, NULL);
	answered(a, 200);
	ck_assert_str_eq(
	    sql("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM stages),"
		" (SELECT count(*) FROM event_texts), (SELECT count(*) FROM "
		"event_stats),"
		" (SELECT count(*) FROM heard), (SELECT count(*) FROM requests),"
		" (SELECT count(*) FROM joins)"),
	    "1|1|1|1|0|0|1\n");
	ck_assert_str_eq(sql("SELECT kind, ref FROM jobs"),
	    arena_printf(fixture.mem, "event.purge|%s\n", id));
}
END_TEST

START_TEST(an_event_with_channels_is_torn_down_behind_the_answer)
{
	const char *id = put_event(fixture.account, "Forum", MADE_US);
	const char *channel = put_channel(
	    fixture.account, put_stage(id, "North"), "Hall", "[\"de\"]", MADE_US);
	struct response a = on("DELETE", id, NULL);

	answered(a, 202);
	is(a, "/data", "null");
	a = on("GET", id, NULL);
	answered(a, 404);
	ck_assert_str_eq(sql("SELECT id, lifecycle FROM channels"),
	    arena_printf(fixture.mem, "%s|deleting\n", channel));
	ck_assert_int_eq(
	    number("SELECT count(*) FROM jobs WHERE kind = 'channel.remove'"), 1);
}
END_TEST

START_TEST(a_stale_version_is_not_deleted)
{
	const char *id = added(EVENT_WITH("")), *before = everything();
	const char *call = arena_printf(fixture.mem, "DELETE /saas/v2/event/%s", id);
	struct response a = ask_with(call, NULL, HEADS("If-Match: \"v2\""));

	refused(a, 412, "stale-version");
	ck_assert_str_eq(everything(), before);
	a = ask_with(call, NULL, HEADS("If-Match: \"v1\""));
	answered(a, 200);
}
END_TEST

/* ---- chaos ---- */

static const struct {
	const char *method, *body;
	int good;
} calls[] = {
	{ "POST", EVENT_WITH(",\"stages\":[{\"name\":\"a\"},{\"name\":\"b\"}]"), 201 },
	{ "PATCH", "{\"data\":{\"title\":\"Forum\",\"stages\":[{\"name\":\"c\"}]}}",
	    200 },
	{ "DELETE", NULL, 200 },
};

START_TEST(no_failing_statement_leaves_half_an_event)
{
	bool done = false;

	for (int n = 1; !done; n++) {
		const char *id = added(EVENT_WITH("")), *before = everything();
		struct response a;

		db_fault(fixture.app.db, n, ERR_BUSY);
		if (_i == 0)
			a = add(calls[0].body);
		else
			a = on(calls[_i].method, id, calls[_i].body);
		db_fault(fixture.app.db, 0, OK);
		done = a.status == calls[_i].good;
		if (!done) {
			refused(a, 503, "service-busy");
			ck_assert_str_eq(everything(), before);
		}
		ck_assert_int_lt(n, 60);
	}
}
END_TEST

/* A channel for SRT whose port was released. */
static void
put_stream(const char *event)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO channels (id, account, created_us, updated_us, type, event, "
	    "stage, lifecycle, attempt, held, broadcast, name, input_type, "
	    "source_language, target_languages, region, ignore_video, "
	    "original_delay_s, original_volume, outputs) SELECT '%s', '%s', 1, 1, "
	    "'event', '%s', id, 'ready', 1, 1, 'b', 'Main hall', 'srt_push', 'en', "
	    "'[]', 'local', 0, 3, 0.2, '[]' FROM stages WHERE event = '%s'",
	    id_new(fixture.mem), fixture.account, event, event));
}

static const struct {
	const char *ports, *is;
} revived[] = {
	{ "19000-19001", "ready|19000|NULL|2\n" },
	{ "", "failed|0|No port of ingest.srt_ports is left.|2\n" },
};

START_TEST(an_end_that_moves_back_gives_its_streams_back)
{
	const char *id = added(EVENT_WITH(""));
	struct response a;

	fixture.app.conf.ingest_srt_ports = revived[_i].ports;
	put_stream(id);
	set_event(id, "start_us = 1, end_us = 2");
	sql("UPDATE accounts SET plan_streams = 1");
	put_stream(added(EVENT_WITH("")));
	a = change(id, "{\"utc_end_dt\":\"2036-12-03T00:00:00Z\"}");
	refused(a, 403, "stream-limit-reached");
	a = on("GET", id, NULL);
	is(a, "/data/utc_end_dt", "1970-01-01T00:00:00Z");
	sql("UPDATE accounts SET plan_streams = 2");
	answered(change(id, "{\"utc_end_dt\":\"2036-12-03T00:00:00Z\"}"), 200);
	ck_assert_str_eq(sql(arena_printf(fixture.mem,
			     "SELECT lifecycle, srt_port, error, version FROM channels "
			     "WHERE event = '%s'",
			     id)),
	    revived[_i].is);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("event changes");
	TCase *t = tcase_create("changes");

	tcase_add_checked_fixture(t, event_fixture, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t,
	    a_change_merges_and_grows_the_version_only_when_it_changes, 0,
	    COUNT(changes));
	tcase_add_test(t, it_is_counted_how_often_a_code_was_set_to_another_one);
	tcase_add_test(t, it_is_noted_when_the_transcript_was_set_to_another_mode);
	tcase_add_loop_test(
	    t, a_change_that_breaks_a_rule_changes_nothing, 0, COUNT(bad_changes));
	tcase_add_test(t, stages_that_are_named_are_kept_and_the_others_go);
	tcase_add_test(t, a_stage_or_session_of_another_event_is_not_found);
	tcase_add_test(t, a_stage_with_channels_stays);
	tcase_add_test(t, errors_are_told_in_the_order_of_the_policy);
	tcase_add_test(t, an_end_that_moves_opens_the_event_until_it_is_final);
	tcase_add_test(t, every_change_drops_the_public_view);
	tcase_add_test(t, a_deleted_event_takes_all_but_its_listeners_along);
	tcase_add_test(t, an_event_with_channels_is_torn_down_behind_the_answer);
	tcase_add_test(t, a_stale_version_is_not_deleted);
	tcase_add_loop_test(
	    t, no_failing_statement_leaves_half_an_event, 0, COUNT(calls));
	tcase_add_loop_test(
	    t, an_end_that_moves_back_gives_its_streams_back, 0, COUNT(revived));
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
