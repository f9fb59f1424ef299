/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moderation of a channel while it is live: blocked words, and a stop. */
#include <string.h>

#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("moderation");
}

/* A channel that stands alone, its speaker and a listener in Spanish. */
struct talk {
	const char *channel, *path;
	struct ws *speaker, *es;
};

static struct talk
open_talk(const char *more)
{
	struct talk h;
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\",\"transcript\":\"organizer\"}}");
	const char *event = text_at(a.json, "data.event_id");

	EXPECT(a, 201);
	a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\",\"name\":"
			 "\"Hall\",\"source_language\":\"en\",\"target_languages\":"
			 "[\"es\"]%s}}",
		event, more));
	EXPECT(a, 201);
	h.channel = text_at(a.json, "data.channel_id");
	h.path = text("/saas/channel/%s", h.channel);
	h.speaker = stream_call(text("%s?token=%s", text_at(a.json, "data.input.url"),
				    text_at(a.json, "data.input.token")),
	    NULL);
	a = ASK(.path = text("/saas/v2/event/public/%s/join", event),
	    .json = "{\"data\":{\"language\":\"es\"}}");
	EXPECT(a, 201);
	h.es = stream_call(text("%s?token=%s", text_at(a.json, "data.ws_url"),
			       text_at(a.json, "data.token")),
	    NULL);
	return h;
}

static void
say_hello(const struct talk *h)
{
	send_sound(h->speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
}

static struct answer
change(const struct talk *h, const char *how, const char *json)
{
	return how[0] == '/'
		   ? ASK(.method = "POST", .path = text("%s%s", h->path, how),
			 .as = &me, .json = json)
		   : ASK(.method = how, .path = h->path, .as = &me, .json = json);
}

static const char *
hear_text(const struct talk *h, double s)
{
	return text_at(
	    hear(h->es, "translated_transcription", s), "transcription.text");
}

/* ---- blocked words ---- */

#define BULLETS "\342\200\242\342\200\242\342\200\242"

START_TEST(blocked_words_are_masked_and_not_spoken)
{
	struct talk h = open_talk(",\"blocked_words\":[\"H\303\211LLO\",\"other\"]");
	size_t spoken;
	struct answer a;

	say_hello(&h);
	ck_assert_str_eq(hear_text(&h, 20), "[es] " BULLETS " world");
	spoken = hear_speech(h.es, "es", 20).bytes;
	a = change(&h, "PATCH", "{\"data\":{\"blocked_words\":null}}");
	EXPECT(a, 200);
	ck_assert_uint_eq(json_array_size(at(a.json, "data.blocked_words")), 0);
	for (int i = 0; i < 10; i++) { /* within five seconds */
		say_hello(&h);
		if (strstr(hear_text(&h, 20), BULLETS) == NULL)
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
	struct talk h = open_talk("");
	struct answer a;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		a = change(&h, "PATCH",
		    text("{\"data\":{\"blocked_words\":%s}}", wrong[i].words));
		expect_problem(&a, 422, "validation-error");
		ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), wrong[i].at);
	}
	a = change(&h, "PATCH", "{\"data\":{\"hold_seconds\":21}}");
	expect_problem(&a, 422, "validation-error");
}
END_TEST

/* ---- stop ---- */

START_TEST(a_stop_is_heard_within_a_second)
{
	struct talk h = open_talk("");
	struct answer a;

	hear_state(h.es, "break", 5);
	say_hello(&h);
	hear_state(h.es, "live", 5);
	hear_text(&h, 20);
	a = change(&h, "/stop", NULL);
	EXPECT(a, 200);
	ck_assert(json_is_string(at(a.json, "data.utc_stopped_at")));
	hear_state(h.es, "stopped", 1);
	hear_state(h.speaker, "stopped", 1);
	while (hear_any(h.es, 0.5) != NULL) /* the ends of groups */
		;
	say_hello(&h);
	say_hello(&h);
	hear_nothing(h.es, 4); /* longer than a read of the row takes */
	say(h.speaker, "tts_task",
	    "{\"text\":\"Hello.\",\"language\":\"en\",\"translate_text\":true}");
	hear_error(h.speaker, "PERMISSION_DENIED", 5);
	hear_nothing(h.es, 1);

	a = change(&h, "/stop", NULL); /* again is no error */
	EXPECT(a, 200);
	a = change(&h, "/resume", NULL);
	EXPECT(a, 200);
	ck_assert(json_is_null(at(a.json, "data.utc_stopped_at")));
	hear_state(h.es, "break", 5);
	hear_state(h.speaker, "break", 5);
	say_hello(&h);
	hear_state(h.es, "live", 5);
	ck_assert_str_eq(hear_text(&h, 20), "[es] hello world");
}
END_TEST

START_TEST(who_may_only_read_stops_nothing)
{
	struct talk h = open_talk("");
	struct account reader = account_limited(&me, "channels:read");
	struct answer a =
	    ASK(.method = "POST", .path = text("%s/stop", h.path), .as = &reader);

	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

Suite *
moderation_suite(void)
{
	TCase *t;
	Suite *s = suite_of("moderation", before, &t);

	tcase_add_test(t, blocked_words_are_masked_and_not_spoken);
	tcase_add_test(t, lists_of_words_have_rules);
	tcase_add_test(t, a_stop_is_heard_within_a_second);
	tcase_add_test(t, who_may_only_read_stops_nothing);
	return s;
}
