/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event from its speaker to its listeners, through the gateway. */
#include <string.h>

#include "base/conf.h"
#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("broadcaster");
	/* a channel takes no place of the sessions' limit */
	account_plan(&me, "--parallel_sessions", "1");
}

/* ---- an event and its channel ---- */

struct broadcast {
	const char *event, *channel, *url, *token;
};

static const char *
hold_event(void)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\"}}");

	EXPECT(a, 201);
	return text_at(a.json, "data.event_id");
}

static struct broadcast
open_broadcast(void)
{
	struct broadcast h = { .event = hold_event() };
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":[\"es\",\"fr\"]}}",
		h.event));

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "ready");
	h.channel = text_at(a.json, "data.channel_id");
	h.url = text_at(a.json, "data.input.url");
	h.token = text_at(a.json, "data.input.token");
	return h;
}

static struct ws *
speaker_of(const struct broadcast *h)
{
	return stream_call(text("%s?token=%s", h->url, h->token), NULL);
}

static struct answer
join(const struct broadcast *h, const char *language)
{
	struct answer a = ASK(.path = text("/saas/v2/event/public/%s/join", h->event),
	    .json = text("{\"data\":{\"language\":\"%s\"}}", language));

	EXPECT(a, 201);
	return a;
}

static struct ws *
listener_of(const struct broadcast *h, const char *language)
{
	struct answer a = join(h, language);

	return stream_call(text("%s?token=%s", text_at(a.json, "data.ws_url"),
			       text_at(a.json, "data.token")),
	    NULL);
}

static void
speak_24k(struct ws *ws)
{
	send_sound(ws, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
}

static struct answer
read_channel(const struct broadcast *h)
{
	return ASK(.path = text("/saas/channel/%s", h->channel), .as = &me);
}

static bool
is_active(const void *broadcast)
{
	struct answer a = read_channel(broadcast);

	return strcmp(text_at(a.json, "data.runtime_status"), "active") == 0;
}

/* Expects the text of a phrase in the language, and its speech, and nothing else. */
static void
hear_in(struct ws *ws, const char *language)
{
	const char *said =
	    text_at(hear_next(ws, "translated_transcription", 5), "transcription.text");

	ck_assert_str_eq(said, text("[%s] hello world", language));
	ck_assert_uint_gt(hear_speech(ws, language, 5).bytes, 9600);
	hear_nothing(ws, 0.5);
}

/* Usage is booked every ten seconds. */
static bool
has_cost(const void *broadcast)
{
	const struct broadcast *h = broadcast;
	struct answer a =
	    ASK(.path = text("/saas/v2/event/%s/stats", h->event), .as = &me);

	EXPECT(a, 200);
	return json_number_value(at(a.json, "data.credits_used")) > 0 &&
	       json_number_value(at(a.json, "data.event_time_minutes")) > 0;
}

START_TEST(two_listeners_hear_their_languages)
{
	struct broadcast h = open_broadcast();
	struct ws *es = listener_of(&h, "es"), *fr = listener_of(&h, "fr"),
		  *speaker = speaker_of(&h);
	struct answer a = read_channel(&h);
	double credits = balance_of(&me);

	ck_assert_str_eq(text_at(a.json, "data.runtime_status"), "pending");
	speak_24k(speaker);
	ck_assert_str_eq(
	    text_at(hear(speaker, "validated_transcription", 5), "transcription.text"),
	    "hello world");
	hear_in(es, "es");
	hear_in(fr, "fr");
	ck_assert(becomes(is_active, &h, 2));
	ck_assert(becomes(has_cost, &h, 20));
	a = ASK(.path = text("/saas/v2/event/%s/stats", h.event), .as = &me);
	EXPECT(a, 200);
	ck_assert_int_eq(int_at(a.json, "data.channels_live_count"), 1);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), 2);
	ck_assert(json_number_value(at(a.json, "data.event_time_minutes")) > 0);
	ck_assert(json_number_value(at(a.json, "data.credits_used")) > 0);
	ck_assert(balance_of(&me) < credits);
}
END_TEST

/* More listeners than one credential may connect in a minute. */
START_TEST(a_hall_behind_one_address_comes_in_at_once)
{
	struct broadcast h = open_broadcast();
	struct ws *all[40];

	for (int i = 0; i < ROWS(all); i++) {
		all[i] = listener_of(&h, "es");
		say(all[i], "get_task", "{}");
	}
	for (int i = 0; i < ROWS(all); i++)
		hear_error(all[i], "NOT_FOUND", 5);
}
END_TEST

static bool
is_stopped(const void *broadcast)
{
	struct answer a = read_channel(broadcast);

	return strcmp(text_at(a.json, "data.runtime_status"), "stopped") == 0;
}

START_TEST(listeners_wait_for_the_next_speaker_until_the_event_is_finished)
{
	struct broadcast h = open_broadcast();
	struct ws *es = listener_of(&h, "es"), *speaker = speaker_of(&h);
	struct answer a;
	bool eos;

	hear_state(es, "break", 2);
	speak_24k(speaker);
	hear_state(es, "live", 5);
	hear_in(es, "es");
	say(speaker, "end_task", "{\"eos_timeout\":1}");
	hear_state(es, "break", 2);
	hear_close(speaker, 1000, 4, &eos);
	ck_assert(eos);
	ck_assert(becomes(is_stopped, &h, 5));
	speaker = speaker_of(&h);
	speak_24k(speaker);
	hear_state(es, "live", 5);
	hear_in(es, "es");
	say(speaker, "end_task", "{}");
	hear_close(speaker, 1000, 2, NULL);
	a = ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", h.event),
	    .as = &me,
	    .json = "{\"data\":{\"utc_start_dt\":\"2016-12-01T08:00:00Z\","
		    "\"utc_end_dt\":\"2016-12-02T08:00:00Z\"}}");
	EXPECT(a, 200);
	hear_close(es, 1000, 8, &eos);
	ck_assert(eos);
}
END_TEST

START_TEST(a_language_that_is_added_is_heard_in_five_seconds)
{
	struct broadcast h = open_broadcast();
	struct ws *speaker = speaker_of(&h), *all = listener_of(&h, "es");
	struct answer a;

	speak_24k(speaker);
	hear_in(all, "es");
	a = ASK(.method = "PATCH", .path = text("/saas/channel/%s", h.channel),
	    .as = &me, .json = "{\"data\":{\"target_languages\":[\"it\",\"es\"]}}");
	EXPECT(a, 200);
	nap(5);
	say(all, "set_language", "{\"language\":\"it\"}");
	nap(0.2);
	speak_24k(speaker);
	hear_in(all, "it");
	a = ASK(.path = text("/saas/v2/event/%s/stats", h.event), .as = &me);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), 1);
	ck_assert_int_eq(int_at(a.json, "data.consumed_languages_count"), 2);
}
END_TEST

START_TEST(a_deleted_channel_is_closed)
{
	struct broadcast h = open_broadcast();
	struct ws *speaker = speaker_of(&h), *es = listener_of(&h, "es");
	struct answer a;
	bool eos;

	speak_24k(speaker);
	hear_in(es, "es");
	a = ASK(.method = "DELETE", .path = text("/saas/channel/%s", h.channel),
	    .as = &me);
	EXPECT(a, 200);
	hear_error(speaker, "SESSION_CLOSED", 5);
	hear_close(speaker, 1008, 1, NULL);
	hear_close(es, 1000, 1, &eos);
	ck_assert(eos);
	a = stream_refused(text("%s?token=%s", h.url, h.token), NULL, NULL);
	expect_problem(&a, 401, "unauthorized");
}
END_TEST

START_TEST(an_unknown_language_is_refused)
{
	struct broadcast h = open_broadcast();
	struct answer j = join(&h, "es");
	struct answer a = stream_refused(
	    text("%s?token=%s&language=de", h.url, text_at(j.json, "data.token")), NULL,
	    NULL);

	expect_problem(&a, 422, "validation-error");
}
END_TEST

/* The address of a socket of another kind, with a token of the channel. */
static const char *
url_of_kind(const char *path, const char *token)
{
	return text("ws%s/%s/stream?language=en&translate_languages=es&token=%s",
	    strstr(settings()->stream_public_url, "://"), path, token);
}

static bool
has_no_session(const void *account)
{
	return sessions_listed(account) == 0;
}

/* The session is the speaker's own and ends with the socket: no listener hears it. */
START_TEST(a_speaker_checks_the_microphone_beside_the_channel)
{
	struct broadcast h = open_broadcast();
	const char *listener = text_at(join(&h, "es").json, "data.token");
	struct ws *hears = stream_call(text("%s?token=%s", h.url, listener), NULL);
	struct ws *ws =
	    stream_call(url_of_kind("asr/v1/speech-to-text", h.token), NULL);
	struct answer a =
	    stream_refused(url_of_kind("asr/v1/speech-to-text", listener), NULL, NULL);
	const char sound[48000] = { 0 };

	expect_problem(&a, 403, "insufficient-scope");
	ck_assert_uint_eq(sessions_listed(&me), 1);
	ck_assert(ws_send(ws, WS_BINARY, sound, sizeof(sound)));
	say_text(ws, "{\"message_type\":\"finalize\"}");
	for (;;) {
		struct ws_message m = ws_next(ws, memory(), 10);

		ck_assert_int_eq(m.kind, WS_TEXT);
		if (strstr(m.p, "<fin>") != NULL)
			break;
	}
	for (struct ws_message m; (m = ws_next(hears, memory(), 0.5)).kind == WS_TEXT;)
		ck_assert_msg(strstr(m.p, "transcription") == NULL &&
				  strstr(m.p, "audio") == NULL,
		    "%s", m.p);
	ws_drop(ws);
	ck_assert(becomes(has_no_session, &me, 5));
	ws_drop(hears);
}
END_TEST

START_TEST(a_channel_is_no_session)
{
	struct broadcast h = open_broadcast();
	struct answer a = stream_refused(
	    url_of_kind("tts-api/v1/text-to-speech", h.token), NULL, NULL);

	expect_problem(&a, 403, "insufficient-scope");
	speaker_of(&h);
	ck_assert_uint_eq(sessions_listed(&me), 0);
	session_new(&me, NULL);
}
END_TEST

START_TEST(an_account_without_credits_broadcasts_nothing)
{
	struct broadcast h;
	struct answer a;

	me = account_new("poor");
	h = open_broadcast();
	DRAGOMAN("account", "credit", me.user_id, "--credits", "-1000000");
	a = stream_refused(text("%s?token=%s", h.url, h.token), NULL, NULL);
	expect_problem(&a, 403, "insufficient-balance");
}
END_TEST

Suite *
stream_channels_suite(void)
{
	TCase *t;
	Suite *s = suite_of("stream-channels", before, &t);

	tcase_add_test(t, two_listeners_hear_their_languages);
	tcase_add_test(t, a_hall_behind_one_address_comes_in_at_once);
	tcase_add_test(
	    t, listeners_wait_for_the_next_speaker_until_the_event_is_finished);
	tcase_add_test(t, a_language_that_is_added_is_heard_in_five_seconds);
	tcase_add_test(t, a_deleted_channel_is_closed);
	tcase_add_test(t, an_unknown_language_is_refused);
	tcase_add_test(t, a_speaker_checks_the_microphone_beside_the_channel);
	tcase_add_test(t, a_channel_is_no_session);
	tcase_add_test(t, an_account_without_credits_broadcasts_nothing);
	return s;
}
