/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: delay SOCKET TARGET MS
 *
 * Relay the connections of a Unix socket to another one.  Everything arrives MS / 2
 * later, in both directions, so each round trip takes MS longer.  Data are never held
 * back by earlier data.  Ends by a signal.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

#define WAYS 1024 /* two for each connection */
#define CHUNK 16384

struct chunk {
	struct chunk *next;
	int64_t due_us;
	size_t n;
	char p[];
};

/* One direction of a connection. */
struct way {
	int from, to; /* from: -1 after its end */
	struct chunk *first, **end;
};

static struct way ways[WAYS];
static size_t n_ways;

static _Noreturn void
die(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static struct sockaddr_un
address_of(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(a.sun_path)) {
		fprintf(stderr, "delay: the name of %s is too long\n", path);
		exit(EXIT_FAILURE);
	}
	strcpy(a.sun_path, path);
	return a;
}

static int
unix_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("delay: socket");
	return fd;
}

static int
listen_at(const char *path)
{
	struct sockaddr_un a = address_of(path);
	int fd = unix_socket();

	unlink(path);
	umask(0);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 512) != 0)
		die(path);
	return fd;
}

static void
begin_way(int from, int to)
{
	struct way *w = &ways[n_ways++];

	*w = (struct way){ .from = from, .to = to };
	w->end = &w->first;
}

static void
take(int listener, const char *target)
{
	struct sockaddr_un a = address_of(target);
	int client = accept(listener, NULL, NULL), server = unix_socket();

	if (client < 0 || n_ways + 2 > WAYS ||
	    connect(server, (struct sockaddr *)&a, sizeof(a)) != 0) {
		close(client);
		close(server);
		return;
	}
	begin_way(client, server);
	begin_way(server, client);
}

/* Queue received data; the end of the data is a chunk of no bytes. */
static void
receive(struct way *w, int64_t due_us)
{
	struct chunk *c = malloc(sizeof(*c) + CHUNK);
	ssize_t n;

	if (c == NULL)
		die("delay");
	n = read(w->from, c->p, CHUNK);
	*c = (struct chunk){ .due_us = due_us, .n = n > 0 ? (size_t)n : 0 };
	*w->end = c;
	w->end = &c->next;
	if (n <= 0)
		w->from = -1;
}

static void
write_chunk(int fd, const struct chunk *c)
{
	for (size_t at = 0; at < c->n;) {
		ssize_t n = send(fd, c->p + at, c->n - at, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		at += (size_t)n;
	}
	if (c->n == 0)
		shutdown(fd, SHUT_WR);
}

static void
send_due(struct way *w, int64_t now)
{
	struct chunk *c;

	while ((c = w->first) != NULL && c->due_us <= now) {
		write_chunk(w->to, c);
		if ((w->first = c->next) == NULL)
			w->end = &w->first;
		free(c);
	}
}

/* Forget connections of which both directions have ended. */
static void
sweep(void)
{
	for (size_t i = 0; i < n_ways; i += 2) {
		struct way *w = &ways[i];

		if (w[0].from >= 0 || w[1].from >= 0 || w[0].first || w[1].first)
			continue;
		close(w[0].to);
		close(w[1].to);
		n_ways -= 2;
		if (i == n_ways)
			return;
		memcpy(w, &ways[n_ways], 2 * sizeof(*w));
		for (int k = 0; k < 2; k++)
			if (w[k].first == NULL)
				w[k].end = &w[k].first;
		i -= 2;
	}
}

/* The time until the first queued data are due; -1: there are none. */
static int64_t
time_left(int64_t now)
{
	int64_t left = -1;

	for (size_t i = 0; i < n_ways; i++)
		if (ways[i].first != NULL) {
			int64_t us = ways[i].first->due_us - now;

			us = us < 0 ? 0 : us;
			left = left < 0 || us < left ? us : left;
		}
	return left;
}

static void
wait_for_data(struct pollfd *fds, int listener)
{
	int64_t left = time_left(monotonic_us());
	struct timespec t = { left / S_US, left % S_US * 1000 };

	fds[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (size_t i = 0; i < n_ways; i++)
		fds[i + 1] = (struct pollfd){ .fd = ways[i].from, .events = POLLIN };
	if (ppoll(fds, n_ways + 1, left < 0 ? NULL : &t, NULL) < 0)
		die("delay: poll");
}

int
main(int argc, char **argv)
{
	static struct pollfd fds[WAYS + 1];
	int64_t delay_us, now;
	int listener;

	if (argc != 4) {
		fprintf(stderr, "usage: delay SOCKET TARGET MS\n");
		return 2;
	}
	delay_us = (int64_t)(atof(argv[3]) * 500);
	listener = listen_at(argv[1]);
	for (;;) {
		wait_for_data(fds, listener);
		now = monotonic_us();
		for (size_t i = 0; i < n_ways; i++)
			if (fds[i + 1].revents != 0 && ways[i].from >= 0)
				receive(&ways[i], now + delay_us);
		if (fds[0].revents != 0)
			take(listener, argv[2]);
		for (size_t i = 0; i < n_ways; i++)
			send_due(&ways[i], monotonic_us());
		sweep();
	}
}
