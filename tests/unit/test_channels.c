/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Channels: creating and reading them, with a backend that answers, refuses or is
 * unreachable.
 */
#define UNIT_TEST
#include "base/token.h"
#include "tests/unit/channel_fixture.h"

/* The record in the contract's example, with the ids of an answer. */
static const char *
example(const struct response *a, const char *state, const char *end)
{
	return arena_printf(fixture.mem,
	    "{\"ok\":true,\"data\":{\"channel_id\":\"%s\",\"type\":\"event\","
	    "\"event_id\":\"%s\",\"stage_id\":\"%s\",%s,\"name\":\"Main hall\","
	    "\"title\":\"Main hall\",\"user\":\"%s\",\"input_type\":\"webrtc_push\","
	    "\"source_language\":\"en\",\"target_languages\":[\"de\",\"fr\"],"
	    "\"room_name_suffix\":\"k3v9q2xa\",\"region\":\"local\",\"ignore_video\":"
	    "false,\"original_delay_seconds\":3,\"original_ducked_volume\":0.2,"
	    "\"keep_transcript\":false,\"hold_seconds\":0,\"audio_settings\":null,"
	    "\"blocked_words\":[],\"outputs\":["
	    "{\"protocol\":\"webrtc_push\"},{\"protocol\":\"hls_pull\",\"lang_codes\":["
	    "\"de\",\"original\"],\"url\":\"%s\",\"runtime_status\":\"pending\","
	    "\"error\":null,\"bitrate\":null}],\"translation_pipeline\":null,%s,"
	    "\"utc_stopped_at\":null,"
	    "\"utc_created_at\":\"%s\",\"utc_updated_at\":\"%s\"}}",
	    said(a, "/data/channel_id"), said(a, "/data/event_id"),
	    said(a, "/data/stage_id"), state, fixture.account,
	    said(a, "/data/outputs/1/url"), end, said(a, "/data/utc_created_at"),
	    said(a, "/data/utc_updated_at"));
}

#define EXAMPLE                                                                        \
	",\"source_language\":\"EN\",\"outputs\":[{\"protocol\":\"webrtc_push\","      \
	"\"server\":\"of another\"},{\"protocol\":\"hls_pull\",\"lang_codes\":["       \
	"\"DE\",\"original\"],\"url\":\"https://sent.back\"}]"

START_TEST(a_new_channel_answers_the_record_of_the_example)
{
	const char *event = put_event(fixture.account), *id, *secret;
	struct response a = add_to(event, EXAMPLE);

	answered(a, 201);
	id = said(&a, "/data/channel_id");
	assert_same_body(a.body,
	    example(&a,
		arena_printf(fixture.mem,
		    "\"broadcast_id\":\"%s-1\",\"id\":\"%s-1\",\"lifecycle_status\":"
		    "\"ready\",\"runtime_status\":\"pending\",\"status\":\"pending\"",
		    id, id),
		arena_printf(fixture.mem,
		    "\"input\":{\"protocol\":\"webrtc_push\",\"url\":\"wss://speech."
		    "example.org/streaming-api/%.8s/v1/speech-to-speech/stream\","
		    "\"token\":\"%s\"},\"input_bitrate\":null,\"error\":null,"
		    "\"warnings\":[]",
		    id, said(&a, "/data/input/token"))));
	ck_assert_pstr_eq(head_of(&a, "Location"), line(BASE "/saas/channel/%s", id));
	ck_assert_pstr_eq(head_of(&a, "ETag"), "\"v2\"");
	is(a, "/data/stage_id", stage_at(event, 0));
	secret = strstr(said(&a, "/data/outputs/1/url"), "/hls/");
	ck_assert_ptr_nonnull(secret);
	ck_assert_uint_eq(strspn(secret + strlen("/hls/"), "0123456789abcdef"), 32);
	ck_assert_str_eq(job_of(CHANNEL_CREATE, id), "");
	ck_assert_int_eq(backend.creates, 1);
	ck_assert_str_eq(backend.name, line("%s-1", id));
}
END_TEST

START_TEST(without_an_answer_of_the_backend_it_is_the_other_example)
{
	struct response a;

	backend.create = ERR_TIMEOUT;
	a = add_to(put_event(fixture.account), EXAMPLE);
	answered(a, 201);
	assert_same_body(a.body,
	    example(&a,
		"\"broadcast_id\":null,\"id\":null,\"lifecycle_status\":\"creating\","
		"\"runtime_status\":null,\"status\":null",
		"\"input\":null,\"input_bitrate\":null,\"error\":\"" DOWN
		"\",\"warnings\":[]"));
	ck_assert_str_eq(
	    job_of(CHANNEL_CREATE, said(&a, "/data/channel_id")), "ready|1|" DOWN "\n");
}
END_TEST

START_TEST(the_gateway_makes_a_channel_of_defaults)
{
	struct response a;

	fixture.app.conf.broadcast_driver = "gateway";
	a = add(NEW(",\"stage_id\":null,\"event_id\":null,\"outputs\":null,"
		    "\"target_languages\":null,\"region\":null"));
	answered(a, 201);
	is(a, "/data/lifecycle_status", "ready");
	is(a, "/data/type", "standalone");
	is(a, "/data/event_id", "null");
	is(a, "/data/stage_id", "null");
	is(a, "/data/room_name_suffix", "null");
	is(a, "/data/input_type", "webrtc_push");
	is(a, "/data/source_language", "auto");
	is(a, "/data/target_languages", "[]");
	is(a, "/data/region", "local");
	is(a, "/data/ignore_video", "false");
	is(a, "/data/outputs", "[]");
	is(a, "/data/error", "null");
	a = on("GET", said(&a, "/data/channel_id"), NULL);
	is(a, "/data/input/protocol", "webrtc_push");
	a = on("DELETE", said(&a, "/data/channel_id"), NULL);
	answered(a, 200);
	ck_assert_int_eq(channels(), 0);
}
END_TEST

START_TEST(an_input_token_is_the_same_at_each_reading)
{
	const char *id = put_channel(fixture.account, NULL, "ready"), *token;
	struct response a = on("GET", id, NULL), b = on("GET", id, NULL);
	struct stream_token t;

	token = said(&a, "/data/input/token");
	ck_assert_str_eq(token, said(&b, "/data/input/token"));
	ck_assert(stream_token_check(
	    fixture.mem, token, fixture.app.conf.session_jwt_keys, now_us(), &t));
	ck_assert_str_eq(t.sid, id);
	ck_assert_int_eq(t.role, STREAM_PUBLISHER);
	ck_assert_str_eq(t.room, line("%s-1", id));
	ck_assert_int_ge(t.expires_us, now_us() + 45 * 86400 * S_US);
	set_channel(id, "broadcast = id || '-2'");
	b = on("GET", id, NULL);
	ck_assert_str_ne(token, said(&b, "/data/input/token"));
}
END_TEST

START_TEST(an_event_lends_its_languages_stage_and_suffix)
{
	const char *event = put_event(fixture.account);
	struct response a = add_to(event, "");

	is(a, "/data/target_languages", EVENT_LANGUAGES);
	is(a, "/data/room_name_suffix", "k3v9q2xa");
	is(a, "/data/stage_id", stage_at(event, 0));
	a = add_to(event,
	    arena_printf(fixture.mem, ",\"target_languages\":[],\"stage_id\":\"%s\"",
		stage_at(event, 1)));
	is(a, "/data/target_languages", "[]");
	is(a, "/data/stage_id", stage_at(event, 1));
	ck_assert_str_eq(
	    sql("SELECT channels_ready, channels_active FROM events"), "2|0\n");
	ck_assert_int_eq(number("SELECT count(*) FROM bundles"), 0);
}
END_TEST

static const char *during;

static void
look(void)
{
	during =
	    sql("SELECT lifecycle, broadcast, attempt, held, version, j.kind, j.state,"
		" j.tries, j.ref = c.id, j.due_us > c.created_us, (SELECT count(*)"
		" FROM bundles) FROM channels c, jobs j");
}

START_TEST(the_row_and_its_job_are_committed_before_the_backend_is_called)
{
	backend.meanwhile = look;
	add_to(put_event(fixture.account), "");
	ck_assert_str_eq(during, "creating|NULL|1|1|1|channel.create|leased|1|1|1|0\n");
}
END_TEST

static const struct {
	enum err create;
	const char *row, *job;
} outcomes[] = {
	{ OK, "ready|1|pending|NULL|2\n", "" },
	{ ERR_TIMEOUT, "creating|1|NULL|" DOWN "|2\n", "ready|1|" DOWN "\n" },
	{ ERR_FAILED, "creating|1|NULL|" DOWN "|2\n", "ready|1|" DOWN "\n" },
	{ ERR_REFUSED, "failed|0|NULL|" REFUSED "|2\n", "" },
	{ ERR_UNSUPPORTED, "failed|0|NULL|" REFUSED "|2\n", "" },
};

START_TEST(what_the_backend_answers_is_what_becomes_of_the_channel)
{
	struct response a;

	backend.create = outcomes[_i].create;
	a = add(ALONE);
	answered(a, 201);
	ck_assert_str_eq(sql("SELECT lifecycle, held, runtime, error, version"
			     " FROM channels"),
	    outcomes[_i].row);
	ck_assert_str_eq(
	    job_of(CHANNEL_CREATE, said(&a, "/data/channel_id")), outcomes[_i].job);
}
END_TEST

START_TEST(the_only_try_that_is_allowed_is_the_last)
{
	struct response a;

	fixture.app.conf.channel_tries = 1;
	backend.create = ERR_TIMEOUT;
	a = add(ALONE);
	answered(a, 201);
	is(a, "/data/lifecycle_status", "failed");
	is(a, "/data/error", DOWN);
	ck_assert_str_eq(
	    job_of(CHANNEL_CREATE, said(&a, "/data/channel_id")), "dead|1|" DOWN "\n");
}
END_TEST

static const struct {
	const char *driver, *members, *error;
} lacking_cases[] = {
	{ "told", ",\"input_type\":\"srt_push\"",
	    "The broadcasting backend does not support srt_push input." },
	{ "gateway",
	    ",\"outputs\":[{\"protocol\":\"hls_pull\",\"lang_codes\":[\"de\"]}]",
	    "This service makes no HLS: hls.dir is empty." },
	{ "gateway",
	    ",\"outputs\":[{\"protocol\":\"recording\",\"lang_codes\":[\"de\"],"
	    "\"format\":\"ogg\"}]",
	    "This service makes no recordings: recordings.dir is empty." },
	{ "none such", "", "There is no broadcasting backend." },
};

START_TEST(a_channel_whose_protocol_the_backend_lacks_is_failed)
{
	struct response a;

	fixture.app.conf.broadcast_driver = lacking_cases[_i].driver;
	fixture.app.conf.hls_dir = fixture.app.conf.recordings_dir = "";
	a = add(line(NEW("%s"), lacking_cases[_i].members));
	answered(a, 201);
	is(a, "/data/lifecycle_status", "failed");
	is(a, "/data/broadcast_id", "null");
	is(a, "/data/error", lacking_cases[_i].error);
	ck_assert_int_eq(backend.creates, 0);
	ck_assert_int_eq(number("SELECT held FROM channels"), 0);
	ck_assert_int_eq(number("SELECT count(*) FROM jobs"), 0);
}
END_TEST

START_TEST(an_event_or_stage_that_is_not_there_is_404_with_its_place)
{
	const char *event = put_event(fixture.account), *theirs, *before;
	struct response a;

	theirs = put_event(fixture_account());
	before = everything();
	a = add_to(ID, "");
	refused(a, 404, "resource-not-found");
	is(a, "/errors/0/pointer", "/data/event_id");
	a = add_to(theirs, "");
	is(a, "/errors/0/pointer", "/data/event_id");
	a = add_to(event, line(",\"stage_id\":\"%s\"", stage_at(theirs, 0)));
	refused(a, 404, "resource-not-found");
	is(a, "/errors/0/pointer", "/data/stage_id");
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- when the outcome cannot be written ---- */

static void
break_database(void)
{
	db_fault(fixture.app.db, 1, ERR_BUSY);
}

START_TEST(the_answer_is_201_though_the_outcome_cannot_be_written)
{
	struct response a;

	backend.meanwhile = break_database;
	a = add(ALONE);
	answered(a, 201);
	is(a, "/data/lifecycle_status", "creating");
	is(a, "/data/error", "null");
	ck_assert_str_eq(
	    job_of(CHANNEL_CREATE, said(&a, "/data/channel_id")), "leased|1|NULL\n");
}
END_TEST

START_TEST(a_key_makes_one_channel_even_when_its_answer_was_lost)
{
	const char *const *key = HEADS("Idempotency-Key: k");
	struct response a, b;

	backend.meanwhile = break_database; /* so that no answer is stored */
	a = ask_with("POST /saas/channel", ALONE, key);
	answered(a, 201);
	ck_assert_int_eq(number("SELECT count(*) FROM answers"), 0);
	sql("UPDATE jobs SET due_us = 1"); /* the lease has expired */
	b = ask_with("POST /saas/channel", ALONE, key);
	answered(b, 201);
	is(b, "/data/channel_id", said(&a, "/data/channel_id"));
	is(b, "/data/lifecycle_status", "ready");
	is(b, "/data/broadcast_id", line("%s-2", said(&a, "/data/channel_id")));
	a = ask_with("POST /saas/channel", ALONE, key);
	assert_same_body(a.body, b.body);
	ck_assert_pstr_eq(head_of(&a, "Idempotency-Replayed"), "true");
	ck_assert_pstr_eq(head_of(&a, "Location"), head_of(&b, "Location"));
	a = ask_with("POST /saas/channel", NEW(""), key);
	refused(a, 422, "idempotency-key-reused");
	ck_assert_int_eq(channels(), 1);
	a = add(ALONE);
	answered(a, 201);
	ck_assert_int_eq(channels(), 2);
}
END_TEST

/* ---- the plan's languages ---- */

static const struct {
	int plan;
	/* languages of a new channel, beside one channel with de and one with fr */
	const char *languages;
	int status;
} caps[] = {
	{ 3, "[\"de\",\"fr\",\"es\"]", 201 },
	{ 3, "[\"es\"]", 201 },
	{ 3, "[\"es\",\"it\"]", 403 },
	{ 1, "[\"de\"]", 201 }, /* no more than before */
	{ 1, "[]", 201 },
	{ 1, "[\"es\"]", 403 },
	{ 0, "[\"es\",\"it\"]", 201 },
};

START_TEST(the_languages_of_an_event_are_counted_over_its_channels)
{
	const char *event = put_event(fixture.account), *before;
	struct response a;

	put_channel(fixture.account, event, "ready");
	set_channel(put_channel(fixture.account, event, "failed"),
	    "target_languages = '[\"fr\"]'");
	set_channel(put_channel(fixture.account, event, "deleting"),
	    "target_languages = '[\"pl\"]'");
	put_channel(fixture.account, put_event(fixture.account), "ready");
	plan_languages(caps[_i].plan);
	before = everything();
	a = add_to(event, line(",\"target_languages\":%s", caps[_i].languages));
	answered(a, caps[_i].status);
	if (a.status == 201)
		return;
	refused(a, 403, "language-limit-reached");
	is(a, "/errors/0/pointer", "/data/target_languages");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(a_channel_that_stands_alone_counts_its_own)
{
	struct response a;
	const char *id;

	plan_languages(2);
	put_channel(fixture.account, NULL, "ready");
	a = add(NEW(",\"target_languages\":[\"es\",\"fr\"]"));
	answered(a, 201);
	id = said(&a, "/data/channel_id");
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"es\",\"fr\",\"it\"]}}");
	refused(a, 403, "language-limit-reached");
	is(a, "/errors/0/detail",
	    "The plan allows 2 languages per channel; this change needs 3.");
	plan_languages(1);
	a = on("PATCH", id, "{\"data\":{\"target_languages\":[\"es\",\"it\"]}}");
	answered(a, 200);
}
END_TEST

START_TEST(channels_are_listed_in_the_order_they_were_made)
{
	const char *event = put_event(fixture.account);
	const char *one = put_channel(fixture.account, event, "ready");
	const char *two = put_channel(fixture.account, NULL, "failed");
	const char *three = put_channel(fixture.account, event, "deleting");
	struct response a;

	put_channel(fixture_account(), NULL, "ready");
	set_channel(three, line("stage = '%s'", stage_at(event, 1)));
	a = ask("GET /saas/channels", NULL);
	is(a, "/data/0/channel_id", one);
	is(a, "/data/0/input/protocol", "webrtc_push");
	is(a, "/data/1/channel_id", two);
	is(a, "/data/1/input", "null");
	is(a, "/data/2/channel_id", three);
	is(a, "/data/3", "(none)");
	a = ask(line("GET /saas/channels?event_id=%s", event), NULL);
	is(a, "/data/1/channel_id", three);
	is(a, "/data/2", "(none)");
	a = ask(line("GET /saas/channels?stage_id=%s", stage_at(event, 1)), NULL);
	is(a, "/data/0/channel_id", three);
	is(a, "/data/1", "(none)");
	a = ask(arena_printf(fixture.mem, "GET /saas/channels?event_id=%s&stage_id=%s",
		    event, stage_at(event, 0)),
	    NULL);
	is(a, "/data/0/channel_id", one);
	is(a, "/data/1", "(none)");
	a = ask("GET /saas/channels?event_id=" ID, NULL);
	assert_same_body(a.body, "{\"ok\":true,\"data\":[]}");
	a = ask("GET /saas/channels?event_id=1&stage_id=" ID "0", NULL);
	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), "event_id: event_id must be a uuid.\n"
					"stage_id: stage_id must be a uuid.");
}
END_TEST

START_TEST(ids_are_taken_in_any_case)
{
	const char *event = put_event(fixture.account);
	const char *id = put_channel(fixture.account, event, "ready");
	char *upper = arena_str(fixture.mem, event), *s;
	struct response a;

	for (s = upper; *s != '\0'; s++)
		*s = (char)toupper((unsigned char)*s);
	a = ask(line("GET /saas/channels?event_id=%s", upper), NULL);
	is(a, "/data/0/channel_id", id);
	a = add_to(upper, "");
	is(a, "/data/event_id", event);
	upper = arena_str(fixture.mem, id);
	for (s = upper; *s != '\0'; s++)
		*s = (char)toupper((unsigned char)*s);
	a = on("PATCH", upper,
	    line("{\"data\":{\"channel_id\":\"%s\",\"name\":\"B\"}}", upper));
	is(a, "/data/channel_id", id);
}
END_TEST

static const char *const of_one[] = { "GET", "PATCH", "DELETE", "retry" };

START_TEST(anothers_channel_is_as_unknown_as_none)
{
	const char *id[] = { put_channel(fixture_account(), NULL, "failed"), ID };
	const char *before = everything();

	for (int i = 0; i < 2; i++) {
		bool again = strcmp(of_one[_i], "retry") == 0;
		struct response a =
		    again ? retry(id[i])
			  : on(of_one[_i], id[i], "{\"data\":{\"name\":\"B\"}}");

		refused(a, 404, "resource-not-found");
	}
	ck_assert_str_eq(everything(), before);
	ck_assert_int_eq(backend.creates + backend.changes + backend.destroys, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channels");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, channel_fixture, fixture_close);
	tcase_add_test(t, a_new_channel_answers_the_record_of_the_example);
	tcase_add_test(t, without_an_answer_of_the_backend_it_is_the_other_example);
	tcase_add_test(t, the_gateway_makes_a_channel_of_defaults);
	tcase_add_test(t, an_input_token_is_the_same_at_each_reading);
	tcase_add_test(t, an_event_lends_its_languages_stage_and_suffix);
	tcase_add_test(
	    t, the_row_and_its_job_are_committed_before_the_backend_is_called);
	tcase_add_loop_test(t, what_the_backend_answers_is_what_becomes_of_the_channel,
	    0, COUNT(outcomes));
	tcase_add_test(t, the_only_try_that_is_allowed_is_the_last);
	tcase_add_loop_test(t, a_channel_whose_protocol_the_backend_lacks_is_failed, 0,
	    COUNT(lacking_cases));
	tcase_add_test(t, an_event_or_stage_that_is_not_there_is_404_with_its_place);
	tcase_add_test(t, the_answer_is_201_though_the_outcome_cannot_be_written);
	tcase_add_test(t, a_key_makes_one_channel_even_when_its_answer_was_lost);
	tcase_add_loop_test(
	    t, the_languages_of_an_event_are_counted_over_its_channels, 0, COUNT(caps));
	tcase_add_test(t, a_channel_that_stands_alone_counts_its_own);
	tcase_add_test(t, channels_are_listed_in_the_order_they_were_made);
	tcase_add_test(t, ids_are_taken_in_any_case);
	tcase_add_loop_test(
	    t, anothers_channel_is_as_unknown_as_none, 0, COUNT(of_one));
	suite_add_tcase(s, t);
	return unit_run(s);
}
