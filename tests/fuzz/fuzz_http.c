/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HTTP answers of an unknown server, through libcurl to our code. There is no server: a
 * connection is one end of a pair of sockets; the other end already has the input.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define MOST 4096 /* bytes of a body */

static struct {
	const uint8_t *p;
	size_t n;
	int far; /* the other end; -1: no connection */
} wire = { .far = -1 };

/* Replaces the C library's connect(), also in libcurl. */
int
connect(int fd, const struct sockaddr *to, socklen_t n)
{
	int ends[2], most = 1 << 20;

	(void)to, (void)n;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
		abort();
	setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &most, sizeof(most));
	if (write(ends[1], wire.p, wire.n) < 0)
		abort();
	shutdown(ends[1], SHUT_WR);
	if (dup2(ends[0], fd) < 0)
		abort();
	close(ends[0]);
	if (wire.far >= 0)
		close(wire.far);
	wire.far = ends[1];
	return 0;
}

static void
check(const struct http_answer *a)
{
	if (a->status < 100 || a->status > 599 || a->body_len > MOST ||
	    a->body[a->body_len] != '\0')
		abort();
	if (a->etag != NULL && strpbrk(a->etag, "\r\n") != NULL)
		abort();
	if (a->content_type != NULL && strpbrk(a->content_type, "\r\n") != NULL)
		abort();
	if (http_verdict(a->status) == OK && (a->status < 200 || a->status > 299))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "DELETE" };
	struct http_call call = { .url = "http://127.0.0.1:9/x?y",
		.timeout_ms = 1000,
		.max_bytes = MOST,
		.allow_private = true,
		.once = true };
	struct http_answer a;
	struct arena *mem;

	if (size == 0 || size > 100000)
		return 0;
	mem = arena_new();
	call.method = methods[data[0] % 4];
	wire.p = data + 1;
	wire.n = size - 1;
	if (http_do(mem, &call, &a) == OK)
		check(&a);
	http_close();
	if (wire.far >= 0)
		close(wire.far);
	wire.far = -1;
	arena_free(mem);
	return 0;
}
