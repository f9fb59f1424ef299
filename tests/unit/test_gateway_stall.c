/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real gateway with a thread that tests/stall-library.c blocks. */
#define UNIT_TEST
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/watchdog.h"
#include "cgi-bin/system.c"
#include "service/workers.h"
#include "tests/unit/unit.h"

static const struct sql *const tables[] = { account_sql, blob_sql, channel_sql,
	node_sql, queue_sql, schema_sql, session_sql, NULL };

static const char *build;
static pid_t gateway;
static int64_t stalled_us;

static int
free_port(int type)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, type, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, n), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	close(fd);
	return ntohs(a.sin_port);
}

static const char *
file(const char *name)
{
	return arena_printf(fixture.mem, "%s/%s", fixture.dir, name);
}

static void
start(void)
{
	const char *path = arena_printf(fixture.mem, "%s/bin/gateway", build);
	int log;

	if ((gateway = fork()) != 0)
		return;
	log = open(file("gateway.log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	dup2(log, STDERR_FILENO);
	setenv("LD_PRELOAD",
	    arena_printf(fixture.mem, "%s/tests/stall-library.so", build), 1);
	setenv("STALL", fixture.dir, 1);
	execl(path, path, (char *)NULL);
	_exit(127);
}

static bool
health_says(const char *where, const char *text)
{
	struct response a = ask("GET /health", NULL);

	return strstr(said(&a, where), text) != NULL;
}

static bool
is_whole(void)
{
	return health_says("/data/status", "ok") && health_says("/data/webrtc", "ok");
}

static void
await_whole(void)
{
	for (int i = 0; i < 3000 && !is_whole(); i++)
		usleep(10000);
	ck_assert_msg(is_whole(), "%s\n%s", ask("GET /health", NULL).body,
	    unit_text(fixture.mem, file("gateway.log")));
}

static void
setup(void)
{
	const char *from = getenv("BUILD") != NULL ? getenv("BUILD") : "build";

	fixture_open("system", system_routes, tables);
	build = realpath(from, arena_alloc(fixture.mem, 4096));
	unit_write(getenv("DRAGOMAN_CONF"),
	    arena_printf(fixture.mem,
		"[server]\nbase_url = https://speech.example.org\n"
		"[stream]\nlisten = 127.0.0.1:%d\n"
		"[rtc]\nport = %d\nlisten = 127.0.0.1\ntcp = no\n"
		"[speech]\nasr = script\nmt = script\ntts = script\n"
		"[engine.script]\nkind = script\nlines = x\n",
		free_port(SOCK_STREAM), free_port(SOCK_DGRAM)));
	for (const struct worker_program *w = worker_programs; w->name != NULL; w++)
		if (strcmp(w->name, "gateway") != 0)
			ck_assert_int_eq(worker_seen(fixture.app.db,
					     fixture.app.conf.node, w->name, 0),
			    OK);
	start();
	await_whole();
}

static void
teardown(void)
{
	if (gateway > 0) {
		kill(gateway, SIGKILL);
		waitpid(gateway, NULL, 0);
	}
	fixture_close();
}

static void
stall(const char *thread)
{
	unit_write(file(thread), "");
	stalled_us = monotonic_us();
}

static double
seconds(void)
{
	return (double)(monotonic_us() - stalled_us) / S_US;
}

/* Waits for the gateway's end; returns its exit status. */
static int
end_of_gateway(void)
{
	int status;

	ck_assert_int_eq(waitpid(gateway, &status, 0), gateway);
	gateway = 0;
	ck_assert_msg(WIFEXITED(status), "status %#x", status);
	return WEXITSTATUS(status);
}

static bool
is_logged(const char *text)
{
	return strstr(unit_text(fixture.mem, file("gateway.log")), text) != NULL;
}

START_TEST(a_media_thread_that_stands_still_ends_the_gateway)
{
	stall("media");
	await(health_says("/data/webrtc", "stands still"));
	ck_assert_double_ge(seconds(), 4.5);
	ck_assert(health_says("/data/status", "degraded"));
	ck_assert(is_logged("the media thread has been stuck for 5 s"));
	ck_assert_int_eq(end_of_gateway(), EXIT_FAILURE);
	ck_assert_double_ge(seconds(), 9.5);
	ck_assert(is_logged("the media thread has been stuck for 10 s"));
	ck_assert(!is_logged("some usage was not booked"));
	unlink(file("media"));
	start();
	await_whole();
}
END_TEST

START_TEST(an_event_loop_that_stands_still_ends_the_gateway)
{
	stall("main");
	await(!health_says("/data/status", "ok"));
	ck_assert_double_ge(seconds(), 4.5);
	ck_assert_ptr_nonnull(strstr(ask("GET /health", NULL).body,
	    "{\"name\":\"gateway\",\"last_run_at\":null,\"status\":\"silent\"}"));
	ck_assert(is_logged("the event loop has been stuck for 5 s"));
	ck_assert_int_eq(end_of_gateway(), EXIT_FAILURE);
	ck_assert_double_ge(seconds(), 9.5);
	unlink(file("main"));
	start();
	await_whole();
}
END_TEST

START_TEST(one_that_turns_again_in_time_stays)
{
	stall("media");
	await(health_says("/data/webrtc", "stands still"));
	unlink(file("media"));
	await_whole();
	ck_assert(is_logged("the media thread continues after"));
	ck_assert_int_eq(kill(gateway, SIGTERM), 0);
	ck_assert_int_eq(end_of_gateway(), EXIT_SUCCESS);
}
END_TEST

START_TEST(sigterm_does_not_wait_for_a_media_thread_that_stands_still)
{
	stall("media");
	usleep(500000);
	ck_assert_int_eq(kill(gateway, SIGTERM), 0);
	ck_assert_int_eq(end_of_gateway(), EXIT_FAILURE);
	ck_assert(is_logged("the media thread does not end and keeps running"));
	ck_assert(!is_logged("some usage was not booked")); /* it took less than 9 s */
}
END_TEST

/* Simulates a suspended machine. */
START_TEST(a_gateway_that_was_stopped_stays)
{
	ck_assert_int_eq(kill(gateway, SIGSTOP), 0);
	usleep(12 * S_US);
	ck_assert_int_eq(kill(gateway, SIGCONT), 0);
	usleep(2 * S_US);
	ck_assert_int_eq(waitpid(gateway, NULL, WNOHANG), 0);
	ck_assert(!is_logged("has been stuck"));
	ck_assert_int_eq(kill(gateway, SIGTERM), 0);
	ck_assert_int_eq(end_of_gateway(), EXIT_SUCCESS);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_stall");
	TCase *t = tcase_create("gateway_stall");

	tcase_set_timeout(t, 90);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_media_thread_that_stands_still_ends_the_gateway);
	tcase_add_test(t, an_event_loop_that_stands_still_ends_the_gateway);
	tcase_add_test(t, one_that_turns_again_in_time_stays);
	tcase_add_test(t, sigterm_does_not_wait_for_a_media_thread_that_stands_still);
	tcase_add_test(t, a_gateway_that_was_stopped_stays);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
