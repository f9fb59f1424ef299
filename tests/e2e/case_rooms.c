/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rooms of a real Janus: speech there is translated and played there. The suite also
 * kills Janus, so no other test may use that Janus meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "../mjr.h"
#include "../unit/janus_fixture.h"
#include "broadcast/broadcast.h"
#include "broadcast/janus.h"
#include "cases.h"
#include "stream.h"

#define WEBRTC_TASK                                                                    \
	"{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}},"                        \
	"\"output_stream\":{\"target\":{\"type\":\"webrtc\"}}," PIPELINE("") "}"
#define AGAIN_S 30 /* seconds until lost objects at Janus exist again */
#define AWAKE_S 12 /* seconds until waiting jobs are done */

static struct account me;

static void
before(void)
{
	const char *dir = getenv("JANUS_DIR"), *why;
	struct buf b = { .mem = memory() };
	char some[4096];
	FILE *f;

	ck_assert_msg(dir != NULL, "where is Janus?");
	janus.mem = arena_new();
	janus.dir = arena_str(janus.mem, dir);
	f = fopen(text("%s/janus.json", dir), "r");
	ck_assert_ptr_nonnull(f);
	buf_put(&b, some, fread(some, 1, sizeof(some), f));
	fclose(f);
	janus.made = json_read(janus.mem, b.p, b.len, &why);
	ck_assert_ptr_nonnull(janus.made);
	me = account_new("rooms");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- at Janus ---- */

static const char *
secret_of(const char *id)
{
	return janus_secret(settings(), memory(), id);
}

/* Plays a tone, and then silence, as a participant would speak. */
static void
speak_in(const char *room)
{
	const struct json *a = janus_told("audiobridge",
	    text("\"request\":\"play_file\",\"room\":\"%s\",\"secret\":\"%s\","
		 "\"filename\":\"%s/tone.opus\"",
		room, secret_of(room), getenv("E2E_RECORDINGS")));

	ck_assert_str_eq(json_get_text(a, "audiobridge"), "success");
}

static void
record(const char *action, const char *id)
{
	const struct json *a = janus_told("streaming",
	    text("\"request\":\"recording\",\"action\":\"%s\",\"id\":\"%s\","
		 "\"secret\":\"%s\",\"media\":[{\"mid\":\"audio\",\"filename\":"
		 "\"%s/%s\"}]",
		action, id, secret_of(id), janus.dir, id));

	ck_assert_str_eq(json_get_text(a, "streaming"), "ok");
}

#define QUIET_MS 60 /* silence after each phrase */

/* Checks a recording: this many milliseconds arrived, in time and without a loss. */
static void
check_recorded(const char *id, int ms)
{
	struct mjr_packet *p;
	size_t n = mjr_read(memory(), text("%s/%s.mjr", janus.dir, id), &p);

	ck_assert_int_eq((int)n * RTP_FRAME_MS, ms + QUIET_MS);
	for (size_t i = 0; i < n; i++) {
		int late_ms = (int)(p[i].at_ms - p[0].at_ms) - (int)i * RTP_FRAME_MS;

		ck_assert_int_eq(p[i].rtp.type, RTP_OPUS);
		ck_assert_uint_eq(p[i].rtp.seq, (uint16_t)(p[0].rtp.seq + i));
		ck_assert_uint_eq(p[i].rtp.ts, p[0].rtp.ts + 960 * (uint32_t)i);
		ck_assert_msg(abs(late_ms) < 400, "packet %zu: %d ms", i, late_ms);
	}
}

static bool
has_room(const void *name)
{
	return strstr(text("\n%s", janus_names()),
		   text("\n%s\n", (const char *)name)) != NULL;
}

static bool
has_no_room(const void *name)
{
	return !has_room(name);
}

static bool
has_mountpoint(const void *id)
{
	for (const struct json *v = janus_all("streaming")->kids; v != NULL;
	     v = v->next)
		if (strcmp(json_get_text(v, "id"), id) == 0)
			return true;
	return false;
}

/* ---- cases ---- */

/* Sends a phrase, and expects it in Spanish. */
static void
translate_in(struct ws *ws, const char *room, const char *es)
{
	const json_t *t;
	const char *said;

	record("start", es);
	speak_in(room);
	t = hear(ws, "validated_transcription", 10);
	said = text_at(t, "transcription.text");
	t = hear(ws, "translated_transcription", 5);
	ck_assert_str_eq(text_at(t, "transcription.text"), text("[es] %s", said));
	nap(0.06 * (double)strlen(text_at(t, "transcription.text")) + 0.5);
	record("stop", es);
	check_recorded(es, 60 * (int)strlen(text_at(t, "transcription.text")));
}

/* At least three more seconds are billed. */
static bool
is_paid(const void *had)
{
	return seconds_for(*(const double *)had - balance_of(&me)) >= 3;
}

START_TEST(speech_in_a_room_is_translated_and_heard_there)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	const json_t *task = start_task(ws, WEBRTC_TASK);
	const char *room = text_at(task, "webrtc.room");
	const char *es = text_at(task, "webrtc.mountpoints.es.id");
	double had = balance_of(&me);
	bool eos;

	ck_assert_str_eq(text_at(task, "webrtc.backend"), "janus");
	ck_assert_str_eq(text_at(task, "webrtc.url"), "wss://media.example.org/janus");
	ck_assert_str_eq(room, text_at(s.json, "webrtc_room_name"));
	ck_assert_uint_ge(strlen(text_at(task, "webrtc.pin")), 16);
	ck_assert_str_ne(
	    text_at(task, "webrtc.mountpoints.es.pin"), text_at(task, "webrtc.pin"));
	translate_in(ws, room, es);
	say(ws, "end_task", "{\"eos_timeout\":1}");
	hear_close(ws, 1000, 10, &eos);
	ck_assert(eos);
	ck_assert(becomes(has_no_room, room, 5));
	ck_assert(!has_mountpoint(es));
	ck_assert(becomes(is_paid, &had, 5));
}
END_TEST

START_TEST(only_texts_and_speech_of_listeners_go_by_socket)
{
	struct session s = session_new(&me, "{\"data\":{\"subscriber_count\":1}}");
	struct ws *ws = stream_open(&s, s.publisher), *listener;
	const char *room = text_at(start_task(ws, WEBRTC_TASK), "webrtc.room");
	json_t *j;

	listener = stream_open(&s, text_at(s.json, "subscriber.0"));
	speak_in(room);
	while ((j = hear_any(ws, 4)) != NULL)
		ck_assert_str_ne(text_at(j, "message_type"), "output_audio_data");
	ck_assert_uint_gt(hear_speech(listener, "es", 5).bytes, 20000);
	ws_drop(ws);
	nap(1);
	ck_assert(has_room(room)); /* from now on a client is connected */
	ws_drop(listener);
	ck_assert(becomes(has_no_room, room, 10));
}
END_TEST

START_TEST(janus_is_killed_and_it_goes_on)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	const json_t *task = start_task(ws, WEBRTC_TASK);
	const char *room = text_at(task, "webrtc.room");
	const char *es = text_at(task, "webrtc.mountpoints.es.id");
	double killed;

	translate_in(ws, room, es);
	speak_in(room);
	nap(0.5);
	killed = seconds();
	janus_run("kill");
	janus_run("start");
	ck_assert(has_no_room(room));
	ck_assert(becomes(has_mountpoint, es, AGAIN_S));
	ck_assert(has_room(room));
	ck_assert_double_le(seconds() - killed, AGAIN_S);
	nap(0.5);
	while (hear_any(ws, 0.5) != NULL) /* speech before Janus was killed */
		;
	translate_in(ws, room, es);
	ws_drop(ws);
	ck_assert(becomes(has_no_room, room, 10));
	ck_assert(!has_mountpoint(es));
}
END_TEST

/* ---- channels ---- */

struct room_channel {
	const char *event, *channel;
};

static struct room_channel
open_room_channel(void)
{
	struct answer a = ASK(.path = "/saas/v2/event", .as = &me,
	    .json = "{\"data\":{\"title\":\"Forum\",\"event_type\":\"online\","
		    "\"utc_start_dt\":\"2036-12-01T08:00:00Z\",\"utc_end_dt\":"
		    "\"2036-12-02T08:00:00Z\"}}");
	struct room_channel h = { .event = text_at(a.json, "data.event_id") };

	EXPECT(a, 201);
	a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text("{\"data\":{\"type\":\"event\",\"event_id\":\"%s\","
			 "\"name\":\"Hall\",\"source_language\":\"en\","
			 "\"target_languages\":[\"es\"]}}",
		h.event));
	EXPECT(a, 201);
	h.channel = text_at(a.json, "data.channel_id");
	return h;
}

static const json_t *
channel(const struct room_channel *h)
{
	struct answer a = ASK(.path = text("/saas/channel/%s", h->channel), .as = &me);

	EXPECT(a, 200);
	return at(a.json, "data");
}

static const char *
room_of(const struct room_channel *h)
{
	return text_at(channel(h), "broadcast_id");
}

static bool
is_active(const void *broadcast)
{
	return strcmp(text_at(channel(broadcast), "runtime_status"), "active") == 0;
}

/* The gateway receives speech from its room. */
static bool
is_heard(const void *broadcast)
{
	const char *room = room_of(broadcast);
	const struct json *a = janus_told("audiobridge",
	    text("\"request\":\"listforwarders\",\"room\":\"%s\",\"secret\":\"%s\"",
		room, secret_of(room)));
	const struct json *forwards = json_get(a, "rtp_forwarders");

	return forwards != NULL && forwards->n == 1;
}

static struct ws *
listener_of(const struct room_channel *h, const char *language)
{
	struct answer a = ASK(.path = text("/saas/v2/event/public/%s/join", h->event),
	    .json = text("{\"data\":{\"language\":\"%s\"}}", language));

	EXPECT(a, 201);
	return stream_call(text("%s?token=%s", text_at(a.json, "data.ws_url"),
			       text_at(a.json, "data.token")),
	    NULL);
}

/* Sends a phrase to listeners at a mountpoint and at a socket. */
static void
hear_broadcast(const struct room_channel *h, struct ws *listener, const char *language)
{
	const char *said = text("[%s] hello world", language);
	const char *mountpoint = text("%s-%s", room_of(h), language);

	record("start", mountpoint);
	speak_in(room_of(h));
	ck_assert_str_eq(text_at(hear(listener, "translated_transcription", 10),
			     "transcription.text"),
	    said);
	ck_assert_uint_gt(hear_speech(listener, language, 5).bytes, 20000);
	nap(1.5);
	record("stop", mountpoint);
	check_recorded(mountpoint, 60 * (int)strlen(said));
}

START_TEST(a_channel_is_heard_in_its_room)
{
	struct room_channel h = open_room_channel();
	struct ws *es = listener_of(&h, "es"), *fr;
	const char *room = room_of(&h);
	struct answer a;

	ck_assert(becomes(is_heard, &h, 10));
	ck_assert_str_eq(text_at(channel(&h), "runtime_status"), "pending");
	hear_broadcast(&h, es, "es");
	ck_assert(becomes(is_active, &h, 5));
	a = ASK(.method = "PATCH", .path = text("/saas/channel/%s", h.channel),
	    .as = &me, .json = "{\"data\":{\"target_languages\":[\"es\",\"fr\"]}}");
	EXPECT(a, 200);
	fr = listener_of(&h, "fr");
	nap(6);
	hear_broadcast(&h, fr, "fr");
	ws_drop(fr);
	ws_drop(es);
	a = ASK(.method = "DELETE", .path = text("/saas/channel/%s", h.channel),
	    .as = &me);
	EXPECT(a, 200);
	ck_assert(becomes(has_no_room, room, 10));
}
END_TEST

static const char *lost; /* name of the room before it was killed */

static bool
has_another_room(const void *broadcast)
{
	const char *room = room_of(broadcast);

	return strcmp(room, lost) != 0 && has_room(room) && is_heard(broadcast);
}

START_TEST(a_channel_goes_on_in_another_room)
{
	struct room_channel h = open_room_channel();
	struct ws *es = listener_of(&h, "es");
	struct answer a;

	ck_assert(becomes(is_heard, &h, 10));
	hear_broadcast(&h, es, "es");
	lost = room_of(&h);
	janus_run("kill");
	janus_run("start");
	ck_assert(becomes(has_another_room, &h, 65));
	nap(1);
	hear_broadcast(&h, es, "es");
	ws_drop(es);
	a = ASK(.method = "DELETE", .path = text("/saas/channel/%s", h.channel),
	    .as = &me);
	EXPECT(a, 200);
}
END_TEST

static const char *
status_of(const struct answer *a)
{
	return text_at(a->json, "data.lifecycle_status");
}

static struct answer
add_channel(void)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = "{\"data\":{\"type\":\"standalone\",\"name\":\"Hall\"}}");

	EXPECT(a, 201);
	return a;
}

static bool
is_ready(const void *id)
{
	struct answer a =
	    ASK(.path = text("/saas/channel/%s", (const char *)id), .as = &me);

	return strcmp(status_of(&a), "ready") == 0;
}

static void
remove_channel(const struct answer *made)
{
	const char *id = text_at(made->json, "data.channel_id");
	struct answer a =
	    ASK(.method = "DELETE", .path = text("/saas/channel/%s", id), .as = &me);

	EXPECT(a, 200);
	ck_assert(becomes(has_no_room, text("%s-1", id), 5));
}

/* A Janus that was stopped executes late requests when it continues. */
START_TEST(a_janus_that_hangs_delays_requests_only_briefly)
{
	struct answer first, second, third;
	double began;

	janus_run("freeze");
	first = add_channel();
	began = seconds();
	second = add_channel();
	ck_assert_double_le(seconds() - began, 2);
	nap(2);
	janus_run("thaw");
	ck_assert_str_eq(status_of(&first), "creating");
	ck_assert_str_eq(status_of(&second), "creating");
	ck_assert(becomes(is_ready, text_at(first.json, "data.channel_id"), AWAKE_S));
	third = add_channel();
	ck_assert_str_eq(status_of(&third), "ready");
	ck_assert(becomes(is_ready, text_at(second.json, "data.channel_id"), 3));
	remove_channel(&first);
	remove_channel(&second);
	remove_channel(&third);
}
END_TEST

/* Objects of a dead gateway are removed. */
START_TEST(orphaned_rooms_are_removed_within_a_minute)
{
	struct session s = session_new(&me, NULL);
	struct ws *ws = stream_open(&s, s.publisher);
	const char *room = text_at(start_task(ws, WEBRTC_TASK), "webrtc.room");
	const char *left = "k3v9Q2xA";
	struct broadcast_sound sound = { .name = left,
		.ours = true,
		.languages = texts_read(memory(), "[\"es\"]"),
		.host = "127.0.0.1",
		.port = 9,
		.ssrc = 1 };

	ck_assert_int_eq(broadcast_janus.attach(settings(), memory(), &sound), OK);
	ck_assert(has_room(left));
	ck_assert(becomes(has_no_room, left, 70));
	ck_assert(has_room(room));
	ws_drop(ws);
	ck_assert(becomes(has_no_room, room, 10));
}
END_TEST

/* Members of every report of a Janus. */
Suite *
room_suite(void)
{
	TCase *t;
	Suite *s = suite_of("room", before, &t);

	tcase_add_test(t, speech_in_a_room_is_translated_and_heard_there);
	return s;
}

Suite *
rooms_suite(void)
{
	TCase *t;
	Suite *s = suite_of("rooms", before, &t);

	tcase_add_test(t, speech_in_a_room_is_translated_and_heard_there);
	tcase_add_test(t, only_texts_and_speech_of_listeners_go_by_socket);
	tcase_add_test(t, janus_is_killed_and_it_goes_on);
	tcase_add_test(t, a_channel_is_heard_in_its_room);
	tcase_add_test(t, a_channel_goes_on_in_another_room);
	tcase_add_test(t, a_janus_that_hangs_delays_requests_only_briefly);
	tcase_add_test(t, orphaned_rooms_are_removed_within_a_minute);
	return s;
}
