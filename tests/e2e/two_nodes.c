/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "two_nodes.h"

#include <stdlib.h>
#include <string.h>

struct two_nodes two_nodes;

void
two_nodes_open(void)
{
	json_t *j = json_loads(getenv("E2E_OTHER") ? getenv("E2E_OTHER") : "", 0, NULL);

	ck_assert_msg(j != NULL, "there is no second instance, see tests/e2e/run");
	two_nodes.bases[0] = instance()->base_url;
	two_nodes.bases[1] = text_at(j, "base_url");
	two_nodes.other_dir = text_at(j, "dir");
	two_nodes.me = account_new("two nodes");
	account_plan(&two_nodes.me, "--parallel_sessions", "0");
}

/* Returns which of the two nodes a socket's address belongs to. */
int
node_of(const char *url)
{
	for (int i = 0; i < 2; i++)
		if (strncmp(url + strlen("ws"), two_nodes.bases[i] + strlen("http"),
			strlen(two_nodes.bases[i]) - strlen("http")) == 0)
			return i;
	ck_abort_msg("%s is at no node", url);
	return -1;
}

/* Sends the request to the other node. */
const char *
elsewhere(const char *url)
{
	int at = node_of(url);

	return text("ws%s%s", two_nodes.bases[!at] + strlen("http"),
	    url + strlen("ws") + strlen(two_nodes.bases[at]) - strlen("http"));
}

bool
is_well(const void *base)
{
	struct answer a = ASK(.path = text("%s/health", (const char *)base));

	return a.status == 200 && strcmp(text_at(a.json, "data.status"), "ok") == 0;
}

/* ---- a channel ---- */

struct broadcast
broadcast_new(const char *event)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &two_nodes.me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":[\"es\"]}}",
		event));

	EXPECT(a, 201);
	return (struct broadcast){ event, text_at(a.json, "data.channel_id"),
		text_at(a.json, "data.input.url"),
		text_at(a.json, "data.input.token") };
}

struct broadcast
broadcast_at(int node)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &two_nodes.me,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\"}}");
	const char *event;
	struct broadcast h;

	EXPECT(a, 201);
	event = text_at(a.json, "data.event_id");
	for (int i = 0; i < TRIES; i++) {
		h = broadcast_new(event);
		if (node_of(h.url) == node)
			return h;
		a = ASK(.method = "DELETE", .as = &two_nodes.me,
		    .path = text("/saas/channel/%s", h.channel));
		EXPECT(a, 200);
	}
	ck_abort_msg("no channel was placed at %s", two_nodes.bases[node]);
	return h;
}

/* Creates a session at this node; returns the address of the socket, with its token. */
const char *
join(const struct broadcast *h, int asked)
{
	struct answer a = ASK(.path = text("%s/saas/v2/event/public/%s/join",
				  two_nodes.bases[asked], h->event),
	    .json = "{\"data\":{\"language\":\"es\"}}");

	EXPECT(a, 201);
	return text("%s?token=%s", text_at(a.json, "data.ws_url"),
	    text_at(a.json, "data.token"));
}

struct ws *
speaker_of(const char *url, const struct broadcast *h)
{
	return stream_call(text("%s?token=%s", url, h->token), NULL);
}

void
is_heard(struct ws *speaker, struct ws *listener)
{
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	ck_assert_str_eq(text_at(hear(listener, "translated_transcription", 10),
			     "transcription.text"),
	    "[es] hello world");
	ck_assert_uint_gt(hear_speech(listener, "es", 10).bytes, 9600);
}

const char *
id_of(int node)
{
	struct answer a = ASK(.path = text("%s/health", two_nodes.bases[node]));

	EXPECT(a, 200);
	return text_at(a.json, "data.node");
}
