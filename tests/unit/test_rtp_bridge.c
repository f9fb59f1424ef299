/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rooms at a Janus, whose clients speak and listen. */
#include <netinet/in.h>

#include "audio/opus_encoder.h"
#include "base/hash.h"
#include "tests/unit/rtp_bridge_fixture.h"

static struct websocket *
start(const char *task)
{
	struct websocket *s = connect_writer();

	tell(s, "set_task", task);
	await_state(s, STATE_RUNNING);
	return s;
}

START_TEST(speech_at_janus_is_translated_and_spoken_there)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	const char *room = room_of(s), *es = arena_printf(fixture.mem, "%s-es", room);
	uint16_t first = record("start", es);

	play_tone(room);
	await_seen(s, "validated_transcription", "hello world", 1);
	await_seen(s, "\"translated_transcription\"", "[es] hello world", 1);
	check_recorded(es, first, 60 * 16);
	ck_assert_int_eq(count_seen(s, "output_audio_data", ""), 0);
	ck_assert_int_eq(count_seen(s, "\"error\"", ""), 0);
}
END_TEST

START_TEST(get_task_tells_where_to_speak_and_to_listen)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es") "," TO("fr"), ""));
	const char *room = room_of(s), *pin = "\"pin\":\"%s\"";
	const char *es = arena_printf(fixture.mem, "%s-es", room);

	ck_assert_str_eq(janus_names(), arena_printf(fixture.mem, "%s\n", room));
	ck_assert_int_eq(janus_all("streaming")->n, 2);
	tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "\"webrtc\":{\"backend\":\"janus\"",
			     arena_printf(fixture.mem, "\"room\":\"%s\"", room)),
	    1);
	ck_assert_int_eq(
	    count_seen(s, "current_task",
		arena_printf(fixture.mem, pin,
		    janus_pin(&bridge_api_of(&gateway)->conf, fixture.mem, room))),
	    1);
	ck_assert_int_eq(
	    count_seen(s, arena_printf(fixture.mem, "\"id\":\"%s\"", es),
		arena_printf(fixture.mem, pin,
		    janus_pin(&bridge_api_of(&gateway)->conf, fixture.mem, es))),
	    1);
	ck_assert_int_eq(count_seen(s, "-fr\"", "mountpoints"), 1);
}
END_TEST

START_TEST(a_listener_at_a_socket_hears_it_too)
{
	const char *session = new_session();
	struct websocket *s = connect_as(session, true, true, NULL);
	struct websocket *l = connect_as(session, false, true, "es");

	tell(s, "set_task", WEBRTC_TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	tell(s, "tts_task", "{\"text\":\"hello\",\"language\":\"es\"}");
	await_seen(l, "output_audio_data", "\"last_chunk\":true", 1);
	tell(l, "get_task", "{}");
	ck_assert_int_eq(count_seen(l, "current_task", "\"mountpoints\":{\"es\":"), 1);
	ck_assert_int_eq(count_seen(l, "current_task", "\"room\""), 0);
	ck_assert_int_eq(count_seen(s, "output_audio_data", ""), 0);
}
END_TEST

static void
await_mountpoints(size_t n)
{
	gateway_await(janus_all("streaming")->n == n);
}

static void
await_no_room(void)
{
	await_mountpoints(0);
	gateway_await(janus_names()[0] == '\0');
}

/* Waits until speech belongs to the latest task. */
static void
await_newest(const struct websocket *s)
{
	const struct session *session = s->connection->session;

	gateway_await(session->now != NULL && session->now->number == session->asked);
}

/* Waits until all languages of the latest version have their mountpoint's address. */
static void
await_attached(void)
{
	const struct bridge_room *b = bridge_api_of(&gateway)->rooms;

	gateway_await(b->attached && !b->busy && b->sent == b->wanted);
}

START_TEST(languages_follow_the_task)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	const char *room = room_of(s), *fr = arena_printf(fixture.mem, "%s-fr", room);
	uint16_t first;

	tell(s, "set_task", WEBRTC_TASK(TO("es") "," TO("fr"), ""));
	await_mountpoints(2);
	await_attached();
	await_newest(s);
	first = record("start", fr);
	tell(s, "tts_task", "{\"text\":\"ten letter\",\"language\":\"fr\"}");
	check_recorded(fr, first, 600);
	tell(s, "set_task", WEBRTC_TASK(TO("fr"), ""));
	await_mountpoints(1);
	ck_assert_str_eq(room_of(s), room);
}
END_TEST

START_TEST(two_rooms_are_kept_apart)
{
	struct websocket *a = start(WEBRTC_TASK(TO("es"), ""));
	struct websocket *b = start(WEBRTC_TASK(TO("es"), ""));
	const struct rtp_source *to_a =
	    &track_to(arena_printf(fixture.mem, "%s-es", room_of(a)))->source;
	const struct rtp_source *to_b =
	    &track_to(arena_printf(fixture.mem, "%s-es", room_of(b)))->source;
	uint16_t next_a = to_a->seq, next_b = to_b->seq;

	play_tone(room_of(b));
	await_seen(b, "translated_transcription", "[es] hello world", 1);
	gateway_await((uint16_t)(to_b->seq - next_b) >= 10);
	ck_assert_int_eq(to_a->seq, next_a);
	ck_assert_int_gt(b->connection->session->in.audio_us, 0);
	ck_assert_int_eq(a->connection->session->in.audio_us, 0);
	ck_assert_int_eq(count_seen(a, "transcription", ""), 0);
}
END_TEST

/*
 * Among them are a packet with the number of the room's source, and a packet of another
 * type.
 */
START_TEST(packets_of_other_sources_are_ignored)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	unsigned char packet[] = { 0x80, 111, 0, 1, 0, 0, 0, 1, 1, 2, 3, 4, 0xf8,
		0xff };
	uint32_t ssrc = htonl(bridge_api_of(&gateway)->rooms->ssrc);
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
		.sin_port = htons((uint16_t)bridge_api_of(&gateway)->port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	for (int i = 0; i < 300; i++) {
		if (i == 100) {
			memcpy(packet + 8, &ssrc, sizeof(ssrc));
			packet[1] = 96;
		}
		if (i == 200)
			random_bytes(packet, sizeof(packet));
		packet[3]++;
		sendto(
		    fd, packet, sizeof(packet), 0, (struct sockaddr *)&to, sizeof(to));
	}
	close(fd);
	gateway_wait(200);
	ck_assert_int_eq(s->connection->session->in.audio_us, 0);
	ck_assert_int_eq(bridge_api_of(&gateway)->rooms->packet_us, 0);
}
END_TEST

START_TEST(sound_of_the_socket_is_not_taken)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));

	send_phrase(s);
	gateway_wait(300);
	ck_assert_int_eq(s->connection->session->in.audio_us, 0);
	ck_assert_int_eq(s->n, count_seen(s, "task_status", ""));
}
END_TEST

START_TEST(a_task_of_the_socket_has_no_room)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));

	tell(s, "set_task", TASK(TO("es"), ""));
	await_no_room();
	await_newest(s);
	send_phrase(s);
	await_seen(s, "output_audio_data", "\"last_chunk\":true", 1);
	tell(s, "get_task", "{}");
	ck_assert_int_eq(count_seen(s, "current_task", "webrtc"), 0);
}
END_TEST

START_TEST(only_sound_is_metered)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	struct session *session = s->connection->session;

	ck_assert_int_ne(session->meter.since_us, 0);
	session->in.pacing.sign_us -= 11 * S_US;
	gateway_tick();
	ck_assert_int_eq(session->meter.since_us, 0);
	ck_assert_int_eq(s->code, 0);
	play_tone(room_of(s));
	gateway_await(session->meter.since_us != 0);
	tell(s, "pause_task", "{}");
	ck_assert_int_eq(session->meter.since_us, 0);
	gateway_wait(300);
	ck_assert_int_eq(session->meter.since_us, 0);
	ck_assert_int_eq(count_seen(s, "warning", ""), 0);
}
END_TEST

/* Sends packets of a tone as a jitter buffer returns them; every tenth is lost. */
static void
hear_tone(struct session *session, int ms)
{
	struct opus_encoder *o = opus_encoder_new(fixture.mem);
	int16_t s[OPUS_ENCODER_SAMPLES];
	struct buf to = { .mem = fixture.mem };
	struct opus_packets all;
	struct opus_packet packet;
	struct jitter_buffer in = { .waiting = 0 };
	struct rtp_packet rtp = { .ts = 0 };
	const unsigned char *p;
	size_t n;

	for (int i = 0; i < ms * SPOKEN_HZ / 1000; i++) {
		s[i % OPUS_ENCODER_SAMPLES] =
		    (int16_t)(8000 * sin(2 * M_PI * 300 * i / SPOKEN_HZ));
		if (i % OPUS_ENCODER_SAMPLES == OPUS_ENCODER_SAMPLES - 1)
			opus_encoder_put(o, s, OPUS_ENCODER_SAMPLES, false, &to);
	}
	all = (struct opus_packets){ (unsigned char *)to.p, to.len };
	for (; opus_packets_next(&all, &packet); rtp.seq++, rtp.ts += 960) {
		rtp.p = packet.bytes;
		rtp.n = packet.n;
		if (rtp.seq % 10 == 5)
			continue;
		jitter_buffer_put(&in, &rtp, rtp.seq * INT64_C(20000));
		while (
		    jitter_buffer_next(&in, rtp.seq * INT64_C(20000) + 100000, &p, &n))
			s2s_packet(session, p, n);
	}
}

/* No packet arrives that would end its phrase. */
START_TEST(a_muted_microphone_is_heard_to_its_end)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	struct session *session = s->connection->session;
	struct opus_losses losses;

	hear_tone(session, 600);
	await_seen(s, "validated_transcription", "hello world", 1);
	ck_assert_int_eq(pipeline_decoded_us(session->now->pipeline), 600000);
	losses = pipeline_losses(session->now->pipeline);
	ck_assert_uint_eq(losses.lost, 3);
	ck_assert_uint_eq(losses.recovered + losses.concealed, 3);
}
END_TEST

START_TEST(a_room_that_falls_silent_is_told_each_time)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	struct session *session = s->connection->session;

	for (int i = 1; i <= 2; i++) {
		hear_tone(session, 100);
		gateway_tick();
		ck_assert_int_eq(count_seen(s, "AUDIO_STREAM_STALLED", ""), i - 1);
		session->warnings = (struct pipeline_warnings){ 0 }; /* 10 s later */
		session->in.pacing.chunk_us -= 6 * S_US;
		gateway_tick();
		gateway_tick();
		ck_assert_int_eq(count_seen(s, "AUDIO_STREAM_STALLED", ""), i);
	}
	ck_assert_int_eq(s->code, 0);
}
END_TEST

static size_t
waiting_of(const struct websocket *s)
{
	const struct bridge_room *b = bridge_api_of(&gateway)->rooms;

	while (b->session != s->connection->session)
		b = b->next;
	return b->tracks->queue.waiting;
}

#define SPEECH_60                                                                      \
	"{\"text\":\"0123456789012345678901234567890123456789"                         \
	"01234567890123456789\",\"language\":\"es\"}"

START_TEST(what_is_flushed_is_not_heard)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));

	tell(s, "tts_task", SPEECH_60);
	gateway_await(waiting_of(s) >= 50);
	tell(s, "flush_task", "{\"global_flush\":true}");
	gateway_await(waiting_of(s) == 0);
}
END_TEST

START_TEST(an_end_comes_after_what_was_said_is_heard)
{
	int64_t asked_us;
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	const char *es = arena_printf(fixture.mem, "%s-es", room_of(s));

	record("start", es);
	tell(s, "tts_task", SPEECH_60);
	asked_us = monotonic_us();
	tell(s, "end_task", "{\"eos_timeout\":1}");
	await_end(s, 1000);
	ck_assert_int_ge(monotonic_us() - asked_us, 2400 * 1000);
	record("stop", es);
	ck_assert_int_ge(recorded_ms(es), 2400);
	hang_up(s);
	await_no_room();
}
END_TEST

START_TEST(a_publisher_that_comes_back_has_the_same_room)
{
	const char *session = new_session(), *room;
	struct websocket *s = connect_as(session, true, true, NULL);

	tell(s, "set_task", WEBRTC_TASK(TO("es"), ""));
	await_state(s, STATE_RUNNING);
	room = room_of(s);
	for (int i = 0; i < 3; i++) {
		if (i == 1) /* the speech is still translated when he comes */
			tell(s, "tts_task", SPEECH_60);
		gateway_wait(300);
		hang_up(s);
		gateway_wait(i * 5);
		s = connect_as(session, true, true, NULL);
		tell(s, "set_task", WEBRTC_TASK(TO("es"), ""));
		await_state(s, STATE_RUNNING);
		ck_assert_str_eq(room_of(s), room);
	}
	gateway_wait(4000);
	ck_assert_int_eq(janus_all("streaming")->n, 1);
	play_tone(room);
	await_seen(s, "translated_transcription", "[es] hello world", 1);
}
END_TEST

/* ---- outages ---- */

START_TEST(what_janus_lost_is_made_again)
{
	struct websocket *s = start(WEBRTC_TASK(TO("es"), ""));
	const char *room = room_of(s), *es = arena_printf(fixture.mem, "%s-es", room);
	uint16_t first;

	play_tone(room);
	gateway_wait(700);
	janus_fixture.start(&janus_conf); /* kills it first, which ends a phrase */
	ck_assert_str_eq(janus_names(), "");
	await_mountpoints(1);
	await_attached();
	await_seen(s, "translated_transcription", "[es] hello world", 1);
	gateway_wait(200); /* the phrase is spoken */
	gateway_await(!packet_queue_has_sound(&track_to(es)->queue));
	first = record("start", es);
	play_tone(room);
	await_seen(s, "translated_transcription", "[es] hello world", 2);
	check_recorded(es, first, 960);
	ck_assert_int_eq(count_seen(s, "\"error\"", ""), 0);
}
END_TEST

START_TEST(a_task_waits_for_its_room)
{
	struct websocket *s;

	janus_kill();
	s = connect_writer();
	tell(s, "set_task", WEBRTC_TASK(TO("es"), ""));
	gateway_wait(1500);
	ck_assert_int_eq(s->connection->session->state, STATE_STARTING);
	ck_assert(s->connection->session->slots->ready);
	janus_fixture.start(&janus_conf);
	await_state(s, STATE_RUNNING);
	ck_assert_int_eq(janus_all("streaming")->n, 1);
}
END_TEST

START_TEST(without_a_room_there_is_no_task)
{
	struct websocket *s;

	janus_kill();
	s = connect_writer();
	tell(s, "set_task", WEBRTC_TASK(TO("es"), ""));
	gateway_wait(300);
	s->connection->session->starting_us -= 26 * S_US;
	await_seen(s, "ENGINE_UNAVAILABLE", "", 1);
	ck_assert_int_eq(s->connection->session->state, STATE_NONE);
	janus_fixture.start(&janus_conf);
}
END_TEST

START_TEST(a_port_that_is_taken_is_told)
{
	struct rtp_bridge *s = bridge_api_of(&gateway);

	fixture.app.conf.janus_rtp_port = s->port;
	*sink_shared(&gateway, &bridge_sink) = NULL;
	ck_assert(!bridge_sink.start(&gateway));
	ck_assert_ptr_null(bridge_api_of(&gateway));
	*sink_shared(&gateway, &bridge_sink) = s;
}
END_TEST

START_TEST(without_a_media_server_there_are_no_such_tasks)
{
	struct rtp_bridge *s = bridge_api_of(&gateway);
	struct websocket *c = connect_writer();

	fixture.app.conf.broadcast_driver = "gateway";
	*sink_shared(&gateway, &bridge_sink) = NULL;
	gateway.webrtc = false;
	ck_assert(bridge_sink.start(&gateway));
	ck_assert_ptr_null(bridge_api_of(&gateway));
	tell(c, "set_task", WEBRTC_TASK(TO("es"), ""));
	ck_assert_int_eq(count_seen(c, "VALIDATION_ERROR", "input_stream"), 1);
	*sink_shared(&gateway, &bridge_sink) = s;
	gateway.webrtc = true;
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rtp_bridge");
	TCase *t = tcase_create("all");

	tcase_add_unchecked_fixture(t, rtp_bridge_fixture_begin, janus_stop);
	tcase_add_checked_fixture(t, rtp_bridge_open_gateway, rtp_bridge_close_gateway);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, speech_at_janus_is_translated_and_spoken_there);
	tcase_add_test(t, get_task_tells_where_to_speak_and_to_listen);
	tcase_add_test(t, a_listener_at_a_socket_hears_it_too);
	tcase_add_test(t, languages_follow_the_task);
	tcase_add_test(t, two_rooms_are_kept_apart);
	tcase_add_test(t, packets_of_other_sources_are_ignored);
	tcase_add_test(t, sound_of_the_socket_is_not_taken);
	tcase_add_test(t, a_task_of_the_socket_has_no_room);
	tcase_add_test(t, only_sound_is_metered);
	tcase_add_test(t, a_muted_microphone_is_heard_to_its_end);
	tcase_add_test(t, a_room_that_falls_silent_is_told_each_time);
	tcase_add_test(t, what_is_flushed_is_not_heard);
	tcase_add_test(t, an_end_comes_after_what_was_said_is_heard);
	tcase_add_test(t, a_publisher_that_comes_back_has_the_same_room);
	tcase_add_test(t, what_janus_lost_is_made_again);
	tcase_add_test(t, a_task_waits_for_its_room);
	tcase_add_test(t, without_a_room_there_is_no_task);
	tcase_add_test(t, a_port_that_is_taken_is_told);
	tcase_add_test(t, without_a_media_server_there_are_no_such_tasks);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
