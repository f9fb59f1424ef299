/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_CUTTING_PROXY_H
#define TESTS_UNIT_CUTTING_PROXY_H

/*
 * A proxy process between a driver and its backend: it forwards the first requests and
 * then closes all connections for good.  Each request has its own connection, so none
 * is lost on a reused connection and sent again.
 */
#include <check.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/unit/broadcast_fixture.h"

enum cut {
	CUT_BEFORE, /* close before the backend gets the request */
	CUT_AFTER,  /* close after the backend answered; the answer is lost */
	CUT_ALIVE_KINDS,
	CUT_KILL_BEFORE = CUT_ALIVE_KINDS, /* as the two above, and kill the backend */
	CUT_KILL_AFTER,
	CUT_KINDS,
	CUT_LATE /* forward the request only after the client gave up: proxy_let_go() */
};

struct proxy {
	int to;       /* port of the backend */
	int passes;   /* number of requests before the cut */
	int delay_ms; /* delay of each request */
	enum cut how;
	int port, listener; /* the proxy's own port */
	int *seen;          /* number of requests so far, in shared memory */
	int *late;          /* state of the held request, in shared memory */
	pid_t pid;
};

#define PROXY_SHARED (2 * sizeof(int))

enum { LATE_HELD, LATE_LET_GO, LATE_DONE };

static inline bool
proxy_send(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t some = send(fd, p, n, MSG_NOSIGNAL);

		if (some <= 0)
			return false;
		p += some;
		n -= (size_t)some;
	}
	return true;
}

/* True if head and body of a message are complete. */
static inline bool
proxy_whole(struct buf *b)
{
	const char *text = buf_text(b);
	const char *end = strstr(text, "\r\n\r\n");
	const char *length = strcasestr(text, "\r\nContent-Length:");
	const char *chunked = strcasestr(text, "\r\nTransfer-Encoding: chunked");

	if (end == NULL)
		return false;
	if (chunked != NULL && chunked < end)
		return b->len > 7 && strcmp(text + b->len - 7, "\r\n0\r\n\r\n") == 0;
	end += 4;
	return length == NULL || length > end ||
	       b->len >= (size_t)(end - text) + (size_t)atol(length + 17);
}

/* Reads one message; false: the connection ended before its end. */
static inline bool
proxy_read(int fd, struct buf *b)
{
	ssize_t n;

	while ((n = recv(fd, buf_room(b, 65536), 65536, 0)) > 0) {
		b->len += (size_t)n;
		if (proxy_whole(b))
			return true;
	}
	return false;
}

/* Hand a request on and read the answer. */
static inline bool
proxy_forward(const struct proxy *p, const struct buf *request, struct buf *answer)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)p->to),
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool done = connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
		    proxy_send(fd, request->p, request->len) && proxy_read(fd, answer);

	close(fd);
	return done;
}

static inline void
proxy_wait(int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static inline void
proxy_hold(const struct proxy *p, const struct buf *request, struct buf *answer)
{
	while (*(volatile int *)p->late == LATE_HELD)
		proxy_wait(5);
	if (!proxy_forward(p, request, answer))
		abort();
	*p->late = LATE_DONE;
}

static inline void
proxy_exchange(const struct proxy *p, int client, struct arena *here)
{
	struct buf request = { .mem = here }, answer = { .mem = here };
	bool kills = p->how == CUT_KILL_BEFORE || p->how == CUT_KILL_AFTER;
	bool first = p->how == CUT_BEFORE || p->how == CUT_KILL_BEFORE;

	if (!proxy_read(client, &request))
		return;
	++*p->seen;
	proxy_wait(p->delay_ms);
	if (*p->seen <= p->passes) {
		if (proxy_forward(p, &request, &answer))
			proxy_send(client, answer.p, answer.len);
	} else if (*p->seen == p->passes + 1 && p->how == CUT_LATE) {
		proxy_hold(p, &request, &answer);
	} else if (*p->seen == p->passes + 1) {
		if (!first && !proxy_forward(p, &request, &answer))
			abort();
		if (kills)
			backend->kill();
	}
}

static inline _Noreturn void
proxy_serve(const struct proxy *p)
{
	struct arena *here = arena_new();
	int client;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((client = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		proxy_exchange(p, client, here);
		close(client);
		arena_reset(here);
	}
	_exit(1);
}

/* Makes the driver use the proxy. */
static inline struct proxy
proxy_start(int passes, enum cut how, int delay_ms)
{
	struct proxy p = {
		.to = backend_port(), .passes = passes, .delay_ms = delay_ms, .how = how
	};

	p.seen = mmap(NULL, PROXY_SHARED, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(p.seen, MAP_FAILED);
	p.late = p.seen + 1;
	p.listener = bind_somewhere(&p.port);
	ck_assert_int_eq(listen(p.listener, 16), 0);
	ck_assert_int_ge(p.pid = fork(), 0);
	if (p.pid == 0)
		proxy_serve(&p);
	close(p.listener);
	lead_to(p.port);
	return p;
}

/*
 * Returns the number of requests. Waits until the driver reaches its backend again,
 * because its last request may still be on the way when the driver has timed out.
 */
static inline int
proxy_stop(struct proxy *p)
{
	int seen;

	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	seen = *p->seen;
	munmap(p->seen, PROXY_SHARED);
	lead_to(p->to);
	return seen;
}

/* Forwards the held request (CUT_LATE) to the backend, which executes it. */
static inline void
proxy_let_go(const struct proxy *p)
{
	*p->late = LATE_LET_GO;
	for (int i = 0; i < 1000 && *(volatile int *)p->late != LATE_DONE; i++)
		proxy_wait(5);
	ck_assert_int_eq(*p->late, LATE_DONE);
}

/* ---- one that only babbles ---- */

/* Sends the same answer to every client, until it is killed. */
static inline pid_t
parrot_start(int fd, const char *answer)
{
	struct arena *here = arena_new();
	pid_t pid = fork();
	int client;

	if (pid != 0) {
		arena_free(here);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((client = accept(fd, NULL, NULL)) >= 0) {
		struct buf request = { .mem = here };

		if (proxy_read(client, &request))
			proxy_send(client, answer, strlen(answer));
		close(client);
		arena_reset(here);
	}
	_exit(1);
}

/*
 * Checks the result of each call when the backend always sends this answer, with a
 * status or (NULL) without HTTP.
 */
static inline void
all_told(const char *status, const char *body, enum err e)
{
	const char *text = body;
	const struct conf before = conf;
	int port, fd = bind_somewhere(&port);
	pid_t pid;

	if (status != NULL)
		text = arena_printf(mem,
		    "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
		    status, strlen(body), body);
	ck_assert_int_eq(listen(fd, 16), 0);
	pid = parrot_start(fd, text);
	close(fd);
	lead_to(port);
	all_answer(e, SPARE_MS);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	conf = before;
}

#endif
