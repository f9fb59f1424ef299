/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks, from the publisher's messages to the answers. */
#include "tests/unit/gateway_fixture.h"

/* ---- start-up ---- */

START_TEST(a_task_is_not_found_until_it_runs)
{
	struct websocket *s = connect_writer();

	tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "NOT_FOUND", "No active task found"), 1);
	tell(s, "set_task", TASK(TO("es"), ""));
	ck_assert_int_eq(s->connection->session->state, STATE_STARTING);
	for (int i = 0; i < 20; i++) /* has no limit until the limit is read */
		tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "NOT_FOUND", ""), 1 + 20 - HELD_MOST);
	await_state(s, STATE_RUNNING);
	gateway_tick();
	ck_assert_int_eq(
	    count_seen(s, "current_task", "\"task_status\":\"running\""), HELD_MOST);
	tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "current_task", ""), HELD_MOST + 1);
	for (int i = 0; i < 5; i++)
		tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "RATE_LIMIT_EXCEEDED", "get_task"), 1);
}
END_TEST

START_TEST(a_question_is_held_for_400_ms_while_the_task_starts)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", TASK(TO("es"), ""));
	tell(s, "get_task", "{}");
	ck_assert_int_eq(s->n, 0);
	s->connection->held[0].until_us = monotonic_us();
	command_tick(s->connection->session, monotonic_us());
	ck_assert_int_eq(count_seen(s, "NOT_FOUND", ""), 1);
	tell(s, "get_task", "{}");
	await_state(s, STATE_RUNNING);
	gateway_tick();
	ck_assert_int_eq(count_seen(s, "current_task", ""), 1);
	ck_assert_int_eq(count_seen(s, "NOT_FOUND", ""), 1);
}
END_TEST

START_TEST(a_client_that_waits_blindly_is_sent_few_errors)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	tell(s, "tts_task", "{}");
	tell(s, "nonsense", "{}");
	ck_assert_int_eq(s->n, count_seen(s, "task_status", ""));
	tell(s, "set_task", "{\"input_stream\":{}}");
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", "pipeline"), 1);
	tell(s, "get_task", "{}");
	tell(s, "tts_task", "{}");
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", "text"), 1);
}
END_TEST

START_TEST(audio_before_it_runs_is_kept_and_heard)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", TASK(TO("es"), ""));
	send_phrase(s);
	ck_assert_ptr_nonnull(s->connection->session->in.deferred);
	await_seen(s, "validated_transcription", "hello world", 1);
	ck_assert_ptr_null(s->connection->session->in.deferred);
	ck_assert_int_eq(count_seen(s, "warning", ""), 0);
}
END_TEST

START_TEST(of_what_is_kept_the_last_ten_seconds_are_heard)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", TASK("", ""));
	for (int i = 0; i < 12; i++)
		send_sound(s, 1000, i == 0);
	await_state(s, STATE_RUNNING);
	ck_assert_int_eq(s->connection->session->in.audio_us, 10 * S_US);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, FINAL, ""), 0);
}
END_TEST

START_TEST(cached_messages_are_not_sent_to_another_publisher)
{
	const char *session = new_session();
	struct websocket *a = connect_as(session, true, true, NULL), *b;

	tell(a, "set_task", TASK(TO("es"), ""));
	send_phrase(a);
	tell(a, "tts_task", "{\"text\":\"of the first\",\"language\":\"es\"}");
	b = connect_as(session, true, true, NULL);
	ck_assert_int_eq(a->code, 1008);
	ck_assert_str_eq(a->reason, "replaced");
	hang_up(a);
	tell(b, "set_task", TASK(TO("es"), ""));
	await_state(b, STATE_RUNNING);
	gateway_wait(200);
	ck_assert_int_eq(count_seen(b, "transcription", ""), 0);
}
END_TEST

START_TEST(what_is_to_be_spoken_waits_for_the_start)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", TASK(TO("es"), ""));
	tell(s, "tts_task", "{\"text\":\"first\",\"language\":\"es\"}");
	tell(s, "tts_task",
	    "{\"text\":\"second\",\"language\":\"en\",\"translate_text\":true}");
	await_seen(s, "translated_transcription", "\"text\":\"first\"", 1);
	await_seen(s, "translated_transcription", "[es] second", 1);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 2);
}
END_TEST

START_TEST(audio_without_a_task_is_told_once)
{
	struct websocket *s = connect_writer();

	send_sound(s, 100, true);
	send_sound(s, 100, true);
	ck_assert_int_eq(count_seen(s, "NOT_FOUND", ""), 1);
}
END_TEST

START_TEST(a_start_that_is_superseded_gives_its_engines_back)
{
	struct websocket *s = connect_writer();

	for (int i = 0; i < 4; i++) {
		tell(s, "set_task", TASK(TO("es"), ""));
		gateway_tick();
	}
	await_state(s, STATE_RUNNING);
	gateway_await(gateway.tasks == 1);
}
END_TEST

/* ---- phrases ---- */

static const char *
member(const char *message, const char *name)
{
	const char *at = strstr(message, name);

	ck_assert_ptr_nonnull(at);
	return arena_dup(fixture.mem, at, strcspn(at, ","));
}

START_TEST(a_phrase_is_told_in_order_and_in_one_name)
{
	struct websocket *s = start_task(TASK(TO("es") "," TO("fr"), ALL_TYPES));
	const char *final, *id;
	int at = 0, es;

	send_phrase(s);
	await_seen(s, "pipeline_timings", "", 2);
	final = seen_from(s, &at, "\"validated_transcription\"", "hello world");
	ck_assert_ptr_nonnull(final);
	id = member(final, "\"transcription_id\"");
	es = at;
	ck_assert_ptr_nonnull(
	    seen_from(s, &es, "\"translated_transcription\"", "[es] "));
	ck_assert_ptr_nonnull(seen_from(s, &es, "\"tts_text\"", "[es] hello world"));
	ck_assert_ptr_nonnull(seen_from(s, &es, "output_audio_data", "\"es\""));
	ck_assert_int_eq(count_seen(s, "output_audio_data", "\"last_chunk\":true"), 2);
	for (int i = 0; i < s->n; i++)
		if (strstr(s->said[i], "buffer_stats") == NULL &&
		    strstr(s->said[i], "task_status") == NULL)
			ck_assert_msg(strstr(s->said[i], id) != NULL, "%s", s->said[i]);
}
END_TEST

START_TEST(timings_count_from_the_end_of_the_phrase)
{
	struct websocket *s = start_task(TASK(TO("es"), ALL_TYPES));
	const struct json *t;
	const char *m, *why;
	double was = 0;
	int at = 0;

	send_sound(s, 600, true);
	send_sound(s, 100, false);
	gateway_wait(300);
	send_sound(s, 1000, false);
	await_seen(s, "pipeline_timings", "", 1);
	m = seen_from(s, &at, "timings", "");
	t = json_read(fixture.mem, m, strlen(m), &why);
	t = json_get(json_get(t, "data"), "timings");
	for (t = t->kids; t != NULL; t = t->next) {
		double now = atof(json_text(fixture.mem, t));

		ck_assert_double_ge(now, was);
		ck_assert_double_ge(now, 0.29);
		was = now;
	}
	ck_assert_double_lt(was, 30);
}
END_TEST

START_TEST(queues_are_told_every_second_while_they_are_not_empty)
{
	struct websocket *s = start_task(TASK(TO("es"), ALL_TYPES));
	int64_t now;

	send_phrase(s);
	await_seen(s, "tts_buffer_stats", "\"es\":{\"current_queue_level_ms\":", 1);
	now = monotonic_us();
	s2s_ops.tick(s->connection->session, now + S_US / 2);
	ck_assert_int_eq(count_seen(s, "tts_buffer_stats", ""), 1);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 1);
	s2s_ops.tick(s->connection->session, now + 20 * S_US);
	ck_assert_int_eq(count_seen(s, "tts_buffer_stats", ""), 1);
}
END_TEST

START_TEST(a_silent_token_hears_warnings_and_errors_alone)
{
	struct websocket *s = connect_as(new_session(), true, false, NULL);

	gateway_engines(LINES("fault-mt"));
	tell(s, "set_task", TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	tell(s, "tts_task", "{\"text\":\"hello\",\"language\":\"es\"}");
	send_phrase(s);
	await_seen(s, "warning", "TRANSLATION_FAILED", 1);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, "\"transcription\"", ""), 0);
	ck_assert_int_eq(count_seen(s, "output_audio_data", ""), 0);
}
END_TEST

START_TEST(an_engine_is_asked_for_no_partial_text_if_its_section_says_so)
{
	struct websocket *s = connect_as(new_session(), true, true, NULL);

	gateway_engines(LINES("hello world") "partial = no\n");
	tell(s, "set_task", TASK(TO("es"), ALL_TYPES));
	await_state(s, STATE_RUNNING);
	for (int i = 0; i < 8; i++) {
		send_talk(s);
		gateway_wait(100);
	}
	send_sound(s, 1000, false);
	await_seen(s, FINAL, "hello world", 1);
	ck_assert_int_eq(count_seen(s, "partial_transcription\"", "\"text\""), 0);
}
END_TEST

START_TEST(another_language_than_the_task_s_is_neither_text_nor_speech)
{
	struct websocket *s = connect_as(new_session(), true, true, NULL);

	gateway_engines(
	    LINES("hello\n  foreign-it one\n  foreign-it two\n  hello to you again"));
	tell(s, "set_task", TASK(TO("es"), ALL_TYPES));
	await_state(s, STATE_RUNNING);
	for (int i = 0; i < 3; i++)
		send_phrase(s);
	await_seen(s, "LANGUAGE_MISMATCH", "speaks it, the stream is in en", 1);
	send_phrase(s);
	await_seen(s, "[es] hello to you again", "", 1);
	ck_assert_int_eq(count_seen(s, FINAL, "foreign-it"), 0);
	ck_assert_int_eq(count_seen(s, "[es] foreign-it", ""), 0);
	ck_assert_int_eq(count_seen(s, "LANGUAGE_MISMATCH", ""), 1);
}
END_TEST

START_TEST(a_listener_receives_texts_and_speech_of_one_language)
{
	const char *session = new_session();
	struct websocket *w = connect_as(session, true, true, NULL);
	struct websocket *l = connect_as(session, false, true, "fr");

	tell(w, "set_task", TASK(TO("es") "," TO("fr"), ALL_TYPES));
	await_state(w, STATE_RUNNING);
	send_phrase(w);
	await_seen(l, "output_audio_data", "\"last_chunk\":true", 1);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(l, "translated_transcription", "\"fr\""), 1);
	ck_assert_int_eq(count_seen(l, "\"es\"", ""), 0);
	ck_assert_int_eq(count_seen(l, "timings", "") + count_seen(l, "tts_", ""), 0);
	tell(l, "pause_task", "{}");
	ck_assert_int_eq(count_seen(l, "PERMISSION_DENIED", ""), 1);
	tell(l, "set_language", "{\"language\":\"es\"}");
	send_phrase(w);
	await_seen(l, "translated_transcription", "\"es\"", 1);
}
END_TEST

/* ---- pause, flush, replace ---- */

START_TEST(a_pause_ends_the_phrase_and_drops_what_comes)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	send_sound(s, 600, true);
	tell(s, "pause_task", "{}");
	send_phrase(s);
	tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "current_task", "paused"), 1);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 1);
	gateway_wait(200);
	ck_assert_int_eq(count_seen(s, FINAL, ""), 1);
	tell(s, "tts_task", "{\"text\":\"a\",\"language\":\"es\"}");
	ck_assert_int_eq(count_seen(s, "CONFLICT", "paused"), 1);
	tell(s, "set_task", TASK(TO("es"), ""));
	ck_assert_int_eq(s->connection->session->state, STATE_RUNNING);
	send_phrase(s);
	await_seen(s, FINAL, "", 2);
}
END_TEST

START_TEST(a_flush_ends_open_groups_and_the_phrase)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	const char *text = "{\"text\":\"a sentence that takes many seconds to be said, "
			   "long enough to be paced in any case, and then some more\","
			   "\"language\":\"es\"}";
	int chunks;

	tell(s, "tts_task", text);
	tell(s, "tts_task", text);
	await_seen(s, "output_audio_data", "", 10);
	send_sound(s, 600, true);
	chunks = count_seen(s, "output_audio_data", "\"last_chunk\":false");
	tell(s, "flush_task", "{}");
	await_seen(s, "output_audio_data", "\"last_chunk\":true,\"data\":\"\"", 1);
	send_sound(s, 1000, false);
	gateway_wait(300);
	ck_assert_int_eq(
	    count_seen(s, "output_audio_data", "\"last_chunk\":false"), chunks);
	ck_assert_int_eq(count_seen(s, FINAL, ""), 0);
	send_phrase(s);
	await_seen(s, FINAL, "", 1);
}
END_TEST

START_TEST(a_flush_of_a_language_leaves_the_others)
{
	struct websocket *s = start_task(TASK(TO("es") "," TO("fr"), ""));

	tell(s, "tts_task",
	    "{\"text\":\"many words that are spoken for more than three seconds, so "
	    "that it lasts\",\"language\":\"en\",\"translate_text\":true}");
	await_seen(s, "output_audio_data", "\"es\"", 3);
	await_seen(s, "output_audio_data", "\"fr\"", 3);
	tell(s, "flush_task", "{\"languages\":[\"es\"]}");
	await_seen(s, "\"last_chunk\":true,\"data\":\"\"", "\"es\"", 1);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, "\"last_chunk\":true", "\"fr\""), 0);
}
END_TEST

/* The second phrase starts while the first is still spoken. */
START_TEST(a_replaced_task_has_its_say_first)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));
	int at = 0;

	tell(s, "tts_task",
	    "{\"text\":\"the old one says a good deal, and that takes about five "
	    "seconds to play\",\"language\":\"es\"}");
	await_seen(s, "output_audio_data", "", 2);
	tell(s, "set_task", TASK(TO("es"), ""));
	gateway_await(gateway.tasks == 2);
	gateway_wait(50);
	tell(s, "tts_task", "{\"text\":\"new\",\"language\":\"es\"}");
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 2);
	ck_assert_ptr_nonnull(seen_from(s, &at, "\"last_chunk\":true", ""));
	ck_assert_int_gt(at, 20); /* all of the first one was received */
	gateway_await(gateway.tasks == 1);
}
END_TEST

START_TEST(a_refused_task_changes_nothing)
{
	struct websocket *s = start_task(TASK(TO("es"), ""));

	tell(s, "set_task", "{\"input_stream\":{}}");
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", ""), 1);
	send_phrase(s);
	await_seen(s, FINAL, "", 1);
}
END_TEST

/* ---- faults ---- */

START_TEST(three_phrases_in_a_row_that_cannot_be_heard_end_it)
{
	struct websocket *s;

	gateway_engines(LINES("fault-asr"));
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	send_phrase(s);
	gateway_wait(200);
	ck_assert_int_eq(count_seen(s, "error", ""), 0);
	ck_assert_int_eq(s->connection->session->state, STATE_RUNNING);
	send_phrase(s);
	await_seen(s, "error", "ENGINE_UNAVAILABLE", 1);
	ck_assert_int_eq(s->connection->session->state, STATE_NONE);
	ck_assert_int_eq(s->code, 0);
	ck_assert_int_eq(s->connection->session->meter.since_us, 0);
}
END_TEST

START_TEST(what_one_engine_cannot_hear_the_next_one_does)
{
	struct websocket *s;

	gateway_engines("[speech]\nasr = bad, good\nmt = script\ntts = script\n"
			"[engine.bad]\nkind = script\nlines = fault-asr\n"
			"[engine.good]\nkind = script\nlines = well heard\n");
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	await_seen(s, "validated_transcription", "well heard", 1);
	for (int i = 0; i < 4; i++)
		send_phrase(s);
	await_seen(s, "validated_transcription", "well heard", 5);
}
END_TEST

START_TEST(what_cannot_be_translated_is_warned_of_once)
{
	struct websocket *s;

	gateway_engines(LINES("fault-mt"));
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	send_phrase(s);
	await_seen(s, FINAL, "", 2);
	gateway_wait(100);
	ck_assert_int_eq(count_seen(s, "warning", "TRANSLATION_FAILED"), 1);
	ck_assert_int_eq(count_seen(s, "translated_transcription", ""), 0);
}
END_TEST

START_TEST(what_cannot_be_spoken_is_text_alone)
{
	struct websocket *s;

	gateway_engines(LINES("fault-tts"));
	s = start_task(TASK(TO("es"), ""));
	send_phrase(s);
	await_seen(s, "warning", "TTS_UNAVAILABLE", 1);
	ck_assert_int_eq(count_seen(s, "translated_transcription", ""), 1);
	ck_assert_int_eq(count_seen(s, "output_audio_data", ""), 0);
}
END_TEST

START_TEST(the_voice_is_chosen_by_how_high_the_speakers_is)
{
	struct websocket *s =
	    start_task(TASK("{\"target_language\":\"es\",\"speech_generation\":{"
			    "\"voice_timbre_detection\":{\"enabled\":true,"
			    "\"high_timbre_voices\":[\"anna\"],"
			    "\"low_timbre_voices\":[\"bob\"]}}}",
		""));

	send_phrase(s); /* 300 Hz */
	await_seen(s, "VOICE_NOT_FOUND", "'anna'", 1);
	tell(s, "tts_task", "{\"text\":\"nobody says this\",\"language\":\"es\"}");
	await_seen(s, "VOICE_NOT_FOUND", "'bob'", 1);
	send_phrase(s);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 3);
	ck_assert_int_eq(count_seen(s, "VOICE_NOT_FOUND", ""), 2);
}
END_TEST

START_TEST(sound_that_cannot_be_read_is_told_once)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task",
	    "{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"opus\"}},"
	    "\"pipeline\":{\"transcription\":{\"source_language\":\"en\"},"
	    "\"translations\":[]}}");
	await_state(s, STATE_RUNNING);
	tell(s, "get_task", "{}");
	for (int i = 0; i < 5; i++)
		tell(s, "input_audio_data", "{\"data\":\"////////\"}");
	await_seen(s, "VALIDATION_ERROR", "cannot be read", 1);
	gateway_wait(50);
	ck_assert_int_eq(count_seen(s, "VALIDATION_ERROR", ""), 1);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_task");
	TCase *t = tcase_create("task");

	tcase_add_checked_fixture(t, gateway_open, gateway_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_task_is_not_found_until_it_runs);
	tcase_add_test(t, a_question_is_held_for_400_ms_while_the_task_starts);
	tcase_add_test(t, a_client_that_waits_blindly_is_sent_few_errors);
	tcase_add_test(t, audio_before_it_runs_is_kept_and_heard);
	tcase_add_test(t, of_what_is_kept_the_last_ten_seconds_are_heard);
	tcase_add_test(t, cached_messages_are_not_sent_to_another_publisher);
	tcase_add_test(t, what_is_to_be_spoken_waits_for_the_start);
	tcase_add_test(t, audio_without_a_task_is_told_once);
	tcase_add_test(t, a_start_that_is_superseded_gives_its_engines_back);
	tcase_add_test(t, a_phrase_is_told_in_order_and_in_one_name);
	tcase_add_test(t, timings_count_from_the_end_of_the_phrase);
	tcase_add_test(t, queues_are_told_every_second_while_they_are_not_empty);
	tcase_add_test(t, a_silent_token_hears_warnings_and_errors_alone);
	tcase_add_test(
	    t, an_engine_is_asked_for_no_partial_text_if_its_section_says_so);
	tcase_add_test(t, another_language_than_the_task_s_is_neither_text_nor_speech);
	tcase_add_test(t, a_listener_receives_texts_and_speech_of_one_language);
	tcase_add_test(t, a_pause_ends_the_phrase_and_drops_what_comes);
	tcase_add_test(t, a_flush_ends_open_groups_and_the_phrase);
	tcase_add_test(t, a_flush_of_a_language_leaves_the_others);
	tcase_add_test(t, a_replaced_task_has_its_say_first);
	tcase_add_test(t, a_refused_task_changes_nothing);
	tcase_add_test(t, three_phrases_in_a_row_that_cannot_be_heard_end_it);
	tcase_add_test(t, what_one_engine_cannot_hear_the_next_one_does);
	tcase_add_test(t, what_cannot_be_translated_is_warned_of_once);
	tcase_add_test(t, what_cannot_be_spoken_is_text_alone);
	tcase_add_test(t, the_voice_is_chosen_by_how_high_the_speakers_is);
	tcase_add_test(t, sound_that_cannot_be_read_is_told_once);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
