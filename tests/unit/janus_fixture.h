/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_JANUS_FIXTURE_H
#define TESTS_UNIT_JANUS_FIXTURE_H

/* A Janus from tests/janus as a backend that a test starts and kills. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "net/http.h"
#include "tests/unit/backend_fixture.h"

static struct {
	struct arena *mem;
	char *dir;               /* NULL: no Janus is running */
	const struct json *made; /* its address and secrets */
	/* the process that ends Janus when `held` closes, also when the test crashes */
	pid_t guard;
	int held;
} janus;

static inline _Noreturn void
janus_exec(const char *what, const char *dir, int out)
{
	dup2(out, STDOUT_FILENO);
	execl("tests/janus", "janus", what, dir, (char *)NULL);
	_exit(127);
}

/* Returns the output of a command of tests/janus; valid until janus_stop(). */
static inline const char *
janus_run(const char *what)
{
	struct buf b = { .mem = janus.mem };
	int out[2], status;
	char some[4096];
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	ck_assert_int_ge(pid = fork(), 0);
	if (pid == 0)
		janus_exec(what, janus.dir, out[1]);
	close(out[1]);
	while ((n = read(out[0], some, sizeof(some))) > 0)
		buf_put(&b, some, (size_t)n);
	close(out[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "tests/janus %s: %d", what, status);
	return buf_text(&b);
}

/*
 * Waits for the end of the test, then removes the files of tests/janus; never returns.
 */
static inline _Noreturn void
janus_watch(int until)
{
	char none;
	pid_t pid;

	setsid();
	while (read(until, &none, 1) > 0)
		continue;
	if ((pid = fork()) == 0)
		janus_exec("kill", janus.dir, STDERR_FILENO);
	waitpid(pid, NULL, 0);
	execlp("rm", "rm", "-rf", janus.dir, (char *)NULL);
	_exit(127);
}

static inline void
janus_write_settings(void)
{
	int ends[2];

	janus.mem = arena_new();
	janus.dir = arena_str(janus.mem, "/tmp/janus.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(janus.dir));
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_ge(janus.guard = fork(), 0);
	if (janus.guard == 0) {
		close(ends[1]);
		janus_watch(ends[0]);
	}
	close(ends[0]);
	janus.held = ends[1];
}

static inline void
janus_kill(void)
{
	janus_run("kill");
}

static inline void
janus_begin(struct conf *c)
{
	const char *text, *why;

	if (janus.dir == NULL) {
		janus_write_settings();
		text = janus_run("up");
		janus.made = json_read(janus.mem, text, strlen(text), &why);
		ck_assert_ptr_nonnull(janus.made);
	} else {
		janus_kill();
		janus_run("start");
	}
	c->broadcast_driver = "janus";
	c->janus_admin_url = json_get_text(janus.made, "admin_url");
	c->janus_admin_secret = json_get_text(janus.made, "admin_secret");
	c->janus_admin_key = json_get_text(janus.made, "admin_key");
	c->janus_public_url = "wss://janus.example.org";
	if (c->backend_timeout_ms == 0)
		c->backend_timeout_ms = 5000;
}

static inline void
janus_stop(void)
{
	if (janus.dir == NULL)
		return;
	close(janus.held);
	waitpid(janus.guard, NULL, 0);
	arena_free(janus.mem);
	janus.dir = NULL;
	janus.mem = NULL;
}

/* Returns the answer of its plugin "audiobridge" or "streaming" to a request with these
   members. */
static inline const struct json *
janus_told(const char *plugin, const char *members)
{
	const char *body = arena_printf(janus.mem,
	    "{\"janus\":\"message_plugin\",\"transaction\":\"t\",\"plugin\":"
	    "\"janus.plugin.%s\",\"admin_secret\":\"%s\",\"request\":{%s}}",
	    plugin, json_get_text(janus.made, "admin_secret"), members);
	const struct http_call call = {
		.method = "POST",
		.url = json_get_text(janus.made, "admin_url"),
		.body = body,
		.body_len = strlen(body),
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true,
	};
	struct http_answer a;
	const char *why;

	ck_assert_int_eq(http_do(janus.mem, &call, &a), OK);
	return json_get(json_read(janus.mem, a.body, a.body_len, &why), "response");
}

/* Returns the lists of one plugin, with private entries. */
static inline const struct json *
janus_all(const char *plugin)
{
	const char *list =
	    arena_printf(janus.mem, "\"request\":\"list\",\"admin_key\":\"%s\"",
		json_get_text(janus.made, "admin_key"));
	const struct json *all = json_get(janus_told(plugin, list), "list");

	ck_assert_ptr_nonnull(all);
	return all;
}

static inline int
janus_compare(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* The result is valid until janus_stop(). */
static inline const char *
janus_names(void)
{
	const struct json *all = janus_all("audiobridge");
	const char **name = arena_alloc(janus.mem, (all->n + 1) * sizeof(*name));
	struct buf b = { .mem = janus.mem };
	size_t n = 0;

	for (const struct json *v = all->kids; v != NULL; v = v->next)
		name[n++] = json_get_text(v, "room");
	qsort(name, n, sizeof(*name), janus_compare);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\n", name[i]);
	return buf_text(&b);
}

static const struct backend_fixture janus_fixture = {
	.driver = "janus",
	.start = janus_begin,
	.kill = janus_kill,
	.stop = janus_stop,
	.names = janus_names,
};

#endif
