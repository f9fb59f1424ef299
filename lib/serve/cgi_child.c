/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/cgi_child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

#define SEND_S 20 /* without a byte that the client reads */

/* ---- variables, RFC 3875 ---- */

static void
put(struct buf *to, const char *name, const char *value)
{
	const char *line = arena_printf(to->mem, "%s=%s", name, value);

	buf_put(to, &line, sizeof(line));
}

/* Those whose values have names of their own, the one that libraries take for a
   setting, and other spellings of names, as in http_head_get_cgi(). */
static bool
is_left_out(const char *name)
{
	return strchr(name, '_') != NULL || strcasecmp(name, "Content-Length") == 0 ||
	       strcasecmp(name, "Content-Type") == 0 || strcasecmp(name, "Proxy") == 0;
}

static void
put_headers(struct buf *to, const struct http_head *h)
{
	for (size_t i = 0; i < h->n; i++) {
		char *name = arena_printf(to->mem, "HTTP_%s", h->lines[i].name);

		if (is_left_out(h->lines[i].name))
			continue;
		for (char *c = name; *c != '\0'; c++)
			*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
		put(to, name, h->lines[i].value);
	}
}

static char **
variables(struct arena *mem, const struct conf *c, const struct asked *asked)
{
	const struct http_head *h = asked->head;
	const char *length = http_head_get(h, "Content-Length"), *end = NULL;
	const char *type = http_head_get(h, "Content-Type");
	struct buf to = { .mem = mem };

	for (char **p = environ; *p != NULL; p++)
		buf_put(&to, p, sizeof(*p));
	put(&to, "GATEWAY_INTERFACE", "CGI/1.1");
	put(&to, "DRAGOMAN_WHOLE_ANSWER", "1");
	put(&to, "REQUEST_METHOD", h->method);
	put(&to, "REQUEST_URI", h->target);
	put(&to, "REMOTE_ADDR", http_head_peer(mem, h, asked->peer, c->serve_proxies));
	if (length != NULL)
		put(&to, "CONTENT_LENGTH", length);
	if (type != NULL)
		put(&to, "CONTENT_TYPE", type);
	put_headers(&to, h);
	buf_put(&to, &end, sizeof(end));
	return (char **)(void *)to.p;
}

/* ---- starting ---- */

static int
spawn(char *path, char **env, int fd, pid_t *pid)
{
	char *argv[] = { path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none;
	int e;

	sigemptyset(&none);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fd, STDOUT_FILENO);
	e = posix_spawn(pid, path, &files, &how, argv, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return e;
}

pid_t
cgi_child_start(
    struct arena *mem, const struct conf *c, const struct asked *asked, int fd)
{
	const struct timeval patience = { .tv_sec = SEND_S };
	char *path = arena_printf(
	    mem, "%s/cgi-bin/%s.fcgi", c->prefix, asked->path->program->name);
	pid_t pid;
	int e;

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	fcntl(fd, F_SETFL, 0); /* the program waits for the client */
	if ((e = spawn(path, variables(mem, c, asked), fd, &pid)) == 0)
		return pid;
	log_error("%s: %s", path, strerror(e));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return -1;
}
