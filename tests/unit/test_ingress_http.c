/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The real child pulls a stream by HTTP: HLS that FFmpeg makes and nginx serves, and
 * live sound of Icecast.
 */
#include "tests/unit/ingress_fixture.h"

#include <sys/stat.h>

#define HLS "-f hls -hls_time 2 -hls_list_size 4 -hls_flags delete_segments"

static char folder[] = "/tmp/dragoman-hls-XXXXXX";
static pid_t server;

static const char *
in_folder(const char *name)
{
	return arena_printf(mem, "%s/%s", folder, name);
}

static void
setup(void)
{
	mem = arena_new();
	port = unit_port();
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	chmod(folder, 0755);
}

static void
teardown_all(void)
{
	pid_t remover;

	stop(&server);
	remover = spawn(arena_printf(mem, "rm -rf %s", folder));
	waitpid(remover, NULL, 0);
	teardown();
}

static void
serve_folder(void)
{
	server = start_file_server(mem, folder, port, "");
}

static void
send_files(const char *words)
{
	sender = spawn(arena_printf(mem,
	    "cd %s; exec ffmpeg -nostdin -loglevel error -y %s 2>/dev/null", folder,
	    words));
}

/* Waits until a file exists. */
static void
await_file(const char *name)
{
	await(access(in_folder(name), R_OK) == 0);
}

/* Waits until this many seconds of sound were received, at most a minute. */
static void
hear(double s)
{
	bool over = false;

	for (int64_t end = monotonic_us() + 60 * S_US;
	     !over && seconds_heard() < s && monotonic_us() < end;)
		take_message(100, &over);
	ck_assert_double_ge(seconds_heard(), s);
}

/* ---- HLS ---- */

static const char *const kinds[] = {
	TONE(440, 60) " " AAC " " HLS " live.m3u8",
	TONE(440, 60) " " AAC " " HLS " -hls_segment_type fmp4 live.m3u8",
	TONE(440, 60) " -c:a libmp3lame " HLS " live.m3u8",
	TONE(440, 60) " " AAC " -f segment -segment_time 2 -segment_format adts "
		      "-segment_list_size 4 -segment_list_flags live -segment_list "
		      "live.m3u8 %d.aac",
	"-re -f lavfi -i testsrc=size=160x120:rate=10 " TONE(
	    440, 60) " -c:v libx264 "
		     "-preset ultrafast -g 20 " AAC " " HLS " live.m3u8",
};

START_TEST(a_live_playlist_is_heard)
{
	serve_folder();
	send_files(kinds[_i]);
	await_file("live.m3u8");
	pull("live.m3u8", true);
	hear(8);
	ck_assert_str_eq(error, "");
	ck_assert(receives);
	ck_assert_double_eq_tol(pitch_hz(1, 6), 440, 5);
}
END_TEST

START_TEST(the_rendition_of_the_language_is_taken)
{
	serve_folder();
	send_files("-re -f lavfi -i testsrc=size=160x120:rate=10 " TONE(
	    440, 60) " " TONE(880,
	    60) " -map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast -g 20 " AAC
		" " HLS
		" -var_stream_map 'v:0,agroup:s a:0,agroup:s,language:en,default:yes "
		"a:1,agroup:s,language:es' -master_pl_name all.m3u8 live-%v.m3u8");
	await_file("all.m3u8");
	await_file("live-2.m3u8");
	pull("all.m3u8", true);
	hear(5);
	ck_assert_double_eq_tol(pitch_hz(1, 3), 880, 10);
}
END_TEST

START_TEST(a_live_playlist_is_begun_near_its_end)
{
	serve_folder();
	send_files(
	    "-f lavfi -i sine=frequency=440:duration=60 -f lavfi -i "
	    "sine=frequency=880:duration=6 -filter_complex concat=n=2:v=0:a=1 " AAC
	    " -f hls -hls_time 2 -hls_list_size 0 -hls_flags omit_endlist "
	    "live.m3u8");
	waitpid(sender, NULL, 0);
	sender = 0;
	pull("live.m3u8", true);
	hear(4);
	ck_assert_double_eq_tol(pitch_hz(2.5, 1), 880, 20);
}
END_TEST

/* Pulls these segments when FFmpeg has written them. */
static void
pull_list(const char *segments)
{
	FILE *f = fopen(in_folder("live.m3u8"), "w");

	waitpid(sender, NULL, 0);
	sender = 0;
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#EXTM3U\n#EXT-X-TARGETDURATION:14\n%s", segments);
	fclose(f);
	serve_folder();
	pull("live.m3u8", true);
}

/* The stream changes as at advertisements: new track numbers in MPEG-TS, new times. */
START_TEST(other_tracks_after_a_discontinuity_are_heard)
{
	send_files("-f lavfi -i sine=frequency=440:duration=4 " AAC " a.ts "
		   "-f lavfi -i sine=frequency=880:duration=8 -map 1 " AAC
		   " -mpegts_start_pid 0x300 -mpegts_pmt_start_pid 0x200 b.ts");
	pull_list("#EXTINF:4,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:8,\nb.ts\n"
		  "#EXT-X-DISCONTINUITY\n#EXTINF:4,\na.ts\n");
	hear(11);
	ck_assert_str_eq(error, "");
	ck_assert_double_eq_tol(pitch_hz(1, 2), 440, 20);
	ck_assert_double_eq_tol(pitch_hz(5, 3), 880, 20);
	ck_assert_double_eq_tol(pitch_hz(seconds_heard() - 1, 1), 440, 20);
}
END_TEST

#define H264 "-c:v libx264 -preset ultrafast -g 10 " AAC

/* Start of the second of three files, seconds; the others begin at 0. */
static const char *const offsets[] = { "5000", "90000" };

START_TEST(pictures_stay_beside_the_sound)
{
	send_files(arena_printf(mem,
	    "-f lavfi -i testsrc=duration=6:size=160x120:rate=10 -itsoffset 0.5 -f "
	    "lavfi -i "
	    "sine=duration=6 " H264 " a.ts " H264 " -output_ts_offset %s b.ts",
	    offsets[_i]));
	pull_list("#EXTINF:6,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\nb.ts\n"
		  "#EXT-X-DISCONTINUITY\n#EXTINF:6,\na.ts\n");
	hear(17);
	ck_assert_double_gt(shown_s, 14);
	ck_assert_double_lt(astray_s, 3);
}
END_TEST

/* English and Spanish tracks; the Spanish one has no packets at some times. */
static void
pull_tracks(const char *without)
{
	send_files(arena_printf(mem,
	    "-f lavfi -i sine=frequency=440:duration=14 -f lavfi -i "
	    "sine=frequency=880:duration=14 -map 0 -map 1 " AAC
	    " -metadata:s:a:0 language=eng -metadata:s:a:1 language=spa "
	    "-bsf:a:1 noise=drop='%s' a.ts",
	    without));
	pull_list("#EXTINF:14,\na.ts\n");
}

START_TEST(the_wanted_language_is_taken_again)
{
	pull_tracks("between(n\\,215\\,388)");
	hear(13);
	ck_assert_double_eq_tol(pitch_hz(1, 3), 880, 10);
	ck_assert_double_eq_tol(pitch_hz(7.5, 1), 440, 10);
	ck_assert_double_eq_tol(pitch_hz(10, 3), 880, 10);
}
END_TEST

START_TEST(a_wanted_language_that_says_nothing_is_not_waited_for)
{
	pull_tracks("1");
	hear(8);
	ck_assert_double_eq_tol(pitch_hz(1, 6), 440, 10);
}
END_TEST

START_TEST(a_sender_that_comes_back_is_heard_again)
{
	serve_folder();
	send_files(TONE(440, 60) " " AAC " " HLS " live.m3u8");
	await_file("live.m3u8");
	pull("live.m3u8", true);
	hear(4);
	stop(&sender);
	unlink(in_folder("live.m3u8"));
	listen_to(30, "The server of the stream answers 404.");
	ck_assert_str_eq(error, "The server of the stream answers 404.");
	ck_assert(!receives);
	error[0] = '\0';
	heard.len = 0;
	send_files(TONE(880, 60) " " AAC " " HLS " live.m3u8");
	hear(12);
	ck_assert_double_eq_tol(pitch_hz(10, 1), 880, 20);
	ck_assert(receives);
}
END_TEST

START_TEST(a_server_that_stays_away_ends_the_child)
{
	pull("live.m3u8", true);
	ck_assert(listen_to(60, NULL));
	ck_assert_str_eq(
	    error, "The stream cannot be fetched: Couldn't connect to server.");
}
END_TEST

/* Starts another child after one has ended, as the gateway does. */
static void
follow(int s)
{
	for (int64_t end = monotonic_us() + s * S_US; monotonic_us() < end;)
		if (listen_to(1, NULL)) {
			child_socket_stop(&child, "ingress");
			pull("live.m3u8", true);
		}
}

/* Returns the number of segments in its playlist: some of the missed ones, or all. */
static const char *const lists[] = { "4", "20" };

/* The stream has a picture, so that the child buffers little of it. */
START_TEST(a_server_that_stalled_is_caught_up_with)
{
	serve_folder();
	send_files(arena_printf(mem,
	    "-re -f lavfi -i testsrc=size=640x360:rate=25 " TONE(
		440, 90) " -c:v libx264 -preset ultrafast -qp 8 -g 50 " AAC
			 " -f hls -hls_time 2 -hls_list_size %s "
			 "-hls_flags delete_segments live.m3u8",
	    lists[_i]));
	await_file("live.m3u8");
	pull("live.m3u8", true);
	hear(6);
	kill(server, SIGSTOP);
	follow(12);
	kill(server, SIGCONT);
	follow(14);
	heard.len = 0;
	hear(16);
	for (int s = 0; s < 16; s++)
		ck_assert_int_gt(loudest(s, 1), 1000);
}
END_TEST

/* The child reads the system's list of trusted authorities, which its rules allow. */
START_TEST(a_certificate_without_an_authority_is_reported)
{
	pid_t made = spawn(arena_printf(mem,
	    "cd %s && exec openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out "
	    "cert -subj /CN=127.0.0.1 2>/dev/null",
	    folder));

	waitpid(made, NULL, 0);
	server = start_file_server(mem, folder, port,
	    arena_printf(mem,
		" ssl; ssl_certificate %s/cert; ssl_certificate_key %s/key", folder,
		folder));
	begin(arena_printf(mem,
	    "{\"protocol\":\"hls_pull\",\"language\":\"es\",\"url\":"
	    "\"https://127.0.0.1:%d/live.m3u8\",\"allow_private\":true}",
	    port));
	for (int i = 0; i < 10 && error[0] == '\0'; i++)
		listen_to(1, NULL);
	ck_assert_msg(
	    strstr(error, "the certificate is not valid") != NULL, "%s", error);
}
END_TEST

/* ---- Icecast ---- */

static const char *const mounts[] = {
	"-c:a libmp3lame -b:a 64k -f mp3 -content_type audio/mpeg",
	"-c:a aac -b:a 64k -f adts -content_type audio/aac",
	"-c:a libopus -f ogg -content_type audio/ogg",
	"-c:a libvorbis -f ogg -content_type audio/ogg",
	AAC " -f mpegts -content_type video/mp2t",
};

START_TEST(a_live_sound_is_heard)
{
	server = start_icecast(mem, port);
	send_files(arena_printf(mem,
	    TONE(440, 60) " %s icecast://source:" ICECAST_PASSWORD "@127.0.0.1:%d/live",
	    mounts[_i], port));
	await(is_served(port, "/live"));
	pull("live", true);
	hear(6);
	ck_assert_str_eq(error, "");
	ck_assert(receives);
	ck_assert_double_eq_tol(pitch_hz(1, 4), 440, 5);
	stop(&sender);
	ck_assert(listen_to(15, NULL)); /* the next child waits for its sender */
	ck_assert_str_eq(error, "");
}
END_TEST

static const struct {
	const char *words, *error;
} unfit[] = {
	{ "-re -f lavfi -i testsrc=size=160x120:rate=10 -c:v libvpx -deadline realtime "
	  "-f webm -content_type video/webm",
	    "The stream's format is not supported." },
	{ "-re -f lavfi -i testsrc=size=160x120:rate=10 -c:v mpeg2video -f mpegts "
	  "-content_type video/mp2t",
	    "The stream has no sound that can be decoded." },
};

START_TEST(what_cannot_be_decoded_is_told)
{
	server = start_icecast(mem, port);
	send_files(arena_printf(mem,
	    "%s icecast://source:" ICECAST_PASSWORD "@127.0.0.1:%d/live",
	    unfit[_i].words, port));
	await(is_served(port, "/live"));
	pull("live", true);
	ck_assert(listen_to(40, NULL));
	ck_assert_str_eq(error, unfit[_i].error);
}
END_TEST

START_TEST(a_server_that_is_away_is_asked_again)
{
	pull("live.m3u8", true);
	listen_to(10, "The stream cannot be fetched: Couldn't connect to server.");
	ck_assert_ptr_nonnull(strstr(error, "connect to server."));
	error[0] = '\0';
	serve_folder();
	send_files(kinds[0]);
	hear(4);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ingress by HTTP");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown_all);
	tcase_add_loop_test(t, a_live_playlist_is_heard, 0, COUNT(kinds));
	tcase_add_test(t, the_rendition_of_the_language_is_taken);
	tcase_add_test(t, a_live_playlist_is_begun_near_its_end);
	tcase_add_test(t, other_tracks_after_a_discontinuity_are_heard);
	tcase_add_loop_test(t, pictures_stay_beside_the_sound, 0, COUNT(offsets));
	tcase_add_test(t, the_wanted_language_is_taken_again);
	tcase_add_test(t, a_wanted_language_that_says_nothing_is_not_waited_for);
	tcase_add_test(t, a_sender_that_comes_back_is_heard_again);
	tcase_add_test(t, a_server_that_is_away_is_asked_again);
	tcase_add_test(t, a_server_that_stays_away_ends_the_child);
	tcase_add_test(t, a_certificate_without_an_authority_is_reported);
	tcase_add_loop_test(t, a_live_sound_is_heard, 0, COUNT(mounts));
	tcase_add_loop_test(t, what_cannot_be_decoded_is_told, 0, COUNT(unfit));
	suite_add_tcase(s, t);
	t = tcase_create("late");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown_all);
	tcase_add_loop_test(
	    t, a_server_that_stalled_is_caught_up_with, 0, COUNT(lists));
	suite_add_tcase(s, t);
	return unit_run(s);
}
