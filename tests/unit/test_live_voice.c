/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * voice_cloning with a server that clones: the speaker's voice is made there, used, and
 * deleted after the session.
 */
#define UNIT_TEST
#include "tests/unit/pipeline_engines_fixture.h"

#include "workers/voice_clone.c"

#define ELEVEN                                                                         \
	"[speech]\nasr = script\nmt = script\ntts = %s\nexternal = eleven\n"           \
	"[engine]\nallow_private = yes\n"                                              \
	"[engine.eleven]\nkind = elevenlabs\nurl = http://127.0.0.1:%d%s\n"            \
	"key = test-key\n"
#define CLONING TASK(SPOKEN("\"voice_cloning\":true"), "")
#define LOW "JBFqnCBsd6RMkjVDRZzb"

/* Sets the engines, also for the worker. */
static void
use(const char *tts, const char *fault)
{
	gateway_engines(arena_printf(fixture.mem, ELEVEN, tts, server.port, fault));
	ck_assert_int_eq(conf_read(fixture.mem, &fixture.app.conf), OK);
}

static struct websocket *
start_cloning(const char *tts, const char *fault)
{
	use(tts, fault);
	return start_task(CLONING);
}

static void
speak_ten_seconds(struct websocket *s)
{
	int before = count_seen(s, FINAL, "");

	for (int i = 0; i < SPEAKER_VOICE_S + 1; i++)
		send_talk(s);
	send_sound(s, 1000, false);
	await_seen(s, FINAL, "", before + 1);
}

static struct speaker_voice *
voice_of(const struct websocket *s)
{
	return s->connection->session->speaker;
}

static void
await_voice(struct websocket *s)
{
	await_by(tick_patiently(s->connection->session),
	    speaker_voice_get(voice_of(s)) != NULL);
}

static const char *
streamed(void)
{
	const struct http_call call = engine_server_get(&server, fixture.mem, "/count");
	struct http_answer a;
	const char *why;

	ck_assert_int_eq(http_do(fixture.mem, &call, &a), OK);
	return json_get_text(
	    json_read(fixture.mem, a.body, a.body_len, &why), "streamed");
}

/* Returns the id of the messages with that text. */
static const char *
await_id_of(struct websocket *s, const char *text)
{
	static const char id[] = "\"transcription_id\":\"";
	int at = 0;

	await_seen(s, "\"translated_transcription\"", text, 1);
	return arena_dup(fixture.mem,
	    strstr(seen_from(s, &at, "\"translated_transcription\"", text), id),
	    strlen(id) + 16);
}

/* Returns the voice of the last spoken sentence. */
static const char *
heard_with(struct websocket *s)
{
	static int n;
	const char *text = arena_printf(fixture.mem, "sentence %d", ++n);

	tell(s, "tts_task",
	    arena_printf(fixture.mem, "{\"text\":\"%s\",\"language\":\"es\"}", text));
	await_seen(s, await_id_of(s, text), "\"last_chunk\":true", 1);
	return streamed();
}

static int
voices_there(void)
{
	return engine_server_count(&server, fixture.mem, "voices");
}

static int64_t
jobs(const char *condition)
{
	return number(arena_printf(fixture.mem,
	    "SELECT count(*) FROM jobs WHERE kind = 'voice.forget_live' AND %s",
	    condition));
}

static void
work_on(const char *kind)
{
	struct work w = { fixture.app.db, fixture.wire, &fixture.app.conf };

	for (const struct job_kind *k = kinds; k->name != NULL; k++)
		if (strcmp(k->name, kind) == 0)
			ck_assert_int_eq(work_one(&w, k, "test"), OK);
}

START_TEST(a_speakers_voice_is_made_at_the_server_spoken_with_and_deleted)
{
	struct websocket *s = start_cloning("eleven", "");

	ck_assert_int_eq(jobs("1 = 1"), 1);
	ck_assert_str_eq(heard_with(s), LOW);
	speak_ten_seconds(s);
	await_voice(s);
	ck_assert_int_eq(voices_there(), 1);
	ck_assert_str_eq(heard_with(s), speaker_voice_get(voice_of(s)));
	tell(s, "set_task", CLONING);
	await_shift(s, 2);
	speak_ten_seconds(s);
	ck_assert_str_eq(heard_with(s), speaker_voice_get(voice_of(s)));
	ck_assert_int_eq(voices_there(), 1);
	ck_assert_int_eq(jobs("1 = 1"), 1);
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 0);
	gateway_empty();
	gateway_await(jobs(arena_printf(
			  fixture.mem, "due_us <= %lld", (long long)now_us())) == 1);
	work_on("voice.forget_live");
	ck_assert_int_eq(voices_there(), 0);
	ck_assert_int_eq(jobs("1 = 1"), 0);
}
END_TEST

/*
 * While the session lives the deletion is postponed. A killed gateway no longer does
 * that.
 */
START_TEST(the_place_of_a_voice_runs_out_by_itself)
{
	struct websocket *s = start_cloning("eleven", "");
	int64_t now = now_us(), minutes = 60 * S_US;

	ck_assert_int_eq(jobs(arena_printf(fixture.mem, "due_us BETWEEN %lld AND %lld",
			     (long long)now, (long long)(now + 15 * minutes))),
	    1);
	sql("UPDATE jobs SET due_us = 5");
	s->connection->session->voice_renewed_us -= 5 * minutes;
	gateway_await(jobs("due_us > 5") == 1);
	ck_assert_int_eq(jobs(arena_printf(fixture.mem, "due_us >= %lld",
			     (long long)(now + 15 * minutes))),
	    1);
}
END_TEST

static void
leave_no_room(int how)
{
	if (how == 0)
		gateway.app.conf.stream_live_voices = 0;
	else if (how == 1)
		for (int i = 0; i < gateway.app.conf.stream_live_voices; i++)
			ck_assert_int_eq(
			    queue_add(fixture.app.db, fixture.mem, "voice.forget_live",
				fixture.account, id_new(fixture.mem)),
			    OK);
	else
		while (limit_admit(
		    &gateway.live_voices, LIMIT_LIVE_VOICES, monotonic_us()))
			;
}

START_TEST(without_room_no_voice_is_made_and_the_speaker_is_told)
{
	struct websocket *s;
	int64_t before;

	leave_no_room(_i);
	before = jobs("1 = 1");
	s = start_cloning("eleven", "");
	speak_ten_seconds(s);
	ck_assert_str_eq(heard_with(s), LOW);
	ck_assert_ptr_null(speaker_voice_get(voice_of(s)));
	ck_assert_int_eq(voices_there(), 0);
	ck_assert_int_eq(jobs("1 = 1"), before);
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 1);
}
END_TEST

START_TEST(without_room_a_profile_is_waited_for_instead)
{
	struct websocket *s;

	leave_no_room(0);
	s = start_cloning("eleven espeak", "");
	ck_assert_str_eq(heard_with(s), LOW);
	ck_assert_int_eq(jobs("1 = 1"), 0);
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 0);
}
END_TEST

/* The other requests are sentences, and the last one is the count. */
START_TEST(a_server_that_refuses_the_sample_is_asked_once)
{
	struct websocket *s = start_cloning("eleven", "/status-400");
	int before = engine_server_count(&server, fixture.mem, "requests");

	for (int i = 0; i < 2; i++)
		speak_ten_seconds(s);
	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_seen(s, "\"eos\"", "", 1);
	ck_assert_int_eq(engine_server_count(&server, fixture.mem, "requests") - before,
	    count_seen(s, FINAL, "") + 1 + 1);
}
END_TEST

static void
drop_there(const char *voice)
{
	const struct engine_at at = { .id = "eleven",
		.url = arena_printf(fixture.mem, "http://127.0.0.1:%d", server.port),
		.key = "test-key",
		.timeout_ms = 10000,
		.allow_private = true };

	ck_assert_int_eq(
	    engine_find("elevenlabs")->clone->drop(&at, fixture.mem, voice), OK);
}

START_TEST(a_voice_that_the_server_has_lost_is_not_spoken_with_again)
{
	struct websocket *s = start_cloning("eleven", "");

	speak_ten_seconds(s);
	await_voice(s);
	drop_there(speaker_voice_get(voice_of(s)));
	tell(s, "tts_task", "{\"text\":\"lost\",\"language\":\"es\"}");
	await_by(tick_patiently(s->connection->session),
	    speaker_voice_get(voice_of(s)) == NULL);
	ck_assert_str_eq(heard_with(s), LOW);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("live voice");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, open_fixture, close_fixture);
	tcase_set_timeout(t, 120);
	tcase_add_test(
	    t, a_speakers_voice_is_made_at_the_server_spoken_with_and_deleted);
	tcase_add_test(t, the_place_of_a_voice_runs_out_by_itself);
	tcase_add_loop_test(
	    t, without_room_no_voice_is_made_and_the_speaker_is_told, 0, 3);
	tcase_add_test(t, without_room_a_profile_is_waited_for_instead);
	tcase_add_test(t, a_server_that_refuses_the_sample_is_asked_once);
	tcase_add_test(t, a_voice_that_the_server_has_lost_is_not_spoken_with_again);
	suite_add_tcase(s, t);
	return unit_run(s);
}
