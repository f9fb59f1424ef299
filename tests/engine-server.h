/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ENGINE_SERVER_H
#define TESTS_ENGINE_SERVER_H

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "net/http.h"

/* An engine-server started by a test program, from the folder of that program. */
struct engine_server {
	int port;
	/* the server ends when this pipe closes, also when the test program crashes */
	int held;
	pid_t pid;
};

/* In the child: run it with its standard input and output on the pipes. */
static inline void
engine_server_exec(const int in[2], const int out[2])
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;

	if (slash == NULL)
		_exit(127);
	memcpy(slash + 1, "engine-server", 14);
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
	execl(path, path, (char *)NULL);
	_exit(127);
}

static inline struct engine_server
engine_server_start(void)
{
	struct engine_server s = { 0 };
	char line[16] = "";
	int in[2], out[2];

	if (pipe(in) != 0 || pipe(out) != 0 || (s.pid = fork()) < 0)
		abort();
	if (s.pid == 0)
		engine_server_exec(in, out);
	close(in[0]);
	close(out[1]);
	if (read(out[0], line, sizeof(line) - 1) <= 0 || (s.port = atoi(line)) == 0) {
		fprintf(stderr, "engine-server: build it beside this program\n");
		exit(1);
	}
	close(out[0]);
	s.held = in[1];
	return s;
}

static inline void
engine_server_stop(const struct engine_server *s)
{
	close(s->held);
	waitpid(s->pid, NULL, 0);
}

/* A new call to the server, for the test to complete. */
static inline struct http_call
engine_server_get(const struct engine_server *s, struct arena *mem, const char *path)
{
	return (struct http_call){
		.method = "GET",
		.url = arena_printf(mem, "http://127.0.0.1:%d%s", s->port, path),
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true,
	};
}

/* The counters of /count. */
static inline int
engine_server_count(const struct engine_server *s, struct arena *mem, const char *what)
{
	const struct http_call call = engine_server_get(s, mem, "/count");
	struct http_answer a;
	const char *why;

	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	return (int)json_get_int(json_read(mem, a.body, a.body_len, &why), what, -1);
}

#endif
