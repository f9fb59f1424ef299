/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Participants by WebRTC: the C client of LiveKit's protocol speaks and listens,
 * without a media server, beside sockets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../livekit-token.h"
#include "base/conf.h"
#include "cases.h"
#include "stream.h"

static struct account me;

static void
before(void)
{
	me = account_new("webrtc");
	account_plan(&me, "--parallel_sessions", "0");
}

/* ---- the client ---- */

/* Everything expected comes much sooner, also on a busy machine. */
#define LATE_S 60

#define ASK_TASK "--send '{\"message_type\":\"get_task\",\"data\":{}}'"

struct participant {
	FILE *out;
	json_t *last; /* its report */
	int texts;    /* translated_transcription */
	int errors;
};

static struct participant
start_client(const json_t *session, const char *token, const char *options)
{
	const char *command =
	    text("exec %s --seconds %d %s %s %s", getenv("E2E_WEBRTC_CLIENT"), LATE_S,
		options, text_at(session, "webrtc_url"), token);
	struct participant p = { .out = popen(command, "r") };

	ck_assert_ptr_nonnull(p.out);
	return p;
}

/* Returns the type of a message. */
static const char *
take_line(struct participant *p, const char *line)
{
	json_t *j = json_loads(line, 0, NULL);
	const char *type;

	ck_assert_msg(j != NULL, "%s", line);
	type = text_at(j, "message_type");
	p->texts += strcmp(type, "translated_transcription") == 0;
	p->errors += strcmp(type, "error") == 0 &&
		     strcmp(text_at(j, "data.code"), "NOT_FOUND") != 0;
	if (strcmp(type, "webrtc_client") == 0)
		p->last = json_object_get(j, "data");
	return type;
}

/* Reads until a message of this type. */
static void
await_message(struct participant *p, const char *type)
{
	const char *seen = "";
	char *line = NULL;
	size_t room = 0;

	while (strcmp(seen, type) != 0 && getline(&line, &room, p->out) > 0)
		seen = take_line(p, line);
	ck_assert_str_eq(seen, type);
	free(line);
}

/* Reads the client's output to its end; returns the exit status. */
static int
await_client(struct participant *p)
{
	char *line = NULL;
	size_t room = 0;
	int status;

	while (getline(&line, &room, p->out) > 0)
		take_line(p, line);
	free(line);
	status = pclose(p->out);
	ck_assert_msg(p->last != NULL, "the client ends with status %#x", status);
	return status;
}

static int
number_of(const struct participant *p, const char *name)
{
	const json_t *v = json_object_get(p->last, name);

	return json_is_integer(v) ? (int)json_integer_value(v) : -1;
}

static const json_t *
track_of(const struct participant *p, const char *name)
{
	const json_t *tracks = json_object_get(p->last, "tracks"), *t;
	size_t i;

	json_array_foreach(
	    tracks, i, t) if (strcmp(text_at(t, "name"), name) == 0) return t;
	ck_abort_msg("no track %s: %s", name, json_dumps(p->last, 0));
}

/* Packets heard of a track. */
static int
packets_of(const struct participant *p, const char *name)
{
	return (int)json_integer_value(json_object_get(track_of(p, name), "packets"));
}

static struct session
new_session(void)
{
	return session_new(&me, "{\"data\":{\"subscriber_count\":2}}");
}

/* ---- speaking and listening ---- */

static const char *const ways[] = { "", "--passive", "--tcp", "--lossy",
	"--loss-in 5 --loss-out 5", "--loss-in 20 --loss-out 20" };

/* All participants at once, each in a session of its own. */
START_TEST(participants_speak_and_hear_whatever_their_network)
{
	struct participant p[ROWS(ways)];
	const char *sound = tone_file(3, 1, 1.5);

	for (int i = 0; i < ROWS(ways); i++) {
		struct session s = new_session();

		p[i] = start_client(s.json, s.publisher,
		    text("%s --task en:es,fr --until 2,21 --speak %s", ways[i], sound));
	}
	for (int i = 0; i < ROWS(ways); i++) {
		ck_assert_int_eq(await_client(&p[i]), 0);
		ck_assert_int_eq(p[i].errors, 0);
		ck_assert_int_ge(p[i].texts, 2);
		ck_assert_int_gt(packets_of(&p[i], "translation_es"), 20);
		ck_assert_int_gt(packets_of(&p[i], "translation_fr"), 20);
		ck_assert_int_gt(number_of(&p[i], "first_audio_ms"), 0);
	}
}
END_TEST

START_TEST(all_transports_of_a_session_hear_one_another)
{
	struct session s = new_session();
	struct ws *speaker = stream_open(&s, s.publisher);
	struct participant p;

	start_task(speaker, TASK);
	p = start_client(
	    s.json, text_at(s.json, "subscriber.0"), "--listen-only --until 1,21");
	await_message(&p, "webrtc_connected");
	speak(speaker, 1, 1);
	hear_speech(speaker, "es", LATE_S);
	ck_assert_int_eq(await_client(&p), 0);
	ck_assert_int_gt(packets_of(&p, "translation_es"), 20);
	ck_assert_int_ge(p.texts, 1);
	ck_assert_int_eq(number_of(&p, "spoken_packets"), 0);
}
END_TEST

START_TEST(a_socket_hears_a_participant)
{
	struct session s = new_session();
	struct ws *listener = stream_call(
	    text("%s?token=%s&language=es", s.ws_url, text_at(s.json, "subscriber.0")),
	    NULL);
	struct participant p = start_client(s.json, s.publisher,
	    text("--task en:es --until 1,45 --speak %s", tone_file(1, 1, 1.5)));

	ck_assert_uint_gt(hear_speech(listener, "es", LATE_S).bytes, 20000);
	ck_assert_int_eq(await_client(&p), 0);
}
END_TEST

/* With a token of the server's key, and no id of ours. */
static const char *
livekit_of(const struct session *s, const char *identity, const char *grants)
{
	return livekit_token(memory(), settings()->session_jwt_keys,
	    text("\"exp\":%lld,\"sub\":\"%s\",\"video\":{\"room\":\"%s\"%s}",
		(long long)time(NULL) + 600, identity,
		text_at(s->json, "webrtc_room_name"), grants));
}

START_TEST(tokens_of_livekits_tools_speak_and_listen)
{
	static const char joins[] = ",\"roomJoin\":true";
	struct session s = new_session();
	struct participant listener, speaker;

	speaker = start_client(s.json, livekit_of(&s, "anna", joins),
	    text("--task en:es --until 2,45 --speak %s", tone_file(4, 1, 1.5)));
	await_message(&speaker, "current_task");
	listener = start_client(s.json,
	    livekit_of(&s, "ben", text("%s,\"canPublish\":false", joins)),
	    "--listen-only --until 1,21");
	ck_assert_int_eq(await_client(&listener), 0);
	ck_assert_int_gt(packets_of(&listener, "translation_es"), 20);
	ck_assert_int_eq(await_client(&speaker), 0);
	ck_assert_int_eq(speaker.errors, 0);
}
END_TEST

START_TEST(tokens_of_livekits_tools_join_their_room_alone)
{
	struct session s = new_session();
	struct answer a =
	    ASK(.path = text(
		    "/streaming-api/webrtc/rtc/validate?protocol=15&access_token=%s",
		    livekit_of(&s, "anna", "")));

	EXPECT(a, 403);
	ck_assert_str_eq(a.body, "permissions denied");
	a = ASK(.path = text(
		    "/streaming-api/webrtc/rtc/validate?protocol=15&access_token=%s",
		    livekit_of(&s, "anna", ",\"roomJoin\":true")));
	EXPECT(a, 200);
	s.json = json_pack("{s:s}", "webrtc_room_name", "another");
	a = ASK(.path = text(
		    "/streaming-api/webrtc/rtc/validate?protocol=15&access_token=%s",
		    livekit_of(&s, "anna", ",\"roomJoin\":true")));
	EXPECT(a, 403);
}
END_TEST

/* ---- life ---- */

START_TEST(a_cut_of_signalling_does_not_end_the_task)
{
	struct session s = new_session();
	struct participant p = start_client(s.json, s.publisher,
	    text("--cut-signalling-at 1 --task en:es --until 3,21 --speak %s",
		tone_file(4, 1, 1.5)));

	ck_assert_int_eq(await_client(&p), 0);
	ck_assert_int_gt(number_of(&p, "resumed_ms"), 0);
	ck_assert_int_eq(p.errors, 0);
	ck_assert_int_ge(p.texts, 3);
	ck_assert_int_eq((int)json_array_size(json_object_get(p.last, "tracks")), 1);
}
END_TEST

START_TEST(a_second_participant_of_a_token_takes_over_with_its_task)
{
	struct session s = new_session();
	struct participant first = start_client(
	    s.json, s.publisher, text("--task en:es --speak %s", tone_file(1, 1, 1.5)));
	struct participant second;

	await_message(&first, "current_task");
	second = start_client(s.json, s.publisher, "--until 0,0 " ASK_TASK);
	await_message(&second, "current_task");
	await_client(&first);
	ck_assert_str_eq(text_at(first.last, "left"), "leave: reason 2, action 0");
	ck_assert_int_eq(await_client(&second), 0);
	ck_assert_int_eq(second.errors, 0);
	track_of(&second, "translation_es");
}
END_TEST

START_TEST(a_deleted_session_tells_its_participants_to_leave)
{
	struct session s = new_session();
	struct participant p = start_client(
	    s.json, s.publisher, text("--task en:es --speak %s", tone_file(1, 1, 1.5)));
	struct answer a;

	await_message(&p, "current_task");
	a = ASK(.method = "DELETE", .as = &me,
	    .path = text("/session-storage/sessions/%s", s.id));
	EXPECT(a, 204);
	await_client(&p);
	ck_assert_str_eq(text_at(p.last, "left"), "leave: reason 5, action 0");
}
END_TEST

struct payer {
	struct account account;
	double credits; /* before */
};

static double
paid_s(const struct payer *p)
{
	return seconds_for(p->credits - balance_of(&p->account));
}

static bool
is_paid(const void *payer)
{
	return paid_s(payer) >= 3;
}

START_TEST(speech_of_participants_is_paid_for)
{
	struct payer payer = { account_new("webrtc payer"), 0 };
	struct session s = session_new(&payer.account, NULL);
	double begun = seconds();
	struct participant p;

	payer.credits = balance_of(&payer.account);
	p = start_client(s.json, s.publisher,
	    text("--task en:es --until 2,21 --speak %s", tone_file(2, 1, 1.5)));
	ck_assert_int_eq(await_client(&p), 0);
	ck_assert(becomes(is_paid, &payer, LATE_S));
	nap(1); /* no further second is billed */
	ck_assert_double_le(paid_s(&payer), seconds() - begun);
}
END_TEST

START_TEST(a_socket_may_command_while_a_participant_speaks)
{
	struct session s = new_session();
	struct ws *control = stream_open(&s, s.publisher);
	struct participant p = start_client(s.json, s.publisher,
	    text("--until 1,21 " ASK_TASK " --speak %s", tone_file(12, 1, 1.5)));

	await_message(&p, "error"); /* a client gets this before a task exists */
	start_task(control,
	    "{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}},"
	    "\"output_stream\":{\"target\":{\"type\":\"webrtc\"}}," PIPELINE("") "}");
	hear(control, "translated_transcription", LATE_S);
	ck_assert_int_eq(await_client(&p), 0);
	ck_assert_int_gt(packets_of(&p, "translation_es"), 20);
}
END_TEST

Suite *
webrtc_suite(void)
{
	TCase *t;
	Suite *s = suite_of("webrtc", before, &t);

	tcase_add_test(t, participants_speak_and_hear_whatever_their_network);
	tcase_add_test(t, all_transports_of_a_session_hear_one_another);
	tcase_add_test(t, a_socket_hears_a_participant);
	tcase_add_test(t, tokens_of_livekits_tools_speak_and_listen);
	tcase_add_test(t, tokens_of_livekits_tools_join_their_room_alone);
	tcase_add_test(t, a_cut_of_signalling_does_not_end_the_task);
	tcase_add_test(t, a_second_participant_of_a_token_takes_over_with_its_task);
	tcase_add_test(t, a_deleted_session_tells_its_participants_to_leave);
	tcase_add_test(t, speech_of_participants_is_paid_for);
	tcase_add_test(t, a_socket_may_command_while_a_participant_speaks);
	return s;
}
