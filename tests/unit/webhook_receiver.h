/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_WEBHOOK_RECEIVER_H
#define TESTS_UNIT_WEBHOOK_RECEIVER_H

/*
 * A server on 127.0.0.1 that receives messages, in threads of the test. The path
 * selects its behaviour: "/ok" answers 204; "/answer-503" answers that status with the
 * receiver's text and header line; "/stall-503" does the same without the end of the
 * text; "/redirect" redirects to /ok; "/large" answers 200 and megabytes; "/hang" does
 * not answer.
 */
#include <check.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "tests/http-server.h"

#define RECEIVED_MOST 256
#define LARGE_BYTES ((size_t)64 << 20)

struct received {
	const char *head, *target, *body;
};

static struct receiver {
	pthread_mutex_t lock;
	struct arena *mem; /* guarded by the lock */
	int port, listener;
	const char *text, *line; /* answer of /answer-N; line: "Name: value\r\n" */
	struct received got[RECEIVED_MOST];
	int n;              /* requests */
	int open, most;     /* connections that hang: now, and at most */
	size_t large_bytes; /* bytes that were sent for /large */
} receiver;

static inline void
receiver_keep(const struct http_message *m)
{
	pthread_mutex_lock(&receiver.lock);
	if (receiver.n < RECEIVED_MOST)
		receiver.got[receiver.n] =
		    (struct received){ arena_str(receiver.mem, m->head),
			    arena_str(receiver.mem, m->target),
			    arena_dup(receiver.mem, m->body, m->body_len) };
	receiver.n++;
	pthread_mutex_unlock(&receiver.lock);
}

/* Waits until the other side closes the connection. */
static inline void
receiver_hang(int fd)
{
	char c;

	pthread_mutex_lock(&receiver.lock);
	receiver.open++;
	if (receiver.open > receiver.most)
		receiver.most = receiver.open;
	pthread_mutex_unlock(&receiver.lock);
	while (recv(fd, &c, 1, 0) > 0)
		;
	pthread_mutex_lock(&receiver.lock);
	receiver.open--;
	pthread_mutex_unlock(&receiver.lock);
}

static inline void
receiver_flood(int fd)
{
	static const char head[] =
	    "HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n";
	static const char zeroes[65536];
	size_t sent = 0;

	send_all(fd, head, sizeof(head) - 1);
	while (sent < LARGE_BYTES && send_all(fd, zeroes, sizeof(zeroes)))
		sent += sizeof(zeroes);
	receiver.large_bytes = sent;
}

static inline void
receiver_answer(
    int fd, struct arena *mem, int status, const char *line, const char *text)
{
	const char *answer = arena_printf(mem,
	    "HTTP/1.1 %d Whatever\r\n%sContent-Length: %zu\r\n"
	    "Connection: close\r\n\r\n%s",
	    status, line, strlen(text), text);

	send_all(fd, answer, strlen(answer));
}

static inline void
receiver_stall(int fd, struct arena *mem, int status)
{
	const char *begin = arena_printf(mem,
	    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 %d Whatever\r\n"
	    "Content-Length: 1000\r\n\r\n%s",
	    status, receiver.text);

	send_all(fd, begin, strlen(begin));
	receiver_hang(fd);
}

static inline void *
receiver_serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	struct arena *mem = arena_new();
	struct http_message m = { NULL };

	if (receive(fd, mem, (size_t)1 << 20, &m)) {
		receiver_keep(&m);
		if (strncmp(m.target, "/answer-", 8) == 0)
			receiver_answer(
			    fd, mem, atoi(m.target + 8), receiver.line, receiver.text);
		else if (strncmp(m.target, "/stall-", 7) == 0)
			receiver_stall(fd, mem, atoi(m.target + 7));
		else if (strcmp(m.target, "/redirect") == 0)
			receiver_answer(fd, mem, 302, "Location: /ok\r\n", "");
		else if (strcmp(m.target, "/large") == 0)
			receiver_flood(fd);
		else if (strncmp(m.target, "/hang", 5) == 0)
			receiver_hang(fd);
		else
			receiver_answer(fd, mem, 204, "", "");
	}
	close(fd);
	arena_free(mem);
	return NULL;
}

static inline void *
receiver_listen(void *arg)
{
	pthread_t thread;
	int fd;

	(void)arg;
	while ((fd = accept(receiver.listener, NULL, NULL)) >= 0)
		if (pthread_create(
			&thread, NULL, receiver_serve, (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
	return NULL;
}

static inline void
receiver_open(void)
{
	pthread_t thread;

	receiver = (struct receiver){ .mem = arena_new(), .text = "", .line = "" };
	pthread_mutex_init(&receiver.lock, NULL);
	receiver.listener = listen_on(&receiver.port);
	ck_assert_int_ge(receiver.listener, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, receiver_listen, NULL), 0);
	pthread_detach(thread);
}

static inline int
receiver_count(void)
{
	int n;

	pthread_mutex_lock(&receiver.lock);
	n = receiver.n;
	pthread_mutex_unlock(&receiver.lock);
	return n;
}

static inline int
receiver_hanging(void)
{
	int n;

	pthread_mutex_lock(&receiver.lock);
	n = receiver.open;
	pthread_mutex_unlock(&receiver.lock);
	return n;
}

/* Returns a header of the n-th request, from 0. */
static inline const char *
received(int n, const char *name)
{
	const char *value;

	pthread_mutex_lock(&receiver.lock);
	value = header_of(receiver.mem, receiver.got[n].head, name);
	pthread_mutex_unlock(&receiver.lock);
	return value;
}

#endif
