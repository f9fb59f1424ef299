/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the child of a stream.  The child is untrusted, like the stream: its answers are
 * limited in size and time.
 */
#include "media/stream_decoder.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/child.h"
#include "base/child_clock.h"
#include "base/clock.h"
#include "base/log.h"
#include "media/stream_decoder_wire.h"

#define MEMORY_BYTES ((size_t)384 << 20) /* limit of address space */

struct stream_decoder {
	const char *program;
	struct child_socket child;
};

struct stream_decoder *
stream_decoder_start(struct arena *mem, const char *program, const char *format)
{
	struct stream_decoder *l = arena_alloc(mem, sizeof(*l));
	const char *const argv[] = { program, format, NULL };
	const struct child c = { .argv = argv, .memory_bytes = MEMORY_BYTES };

	l->program = arena_str(mem, program);
	return child_socket_start(&c, &l->child) == OK ? l : NULL;
}

void
stream_decoder_stop(struct stream_decoder *l)
{
	if (l != NULL)
		child_socket_stop(&l->child, l->program);
}

/* One piece and its answer. */
struct exchange {
	const char *in;
	size_t left; /* bytes of in that are left */
	struct buf *to;
	size_t room; /* bytes that it may still get */
	struct stream_decoder_answer head;
	size_t nhead; /* bytes of head received */
	size_t body;  /* bytes of sound that follow it */
	bool done;
};

static bool
is_transient(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static enum err
send_some(const struct stream_decoder *l, struct exchange *t)
{
	ssize_t did = send(l->child.fd, t->in, t->left, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (did < 0)
		return is_transient() ? OK : ERR_FAILED;
	t->in += did;
	t->left -= (size_t)did;
	return OK;
}

/* The head is complete: check it. */
static enum err
read_head(struct exchange *t)
{
	t->nhead = 0;
	t->done = t->head.kind == LIVE_DONE;
	if (t->done)
		return t->left == 0 ? OK : ERR_FAILED;
	if (t->head.kind != LIVE_SOUND || t->head.n > LIVE_PIECE ||
	    t->head.n > t->room || t->head.n % sizeof(int16_t) != 0)
		return ERR_FAILED;
	t->room -= t->head.n;
	t->body = t->head.n;
	return OK;
}

static enum err
read_some(const struct stream_decoder *l, struct exchange *t)
{
	bool body = t->body > 0;
	size_t n = body ? t->body : sizeof(t->head) - t->nhead;
	char *to = body ? buf_room(t->to, n) : (char *)&t->head + t->nhead;
	ssize_t did = recv(l->child.fd, to, n, MSG_DONTWAIT);

	if (did <= 0)
		return did < 0 && is_transient() ? OK : ERR_FAILED;
	if (body) {
		t->to->len += (size_t)did;
		t->body -= (size_t)did;
		return OK;
	}
	t->nhead += (size_t)did;
	return t->nhead == sizeof(t->head) ? read_head(t) : OK;
}

/* Send a piece and receive its answer. On a busy host the child may get less processor
   time than it is allowed. */
static enum err
exchange(const struct stream_decoder *l, struct exchange *t, int64_t allowed_us)
{
	int64_t until_us = monotonic_us() + MEDIA_LIVE_BUSY * allowed_us;
	int64_t spent_until_us = child_clock_used_us(l->child.pid) + allowed_us;
	enum err e = OK;

	while (e == OK && !t->done) {
		struct pollfd p = { .fd = l->child.fd,
			.events = (short)(t->left > 0 ? POLLIN | POLLOUT : POLLIN) };

		if (monotonic_us() >= until_us ||
		    child_clock_used_us(l->child.pid) >= spent_until_us)
			return ERR_TIMEOUT;
		if (poll(&p, 1, (int)(allowed_us / 1000) + 1) <= 0)
			continue;
		if (p.revents & POLLOUT)
			e = send_some(l, t);
		if (e == OK && (p.revents & ~POLLOUT) != 0)
			e = read_some(l, t);
	}
	return e;
}

/* The child waits for the next piece, so the socket has room. */
static enum err
send_ask(const struct stream_decoder *l, size_t n, size_t most)
{
	const struct stream_decoder_ask ask = { (uint32_t)n, (uint32_t)most };

	return send(l->child.fd, &ask, sizeof(ask), MSG_NOSIGNAL | MSG_DONTWAIT) ==
		       (ssize_t)sizeof(ask)
		   ? OK
		   : ERR_FAILED;
}

enum err
stream_decoder_feed(struct stream_decoder *l, const void *p, size_t n, struct buf *to,
    size_t most, int timeout_ms)
{
	struct exchange t = { .in = p, .left = n, .to = to };
	enum err e;

	if (n == 0)
		return OK;
	if (n > MEDIA_LIVE_BYTES || most > UINT32_MAX)
		return ERR_LIMIT;
	t.room = most * sizeof(int16_t);
	if ((e = send_ask(l, n, most)) == OK)
		e = exchange(l, &t, (int64_t)timeout_ms * 1000);
	if (e != OK) {
		log_warn("%s: %s", l->program,
		    e == ERR_TIMEOUT ? "not done in time"
				     : "its answer is invalid or missing");
		return e;
	}
	return t.head.n & LIVE_UNREAD ? ERR_REFUSED
	       : t.head.n & LIVE_OVER ? ERR_LIMIT
				      : OK;
}
