/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream with a picture. The real dragoman-ingress receives it, the real
 * dragoman-egress sends it, and this test plays the gateway between them.
 */
#include "tests/unit/suite.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "audio/opus_packets.h"
#include "base/be.h"
#include "base/child.h"
#include "base/clock.h"
#include "egress/egress_wire.h"
#include "ingress/ingress_wire.h"
#include "media/picture_wire.h"
#include "tests/unit/stream_servers.h"
#include "tests/unit/unit_files.h"

#define KEY "correct-horse-battery"
#define DAY_US (86400 * S_US)
/* A flash and a beep of 0.2 s, every 2 s. */
#define FLASHES                                                                        \
	"-re -f lavfi -i \"color=black:s=320x240:r=25,format=yuv420p,drawbox=c=white:" \
	"t=fill:enable='lt(mod(t,2),0.2)'\" -f lavfi -i "                              \
	"\"aevalsrc='if(lt(mod(t,2),0.2),0.5*sin(2765*t),0)':s=48000\" -t 60 "         \
	"-c:v libx264 -preset ultrafast -g 50 -bf 2 -pix_fmt yuv420p -c:a aac"

static struct arena *mem;
static struct child_socket in, out;
static pid_t sender, server, player;
static int port;
static char folder[64];
static int64_t heard_us;

static void
begin(const char *name, struct child what, const char *order, struct child_socket *to)
{
	const char *build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";
	const char *const argv[] = { arena_printf(mem, "%s/bin/%s",
					 realpath(build, arena_alloc(mem, 4096)), name),
		NULL };

	what.argv = argv;
	what.memory_bytes = (size_t)1 << 30;
	ck_assert_int_eq(child_socket_start_packets(&what, to), OK);
	ck_assert_int_eq(send(to->fd, order, strlen(order), 0), (ssize_t)strlen(order));
}

static void
begin_out(const char *rest)
{
	begin("dragoman-egress",
	    (struct child){ .reads = EGRESS_READS,
		.writes = folder,
		.out_bytes = 1 << 24,
		.tcp = true },
	    arena_printf(mem,
		"{\"epoch_us\":%lld,\"delay_ms\":1000,\"ducked_volume\":0.2,"
		"\"allow_private\":true,\"picture\":true,%s}",
		(long long)(now_us() / DAY_US * DAY_US), rest),
	    &out);
}

/* The sender tries again until a receiver listens. */
static void
send_stream(const char *form)
{
	begin("dragoman-ingress", (struct child){ .reads = INGRESS_READS, .tcp = true },
	    arena_printf(mem,
		"{\"protocol\":\"srt_push\",\"language\":\"en\",\"port\":%d,"
		"\"stream_id\":\"hall\",\"passphrase\":\"" KEY "\",\"picture\":true}",
		port + 1),
	    &in);
	sender = spawn(arena_printf(mem,
	    "for i in 1 2 3 4 5; do ffmpeg -nostdin -loglevel error %s -f mpegts "
	    "'srt://127.0.0.1:%d?streamid=hall&passphrase=" KEY
	    "' 2>/dev/null; sleep 1; done",
	    form, port + 1));
}

static void
setup(void)
{
	mem = arena_new();
	strcpy(folder, "/tmp/dragoman-picture-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	port = unit_port();
	heard_us = 0;
}

static void
teardown(void)
{
	stop(&player);
	stop(&sender);
	child_socket_stop(&in, "ingress");
	child_socket_stop(&out, "egress");
	stop(&server);
	ck_assert_int_eq(system(arena_printf(mem, "rm -r %s", folder)), 0);
	arena_free(mem);
}

/* ---- as the gateway ---- */

static void
pass(const char *p, size_t n)
{
	struct opus_packets all = { (const unsigned char *)p + 1, n - 1 };
	unsigned char head[10] = { EGRESS_ORIGINAL, 0 };
	struct buf b = { .mem = arena_new() };

	if (*p == INGRESS_PICTURE)
		head[0] = EGRESS_PICTURE; /* of the only child: nothing is added */
	else {
		put_be32(head + 2, (uint32_t)((uint64_t)heard_us >> 32));
		put_be32(head + 6, (uint32_t)heard_us);
		heard_us += (int64_t)opus_packets_count(all) * 20000;
	}
	buf_put(&b, head, sizeof(head));
	buf_put(&b, p + 1, n - 1);
	ck_assert(send(out.fd, b.p, b.len, MSG_NOSIGNAL) >= 0 || errno == EAGAIN);
	arena_free(b.mem);
}

/* Relays for this long, or until the condition holds. */
static bool
relay(double s, bool (*until)(void))
{
	static char bytes[INGRESS_MESSAGE_MOST];
	int64_t end = monotonic_us() + (int64_t)(s * S_US);
	ssize_t n;

	while (monotonic_us() < end && (until == NULL || !until())) {
		struct pollfd p[] = { { in.fd, POLLIN, 0 }, { out.fd, POLLIN, 0 } };

		if (poll(p, 2, 50) <= 0)
			continue;
		if (p[1].revents != 0)
			recv(out.fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (p[0].revents == 0)
			continue;
		n = recv(in.fd, bytes, sizeof(bytes), 0);
		if (n > 0 && bytes[0] != INGRESS_STATUS)
			pass(bytes, (size_t)n);
	}
	return until == NULL || until();
}

static bool
has_played(void)
{
	if (waitpid(player, NULL, WNOHANG) == player)
		player = 0;
	return player == 0;
}

/* ---- what comes out ---- */

/* Returns the number that a command prints; NaN: none. */
static double
number_of(const char *command)
{
	FILE *f = popen(command, "r");
	double to;

	ck_assert_ptr_nonnull(f);
	if (fscanf(f, "%lf", &to) != 1)
		to = NAN;
	pclose(f);
	return to;
}

/* Returns the seconds from a flash to its beep in the played file. */
static double
lag_of(const char *file)
{
	double flash = number_of(arena_printf(mem,
		   "ffprobe -loglevel error -f lavfi "
		   "'movie=%s/%s,signalstats' -show_entries "
		   "frame=pts_time:frame_tags=lavfi.signalstats.YAVG -of csv=p=0 | "
		   "awk -F, '$2 < 60 { dark = 1 } dark && $2 > 120 { print $1; "
		   "exit }'",
		   folder, file)),
	       beep = number_of(arena_printf(mem,
		   "ffmpeg -nostdin -copyts -i %s/%s -af "
		   "silencedetect=noise=-30dB:d=0.5 -vn -f null - 2>&1 | "
		   "sed -n 's/.*silence_end: \\([0-9.]*\\).*/\\1/p' | head -n 1",
		   folder, file)),
	       lag = fmod(beep - flash, 2);

	return lag > 1 ? lag - 2 : lag < -1 ? lag + 2 : lag;
}

START_TEST(picture_and_sound_are_pushed_together)
{
	server = start_rtmp_server(mem, port);
	send_stream(FLASHES);
	begin_out(arena_printf(mem,
	    "\"protocol\":\"rtmp_push\",\"server\":\"rtmp://127.0.0.1:%d/live\","
	    "\"stream_key\":\"" KEY "\",\"languages\":[\"original\"]",
	    port));
	relay(8, NULL);
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -i 'rtmp://127.0.0.1:%d/live/" KEY
	    "' -t 8 -c copy -f flv -y %s/played.flv 2>/dev/null",
	    port, folder));
	ck_assert(relay(40, has_played));
	ck_assert_double_eq(
	    number_of(arena_printf(mem,
		"ffprobe -loglevel error -select_streams v -show_entries stream=width "
		"-of csv=p=0 %s/played.flv",
		folder)),
	    320);
	ck_assert_double_eq_tol(lag_of("played.flv"), 0, 0.1);
}
END_TEST

/* Called for each message, so it starts no process. */
static const char *
text_of(const char *name)
{
	return unit_text(mem, arena_printf(mem, "%s/%s", folder, name));
}

static bool
has_picture(void)
{
	return strstr(text_of("index.m3u8"), "picture-video") != NULL;
}

START_TEST(hls_shows_it)
{
	send_stream(FLASHES);
	begin_out(arena_printf(mem,
	    "\"protocol\":\"hls_pull\",\"directory\":\"%s\","
	    "\"languages\":[\"es\",\"original\"]",
	    folder));
	ck_assert(relay(40, has_picture));
	player = spawn(arena_printf(mem,
	    "exec ffmpeg -nostdin -loglevel error -allowed_extensions ALL "
	    "-i %s/original.m3u8 -t 6 -map 0:v -map 0:a -c copy -y %s/played.mkv "
	    "2>/dev/null",
	    folder, folder));
	ck_assert(relay(60, has_played));
	ck_assert_double_eq(number_of(arena_printf(mem,
				"grep -c 'RESOLUTION=320x240' %s/index.m3u8", folder)),
	    1);
	ck_assert_double_eq_tol(lag_of("played.mkv"), 0, 0.1);
}
END_TEST

static bool
is_recorded(void)
{
	return atoi(text_of("run")) > 10000;
}

START_TEST(a_recording_shows_it)
{
	send_stream(FLASHES);
	begin_out(arena_printf(mem,
	    "\"protocol\":\"recording\",\"format\":\"mp4\",\"directory\":\"%s\","
	    "\"max_bytes\":1000000000,\"reserve_bytes\":0,"
	    "\"languages\":[\"es\",\"original\"]",
	    folder));
	ck_assert(relay(60, is_recorded));
	child_socket_stop(&out, "egress"); /* SIGKILL */
	ck_assert_double_eq(
	    number_of(arena_printf(mem,
		"ffprobe -loglevel error -select_streams v -show_entries stream=width "
		"-of csv=p=0 %s/all.mp4",
		folder)),
	    320);
	ck_assert_int_eq(system(arena_printf(mem,
			     "ffmpeg -nostdin -loglevel error -i %s/all.mp4 -map 0:v "
			     "-map 0:1 -c copy -y %s/original.mkv",
			     folder, folder)),
	    0);
	ck_assert_double_eq_tol(lag_of("original.mkv"), 0, 0.1);
}
END_TEST

/* Live packagers count time from 1970. */
START_TEST(it_is_there_in_times_of_the_epoch)
{
	const char *list =
	    arena_printf(mem, "grep -cs '^in1[.]m4s' %s/in.m3u8", folder);

	ck_assert_int_eq(chmod(folder, 0755), 0);
	server = start_file_server(mem, folder, port, "");
	sender = spawn(arena_printf(mem,
	    "cd %s; exec ffmpeg -nostdin -loglevel error " FLASHES
	    " -output_ts_offset 1790000000 -f hls -hls_time 2 -hls_segment_type fmp4 "
	    "in.m3u8 2>/dev/null",
	    folder));
	for (int i = 0; i < 300 && number_of(list) != 1; i++)
		usleep(100000);
	begin("dragoman-ingress", (struct child){ .reads = INGRESS_READS, .tcp = true },
	    arena_printf(mem,
		"{\"protocol\":\"hls_pull\",\"language\":\"en\",\"url\":"
		"\"http://127.0.0.1:%d/in.m3u8\",\"allow_private\":true,"
		"\"picture\":true}",
		port),
	    &in);
	begin_out(arena_printf(mem,
	    "\"protocol\":\"hls_pull\",\"directory\":\"%s\","
	    "\"languages\":[\"es\",\"original\"]",
	    folder));
	ck_assert(relay(40, has_picture));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("picture");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, picture_and_sound_are_pushed_together);
	tcase_add_test(t, hls_shows_it);
	tcase_add_test(t, it_is_there_in_times_of_the_epoch);
	tcase_add_test(t, a_recording_shows_it);
	suite_add_tcase(s, t);
	return unit_run(s);
}
