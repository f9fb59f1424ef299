/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HLS in a bucket, written by the real child with a gateway's order. ../s3-server.c
 * plays the bucket in a child process and checks signatures.
 */
#define UNIT_TEST
#include "../s3-server.c"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "blob/blob.h"
#include "net/http.h"
#include "service/channel_outputs.h"
#include "tests/unit/egress_fixture.h"

#define PLAYER "-allowed_extensions ALL -live_start_index 0 "
#define CLOCK_TURN 6 /* s: several segments, and the time until they are listed */

static struct conf conf;
#define OUTPUT "{\"protocol\":\"hls_pull\",\"lang_codes\":[\"es\",\"original\"]}"

static const struct channel channel = { .id = "ec7ac8ad-1b2b-406b-aae1-2c972399d29d",
	.outputs = "[" OUTPUT "]",
	.input_type = "webrtc_push",
	.target_languages = "[\"es\"]",
	.source_language = "en",
	.original_volume = 0.2 };
static const struct json *output;
static pid_t bucket;
static int bucket_port, bucket_stop[2];
static const char *index_url;
static int64_t looked_us; /* monotonic time when the bucket had it */
static long last_seen;    /* number of a segment in the bucket */

/* ---- the bucket ---- */

static void
start_bucket(void)
{
	int listener = listen_on(&bucket_port);

	ck_assert_int_ge(listener, 0);
	ck_assert_int_eq(pipe(bucket_stop), 0);
	if ((bucket = fork()) == 0) {
		close(bucket_stop[1]);
		public = strdup("hls/");
		serve(listener, bucket_stop[0]);
		_exit(1);
	}
	close(listener);
	close(bucket_stop[0]);
}

static void
stop_bucket(void)
{
	if (bucket <= 0)
		return;
	kill(bucket, SIGCONT);
	close(bucket_stop[1]);
	waitpid(bucket, NULL, 0);
	bucket = 0;
}

static void
setup_bucket(void)
{
	const char *why;

	setup();
	bucket_port = 0;
	close(listen_on(&bucket_port)); /* a free port */
	conf = (struct conf){ .hls_dir = folder,
		.hls_store = "bucket",
		.hls_low_latency = "auto",
		.hls_public_url =
		    arena_printf(mem, "http://127.0.0.1:%d/media/hls", bucket_port),
		.session_jwt_keys = "of this test",
		.blob_store = BLOB_S3,
		.blob_dir = arena_printf(mem, "%s/blobs", folder),
		.blob_bucket = "media",
		.blob_addressing = "",
		.blob_region = "us-east-1",
		.blob_access_key = "AK",
		.blob_secret_key = "secret",
		.blob_endpoint = arena_printf(mem, "http://127.0.0.1:%d", bucket_port),
		.engine_timeout_ms = 5000 };
	output = json_read(mem, OUTPUT, strlen(OUTPUT), &why);
	index_url = channel_outputs_hls_url(&conf, mem, &channel, output, "index");
	older_us = looked_us = last_seen = 0;
	hz[0] = SPANISH;
	hz[1] = ORIGINAL;
}

static void
teardown_bucket(void)
{
	stop_bucket();
	teardown();
}

static const char *
address_of(const char *name)
{
	return arena_printf(mem, "%.*s%s",
	    (int)(strrchr(index_url, '/') + 1 - index_url), index_url, name);
}

/* Returns a file as a player gets it; NULL: it is missing. */
static const char *
object(const char *name)
{
	const struct http_call call = { .method = "GET",
		.url = address_of(name),
		.timeout_ms = 5000,
		.max_bytes = 1 << 22,
		.allow_private = true };
	struct http_answer a;

	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	return a.status == 200 ? a.body : NULL;
}

static void
put_object_of(const char *name)
{
	FILE *f = fopen(in_folder("file"), "w");
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(blob_end(in, name, &facts), OK);
}

/* ---- the child ---- */

static const char *
child_folder(void)
{
	return channel_outputs_folder(&conf, mem, &channel, output);
}

static void
begin_bucket(void)
{
	mkdir(child_folder(), 0755);
	begin(arena_printf(mem, "{\"epoch_us\":%lld,%s",
	    (long long)(now_us() / DAY_US * DAY_US),
	    channel_outputs_order(&conf, mem, &channel, output) + 1));
}

static long
sequence_in(const char *playlist)
{
	const char *at =
	    playlist != NULL ? strstr(playlist, "#EXT-X-MEDIA-SEQUENCE:") : NULL;

	return at != NULL ? atol(strchr(at, ':') + 1) : 0;
}

/* Reads the last segment that a playlist names. */
static long
last_in(const char *playlist)
{
	const char *at = NULL, *p = playlist;

	while (p != NULL && (p = strstr(p, "\nes-")) != NULL)
		at = p++;
	return at != NULL ? atol(at + strlen("\nes-")) : 0;
}

static const char *
playlist_on_disk(void)
{
	FILE *f = fopen(arena_printf(mem, "%s/es-audio.m3u8", child_folder()), "r");
	char *text = arena_alloc(mem, 65536);

	if (f == NULL)
		return NULL;
	text[fread(text, 1, 65535, f)] = '\0';
	fclose(f);
	return text;
}

/* Checks that every file in a playlist of the bucket exists, at any time. */
static long
check_playlist(void)
{
	const char *playlist = object("es-audio.m3u8"), *p = playlist;

	while (p != NULL && (p = strstr(p, "\nes-")) != NULL) {
		p++;
		ck_assert_ptr_nonnull(object(arena_dup(mem, p, strcspn(p, "\n"))));
	}
	if (playlist != NULL)
		ck_assert_ptr_nonnull(object("es-init-0.mp4"));
	return last_in(playlist);
}

/* Polls while feeding sound; returns the last segment that players find. */
static long
look(void)
{
	if (monotonic_us() > looked_us + S_US / 2) {
		last_seen = check_playlist();
		looked_us = monotonic_us();
	}
	return last_seen;
}

static bool
is_active_and_right(void)
{
	look();
	return is_active();
}

static long awaited;

static bool
has_awaited(void)
{
	return look() >= awaited;
}

/* Follows the guide: adds a new key first, later removes the old one. */
START_TEST(another_session_key_changes_no_address)
{
	conf.session_jwt_keys = "new:secret dragoman:old";
	ck_assert_str_eq(
	    channel_outputs_hls_url(&conf, mem, &channel, output, "index"), index_url);
	conf.session_jwt_keys = "new:secret";
	ck_assert_str_eq(
	    channel_outputs_hls_url(&conf, mem, &channel, output, "index"), index_url);
	conf.master[0]++;
	ck_assert_str_ne(
	    channel_outputs_hls_url(&conf, mem, &channel, output, "index"), index_url);
}
END_TEST

static const struct {
	const char *asked, *made;
} languages[] = {
	{ "[\"fr\",\"es\",\"de\",\"original\",\"en\"]",
	    "\"languages\":[\"es\",\"original\",\"en\"]" },
	{ "[\"fr\",\"de\"]", "\"languages\":[\"fr\"]" },
};

/* Each language would need an encoder. */
START_TEST(languages_that_a_channel_does_not_have_are_not_made)
{
	const char *why, *order,
	    *text = arena_printf(mem, "{\"protocol\":\"hls_pull\",\"lang_codes\":%s}",
		languages[_i].asked);

	order = channel_outputs_order(
	    &conf, mem, &channel, json_read(mem, text, strlen(text), &why));
	ck_assert_msg(strstr(order, languages[_i].made) != NULL, "%s", order);
}
END_TEST

/* ---- what arrives ---- */

static const struct {
	const char *name, *head;
} heads[] = {
	{ "index.m3u8", "200|application/vnd.apple.mpegurl|public, max-age=1" },
	{ "es.m3u8", "200|application/vnd.apple.mpegurl|public, max-age=1" },
	{ "original-text.m3u8", "200|application/vnd.apple.mpegurl|public, max-age=1" },
	{ "es-init-0.mp4", "200|video/mp4|public, max-age=60" },
	{ "es-N.m4s", "200|video/mp4|public, max-age=86400, immutable" },
	{ "es-N.vtt", "200|text/vtt|public, max-age=86400, immutable" },
};

START_TEST(files_arrive_as_web_servers_have_them)
{
	const char *n, *name;
	struct sound es;

	start_bucket();
	begin_bucket();
	ck_assert(feed(60, is_active_and_right));
	ck_assert_str_eq(error, "");
	feed(10, NULL);
	ck_assert_int_gt(bitrate, 60000);
	es = sound_of(PLAYER, address_of("es.m3u8"));
	ck_assert_double_eq_tol(es.spanish, 0.24, 0.05);
	ck_assert_double_eq_tol(es.original, 0.24 * 0.2, 0.02);
	ck_assert_int_gt(
	    getpriority(PRIO_PROCESS, (id_t)child.pid), getpriority(PRIO_PROCESS, 0));
	ck_assert_int_gt(check_playlist(), 0);
	n = arena_printf(mem, "%ld", check_playlist());
	for (int i = 0; i < COUNT(heads); i++) {
		name = heads[i].name;
		if (strstr(name, "-N.") != NULL)
			name = arena_printf(mem, "es-%s%s", n, strchr(name, '.'));
		ck_assert_str_eq(said_by(arena_printf(mem,
				     "curl -s -m 5 -o /dev/null -w "
				     "'%%{http_code}|%%{content_type}|"
				     "%%header{cache-control}' '%s'",
				     address_of(name))),
		    heads[i].head);
	}
	ck_assert_str_eq(said_by(arena_printf(mem,
			     "cat /proc/%d/cmdline /proc/%d/environ | tr '\\0' '\\n' | "
			     "sed -n 's/secret/a secret/p; s/^LC_ALL=.*/none/p'",
			     (int)child.pid, (int)child.pid)),
	    "none");
}
END_TEST

/*
 * The bucket is unreachable, then silent: sound keeps its time on the disk, and players
 * continue.
 */
START_TEST(a_bucket_that_is_away_is_told_and_gets_what_is_new)
{
	begin_bucket();
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, "The bucket does not answer.");
	feed(CLOCK_TURN, NULL);
	ck_assert(has_error());
	start_bucket();
	ck_assert(feed(60, is_active_and_right));
	ck_assert_str_eq(error, "");
	kill(bucket, SIGSTOP);
	ck_assert(feed(60, has_error));
	ck_assert(!is_active());
	feed(28, NULL); /* until segments are too old */
	ck_assert_int_ge(last_in(playlist_on_disk()), now_us() / S_US - 4);
	awaited = last_in(playlist_on_disk());
	kill(bucket, SIGCONT);
	ck_assert(feed(60, has_awaited));
	ck_assert(feed(60, is_active));
	ck_assert_str_eq(error, "");
}
END_TEST

START_TEST(a_wrong_key_is_told)
{
	conf.blob_secret_key = "wrong";
	start_bucket();
	begin_bucket();
	ck_assert(feed(60, has_error));
	ck_assert_str_eq(error, "The bucket does not accept the files of HLS.");
	ck_assert(!is_active());
}
END_TEST

START_TEST(another_child_goes_on_in_the_bucket)
{
	const char *name = strrchr(child_folder(), '/') + 1;
	long first;

	start_bucket();
	begin_bucket();
	ck_assert(feed(60, is_active_and_right));
	first = sequence_in(object("es-audio.m3u8"));
	child_socket_stop(&child, "egress"); /* SIGKILL */
	ck_assert_int_gt(check_playlist(), 0);
	fclose(fopen(arena_printf(mem, "%s/es-5.m4s", child_folder()), "w"));
	put_object_of(arena_printf(mem, "hls/%s/es-5.m4s", name));
	ck_assert_ptr_nonnull(object("es-5.m4s"));
	awaited = now_us() / S_US + 2;
	begin_bucket();
	ck_assert(feed(60, has_awaited));
	ck_assert_int_gt(sequence_in(object("es-audio.m3u8")), first);
	feed(1, NULL);
	ck_assert_ptr_null(object("es-5.m4s"));
}
END_TEST

/* ---- what is left ---- */

static void
make_old(const char *path)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
}

static void
leave_folder(void)
{
	mkdir(child_folder(), 0755);
	fclose(fopen(arena_printf(mem, "%s/es-5.m4s", child_folder()), "w"));
	make_old(child_folder());
	for (int i = 0; i < 120; i++) /* more than a page */
		put_object_of(arena_printf(
		    mem, "hls/%s/es-%d.m4s", strrchr(child_folder(), '/') + 1, i));
}

START_TEST(what_an_old_folder_left_in_the_bucket_is_removed)
{
	older_us = (HLS_KEPT_S + 60) * S_US;
	start_bucket();
	leave_folder();
	put_object_of("hls/other/es-5.m4s");
	ck_assert_ptr_nonnull(object("../other/es-5.m4s"));
	ck_assert_int_eq(channel_outputs_expire(&conf, mem), OK);
	for (int i = 0; i < 120; i++)
		ck_assert_ptr_null(object(arena_printf(mem, "es-%d.m4s", i)));
	ck_assert_ptr_nonnull(object("../other/es-5.m4s"));
	ck_assert_int_ne(access(child_folder(), F_OK), 0);
}
END_TEST

/* The channel has moved: another host writes to the same place. */
START_TEST(what_another_host_goes_on_with_stays)
{
	start_bucket();
	leave_folder();
	ck_assert_int_eq(channel_outputs_expire(&conf, mem), OK);
	ck_assert_ptr_nonnull(object("es-0.m4s"));
	ck_assert_int_ne(access(child_folder(), F_OK), 0);
}
END_TEST

START_TEST(a_folder_stays_while_the_bucket_is_away)
{
	older_us = (HLS_KEPT_S + 60) * S_US;
	start_bucket();
	leave_folder();
	stop_bucket();
	ck_assert_int_eq(channel_outputs_expire(&conf, mem), ERR_TIMEOUT);
	ck_assert_int_eq(access(child_folder(), F_OK), 0);
	conf.hls_store = "disk";
	ck_assert_int_eq(channel_outputs_expire(&conf, mem), OK);
	ck_assert_int_ne(access(child_folder(), F_OK), 0);
}
END_TEST

/* Nothing is written for an hour; then a run begins while the janitor works. */
START_TEST(a_folder_stays_while_a_child_has_it)
{
	conf.hls_store = "disk";
	begin_bucket();
	ck_assert(feed(60, is_active));
	make_old(child_folder());
	ck_assert_int_eq(channel_outputs_expire(&conf, mem), OK);
	ck_assert_int_eq(
	    access(arena_printf(mem, "%s/es-init-0.mp4", child_folder()), F_OK), 0);
}
END_TEST

static bool
has_failed(void)
{
	siginfo_t is = { .si_pid = 0 };

	return waitid(P_PID, (id_t)child.pid, &is, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       is.si_pid == child.pid && is.si_status != 0;
}

START_TEST(a_child_begins_in_no_folder_that_is_removed)
{
	int fd;

	conf.hls_store = "disk";
	mkdir(child_folder(), 0755);
	fd = open(child_folder(), O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	begin_bucket();
	ck_assert(feed(60, has_failed));
	ck_assert_str_eq(status, "");
	close(fd);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("hls_bucket");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup_bucket, teardown_bucket);
	tcase_set_timeout(t, 150);
	tcase_add_test(t, another_session_key_changes_no_address);
	tcase_add_loop_test(t, languages_that_a_channel_does_not_have_are_not_made, 0,
	    COUNT(languages));
	tcase_add_test(t, files_arrive_as_web_servers_have_them);
	tcase_add_test(t, a_bucket_that_is_away_is_told_and_gets_what_is_new);
	tcase_add_test(t, a_wrong_key_is_told);
	tcase_add_test(t, another_child_goes_on_in_the_bucket);
	tcase_add_test(t, what_an_old_folder_left_in_the_bucket_is_removed);
	tcase_add_test(t, what_another_host_goes_on_with_stays);
	tcase_add_test(t, a_folder_stays_while_the_bucket_is_away);
	tcase_add_test(t, a_folder_stays_while_a_child_has_it);
	tcase_add_test(t, a_child_begins_in_no_folder_that_is_removed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
