/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"

#define PATIENCE_MS 3000
#define PIECE 65536
#define TEXT_MOST (256 * 1024)

struct wire {
	int fd;
	struct buf in; /* received bytes that were not read yet */
	struct heard heard;
};

/* ---- the connection ---- */

struct wire *
wire_open(struct arena *mem, const char *address)
{
	const char *colon = strrchr(address, ':');
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct wire *w = arena_alloc(mem, sizeof(*w));
	int on = 1;

	to.sin_port = htons((uint16_t)atoi(colon + 1));
	inet_pton(
	    AF_INET, arena_dup(mem, address, (size_t)(colon - address)), &to.sin_addr);
	w->in.mem = mem;
	w->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (w->fd < 0)
		return NULL;
	if (connect(w->fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		close(w->fd);
		return NULL;
	}
	setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return w;
}

bool
wire_send(struct wire *w, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t sent = send(w->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		struct pollfd ready = { .fd = w->fd, .events = POLLOUT };

		if (sent < 0 && errno != EAGAIN)
			return false;
		if (sent < 0 && poll(&ready, 1, PATIENCE_MS) <= 0)
			return false;
		p += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

bool
wire_send_cut(struct wire *w, struct dice *d, const void *bytes, size_t n)
{
	const char *p = bytes;
	int cuts = (int)dice_roll(d, 12);

	while (n > 0) {
		size_t most = n < 64 || dice_roll(d, 2) ? n : 64;
		size_t now = cuts-- > 0 ? 1 + dice_roll(d, most) : n;
		const struct timespec nap = { .tv_nsec =
						  (long)dice_roll(d, 3) * 1000000 };

		if (!wire_send(w, p, now))
			return false;
		p += now;
		n -= now;
		nanosleep(&nap, NULL);
	}
	return true;
}

void
wire_shut(struct wire *w)
{
	shutdown(w->fd, SHUT_WR);
}

void
wire_close(struct wire *w)
{
	close(w->fd);
}

void
wire_break(struct wire *w)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(w->fd);
}

/* ---- what comes ---- */

/* Receives more bytes; false: none came in time, or the connection ended. */
static bool
read_more(struct wire *w, int64_t until_us)
{
	int64_t left_us = until_us - monotonic_us();
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	ssize_t n;

	if (w->heard.ended ||
	    poll(&p, 1, left_us > 0 ? (int)(left_us / 1000) + 1 : 0) <= 0)
		return false;
	n = recv(w->fd, buf_room(&w->in, PIECE), PIECE, 0);
	if (n <= 0) {
		w->heard.ended = true;
		return false;
	}
	w->in.len += (size_t)n;
	return true;
}

static int64_t
end_of(double s)
{
	return monotonic_us() + (int64_t)(s * S_US);
}

static void
eat(struct wire *w, size_t n)
{
	w->in.len -= n;
	memmove(w->in.p, w->in.p + n, w->in.len);
}

int
wire_status(struct wire *w, double s)
{
	int64_t until_us = end_of(s);
	const char *end = NULL;
	int status;

	while (
	    (end = w->in.len == 0 ? NULL : memmem(w->in.p, w->in.len, "\r\n\r\n", 4)) ==
		NULL &&
	    read_more(w, until_us))
		continue;
	if (end == NULL || w->in.len < 12 || memcmp(w->in.p, "HTTP/1.", 7) != 0)
		return 0;
	status = atoi(w->in.p + 9);
	eat(w, (size_t)(end - w->in.p) + 4);
	return status;
}

const char *
wire_rest(struct wire *w, double s)
{
	int64_t until_us = end_of(s);

	while (read_more(w, until_us))
		continue;
	return buf_text(&w->in);
}

static void
note(struct wire *w, const char *wrong)
{
	if (w->heard.wrong == NULL)
		w->heard.wrong = wrong;
}

/* Checks a text frame: one compact JSON object (streaming.md, section 3). */
static void
take_text(struct wire *w, const char *p, size_t n)
{
	const char *why;

	if (n < 2 || n > TEXT_MOST || p[0] != '{' || p[n - 1] != '}' ||
	    memchr(p, '\n', n) != NULL)
		note(w, "a text that is no message");
	else if (json_read(w->in.mem, p, n, &why) == NULL)
		note(w, "a text that is no JSON");
	w->heard.text = arena_dup(w->in.mem, p, n);
	w->heard.texts++;
}

static void
take_close(struct wire *w, const unsigned char *p, size_t n)
{
	w->heard.quirk |= n == 1;
	w->heard.code = n < 2 ? 1005 : p[0] << 8 | p[1];
}

static void
take_frame(struct wire *w, unsigned head, const char *p, size_t n)
{
	w->heard.quirk |= w->heard.code != 0;
	if ((head & 0xf0) != 0x80)
		note(w, "a fragment, or reserved bits");
	switch (head & 15) {
	case 1:
		take_text(w, p, n);
		break;
	case 8:
		take_close(w, (const unsigned char *)p, n);
		break;
	case 9:
		break;
	case 10:
		w->heard.pong = arena_dup(w->in.mem, p, n);
		w->heard.pong_bytes = n;
		w->heard.pongs++;
		break;
	default:
		note(w, "an opcode that is not the gateway's");
	}
	if ((head & 8) != 0 && n > 125)
		note(w, "a control frame that is too long");
}

/* Reads a frame; false: it is not complete yet. */
static bool
next_frame(struct wire *w)
{
	const unsigned char *p = (const unsigned char *)w->in.p;
	size_t more, n;

	if (w->in.len < 2)
		return false;
	n = p[1] & 127;
	more = n == 126 ? 2 : n == 127 ? 8 : 0;
	if (w->in.len < 2 + more)
		return false;
	if (more > 0)
		n = 0;
	for (size_t i = 2; i < 2 + more; i++)
		n = n << 8 | p[i];
	if ((p[1] & 0x80) != 0 || n > TEXT_MOST) {
		note(w, "a masked frame, or one that is too long");
		w->heard.ended = true;
		return false;
	}
	if (w->in.len < 2 + more + n)
		return false;
	take_frame(w, p[0], w->in.p + 2 + more, n);
	eat(w, 2 + more + n);
	return true;
}

const struct heard *
wire_hear(struct wire *w, double s, int until)
{
	int64_t until_us = end_of(s);
	size_t texts = w->heard.texts, pongs = w->heard.pongs;

	for (;;) {
		if (((until & HEAR_TEXT) && w->heard.texts > texts) ||
		    ((until & HEAR_PONG) && w->heard.pongs > pongs))
			break;
		if (!next_frame(w) && !read_more(w, until_us))
			break;
	}
	return &w->heard;
}

/* ---- frames ---- */

void
frame_put(struct buf *to, struct dice *d, const struct frame *f)
{
	uint64_t n = f->says != 0 ? f->says : f->n;
	unsigned form = f->form;
	unsigned char head[14], *mask;
	size_t h = 2, at;

	if (form == 0)
		form = n < 126 ? 7 : n < 65536 ? 16 : 64;
	head[0] = (unsigned char)f->head;
	head[1] = (unsigned char)((f->bare ? 0 : 0x80) | (form == 7       ? n & 127
							     : form == 16 ? 126
									  : 127));
	for (int shift = form == 7 ? 0 : (int)form; shift > 0; h++)
		head[h] = (unsigned char)(n >> (shift -= 8));
	mask = head + h;
	dice_fill(d, mask, 4);
	buf_put(to, head, f->bare ? h : h + 4);
	at = to->len;
	if (f->n > 0)
		buf_put(to, f->p, f->n);
	for (size_t i = 0; i < f->n && !f->bare; i++)
		to->p[at + i] = (char)(to->p[at + i] ^ mask[i % 4]);
}
