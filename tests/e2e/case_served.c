/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A language that no engine of this instance serves (Welsh, see tests/e2e/run), and one
 * that none speaks (Icelandic), from the organiser to the listeners.
 */
#include <string.h>

#include "cases.h"
#include "stream.h"

#define SOON_S 70 /* the worker asks the engines every minute */

static struct account me;

/* ---- an event and its channel ---- */

struct broadcast {
	const char *event, *channel, *url, *token;
};

static const char *
hold_event(const char *mode)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json =
		text("{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		     "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		     "\"2036-12-02T08:00:00Z\",\"target_languages\":[\"es\",\"cy\"],"
		     "\"listener_language_mode\":\"%s\"}}",
		    mode));

	EXPECT(a, 201);
	return text_at(a.json, "data.event_id");
}

static struct answer
add_channel(const char *event, const char *targets)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":%s}}",
		event, targets));

	EXPECT(a, 201);
	return a;
}

static struct broadcast
open_broadcast(const char *mode, const char *targets)
{
	struct broadcast h = { .event = hold_event(mode) };
	struct answer a = add_channel(h.event, targets);

	h.channel = text_at(a.json, "data.channel_id");
	h.url = text_at(a.json, "data.input.url");
	h.token = text_at(a.json, "data.input.token");
	return h;
}

static struct answer
read_channel(const struct broadcast *h)
{
	return ASK(.path = text("/saas/channel/%s", h->channel), .as = &me);
}

static bool
is_known(const void *broadcast)
{
	struct answer a;
	struct broadcast h = *(const struct broadcast *)broadcast;

	a = add_channel(h.event, "[\"cy\"]");
	return count_at(a.json, "data.warnings") > 0;
}

static void
before(void)
{
	struct broadcast h;

	me = account_new("served");
	h.event = hold_event("off");
	ck_assert_msg(becomes(is_known, &h, SOON_S), "the engines were not asked");
}

/* ---- answers to the organiser ---- */

static void
expect_warning(const struct answer *a, int i, const char *slug, const char *detail)
{
	const char *w = text("data.warnings.%d", i);

	ck_assert_str_eq(text_at(a->json, text("%s.type", w)),
	    text("%s/problems/%s", instance()->base_url, slug));
	ck_assert_str_eq(text_at(a->json, text("%s.detail", w)), detail);
	ck_assert_int_eq(int_at(a->json, text("%s.status", w)), 503);
	ck_assert_str_eq(text_at(a->json, text("%s.instance", w)),
	    text("urn:uuid:%s", text_at(a->json, "data.channel_id")));
}

START_TEST(a_channel_is_told_what_engines_lack_of_its_languages)
{
	struct broadcast h = open_broadcast("off", "[\"es\",\"cy\",\"is\"]");
	struct answer a = read_channel(&h);

	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "ready");
	ck_assert_uint_eq(count_at(a.json, "data.warnings"), 2);
	expect_warning(
	    &a, 0, "language-not-served", "No engine translates from en into cy.");
	expect_warning(
	    &a, 1, "language-without-speech", "No engine speaks is: it is text only.");
	a = ASK(.method = "PATCH", .path = text("/saas/channel/%s", h.channel),
	    .as = &me, .json = "{\"data\":{\"target_languages\":[\"es\"]}}");
	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, "data.warnings"), 0);
	a = ASK(.path = "/problems/language-not-served");
	EXPECT(a, 200);
	a = ASK(.path = "/problems/language-without-speech");
	EXPECT(a, 200);
}
END_TEST

/* ---- what listeners know ---- */

static struct answer
at_event(const struct broadcast *h, const char *path, const char *json)
{
	return ASK(.path = text("/saas/v2/event/public/%s%s", h->event, path),
	    .json = json);
}

#define CHANNEL "data.stages.0.channels.0"

START_TEST(listeners_know_only_what_is_served)
{
	struct broadcast h = open_broadcast("off", "[\"cy\",\"es\",\"is\"]");
	struct answer a = ASK(.path = text("/saas/v2/event/public/%s", h.event));

	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, CHANNEL ".target_languages"), 2);
	ck_assert_str_eq(text_at(a.json, CHANNEL ".target_languages.0"), "es");
	ck_assert_str_eq(text_at(a.json, CHANNEL ".target_languages.1"), "is");
	ck_assert_uint_eq(count_at(a.json, "data.target_languages"), 1);
	ck_assert_str_eq(text_at(a.json, "data.target_languages.0"), "es");
	a = at_event(&h, "/join", "{\"data\":{\"language\":\"cy\"}}");
	expect_problem(&a, 409, "language-not-available");
	a = at_event(&h, "/join", "{\"data\":{\"language\":\"is\"}}");
	EXPECT(a, 201);
	a = at_event(&h, "/join", "{\"data\":{\"language\":\"original\"}}");
	EXPECT(a, 201);
}
END_TEST

static struct answer
want(const struct broadcast *h, const char *language)
{
	return at_event(h, "/requests",
	    text("{\"data\":{\"type\":\"add_language\",\"payload\":{\"language\":"
		 "\"%s\"}}}",
		language));
}

START_TEST(strangers_do_not_add_what_is_not_served)
{
	struct broadcast h = open_broadcast("auto", "[\"es\"]");
	struct answer a = want(&h, "cy");

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.status"), "pending");
	ck_assert(json_is_false(at(a.json, "data.served")));
	a = want(&h, "fr");
	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.status"), "approved");
	ck_assert(json_is_true(at(a.json, "data.served")));
	a = ASK(.path = text("/saas/v2/event/%s/requests", h.event), .as = &me);
	EXPECT(a, 200);
	ck_assert_uint_eq(count_at(a.json, "data.requests"), 1);
	ck_assert_str_eq(text_at(a.json, "data.requests.0.payload.language"), "cy");
	ck_assert(json_is_false(at(a.json, "data.requests.0.served")));
	a = ASK(.method = "POST", .as = &me,
	    .path = text("/saas/v2/event/%s/requests/%s/approve", h.event,
		text_at(a.json, "data.requests.0.request_id")));
	EXPECT(a, 200);
	ck_assert(json_is_false(at(a.json, "data.served")));
}
END_TEST

/* ---- sound of listeners ---- */

static struct ws *
listener_of(const struct broadcast *h, const char *language)
{
	struct answer a =
	    at_event(h, "/join", text("{\"data\":{\"language\":\"%s\"}}", language));

	EXPECT(a, 201);
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

static const char *
said_next(struct ws *ws)
{
	return text_at(hear(ws, "translated_transcription", 10), "transcription.text");
}

static bool
tells_what_is_left_out(const void *broadcast)
{
	struct answer a = read_channel(broadcast);
	const json_t *error = at(a.json, "data.error");

	return json_is_string(error) &&
	       strcmp(json_string_value(error),
		   "No engine translates from en into cy.") == 0 &&
	       strcmp(text_at(a.json, "data.runtime_status"), "active") == 0;
}

START_TEST(what_is_served_is_heard_beside_what_is_not)
{
	struct broadcast h = open_broadcast("off", "[\"cy\",\"es\",\"is\"]");
	struct ws *es = listener_of(&h, "es"), *is = listener_of(&h, "is"),
		  *speaker = stream_call(text("%s?token=%s", h.url, h.token), NULL);

	speak_24k(speaker);
	ck_assert_str_eq(said_next(es), "[es] hello world");
	ck_assert_uint_gt(hear_speech(es, "es", 10).bytes, 9600);
	ck_assert_str_eq(said_next(is), "[is] hello world");
	ck_assert(becomes(tells_what_is_left_out, &h, 10));
}
END_TEST

static bool
has_failed(const void *broadcast)
{
	struct answer a = read_channel(broadcast);

	return strcmp(text_at(a.json, "data.runtime_status"), "failed") == 0;
}

START_TEST(a_channel_without_any_that_is_served_fails_with_the_reason)
{
	struct broadcast h = open_broadcast("off", "[\"cy\"]");
	struct ws *speaker = stream_call(text("%s?token=%s", h.url, h.token), NULL);
	struct answer a;

	speak_24k(speaker);
	hear_error(speaker, "VALIDATION_ERROR", 10);
	ck_assert(becomes(has_failed, &h, 10));
	a = read_channel(&h);
	ck_assert_str_eq(
	    text_at(a.json, "data.error"), "No engine translates from en into cy.");
}
END_TEST

Suite *
served_suite(void)
{
	TCase *t;
	Suite *s = suite_of("served", before, &t);

	tcase_add_test(t, a_channel_is_told_what_engines_lack_of_its_languages);
	tcase_add_test(t, listeners_know_only_what_is_served);
	tcase_add_test(t, strangers_do_not_add_what_is_not_served);
	tcase_add_test(t, what_is_served_is_heard_beside_what_is_not);
	tcase_add_test(t, a_channel_without_any_that_is_served_fails_with_the_reason);
	return s;
}
