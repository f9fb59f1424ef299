/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output of a channel, made by the real child with nginx as a real RTMP server;
 * FFmpeg checks the result.
 */
#include "tests/unit/egress_fixture.h"

#define HLS "-allowed_extensions ALL -live_start_index 0 "

static void
begin_hls(void)
{
	begin(arena_printf(mem,
	    "{\"protocol\":\"hls_pull\",\"directory\":\"%s\",\"epoch_us\":%lld,"
	    "\"delay_ms\":0,\"ducked_volume\":0.2,\"languages\":[\"es\",\"original\"]}",
	    folder, (long long)(now_us() / DAY_US * DAY_US)));
}

static bool
has_index(void)
{
	return access(in_folder("index.m3u8"), R_OK) == 0;
}

/* ---- HLS ---- */

START_TEST(each_language_is_a_rendition)
{
	struct sound es, original;

	hz[0] = SPANISH;
	hz[1] = ORIGINAL;
	begin_hls();
	put_caption(0, 2000, "Buenos días a <todos> & más\nsegunda fila");
	ck_assert(feed(60, has_index));
	feed(4.5, NULL);
	ck_assert_str_eq(error, "");
	ck_assert(is_active());
	ck_assert_int_gt(bitrate, 60000);
	ck_assert_str_eq(
	    said_by(arena_printf(mem,
		"sed -n 's/.*TYPE=\\([A-Z]*\\),.*,URI=\"\\(.*\\)\"/\\1 \\2/p' "
		"%s/index.m3u8 | tr '\\n' ' '",
		folder)),
	    "AUDIO es-audio.m3u8 AUDIO original-audio.m3u8 "
	    "SUBTITLES es-text.m3u8 SUBTITLES original-text.m3u8 ");
	es = sound_of(HLS, in_folder("es.m3u8"));
	original = sound_of(HLS, in_folder("original.m3u8"));
	ck_assert_double_eq_tol(es.spanish, 0.24, 0.05);
	ck_assert_double_eq_tol(es.original, 0.24 * 0.2, 0.02);
	ck_assert_double_eq_tol(original.original, 0.24, 0.05);
	ck_assert_double_lt(original.spanish, 0.01);
	ck_assert_str_eq(said_by(arena_printf(mem,
			     "grep -h -A1 Buenos %s/es-*.vtt | head -n 2 | "
			     "tr '\\n' '/'",
			     folder)),
	    "Buenos días a &lt;todos&gt; &amp; más/segunda fila/");
}
END_TEST

/*
 * Media time is the clock's time, so that segments of different processes fit together.
 */
START_TEST(another_child_goes_on)
{
	const char *at = "ffprobe -loglevel error " HLS "-show_entries packet=pts_time "
			 "-of csv=nk=1:p=0 %s/es-audio.m3u8";
	double first;
	long number;

	hz[0] = SPANISH;
	begin_hls();
	ck_assert(feed(60, has_index));
	first = atof(said_by(arena_printf(mem, at, folder)));
	ck_assert_double_eq_tol(first, (double)(now_us() % DAY_US) / S_US, 12);
	number = atol(said_by(
	    arena_printf(mem, "sed -n 's/.*-SEQUENCE://p' %s/es-audio.m3u8", folder)));
	ck_assert_int_le(number, now_us() / S_US / 4 - 1);
	ck_assert_int_ge(number, now_us() / S_US / 4 - 3);
	fclose(fopen(in_folder("es-5.m4s"), "w")); /* of long ago */
	child_socket_stop(&child, "egress");
	ck_assert_int_eq(unlink(in_folder("index.m3u8")), 0);
	begin_hls();
	ck_assert(feed(60, has_index));
	ck_assert_double_eq_tol(atof(said_by(arena_printf(mem, at, folder))),
	    (double)(now_us() % DAY_US) / S_US, 12);
	ck_assert_int_gt(atol(said_by(arena_printf(mem,
			     "sed -n 's/.*-SEQUENCE://p' %s/es-audio.m3u8", folder))),
	    number);
	ck_assert_int_ne(access(in_folder("es-5.m4s"), F_OK), 0);
}
END_TEST

/* ---- pushed ---- */

START_TEST(rtmp_is_pushed_and_goes_on)
{
	struct sound es;

	hz[0] = SPANISH;
	hz[1] = ORIGINAL; /* after the only language */
	begin_push("rtmp_push", arena_printf(mem, "rtmp://127.0.0.1:%d/live", port),
	    KEY, ",\"allow_private\":true");
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, "The server does not answer.");
	server = start_rtmp_server(mem, port);
	ck_assert(feed(60, is_active));
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -i 'rtmp://127.0.0.1:%d/live/" KEY
	    "' -t 4 -c copy -y -f flv %s/played.flv 2>/dev/null",
	    port, folder));
	ck_assert(feed(60, has_played));
	es = sound_of("", in_folder("played.flv"));
	ck_assert_double_eq_tol(es.spanish, 0.24, 0.05);
	ck_assert_double_eq_tol(es.original, 0.24 * 0.2, 0.02);
	ck_assert_int_gt(bitrate, 60000);
	stop(&server);
	ck_assert(feed(60, has_error));
	server = start_rtmp_server(mem, port);
	ck_assert(feed(60, is_active));
	ck_assert_str_eq(error, "");
}
END_TEST

static const char *const keys[] = { "a/b/c", "mp4:talk.flv", "key?token=1&b=/2" };

/* No part of the key may be read as a part of an address. */
START_TEST(an_rtmp_key_is_taken_as_it_is)
{
	hz[0] = SPANISH;
	server = start_rtmp_server(mem, port);
	begin_push("rtmp_push", arena_printf(mem, "rtmp://127.0.0.1:%d/live/", port),
	    keys[_i], ",\"allow_private\":true");
	ck_assert(feed(60, is_active));
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -rtmp_app live -rtmp_playpath '%s' "
	    "-i 'rtmp://127.0.0.1:%d' -t 3 -c copy -y -f flv %s/played.flv 2>/dev/null",
	    keys[_i], port, folder));
	ck_assert(feed(60, has_played));
	ck_assert_double_eq_tol(
	    sound_of("", in_folder("played.flv")).spanish, 0.24, 0.05);
}
END_TEST

START_TEST(srt_is_pushed)
{
	hz[0] = SPANISH;
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -i "
	    "'srt://127.0.0.1:%d?mode=listener&passphrase=" KEY
	    "' -t 4 -c copy -y -f mpegts %s/played.ts 2>/dev/null",
	    port, folder));
	usleep(500000);
	begin_push("srt_push", arena_printf(mem, "srt://127.0.0.1:%d", port), KEY,
	    ",\"allow_private\":true,\"stream_id\":\"studio\"");
	ck_assert(feed(60, is_active));
	ck_assert(feed(60, has_played));
	ck_assert_double_eq_tol(
	    sound_of("", in_folder("played.ts")).spanish, 0.24, 0.05);
}
END_TEST

/* ---- what is not done ---- */

static const struct {
	const char *protocol, *server, *why;
} wrong[] = {
	{ "rtmp_push", "rtmp://127.0.0.1/live",
	    "The server's address is not a public one." },
	{ "srt_push", "srt://[::1]:9000", "The server's address is not a public one." },
	{ "icecast_push", "http://localhost:8000",
	    "The server cannot be called: the address is not a public one." },
	{ "icecast_push", "https://source@192.0.2.1",
	    "The server's address is of another protocol." },
	{ "rtmp_push", "rtmp://10.1.2.3/live",
	    "The server's address is not a public one." },
	{ "rtmp_push", "file:///etc/passwd",
	    "The server's address is of another protocol." },
	{ "rtmp_push", "rtmp://10.1.2.3", "The server's address is not a public one." },
	{ "srt_push", "udp://192.0.2.1:9000",
	    "The server's address is of another protocol." },
};

START_TEST(a_server_that_must_not_be_called_is_not)
{
	begin_push(wrong[_i].protocol, wrong[_i].server, KEY, ",\"mount\":\"/es.mp3\"");
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, wrong[_i].why);
}
END_TEST

/* Simulates a replaced /etc/resolv.conf, which the child's rules do not allow. */
START_TEST(a_child_that_cannot_look_up_names_any_more_ends)
{
	static const char *const none[] = { NULL };

	if (!child_sandbox_parts().landlock)
		return;
	reads = _i == 0 ? none : EGRESS_READS;
	begin_push("rtmp_push", "rtmp://nowhere.invalid/live", KEY, "");
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, "The server does not answer.");
	ck_assert(feed(15, has_ended) == (_i == 0));
	ck_assert_str_eq(error, "The server does not answer.");
}
END_TEST

START_TEST(garbage_is_passed_over)
{
	static const char *const garbage[] = { "A", "A\377", "A\001", "C\001abc",
		"F\100", "X", "A\001\001\377\377no sound" };

	hz[0] = SPANISH;
	begin_hls();
	for (size_t i = 0; i < COUNT(garbage); i++)
		send(child.fd, garbage[i], strlen(garbage[i]), 0);
	ck_assert(feed(60, is_active));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("egress");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 90);
	tcase_add_test(t, each_language_is_a_rendition);
	tcase_add_test(t, another_child_goes_on);
	tcase_add_test(t, rtmp_is_pushed_and_goes_on);
	tcase_add_loop_test(t, an_rtmp_key_is_taken_as_it_is, 0, COUNT(keys));
	tcase_add_test(t, srt_is_pushed);
	tcase_add_loop_test(
	    t, a_server_that_must_not_be_called_is_not, 0, COUNT(wrong));
	tcase_add_loop_test(t, a_child_that_cannot_look_up_names_any_more_ends, 0, 2);
	tcase_add_test(t, garbage_is_passed_over);
	suite_add_tcase(s, t);
	return unit_run(s);
}
