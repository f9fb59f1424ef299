/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transcripts are stored, read, corrected during the event, and public. */
#include <string.h>

#include "cases.h"
#include "stream.h"

#define SAID "hello world" /* the script engine's text for every phrase */

static struct account me;

static void
before(void)
{
	me = account_new("transcripts");
}

struct talk {
	const char *event, *channel;
	struct ws *speaker, *es;
};

static struct talk
open_talk(const char *transcript)
{
	struct talk h;
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = text("{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
			 "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
			 "\"2036-12-02T08:00:00Z\",\"transcript\":\"%s\"}}",
		transcript));

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.transcript"), transcript);
	h.event = text_at(a.json, "data.event_id");
	a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\",\"name\":"
			 "\"Hall\",\"source_language\":\"en\",\"target_languages\":"
			 "[\"es\"]}}",
		h.event));
	EXPECT(a, 201);
	h.channel = text_at(a.json, "data.channel_id");
	h.speaker = stream_call(text("%s?token=%s", text_at(a.json, "data.input.url"),
				    text_at(a.json, "data.input.token")),
	    NULL);
	a = ASK(.path = text("/saas/v2/event/public/%s/join", h.event),
	    .json = "{\"data\":{\"language\":\"es\"}}");
	EXPECT(a, 201);
	h.es = stream_call(text("%s?token=%s", text_at(a.json, "data.ws_url"),
			       text_at(a.json, "data.token")),
	    NULL);
	return h;
}

static void
speak_once(const struct talk *h)
{
	send_sound(h->speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	hear(h->es, "translated_transcription", 20);
}

static struct answer
lines_of(const struct talk *h, const char *query)
{
	struct answer a =
	    ASK(.path = text("/saas/channel/%s/transcript%s", h->channel, query),
		.as = &me);

	EXPECT(a, 200);
	return a;
}

/* A repeated request for the file gets 304. */
static void
expect_known(const char *path, const struct account *who)
{
	struct answer a = ASK(.path = path, .as = who), again;

	EXPECT(a, 200);
	again = ASK(.path = path, .as = who,
	    .headers = { text("If-None-Match: %s", header_of(&a, "ETag")) });
	EXPECT(again, 304);
	ck_assert_uint_eq(again.n, 0);
}

static bool
is_kept(const void *talk)
{
	struct answer a = lines_of(talk, "?language=es");

	return int_at(a.json, "data.count") == 1;
}

START_TEST(a_correction_reaches_listeners_within_seconds)
{
	struct talk h = open_talk("organizer");
	const char *line;
	struct answer a;
	json_t *m;

	speak_once(&h);
	ck_assert(becomes(is_kept, &h, 20));
	a = lines_of(&h, "?language=es");
	ck_assert_str_eq(text_at(a.json, "data.items.0.text"), "[es] " SAID);
	line = text("/saas/channel/%s/transcript/%lld", h.channel,
	    (long long)json_integer_value(at(a.json, "data.items.0.line_id")));
	a = ASK(.method = "PATCH", .path = line, .as = &me,
	    .json = "{\"data\":{\"text\":\"\"}}");
	expect_problem(&a, 422, "validation-error");
	a = ASK(.method = "PATCH", .path = line, .as = &me,
	    .json = "{\"data\":{\"text\":\"Hola mundo\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.original_text"), "[es] " SAID);
	m = hear(h.es, "translated_transcription", 20);
	ck_assert(json_is_true(at(m, "transcription.corrected")));
	ck_assert_str_eq(text_at(m, "transcription.text"), "Hola mundo");
	ck_assert_str_eq(text_at(m, "transcription.transcription_id"),
	    text_at(a.json, "data.transcription_id"));
}
END_TEST

START_TEST(everybody_reads_what_is_public)
{
	struct talk h = open_talk("public");
	const char *path = text("/saas/v2/event/public/%s/transcript", h.event);
	struct answer a = ASK(.path = path);

	expect_problem(&a, 404, "resource-not-found");
	speak_once(&h);
	ck_assert(becomes(is_kept, &h, 20));
	a = ASK(.path = text("%s?language=es", path));
	EXPECT(a, 200);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "text/vtt; charset=utf-8");
	ck_assert_ptr_nonnull(strstr(a.body, "WEBVTT\nKind: captions\nLanguage: es\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "\n[es] " SAID "\n"));
	a = ASK(.path = text("/saas/v2/event/%s/transcript?format=csv", h.event),
	    .as = &me);
	EXPECT(a, 200);
	ck_assert_ptr_nonnull(strstr(a.body, "," SAID ",[es] " SAID "\r\n"));
	expect_known(text("%s?language=es", path), NULL);
	expect_known(text("/saas/v2/event/%s/transcript?format=csv", h.event), &me);
	expect_known(text("/saas/channel/%s/transcript?format=srt", h.channel), &me);
	a = ASK(.method = "DELETE",
	    .path = text("/saas/channel/%s/transcript", h.channel), .as = &me);
	EXPECT(a, 200);
	a = ASK(.path = path);
	expect_problem(&a, 404, "resource-not-found");
	a = ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", h.event),
	    .as = &me, .json = "{\"data\":{\"access_code\":\"FORUM26\"}}");
	EXPECT(a, 200);
	a = ASK(.path = path);
	expect_problem(&a, 403, "access-code-required");
}
END_TEST

static bool
is_public(const void *path)
{
	return ASK(.path = path).status == 200;
}

START_TEST(what_was_said_before_it_was_public_stays_with_the_organiser)
{
	struct talk h = open_talk("organizer");
	const char *path =
	    text("/saas/v2/event/public/%s/transcript?format=txt", h.event);
	struct answer a;

	speak_once(&h);
	ck_assert(becomes(is_kept, &h, 20));
	a = ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", h.event),
	    .as = &me, .json = "{\"data\":{\"transcript\":\"public\"}}");
	EXPECT(a, 200);
	a = ASK(.path = path);
	expect_problem(&a, 404, "resource-not-found");
	speak_once(&h);
	ck_assert(becomes(is_public, path, 20));
	a = ASK(.path = path);
	ck_assert_str_eq(a.body, SAID "\n");
	a = lines_of(&h, "?format=txt");
	ck_assert_str_eq(a.body, SAID "\n" SAID "\n");
}
END_TEST

Suite *
transcripts_suite(void)
{
	TCase *t;
	Suite *s = suite_of("transcripts", before, &t);

	tcase_add_test(t, a_correction_reaches_listeners_within_seconds);
	tcase_add_test(t, everybody_reads_what_is_public);
	tcase_add_test(t, what_was_said_before_it_was_public_stays_with_the_organiser);
	return s;
}
