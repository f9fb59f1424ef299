/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences that a pause has cut in two are translated as one. */
#include "tests/unit/gateway_fixture.h"

#define FIRST "we want to talk about the"
#define SECOND "new budget for the year"
#define TRANSLATED "{\"message_type\":\"translated_transcription\""

static struct websocket *
start_lines(const char *lines)
{
	gateway_engines(arena_printf(fixture.mem,
	    SCRIPTS "[engine.script]\nkind = script\nlines = %s\n", lines));
	return start_task(TASK(TO("es"), ALL_TYPES));
}

/* The id of the first message with both texts. */
static const char *
id_of(const struct websocket *s, const char *a, const char *b)
{
	int at = 0;
	const char *m = seen_from(s, &at, a, b);

	ck_assert_msg(m != NULL, "%s %s", a, b);
	return arena_dup(fixture.mem, strstr(m, "\"transcription_id\":\"") + 20, 16);
}

START_TEST(a_sentence_that_a_pause_cuts_is_translated_once)
{
	struct websocket *s = start_lines(FIRST "\n  " SECOND);
	const char *id;

	send_phrase(s);
	await_seen(s, FINAL, FIRST, 1); /* it does not wait */
	send_phrase(s);
	await_seen(s, TRANSLATED, "[es] " FIRST " " SECOND, 1);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 1);
	id = id_of(s, FINAL, SECOND);
	ck_assert_str_eq(id_of(s, TRANSLATED, ""), id);
	ck_assert_str_eq(id_of(s, "output_audio_data", ""), id);
	ck_assert_int_eq(count_seen(s, TRANSLATED, ""), 1);
	/* the translation lasts as long as both phrases */
	ck_assert_int_eq(count_seen(s, TRANSLATED, "\"start\":0.0"), 1);
}
END_TEST

START_TEST(without_a_second_phrase_in_time_the_first_is_translated_alone)
{
	struct websocket *s = start_lines(FIRST "\n  " SECOND);

	send_phrase(s);
	send_sound(s, 500, false);
	send_phrase(s);
	await_seen(s, TRANSLATED, "[es] " SECOND, 1);
	ck_assert_int_eq(count_seen(s, TRANSLATED, "[es] " FIRST "\""), 1);
	ck_assert_int_eq(count_seen(s, TRANSLATED, "[es] " SECOND "\""), 1);
}
END_TEST

START_TEST(the_two_together_are_no_longer_than_a_phrase)
{
	struct websocket *s =
	    start_lines(FIRST "\n  " FIRST "\n  " FIRST "\n  " SECOND);

	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 4; k++)
			send_talk(s);
		send_sound(s, 1000, false);
	}
	await_seen(s, TRANSLATED, "", 2);
	ck_assert_int_eq(
	    count_seen(s, TRANSLATED, "[es] " FIRST " " FIRST " " FIRST), 0);
}
END_TEST

START_TEST(sentences_before_the_open_one_do_not_wait)
{
	struct websocket *s =
	    start_lines("Hello to you. We meet for the\n  " SECOND ".");

	send_phrase(s);
	await_seen(s, TRANSLATED, "[es] Hello to you.", 1);
	send_phrase(s);
	await_seen(s, TRANSLATED, "[es] We meet for the " SECOND ".", 1);
	ck_assert_str_eq(id_of(s, TRANSLATED, "Hello"), id_of(s, FINAL, "Hello"));
	ck_assert_str_eq(id_of(s, TRANSLATED, "We meet"), id_of(s, FINAL, "ew budget"));
}
END_TEST

START_TEST(the_rest_of_a_phrase_has_a_part_of_its_own)
{
	struct websocket *s = start_lines("Hello to you. We meet for the");

	send_phrase(s);
	send_sound(s, 1000, false);
	await_seen(s, TRANSLATED, "[es] We meet for the", 1);
	ck_assert_str_eq(id_of(s, TRANSLATED, "We meet"), id_of(s, FINAL, "Hello"));
	await_seen(s, "\"tts_text\"", "[es] We meet for the", 1);
	ck_assert_int_eq(count_seen(s, "[es] Hello", "\"translation_part_id\":0"), 2);
	ck_assert_int_eq(count_seen(s, "[es] We meet", "\"translation_part_id\":1"), 2);
}
END_TEST

START_TEST(a_pause_of_the_task_does_not_lose_the_open_text)
{
	struct websocket *s = start_lines(FIRST);

	send_phrase(s);
	await_seen(s, FINAL, FIRST, 1);
	tell(s, "pause_task", "{}");
	await_seen(s, TRANSLATED, "[es] " FIRST, 1);
}
END_TEST

START_TEST(a_flush_drops_the_open_text)
{
	struct websocket *s = start_lines(FIRST "\n  " SECOND);

	send_phrase(s);
	await_seen(s, FINAL, FIRST, 1);
	tell(s, "flush_task", "{\"languages\":[\"es\"]}");
	send_phrase(s);
	await_seen(s, TRANSLATED, "[es] " SECOND, 1);
	ck_assert_int_eq(count_seen(s, TRANSLATED, FIRST), 0);
}
END_TEST

START_TEST(a_text_of_the_client_is_no_end_of_a_sentence)
{
	struct websocket *s = start_lines(FIRST);

	send_phrase(s);
	await_seen(s, FINAL, FIRST, 1);
	tell(s, "tts_task",
	    "{\"text\":\"one two\",\"language\":\"en\",\"translate_text\":true}");
	await_seen(s, TRANSLATED, "[es] " FIRST "\"", 1);
	await_seen(s, TRANSLATED, "[es] one two\"", 1);
}
END_TEST

START_TEST(the_end_of_a_task_completes_the_open_text)
{
	struct websocket *s = start_lines(FIRST);

	send_phrase(s);
	tell(s, "end_task", "{}");
	await_seen(s, TRANSLATED, "[es] " FIRST, 1);
	await_end(s, 1000);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("open text");
	TCase *tc = tcase_create("open text");

	tcase_add_checked_fixture(tc, gateway_open, gateway_close);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_sentence_that_a_pause_cuts_is_translated_once);
	tcase_add_test(
	    tc, without_a_second_phrase_in_time_the_first_is_translated_alone);
	tcase_add_test(tc, the_two_together_are_no_longer_than_a_phrase);
	tcase_add_test(tc, sentences_before_the_open_one_do_not_wait);
	tcase_add_test(tc, the_rest_of_a_phrase_has_a_part_of_its_own);
	tcase_add_test(tc, a_pause_of_the_task_does_not_lose_the_open_text);
	tcase_add_test(tc, a_flush_drops_the_open_text);
	tcase_add_test(tc, a_text_of_the_client_is_no_end_of_a_sentence);
	tcase_add_test(tc, the_end_of_a_task_completes_the_open_text);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
