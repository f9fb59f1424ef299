/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gateway's part of an incoming stream. The child is a script. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "channel/channel_ingress.h"
#include "channel/channel_internal.h"
#include "channel/channel_sessions.h"
#include "tests/unit/channel_session_fixture.h"

#define ORDER "{\"protocol\":\"srt_push\"}"
#define FULL "This host runs no more streams: broadcast.max_children.\n"

static char folder[] = "/tmp/dragoman-ingress-XXXXXX";
static const char *channel;
static struct session *session;
static char version[32];

/* Sets the child's behaviour from now on. */
static void
child_is(const char *script)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/dragoman-ingress", folder);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\nhead -c 1 >/dev/null\n%s\n", script);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0700), 0);
}

static void
open_all(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	gateway_open();
	fixture.app.conf.bin_dir = folder;
	fixture.app.conf.broadcast_max_children = 1;
	channel = new_channel("[\"es\"]");
}

static void
close_all(void)
{
	if (session != NULL)
		channel_ingress_close(session);
	session = NULL;
	gateway_empty();
	gateway_close();
	ck_assert_int_eq(gateway.children, 0);
}

static void
begin_order(const char *order)
{
	struct connection_request *v = request_to(channel, false, NULL);

	session = session_for(&gateway, v);
	arena_free(v->call.message.mem);
	channel_ingress_open(session, order);
}

static void
begin(void)
{
	begin_order(ORDER);
}

START_TEST(garbage_is_passed_over)
{
	child_is("for kind in A S O X; do printf %s $kind >&0; "
		 "printf '%s\\377\\377no sound, and no JSON' $kind >&0; done\n"
		 "printf 'S[1]' >&0\n"
		 "printf 'S{\"error\":7,\"bitrate\":\"fast\"}' >&0\n"
		 "printf 'S{\"error\":\"%0300d\"}' 1 >&0\n"
		 "printf 'S{\"error\":\"Still there.\"}' >&0\nexec sleep 60");
	begin();
	await_row(channel, "error", "Still there.\n");
	ck_assert_str_eq(channel_row(channel, "input_bitrate"), "NULL\n");
}
END_TEST

START_TEST(one_that_ends_is_followed_by_another)
{
	char first[64];

	child_is("printf 'S{\"error\":\"I am %d.\"}' $$ >&0");
	begin();
	gateway_await(strncmp(channel_row(channel, "error"), "I am", 4) == 0);
	snprintf(first, sizeof(first), "%s", channel_row(channel, "error"));
	gateway_await(strcmp(channel_row(channel, "error"), first) != 0);
}
END_TEST

static const char *const unfit[] = { "exit 1",
	"printf 'S{\"error\":\"It is no stream.\"}' >&0" };

/*
 * The next child starts after 5 s at the earliest, because a child without output, or
 * with an error, does not mean that the sender has left.
 */
START_TEST(one_that_receives_nothing_is_started_late)
{
	int64_t begun = monotonic_us();

	child_is(unfit[_i]);
	begin();
	gateway_await(gateway.children == 1);
	gateway_await(gateway.children == 0);
	child_is("printf 'S{\"error\":\"I am there.\"}' >&0; exec sleep 60");
	await_row(channel, "error", "I am there.\n");
	ck_assert_int_gt(monotonic_us() - begun, 4 * S_US);
}
END_TEST

START_TEST(a_host_that_is_full_says_so)
{
	child_is("exec sleep 60");
	fixture.app.conf.broadcast_max_children = 0;
	begin();
	await_row(channel, "error", FULL);
	fixture.app.conf.broadcast_max_children = 1;
	await_row(channel, "error", "NULL\n");
	ck_assert_int_eq(gateway.children, 1);
}
END_TEST

START_TEST(a_pull_that_cannot_be_read_has_failed)
{
	child_is("printf 'S{\"error\":\"It is no stream.\"}' >&0\n"
		 "until [ -e $(dirname $0)/readable ]; do sleep 0.1; done\n"
		 "printf 'S{\"bitrate\":64000}' >&0; exec sleep 60");
	begin_order("{\"protocol\":\"hls_pull\"}");
	await_row(channel, "runtime", "failed\n");
	ck_assert_str_eq(channel_row(channel, "error"), "It is no stream.\n");
	ck_assert_int_eq(
	    mkdir(arena_printf(fixture.mem, "%s/readable", folder), 0700), 0);
	await_row(channel, "runtime", "pending\n");
	ck_assert_str_eq(channel_row(channel, "error"), "NULL\n");
}
END_TEST

/* Another channel's sender may still send. */
START_TEST(a_sender_that_is_refused_fails_no_channel)
{
	child_is("printf 'S{\"error\":\"Another passphrase.\"}' >&0; exec sleep 60");
	begin();
	await_row(channel, "error", "Another passphrase.\n");
	gateway_wait(500);
	ck_assert_str_eq(channel_row(channel, "runtime"), "pending\n");
}
END_TEST

START_TEST(the_bit_rate_of_a_child_before_goes)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE channels SET input_bitrate = 64000 WHERE id = '%s'", channel));
	child_is("exec sleep 60");
	begin();
	await_row(channel, "input_bitrate", "NULL\n");
}
END_TEST

static void
sound_comes(void)
{
	channel_session_audio_came(session, monotonic_us());
	gateway_tick();
}

/* With rtc.port = 0, or a port in use, the gateway has no WebRTC. */
START_TEST(a_stream_needs_no_webrtc)
{
	ck_assert_ptr_null(gateway.webrtc_thread);
	child_is("exec sleep 60");
	begin();
	gateway_await(gateway.children == 1);
	await_by(
	    sound_comes(), strcmp(channel_row(channel, "runtime"), "pending\n") != 0);
	ck_assert_str_eq(channel_row(channel, "runtime"), "active\n");
	ck_assert_str_eq(channel_row(channel, "error"), "NULL\n");
	lifecycle_over(session);
}
END_TEST

/* Runs turns of both threads for half a second. */
static void
turn(void)
{
	int64_t end = monotonic_us() + S_US / 2;

	while (monotonic_us() < end) {
		channel_sessions_poll(&gateway);
		gateway_tick();
	}
}

START_TEST(a_channel_is_served_at_once)
{
	child_is("exec sleep 60");
	turn();
	ck_assert_int_eq(gateway.children, 0);
	sql("UPDATE channels SET input_type = 'srt_push', stream_key = '0123456789',"
	    " srt_port = 19350, version = version + 1");
	turn();
	ck_assert_int_eq(gateway.children, 1);
	session = gateway.sessions;
}
END_TEST

START_TEST(a_change_of_a_channel_is_seen_at_once)
{
	child_is("exec sleep 60");
	sql("UPDATE channels SET input_type = 'srt_push', stream_key = '0123456789',"
	    " srt_port = 19350");
	turn();
	session = gateway.sessions;
	connect_to(channel, false, "es");
	turn();
	ck_assert_int_ne(session->channel->version, 70);
	sql("UPDATE channels SET version = 70");
	turn();
	ck_assert_int_eq(session->channel->version, 70);
}
END_TEST

/* Other programs write to the database all the time. */
START_TEST(what_does_not_change_is_not_read_again)
{
	int64_t last;

	turn();
	last = gateway.channels_polled_us;
	sql("UPDATE accounts SET stored_bytes = stored_bytes + 1");
	turn();
	ck_assert_int_eq(gateway.channels_polled_us, last);
}
END_TEST

/* Log lines of a child that ends in this way within seconds. */
static const struct {
	const char *child;
	int lines;
} ended[] = {
	{ "printf 'S{\"bitrate\":null}' >&0; sleep 0.2", 0 },
	{ "printf 'S{\"bitrate\":null}' >&0; exit 7", 1 },
};

START_TEST(the_end_of_each_is_no_news)
{
	char line[256], path[64];
	int lines = 0, log;
	FILE *f;

	snprintf(path, sizeof(path), "%s/log", folder);
	log = open(path, O_CREAT | O_RDWR | O_APPEND, 0600);
	ck_assert_int_eq(dup2(log, STDERR_FILENO), STDERR_FILENO);
	child_is(ended[_i].child);
	begin();
	gateway_await(session->channel->ingress != NULL && gateway.children == 1);
	gateway_wait(4000);
	f = fopen(path, "r");
	while (fgets(line, sizeof(line), f) != NULL)
		lines += strstr(line, "dragoman-ingress: ended by") != NULL;
	fclose(f);
	ck_assert_int_eq(lines, ended[_i].lines);
}
END_TEST

START_TEST(an_error_that_is_told_again_is_no_news)
{
	int64_t last, end;
	int polls = 0;

	child_is("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; "
		 "printf 'S{\"error\":\"Still there.\"}' >&0; done; exec sleep 60");
	begin();
	await_row(channel, "error", "Still there.\n");
	last = session->channel->polled_us;
	for (end = monotonic_us() + 3 * S_US; monotonic_us() < end;) {
		gateway_tick();
		polls += session->channel->polled_us != last;
		last = session->channel->polled_us;
	}
	ck_assert_int_le(polls, 1);
}
END_TEST

START_TEST(a_bit_rate_makes_no_new_version)
{
	child_is("while sleep 0.5; do for i in 64000 128000; do "
		 "printf 'S{\"bitrate\":%d}' $i >&0; sleep 1; "
		 "done; done");
	begin();
	gateway_await(strcmp(channel_row(channel, "input_bitrate"), "NULL\n") != 0);
	snprintf(version, sizeof(version), "%s", channel_row(channel, "version"));
	await_row(channel, "input_bitrate", "128000.0\n");
	await_row(channel, "input_bitrate", "64000.0\n");
	ck_assert_str_eq(channel_row(channel, "version"), version);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("channel ingress");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, open_all, close_all);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, garbage_is_passed_over);
	tcase_add_test(t, one_that_ends_is_followed_by_another);
	tcase_add_loop_test(
	    t, one_that_receives_nothing_is_started_late, 0, COUNT(unfit));
	tcase_add_test(t, a_host_that_is_full_says_so);
	tcase_add_test(t, a_pull_that_cannot_be_read_has_failed);
	tcase_add_test(t, a_sender_that_is_refused_fails_no_channel);
	tcase_add_test(t, a_stream_needs_no_webrtc);
	tcase_add_test(t, the_bit_rate_of_a_child_before_goes);
	tcase_add_test(t, a_channel_is_served_at_once);
	tcase_add_test(t, a_change_of_a_channel_is_seen_at_once);
	tcase_add_test(t, what_does_not_change_is_not_read_again);
	tcase_add_loop_test(t, the_end_of_each_is_no_news, 0, COUNT(ended));
	tcase_add_test(t, an_error_that_is_told_again_is_no_news);
	tcase_add_test(t, a_bit_rate_makes_no_new_version);
	suite_add_tcase(s, t);
	return unit_run(s);
}
