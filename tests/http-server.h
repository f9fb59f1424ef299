/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_HTTP_SERVER_H
#define TESTS_HTTP_SERVER_H

/*
 * The common part of the tests' HTTP servers: they listen on a port of 127.0.0.1, print
 * it, and serve until standard input closes.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"

struct http_message {
	const char *head; /* request line and headers */
	const char *method;
	char *target; /* "" if there is none */
	const char *body;
	size_t body_len;
};

/* False: close the connection. */
static inline bool
send_all(int fd, const void *p, size_t n)
{
	const char *s = p;

	for (ssize_t some; n > 0; s += some, n -= (size_t)some)
		if ((some = send(fd, s, n, MSG_NOSIGNAL)) <= 0)
			return false;
	return true;
}

/* Returns a header's value; NULL: there is none of that name. */
static inline const char *
header_of(struct arena *mem, const char *head, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = head; (p = strstr(p, "\r\n")) != NULL;) {
		p += 2;
		if (strncasecmp(p, name, n) == 0 && p[n] == ':') {
			p += n + 1 + strspn(p + n + 1, " ");
			return arena_dup(mem, p, strcspn(p, "\r"));
		}
	}
	return NULL;
}

/* Reads the next request, of at most this many bytes; false: there is none. */
static inline bool
receive(int fd, struct arena *mem, size_t most, struct http_message *m)
{
	struct buf in = { .mem = mem };
	size_t head = 0, need = 1;
	const char *end, *length;
	char *save;

	while (in.len < need) {
		ssize_t n = recv(fd, buf_room(&in, 65536), 65536, 0);

		if (n <= 0 || (in.len += (size_t)n) > most)
			return false;
		need = in.len + 1;
		if ((end = memmem(in.p, in.len, "\r\n\r\n", 4)) == NULL)
			continue;
		head = (size_t)(end - in.p) + 4;
		m->head = arena_dup(mem, in.p, head - 2);
		length = header_of(mem, m->head, "Content-Length");
		m->body_len = length != NULL ? strtoul(length, NULL, 10) : 0;
		need = head + m->body_len;
	}
	m->body = in.p + head;
	m->method = strtok_r(arena_str(mem, m->head), " ", &save);
	m->target = strtok_r(NULL, " ", &save);
	return m->target != NULL && *m->target == '/';
}

/*
 * Listens on *port, or on any free port if it is 0. Returns the socket; -1: the port is
 * in use.
 */
static inline int
listen_on(int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)*port) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&at, n) != 0 || listen(fd, 64) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &n) != 0)
		return -1;
	*port = ntohs(at.sin_port);
	return fd;
}

/*
 * Serves this port, or any if 0; each connection (an intptr_t) has a thread of its own.
 */
static inline void
serve_all(int port, void *(*fn)(void *))
{
	int listener = listen_on(&port);
	struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = listener, .events = POLLIN } };
	pthread_t thread;
	char c;

	if (listener < 0)
		exit(1);
	printf("%d\n", port);
	fflush(stdout);
	while (poll(fds, 2, -1) > 0) {
		if (fds[0].revents != 0 && read(STDIN_FILENO, &c, 1) <= 0)
			break;
		if (fds[1].revents == 0)
			continue;
		if (pthread_create(&thread, NULL, fn,
			(void *)(intptr_t)accept(listener, NULL, NULL)) != 0)
			abort();
		pthread_detach(thread);
	}
	_exit(0); /* with the connections that are still open */
}

#endif
