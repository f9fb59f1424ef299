/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The organiser's view of a running event. */
#include <string.h>

#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("live");
}

struct broadcast {
	const char *event, *channel, *url, *token;
};

static struct broadcast
open_broadcast(void)
{
	struct broadcast h;
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\"}}");

	EXPECT(a, 201);
	h.event = text_at(a.json, "data.event_id");
	a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":[\"es\",\"fr\"]}}",
		h.event));
	EXPECT(a, 201);
	h.channel = text_at(a.json, "data.channel_id");
	h.url = text_at(a.json, "data.input.url");
	h.token = text_at(a.json, "data.input.token");
	return h;
}

static struct answer
join_as(const struct broadcast *h, const char *language, const char *kind)
{
	struct answer a = ASK(.path = text("/saas/v2/event/public/%s/join", h->event),
	    .json = text(
		"{\"data\":{\"language\":\"%s\",\"kind\":\"%s\"}}", language, kind));

	EXPECT(a, 201);
	return a;
}

static struct ws *
listen_as(const struct broadcast *h, const char *language, const char *kind)
{
	struct answer a = join_as(h, language, kind);

	return stream_call(text("%s?token=%s", text_at(a.json, "data.ws_url"),
			       text_at(a.json, "data.token")),
	    NULL);
}

static struct answer
stats_of(const struct broadcast *h)
{
	struct answer a =
	    ASK(.path = text("/saas/v2/event/%s/stats", h->event), .as = &me);

	EXPECT(a, 200);
	return a;
}

/* ---- speakers ---- */

static const char *
link_of(const char *url, const char *token)
{
	return text("%s?token=%s", url, token);
}

START_TEST(a_new_speaker_token_cuts_off_those_before)
{
	struct broadcast h = open_broadcast();
	const char *path = text("/saas/channel/%s/speaker-token", h.channel), *old;
	struct ws *speaker = stream_call(link_of(h.url, h.token), NULL);
	struct answer a = ASK(.method = "POST", .path = path, .as = &me), refused;

	EXPECT(a, 200);
	hear_error(speaker, "SESSION_CLOSED", 10);
	ck_assert_str_eq(hear_close(speaker, 1008, 5, NULL), "SESSION_CLOSED");
	refused = stream_refused(link_of(h.url, h.token), NULL, NULL);
	EXPECT(refused, 401);
	old = link_of(text_at(a.json, "data.url"), text_at(a.json, "data.token"));
	speaker = stream_call(old, NULL);
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	hear(speaker, "validated_transcription", 5);
	a = ASK(.path = path, .as = &me);
	EXPECT(a, 200);
	ck_assert_str_eq(
	    link_of(text_at(a.json, "data.url"), text_at(a.json, "data.token")), old);
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	hear(speaker, "validated_transcription", 7);
	a = ASK(.method = "POST", .path = path, .as = &me);
	EXPECT(a, 200);
	hear_error(speaker, "SESSION_CLOSED", 10);
	refused = stream_refused(old, NULL, NULL);
	EXPECT(refused, 401);
}
END_TEST

/* Returns the answer to a visit of the link's short address. */
static struct answer
visit(const struct answer *link)
{
	return ASK(.path = strstr(text_at(link->json, "data.short_url"), "/s/"));
}

START_TEST(a_short_address_opens_the_page_until_there_is_a_new_one)
{
	struct broadcast h = open_broadcast();
	const char *path = text("/saas/channel/%s/speaker-token", h.channel);
	struct answer was = ASK(.path = path, .as = &me), next, a;

	EXPECT(was, 200);
	ck_assert_int_eq(
	    strncmp(text_at(was.json, "data.short_url"),
		text("%s/s/", instance()->base_url), strlen(instance()->base_url) + 3),
	    0);
	a = visit(&was);
	EXPECT(a, 302);
	ck_assert_str_eq(header_of(&a, "Cache-Control"), "no-store");
	ck_assert_ptr_nonnull(strstr(header_of(&a, "Location"), "/speak/#ws_url="));
	ck_assert_ptr_nonnull(
	    strstr(header_of(&a, "Location"), text_at(was.json, "data.token")));
	next = ASK(.method = "POST", .path = path, .as = &me);
	EXPECT(next, 200);
	a = visit(&was);
	EXPECT(a, 404);
	ck_assert_str_eq(header_of(&a, "Content-Type"), "text/html; charset=utf-8");
	a = visit(&next);
	EXPECT(a, 302);
	ck_assert_ptr_nonnull(
	    strstr(header_of(&a, "Location"), text_at(next.json, "data.token")));
}
END_TEST

/* ---- listeners ---- */

START_TEST(screens_and_previews_hear_but_are_no_participants)
{
	struct broadcast h = open_broadcast();
	struct ws *screen = listen_as(&h, "es", "screen"),
		  *preview = listen_as(&h, "original", "preview"),
		  *speaker = stream_call(link_of(h.url, h.token), NULL);
	struct answer a;

	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	hear(screen, "translated_transcription", 10);
	hear(preview, "validated_transcription", 10);
	say(screen, "set_language", "{\"language\":\"fr\"}");
	join_as(&h, "es", "listener");
	a = stats_of(&h);
	ck_assert_int_eq(int_at(a.json, "data.participants_count"), 1);
	ck_assert_int_eq(int_at(a.json, "data.consumed_languages_count"), 1);
}
END_TEST

/* Reads the current number of listeners from the statistics. */
struct audience {
	const struct broadcast *h;
	int listeners;
	const char *by_channel; /* JSON with $ in place of the channel */
};

static const char *
compact(const json_t *v)
{
	return json_dumps(v, JSON_COMPACT);
}

static bool
is_told(const void *audience)
{
	const struct audience *want = audience;
	struct answer a = stats_of(want->h);
	json_t *row;
	size_t i;

	json_array_foreach(at(a.json, "data.now.by_channel"), i,
	    row) if (strcmp(text_at(row, "channel_id"), want->h->channel) == 0)
	    json_object_set_new(row, "channel_id", json_string("$"));
	return int_at(a.json, "data.now.listeners") == want->listeners &&
	       strcmp(compact(at(a.json, "data.now.by_channel")), want->by_channel) ==
		   0;
}

static void
await_audience(const struct broadcast *h, int listeners, const char *by_channel)
{
	const struct audience want = { h, listeners, by_channel };

	ck_assert_msg(becomes(is_told, &want, 5), "wanted %s, got %s", by_channel,
	    compact(at(stats_of(h).json, "data.now")));
}

#define ROW(language, n)                                                               \
	"{\"channel_id\":\"$\",\"language\":\"" language "\",\"listeners\":" #n "}"

START_TEST(the_organiser_knows_present_listeners)
{
	struct broadcast h = open_broadcast();
	struct ws *es = listen_as(&h, "es", "listener");

	await_audience(&h, 1, "[" ROW("es", 1) "]");
	listen_as(&h, "fr", "listener");
	listen_as(&h, "original", "listener");
	listen_as(&h, "fr", "screen");
	say(es, "set_language", "{\"language\":\"fr\"}");
	await_audience(&h, 3, "[" ROW("fr", 2) "," ROW("original", 1) "]");
	ws_drop(es);
	await_audience(&h, 2, "[" ROW("fr", 1) "," ROW("original", 1) "]");
}
END_TEST

/* Members of the current task. */
static const char *
told_to(struct ws *speaker, const char *wish)
{
	const json_t *task;

	say(speaker, "get_task", wish);
	task = hear(speaker, "current_task", 2);
	return at(task, "listeners") == NULL ? NULL : compact(at(task, "listeners"));
}

START_TEST(the_speaker_is_told_of_listeners)
{
	struct broadcast h = open_broadcast();
	struct ws *speaker = stream_call(link_of(h.url, h.token), NULL), *es;

	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	hear(speaker, "validated_transcription", 10);
	ck_assert_str_eq(told_to(speaker, "{}"), "{}");
	es = listen_as(&h, "es", "listener");
	listen_as(&h, "fr", "listener");
	listen_as(&h, "fr", "screen");
	listen_as(&h, "original", "listener");
	ck_assert_str_eq(told_to(speaker, "{}"), "{\"es\":1,\"fr\":1,\"original\":1}");
	ck_assert_ptr_null(told_to(speaker, "{\"exclude_hidden\":true}"));
	say(es, "get_task", "{}");
	ck_assert_ptr_null(at(hear(es, "current_task", 2), "listeners"));
}
END_TEST

static bool
both_are_told(const void *broadcast)
{
	const struct broadcast *h = broadcast;
	struct answer a =
	    ASK(.path = text("/saas/v2/event/%s/stats/series?step=3600", h->event),
		.as = &me);

	EXPECT(a, 200);
	return count_at(a.json, "data") > 0 &&
	       strcmp(text_at(a.json, "data.0.language"), "es") == 0 &&
	       int_at(a.json, "data.0.listeners") == 2;
}

START_TEST(the_organiser_knows_past_listeners_by_the_minute)
{
	struct broadcast h = open_broadcast();
	struct answer a;

	listen_as(&h, "es", "listener");
	listen_as(&h, "es", "listener");
	ck_assert(becomes(both_are_told, &h, 5));
	a = ASK(.path = text("/saas/v2/event/%s/stats/series?step=59", h.event),
	    .as = &me);
	expect_problem(&a, 422, "validation-error");
}
END_TEST

Suite *
live_suite(void)
{
	TCase *t;
	Suite *s = suite_of("live", before, &t);

	tcase_add_test(t, a_new_speaker_token_cuts_off_those_before);
	tcase_add_test(t, a_short_address_opens_the_page_until_there_is_a_new_one);
	tcase_add_test(t, screens_and_previews_hear_but_are_no_participants);
	tcase_add_test(t, the_organiser_knows_present_listeners);
	tcase_add_test(t, the_speaker_is_told_of_listeners);
	tcase_add_test(t, the_organiser_knows_past_listeners_by_the_minute);
	return s;
}
