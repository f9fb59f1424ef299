/* What organisers ask for while their event runs. */
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

/* ---- who speaks ---- */

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
	a = ASK(.method = "POST", .path = path, .as = &me);
	EXPECT(a, 200);
	hear_error(speaker, "SESSION_CLOSED", 10);
	refused = stream_refused(old, NULL, NULL);
	EXPECT(refused, 401);
}
END_TEST

Suite *
live_suite(void)
{
	TCase *t;
	Suite *s = suite_of("live", before, &t);

	tcase_add_test(t, a_new_speaker_token_cuts_off_those_before);
	return s;
}
