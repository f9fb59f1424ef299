/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of hostile servers to a child that pulls a stream, and kinds of playlists. */
#include "tests/http-server.h"

#include <stdatomic.h>

#include "base/child_clock.h"
#include "ingress/hls_read.h"
#include "tests/unit/ingress_fixture.h"

static void
setup(void)
{
	mem = arena_new();
}

/* ---- hostile servers ---- */

/* At least half a second of sound, after which no further frame can follow. */
static char begun[65536];
static size_t begun_n;

static void
make_sound(double s)
{
	FILE *f = popen(arena_printf(mem,
			    "ffmpeg -v error -f lavfi -i sine=duration=%f -f mp3 -", s),
	    "r");

	ck_assert_ptr_nonnull(f);
	begun_n = fread(begun, 1, sizeof(begun), f);
	ck_assert_int_eq(pclose(f), 0);
	ck_assert_uint_gt(begun_n, 1000);
}

#define LIST "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:2,\n"

#define RADIO "The address has a radio playlist. "
#define M3U "#EXTM3U\r\n#EXTINF:-1,Harbour Radio\r\n"
#define VARIANT "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n"

static const struct {
	const char *path, *error;
} hostile[] = {
	{ "none", "The server of the stream answers 404." },
	{ "broken", "The server of the stream answers 500." },
	{ "endless-list", "The playlist is too large." },
	{ "endless-again", "The stream cannot be fetched: the answer is too large." },
	{ "endless-segment", "The stream cannot be fetched: the answer is too large." },
	{ "endless-404", "The server of the stream answers 404." },
	{ "slow-list", "The server of the stream is too slow." },
	{ "slow-stream", "The server of the stream is too slow." },
	{ "silent", "The server of the stream is too slow." },
	{ "empty", "The address has no stream." },
	{ "page", "The stream's format is not supported." },
	{ "text-first", "The stream's format is not supported." },
	{ "round", "The stream is redirected too often." },
	{ "to-file", "The stream leads to an address that is not allowed." },
	{ "file-segment", "The stream leads to an address that is not allowed." },
	{ "itself", "The playlist names no media playlist." },
	{ "nothing", "The playlist names no other playlist." },
	{ "encrypted", "The stream is encrypted, which is not supported." },
	{ "parts", "The playlist has parts of files, which is not supported." },
	{ "ended", "The stream has ended." },
	{ "still", "The playlist has stopped changing." },
	{ "empty-segments", "A segment of the playlist is empty." },
	{ "radio-of-none", RADIO "It names no stream." },
	{ "radio-of-itself", RADIO "It names another playlist too often." },
	{ "radio-to-404", RADIO "The server of the stream answers 404." },
	{ "unknown-variable", "The playlist uses a variable that it does not define." },
	{ "unknown-import", "The playlist uses a variable that it does not define." },
	{ "locked", "The server of the stream answers 403." },
};

static const struct {
	const char *path, *body;
} bodies[] = {
	{ "/page", "<!DOCTYPE html><title>Not here</title><p>Nothing at all.</p>\n" },
	{ "/endless-segment", LIST "endless\n" },
	{ "/file-segment", LIST "file:///etc/passwd\n" },
	{ "/text-first", "0#EXTM3U\n#EXTINF:2,\n" },
	{ "/itself", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nitself\n" },
	{ "/nothing", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n" },
	{ "/encrypted",
	    "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"http://127.0.0.1/key\"\n"
	    "#EXTINF:2,\nendless\n" },
	{ "/parts", "#EXTM3U\n#EXT-X-BYTERANGE:100@0\n#EXTINF:2,\nendless\n" },
	{ "/empty-segments", LIST "empty\n" },
	{ "/busy", LIST "noise-1\n#EXTINF:2,\nnoise-busy\n#EXTINF:2,\nnoise-2\n" },
	{ "/signed", "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n#EXT-X-MAP:URI=\"noise-1?a\"\n"
		     "#EXTINF:2,\nnoise-2\n#EXT-X-GAP\n#EXTINF:2,\nendless\n"
		     "#EXT-X-MAP:URI=\"noise-1?b\"\n#EXTINF:2,\nnoise-3\n" },
	{ "/radio-of-none", M3U "#EXTINF:-1,Another\r\n" },
	{ "/radio-of-itself", M3U "radio-of-itself\r\n" },
	{ "/radio-to-404", "[playlist]\nFile1=none\n" },
	{ "/unknown-variable",
	    "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXTINF:2,\n{$c}\n" },
	{ "/unknown-import", "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"a\"\n" },
	{ "/radio-0", M3U "noise-1\r\n" },
	{ "/radio-1", "\xef\xbb\xbf#EXTM3U\nnoise-1\n" },
	{ "/radio-2",
	    "[Playlist]\nNumberOfEntries=1\nFile1=noise-1\nTitle1=Harbour\n" },
	{ "/radio-live", M3U "http://127.0.0.1:%d/live\r\n" },
	{ "/radio-3", "http://127.0.0.1:%d/noise-1\n" },
	{ "/radio-4", "\xef\xbb\xbfHTTP://127.0.0.1:%d/noise-1" },
	{ "/radio-5", VARIANT "locked\n" }, /* the answer sets a cookie */
	{ "/radio-6?key=k5",
	    "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-DEFINE:NAME=\"tok\",VALUE=\"t1\"\n"
	    "#EXT-X-DEFINE:QUERYPARAM=\"key\"\n#EXT-X-STREAM-INF:BANDWIDTH=64000\n"
	    "list?t={$tok}&k={$key}\n" },
	{ "/list?t=t1&k=k5", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-DEFINE:IMPORT="
			     "\"tok\"\n#EXTINF:2,{$title}\nnoise-{$tok}\n" },
	{ "/locked", LIST "noise-locked\n" },
	{ "/ended", LIST "endless\n#EXT-X-ENDLIST\n" },
	{ "/one-byte", "G" },
	{ "/still", "#EXTM3U\n#EXT-X-TARGETDURATION:-1\n#EXT-X-MEDIA-SEQUENCE:"
		    "99999999999999999999999\n" },
	{ "/endless-again", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nendless-list\n" },
};

#define COOKIE "hdntl=exp=1~hmac=abc"

static atomic_int calls;

/* Sends a part this many times, at these intervals. */
static void
repeat(int fd, const char *text, int times, int pause_us)
{
	while (times-- > 0 && send_all(fd, text, strlen(text)))
		usleep((unsigned)pause_us);
}

static const char *const floods[] = { "flood-of-empty", "flood-of-bytes" };

static void
send_flood(int fd, const char *path)
{
	static atomic_int sequence;
	char text[128];

	snprintf(text, sizeof(text),
	    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:%d\n",
	    atomic_fetch_add(&sequence, 4000));
	repeat(fd, text, 1, 0);
	repeat(fd,
	    strstr(path, "empty") != NULL ? "#EXTINF:0.01,\nempty\n"
					  : "#EXTINF:0.01,\none-byte\n",
	    8000, 0);
}

/* Sends the sound again and again, in real time. */
static void
send_live(int fd)
{
	size_t piece = begun_n / 20 + 1, at = 0, n;

	for (int i = 0; i < 600; i++, at = at + n < begun_n ? at + n : 0) {
		n = begun_n - at < piece ? begun_n - at : piece;
		if (!send_all(fd, begun + at, n))
			return;
		usleep(100000);
	}
}

static void
answer(struct arena *own, int fd, const char *path, const char *cookie)
{
	static char large[65536];
	static atomic_int asked;
	const char *body = NULL;
	bool busy = strcmp(path, "/noise-busy") == 0 && asked++ == 0;
	bool locked = strstr(path, "locked") != NULL &&
		      (cookie == NULL || strcmp(cookie, COOKIE) != 0);

	calls++;
	memset(large, '#', sizeof(large) - 1);
	for (int i = 0; i < COUNT(bodies); i++)
		if (strcmp(path, bodies[i].path) == 0)
			body = bodies[i].body;
	if (locked)
		repeat(fd, "HTTP/1.0 403 F\r\n\r\n", 1, 0);
	else if (busy)
		repeat(fd, "HTTP/1.0 503 B\r\n\r\n", 1, 0);
	else if (strcmp(path, "/silent") == 0)
		sleep(60);
	else if (strcmp(path, "/round") == 0)
		repeat(fd, "HTTP/1.0 302 F\r\nLocation: /round\r\n\r\n", 1, 0);
	else if (strcmp(path, "/to-file") == 0)
		repeat(
		    fd, "HTTP/1.0 302 F\r\nLocation: file:///etc/passwd\r\n\r\n", 1, 0);
	else if (strcmp(path, "/broken") == 0)
		repeat(fd, "HTTP/1.0 500 B\r\n\r\nNo.", 1, 0);
	else if (strcmp(path, "/none") == 0 || strcmp(path, "/endless-404") == 0)
		repeat(fd, "HTTP/1.0 404 N\r\n\r\n", 1, 0);
	else if (strcmp(path, "/radio-5") == 0)
		repeat(fd, "HTTP/1.0 200 OK\r\nSet-Cookie: " COOKIE "; Path=/\r\n\r\n",
		    1, 0);
	else
		repeat(fd, "HTTP/1.0 200 OK\r\n\r\n", 1, 0);
	if (body != NULL && !locked)
		repeat(fd,
		    strstr(body, "%d") != NULL ? arena_printf(own, body, port) : body,
		    1, 0);
	if (strcmp(path, "/endless-list") == 0 || strcmp(path, "/slow-list") == 0)
		repeat(fd, "#EXTM3U\n", 1, 0);
	if (strncmp(path, "/noise", 6) == 0 && !busy && !locked)
		send_all(fd, begun, begun_n);
	if (strstr(path, "endless") != NULL && body == NULL)
		repeat(fd, large, 100000, 0);
	if (strncmp(path, "/flood", 6) == 0)
		send_flood(fd, path);
	if (strcmp(path, "/live") == 0)
		send_live(fd);
	if (strncmp(path, "/slow", 5) == 0)
		repeat(fd, "#", 600, 100000);
}

static void *
serve_one(void *arg)
{
	struct arena *own = arena_new();
	int fd = (int)(intptr_t)arg;
	struct http_message m = { .head = NULL };

	if (receive(fd, own, 65536, &m))
		answer(own, fd, m.target, header_of(own, m.head, "Cookie"));
	close(fd);
	arena_free(own);
	return NULL;
}

static void *
serve_forever(void *listener)
{
	pthread_t thread;

	for (int fd; (fd = accept((int)(intptr_t)listener, NULL, NULL)) >= 0;)
		if (pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
	return NULL;
}

static void
serve_hostile(void)
{
	pthread_t thread;
	int listener;

	mem = arena_new();
	port = 0;
	listener = listen_on(&port);
	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(
	    pthread_create(&thread, NULL, serve_forever, (void *)(intptr_t)listener),
	    0);
}

START_TEST(what_a_hostile_server_answers_is_told)
{
	pull(hostile[_i].path, true);
	listen_to(120, hostile[_i].error);
	ck_assert_str_eq(error, hostile[_i].error);
	ck_assert_double_eq(seconds_heard(), 0);
}
END_TEST

/* After some sound, the stream needs more processor time than any honest stream. */
START_TEST(what_only_takes_processor_time_is_ended)
{
	int end;

	make_sound(0.5);
	begin(arena_printf(mem,
	    "{\"protocol\":\"hls_pull\",\"language\":\"es\",\"url\":"
	    "\"http://127.0.0.1:%d/noise-endless\",\"allow_private\":true,"
	    "\"cpu_percent\":5,\"cpu_s\":1}",
	    port));
	ck_assert(listen_to(300, NULL));
	ck_assert_str_eq(error, INGRESS_SPENT);
	ck_assert_double_gt(seconds_heard(), 0.3);
	ck_assert(child_socket_reap(&child, &end));
	ck_assert(child_cpu_spent(end));
}
END_TEST

START_TEST(a_segment_that_is_not_to_be_had_is_asked_for_again)
{
	make_sound(2);
	pull("busy", true);
	listen_until_heard(5.6, 4);
	ck_assert_str_eq(error, "The server of the stream answers 503.");
	ck_assert_double_eq_tol(seconds_heard(), 6, 0.5);
}
END_TEST

START_TEST(a_map_that_is_signed_anew_is_no_other)
{
	make_sound(2);
	pull("signed", true);
	ck_assert(listen_until_heard(5.6, 4));
	ck_assert_str_eq(error, "");
	ck_assert_double_eq_tol(seconds_heard(), 6, 0.5);
}
END_TEST

/*
 * Playlists of radio stations (M3U and PLS), a cookie of the first answer that later
 * requests need, and variables of the earlier playlist and the query.
 */
static const char *const honest[] = { "radio-0", "radio-1", "radio-2", "radio-3",
	"radio-4", "radio-5", "radio-6?key=k5" };

START_TEST(what_honest_servers_publish_is_heard)
{
	make_sound(2);
	pull(honest[_i], true);
	listen_until_heard(1.6, 4);
	ck_assert_str_eq(error, "");
	ck_assert_double_eq_tol(seconds_heard(), 2, 0.5);
}
END_TEST

/* The playlist is read as HLS, and the stream as a segment without an end. */
START_TEST(a_radio_playlist_leads_to_a_stream_without_an_end)
{
	make_sound(2);
	pull("radio-live", true);
	ck_assert(listen_until_heard(5, 0));
	ck_assert_str_eq(error, "");
	ck_assert_double_ge(seconds_heard(), 5);
	ck_assert(receives);
}
END_TEST

START_TEST(a_private_address_is_not_called)
{
	pull("page", false);
	listen_to(60, "The stream leads to an address that is not allowed.");
	ck_assert_str_eq(error, "The stream leads to an address that is not allowed.");
}
END_TEST

/* A playlist with many short segments, which are new in each answer. */
START_TEST(a_playlist_is_no_flood)
{
	int64_t begun_us = monotonic_us();

	pull(floods[_i], true);
	while (calls < 3)
		listen_to(1, NULL);
	listen_to(6, NULL);
	ck_assert_int_le(calls, (monotonic_us() - begun_us) / S_US * 10 + 2 * 10);
}
END_TEST

/* ---- playlists ---- */

#define INF "#EXT-X-STREAM-INF:BANDWIDTH="
#define SOUND "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="

static const struct {
	const char *text, *language, *media;
} choices[] = {
	{ "#EXTM3U\n" INF "9\nhigh\n" INF "5,CODECS=\"a,b\"\r\n# note\r\nlow\r\n" INF
	  "7\nmid",
	    "es", "low" },
	{ "#EXTM3U\n" SOUND "\"a\",LANGUAGE=\"en\",DEFAULT=YES,URI=\"en\"\n" SOUND
	  "\"a\",LANGUAGE=\"es-MX\",URI=\"es\"\n" INF "5,AUDIO=\"a\"\nlow\n",
	    "es", "es" },
	{ "#EXTM3U\n" SOUND "\"a\",LANGUAGE=\"fr\",URI=\"fr\"\n" SOUND
	  "\"a\",LANGUAGE=\"en\",DEFAULT=YES,URI=\"en\"\n" INF "5,AUDIO=\"a\"\nlow\n",
	    "auto", "en" },
	{ "#EXTM3U\n" SOUND "\"a\",LANGUAGE=\"es\",DEFAULT=YES\n" INF
	  "5,AUDIO=\"a\"\nlow\n",
	    "es", "low" },
	{ "#EXTM3U\n" SOUND
	  "\"b\",NAME=\"x,LANGUAGE=es\",LANGUAGE=\"en\",URI=\"b\"\n" INF
	  "5,AUDIO=\"a\"\nlow\n",
	    "es", "low" },
	{ "#EXTM3U\n" SOUND "\"b\",LANGUAGE=\"es\",URI=\"b\"\n" INF "\nbare\n", "es",
	    "b" },
	{ "\xef\xbb\xbf#EXTM3U\n#EXTINF:1,\na\n", "es", NULL },
	{ "#EXTM3U\n#EXT-X-MEDIA:\n#EXT-X-MEDIA:,,=,=\"\n#EXT-X-KEY:METHOD=NONE\n",
	    "es", NULL },
};

START_TEST(the_sound_of_a_multivariant_playlist_is_chosen)
{
	struct hls_playlist l;

	ck_assert_ptr_null(
	    hls_playlist_read(mem, choices[_i].text, choices[_i].language, &l));
	ck_assert_pstr_eq(l.media, choices[_i].media);
}
END_TEST

START_TEST(variables_make_no_flood)
{
	struct buf b = { .mem = mem };
	struct hls_variables *own;
	const char *text;

	buf_printf(&b, "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"%01000d\"\n", 1);
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "{$a}");
	text = buf_text(&b);
	ck_assert_str_eq(
	    hls_variables_replace(mem, &text, 20000, "http://a/", NULL, &own),
	    "The playlist is too large.");
	ck_assert_str_eq(own->name, "a");
	ck_assert_ptr_eq(text, buf_text(&b));
}
END_TEST

START_TEST(a_media_playlist_is_read)
{
	struct hls_playlist l;

	ck_assert_ptr_null(hls_playlist_read(mem,
	    "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:41\n"
	    "#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:5.9,title\na.m4s\n\n#EXT-X-GAP\n"
	    "#EXTINF:6,\nb.m4s\n#EXT-X-PART:DURATION=1,URI=\"c.1\"\n#EXTINF:6,\nc.m4s",
	    "es", &l));
	ck_assert_ptr_null(l.media);
	ck_assert_int_eq(l.target_s, 6);
	ck_assert_int_eq(l.sequence, 41);
	ck_assert(!l.ended);
	ck_assert_uint_eq(l.n, 3);
	ck_assert_int_eq(l.segments[0].ms, 5900);
	ck_assert_str_eq(l.segments[0].uri, "a.m4s");
	ck_assert_str_eq(l.segments[2].map, "init.mp4");
	ck_assert(!l.segments[0].gap && l.segments[1].gap && !l.segments[2].gap);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("hostile ingress by HTTP");
	TCase *t = tcase_create("playlists");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(
	    t, the_sound_of_a_multivariant_playlist_is_chosen, 0, COUNT(choices));
	tcase_add_test(t, variables_make_no_flood);
	tcase_add_test(t, a_media_playlist_is_read);
	suite_add_tcase(s, t);
	t = tcase_create("live");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, serve_hostile, teardown);
	tcase_add_test(t, a_radio_playlist_leads_to_a_stream_without_an_end);
	suite_add_tcase(s, t);
	t = tcase_create("hostile");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, serve_hostile, teardown);
	tcase_add_loop_test(
	    t, what_a_hostile_server_answers_is_told, 0, COUNT(hostile));
	tcase_add_test(t, what_only_takes_processor_time_is_ended);
	tcase_add_test(t, a_segment_that_is_not_to_be_had_is_asked_for_again);
	tcase_add_test(t, a_map_that_is_signed_anew_is_no_other);
	tcase_add_loop_test(t, what_honest_servers_publish_is_heard, 0, COUNT(honest));
	tcase_add_test(t, a_private_address_is_not_called);
	tcase_add_loop_test(t, a_playlist_is_no_flood, 0, COUNT(floods));
	suite_add_tcase(s, t);
	return unit_run(s);
}
