/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules for frames and messages: invalid ones, and too many. */
#include <string.h>

#include "base/base64.h"
#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("stream rules");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- frames ---- */

START_TEST(binary_frames_carry_the_same_as_text)
{
	struct ws *ws = stream_begin(&me, NULL);
	const char *task = "{\"message_type\":\"set_task\",\"data\":" TASK "}";
	const char *chunk;
	struct bytes pcm = tone_then_silence(16000, 0.6, 1.0);

	ck_assert(ws_send(ws, WS_BINARY, task, strlen(task)));
	started(ws);
	chunk =
	    text("{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"%s\"}}",
		base64(memory(), pcm.p, pcm.n));
	ck_assert(ws_send(ws, WS_BINARY, chunk, strlen(chunk)));
	hear(ws, "translated_transcription", 5);
}
END_TEST

/* `data` as a JSON string, null or absent; a message in three frames. */
START_TEST(data_may_be_a_string_and_a_message_may_come_in_pieces)
{
	struct ws *ws = stream_begin(&me, NULL);
	json_t *as_text =
	    json_pack("{s:s,s:s}", "message_type", "set_task", "data", TASK);
	const char *s = json_dumps(as_text, JSON_COMPACT);

	ck_assert(ws_send_piece(ws, WS_TEXT, false, s, 7));
	ck_assert(ws_send(ws, WS_PING, "in between", 10));
	ck_assert(ws_send_piece(ws, WS_MORE, false, s + 7, 100));
	ck_assert(ws_send_piece(ws, WS_MORE, true, s + 107, strlen(s) - 107));
	ck_assert_int_eq(ws_next(ws, memory(), 2).kind, WS_PONG);
	started(ws);
	say_text(ws, "{\"message_type\":\"get_task\"}");
	hear_next(ws, "current_task", 2);
	say_text(ws, "{\"data\":null,\"message_type\":\"get_task\",\"more\":[1]}");
	hear_next(ws, "current_task", 2);
	say_text(ws, "{\"message_type\":\"dance\",\"message_type\":\"get_task\"}");
	hear_next(ws, "current_task", 2);
}
END_TEST

/* ---- what they may not be ---- */

/* clang-format off */
static const char *const nonsense[] = {
	"", "x", "[]", "{}", "{\"message_type\":5}", "{\"message_type\":\"dance\"}",
	"{\"message_type\":\"get_task\",\"data\":[]}",
	"{\"message_type\":\"get_task\",\"data\":\"[\"}",
	"{\"message_type\":\"get_task\",\"data\":{\"a\":[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]}}",
	"{\"message_type\":\"input_audio_data\",\"data\":{\"data\":\"*\"}}",
	"{\"message_type\":\"input_audio_data\",\"data\":{}}",
	"{\"message_type\":\"tts_task\",\"data\":{\"language\":\"es\"}}",
};
/* clang-format on */

START_TEST(nonsense_is_named_and_forgiven)
{
	struct ws *ws = stream_begin(&me, NULL);

	say_text(ws, nonsense[_i]);
	hear_error(ws, "VALIDATION_ERROR", 2);
	start_task(ws, TASK);
}
END_TEST

START_TEST(the_twentieth_piece_of_nonsense_in_a_minute_is_the_last)
{
	struct ws *ws = stream_begin(&me, NULL);

	for (int i = 0; i < 19; i++) {
		say_text(ws, "x");
		hear_error(ws, "VALIDATION_ERROR", 2);
	}
	say(ws, "get_task", "{}");
	hear_error(ws, "NOT_FOUND", 2);
	say_text(ws, "x");
	ck_assert_str_eq(hear_close(ws, 1008, 2, NULL), "too many bad messages");
}
END_TEST

START_TEST(a_frame_that_is_no_utf8_closes)
{
	struct ws *ws = stream_begin(&me, NULL);

	say_text(ws, "{\"message_type\":\"get_task\",\"x\":\"\xff\xfe\"}");
	hear_close(ws, 1007, 2, NULL);
}
END_TEST

START_TEST(what_wants_a_task_is_told_that_there_is_none)
{
	static const char *const wants[][2] = { { "pause_task", "{}" },
		{ "flush_task", "{}" },
		{ "tts_task", "{\"text\":\"x\",\"language\":\"es\"}" } };
	struct ws *ws = stream_begin(&me, NULL);

	for (int i = 0; i < ROWS(wants); i++) {
		say(ws, wants[i][0], wants[i][1]);
		hear_error(ws, "NOT_FOUND", 2);
	}
	speak(ws, 0.6, 1.0);
	hear_error(ws, "NOT_FOUND", 2); /* one warning, not one for every chunk */
	hear_nothing(ws, 0.4);
	start_task(ws, TASK);
	say(ws, "pause_task", "{}");
	say(ws, "tts_task", wants[2][1]);
	hear_error(ws, "CONFLICT", 2);
}
END_TEST

START_TEST(frames_that_are_none_close)
{
	static const int heads[] = { 3, 11, 0x41, 0x11 }; /* opcodes, RSV bits */

	for (int i = 0; i < ROWS(heads); i++) {
		struct ws *ws = stream_begin(&me, NULL);

		ws_send_piece(ws, (enum ws_kind)heads[i], true, "x", 1);
		hear_close(ws, 1002, 2, NULL);
	}
}
END_TEST

START_TEST(sound_far_ahead_of_the_clock_is_warned_of_and_heard)
{
	struct ws *ws = stream_begin(&me, TASK);
	bool warned = false, translated = false;

	send_sound(ws, &(const struct sound_of_task){ .hz = 16000 },
	    tone_then_silence(16000, 1, 7));
	while (!warned || !translated) {
		const json_t *j = hear_any(ws, 5);
		const char *type;

		ck_assert_ptr_nonnull(j);
		type = text_at(j, "message_type");
		translated |= strcmp(type, "translated_transcription") == 0;
		if (strcmp(type, "warning") != 0)
			continue;
		ck_assert_str_eq(text_at(j, "data.code"), "AUDIO_STREAM_TOO_FAST");
		warned = true;
	}
}
END_TEST

#define MEGA ((size_t)1 << 20)

/* A get_task of exactly n bytes. */
static const char *
padded(size_t n)
{
	static const char head[] = "{\"message_type\":\"get_task\",\"x\":\"";
	char *p = arena_alloc(memory(), n + 1);

	memset(p, 'x', n);
	memcpy(p, head, sizeof(head) - 1);
	memcpy(p + n - 2, "\"}", 2);
	return p;
}

START_TEST(a_message_is_a_mebibyte_at_most)
{
	struct ws *ws = stream_begin(&me, NULL);

	say_text(ws, padded(MEGA));
	hear_error(ws, "NOT_FOUND", 5);
	say_text(ws, padded(MEGA + 1));
	hear_close(ws, 1009, 5, NULL);
	ws = stream_begin(&me, NULL);
	ws_send_piece(ws, WS_TEXT, false, padded(MEGA), MEGA);
	ws_send_piece(ws, WS_MORE, true, "x", 1);
	hear_close(ws, 1009, 5, NULL);
}
END_TEST

/* A stream may be larger than the web server's limit for bodies. */
START_TEST(a_socket_may_carry_more_than_any_body)
{
	struct ws *ws = stream_begin(&me, NULL);
	char *mebibyte = arena_alloc(memory(), 1 << 20);

	memset(mebibyte, ' ', 1 << 20);
	memcpy(mebibyte, "{\"message_type\":\"get_task\"", 26);
	mebibyte[(1 << 20) - 1] = '}';
	for (int i = 0; i < 70; i++) {
		ck_assert(ws_send(ws, WS_TEXT, mebibyte, 1 << 20));
		hear_error(ws, "NOT_FOUND", 10);
	}
}
END_TEST

START_TEST(a_chunk_is_half_a_mebibyte_at_most)
{
	struct ws *ws = stream_begin(&me, TASK);
	struct bytes quiet = same_bytes_of('\0', MEGA / 2 + 2);

	send_sound(ws, &(const struct sound_of_task){ 16000, MEGA, 0 }, quiet);
	hear_error(ws, "VALIDATION_ERROR", 2);
	say(ws, "get_task", "{}");
	hear_next(ws, "current_task", 2);
}
END_TEST

START_TEST(too_many_of_one_message_are_an_error_and_dropped)
{
	struct ws *ws = stream_begin(&me, TASK);
	const json_t *e;

	for (int i = 0; i < 5; i++) {
		say(ws, "get_task", "{}");
		hear_next(ws, "current_task", 2);
	}
	say(ws, "get_task", "{}");
	e = hear_next(ws, "error", 2);
	ck_assert_str_eq(text_at(e, "code"), "RATE_LIMIT_EXCEEDED");
	ck_assert_ptr_nonnull(strstr(text_at(e, "desc"), "get_task"));
	for (int i = 0; i < 4; i++) {
		say(ws, "pause_task", "{}");
		say(ws, "flush_task", "{}");
	}
	e = hear_next(ws, "error", 2);
	ck_assert_ptr_nonnull(strstr(text_at(e, "desc"), "pause_task"));
	hear_nothing(ws, 0.2);
}
END_TEST

/* Some clients stop sending sound and wait for the translation of their last words. */
START_TEST(a_client_that_just_stops_gets_its_last_phrase_and_is_let_go)
{
	struct ws *ws = stream_begin(&me, TASK);
	double began = seconds();
	struct speech speech;

	speak(ws, 0.6, 0);
	hear(ws, "validated_transcription", 5);
	hear(ws, "translated_transcription", 5);
	speech = hear_speech(ws, "es", 5);
	ck_assert_uint_gt(speech.bytes, 0);
	ck_assert_str_eq(
	    text_at(hear(ws, "warning", 7), "code"), "AUDIO_STREAM_STALLED");
	hear_error(ws, "SERVICE_TIMEOUT", 7);
	ck_assert_str_eq(hear_close(ws, 1008, 1, NULL), "SERVICE_TIMEOUT");
	ck_assert_msg(seconds() - began > 9.5, "after %g s", seconds() - began);
}
END_TEST

START_TEST(no_subprotocol_is_chosen)
{
	struct session s = session_new(&me, NULL);
	const char *answer;
	struct ws *ws = ws_open(memory(), text("%s?token=%s", s.ws_url, s.publisher),
	    (const char *const[]){ "Sec-WebSocket-Protocol: chat, superchat", NULL }, 5,
	    &answer);

	ck_assert_msg(ws != NULL, "%s", answer);
	ck_assert_ptr_null(strcasestr(answer, "sec-websocket-protocol"));
	start_task(ws, TASK);
}
END_TEST

Suite *
stream_rules_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-rules", before, &t);

	tcase_add_test(t, binary_frames_carry_the_same_as_text);
	tcase_add_test(t, data_may_be_a_string_and_a_message_may_come_in_pieces);
	tcase_add_loop_test(t, nonsense_is_named_and_forgiven, 0, ROWS(nonsense));
	tcase_add_test(t, the_twentieth_piece_of_nonsense_in_a_minute_is_the_last);
	tcase_add_test(t, a_frame_that_is_no_utf8_closes);
	tcase_add_test(t, what_wants_a_task_is_told_that_there_is_none);
	tcase_add_test(t, frames_that_are_none_close);
	tcase_add_test(t, sound_far_ahead_of_the_clock_is_warned_of_and_heard);
	tcase_add_test(t, a_message_is_a_mebibyte_at_most);
	tcase_add_test(t, a_socket_may_carry_more_than_any_body);
	tcase_add_test(t, a_chunk_is_half_a_mebibyte_at_most);
	tcase_add_test(t, too_many_of_one_message_are_an_error_and_dropped);
	tcase_add_test(t, a_client_that_just_stops_gets_its_last_phrase_and_is_let_go);
	tcase_add_test(t, no_subprotocol_is_chosen);
	return s;
}
