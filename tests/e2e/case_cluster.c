/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two hosts that NATS joins: each serves the listeners and speakers of every channel.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "db/db.h"
#include "killing.h"
#include "two_nodes.h"

static const char *
with(const char *url, const char *query)
{
	return text("%s%s", url, query);
}

static bool
ends_speech(const json_t *message)
{
	return strcmp(text_at(message, "message_type"), "output_audio_data") == 0 &&
	       json_is_true(at(message, "data.last_chunk"));
}

/*
 * Speaks until the listener hears a whole phrase.  The owner learns what the listeners
 * of another node want a moment after they have connected.
 */
static void
is_heard_soon(struct ws *speaker, struct ws *listener)
{
	double end = seconds() + 20 * PATIENCE;
	json_t *j;

	do {
		send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
		    tone_then_silence(24000, 0.6, 1.0));
		while ((j = hear_any(listener, 1)) != NULL)
			if (ends_speech(j))
				return;
	} while (seconds() < end);
	ck_abort_msg("nothing is heard");
}

/*
 * Connects a listener that does not miss the next phrase; another one has then heard
 * all that has been said.
 */
static struct ws *
tuned_in(const char *url, struct ws *speaker, struct ws *other)
{
	struct ws *listener = stream_call(url, NULL);

	is_heard_soon(speaker, listener);
	while (hear_any(other, 0.5) != NULL)
		;
	return listener;
}

static void
both_hear(struct ws *speaker, struct ws *here, struct ws *there)
{
	is_heard(speaker, here);
	hear(there, "translated_transcription", 10);
	ck_assert_uint_gt(hear_speech(there, "es", 10).bytes, 9600);
}

START_TEST(listeners_at_both_nodes_hear_the_speaker)
{
	struct broadcast h = broadcast_at(_i);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(h.url, &h),
		  *there = tuned_in(elsewhere(join(&h, 1)), speaker, here);

	both_hear(speaker, here, there);
}
END_TEST

START_TEST(a_speaker_at_the_other_node_is_heard)
{
	struct broadcast h = broadcast_at(_i);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h),
		  *there = tuned_in(elsewhere(join(&h, 1)), speaker, here);

	both_hear(speaker, here, there);
}
END_TEST

/* The newer one wins, wherever it is. */
START_TEST(a_speaker_replaces_one_at_the_other_node)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL), *first, *second;

	first = speaker_of(_i == 0 ? h.url : elsewhere(h.url), &h);
	is_heard(first, here);
	second = speaker_of(_i == 0 ? elsewhere(h.url) : h.url, &h);
	ck_assert_str_eq(hear_close(first, 1008, 10, NULL), "replaced");
	is_heard(second, here);
}
END_TEST

/* ---- all that a listener may want ---- */

static const struct {
	const char *query, *type,
	    *language; /* expected message; language of its speech */
} wishes[] = {
	{ "&language=es&format=opus", "output_audio_data", "es" },
	{ "&language=all", "output_audio_data", "es" },
	{ "&language=original", "output_audio_data", "original" },
	{ "&language=original&format=opus", "output_audio_data", "original" },
	{ "&language=original&audio=0", "partial_transcription", NULL },
};

/* The channel's node is the first one; they listen at the other. */
START_TEST(a_listener_at_the_other_node_gets_what_it_wants)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *there =
		      stream_call(with(elsewhere(join(&h, 1)), wishes[_i].query), NULL),
		  *speaker = speaker_of(h.url, &h);
	json_t *j;

	tuned_in(elsewhere(join(&h, 1)), speaker, here);
	send_sound(speaker, &(const struct sound_of_task){ 24000, 0, 0.32 },
	    tone_then_silence(24000, 0.6, 1.0));
	do
		j = hear(there, wishes[_i].type, 10);
	while (wishes[_i].language != NULL &&
	       strcmp(text_at(j, "language"), wishes[_i].language) != 0);
}
END_TEST

START_TEST(a_listener_at_the_other_node_gets_the_texts_it_missed)
{
	struct broadcast h = broadcast_at(0);
	const char *url = elsewhere(join(&h, 1)), *id;
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(h.url, &h), *there;

	speak(speaker, 0.6, 1.0);
	id = text_at(hear(here, "translated_transcription", 10),
	    "transcription.transcription_id");
	hear_speech(here, "es", 10);
	is_heard(speaker, here);
	there = stream_call(with(url, text("&since=%s", id)), NULL);
	ck_assert_str_ne(text_at(hear(there, "translated_transcription", 10),
			     "transcription.transcription_id"),
	    id);
	is_heard_soon(speaker, there);
}
END_TEST

START_TEST(a_participant_by_webrtc_hears_at_the_other_node)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(h.url, &h);
	struct answer a = ASK(.path = text("%s/saas/v2/event/public/%s/join",
				  two_nodes.bases[1], h.event),
	    .json = "{\"data\":{\"language\":\"es\"}}");
	FILE *client;

	EXPECT(a, 201);
	is_heard(speaker, here);
	client = popen(
	    text("exec %s --seconds 60 --listen-only --until 1,21 %s %s >/dev/null",
		getenv("E2E_WEBRTC_CLIENT"),
		text("%s/streaming-api/webrtc", two_nodes.bases[1]),
		text_at(a.json, "data.token")),
	    "r");
	ck_assert_ptr_nonnull(client);
	for (int i = 0; i < 7; i++) { /* it connects meanwhile */
		nap(1);
		is_heard(speaker, here);
	}
	ck_assert_int_eq(pclose(client), 0);
}
END_TEST

static FILE *
start_at_guest(const char *options, const char *path, const char *token)
{
	FILE *f = popen(
	    text("exec %s --whip %s %s%s %s >/dev/null", getenv("E2E_WEBRTC_CLIENT"),
		options, two_nodes.bases[1], path, token),
	    "r");

	ck_assert_ptr_nonnull(f);
	return f;
}

static FILE *
play_at_guest(const struct broadcast *h, const char *language)
{
	return start_at_guest("--listen-only --seconds 60 --until 0,50",
	    text("/whep/%s?language=%s", h->channel, language),
	    strchr(join(h, 1), '=') + 1);
}

/* An encoder and players of the channel's two kinds of sound, all at the other node. */
START_TEST(whip_and_whep_work_at_the_other_node)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL);
	FILE *es = play_at_guest(&h, "es"), *original = play_at_guest(&h, "original"),
	     *encoder;

	nap(1.5);
	encoder = start_at_guest(text("--seconds 20 --speak %s", tone_file(8, 1, 1.5)),
	    text("/whip/%s", h.channel), h.token);
	ck_assert_str_eq(
	    text_at(hear(here, "translated_transcription", 20), "transcription.text"),
	    "[es] hello world");
	ck_assert_int_eq(pclose(es), 0);
	ck_assert_int_eq(pclose(original), 0);
	pclose(encoder);
}
END_TEST

START_TEST(a_participant_by_webrtc_speaks_at_the_other_node)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL);
	FILE *client = popen(
	    text(
		"exec %s --seconds 20 --speak %s %s/streaming-api/webrtc %s >/dev/null",
		getenv("E2E_WEBRTC_CLIENT"), tone_file(4, 1, 1.5), two_nodes.bases[1],
		h.token),
	    "r");

	ck_assert_ptr_nonnull(client);
	ck_assert_str_eq(
	    text_at(hear(here, "translated_transcription", 20), "transcription.text"),
	    "[es] hello world");
	ck_assert_uint_gt(hear_speech(here, "es", 10).bytes, 9600);
	pclose(client);
}
END_TEST

/* ---- the owner changes ---- */

/* A node stops, and with it the lease of its channel. */
START_TEST(another_node_goes_on_when_the_owner_stops)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h),
		  *there = tuned_in(elsewhere(join(&h, 1)), speaker, here);

	ck_assert_int_eq(worker_signal("gateway", SIGSTOP), 1);
	is_heard_soon(speaker, there);
	ck_assert_int_eq(worker_signal("gateway", SIGCONT), 1);
	is_heard_soon(speaker, here);
	ck_assert_int_eq(node_of(join(&h, 0)), 1);
}
END_TEST

/* All sockets stay, and no phrase is lost. */
START_TEST(a_channel_is_handed_over_between_two_phrases)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(_i == 0 ? h.url : elsewhere(h.url), &h),
		  *there = tuned_in(elsewhere(join(&h, 1)), speaker, here);

	both_hear(speaker, here, there);
	DRAGOMAN("channel", "move", h.channel, id_of(1));
	for (int i = 0; i < 40 && node_of(join(&h, 0)) == 0; i++)
		both_hear(speaker, here, there);
	both_hear(speaker, here, there);
	ck_assert_int_eq(node_of(join(&h, 0)), 1);
}
END_TEST

static bool
is_at_other(const void *broadcast)
{
	return node_of(join(broadcast, 0)) == 1;
}

static bool
holds_a_text(const void *broadcast)
{
	const struct broadcast *h = broadcast;
	struct answer a =
	    ASK(.path = text("/saas/channel/%s/held", h->channel), .as = &two_nodes.me);

	return json_array_size(at(a.json, "data")) == 1;
}

static int
count_texts(struct ws *listener, double s)
{
	json_t *j;
	int n = 0;

	while ((j = hear_any(listener, s)) != NULL)
		n +=
		    strcmp(text_at(j, "message_type"), "translated_transcription") == 0;
	return n;
}

/* The owner waits 15 s for the end of what is held; then the next one sends it, once.
 */
START_TEST(a_held_text_waits_at_the_next_owner)
{
	struct broadcast h = broadcast_at(0);
	struct answer a = ASK(.method = "PATCH", .as = &two_nodes.me,
	    .path = text("/saas/channel/%s", h.channel),
	    .json = "{\"data\":{\"hold_seconds\":20}}");
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h);

	EXPECT(a, 200);
	nap(4); /* the owner reads that */
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0.6, 1.0));
	ck_assert(becomes(holds_a_text, &h, 10));
	DRAGOMAN("channel", "move", h.channel, id_of(1));
	ck_assert(becomes(is_at_other, &h, 30));
	ck_assert(holds_a_text(&h));
	send_sound(speaker, &(const struct sound_of_task){ .hz = 24000 },
	    tone_then_silence(24000, 0, 1.0)); /* a microphone that is open */
	ck_assert_int_eq(count_texts(here, 9), 1);
}
END_TEST

/* Its sockets come again elsewhere. */
START_TEST(a_node_is_emptied)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *there = stream_call(elsewhere(join(&h, 1)), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h);
	const char *id = id_of(0);

	is_heard(speaker, here);
	DRAGOMAN("node", "drain", id, "--within", "60");
	hear_close(here, 1001, 1, NULL);
	is_heard(speaker, there);
	here = stream_call(join(&h, 0), NULL);
	is_heard(speaker, here);
	DRAGOMAN("node", "resume", id);
	nap(6); /* its next heartbeat reads that */
}
END_TEST

static bool
is_ready(const void *base)
{
	struct answer a = ASK(.path = text("%s/ready", (const char *)base));

	return a.status == 200;
}

/* The gateway that is told to end gives its channel away before. */
START_TEST(a_gateway_that_ends_hands_its_channels_over)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(elsewhere(h.url), &h),
		  *there = tuned_in(elsewhere(join(&h, 1)), speaker, here);

	both_hear(speaker, here, there);
	ck_assert_int_eq(worker_signal("gateway", SIGTERM), 1);
	hear_close(here, 1001, 25, NULL);
	is_heard(speaker, there);
	run((const char *const[]){ "/bin/sh", "-c", getenv("E2E_RESTART"), NULL });
	ck_assert(becomes(is_ready, two_nodes.bases[0], 30));
	tuned_in(elsewhere(join(&h, 0)), speaker, there);
}
END_TEST

/* Each node serves its own channels, and no others. It must be the last case. */
START_TEST(without_nats_a_node_serves_its_own)
{
	struct broadcast h = broadcast_at(0);
	struct ws *here = stream_call(join(&h, 0), NULL),
		  *speaker = speaker_of(h.url, &h),
		  *there = tuned_in(elsewhere(join(&h, 1)), speaker, here);

	both_hear(speaker, here, there);
	ck_assert_int_eq(kill(atoi(getenv("E2E_NATS")), SIGTERM), 0);
	hear_close(there, 1008, 15, NULL);
	is_heard(speaker, here);
	ck_assert_int_eq(
	    stream_refused(elsewhere(join(&h, 1)), NULL, NULL).status, 307);
}
END_TEST

Suite *
cluster_suite(void)
{
	TCase *t;
	Suite *s = suite_of("cluster", two_nodes_open, &t);

	tcase_add_loop_test(t, listeners_at_both_nodes_hear_the_speaker, 0, 2);
	tcase_add_loop_test(t, a_speaker_at_the_other_node_is_heard, 0, 2);

	tcase_add_loop_test(t, a_speaker_replaces_one_at_the_other_node, 0, 2);
	tcase_add_test(t, another_node_goes_on_when_the_owner_stops);
	tcase_add_loop_test(t, a_channel_is_handed_over_between_two_phrases, 0, 2);
	tcase_add_loop_test(
	    t, a_listener_at_the_other_node_gets_what_it_wants, 0, ROWS(wishes));
	tcase_add_test(t, a_listener_at_the_other_node_gets_the_texts_it_missed);
	tcase_add_test(t, a_participant_by_webrtc_hears_at_the_other_node);
	tcase_add_test(t, a_participant_by_webrtc_speaks_at_the_other_node);
	tcase_add_test(t, whip_and_whep_work_at_the_other_node);
	tcase_add_test(t, a_held_text_waits_at_the_next_owner);
	tcase_add_test(t, a_node_is_emptied);
	tcase_add_test(t, a_gateway_that_ends_hands_its_channels_over);
	tcase_add_test(t, without_nats_a_node_serves_its_own);
	return s;
}
