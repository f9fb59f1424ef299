/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of events. */
#define UNIT_TEST
#include "tests/unit/event_fixture.h"

/* Two stages and an item of the agenda on the second one. */
#define WHOLE                                                                          \
	",\"description\":\"Two days\",\"access_code\":\"FORUM26\",\"timezone\":"      \
	"\"Europe/Vienna\",\"target_languages\":[\"de\",\"fr\"],\"transcript\":"       \
	"\"public\",\"listener_language_mode\":\"auto\",\"stages\":[{\"name\":"        \
	"\"Red\",\"greenscreen_settings\":{\"colour\":\"#0f0\"}},{\"name\":\"Blue\"}]" \
	",\"sessions\":[" SESSION(                                                     \
	    ",\"stage_index\":1,\"speakers\":[{\"name\":\"Dr. Maier\"}]") "]"

static struct response
copy(const char *id, const char *data)
{
	return ask(arena_printf(fixture.mem, "POST /saas/v2/event/%s/copy", id),
	    data != NULL ? arena_printf(fixture.mem, "{\"data\":%s}", data) : NULL);
}

static const char *
rows(const char *columns, const char *event)
{
	return sql(arena_printf(fixture.mem,
	    "SELECT %s FROM channels WHERE event = '%s' ORDER BY name", columns,
	    event));
}

START_TEST(a_copy_is_the_event_at_another_time)
{
	const char *id = added(EVENT_WITH(WHOLE));
	struct response a = copy(
	    id, "{\"title\":\"Forum 2037\",\"utc_start_dt\":\"2037-12-01T10:30:00Z\"}");

	answered(a, 201);
	ck_assert_str_ne(said(&a, "/data/event_id"), id);
	is(a, "/data/title", "Forum 2037");
	is(a, "/data/description", "Two days");
	is(a, "/data/timezone", "Europe/Vienna");
	is(a, "/data/utc_start_dt", "2037-12-01T10:30:00Z");
	is(a, "/data/utc_end_dt", "2037-12-02T18:30:00Z");
	is(a, "/data/target_languages", "[\"de\",\"fr\"]");
	is(a, "/data/transcript", "public");
	is(a, "/data/listener_language_mode", "auto");
	is(a, "/data/access_code", "(none)");
	is(a, "/data/stages/0/name", "Red");
	is(a, "/data/stages/0/greenscreen_settings/colour", "#0f0");
	is(a, "/data/stages/1/name", "Blue");
	is(a, "/data/stages/2", "(none)");
	is(a, "/data/sessions/0/title", "Opening");
	is(a, "/data/sessions/0/speakers/0/name", "Dr. Maier");
	is(a, "/data/sessions/0/stage_id", said(&a, "/data/stages/1/stage_id"));
	is(a, "/data/sessions/0/utc_start_dt", "2037-12-01T10:30:00Z");
	is(a, "/data/sessions/0/utc_end_dt", "2037-12-01T11:30:00Z");
	ck_assert_pstr_eq(
	    head_of(&a, "Location"), arena_printf(fixture.mem, BASE "/saas/v2/event/%s",
					 said(&a, "/data/event_id")));
}
END_TEST

START_TEST(nothing_of_a_copy_is_shared)
{
	static const char *const own[] = { "/data/event_id", "/data/join_code",
		"/data/room_name_suffix", "/data/stages/0/stage_id",
		"/data/stages/1/stage_id", "/data/sessions/0/session_id" };
	struct response was = add(EVENT_WITH(WHOLE)),
			a = copy(said(&was, "/data/event_id"), NULL);

	answered(a, 201);
	for (int i = 0; i < COUNT(own); i++)
		ck_assert_str_ne(said(&a, own[i]), said(&was, own[i]));
	is(a, "/data/title", "Health Forum");
	is(a, "/data/utc_start_dt", "2036-12-01T08:00:00Z");
	is(a, "/data/utc_end_dt", "2036-12-02T16:00:00Z");
}
END_TEST

START_TEST(its_channels_are_new_ones_for_the_worker)
{
	struct response a = add(EVENT_WITH(WHOLE));
	const char *id = said(&a, "/data/event_id"), *of, *hall, *gone;

	hall = put_channel(fixture.account, said(&a, "/data/stages/1/stage_id"), "Hall",
	    "[\"es\"]", MADE_US);
	gone = put_channel(fixture.account, said(&a, "/data/stages/0/stage_id"), "Gone",
	    "[\"it\"]", MADE_US);
	set_channel(gone, "lifecycle = 'deleting'");
	set_channel(hall,
	    "input_type = 'rtmp_push', stream_key = 'secret', runtime = 'active',"
	    " keep_transcript = 1, original_volume = 0.5, speaker_version = 3,"
	    " pipeline = '{\"asr\":{}}', audio_settings = '{\"gain\":2}',"
	    " region = 'far', input_bitrate = 64, error = 'It broke'");
	a = copy(id, "{}");
	answered(a, 201);
	of = said(&a, "/data/event_id");
	ck_assert_str_eq(
	    rows("name, type, lifecycle, runtime, broadcast, stream_key, attempt, held,"
		 " version, speaker_version, input_bitrate, error",
		of),
	    "Hall|event|creating|NULL|NULL|NULL|0|0|1|0|NULL|NULL\n");
	ck_assert_str_eq(
	    rows("input_type, source_language, target_languages, region,"
		 " original_volume, keep_transcript, pipeline, audio_settings",
		of),
	    "rtmp_push|en|[\"es\"]|far|0.5|1|{\"asr\":{}}|{\"gain\":2}\n");
	is(a, "/data/stages/1/channels/0/name", "Hall");
	is(a, "/data/stages/0/channels/0", "(none)");
	ck_assert_str_eq(sql(arena_printf(fixture.mem,
			     "SELECT j.kind, j.state FROM jobs j JOIN channels c"
			     " ON c.id = j.ref WHERE c.event = '%s'",
			     of)),
	    "channel.create|ready\n");
}
END_TEST

START_TEST(a_copy_needs_room_in_the_plan)
{
	struct response a = add(EVENT_WITH(WHOLE));
	const char *id = said(&a, "/data/event_id"), *before;

	put_channel(fixture.account, said(&a, "/data/stages/0/stage_id"), "Hall",
	    "[\"de\",\"fr\",\"es\"]", MADE_US);
	before = everything();
	sql("UPDATE accounts SET plan_event_languages = 2");
	a = copy(id, "{}");
	refused(a, 403, "language-limit-reached");
	sql("UPDATE accounts SET plan_event_languages = NULL");
	ck_assert_str_eq(everything(), before);
	a = copy(id, "{}");
	answered(a, 201);
	sql("UPDATE channels SET input_type = 'hls_pull';"
	    "UPDATE accounts SET plan_streams = 2");
	a = copy(id, "{}");
	refused(a, 403, "stream-limit-reached");
	ck_assert_int_eq(number("SELECT count(*) FROM events"), 2);
}
END_TEST

START_TEST(a_wrong_copy_is_refused)
{
	const char *id = added(EVENT_WITH(""));
	const char *foreign = put_event(fixture_account(), "Foreign", MADE_US + 9);
	struct response a = copy(id, "{\"title\":\"x\",\"utc_start_dt\":\"soon\"}");

	refused(a, 422, "validation-error");
	is(a, "/errors/0/pointer", "/data/title");
	is(a, "/errors/1/pointer", "/data/utc_start_dt");
	a = copy(foreign, "{}");
	refused(a, 404, "resource-not-found");
	a = copy(UUID, "{}");
	refused(a, 404, "resource-not-found");
	fixture.bearer = fixture_bearer(fixture.account, "events:read");
	a = copy(id, "{}");
	refused(a, 403, "insufficient-scope");
	ck_assert_int_eq(number("SELECT count(*) FROM events"), 2);
}
END_TEST

START_TEST(an_idempotency_key_makes_one_copy)
{
	const char *id = added(EVENT_WITH(WHOLE)), *first;
	const char *at = arena_printf(fixture.mem, "POST /saas/v2/event/%s/copy", id);
	const char *const *key = HEADS("Idempotency-Key: \"next-year\"");
	struct response a = ask_with(at, "{\"data\":{}}", key);

	answered(a, 201);
	first = a.body;
	a = ask_with(at, "{\"data\":{}}", key);
	ck_assert_str_eq(a.body, first);
	ck_assert_int_eq(number("SELECT count(*) FROM events"), 2);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("events: copies");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, event_fixture, fixture_close);
	tcase_add_test(t, a_copy_is_the_event_at_another_time);
	tcase_add_test(t, nothing_of_a_copy_is_shared);
	tcase_add_test(t, its_channels_are_new_ones_for_the_worker);
	tcase_add_test(t, a_copy_needs_room_in_the_plan);
	tcase_add_test(t, a_wrong_copy_is_refused);
	tcase_add_test(t, an_idempotency_key_makes_one_copy);
	suite_add_tcase(s, t);
	return unit_run(s);
}
