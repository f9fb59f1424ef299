/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FFmpeg sends a stream over SRT to a channel. Its translation, as captions and as HLS,
 * must continue after the sender, the gateway's children and the gateway were each
 * killed once. A second channel pulls HLS, which FFmpeg makes and nginx serves; a third
 * channel is recorded.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "db/db.h"
#include "ingest.h"
#include "killing.h"
#include "stream.h"

#define SAID "[es] hello world" /* the script engine's text for every phrase */
/* A phrase of one second every three seconds. */
#define PHRASES                                                                        \
	"-re -f lavfi -i "                                                             \
	"\"aevalsrc='if(lt(mod(t,3),1),0.3*sin(1885*t),0)':s=48000:d=600\""

static struct account me, reader;

static void
before(void)
{
	me = account_new("ingress");
	reader = account_limited(&me, "channels:read");
}

static struct answer
channel_read(const struct account *as, const char *id)
{
	struct answer a = ASK(.path = text("/saas/channel/%s", id), .as = as);

	EXPECT(a, 200);
	return a;
}

static const char *
channel_new(const char *captions, const char *input)
{
	struct answer a = ASK(.path = "/saas/channel", .as = &me,
	    .json = text(
		"{\"data\":{\"type\":\"standalone\",\"name\":\"Hall\","
		"\"input_type\":%s,\"source_language\":\"en\","
		"\"target_languages\":[\"es\"],\"outputs\":[{\"protocol\":"
		"\"captions_push\",\"lang_code\":\"es\",\"url\":\"%s\"},"
		"{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\",\"original\"]}]}}",
		input, captions));

	EXPECT(a, 201);
	ck_assert_str_eq(text_at(a.json, "data.lifecycle_status"), "ready");
	return text_at(a.json, "data.channel_id");
}

/* FFmpeg's command line, with the values of the channel's input. */
static const char *
sender_to(const char *id, const char *stream_id, const char *key)
{
	struct answer a = channel_read(&me, id);

	return text("ffmpeg -nostdin -loglevel quiet " PHRASES
		    " -c:a aac -f mpegts '%s?streamid=%s&passphrase=%s'",
	    text_at(a.json, "data.input.server"),
	    stream_id != NULL ? stream_id : text_at(a.json, "data.input.stream_id"),
	    key != NULL ? key : text_at(a.json, "data.input.stream_key"));
}

/* Tries again when it fails, as senders do. */
static pid_t
send_to(const char *id)
{
	return sender_start(
	    text("while :; do %s; sleep 1; done", sender_to(id, NULL, NULL)));
}

/* ---- what becomes of it ---- */

static bool
total_is(const void *n)
{
	return ingest_total() >= *(const int *)n;
}

/* Expects two more captions; one may have been made before. */
static void
goes_on(void)
{
	int n = ingest_total() + 2;

	ck_assert_msg(
	    becomes(total_is, &n, 20), "%d; %s", ingest_total(), ingest_refused());
	ck_assert_str_eq(ingest_text(n - 1), SAID);
}

/* ---- HLS, by the web server ---- */

/* Reads a file below the channel's index. */
static struct answer
hls_read(const char *id, const char *file)
{
	const char *index =
	    text_at(channel_read(&reader, id).json, "data.outputs.1.url");
	const char *folder = strstr(index, "/hls/");

	ck_assert_ptr_nonnull(folder);
	return ASK(.path = text("%.*s%s", (int)(strrchr(folder, '/') + 1 - folder),
		       folder, file));
}

static bool
has_index(const void *id)
{
	return hls_read(id, "index.m3u8").status == 200;
}

/* Returns the number of a playlist's first segment. */
static long
hls_number(const char *id)
{
	struct answer a = hls_read(id, "es-audio.m3u8");
	const char *at;

	EXPECT(a, 200);
	at = strstr(a.body, "#EXT-X-MEDIA-SEQUENCE:");
	ck_assert_ptr_nonnull(at);
	return atol(strchr(at, ':') + 1);
}

static bool
hls_goes_on(const void *id)
{
	static long number;
	long is = hls_number(id);
	bool more = number > 0 && is > number;

	number = number == 0 || more ? is : number;
	return more;
}

static bool
hls_is_active(const void *id)
{
	struct answer a = channel_read(&reader, id);

	return strcmp(text_at(a.json, "data.outputs.1.runtime_status"), "active") == 0;
}

/* Checks the files that a player gets. */
static void
check_hls(const char *id)
{
	struct answer a = hls_read(id, "index.m3u8");
	const char *head = a.head, *name;

	ck_assert_ptr_nonnull(strcasestr(head, "application/vnd.apple.mpegurl"));
	ck_assert_ptr_nonnull(strcasestr(head, "max-age=1\r"));
	ck_assert_ptr_nonnull(strcasestr(head, "Access-Control-Allow-Origin: *"));
	ck_assert_ptr_nonnull(strstr(a.body, "LANGUAGE=\"es\""));
	a = hls_read(id, "es-text.m3u8");
	EXPECT(a, 200);
	name = strstr(a.body, ",\n");
	ck_assert_ptr_nonnull(name);
	name = text("%.*s", (int)strcspn(name + 2, "\n"), name + 2);
	a = hls_read(id, name);
	EXPECT(a, 200);
	ck_assert_ptr_nonnull(strcasestr(a.head, "text/vtt"));
	ck_assert_ptr_nonnull(strstr(a.body, "X-TIMESTAMP-MAP"));
	a = hls_read(id, "es-init-0.mp4");
	EXPECT(a, 200);
	ck_assert_ptr_nonnull(strcasestr(a.head, "video/mp4"));
	a = hls_read(id, ".es-init-0.mp4");
	EXPECT(a, 404);
	a = ASK(.path = "/hls/");
	EXPECT(a, 404);
}

static bool
is_active(const void *id)
{
	struct answer a = channel_read(&reader, id);

	return strcmp(text_at(a.json, "data.runtime_status"), "active") == 0 &&
	       !json_is_null(at(a.json, "data.input_bitrate"));
}

static bool
has_no_bitrate(const void *id)
{
	return json_is_null(at(channel_read(&reader, id).json, "data.input_bitrate"));
}

static bool
has_error(const void *id)
{
	return !json_is_null(at(channel_read(&reader, id).json, "data.error"));
}

static void
kill_child(const char *name)
{
	run((const char *const[]){ "/bin/sh", "-c",
	    text("pkill -KILL -f '^%s/.*/dragoman-%s'", instance()->dir, name), NULL });
}

START_TEST(a_stream_goes_on_whatever_is_killed)
{
	const char *id = channel_new(ingest_begin(), "\"srt_push\"");
	struct answer a = channel_read(&reader, id);
	pid_t sender;

	ck_assert(json_is_null(at(a.json, "data.input.stream_key")));
	ck_assert_str_eq(text_at(a.json, "data.input.stream_id"), id);
	sender = send_to(id);
	goes_on();
	ck_assert(becomes(is_active, id, 5));
	ck_assert(becomes(has_index, id, 30));
	check_hls(id);
	kill_child("egress");
	hls_goes_on(id);
	ck_assert(becomes(hls_goes_on, id, 60));
	ck_assert(becomes(hls_is_active, id, 10));
	sender_stop(sender);
	ck_assert(becomes(has_no_bitrate, id, 10));
	sender = send_to(id);
	goes_on();
	kill_child("ingress");
	goes_on();
	ck_assert_int_eq(worker_signal("gateway", SIGKILL), 1);
	goes_on();
	run((const char *const[]){ "/bin/sh", "-c", getenv("E2E_RESTART"), NULL });
	hls_goes_on(id);
	ck_assert(becomes(hls_goes_on, id, 10));
	goes_on();
	sender_stop(sender);
}
END_TEST

/* The sender connects right after the channel was created. */
START_TEST(a_sender_that_tries_once_is_received)
{
	for (int i = 0; i < 3; i++) {
		const char *id = channel_new(ingest_begin(), "\"srt_push\"");
		pid_t sender = sender_start(text("exec %s", sender_to(id, NULL, NULL)));

		ck_assert(becomes(is_active, id, 20));
		sender_stop(sender);
	}
}
END_TEST

/*
 * Stream id and key of the sender, NULL: the channel's own; and the error that must be
 * reported.
 */
static const char *const strangers[][3] = {
	{ "another", NULL, "A sender was refused: its stream id is another one." },
	{ NULL, "wrong-horse-battery",
	    "A sender was refused: its passphrase is another one." },
};

START_TEST(a_stranger_is_told_of_and_keys_are_not)
{
	const char *id = channel_new(ingest_begin(), "\"srt_push\"");
	const char *const *is = strangers[_i], *key;

	key = text_at(channel_read(&me, id).json, "data.input.stream_key");

	run((const char *const[]){ "/bin/sh", "-c",
	    text("! timeout 10 %s", sender_to(id, is[0], is[1])), NULL });
	ck_assert(becomes(has_error, id, 10));
	ck_assert_str_eq(text_at(channel_read(&reader, id).json, "data.error"), is[2]);
	run((const char *const[]){ "/bin/sh", "-c",
	    text("! grep -rl %s %s/var/log && ! ps axww | grep %s | grep -v grep", key,
		instance()->dir, key),
	    NULL });
}
END_TEST

#define NGINX                                                                          \
	"daemon off; master_process off; pid pid; error_log log;"                      \
	"events { worker_connections 64; } http { access_log off; "                    \
	"client_body_temp_path t; server { listen 127.0.0.1:%d; root .; } }"

/* FFmpeg writes HLS into the folder. */
static pid_t
make_hls(const char *folder)
{
	return sender_start(
	    text("cd %s && exec ffmpeg -nostdin -loglevel quiet " PHRASES
		 " -c:a aac -f hls -hls_time 2 -hls_list_size 5 "
		 "-hls_flags delete_segments live.m3u8",
		folder));
}

START_TEST(a_playlist_is_pulled_and_goes_on)
{
	int port = 10000 + (int)(getpid() % 10000);
	const char *folder = text("%s/hls-in", instance()->dir), *id;
	const char *url = text("http://127.0.0.1:%d/live.m3u8", port);
	struct answer a;
	pid_t server, sender;

	run((const char *const[]){ "/bin/mkdir", "-p", folder, NULL });
	server =
	    sender_start(text("cd %s && echo '" NGINX "' >conf && PATH=$PATH:/usr/sbin "
			      "exec nginx -p %s -c %s/conf 2>/dev/null",
		folder, port, folder, folder));
	sender = make_hls(folder);
	id =
	    channel_new(ingest_begin(), text("\"hls_pull\",\"input_url\":\"%s\"", url));
	a = channel_read(&reader, id);
	ck_assert_str_eq(text_at(a.json, "data.input.url"), url);
	goes_on();
	ck_assert(becomes(is_active, id, 5));
	sender_stop(sender);
	ck_assert(becomes(has_error, id, 40));
	a = channel_read(&reader, id);
	ck_assert_str_eq(
	    text_at(a.json, "data.error"), "The playlist has stopped changing.");
	sender = make_hls(folder);
	goes_on();
	sender_stop(sender);
	sender_stop(server);
}
END_TEST

/* ---- recordings ---- */

static struct answer
recordings(const char *id)
{
	struct answer a = ASK(.path = text("/saas/channel/%s/recordings?sort=asc", id),
	    .as = &reader);

	EXPECT(a, 200);
	return a;
}

static bool
are_recorded(const void *id)
{
	struct answer a = channel_read(&reader, id);

	return strcmp(text_at(a.json, "data.outputs.0.runtime_status"), "active") ==
		   0 &&
	       strcmp(text_at(a.json, "data.outputs.1.runtime_status"), "active") == 0;
}

/* Expects two runs of three files each. */
static bool
are_listed(const void *id)
{
	return int_at(recordings(id).json, "data.count") == 6;
}

/* Returns ffprobe's results: codec and language of each track. */
static const char *
probed(const char *url)
{
	const char *file = text("%s/recording", instance()->dir);
	struct answer a = ASK(.path = url);
	char line[200] = "";
	FILE *f;

	EXPECT(a, 200);
	ck_assert_ptr_nonnull(f = fopen(file, "w"));
	ck_assert_uint_eq(fwrite(a.body, 1, a.n, f), a.n);
	ck_assert_int_eq(fclose(f), 0);
	f = popen(text("ffprobe -loglevel error -show_entries stream=codec_name:"
		       "stream_tags=language -of csv=p=0 %s | tr '\\n' ' '",
		      file),
	    "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	ck_assert_int_eq(pclose(f), 0);
	return text("%s", line);
}

/* Checks the change of the account's stored bytes. */
static void
use_up(int sign)
{
	static const struct sql
	    more = { "e2e.more",
		    "UPDATE accounts SET stored_bytes = stored_bytes + 9000000000000"
		    " WHERE id = $1" },
	    less = { "e2e.less",
		    "UPDATE accounts SET stored_bytes = stored_bytes - 9000000000000"
		    " WHERE id = $1" };

	change_db(sign > 0 ? &more : &less, me.user_id);
}

static bool
is_refused(const void *id)
{
	struct answer a = channel_read(&reader, id);

	return strcmp(text_at(a.json, "data.outputs.0.runtime_status"), "failed") == 0;
}

static void
check_recording(const json_t *is)
{
	bool mp4 = strcmp(text_at(is, "format"), "mp4") == 0;
	const char *tracks = probed(text_at(is, "url"));

	if (mp4)
		ck_assert_str_eq(tracks, "aac,spa aac,eng mov_text,spa mov_text,eng ");
	else if (strcmp(text_at(is, "language"), "es") == 0)
		ck_assert_str_eq(tracks, "opus,es ");
	else
		ck_assert_str_eq(tracks, "opus,en ");
	ck_assert(mp4 == json_is_null(at(is, "language")));
	ck_assert_int_ge(int_at(is, "duration_ms"), 2000);
	ck_assert_int_ge(int_at(is, "size_bytes"), 8000);
}

START_TEST(a_channel_is_recorded)
{
	const char *id, *url, *path;
	struct answer a;
	pid_t sender;

	use_up(1);
	a = ASK(.path = "/saas/channel", .as = &me,
	    .json = "{\"data\":{\"type\":\"standalone\",\"name\":\"Hall\","
		    "\"input_type\":\"srt_push\",\"source_language\":\"en\","
		    "\"target_languages\":[\"es\"],\"outputs\":["
		    "{\"protocol\":\"recording\",\"format\":\"ogg\","
		    "\"lang_codes\":[\"es\",\"original\"]},"
		    "{\"protocol\":\"recording\",\"format\":\"mp4\","
		    "\"lang_codes\":[\"es\",\"original\"]}]}}");
	EXPECT(a, 201);
	id = text_at(a.json, "data.channel_id");
	ck_assert_int_eq(int_at(recordings(id).json, "data.count"), 0);
	sender = send_to(id);
	ck_assert(becomes(is_refused, id, 20));
	a = channel_read(&reader, id);
	ck_assert_str_eq(text_at(a.json, "data.outputs.0.error"),
	    "The account has stored all that its plan allows.");
	use_up(-1);
	ck_assert(becomes(are_recorded, id, 30));
	nap(3);
	kill_child("egress");
	nap(8);
	ck_assert(becomes(are_recorded, id, 30));
	nap(3);
	a = ASK(.method = "PATCH", .path = text("/saas/channel/%s", id), .as = &me,
	    .json = "{\"data\":{\"outputs\":[]}}");
	EXPECT(a, 200);
	sender_stop(sender);
	ck_assert_msg(
	    becomes(are_listed, id, 60), "%s", (a = recordings(id), shown(&a)));
	a = recordings(id);
	for (int i = 0; i < 6; i++)
		check_recording(at(a.json, text("data.items.%d", i)));
	url = text_at(a.json, "data.items.0.url");
	path = text("/saas/channel/%s/recordings/%s", id,
	    text_at(a.json, "data.items.0.recording_id"));
	a = ASK(.method = "DELETE", .path = path, .as = &reader);
	EXPECT(a, 403);
	a = ASK(.method = "DELETE", .path = path, .as = &me);
	EXPECT(a, 200);
	a = ASK(.path = url);
	EXPECT(a, 404);
	ck_assert_int_eq(int_at(recordings(id).json, "data.count"), 5);
}
END_TEST

Suite *
ingress_suite(void)
{
	TCase *t;
	Suite *s = suite_of("ingress", before, &t);

	tcase_set_timeout(t, 300);

	tcase_add_test(t, a_stream_goes_on_whatever_is_killed);
	tcase_add_test(t, a_sender_that_tries_once_is_received);
	tcase_add_loop_test(
	    t, a_stranger_is_told_of_and_keys_are_not, 0, ROWS(strangers));
	tcase_add_test(t, a_playlist_is_pulled_and_goes_on);
	tcase_add_test(t, a_channel_is_recorded);
	return s;
}
