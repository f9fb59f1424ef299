/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moderation of a channel while it is live: blocked words, and a stop. */
#include <string.h>

#include "cases.h"
#include "stream.h"
#include "talk.h"

/* ---- blocked words ---- */

START_TEST(blocked_words_are_masked_and_not_spoken)
{
	struct talk h = talk_open(",\"blocked_words\":[\"H\303\211LLO\",\"other\"]");
	size_t spoken;
	struct answer a;

	talk_say(&h);
	ck_assert_str_eq(talk_text(&h, 20), "[es] " BULLETS " world");
	spoken = hear_speech(h.es, "es", 20).bytes;
	a = talk_change(&h, "PATCH", "{\"data\":{\"blocked_words\":null}}");
	EXPECT(a, 200);
	ck_assert_uint_eq(json_array_size(at(a.json, "data.blocked_words")), 0);
	for (int i = 0; i < 10; i++) { /* within five seconds */
		talk_say(&h);
		if (strstr(talk_text(&h, 20), BULLETS) == NULL)
			break;
		hear_speech(h.es, "es", 20);
	}
	/* the script engine speaks 60 ms for a character; "hello " has six */
	ck_assert_uint_gt(hear_speech(h.es, "es", 20).bytes, spoken);
}
END_TEST

START_TEST(lists_of_words_have_rules)
{
	static const struct {
		const char *words, *at;
	} wrong[] = {
		{ "[\"\"]", "/data/blocked_words/0" },
		{ "[\"a\",\"...\"]", "/data/blocked_words/1" },
		{ "[7]", "/data/blocked_words/0" },
		{ "\"fool\"", "/data/blocked_words" },
		{ "[\"12345678901234567890123456789012345678901234567890123456789012345"
		  "\"]",
		    "/data/blocked_words/0" },
	};
	struct talk h = talk_open("");
	struct answer a;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		a = talk_change(&h, "PATCH",
		    text("{\"data\":{\"blocked_words\":%s}}", wrong[i].words));
		expect_problem(&a, 422, "validation-error");
		ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), wrong[i].at);
	}
	a = talk_change(&h, "PATCH", "{\"data\":{\"hold_seconds\":21}}");
	expect_problem(&a, 422, "validation-error");
}
END_TEST

/* ---- stop ---- */

START_TEST(a_stop_is_heard_within_a_second)
{
	struct talk h = talk_open("");
	struct answer a;

	hear_state(h.es, "break", 5);
	talk_say(&h);
	hear_state(h.es, "live", 5);
	talk_text(&h, 20);
	a = talk_change(&h, "/stop", NULL);
	EXPECT(a, 200);
	ck_assert(json_is_string(at(a.json, "data.utc_stopped_at")));
	hear_state(h.es, "stopped", 1);
	hear_state(h.speaker, "stopped", 1);
	while (hear_any(h.es, 0.5) != NULL) /* the ends of groups */
		;
	talk_say(&h);
	talk_say(&h);
	hear_nothing(h.es, 4); /* longer than a read of the row takes */
	say(h.speaker, "tts_task",
	    "{\"text\":\"Hello.\",\"language\":\"en\",\"translate_text\":true}");
	hear_error(h.speaker, "PERMISSION_DENIED", 5);
	hear_nothing(h.es, 1);

	a = talk_change(&h, "/stop", NULL); /* again is no error */
	EXPECT(a, 200);
	a = talk_change(&h, "/resume", NULL);
	EXPECT(a, 200);
	ck_assert(json_is_null(at(a.json, "data.utc_stopped_at")));
	hear_state(h.es, "break", 5);
	hear_state(h.speaker, "break", 5);
	talk_say(&h);
	hear_state(h.es, "live", 5);
	ck_assert_str_eq(talk_text(&h, 20), "[es] hello world");
}
END_TEST

START_TEST(nothing_goes_out_a_second_after_a_stop)
{
	struct talk h = talk_open("");
	double stopped, last;
	struct answer a;
	json_t *m;

	for (int i = 0; i < 6; i++)
		talk_say(&h);
	talk_text(&h, 20);
	a = talk_change(&h, "/stop", NULL);
	EXPECT(a, 200);
	stopped = last = seconds();
	while ((m = hear_any(h.es, 3)) != NULL)
		last = seconds();
	ck_assert_double_lt(last, stopped + 1);
}
END_TEST

START_TEST(a_reader_may_not_stop_a_channel)
{
	struct talk h = talk_open("");
	struct account reader = account_limited(&h.owner, "channels:read");
	struct answer a =
	    ASK(.method = "POST", .path = text("%s/stop", h.path), .as = &reader);

	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

START_TEST(corrections_are_masked)
{
	struct talk h = talk_open(",\"blocked_words\":[\"idiot\"]");
	struct answer a;

	talk_say(&h);
	ck_assert(becomes(talk_has_line, &h, 20));
	a = ASK(.method = "PATCH",
	    .path = text("%s/transcript/%lld", h.path,
		(long long)json_integer_value(at(talk_lines(&h, "es"), "0.line_id"))),
	    .as = &h.owner, .json = "{\"data\":{\"text\":\"Hola, Idiot!\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.text"), "Hola, " BULLETS "!");
	while (strcmp(talk_text(&h, 10), "Hola, " BULLETS "!") != 0)
		;
}
END_TEST

Suite *
moderation_suite(void)
{
	TCase *t;
	Suite *s = suite_of("moderated", NULL, &t);

	tcase_add_test(t, blocked_words_are_masked_and_not_spoken);
	tcase_add_test(t, lists_of_words_have_rules);
	tcase_add_test(t, corrections_are_masked);
	tcase_add_test(t, a_stop_is_heard_within_a_second);
	tcase_add_test(t, nothing_goes_out_a_second_after_a_stop);
	tcase_add_test(t, a_reader_may_not_stop_a_channel);
	return s;
}
