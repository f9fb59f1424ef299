/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests for playlists to come, and the thread that holds them. Sockets of this
 * process are the clients.
 */
#include "tests/unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/hls_thread.h"

/* Segments 100 to 108 of 4 s, parts of 108, and two parts of 109. */
#define HEAD                                                                           \
	"#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:4\n"                         \
	"#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=24.0,"              \
	"PART-HOLD-BACK=1.56\n#EXT-X-PART-INF:PART-TARGET=0.52\n"                      \
	"#EXT-X-MEDIA-SEQUENCE:100\n"
#define BEFORE                                                                         \
	"#EXT-X-PROGRAM-DATE-TIME:2026-01-01T10:00:00.000Z\n"                          \
	"#EXT-X-MAP:URI=\"es-init-0.mp4\"\n"                                           \
	"#EXTINF:4.00000,\nes-100.m4s\n#EXTINF:4.00000,\nes-101.m4s\n"                 \
	"#EXTINF:4.00000,\nes-102.m4s\n"
#define REST                                                                           \
	"#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"es-init-0.mp4\"\n"                     \
	"#EXTINF:4.00000,\nes-103.m4s\n#EXTINF:4.00000,\nes-104.m4s\n"                 \
	"#EXTINF:4.00000,\nes-105.m4s\n#EXTINF:4.00000,\nes-106.m4s\n"                 \
	"#EXTINF:4.00000,\nes-107.m4s\n"                                               \
	"#EXT-X-PART:DURATION=0.50,URI=\"es-108p0.m4s\",INDEPENDENT=YES\n"             \
	"#EXT-X-PART:DURATION=0.50,URI=\"es-108p1.m4s\",INDEPENDENT=YES\n"             \
	"#EXTINF:4.00000,\nes-108.m4s\n"                                               \
	"#EXT-X-PART:DURATION=0.50,URI=\"es-109p0.m4s\",INDEPENDENT=YES\n"             \
	"#EXT-X-PART:DURATION=0.50,URI=\"es-109p1.m4s\",INDEPENDENT=YES\n"
#define HINT "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"es-109p2.m4s\"\n"
#define NEXT_PART "#EXT-X-PART:DURATION=0.50,URI=\"es-109p2.m4s\",INDEPENDENT=YES\n"
#define PLAYLIST HEAD BEFORE REST HINT

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* ---- playlists ---- */

static const struct {
	int64_t segment, part;
	enum hls_reload_verdict is;
} requests[] = {
	{ -1, -1, HLS_RELOAD_NOW },
	{ 5, -1, HLS_RELOAD_NOW },
	{ 108, -1, HLS_RELOAD_NOW },
	{ 108, 1, HLS_RELOAD_NOW },
	{ 108, 2, HLS_RELOAD_NOW }, /* it has two parts: the first of 109 is meant */
	{ 109, 0, HLS_RELOAD_NOW },
	{ 109, 1, HLS_RELOAD_NOW },
	{ 109, 2, HLS_RELOAD_LATER },
	{ 109, 7, HLS_RELOAD_LATER }, /* 3 s ahead, at most */
	{ 109, 8, HLS_RELOAD_NEVER },
	{ 109, -1, HLS_RELOAD_LATER },
	{ 110, 0, HLS_RELOAD_LATER },
	{ 110, -1, HLS_RELOAD_LATER },
	{ 110, 6, HLS_RELOAD_NEVER },
	{ 111, -1, HLS_RELOAD_NEVER },
	{ 999999999999999, 0, HLS_RELOAD_NEVER },
};

START_TEST(a_playlist_is_waited_for_only_if_it_comes_soon)
{
	const struct hls_reload r = { requests[_i].segment, requests[_i].part, false };

	ck_assert_int_eq(hls_reload_verdict(PLAYLIST, &r), requests[_i].is);
}
END_TEST

/* A playlist whose writer knows nothing of it, or that has no parts. */
START_TEST(other_playlists_are_not_waited_for)
{
	const struct hls_reload r = { .segment = 109, .part = -1 },
				far = { .segment = 999, .part = 0 };
	const char *text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:7\n"
			   "#EXTINF:4.00000,\nes-7.m4s\n";

	ck_assert_int_eq(hls_reload_verdict(text, &far), HLS_RELOAD_NOW);
	text = "#EXTM3U\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES\n"
	       "#EXT-X-MEDIA-SEQUENCE:108\n#EXTINF:1.00000,\nes-108.vtt\n";
	ck_assert_int_eq(hls_reload_verdict(text, &r), HLS_RELOAD_LATER);
	ck_assert_int_eq(hls_reload_verdict(text, &far), HLS_RELOAD_NEVER);
}
END_TEST

static const struct {
	const char *text;
	int64_t is;
} numbers[] = { { "0", 0 }, { "109", 109 }, { "999999999999999", 999999999999999 },
	{ "", -1 }, { "-1", -1 }, { "1.5", -1 }, { "0x9", -1 }, { "+1", -1 },
	{ " 1", -1 }, { "1 ", -1 }, { "1000000000000000", -1 } };

START_TEST(numbers_are_digits)
{
	ck_assert_int_eq(hls_reload_number(numbers[_i].text), numbers[_i].is);
}
END_TEST

/* 37 s are listed, and 24 s must stay. */
START_TEST(a_delta_leaves_out_what_is_old)
{
	ck_assert_str_eq(hls_reload_delta(mem, PLAYLIST),
	    HEAD "#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n" REST HINT);
}
END_TEST

START_TEST(a_delta_of_a_short_playlist_is_the_playlist)
{
	const char *text = HEAD REST HINT;

	ck_assert_ptr_eq(hls_reload_delta(mem, text), text);
	text = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n" BEFORE BEFORE BEFORE REST;
	ck_assert_ptr_eq(hls_reload_delta(mem, text), text);
	ck_assert_str_eq(hls_reload_delta(mem, "#EXTM3U\n"), "#EXTM3U\n");
}
END_TEST

START_TEST(the_announced_part_is_known)
{
	ck_assert(hls_reload_announces(PLAYLIST, "es-109p2.m4s"));
	ck_assert(!hls_reload_announces(PLAYLIST, "es-109p1.m4s"));
	ck_assert(!hls_reload_announces(PLAYLIST, "es-109p2"));
	ck_assert(!hls_reload_announces(HEAD REST, "es-109p2.m4s"));
}
END_TEST

/* ---- the thread ---- */

static char folder[64];
static struct hls_thread *thread;

static void
put_file(const char *name, const char *text)
{
	const char *draft = arena_printf(mem, "%s/.draft", folder);
	FILE *f = fopen(draft, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(rename(draft, arena_printf(mem, "%s/%s", folder, name)), 0);
}

static void
start(void)
{
	struct rlimit files = { 16384, 16384 };

	setup();
	ck_assert(setrlimit(RLIMIT_NOFILE, &files) == 0 || errno == EPERM);
	strcpy(folder, "/tmp/dragoman-hls-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	thread = hls_thread_start(mem);
	ck_assert_ptr_nonnull(thread);
	put_file("es-audio.m3u8", PLAYLIST);
}

static void
finish(void)
{
	ck_assert_int_eq(system(arena_printf(mem, "rm -r %s", folder)), 0);
	/* mem is not freed: the thread ends with this process */
}

/* Sends a request; returns the client's socket. copy: of the server's socket. */
static int
request_by(const char *network, const char *file, struct hls_reload reload, int *copy)
{
	struct connection_request *v =
	    (struct connection_request *)actor_message_new(sizeof(*v) + 1024);
	struct arena *to = v->call.message.mem;
	struct hls_request *is = arena_alloc(to, sizeof(*is));
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	*is = (struct hls_request){ .folder = arena_str(to, folder),
		.file = arena_str(to, file),
		.kind = hls_file_of(file),
		.reload = reload,
		.refusal = arena_str(to, "HTTP/1.1 503 \r\n\r\n"),
		.refusal_bytes = strlen("HTTP/1.1 503 \r\n\r\n") };
	v->hls = is;
	v->fd = pair[1];
	v->network = arena_str(to, network);
	if (copy != NULL)
		*copy = dup(pair[1]);
	hls_thread_add(thread, v);
	return pair[0];
}

static int
request_from(const char *network, const char *file, struct hls_reload reload)
{
	return request_by(network, file, reload, NULL);
}

static int
request(const char *file, int64_t segment, int64_t part)
{
	return request_from(
	    "192.0.2.1", file, (struct hls_reload){ segment, part, false });
}

/* Reads the answer; NULL: none comes within this time. */
static const char *
answer(int fd, int ms)
{
	struct buf b = { .mem = mem };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	while (poll(&p, 1, ms) > 0 && (n = read(fd, buf_room(&b, 4096), 4096)) > 0)
		b.len += (size_t)n;
	close(fd);
	return b.len > 0 ? buf_text(&b) : NULL;
}

static const char *
body_of(const char *text)
{
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text, "\r\n\r\n"));
	return strstr(text, "\r\n\r\n") + 4;
}

START_TEST(what_is_there_is_sent_at_once)
{
	const char *is = answer(request("es-audio.m3u8", 109, 1), 2000);

	ck_assert_str_eq(body_of(is), PLAYLIST);
	ck_assert_ptr_nonnull(strstr(is, "HTTP/1.1 200 OK\r\n"));
	ck_assert_ptr_nonnull(
	    strstr(is, "Content-Type: application/vnd.apple.mpegurl\r\n"));
	ck_assert_ptr_nonnull(strstr(is, "Cache-Control: public, max-age=4\r\n"));
	ck_assert_ptr_nonnull(strstr(is, "Access-Control-Allow-Origin: *\r\n"));
	is = answer(request_from("192.0.2.1", "es-audio.m3u8",
			(struct hls_reload){ -1, -1, true }),
	    2000);
	ck_assert_ptr_nonnull(strstr(is, "Cache-Control: public, max-age=1\r\n"));
	ck_assert_ptr_nonnull(strstr(is, "#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n"));
	put_file("es-109p1.m4s", "sound");
	is = answer(request("es-109p1.m4s", -1, -1), 2000);
	ck_assert_ptr_nonnull(
	    strstr(is, "Cache-Control: public, max-age=86400, immutable\r\n"));
	ck_assert_str_eq(body_of(is), "sound");
}
END_TEST

START_TEST(what_comes_is_waited_for)
{
	int list = request("es-audio.m3u8", 109, 2),
	    later = request("es-audio.m3u8", 109, 3),
	    part = request("es-109p2.m4s", -1, -1);
	int64_t began;

	usleep(100000);
	put_file("de-audio.m3u8", PLAYLIST);
	put_file("es-audio.m3u8", PLAYLIST); /* has no more */
	usleep(100000);
	began = monotonic_us();
	put_file("es-109p2.m4s", "sound");
	put_file("es-audio.m3u8", HEAD BEFORE REST NEXT_PART);
	ck_assert_str_eq(body_of(answer(part, 2000)), "sound");
	ck_assert_str_eq(body_of(answer(list, 2000)), HEAD BEFORE REST NEXT_PART);
	ck_assert_int_lt(monotonic_us() - began, S_US);
	ck_assert_ptr_null(answer(later, 300));
}
END_TEST

START_TEST(nothing_is_held_for_ever)
{
	int64_t began = monotonic_us();
	int list = request("es-audio.m3u8", 109, 2),
	    part = request("es-109p2.m4s", -1, -1);
	const char *is = answer(list, 20000);

	ck_assert_ptr_nonnull(is);
	ck_assert_int_eq(strncmp(is, "HTTP/1.1 503 ", 13), 0);
	ck_assert_int_eq(strncmp(answer(part, 1000), "HTTP/1.1 503 ", 13), 0);
	ck_assert_int_ge(monotonic_us() - began, (HLS_HELD_S - 1) * S_US);
	ck_assert_int_le(monotonic_us() - began, (HLS_HELD_S + 2) * S_US);
}
END_TEST

/* Clients that do not read cannot take the memory. */
START_TEST(the_oldest_answers_that_are_not_read_end)
{
	char *text = arena_alloc(mem, (8 << 20) + 1);
	struct pollfd first = { 0 };
	int64_t kept = 0;

	memset(text, 'a', 8 << 20);
	put_file("es-109p1.m4s", text);
	first.fd = request("es-109p1.m4s", -1, -1);
	for (int i = 0; i < 30; i++) {
		request("es-109p1.m4s", -1, -1);
		usleep(20000);
	}
	await(poll(&first, 1, 0) > 0); /* it has been closed */
	ck_assert_uint_lt(strlen(body_of(answer(first.fd, 20000))), 8 << 20);
	/* refused while the others are still being accepted */
	await(
	    strlen(body_of(answer(request("es-109p1.m4s", -1, -1), 20000))) == 8 << 20);
	hls_thread_count(thread, &kept);
	ck_assert_int_ge(kept, 2);
	ck_assert_int_le(kept, 8);
}
END_TEST

/* `dragoman serve` may have the connection for a moment after it was answered. */
START_TEST(a_connection_that_another_process_has_is_forgotten)
{
	clock_t before;
	int fd, copy;

	put_file("es-109p1.m4s", "sound");
	fd = request_by(
	    "192.0.2.1", "es-109p1.m4s", (struct hls_reload){ -1, -1, false }, &copy);
	body_of(answer(fd, 300)); /* closes it */
	before = clock();
	request("es-audio.m3u8", 109, 2); /* the thread has something to wait for */
	usleep(500000);
	ck_assert_int_lt(clock() - before, CLOCKS_PER_SEC / 10);
	close(copy);
}
END_TEST

/* One address cannot take the places of others, and all together not more than all. */
START_TEST(only_so_many_are_held)
{
	const struct hls_reload later = { 109, 2, false };
	int n = 0, held[HLS_HELD_MOST];
	int64_t counted;
	const char *is;

	for (; n < HLS_HELD_OF_NETWORK; n++)
		held[n] = request("es-audio.m3u8", 109, 2);
	is = answer(request("es-audio.m3u8", 109, 2), 5000);
	ck_assert_int_eq(strncmp(is, "HTTP/1.1 503 ", 13), 0);
	for (; n < HLS_HELD_MOST; n++)
		held[n] = request_from(
		    arena_printf(mem, "192.0.2.%d", 2 + n / HLS_HELD_OF_NETWORK),
		    "es-audio.m3u8", later);
	is = answer(request_from("198.51.100.1", "es-audio.m3u8", later), 5000);
	ck_assert_int_eq(strncmp(is, "HTTP/1.1 503 ", 13), 0);
	ck_assert_int_eq(hls_thread_count(thread, &counted), 2);
	ck_assert_int_ge(counted, HLS_HELD_MOST);
	ck_assert_int_eq(hls_thread_count(thread, &counted), 0);
	/* an existing part is sent even then */
	body_of(answer(request("es-audio.m3u8", 109, 1), 5000));
	close(held[0]);
	close(held[HLS_HELD_MOST - 1]);
	usleep(500000);
	n = request_from("198.51.100.1", "es-audio.m3u8", later);
	usleep(200000);
	put_file("es-audio.m3u8", HEAD BEFORE REST NEXT_PART);
	body_of(answer(n, 5000));
	for (int i = 1; i < HLS_HELD_MOST - 1; i++)
		body_of(answer(held[i], 5000));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("hls_reload");
	TCase *t = tcase_create("playlists"), *held = tcase_create("thread");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_playlist_is_waited_for_only_if_it_comes_soon, 0, COUNT(requests));
	tcase_add_test(t, other_playlists_are_not_waited_for);
	tcase_add_loop_test(t, numbers_are_digits, 0, COUNT(numbers));
	tcase_add_test(t, a_delta_leaves_out_what_is_old);
	tcase_add_test(t, a_delta_of_a_short_playlist_is_the_playlist);
	tcase_add_test(t, the_announced_part_is_known);
	suite_add_tcase(s, t);
	tcase_add_checked_fixture(held, start, finish);
	tcase_set_timeout(held, 60);
	tcase_add_test(held, what_is_there_is_sent_at_once);
	tcase_add_test(held, what_comes_is_waited_for);
	tcase_add_test(held, nothing_is_held_for_ever);
	tcase_add_test(held, the_oldest_answers_that_are_not_read_end);
	tcase_add_test(held, a_connection_that_another_process_has_is_forgotten);
	tcase_add_test(held, only_so_many_are_held);
	suite_add_tcase(s, held);
	return unit_run(s);
}
