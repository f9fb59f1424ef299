/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Live channels: their task, their speakers, and their price. */
#include "pipeline/pipeline_internal.h"
#include "tests/unit/channel_session_fixture.h"

/* ---- a pipeline ---- */

static const char *
pipeline(const char *own, const char *targets)
{
	const struct channel c = {
		.source_language = "en", .target_languages = targets, .pipeline = own
	};

	return channel_pipeline(fixture.mem, &c);
}

static const struct {
	const char *own, *targets, *is;
} pipelines[] = {
	{ NULL, "[]",
	    "{\"transcription\":{\"source_language\":\"en\"},\"translations\":[]}" },
	{ NULL, "[\"es\",\"fr\"]",
	    "{\"transcription\":{\"source_language\":\"en\"},\"translations\":["
	    "{\"target_language\":\"es\"},{\"target_language\":\"fr\"}]}" },
	{ "{\"preprocessing\":{\"enable_vad\":false},"
	  "\"transcription\":{\"source_language\":\"de\",\"asr_model\":\"x\"},"
	  "\"translations\":[{\"target_language\":\"fr\",\"speech_generation\":null},"
	  "{\"target_language\":\"it\"}]}",
	    "[\"es\",\"fr\"]",
	    "{\"preprocessing\":{\"enable_vad\":false},"
	    "\"transcription\":{\"asr_model\":\"x\",\"source_language\":\"en\"},"
	    "\"translations\":[{\"target_language\":\"es\"},"
	    "{\"speech_generation\":null,\"target_language\":\"fr\"}]}" },
	{ "{\"transcription\":7,\"translations\":{}}", "[\"es\"]",
	    "{\"transcription\":{\"source_language\":\"en\"},\"translations\":["
	    "{\"target_language\":\"es\"}]}" },
};

START_TEST(its_languages_win_over_its_own_pipeline)
{
	ck_assert_str_eq(
	    pipeline(pipelines[_i].own, pipelines[_i].targets), pipelines[_i].is);
}
END_TEST

/* ---- on the air ---- */

static int64_t
used_micro(void)
{
	return number("SELECT -sum(amount_micro) FROM ledger WHERE amount_micro < 0");
}

static const char *
title_told(const char *id)
{
	struct websocket *s = connect_to(id, true, NULL);
	const char *title;

	send_24k(s);
	await_row(id, "runtime", "active\n");
	title = s->connection->session->now->pipeline->config->title;
	title = arena_str(fixture.mem, title);
	let_it_end(s);
	return title;
}

START_TEST(translators_are_told_the_title_of_the_event)
{
	const char *alone = new_channel("[\"es\"]"), *id = new_channel("[\"es\"]");

	sql(arena_printf(fixture.mem,
	    "INSERT INTO events (seq, created_us, id, account, updated_us, title,"
	    " type, start_us, end_us, recurring, languages, listener_mode, room_suffix,"
	    " agenda) VALUES (1, 1, '%s', '%s', 1, 'Forum', 'online', 1, 2, 0, '[]',"
	    " 'auto', 'k3v9q2xa', '[]');"
	    "UPDATE channels SET event = '%s', type = 'event' WHERE id = '%s'",
	    id, fixture.account, id, id));
	ck_assert_str_eq(title_told(alone), "Hall");
	ck_assert_str_eq(title_told(id), "Forum");
}
END_TEST

START_TEST(the_first_sound_begins_it)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *es = connect_to(id, false, NULL);

	tell(s, "get_task", "{}");
	await_seen(s, "NOT_FOUND", "", 1);
	ck_assert_str_eq(channel_row(id, "runtime"), "pending\n");
	send_24k(s);
	await_seen(s, FINAL, "hello world", 1);
	await_seen(es, "[es] hello world", "", 1);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	await_row(id, "runtime", "active\n");
	ck_assert_int_eq(count_seen(es, FINAL, ""), 0);
	let_it_end(s);
	await_row(id, "runtime", "stopped\n");
	ck_assert_int_eq(es->code, 0); /* another speaker may take over */
	ck_assert_int_eq(count_seen(es, EOS, ""), 0);
	ck_assert_int_eq(s->code, 0);
	ck_assert_int_gt(used_micro(), 0);
	ck_assert_str_eq(sql("SELECT DISTINCT substr(reference, 1, 10) FROM ledger "
			     "WHERE amount_micro < 0"),
	    "broadcast:\n");
}
END_TEST

/* A gateway that was killed has no session of the channel when the listener comes. */
START_TEST(a_stopped_channel_has_no_break_first)
{
	struct connection_request *v =
	    request_to(new_channel("[\"es\"]"), _i == 1, NULL);
	struct websocket *s;

	v->moderation.stopped = true;
	s = connect_with(v);
	await_seen(s, "channel_state", "stopped", 1);
	ck_assert_int_eq(count_seen(s, "channel_state", "break"), 0);
}
END_TEST

START_TEST(a_speaker_that_falls_silent_is_told)
{
	struct websocket *s = connect_to(new_channel("[\"es\"]"), true, NULL);

	if (_i == 1) {
		tell(s, "set_task", TASK(TO("fr"), ""));
		await_state(s, STATE_RUNNING);
	}
	for (int i = 1; i <= 2; i++) {
		send_24k(s);
		await_seen(s, FINAL, "", i);
		await_seen(s, "AUDIO_STREAM_STALLED", "No audio has come for 5 s", i);
		gateway_wait(6000);
	}
	ck_assert_int_eq(s->code, 0);
	let_it_end(s);
}
END_TEST

START_TEST(it_begins_again_with_more_sound)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	send_24k(s);
	await_seen(s, FINAL, "", 1);
	let_it_end(s);
	send_24k(s);
	await_seen(s, FINAL, "", 2);
	await_row(id, "runtime", "active\n");
	let_it_end(s);
}
END_TEST

START_TEST(a_task_sets_its_input_and_nothing_else)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	tell(s, "set_task", TASK(TO("fr"), ""));
	await_state(s, STATE_RUNNING);
	tell(s, "get_task", "{}");
	await_seen(s, "current_task", "\"sample_rate\":16000", 1);
	ck_assert_int_eq(count_seen(s, "\"target_language\":\"es\"", ""), 1);
	ck_assert_int_eq(count_seen(s, "\"target_language\":\"fr\"", ""), 0);
	ck_assert_str_eq(
	    channel_row(id, "runtime"), "pending\n"); /* no text has been spoken yet */
	send_phrase(s);
	await_seen(s, "[es] hello world", "", 1);
	let_it_end(s);
}
END_TEST

START_TEST(the_session_survives_a_change_of_speaker)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *a = connect_to(id, true, NULL), *b,
			 *es = connect_to(id, false, "es");

	send_24k(a);
	await_seen(a, FINAL, "", 1);
	tell(a, "input_audio_data", "{\"data\":\"AA==\"}"); /* half a sample */
	hang_up(a);
	gateway_wait(50);
	ck_assert_int_eq(es->code, 0);
	b = connect_to(id, true, NULL);
	send_24k(b);
	await_seen(b, FINAL, "", 1);
	await_seen(es, "[es]", "", 2);
	a = connect_to(id, true, NULL);
	ck_assert_int_eq(b->code, 1008);
	ck_assert_str_eq(b->reason, "replaced");
	send_24k(a);
	await_seen(es, "[es]", "", 3);
	let_it_end(a);
}
END_TEST

START_TEST(what_is_changed_is_heard_soon)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *all = connect_to(id, false, "all");

	send_24k(s);
	await_seen(all, "[es] hello world", "", 1);
	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET target_languages = '[\"es\",\"fr\"]' WHERE id = '%s'",
	    id));
	look_again(s);
	send_24k(s);
	await_seen(all, "[fr] hello world", "", 1);
	await_seen(all, "[es] hello world", "", 2);
	let_it_end(s);
}
END_TEST

START_TEST(what_cannot_be_translated_fails)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s;

	sql("UPDATE channels SET pipeline ="
	    " '{\"preprocessing\":{\"vad_threshold\":7}}'");
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_row(id, "runtime", "failed\n");
	ck_assert_ptr_nonnull(strstr(channel_row(id, "error"), "vad_threshold"));
	await_seen(s, "VALIDATION_ERROR", "vad_threshold", 1);
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", ""), 1);
}
END_TEST

static const char *const leaves[] = {
	"UPDATE accounts SET status = 'suspended'",
	"UPDATE channels SET lifecycle = 'deleting'",
};

START_TEST(a_channel_that_leaves_the_air_is_stopped_in_its_row)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	send_24k(s);
	await_row(id, "runtime", "active\n");
	sql(leaves[_i]);
	look_again(s);
	await_row(id, "runtime", "stopped\n");
}
END_TEST

/* A gateway that was killed had stored the state. */
START_TEST(what_runs_has_no_error_of_before)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	sql("UPDATE channels SET error = 'The passphrase is another one.'");
	send_24k(s);
	await_row(id, "runtime", "active\n");
	await_row(id, "error", "NULL\n");
	let_it_end(s);
}
END_TEST

#define NARROW(codes) SCRIPTS "[engine.script]\nkind = script\nlanguages = " codes "\n"

START_TEST(it_begins_with_the_languages_that_are_served)
{
	const char *id = new_channel("[\"cy\",\"es\",\"is\"]");
	struct websocket *s, *es, *all;

	gateway_engines(NARROW("en es"));
	s = connect_to(id, true, NULL);
	es = connect_to(id, false, "es");
	all = connect_to(id, false, "all");
	send_24k(s);
	await_seen(es, "[es] hello world", "", 1);
	await_seen(es, CHUNK, "\"last_chunk\":true", 1);
	await_row(id, "runtime", "active\n");
	await_row(id, "error", "No engine translates from en into cy, is.\n");
	ck_assert_int_eq(count_seen(all, "[cy]", "") + count_seen(all, "[is]", ""), 0);
	ck_assert_int_eq(count_seen(s, "\"error\"", "VALIDATION_ERROR"), 0);
	let_it_end(s);
}
END_TEST

START_TEST(the_row_says_that_another_language_is_spoken)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s, *es;

	gateway_engines(LINES("foreign-it one\n  hello to you again"));
	s = connect_to(id, true, NULL);
	es = connect_to(id, false, "es");
	send_24k(s);
	await_seen(s, "LANGUAGE_MISMATCH", "", 1);
	await_row(id, "error",
	    "The speaker speaks it, the stream is in en: nothing is translated\n");
	send_24k(s);
	await_seen(es, "[es] hello to you again", "", 1);
	await_row(id, "error", "NULL\n");
	ck_assert_int_eq(count_seen(es, "foreign-it", ""), 0);
	let_it_end(s);
}
END_TEST

START_TEST(another_error_outlasts_that_of_the_language)
{
	const char *id = new_channel("[\"es\",\"cy\"]");
	struct websocket *s;

	gateway_engines(NARROW("en es") "lines = foreign-it one\n  hello to you again\n"
					"  foreign-it two\n");
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_row(id, "error",
	    "The speaker speaks it, the stream is in en: nothing is translated\n");
	send_24k(s);
	await_row(id, "error", "No engine translates from en into cy.\n");
	send_24k(s);
	await_row(id, "error",
	    "The speaker speaks it, the stream is in en: nothing is translated\n");
	let_it_end(s);
	await_row(id, "runtime", "stopped\n");
	await_row(id, "error", "No engine translates from en into cy.\n");
}
END_TEST

START_TEST(a_language_joins_as_soon_as_an_engine_serves_it)
{
	const char *id = new_channel("[\"es\",\"cy\"]");
	struct websocket *s, *cy;

	gateway_engines(NARROW("en es"));
	s = connect_to(id, true, NULL);
	cy = connect_to(id, false, "cy");
	send_24k(s);
	await_seen(s, "[es] hello world", "", 1);
	await_row(id, "error", "No engine translates from en into cy.\n");
	gateway_engines(NARROW("en es cy"));
	look_again(s);
	send_24k(s);
	await_seen(cy, "[cy] hello world", "", 1);
	look_again(s);
	await_row(id, "error", "NULL\n");
	ck_assert_str_eq(channel_row(id, "runtime"), "active\n");
	let_it_end(s);
}
END_TEST

START_TEST(nothing_begins_anew_while_engines_serve_the_same)
{
	const char *id = new_channel("[\"es\",\"cy\"]");
	struct websocket *s;
	const struct pipeline_slot *now;

	gateway_engines(NARROW("en es"));
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_seen(s, "[es] hello world", "", 1);
	now = s->connection->session->now;
	look_again(s);
	look_again(s);
	ck_assert_ptr_eq(s->connection->session->now, now);
	ck_assert_ptr_null(s->connection->session->slots->next);
	let_it_end(s);
}
END_TEST

START_TEST(a_channel_that_no_engine_serves_fails_with_the_reason)
{
	const char *id = new_channel("[\"cy\",\"is\"]");
	struct websocket *s;

	gateway_engines(NARROW("en es"));
	s = connect_to(id, true, NULL);
	send_24k(s);
	await_row(id, "runtime", "failed\n");
	await_row(id, "error", "No engine translates from en into cy, is.\n");
	await_seen(s, "VALIDATION_ERROR", "unsupported language pair en-cy", 1);
}
END_TEST

START_TEST(a_channel_that_is_gone_ends)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *es = connect_to(id, false, "es");

	send_24k(s);
	await_seen(es, "[es] hello world", "", 1);
	sql("DELETE FROM channels");
	look_again(s);
	await_end(s, 1008);
	await_end(es, 1000);
	ck_assert_str_eq(es->said[es->n - 1], EOS);
	ck_assert_int_eq(count_seen(es, "SESSION_CLOSED", ""), 0);
	ck_assert_int_eq(count_seen(s, "SESSION_CLOSED", ""), 1);
}
END_TEST

START_TEST(silence_is_not_charged)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);
	struct session *session = s->connection->session;

	send_24k(s);
	await_seen(s, FINAL, "", 1);
	ck_assert_int_ne(session->meter.since_us, 0);
	channel_session_tick(session, monotonic_us() + 11 * S_US);
	ck_assert_int_eq(session->meter.since_us, 0);
	ck_assert_int_eq(session->state, STATE_RUNNING);
	send_24k(s);
	ck_assert_int_ne(session->meter.since_us, 0);
	let_it_end(s);
}
END_TEST

START_TEST(after_a_crash_nothing_is_active)
{
	const char *id = new_channel("[]"), *other = new_channel("[]");

	sql(arena_printf(
	    fixture.mem, "UPDATE channels SET runtime = 'active' WHERE id = '%s'", id));
	ck_assert_int_eq(
	    channel_row_reset(gateway.app.db, fixture.mem, gateway.conf, true), OK);
	ck_assert_str_eq(channel_row(id, "runtime"), "stopped\n");
	ck_assert_str_eq(channel_row(other, "runtime"), "pending\n");
}
END_TEST

START_TEST(what_is_changed_to_no_task_is_told_and_changes_nothing)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL),
			 *es = connect_to(id, false, "es");

	send_24k(s);
	await_seen(es, "[es]", "", 1);
	sql("UPDATE channels SET pipeline ="
	    " '{\"preprocessing\":{\"vad_threshold\":7}}'");
	look_again(s);
	send_24k(s);
	await_seen(es, "[es]", "", 2);
	ck_assert_str_eq(channel_row(id, "runtime"), "active\n");
	ck_assert_ptr_nonnull(strstr(channel_row(id, "error"), "vad_threshold"));
	sql("UPDATE channels SET pipeline = NULL");
	look_again(s); /* seen, */
	look_again(s); /* and said */
	ck_assert_str_eq(channel_row(id, "error"), "NULL\n");
	let_it_end(s);
}
END_TEST

START_TEST(a_new_speaker_is_not_read_in_the_old_format)
{
	const char *id = new_channel("[\"es\"]");
	struct websocket *s = connect_to(id, true, NULL);

	tell(s, "set_task",
	    "{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"opus\"}}}");
	await_state(s, STATE_RUNNING);
	hang_up(s);
	s = connect_to(id, true, NULL);
	send_24k(s); /* while the reader of the stream is being started */
	gateway_wait(200);
	send_24k(s);
	await_seen(s, FINAL, "hello world", 1);
	let_it_end(s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gateway: channels");
	TCase *air = tcase_create("air");

	tcase_add_checked_fixture(air, gateway_open, gateway_close);
	tcase_set_timeout(air, 30);
	tcase_add_loop_test(air, its_languages_win_over_its_own_pipeline, 0,
	    sizeof(pipelines) / sizeof(*pipelines));
	tcase_add_test(air, translators_are_told_the_title_of_the_event);
	tcase_add_test(air, the_first_sound_begins_it);
	tcase_add_loop_test(air, a_stopped_channel_has_no_break_first, 0, 2);
	tcase_add_loop_test(air, a_speaker_that_falls_silent_is_told, 0, 2);
	tcase_add_test(air, it_begins_again_with_more_sound);
	tcase_add_test(air, a_task_sets_its_input_and_nothing_else);
	tcase_add_test(air, the_session_survives_a_change_of_speaker);
	tcase_add_test(air, what_is_changed_is_heard_soon);
	tcase_add_test(air, what_cannot_be_translated_fails);
	tcase_add_test(air, it_begins_with_the_languages_that_are_served);
	tcase_add_test(air, a_language_joins_as_soon_as_an_engine_serves_it);
	tcase_add_test(air, the_row_says_that_another_language_is_spoken);
	tcase_add_test(air, another_error_outlasts_that_of_the_language);
	tcase_add_test(air, nothing_begins_anew_while_engines_serve_the_same);
	tcase_add_test(air, a_channel_that_no_engine_serves_fails_with_the_reason);
	tcase_add_test(air, a_channel_that_is_gone_ends);
	tcase_add_test(air, silence_is_not_charged);
	tcase_add_test(air, after_a_crash_nothing_is_active);
	tcase_add_loop_test(
	    air, a_channel_that_leaves_the_air_is_stopped_in_its_row, 0, COUNT(leaves));
	tcase_add_test(air, what_runs_has_no_error_of_before);
	tcase_add_test(air, what_is_changed_to_no_task_is_told_and_changes_nothing);
	tcase_add_test(air, a_new_speaker_is_not_read_in_the_old_format);
	suite_add_tcase(s, air);
	return unit_run(s);
}
