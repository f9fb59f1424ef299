#ifndef TESTS_UNIT_LIVEKIT_FIXTURE_H
#define TESTS_UNIT_LIVEKIT_FIXTURE_H

/*
 * tests/livekit-server as a backend that a test starts and kills.
 */
#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/http.h"
#include "tests/unit/backend_fixture.h"

#define LIVEKIT_KEY "APIhouse"
#define LIVEKIT_SECRET "the-secret-of-livekit-in-the-house"

static struct {
	pid_t pid; /* 0: it does not run */
	int held;  /* it ends when this closes, so also when we die */
	int port;  /* 0: none was chosen yet */
	struct arena *mem;
} livekit;

/* In the child: from beside the program that runs. */
static inline void
livekit_exec(int in, int out, int port)
{
	char path[PATH_MAX], number[16];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;

	if (slash == NULL)
		_exit(127);
	memcpy(slash + 1, "livekit-server", 15);
	snprintf(number, sizeof(number), "%d", port);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	execl(path, path, number, LIVEKIT_KEY, LIVEKIT_SECRET, (char *)NULL);
	_exit(127);
}

/* False: it did not come up, because the port is taken. */
static inline bool
livekit_run(int port)
{
	int in[2], out[2];
	char line[16];
	bool up;

	ck_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	ck_assert_int_ge(livekit.pid = fork(), 0);
	if (livekit.pid == 0)
		livekit_exec(in[0], out[1], port);
	close(in[0]);
	close(out[1]);
	up = read(out[0], line, sizeof(line)) > 0;
	close(out[0]);
	livekit.held = in[1];
	return up;
}

/* However it ends; its port is kept. */
static inline void
livekit_end(int sig)
{
	if (livekit.pid == 0)
		return;
	if (sig != 0)
		kill(livekit.pid, sig);
	close(livekit.held);
	waitpid(livekit.pid, NULL, 0);
	livekit.pid = 0;
}

static inline void
livekit_start(struct conf *c)
{
	static char url[32];
	int tries = 20;

	livekit_end(SIGKILL);
	if (livekit.port != 0)
		ck_assert_msg(livekit_run(livekit.port), "its port was taken");
	/* below the ports that the system gives away to whoever asks */
	for (int port = 20000 + getpid() % 10000; livekit.port == 0; port++)
		if (livekit_run(port))
			livekit.port = port;
		else {
			livekit_end(0);
			ck_assert_msg(--tries > 0, "build livekit-server beside this");
		}
	snprintf(url, sizeof(url), "ws://127.0.0.1:%d", livekit.port);
	c->broadcast_driver = "livekit";
	c->livekit_url = url;
	c->livekit_api_url = "";
	c->session_jwt_keys = LIVEKIT_KEY ":" LIVEKIT_SECRET;
	if (c->backend_timeout_ms == 0)
		c->backend_timeout_ms = 5000;
}

static inline void
livekit_kill(void)
{
	livekit_end(SIGKILL);
}

static inline void
livekit_stop(void)
{
	livekit_end(0);
	livekit.port = 0;
	arena_free(livekit.mem);
	livekit.mem = NULL;
}

/* Good until livekit_stop(). */
static inline const char *
livekit_names(void)
{
	struct http_call call = {
		.method = "GET",
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true,
	};
	struct http_answer a;

	if (livekit.mem == NULL)
		livekit.mem = arena_new();
	call.url = arena_printf(livekit.mem, "http://127.0.0.1:%d/rooms", livekit.port);
	ck_assert_int_eq(http_do(livekit.mem, &call, &a), OK);
	ck_assert_int_eq(a.status, 200);
	return a.body;
}

static const struct backend_fixture livekit_fixture = {
	.driver = "livekit",
	.start = livekit_start,
	.kill = livekit_kill,
	.stop = livekit_stop,
	.names = livekit_names,
};

#endif
