/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/tcp_connection.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define HEAD 2
#define READS 8 /* reads of one turn, at most, to be fair to other connections */
#define OUT_BYTES (TCP_UNSENT_MOST + HEAD + TCP_FRAME_MOST)

static bool
is_temporary(void)
{
	return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
}

/* ---- in ---- */

/* Deliver the complete frames; an incomplete frame stays in the buffer. */
static void
receive_frames(struct tcp_connection *c,
    void (*datagram)(void *arg, unsigned char *, size_t n), void *arg)
{
	alignas(max_align_t) unsigned char frame[TCP_FRAME_MOST];
	size_t at = 0, n;

	while (!c->broken && c->in_n - at >= HEAD) {
		n = (size_t)c->in[at] << 8 | c->in[at + 1];
		if (n > TCP_FRAME_MOST)
			c->broken = true;
		if (n > c->in_n - at - HEAD)
			break;
		memcpy(frame, c->in + at + HEAD, n);
		at += HEAD + n;
		datagram(arg, frame, n);
	}
	memmove(c->in, c->in + at, c->in_n - at);
	c->in_n -= at;
}

void
tcp_connection_read(struct tcp_connection *c,
    void (*datagram)(void *arg, unsigned char *, size_t n), void *arg)
{
	for (int i = 0; i < READS && !c->broken; i++) {
		size_t room = sizeof(c->in) - c->in_n;
		ssize_t n = recv(c->fd, c->in + c->in_n, room, MSG_DONTWAIT);

		if (n <= 0) {
			c->broken = n == 0 || !is_temporary();
			return;
		}
		c->in_n += (size_t)n;
		receive_frames(c, datagram, arg);
		if ((size_t)n < room)
			return;
	}
}

/* ---- out ---- */

static void
store(struct tcp_connection *c, const unsigned char *p, size_t n)
{
	if (c->out == NULL)
		c->out = arena_grow(c->mem, NULL, 0, OUT_BYTES);
	if (c->out_at + c->out_n + n > OUT_BYTES) {
		memmove(c->out, c->out + c->out_at, c->out_n);
		c->out_at = 0;
	}
	memcpy(c->out + c->out_at + c->out_n, p, n);
	c->out_n += n;
}

/* Send head and datagram directly, without the buffer. Returns the bytes sent. */
static size_t
send_now(struct tcp_connection *c, unsigned char *head, const void *p, size_t n)
{
	unsigned char bytes[HEAD + TCP_FRAME_MOST];
	ssize_t sent;

	memcpy(bytes, head, HEAD);
	memcpy(bytes + HEAD, p, n);
	sent = send(c->fd, bytes, HEAD + n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0 && !is_temporary())
		c->broken = true;
	return sent > 0 ? (size_t)sent : 0;
}

void
tcp_connection_send(struct tcp_connection *c, const void *p, size_t n, bool media)
{
	unsigned char head[HEAD] = { (unsigned char)(n >> 8), (unsigned char)n };
	size_t sent = 0;

	if (c->broken || n > TCP_FRAME_MOST ||
	    (media && c->out_n + HEAD + n > TCP_UNSENT_MEDIA))
		return;
	if (c->out_n == 0)
		sent = send_now(c, head, p, n);
	if (c->out_n + HEAD + n - sent > TCP_UNSENT_MOST)
		c->broken = true;
	if (c->broken || sent == HEAD + n)
		return;
	if (sent < HEAD)
		store(c, head + sent, HEAD - sent);
	sent = sent < HEAD ? 0 : sent - HEAD;
	store(c, (const unsigned char *)p + sent, n - sent);
}

bool
tcp_connection_flush(struct tcp_connection *c)
{
	while (c->out_n > 0 && !c->broken) {
		ssize_t n = send(
		    c->fd, c->out + c->out_at, c->out_n, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0) {
			c->broken = !is_temporary();
			break;
		}
		c->out_at += (size_t)n;
		c->out_n -= (size_t)n;
	}
	if (c->out_n == 0)
		c->out_at = 0;
	return c->out_n == 0;
}
