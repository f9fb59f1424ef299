/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Final texts of a live channel that wait for a decision. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "ingest.h"
#include "killing.h"
#include "stream.h"
#include "talk.h"

/* Reads the messages that have come; none may be a text or sound. */
static void
hear_no_speech(const struct talk *h, double s)
{
	json_t *m;

	while ((m = hear_any(h->es, s)) != NULL)
		ck_assert_str_eq(text_at(m, "message_type"), "channel_state");
}

struct waiting {
	const struct talk *talk;
	int n;
};

static struct answer
held_of(const struct talk *h)
{
	struct answer a = ASK(.path = text("%s/held", h->path), .as = &h->owner);

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

	talk_say(h);
	ck_assert(becomes(has_held, &(const struct waiting){ h, n }, 20));
	a = held_of(h);
	return text(
	    "/held/%s", text_at(a.json, text("data.%d.transcription_id", n - 1)));
}

START_TEST(a_text_waits_and_none_of_it_is_sent_before)
{
	struct talk h = talk_open(",\"hold_seconds\":4");
	struct answer a;
	double began;
	json_t *m;

	hold_text(&h, 1);
	began = seconds();
	a = held_of(&h);
	ck_assert_str_eq(text_at(a.json, "data.0.text"), "hello world");
	ck_assert_str_eq(text_at(a.json, "data.0.language"), "en");
	ck_assert(json_is_null(at(a.json, "data.0.action")));
	m = hear_next(h.es, "translated_transcription", 20); /* no partial texts */
	ck_assert(seconds() > began + 2);
	ck_assert_str_eq(text_at(m, "transcription.text"), "[es] hello world");
	ck_assert_uint_gt(hear_speech(h.es, "es", 20).bytes, 0);
	ck_assert(becomes(has_held, &(const struct waiting){ &h, 0 }, 5));
}
END_TEST

START_TEST(people_pass_drop_and_replace_what_waits)
{
	struct talk h = talk_open(",\"hold_seconds\":20,\"blocked_words\":[\"idiot\"]");
	const char *first = hold_text(&h, 1), *second = hold_text(&h, 2),
		   *third = hold_text(&h, 3);
	double began = seconds();
	struct answer a;

	a = talk_change(&h, second, "{\"data\":{\"action\":\"drop\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.action"), "drop");
	a = talk_change(
	    &h, third, "{\"data\":{\"action\":\"text\",\"text\":\"Good day, idiot\"}}");
	EXPECT(a, 200);
	hear_no_speech(&h, 1); /* the first one is not decided */
	a = talk_change(&h, first, "{\"data\":{\"action\":\"pass\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(talk_text(&h, 5), "[es] hello world");
	ck_assert_str_eq(talk_text(&h, 5), "[es] Good day, " BULLETS);
	ck_assert(seconds() < began + 15);
	a = talk_change(&h, first, "{\"data\":{\"action\":\"drop\"}}");
	expect_problem(&a, 409, "line-sent");
	a = talk_change(
	    &h, "/held/0123456789abcdef", "{\"data\":{\"action\":\"drop\"}}");
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
	struct talk h = talk_open(",\"hold_seconds\":20");
	const char *it = hold_text(&h, 1);
	struct answer a;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		a = talk_change(&h, it, wrong[i].json);
		expect_problem(&a, 422, "validation-error");
		ck_assert_str_eq(text_at(a.json, "errors.0.pointer"), wrong[i].at);
	}
}
END_TEST

START_TEST(a_stop_drops_what_waits)
{
	struct talk h = talk_open(",\"hold_seconds\":3");
	struct answer a;

	hold_text(&h, 1);
	a = talk_change(&h, "/stop", NULL);
	EXPECT(a, 200);
	hear_no_speech(&h, 4);
	ck_assert(has_held(&(const struct waiting){ &h, 0 }));
	a = talk_change(&h, "/resume", NULL);
	EXPECT(a, 200);
	hear_state(h.es, "break", 5);
	talk_say(&h);
	ck_assert_str_eq(talk_text(&h, 20), "[es] hello world");
	hear_speech(h.es, "es", 20);
	hear_no_speech(&h, 3);
}
END_TEST

/* ---- where texts go ---- */

/* The text of the channel's HLS, its second output, in Spanish. */
static const char *
hls_text(const struct talk *h)
{
	struct answer a = ASK(.path = h->path, .as = &h->owner);
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
	    talk_open(text(",\"hold_seconds\":20,\"outputs\":[{\"protocol\":"
			   "\"captions_push\",\"lang_code\":\"es\",\"url\":"
			   "\"%s\"},{\"protocol\":\"hls_pull\","
			   "\"lang_codes\":[\"es\"]}]",
		ingest_begin()));
	FILE *peer = listener_by_webrtc(&h);
	const char *first = hold_text(&h, 1), *second = hold_text(&h, 2), *said;
	struct answer a;

	hear_no_speech(&h, 1);
	ck_assert_int_eq(ingest_total(), 0);
	ck_assert_uint_eq(json_array_size(talk_lines(&h, "original")), 0);
	a = talk_change(&h, first, "{\"data\":{\"action\":\"drop\"}}");
	EXPECT(a, 200);
	a = talk_change(
	    &h, second, "{\"data\":{\"action\":\"text\",\"text\":\"Kept\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(talk_text(&h, 5), "[es] Kept");
	said = messages_of(peer);
	ck_assert_ptr_nonnull(strstr(said, "[es] Kept"));
	ck_assert_ptr_null(strstr(said, "hello"));
	ck_assert(becomes(has_caption, NULL, 10));
	ck_assert_str_eq(ingest_text(0), "[es] Kept");
	ck_assert(becomes(talk_has_line, &h, 10));
	ck_assert_str_eq(text_at(talk_lines(&h, "es"), "0.text"), "[es] Kept");
	ck_assert_str_eq(text_at(talk_lines(&h, "original"), "0.text"), "Kept");
	ck_assert(becomes(hls_has_kept, &h, 40));
	ck_assert_ptr_null(strstr(hls_text(&h), "hello"));
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
	talk_connect(h);
}

START_TEST(a_killed_gateway_keeps_decisions_and_the_stop)
{
	struct talk h = talk_open(",\"hold_seconds\":20");
	const char *first = hold_text(&h, 1), *second = hold_text(&h, 2);
	struct answer a;

	a = talk_change(&h, first, "{\"data\":{\"action\":\"drop\"}}");
	EXPECT(a, 200);
	a = talk_change(
	    &h, second, "{\"data\":{\"action\":\"text\",\"text\":\"Kept\"}}");
	EXPECT(a, 200);
	kill_gateway(&h);
	talk_say(&h); /* the task begins, and finds the lines that waited */
	ck_assert_str_eq(talk_text(&h, 40), "[es] Kept");

	a = talk_change(&h, "/stop", NULL);
	EXPECT(a, 200);
	kill_gateway(&h);
	hear_state(h.es, "stopped", 5);
	talk_say(&h);
	hear_nothing(h.es, 4);
}
END_TEST

Suite *
held_kill_suite(void)
{
	TCase *t;
	Suite *s = suite_of("held-kill", NULL, &t);

	tcase_add_test(t, a_killed_gateway_keeps_decisions_and_the_stop);
	return s;
}

Suite *
held_suite(void)
{
	TCase *t;
	Suite *s = suite_of("held", NULL, &t);

	tcase_add_test(t, a_text_waits_and_none_of_it_is_sent_before);
	tcase_add_test(t, people_pass_drop_and_replace_what_waits);
	tcase_add_test(t, decisions_have_rules);
	tcase_add_test(t, a_stop_drops_what_waits);
	tcase_add_test(t, a_dropped_text_reaches_no_output);
	return s;
}
