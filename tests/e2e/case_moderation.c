/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moderation of a channel while it is live: blocked words, and a stop. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cases.h"
#include "ingest.h"
#include "killing.h"
#include "stream.h"

static struct account me;

/* Seconds on a clock that only goes forward. */
static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
before(void)
{
	me = account_new("moderation");
}

/* A channel that stands alone, its speaker and a listener in Spanish. */
struct talk {
	const char *channel, *path;
	const char *speaker_url, *es_url, *token, *webrtc_url;
	struct ws *speaker, *es;
};

static void
connect_to(struct talk *h)
{
	h->speaker = stream_call(h->speaker_url, NULL);
	h->es = stream_call(h->es_url, NULL);
}

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
	h.speaker_url = text("%s?token=%s", text_at(a.json, "data.input.url"),
	    text_at(a.json, "data.input.token"));
	a = ASK(.path = text("/saas/v2/event/public/%s/join", event),
	    .json = "{\"data\":{\"language\":\"es\"}}");
	EXPECT(a, 201);
	h.token = text_at(a.json, "data.token");
	h.es_url = text("%s?token=%s", text_at(a.json, "data.ws_url"), h.token);
	h.webrtc_url = text_at(a.json, "data.webrtc_url");
	connect_to(&h);
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

/* Reads the messages that have come; none may be a text or sound. */
static void
hear_no_speech(const struct talk *h, double s)
{
	json_t *m;

	while ((m = hear_any(h->es, s)) != NULL)
		ck_assert_str_eq(text_at(m, "message_type"), "channel_state");
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

START_TEST(nothing_goes_out_a_second_after_a_stop)
{
	struct talk h = open_talk("");
	double stopped, last;
	struct answer a;
	json_t *m;

	for (int i = 0; i < 6; i++)
		say_hello(&h);
	hear_text(&h, 20);
	a = change(&h, "/stop", NULL);
	EXPECT(a, 200);
	stopped = last = now_s();
	while ((m = hear_any(h.es, 3)) != NULL)
		last = now_s();
	ck_assert_double_lt(last, stopped + 1);
}
END_TEST

START_TEST(a_reader_may_not_stop_a_channel)
{
	struct talk h = open_talk("");
	struct account reader = account_limited(&me, "channels:read");
	struct answer a =
	    ASK(.method = "POST", .path = text("%s/stop", h.path), .as = &reader);

	expect_problem(&a, 403, "insufficient-scope");
}
END_TEST

/* ---- texts that wait ---- */

struct waiting {
	const struct talk *talk;
	int n;
};

static struct answer
held_of(const struct talk *h)
{
	struct answer a = ASK(.path = text("%s/held", h->path), .as = &me);

	EXPECT(a, 200);
	return a;
}

static bool
has_held(const void *waiting)
{
	const struct waiting *w = waiting;
	struct answer a = held_of(w->talk);

	return (int)json_array_size(at(a.json, "data")) == w->n;
}

/* Says a phrase, and waits until the n-th text is held; returns its address. */
static const char *
hold_text(const struct talk *h, int n)
{
	struct answer a;

	say_hello(h);
	ck_assert(becomes(has_held, &(const struct waiting){ h, n }, 20));
	a = held_of(h);
	return text(
	    "/held/%s", text_at(a.json, text("data.%d.transcription_id", n - 1)));
}

START_TEST(a_text_waits_and_nothing_of_it_is_told_before)
{
	struct talk h = open_talk(",\"hold_seconds\":4");
	struct answer a;
	double began;
	json_t *m;

	hold_text(&h, 1);
	began = now_s();
	a = held_of(&h);
	ck_assert_str_eq(text_at(a.json, "data.0.text"), "hello world");
	ck_assert_str_eq(text_at(a.json, "data.0.language"), "en");
	ck_assert(json_is_null(at(a.json, "data.0.action")));
	m = hear_next(h.es, "translated_transcription", 20); /* no partial texts */
	ck_assert(now_s() > began + 2);
	ck_assert_str_eq(text_at(m, "transcription.text"), "[es] hello world");
	ck_assert_uint_gt(hear_speech(h.es, "es", 20).bytes, 0);
	ck_assert(becomes(has_held, &(const struct waiting){ &h, 0 }, 5));
}
END_TEST

START_TEST(people_pass_drop_and_replace_what_waits)
{
	struct talk h = open_talk(",\"hold_seconds\":20,\"blocked_words\":[\"idiot\"]");
	const char *first = hold_text(&h, 1), *second = hold_text(&h, 2),
		   *third = hold_text(&h, 3);
	double began = now_s();
	struct answer a;

	a = change(&h, second, "{\"data\":{\"action\":\"drop\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.action"), "drop");
	a = change(
	    &h, third, "{\"data\":{\"action\":\"text\",\"text\":\"Good day, idiot\"}}");
	EXPECT(a, 200);
	hear_no_speech(&h, 1); /* the first one is not decided */
	a = change(&h, first, "{\"data\":{\"action\":\"pass\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(hear_text(&h, 5), "[es] hello world");
	ck_assert_str_eq(hear_text(&h, 5), "[es] Good day, " BULLETS);
	ck_assert(now_s() < began + 15);
	a = change(&h, first, "{\"data\":{\"action\":\"drop\"}}");
	expect_problem(&a, 409, "line-sent");
	a = change(&h, "/held/0123456789abcdef", "{\"data\":{\"action\":\"drop\"}}");
	expect_problem(&a, 404, "resource-not-found");
}
END_TEST

START_TEST(decisions_have_rules)
{
	static const struct {
		const char *json, *at;
	} wrong[] = {
		{ "{\"data\":{}}", "/data/action" },
		{ "{\"data\":{\"action\":\"hide\"}}", "/data/action" },
		{ "{\"data\":{\"action\":\"text\"}}", "/data/text" },
		{ "{\"data\":{\"action\":\"text\",\"text\":\"\"}}", "/data/text" },
		{ "{\"data\":{\"action\":\"drop\",\"text\":\"a\"}}", "/data/text" },
	};
	struct talk h = open_talk(",\"hold_seconds\":20");
	const char *it = hold_text(&h, 1);
	struct answer a;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		a = change(&h, it, wrong[i].json);
		expect_problem(&a, 422, "validation-error");
		ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), wrong[i].at);
	}
}
END_TEST

START_TEST(a_stop_drops_what_waits)
{
	struct talk h = open_talk(",\"hold_seconds\":3");
	struct answer a;

	hold_text(&h, 1);
	a = change(&h, "/stop", NULL);
	EXPECT(a, 200);
	hear_no_speech(&h, 4);
	ck_assert(has_held(&(const struct waiting){ &h, 0 }));
	a = change(&h, "/resume", NULL);
	EXPECT(a, 200);
	hear_state(h.es, "break", 5);
	say_hello(&h);
	ck_assert_str_eq(hear_text(&h, 20), "[es] hello world");
	hear_speech(h.es, "es", 20);
	hear_no_speech(&h, 3);
}
END_TEST

/* ---- where texts go ---- */

/* The lines of the transcript in a language. */
static json_t *
lines_of(const struct talk *h, const char *language)
{
	struct answer a =
	    ASK(.path = text("%s/transcript?language=%s", h->path, language),
		.as = &me);

	EXPECT(a, 200);
	return at(a.json, "data.items");
}

static bool
has_line(const void *talk)
{
	return json_array_size(lines_of(talk, "es")) == 1;
}

/* The text of the channel's HLS, its second output, in Spanish. */
static const char *
hls_text(const struct talk *h)
{
	struct answer a = ASK(.path = h->path, .as = &me);
	const char *index = strstr(text_at(a.json, "data.outputs.1.url"), "/hls/");
	const char *all = "", *row;

	ck_assert_ptr_nonnull(index);
	index = text("%.*s", (int)(strrchr(index, '/') + 1 - index), index);
	a = ASK(.path = text("%ses-text.m3u8", index));
	for (row = a.status == 200 ? a.body : ""; *row != '\0';
	     row += strcspn(row, "\n") + (strchr(row, '\n') != NULL))
		if (*row != '#' && *row != '\n')
			all = text("%s%s", all,
			    ASK(.path =
				    text("%s%.*s", index, (int)strcspn(row, "\n"), row))
				.body);
	return all;
}

static bool
hls_has_kept(const void *talk)
{
	return strstr(hls_text(talk), "[es] Kept") != NULL;
}

static bool
has_caption(const void *unused)
{
	(void)unused;
	return ingest_total() == 1;
}

/* A listener by WebRTC, which ends after its first text and sound. */
static FILE *
listener_by_webrtc(const struct talk *h)
{
	FILE *f = popen(text("exec %s --seconds 60 --listen-only --until 1,1 %s %s",
			    getenv("E2E_WEBRTC_CLIENT"), h->webrtc_url, h->token),
	    "r");

	ck_assert_ptr_nonnull(f);
	return f;
}

/* Reads all messages of that listener. */
static const char *
messages_of(FILE *f)
{
	const char *all = "";
	char line[8192];

	while (fgets(line, sizeof(line), f) != NULL)
		all = text("%s%s", all, line);
	ck_assert_int_eq(pclose(f), 0);
	return all;
}

START_TEST(a_dropped_text_reaches_no_output)
{
	struct talk h =
	    open_talk(text(",\"hold_seconds\":20,\"outputs\":[{\"protocol\":"
			   "\"captions_push\",\"lang_code\":\"es\",\"url\":"
			   "\"%s\"},{\"protocol\":\"hls_pull\","
			   "\"lang_codes\":[\"es\"]}]",
		ingest_begin()));
	FILE *peer = listener_by_webrtc(&h);
	const char *first = hold_text(&h, 1), *second = hold_text(&h, 2), *said;
	struct answer a;

	hear_no_speech(&h, 1);
	ck_assert_int_eq(ingest_total(), 0);
	ck_assert_uint_eq(json_array_size(lines_of(&h, "original")), 0);
	a = change(&h, first, "{\"data\":{\"action\":\"drop\"}}");
	EXPECT(a, 200);
	a = change(&h, second, "{\"data\":{\"action\":\"text\",\"text\":\"Kept\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(hear_text(&h, 5), "[es] Kept");
	said = messages_of(peer);
	ck_assert_ptr_nonnull(strstr(said, "[es] Kept"));
	ck_assert_ptr_null(strstr(said, "hello"));
	ck_assert(becomes(has_caption, NULL, 10));
	ck_assert_str_eq(ingest_text(0), "[es] Kept");
	ck_assert(becomes(has_line, &h, 10));
	ck_assert_str_eq(text_at(lines_of(&h, "es"), "0.text"), "[es] Kept");
	ck_assert_str_eq(text_at(lines_of(&h, "original"), "0.text"), "Kept");
	ck_assert(becomes(hls_has_kept, &h, 40));
	ck_assert_ptr_null(strstr(hls_text(&h), "hello"));
}
END_TEST

START_TEST(corrections_are_masked)
{
	struct talk h = open_talk(",\"blocked_words\":[\"idiot\"]");
	struct answer a;

	say_hello(&h);
	ck_assert(becomes(has_line, &h, 20));
	a = ASK(.method = "PATCH",
	    .path = text("%s/transcript/%lld", h.path,
		(long long)json_integer_value(at(lines_of(&h, "es"), "0.line_id"))),
	    .as = &me, .json = "{\"data\":{\"text\":\"Hola, Idiot!\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.text"), "Hola, " BULLETS "!");
	while (strcmp(hear_text(&h, 10), "Hola, " BULLETS "!") != 0)
		;
}
END_TEST

/* ---- a gateway that is killed ---- */

static bool
gateway_answers(const void *unused)
{
	struct answer a = ASK(.path = "/streaming-api/health");

	(void)unused;
	return a.status == 200;
}

static void
kill_gateway(struct talk *h)
{
	ck_assert_int_eq(worker_signal("gateway", SIGKILL), 1);
	ck_assert(becomes(gateway_answers, NULL, 20));
	connect_to(h);
}

START_TEST(a_killed_gateway_keeps_decisions_and_the_stop)
{
	struct talk h = open_talk(",\"hold_seconds\":20");
	const char *first = hold_text(&h, 1), *second = hold_text(&h, 2);
	struct answer a;

	a = change(&h, first, "{\"data\":{\"action\":\"drop\"}}");
	EXPECT(a, 200);
	a = change(&h, second, "{\"data\":{\"action\":\"text\",\"text\":\"Kept\"}}");
	EXPECT(a, 200);
	kill_gateway(&h);
	say_hello(&h); /* the task begins, and finds the lines that waited */
	ck_assert_str_eq(hear_text(&h, 40), "[es] Kept");

	a = change(&h, "/stop", NULL);
	EXPECT(a, 200);
	kill_gateway(&h);
	hear_state(h.es, "stopped", 5);
	say_hello(&h);
	hear_nothing(h.es, 4);
}
END_TEST

Suite *
moderation_kill_suite(void)
{
	TCase *t;
	Suite *s = suite_of("moderated-kill", before, &t);

	tcase_add_test(t, a_killed_gateway_keeps_decisions_and_the_stop);
	return s;
}

Suite *
moderation_suite(void)
{
	TCase *t;
	Suite *s = suite_of("moderated", before, &t);

	tcase_add_test(t, blocked_words_are_masked_and_not_spoken);
	tcase_add_test(t, lists_of_words_have_rules);
	tcase_add_test(t, a_stop_is_heard_within_a_second);
	tcase_add_test(t, a_text_waits_and_nothing_of_it_is_told_before);
	tcase_add_test(t, people_pass_drop_and_replace_what_waits);
	tcase_add_test(t, decisions_have_rules);
	tcase_add_test(t, a_stop_drops_what_waits);
	tcase_add_test(t, nothing_goes_out_a_second_after_a_stop);
	tcase_add_test(t, a_reader_may_not_stop_a_channel);
	tcase_add_test(t, a_dropped_text_reaches_no_output);
	tcase_add_test(t, corrections_are_masked);
	return s;
}
