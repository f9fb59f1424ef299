/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An incoming stream, with the real child and FFmpeg as a real sender, over SRT or
 * through nginx as an RTMP server.
 */
#include "tests/unit/ingress_fixture.h"

#define KEY "correct-horse-battery"
#define ID "11111111-2222-3333-4444-555555555555"

static pid_t server;

static void
begin_srt(void)
{
	char order[512];

	port = unit_port();
	snprintf(order, sizeof(order),
	    "{\"protocol\":\"srt_push\",\"language\":\"es\",\"port\":%d,"
	    "\"stream_id\":\"" ID "\",\"passphrase\":\"" KEY "\"}",
	    port);
	begin(order);
}

static void
setup(void)
{
	mem = arena_new();
	begin_srt();
}

/* FFmpeg sends the sources in `inputs`, words of its command line. */
static void
send_stream(const char *inputs, const char *id, const char *key)
{
	sender = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error %s -f mpegts "
	    "'srt://127.0.0.1:%d?streamid=%s&passphrase=%s&pkt_size=1316' 2>/dev/null",
	    inputs, port, id, key));
}

/* ---- tests ---- */

START_TEST(a_stream_is_heard_as_it_was_sent)
{
	send_stream(TONE(440, 6) " " AAC, ID, KEY);
	ck_assert(listen_to(20, NULL));
	ck_assert_str_eq(error, "");
	ck_assert_double_eq_tol(seconds_heard(), 6, 0.4);
	ck_assert_double_eq_tol(pitch_hz(1, 3), 440, 10);
	ck_assert_int_gt(bitrate, 50000);
	ck_assert_int_lt(bitrate, 500000);
}
END_TEST

START_TEST(the_wanted_language_is_taken_of_several)
{
	send_stream(
	    TONE(440, 5) " " TONE(880, 5) " -map 0 -map 1 -metadata:s:a:0 language=eng"
					  " -metadata:s:a:1 language=spa " AAC,
	    ID, KEY);
	ck_assert(listen_to(20, NULL));
	ck_assert_double_eq_tol(pitch_hz(1, 3), 880, 10);
}
END_TEST

/* A camera with several tracks, of which the first is not connected. */
START_TEST(a_silent_first_track_is_passed_over)
{
	send_stream("-re -f lavfi -i anullsrc=duration=9 -itsoffset 0.3 " TONE(
			440, 9) " -map 0 -map 1 -pes_payload_size 0 " AAC,
	    ID, KEY);
	ck_assert(listen_to(30, NULL));
	ck_assert_double_eq_tol(pitch_hz(3, 4), 440, 10);
}
END_TEST

/* The first track is silent for four seconds, and pauses later. */
START_TEST(a_first_track_that_begins_late_is_taken_again)
{
	send_stream(
	    TONE(880, 14) " " TONE(440, 14) " -map 0 -map 1 -filter:a:0 "
					    "volume='between(t\\,4\\,7)+gte(t\\,11)':"
					    "eval=frame -pes_payload_size 0 " AAC,
	    ID, KEY);
	ck_assert(listen_to(30, NULL));
	ck_assert_double_eq_tol(pitch_hz(2.5, 1), 440, 20);
	ck_assert_double_eq_tol(pitch_hz(5, 1.5), 880, 20);
	ck_assert_int_lt(loudest(8, 2.5), 100);
	ck_assert_double_eq_tol(pitch_hz(11.5, 1.5), 880, 20);
}
END_TEST

/* Multiplexes as DVB does, or with the channels of a balanced cable. */
static const char *const odd[] = { " " AAC " -mpegts_flags latm",
	" -af 'pan=stereo|c0=c0|c1=-1*c0' " AAC };

START_TEST(odd_sound_is_heard)
{
	send_stream(arena_printf(mem, TONE(440, 6) "%s", odd[_i]), ID, KEY);
	ck_assert(listen_to(20, NULL));
	ck_assert_str_eq(error, "");
	ck_assert_double_eq_tol(pitch_hz(1, 3), 440, 10);
}
END_TEST

START_TEST(a_picture_beside_it_is_left_out)
{
	send_stream("-re -f lavfi -i testsrc=duration=5:size=320x240:rate=15 " TONE(
			440, 5) " -c:v mpeg2video -c:a mp2",
	    ID, KEY);
	ck_assert(listen_to(20, NULL));
	ck_assert_str_eq(error, "");
	ck_assert_double_eq_tol(pitch_hz(1, 3), 440, 10);
}
END_TEST

START_TEST(what_is_left_out_is_silence)
{
	send_stream(
	    TONE(440, 8) " -af 'aselect=not(between(t\\,2\\,5))' " AAC, ID, KEY);
	ck_assert(listen_to(20, NULL));
	ck_assert_double_eq_tol(seconds_heard(), 8, 0.4);
	ck_assert_int_lt(loudest(2.5, 2), 100);
	ck_assert_int_gt(loudest(0.5, 1), 1000);
	ck_assert_double_eq_tol(pitch_hz(6, 1), 440, 10);
}
END_TEST

START_TEST(silence_that_is_over_makes_nothing_late)
{
	bool over = false;
	int64_t begun;

	send_stream(
	    TONE(440, 13) " -af 'aselect=not(between(t\\,2\\,10))' " AAC, ID, KEY);
	while (heard.len == 0 && !over)
		take_message(100, &over);
	begun = monotonic_us();
	ck_assert(listen_to(30, NULL));
	ck_assert_double_eq_tol(seconds_heard(), 13, 0.4);
	ck_assert_int_lt(monotonic_us() - begun, 16 * S_US);
}
END_TEST

START_TEST(what_comes_too_fast_is_decoded_as_it_is_heard)
{
	bool over = false;
	int64_t end;

	send_stream("-f lavfi -i sine=frequency=440:duration=120 " AAC, ID, KEY);
	while (heard.len == 0 && !over)
		take_message(100, &over);
	end = monotonic_us() + 3 * S_US;
	while (monotonic_us() < end && !over)
		take_message(100, &over);
	ck_assert_double_gt(seconds_heard(), 2);
	ck_assert_double_lt(seconds_heard(), 3 + 2 + 1);
}
END_TEST

#define UNKNOWN "A sender was refused: its stream id is another one."
#define LOCKED_OUT "A sender was refused: its passphrase is another one."

static const struct {
	const char *id, *key, *why;
} strangers[] = {
	{ "22222222-2222-3333-4444-555555555555", KEY, UNKNOWN },
	{ "22222222-2222-3333-4444-555555555555", "wrong-horse-battery", UNKNOWN },
	{ ID, "wrong-horse-battery", LOCKED_OUT },
	{ ID, "", LOCKED_OUT }, /* the sender does not encrypt */
};

START_TEST(a_stranger_is_refused)
{
	send_stream(TONE(440, 5) " " AAC, strangers[_i].id, strangers[_i].key);
	listen_to(10, strangers[_i].why);
	ck_assert_str_eq(error, strangers[_i].why);
	ck_assert(!receives);
	stop(&sender);
	send_stream(TONE(440, 3) " " AAC, ID, KEY);
	ck_assert(listen_to(20, NULL));
	ck_assert_double_gt(seconds_heard(), 2.5);
}
END_TEST

START_TEST(what_has_no_sound_is_told)
{
	send_stream("-re -f lavfi -i testsrc=duration=60:size=320x240:rate=25 "
		    "-c:v mpeg2video",
	    ID, KEY);
	ck_assert(listen_to(40, NULL));
	ck_assert_str_eq(error, "The stream has no sound that can be decoded.");
}
END_TEST

START_TEST(a_port_in_use_is_told)
{
	struct child_socket first = child;

	listen_to(1, NULL);
	begin_srt();
	ck_assert(listen_to(10, NULL));
	ck_assert_str_eq(error, "The port for SRT is in use by another program.");
	child_socket_stop(&first, "ingress");
}
END_TEST

START_TEST(it_ends_with_the_gateway)
{
	pid_t pid = child.pid;

	listen_to(1, NULL);
	shutdown(child.fd, SHUT_RDWR);
	for (int i = 0; i < 50 && waitpid(pid, NULL, WNOHANG) == 0; i++)
		usleep(100000);
	ck_assert_int_eq(kill(pid, 0), -1);
	child.pid = 0;
}
END_TEST

/* ---- RTMP ---- */

static void
play(void)
{
	begin(arena_printf(mem,
	    "{\"protocol\":\"rtmp_push\",\"language\":\"en\","
	    "\"url\":\"rtmp://127.0.0.1:%d/live/" KEY "\"}",
	    port));
}

static void
setup_rtmp(void)
{
	mem = arena_new();
	port = unit_port();
}

static void
teardown_rtmp(void)
{
	teardown();
	stop(&server);
}

START_TEST(a_stream_is_played_from_the_rtmp_server)
{
	server = start_rtmp_server(mem, port);
	sender = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error " TONE(
		440, 20) " " AAC " -f flv rtmp://127.0.0.1:%d/live/" KEY,
	    port));
	usleep(1500000);
	play();
	listen_to(8, NULL);
	ck_assert_str_eq(error, "");
	ck_assert(receives);
	ck_assert_double_gt(seconds_heard(), 4);
	ck_assert_double_eq_tol(pitch_hz(1, 2), 440, 10);
	stop(&sender);
	ck_assert(listen_to(15, NULL));
}
END_TEST

START_TEST(a_stream_without_a_sender_is_no_error)
{
	server = start_rtmp_server(mem, port);
	play();
	ck_assert(listen_to(15, NULL));
	ck_assert_str_eq(error, "");
	ck_assert(!receives);
}
END_TEST

START_TEST(an_rtmp_server_that_is_away_is_told)
{
	play();
	ck_assert(listen_to(15, NULL));
	ck_assert_str_eq(error, "The RTMP server does not answer.");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ingress");
	TCase *t = tcase_create("srt");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_stream_is_heard_as_it_was_sent);
	tcase_add_test(t, the_wanted_language_is_taken_of_several);
	tcase_add_test(t, a_picture_beside_it_is_left_out);
	tcase_add_test(t, what_is_left_out_is_silence);
	tcase_add_test(t, silence_that_is_over_makes_nothing_late);
	tcase_add_test(t, what_comes_too_fast_is_decoded_as_it_is_heard);
	tcase_add_loop_test(t, a_stranger_is_refused, 0, COUNT(strangers));
	tcase_add_test(t, what_has_no_sound_is_told);
	tcase_add_test(t, a_port_in_use_is_told);
	tcase_add_test(t, it_ends_with_the_gateway);
	suite_add_tcase(s, t);
	t = tcase_create("tracks");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_silent_first_track_is_passed_over);
	tcase_add_test(t, a_first_track_that_begins_late_is_taken_again);
	tcase_add_loop_test(t, odd_sound_is_heard, 0, COUNT(odd));
	suite_add_tcase(s, t);
	t = tcase_create("rtmp");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup_rtmp, teardown_rtmp);
	tcase_add_test(t, a_stream_is_played_from_the_rtmp_server);
	tcase_add_test(t, a_stream_without_a_sender_is_no_error);
	tcase_add_test(t, an_rtmp_server_that_is_away_is_told);
	suite_add_tcase(s, t);
	return unit_run(s);
}
