/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "talk.h"

#include "stream.h"

void
talk_connect(struct talk *h)
{
	h->speaker = stream_call(h->speaker_url, NULL);
	h->es = stream_call(h->es_url, NULL);
}

struct talk
talk_open(const char *more)
{
	struct talk h = { .owner = account_new("talk") };
	struct answer a = ASK(.path = "/saas/v2/event", .as = &h.owner,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\",\"transcript\":\"organizer\"}}");

	EXPECT(a, 201);
	h.event = text_at(a.json, "data.event_id");
	a = ASK(.path = "/saas/channel", .as = &h.owner,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\",\"name\":"
			 "\"Hall\",\"source_language\":\"en\",\"target_languages\":"
			 "[\"es\"]%s}}",
		h.event, more));
	EXPECT(a, 201);
	h.channel = text_at(a.json, "data.channel_id");
	h.path = text("/saas/channel/%s", h.channel);
	h.speaker_url = text("%s?token=%s", text_at(a.json, "data.input.url"),
	    text_at(a.json, "data.input.token"));
	a = ASK(.path = text("/saas/v2/event/public/%s/join", h.event),
	    .json = "{\"data\":{\"language\":\"es\"}}");
	EXPECT(a, 201);
	h.token = text_at(a.json, "data.token");
	h.es_url = text("%s?token=%s", text_at(a.json, "data.ws_url"), h.token);
	h.webrtc_url = text_at(a.json, "data.webrtc_url");
	talk_connect(&h);
	return h;
}

void
talk_say(const struct talk *h)
{
	send_sound(h->speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
}

struct answer
talk_change(const struct talk *h, const char *how, const char *json)
{
	return how[0] == '/'
		   ? ASK(.method = "POST", .path = text("%s%s", h->path, how),
			 .as = &h->owner, .json = json)
		   : ASK(.method = how, .path = h->path, .as = &h->owner, .json = json);
}

const char *
talk_text(const struct talk *h, double s)
{
	return text_at(
	    hear(h->es, "translated_transcription", s), "transcription.text");
}

json_t *
talk_lines(const struct talk *h, const char *language)
{
	struct answer a =
	    ASK(.path = text("%s/transcript?language=%s", h->path, language),
		.as = &h->owner);

	EXPECT(a, 200);
	return at(a.json, "data.items");
}

bool
talk_has_line(const void *talk)
{
	return json_array_size(talk_lines(talk, "es")) == 1;
}
