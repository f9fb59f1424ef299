/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events: creating and reading one. */
#define UNIT_TEST
#include "tests/unit/event_fixture.h"

/* ---- making ---- */

START_TEST(a_new_event_answers_the_record_of_the_example)
{
	struct response a = add(EVENT_WITH(
	    ",\"description\":\"Two days\",\"location\":\"Vienna\",\"timezone\":"
	    "\"Europe/Vienna\",\"access_code\":\"FORUM26\",\"target_languages\":"
	    "[\"DE\",\"fr\"],\"sessions\":[" SESSION(
		",\"speakers\":[{\"name\":\"Dr. Maier\"}]") "]"));
	const char *id = said(&a, "/data/event_id");
	const char *stage = said(&a, "/data/stages/0/stage_id");
	const char *now = said(&a, "/data/utc_created_at");

	answered(a, 201);
	assert_same_body(a.body,
	    arena_printf(fixture.mem,
		"{\"ok\":true,\"data\":{\"event_id\":\"%s\",\"title\":\"Health Forum\","
		"\"description\":\"Two days\",\"event_type\":\"in-person\","
		"\"location\":\"Vienna\",\"timezone\":\"Europe/Vienna\","
		"\"utc_start_dt\":\"2036-12-01T08:00:00Z\","
		"\"utc_end_dt\":\"2036-12-02T16:00:00Z\",\"is_recurring\":false,"
		"\"qr_code_url\":\"" BASE "/saas/v2/event/public/%s/qr.svg\","
		"\"lifecycle_status\":\"setup_required\",\"access_code\":\"FORUM26\","
		"\"join_code\":\"%s\",\"input_languages\":[],\"output_languages\":[],"
		"\"target_languages\":[\"de\",\"fr\"],"
		"\"listener_language_mode\":\"approval\",\"transcript\":\"off\",\"room_"
		"name_suffix\":\"%s\","
		"\"stages\":[{\"stage_id\":\"%s\",\"event_id\":\"%s\","
		"\"name\":\"Main stage\",\"status\":\"setup_required\","
		"\"qr_code_url\":\"" BASE "/saas/v2/event/public/%s/qr.svg?stage=%s\","
		"\"greenscreen_settings\":null,\"utc_created_at\":\"%s\","
		"\"utc_updated_at\":\"%s\",\"channels\":[]}],"
		"\"sessions\":[{\"session_id\":\"%s\",\"stage_id\":\"%s\","
		"\"title\":\"Opening\",\"utc_start_dt\":\"2036-12-01T08:00:00Z\","
		"\"utc_end_dt\":\"2036-12-01T09:00:00Z\","
		"\"speakers\":[{\"name\":\"Dr. Maier\"}]}],"
		"\"utc_created_at\":\"%s\",\"utc_updated_at\":\"%s\"}}",
		id, id, said(&a, "/data/join_code"), said(&a, "/data/room_name_suffix"),
		stage, id, id, stage, now, now, said(&a, "/data/sessions/0/session_id"),
		stage, now, now));
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\"");
	ck_assert_pstr_eq(head_of(&a, "Location"),
	    arena_printf(fixture.mem, BASE "/saas/v2/event/%s", id));
	ck_assert_uint_eq(strlen(said(&a, "/data/room_name_suffix")), 8);
	assert_same_body(on("GET", id, NULL).body, a.body);
}
END_TEST

START_TEST(absent_members_have_their_default)
{
	struct response a = add(EVENT_WITH(""));

	answered(a, 201);
	is(a, "/data/description", "(none)");
	is(a, "/data/timezone", "(none)");
	is(a, "/data/access_code", "(none)");
	is(a, "/data/finished_at", "(none)");
	is(a, "/data/is_recurring", "false");
	is(a, "/data/target_languages", "[]");
	is(a, "/data/sessions", "[]");
	is(a, "/data/stages/0/name", "Main stage");
	ck_assert_int_eq(number("SELECT count(*) FROM event_stats"), 1);
}
END_TEST

START_TEST(sessions_stand_by_start_on_the_stage_they_name)
{
	struct response a = add(EVENT_WITH(
	    ",\"stages\":[{\"name\":\"North\",\"greenscreen_settings\":{\"a\":[1]}},"
	    "{\"name\":\"South\"}],\"sessions\":["
	    "{\"title\":\"Late\",\"stage_index\":1,\"utc_start_dt\":"
	    "\"2036-12-01T12:00:00Z\",\"utc_end_dt\":\"2036-12-01T12:00:00Z\"}"
	    "," SESSION(
		"") ",{\"title\":\"Also\",\"utc_start_dt\":\"2036-12-01T10:00:00+02:"
		    "00\","
		    "\"utc_end_dt\":\"2036-12-01T09:00:00Z\",\"stage_index\":1,"
		    "\"description\":\"d\",\"speakers\":[{\"name\":\"A\",\"title\":"
		    "\"B\","
		    "\"photo_url\":\"https://x.example/a.png\"},{\"name\":\"C\"}]}]"));

	answered(a, 201);
	is(a, "/data/stages/0/greenscreen_settings", "{\"a\":[1]}");
	is(a, "/data/stages/1/greenscreen_settings", "null");
	is(a, "/data/sessions/0/title", "Opening");
	is(a, "/data/sessions/0/stage_id", said(&a, "/data/stages/0/stage_id"));
	is(a, "/data/sessions/0/speakers", "[]");
	is(a, "/data/sessions/0/stage_index", "(none)");
	is(a, "/data/sessions/1/title", "Also"); /* as they were sent */
	is(a, "/data/sessions/1/utc_start_dt", "2036-12-01T08:00:00Z");
	is(a, "/data/sessions/1/speakers",
	    "[{\"name\":\"A\",\"title\":\"B\",\"photo_url\":\"https://x.example/"
	    "a.png\"},"
	    "{\"name\":\"C\"}]");
	is(a, "/data/sessions/2/title", "Late");
	is(a, "/data/sessions/2/stage_id", said(&a, "/data/stages/1/stage_id"));
}
END_TEST

static const struct {
	const char *data, *faults;
} wrong[] = {
	{ "{}", "/data/title: title is required.\n"
		"/data/event_type: event_type is required.\n"
		"/data/utc_start_dt: utc_start_dt is required.\n"
		"/data/utc_end_dt: utc_end_dt is required." },
	{ "{\"title\":\"ab\",\"event_type\":\"Online\",\"utc_start_dt\":\"2026-02-30\","
	  "\"utc_end_dt\":\"2026-03-01T00:00:00Z\"}",
	    "/data/title: title must have 3 to 100 characters.\n"
	    "/data/event_type: event_type is not in the list.\n"
	    "/data/utc_start_dt: utc_start_dt must be an RFC 3339 time." },
	{ "{\"title\":\"abc\",\"event_type\":\"online\",\"utc_start_dt\":"
	  "\"2026-03-01T00:00:00Z\",\"utc_end_dt\":\"2026-03-01T00:00:00Z\"}",
	    "/data/utc_end_dt: utc_end_dt must be after utc_start_dt." },
	{ "{" NEEDED ",\"timezone\":\"Europe/Wien\"}",
	    "/data/timezone: timezone is not a time zone of the IANA database." },
	{ "{" NEEDED ",\"timezone\":\"../../etc/passwd\"}",
	    "/data/timezone: timezone must be the name of a time zone, such as "
	    "Europe/Vienna." },
	{ "{" NEEDED ",\"cover_image_key\":\"a/../b\"}",
	    "/data/cover_image_key: cover_image_key must not have the segment "
	    "\"..\"." },
	{ "{" NEEDED ",\"cover_image_key\":\"a b\"}",
	    "/data/cover_image_key: cover_image_key may have letters of ASCII, digits "
	    "and / . _ - only." },
	{ "{" NEEDED ",\"access_code\":\"abc\"}",
	    "/data/access_code: access_code must have 4 to 64 characters." },
	{ "{" NEEDED ",\"access_code\":\"ab cd\"}",
	    "/data/access_code: access_code may have visible characters of ASCII "
	    "only." },
	{ "{" NEEDED ",\"target_languages\":[\"de\",\"xx\",\"DE\"]}",
	    "/data/target_languages/1: item 1 is not in the list.\n"
	    "/data/target_languages/2: The language is listed twice." },
	{ "{" NEEDED ",\"target_languages\":\"de\"}",
	    "/data/target_languages: target_languages must be an array." },
	{ "{" NEEDED ",\"listener_language_mode\":\"on\"}",
	    "/data/listener_language_mode: listener_language_mode is not in the "
	    "list." },
	{ "{" NEEDED ",\"is_recurring\":1}",
	    "/data/is_recurring: is_recurring must be true or false." },
	{ "{" NEEDED ",\"stages\":[]}",
	    "/data/stages: stages must have 1 to 50 items." },
	{ "{" NEEDED ",\"stages\":[{\"name\":\"\"},{\"greenscreen_settings\":[]}]}",
	    "/data/stages/0/name: name must have 1 to 100 characters.\n"
	    "/data/stages/1/name: name is required.\n"
	    "/data/stages/1/greenscreen_settings: greenscreen_settings must be an "
	    "object." },
	{ "{" NEEDED ",\"stages\":[{\"stage_id\":\"x\",\"name\":\"a\"},"
	  "{\"stage_id\":\"" UUID "\",\"name\":\"a\"},{\"stage_id\":\"" UUID
	  "\",\"name\":\"b\"}]}",
	    "/data/stages/0/stage_id: stage_id must be a uuid.\n"
	    "/data/stages/2/stage_id: The stage is listed twice." },
	{ "{" NEEDED ",\"sessions\":[{\"speakers\":[{}]}]}",
	    "/data/sessions/0/title: title is required.\n"
	    "/data/sessions/0/utc_start_dt: utc_start_dt is required.\n"
	    "/data/sessions/0/utc_end_dt: utc_end_dt is required.\n"
	    "/data/sessions/0/speakers/0/name: name is required." },
	{ "{" NEEDED ",\"sessions\":[" SESSION(",\"speakers\":[{\"name\":\"A\","
					       "\"photo_url\":\"javascript:x\"}]") "]}",
	    "/data/sessions/0/speakers/0/photo_url: photo_url must be an http or https "
	    "address." },
	{ "{" NEEDED ",\"sessions\":[" SESSION(",\"stage_index\":1") "]}",
	    "/data/sessions/0/stage_index: No stage has this index." },
	{ "{" NEEDED ",\"sessions\":[" SESSION(
	      ",\"stage_index\":0,\"stage_id\":\"" UUID "\"") "]}",
	    "/data/sessions/0/stage_index: stage_index must not be combined with "
	    "stage_id." },
	{ "{" NEEDED ",\"sessions\":[{\"title\":\"T\",\"utc_start_dt\":"
	  "\"2026-03-01T00:00:01Z\",\"utc_end_dt\":\"2026-03-01T00:00:00Z\"}]}",
	    "/data/sessions/0/utc_end_dt: utc_end_dt must not be before "
	    "utc_start_dt." },
};

START_TEST(an_event_that_breaks_a_rule_is_422)
{
	const char *before = everything();
	struct response a =
	    add(arena_printf(fixture.mem, "{\"data\":%s}", wrong[_i].data));

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
	ck_assert_str_eq(everything(), before);
}
END_TEST

static const struct {
	const char *data, *pointer;
} unknown[] = {
	{ "{" NEEDED ",\"stages\":[{\"name\":\"a\"},{\"stage_id\":\"" UUID
	  "\",\"name\":\"b\"}]}",
	    "/data/stages/1/stage_id" },
	{ "{" NEEDED ",\"sessions\":[" SESSION(",\"stage_id\":\"" UUID "\"") "]}",
	    "/data/sessions/0/stage_id" },
	{ "{" NEEDED ",\"sessions\":[" SESSION(",\"session_id\":\"" UUID "\"") "]}",
	    "/data/sessions/0/session_id" },
};

START_TEST(a_new_event_cannot_name_what_is_not_there)
{
	const char *before = everything();
	struct response a =
	    add(arena_printf(fixture.mem, "{\"data\":%s}", unknown[_i].data));

	refused(a, 404, "resource-not-found");
	is(a, "/errors/0/pointer", unknown[_i].pointer);
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(languages_of_an_event_are_bounded_by_the_plan)
{
	struct response a;
	const char *id;

	sql("UPDATE accounts SET plan_event_languages = 2");
	a = add(EVENT_WITH(",\"target_languages\":[\"de\",\"fr\",\"es\"]"));
	refused(a, 403, "language-limit-reached");
	is(a, "/errors/0/detail", "The plan allows 2 languages per event.");
	ck_assert_int_eq(number("SELECT count(*) FROM events"), 0);
	id = added(EVENT_WITH(",\"target_languages\":[\"de\",\"fr\"]"));
	a = change(id, "{\"target_languages\":[\"de\",\"fr\",\"es\"]}");
	refused(a, 403, "language-limit-reached");
	sql("UPDATE accounts SET plan_event_languages = 0");
	a = change(id, "{\"target_languages\":[\"de\",\"fr\",\"es\"]}");
	answered(a, 200);
	/* a lowered limit deletes nothing */
	sql("UPDATE accounts SET plan_event_languages = 1");
	a = change(id, "{\"target_languages\":[\"de\",\"es\",\"it\"]}");
	answered(a, 200);
	a = change(id, "{\"target_languages\":[\"de\",\"es\"]}");
	answered(a, 200);
	a = change(id, "{\"target_languages\":[\"de\",\"es\",\"it\"]}");
	refused(a, 403, "language-limit-reached");
}
END_TEST

START_TEST(an_idempotency_key_makes_one_event)
{
	const char *const *key = HEADS("Idempotency-Key: \"forum\"");
	struct response a = ask_with("POST /saas/v2/event", EVENT_WITH(""), key);
	struct response b = ask_with("POST /saas/v2/event", EVENT_WITH(""), key);

	answered(a, 201);
	answered(b, 201);
	assert_same_body(b.body, a.body);
	ck_assert_pstr_eq(head_of(&b, "Location"), head_of(&a, "Location"));
	ck_assert_int_eq(number("SELECT count(*) FROM events"), 1);
}
END_TEST

/* ---- reading ---- */

static const struct {
	const char *columns, *lifecycle, *runtime, *status, *stage;
} statuses[] = {
	{ "end_us = 1", NULL, NULL, "finished", "setup_required" },
	{ "finished_us = 5", NULL, NULL, "finished", "setup_required" },
	{ "title = title", NULL, NULL, "setup_required", "setup_required" },
	{ "title = title", "creating", NULL, "setup_required", "setup_required" },
	{ "title = title", "failed", NULL, "setup_required", "setup_required" },
	{ "start_us = 1", "ready", "pending", "ready", "ready" },
	{ "title = title", "ready", "pending", "upcoming", "ready" },
	{ "title = title", "ready", "stopped", "upcoming", "ready" },
	{ "end_us = 1", "ready", "pending", "finished", "ready" },
	{ "end_us = 1", "ready", "active", "live", "live" },
	{ "finished_us = 5", "ready", "active", "live", "live" },
	{ "title = title", "deleting", "active", "setup_required", "setup_required" },
};

START_TEST(status_is_the_first_row_that_holds)
{
	const char *id = put_event(fixture.account, "Forum", MADE_US);
	const char *stage = put_stage(id, "North"), *channel;
	struct response a;

	set_event(id, statuses[_i].columns);
	if (statuses[_i].lifecycle != NULL) {
		channel =
		    put_channel(fixture.account, stage, "Hall", "[\"de\"]", MADE_US);
		set_channel(channel,
		    arena_printf(fixture.mem, "lifecycle = '%s', runtime = %s",
			statuses[_i].lifecycle,
			statuses[_i].runtime
			    ? arena_printf(fixture.mem, "'%s'", statuses[_i].runtime)
			    : "NULL"));
	}
	a = on("GET", id, NULL);
	is(a, "/data/lifecycle_status", statuses[_i].status);
	is(a, "/data/stages/0/status", statuses[_i].stage);
	a = ask(arena_printf(
		    fixture.mem, "GET /saas/v2/events?status=%s", statuses[_i].status),
	    NULL);
	is(a, "/data/0/event_id", id);
}
END_TEST

START_TEST(channels_stand_on_their_stages_and_give_the_languages)
{
	const char *id = put_event(fixture.account, "Forum", MADE_US);
	const char *north = put_stage(id, "North"), *south = put_stage(id, "South");
	const char *hall =
	    put_channel(fixture.account, south, "Hall", "[\"fr\",\"de\"]", MADE_US);
	const char *gone =
	    put_channel(fixture.account, north, "Gone", "[\"ja\"]", MADE_US + 1);
	struct response a;

	put_channel(fixture.account, north, "Foyer", "[\"de\",\"es\"]", MADE_US + 2);
	set_channel(gone, "lifecycle = 'deleting', source_language = 'sv'");
	put_channel(fixture.account, NULL, "Alone", "[\"it\"]", MADE_US);
	a = on("GET", id, NULL);
	is(a, "/data/input_languages", "[\"en\"]");
	is(a, "/data/output_languages", "[\"de\",\"es\",\"fr\"]");
	is(a, "/data/stages/1/channels",
	    arena_printf(fixture.mem,
		"[{\"channel_id\":\"%s\",\"stage_id\":\"%s\",\"broadcast_id\":\"%s-1\","
		"\"name\":\"Hall\",\"input_type\":\"webrtc_push\",\"lifecycle_status\":"
		"\"ready\",\"runtime_status\":\"pending\",\"source_language\":\"en\","
		"\"target_languages\":[\"fr\",\"de\"]}]",
		hall, south, hall));
	is(a, "/data/stages/0/channels/0/name", "Gone");
	is(a, "/data/stages/0/channels/1/name", "Foyer");
}
END_TEST

START_TEST(a_cover_is_an_upload_or_below_the_media_address)
{
	const char *blob = id_new(fixture.mem), *id;
	struct response a;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, "
	    "min_bytes,"
	    " max_bytes, file, bytes, created_us) VALUES ('%s', '%s', 'upload',"
	    " 'checked', 'image/png', 'a.png', 1, 9, 'f', 5, 1)",
	    blob, fixture.account));
	for (int i = 0; i < 2; i++) {
		const char *key =
		    i ? blob
		      : arena_printf(fixture.mem, "u/%s/%s", fixture.account, blob);

		a = add(arena_printf(
		    fixture.mem, EVENT_WITH(",\"cover_image_key\":\"%s\""), key));
		is(a, "/data/cover_image_key", key);
		ck_assert_ptr_nonnull(strstr(said(&a, "/data/cover_image_url"),
		    arena_printf(fixture.mem, BASE "/blobs/%s?expires=", blob)));
	}
	id = said(&a, "/data/event_id");
	sql("UPDATE blobs SET state = 'gone'");
	a = on("GET", id, NULL);
	is(a, "/data/cover_image_url", "(none)");
	fixture.app.conf.media_url = "https://cdn.example.org/m";
	a = add(EVENT_WITH(",\"cover_image_key\":\"2026/forum.png\""));
	is(a, "/data/cover_image_url", "https://cdn.example.org/m/2026/forum.png");
}
END_TEST

START_TEST(anothers_upload_is_no_cover)
{
	const char *blob = id_new(fixture.mem), *theirs = fixture_account();
	struct response a;

	sql(arena_printf(fixture.mem,
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, "
	    "min_bytes,"
	    " max_bytes, file, bytes, created_us) VALUES ('%s', '%s', 'upload',"
	    " 'checked', 'image/png', 'a.png', 1, 9, 'f', 5, 1)",
	    blob, theirs));
	a = add(arena_printf(
	    fixture.mem, EVENT_WITH(",\"cover_image_key\":\"u/%s/%s\""), theirs, blob));
	is(a, "/data/cover_image_url", "(none)");
	a = add(
	    arena_printf(fixture.mem, EVENT_WITH(",\"cover_image_key\":\"%s\""), blob));
	is(a, "/data/cover_image_url", "(none)");
}
END_TEST

static const char *const of_one_event[][2] = {
	{ "GET", NULL },
	{ "PATCH", "{\"data\":{}}" },
	{ "DELETE", NULL },
};

START_TEST(anothers_event_is_as_unknown_as_none)
{
	const char *id[] = { put_event(fixture_account(), "Theirs", 1),
		id_new(fixture.mem), "nonsense" };
	const char *before = everything();
	struct response a, first = { 0 };

	for (int i = 0; i < COUNT(id); i++) {
		a = ask_with(arena_printf(fixture.mem, "%s /saas/v2/event/%s",
				 of_one_event[_i][0], id[i]),
		    of_one_event[_i][1], HEADS("X-Request-Id: " ID_NIL));
		refused(a, 404, "resource-not-found");
		if (i == 0)
			first = a;
		assert_same_body(a.body, first.body);
	}
	ck_assert_str_eq(everything(), before);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("events");
	TCase *t = tcase_create("events");

	tcase_add_checked_fixture(t, event_fixture, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_new_event_answers_the_record_of_the_example);
	tcase_add_test(t, absent_members_have_their_default);
	tcase_add_test(t, sessions_stand_by_start_on_the_stage_they_name);
	tcase_add_loop_test(t, an_event_that_breaks_a_rule_is_422, 0, COUNT(wrong));
	tcase_add_loop_test(
	    t, a_new_event_cannot_name_what_is_not_there, 0, COUNT(unknown));
	tcase_add_test(t, languages_of_an_event_are_bounded_by_the_plan);
	tcase_add_test(t, an_idempotency_key_makes_one_event);
	tcase_add_loop_test(t, status_is_the_first_row_that_holds, 0, COUNT(statuses));
	tcase_add_test(t, channels_stand_on_their_stages_and_give_the_languages);
	tcase_add_test(t, a_cover_is_an_upload_or_below_the_media_address);
	tcase_add_test(t, anothers_upload_is_no_cover);
	tcase_add_loop_test(
	    t, anothers_event_is_as_unknown_as_none, 0, COUNT(of_one_event));
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
