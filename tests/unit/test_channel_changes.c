/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changing channels: first the backend, then the row, also when others write meanwhile.
 */
#define UNIT_TEST
#include "tests/unit/channel_fixture.h"
#include "tests/unit/node_rows.h"

#define ALL                                                                            \
	"\"name\":\"Hall 2\",\"source_language\":\"de\",\"target_languages\":[\"it\"," \
	"\"es\"],\"region\":\"eu-1\",\"ignore_video\":true,\"original_delay_"          \
	"seconds\":"                                                                   \
	"1.5,\"original_ducked_volume\":1,\"audio_settings\":{\"a\":1},\"outputs\":[{" \
	"\"protocol\":\"webrtc_push\"}],\"translation_pipeline\":{\"b\":2}"

START_TEST(a_channel_is_spoken_to_at_the_node_that_serves_it)
{
	struct response a;
	const char *id;

	fixture.app.conf.broadcast_driver = "gateway";
	put_node("busy", 50, 0);
	put_node("idle", 5, 0);
	a = add(ALONE);
	answered(a, 201);
	id = said(&a, "/data/channel_id");
	for (int i = 0; i < 2; i++, a = on("GET", id, NULL))
		is(a, "/data/input/url",
		    line("wss://idle.example.org/live/streaming-api/%.8s/v1/"
			 "speech-to-speech/stream",
			id));
	set_channel(
	    id, arena_printf(fixture.mem, "node = '%s'", fixture.app.conf.node));
	a = on("GET", id, NULL);
	is(a, "/data/input/url",
	    line("wss://speech.example.org/streaming-api/%.8s/v1/speech-to-speech/"
		 "stream",
		id));
}
END_TEST

START_TEST(every_field_of_a_change_is_taken_and_null_clears)
{
	const char *event = put_event(fixture.account);
	const char *id = put_channel(fixture.account, event, "ready");
	struct response a =
	    on("PATCH", id, line("{\"data\":{\"channel_id\":\"%s\"," ALL "}}", id));

	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v2\"");
	is(a, "/data/title", "Hall 2");
	ck_assert_str_eq(
	    channel_is(id,
		"name, source_language, target_languages, region,"
		" ignore_video, original_delay_s, original_volume,"
		" audio_settings, opened(outputs), pipeline, updated_us > 1"),
	    "Hall 2|de|[\"it\",\"es\"]|eu-1|1|1.5|1.0|{\"a\":1}|"
	    "[{\"protocol\":\"webrtc_push\"}]|{\"b\":2}|1\n");
	ck_assert_int_eq(backend.changes, 1);
	ck_assert_str_eq(backend.name, line("%s-1", id));
	ck_assert_str_eq(backend.languages, "[\"it\",\"es\"]");
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
	a = on("PATCH", id,
	    "{\"data\":{\"target_languages\":null,\"outputs\":null,"
	    "\"audio_settings\":null,\"translation_pipeline\":null}}");
	answered(a, 200);
	ck_assert_str_eq(
	    channel_is(id,
		"name, target_languages, audio_settings, opened(outputs), pipeline"),
	    "Hall 2|[]|NULL|[]|NULL\n");
}
END_TEST

START_TEST(a_change_without_effect_calls_no_backend)
{
	const char *id = put_channel(fixture.account, NULL, "ready"),
		   *before = everything();
	struct response a = on(
	    "PATCH", id, "{\"data\":{\"name\":\"Main hall\",\"status\":\"failed\"}}");

	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v1\"");
	ck_assert_int_eq(backend.changes, 0);
	ck_assert_str_eq(everything(), before);
}
END_TEST

static const struct {
	enum err change;
	const char *body;
	int status, calls;
	const char *slug, *detail;
} not_changed[] = {
	{ ERR_REFUSED, "{\"data\":{\"name\":\"B\"}}", 502, 1, "bad-gateway",
	    "The broadcasting backend refused the change." },
	{ ERR_TIMEOUT, "{\"data\":{\"name\":\"B\"}}", 504, 1, "gateway-timeout", DOWN },
	{ ERR_FAILED, "{\"data\":{\"name\":\"B\"}}", 504, 1, "gateway-timeout", DOWN },
	{ OK,
	    "{\"data\":{\"outputs\":[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]"
	    "}]}}",
	    502, 0, "bad-gateway",
	    "The broadcasting backend lacks a protocol of this channel." },
};

START_TEST(a_change_that_the_backend_refuses_changes_nothing)
{
	const char *id =
	    put_channel(fixture.account, put_event(fixture.account), "ready");
	const char *before = sql("SELECT * FROM channels, bundles");
	struct response a;

	backend.change = not_changed[_i].change;
	fixture.app.conf.hls_dir = "";
	a = on("PATCH", id, not_changed[_i].body);
	answered(a, not_changed[_i].status);
	is(a, "/errors/0/type", line(BASE "/problems/%s", not_changed[_i].slug));
	is(a, "/errors/0/detail", not_changed[_i].detail);
	ck_assert_int_eq(backend.changes, not_changed[_i].calls);
	ck_assert_str_eq(sql("SELECT * FROM channels, bundles"), before);
	/* The worker reverts the part of the change that the backend made. */
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id),
	    not_changed[_i].calls > 0 ? "ready|0|NULL\n" : "");
}
END_TEST

static const char *const no_broadcast[] = { "creating", "failed" };

START_TEST(a_channel_that_is_not_ready_is_changed_without_the_backend)
{
	const char *id = put_channel(fixture.account, NULL, no_broadcast[_i]);
	struct response a;

	backend.change = backend.create = ERR_REFUSED;
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"pl\"]}}");
	answered(a, 200);
	ck_assert_int_eq(backend.changes + backend.creates, 0);
	backend.create = OK;
	a = retry(id); /* the next attempt uses it */
	is(a, "/data/lifecycle_status", "ready");
	ck_assert_str_eq(backend.languages, "[\"pl\"]");
}
END_TEST

START_TEST(a_stale_version_is_412_and_changes_nothing)
{
	const char *id = put_channel(fixture.account, NULL, "ready"),
		   *before = everything();
	const char *path = line("/saas/channel/%s", id);
	struct response a;

	for (int i = 0; i < 2; i++) {
		a = ask_with(
		    arena_printf(fixture.mem, "%s %s", i ? "PATCH" : "DELETE", path),
		    "{\"data\":{\"name\":\"B\"}}", HEADS("If-Match: \"v2\""));
		refused(a, 412, "stale-version");
		ck_assert_str_eq(everything(), before);
	}
	ck_assert_int_eq(backend.changes + backend.destroys, 0);
	a = ask_with(line("PATCH %s", path), "{\"data\":{\"name\":\"B\"}}",
	    HEADS("If-Match: \"v1\""));
	answered(a, 200);
	a = ask_with(line("GET %s", path), NULL, HEADS("If-None-Match: \"v2\""));
	answered(a, 304);
	a = ask_with(line("DELETE %s", path), NULL, HEADS("If-Match: \"v2\""));
	answered(a, 200);
}
END_TEST

static void
another_writes(void)
{
	sql("UPDATE channels SET region = 'theirs', version = version + 1");
}

START_TEST(two_changes_at_once_both_count)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;

	backend.meanwhile = another_writes;
	a = on("PATCH", id, "{\"data\":{\"name\":\"Mine\"}}");
	answered(a, 200);
	is(a, "/data/region", "theirs");
	ck_assert_str_eq(channel_is(id, "name, region, version"), "Mine|theirs|3\n");
	ck_assert_int_eq(backend.changes, 2); /* the row has both changes in the end */
	backend.meanwhile = another_writes;
	a = ask_with(line("PATCH /saas/channel/%s", id), "{\"data\":{\"name\":\"B\"}}",
	    HEADS("If-Match: \"v3\""));
	refused(a, 412, "stale-version");
	ck_assert_str_eq(channel_is(id, "name, version"), "Mine|4\n");
}
END_TEST

static void
another_deletes(void)
{
	sql("UPDATE channels SET lifecycle = 'deleting', version = version + 1;"
	    "DELETE FROM jobs");
}

START_TEST(a_change_that_comes_after_the_deletion_is_refused)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;

	backend.meanwhile = another_deletes;
	a = on("PATCH", id, "{\"data\":{\"name\":\"Mine\"}}");
	refused(a, 409, "channel-deleting");
	ck_assert_str_eq(channel_is(id, "name, version"), "Main hall|2\n");
}
END_TEST

static const char *crowded;

static void
another_adds(void)
{
	set_channel(put_channel(fixture.account, crowded, "ready"),
	    "target_languages = '[\"es\"]'");
}

START_TEST(a_cap_that_is_reached_meanwhile_is_kept_and_the_backend_is_to_go_back)
{
	const char *id;
	struct response a;

	crowded = put_event(fixture.account);
	id = put_channel(fixture.account, crowded, "ready");
	plan_languages(2);
	backend.meanwhile = another_adds;
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"de\",\"fr\"]}}");
	refused(a, 403, "language-limit-reached");
	ck_assert_str_eq(channel_is(id, "target_languages, version"), "[\"de\"]|1\n");
	ck_assert_int_eq(backend.changes, 1);
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id), "ready|0|NULL\n");
}
END_TEST

START_TEST(a_change_of_what_the_backend_has_lost_is_kept_and_restored)
{
	const char *id = put_channel(fixture.account, NULL, "ready");
	struct response a;

	backend.change = ERR_NOT_FOUND;
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"pl\"]}}");
	answered(a, 200);
	ck_assert_str_eq(channel_is(id, "target_languages, version"), "[\"pl\"]|2\n");
	ck_assert_str_eq(job_of(CHANNEL_RESTORE, id), "ready|0|NULL\n");
}
END_TEST

START_TEST(languages_are_exchanged_though_the_plan_is_full)
{
	const char *event = put_event(fixture.account), *id;
	struct response a;

	put_channel(fixture.account, event, "ready");
	id = put_channel(fixture.account, event, "ready");
	set_channel(id, "target_languages = '[\"fr\"]'");
	plan_languages(2);
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"es\",\"de\"]}}");
	answered(a, 200);
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"es\",\"it\"]}}");
	refused(a, 403, "language-limit-reached");
	is(a, "/errors/0/detail",
	    "The plan allows 2 languages per event; this change needs 3.");
}
END_TEST

static void
another_translates(void)
{
	sql("UPDATE channels SET target_languages = '[\"it\"]', version = version + 1");
}

START_TEST(a_change_during_creation_reaches_the_backend)
{
	struct response a;

	backend.meanwhile = another_translates;
	a = add(NEW(",\"target_languages\":[\"de\"]"));
	answered(a, 201);
	is(a, "/data/lifecycle_status", "ready");
	is(a, "/data/target_languages", "[\"it\"]");
	ck_assert_int_eq(backend.creates, 1);
	ck_assert_int_eq(backend.changes, 1);
	ck_assert_str_eq(backend.languages, "[\"it\"]");
}
END_TEST

START_TEST(what_was_created_is_known_to_be_there_though_its_change_is_refused)
{
	struct response a;

	backend.meanwhile = another_translates;
	backend.change = ERR_REFUSED;
	a = add(NEW(",\"target_languages\":[\"de\"]"));
	answered(a, 201);
	is(a, "/data/lifecycle_status", "failed");
	is(a, "/data/target_languages", "[\"it\"]");
	ck_assert_int_eq(number("SELECT held FROM channels"), 1);
	a = on("DELETE", said(&a, "/data/channel_id"), NULL);
	answered(a, 200);
	ck_assert_int_eq(backend.destroys, 1);
}
END_TEST

START_TEST(an_attempt_that_loses_to_a_deletion_writes_nothing)
{
	struct response a;

	backend.meanwhile = another_deletes;
	a = add(ALONE);
	answered(a, 201);
	is(a, "/data/lifecycle_status", "deleting");
	is(a, "/data/broadcast_id", "null");
	ck_assert_str_eq(
	    sql("SELECT lifecycle, version FROM channels"), "deleting|2\n");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel changes");
	TCase *t = tcase_create("all");

	tcase_add_test(t, a_channel_is_spoken_to_at_the_node_that_serves_it);
	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_test(t, every_field_of_a_change_is_taken_and_null_clears);
	tcase_add_test(t, a_change_without_effect_calls_no_backend);
	tcase_add_loop_test(t, a_change_that_the_backend_refuses_changes_nothing, 0,
	    COUNT(not_changed));
	tcase_add_loop_test(t,
	    a_channel_that_is_not_ready_is_changed_without_the_backend, 0,
	    COUNT(no_broadcast));
	tcase_add_test(t, a_stale_version_is_412_and_changes_nothing);
	tcase_add_test(t, two_changes_at_once_both_count);
	tcase_add_test(t, a_change_that_comes_after_the_deletion_is_refused);
	tcase_add_test(
	    t, a_cap_that_is_reached_meanwhile_is_kept_and_the_backend_is_to_go_back);
	tcase_add_test(t, a_change_of_what_the_backend_has_lost_is_kept_and_restored);
	tcase_add_test(t, languages_are_exchanged_though_the_plan_is_full);
	tcase_add_test(t, a_change_during_creation_reaches_the_backend);
	tcase_add_test(
	    t, what_was_created_is_known_to_be_there_though_its_change_is_refused);
	tcase_add_test(t, an_attempt_that_loses_to_a_deletion_writes_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
