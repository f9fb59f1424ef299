/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/cgi_call.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/process.h"

/* Variables of our environment that are passed on: settings and PATH. */
static bool
is_kept(const char *variable)
{
	return strncmp(variable, "DRAGOMAN_", 9) == 0 ||
	       strncmp(variable, "PATH=", 5) == 0;
}

static const char *
path_of(const char *url)
{
	const char *host = strstr(url, "://");

	host = host != NULL ? host + 3 : url;
	return host + strcspn(host, "/");
}

static char **
environment(struct arena *mem, const struct conf *c, const struct cgi_call *call)
{
	const char *query = strchr(call->target, '?');
	struct buf all = { .mem = mem };
	const char *const set[] = { "GATEWAY_INTERFACE=CGI/1.1", "REQUEST_METHOD=GET",
		"SERVER_PROTOCOL=HTTP/1.1", "REMOTE_ADDR=127.0.0.1",
		arena_printf(
		    mem, "REQUEST_URI=%s%s", path_of(c->server_base_url), call->target),
		arena_printf(mem, "QUERY_STRING=%s", query != NULL ? query + 1 : ""),
		arena_printf(mem, "HTTP_AUTHORIZATION=Bearer %s", call->bearer), NULL };

	for (char **p = environ; *p != NULL; p++)
		if (is_kept(*p))
			buf_put(&all, p, sizeof(*p));
	buf_put(&all, set, sizeof(set));
	return (char **)(void *)all.p;
}

/* Start the program; *fd reads its output. -1: it was not started. */
static pid_t
start(struct arena *mem, const struct conf *c, const struct cgi_call *call, int *fd)
{
	char *path = arena_printf(mem, "%s/cgi-bin/%s.fcgi", c->prefix, call->program);
	char *const argv[] = { path, NULL }, **env = environment(mem, c, call);
	int ends[2];
	pid_t parent = getpid(), pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	if ((pid = fork()) == 0) {
		int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

		process_end_with(parent);
		if (dup2(nothing, 0) == 0 && dup2(ends[1], 1) == 1)
			execve(path, argv, env);
		log_error("%s: %s", path, strerror(errno));
		_exit(127);
	}
	close(ends[1]);
	*fd = ends[0];
	if (pid < 0)
		close(ends[0]);
	return pid;
}

static const char *
header_of(struct arena *mem, const char *head, const char *name)
{
	size_t n = strlen(name);

	while (head != NULL) {
		if (strncasecmp(head, name, n) == 0 && head[n] == ':') {
			head += n + 1 + strspn(head + n + 1, " ");
			return arena_dup(mem, head, strcspn(head, "\r"));
		}
		if ((head = strstr(head, "\r\n")) != NULL)
			head += 2;
	}
	return NULL;
}

/* Extract the path from "<https://host/path/saas/voice?token=x>; rel="next"". */
static const char *
next_of(struct arena *mem, const struct conf *c, const char *link)
{
	size_t n = strlen(c->server_base_url);

	if (link == NULL || strstr(link, "rel=\"next\"") == NULL || link[0] != '<' ||
	    strncmp(link + 1, c->server_base_url, n) != 0)
		return NULL;
	return arena_dup(mem, link + 1 + n, strcspn(link + 1 + n, ">"));
}

static bool
read_answer(
    struct arena *mem, const struct conf *c, struct buf *out, struct cgi_answer *to)
{
	const char *text = buf_text(out), *end = strstr(text, "\r\n\r\n"), *head,
		   *value;

	if (end == NULL)
		return false;
	head = arena_dup(mem, text, (size_t)(end - text) + 2);
	*to = (struct cgi_answer){ .body = end + 4,
		.len = out->len - (size_t)(end + 4 - text) };
	if ((value = header_of(mem, head, "Status")) != NULL)
		to->status = atoi(value);
	if ((value = header_of(mem, head, "Retry-After")) != NULL)
		to->retry_after_s = atoi(value);
	to->next = next_of(mem, c, header_of(mem, head, "Link"));
	value = header_of(mem, head, "Content-Length");
	return to->status != 0 && value != NULL && strtoul(value, NULL, 10) == to->len;
}

enum err
cgi_call(struct arena *mem, const struct conf *c, const struct cgi_call *call,
    struct cgi_answer *to)
{
	struct buf out = { .mem = mem };
	int fd, status = -1;
	pid_t pid = start(mem, c, call, &fd);
	ssize_t n = 1;

	while (pid > 0 && n > 0)
		if ((n = read(fd, buf_room(&out, 65536), 65536)) > 0)
			out.len += (size_t)n;
	if (pid > 0) {
		close(fd);
		waitpid(pid, &status, 0);
	}
	if (status == 0 && read_answer(mem, c, &out, to))
		return OK;
	log_error("%s.fcgi: no complete answer to %.*s", call->program,
	    (int)strcspn(call->target, "?"), call->target);
	return ERR_FAILED;
}
