/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "serve/http_process_internal.h"

#define KEEP_S 15  /* for the next request to begin */
#define SEND_S 20  /* without a byte that the client reads */
#define LINGER_S 2 /* for the client to stop sending what is not read */

/* The answer is sent, or cannot be. */
static void
answered(struct http_process *p, struct http_connection *k, enum writer_state is)
{
	if (is == WRITER_FAILED || (k->closes && !k->unread)) {
		http_drop(p, k);
		return;
	}
	if (k->closes) {
		shutdown(k->fd, SHUT_WR);
		http_watch(p, k, EPOLL_CTL_MOD, EPOLLIN);
		k->state = LINGERING;
		k->until_us = monotonic_us() + LINGER_S * S_US;
		return;
	}
	if (k->state == SENDING)
		http_watch(p, k, EPOLL_CTL_MOD, REQUEST_EVENTS);
	k->state = HEAD;
	k->until_us = monotonic_us() + (p->leave_us == 0 ? KEEP_S : LEAVE_S) * S_US;
}

void
http_answer(struct http_process *p, struct http_connection *k, const struct answer *a)
{
	enum writer_state is = writer_send(k->fd, a, &k->writing);

	arena_reset(p->mem);
	if (is != WRITER_BUSY) {
		answered(p, k, is);
		return;
	}
	http_watch(p, k, EPOLL_CTL_MOD, EPOLLOUT);
	k->state = SENDING;
	k->until_us = monotonic_us() + SEND_S * S_US;
}

void
http_refuse(struct http_process *p, struct http_connection *k,
    const struct http_head *h, int status)
{
	bool blobs =
	    h != NULL &&
	    strcmp(target_below(programs_conf(p->programs), h->target), "/blobs") == 0;
	struct answer a =
	    programs_refuse(p->programs, p->mem, status, blobs, k->is_head);

	p->passing -= k->state == PASSING;
	k->state = HEAD;
	k->partial = false;
	k->closes = k->unread = true;
	http_answer(p, k, &a);
}

void
http_send_more(struct http_process *p, struct http_connection *k, bool broken)
{
	enum writer_state is = writer_go_on(k->fd, k->writing, broken);

	if (is == WRITER_BUSY)
		k->until_us = monotonic_us() + SEND_S * S_US;
	else
		answered(p, k, is);
}

void
http_continue(const struct http_connection *k, const struct http_head *h)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (h->has_chunks && http_head_lists(h, "Expect", "100-continue") &&
	    send(k->fd, go_on, strlen(go_on), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_info("100 was not sent: %s", strerror(errno));
}

void
http_linger(struct http_process *p, struct http_connection *k)
{
	ssize_t n = recv(k->fd, p->head, sizeof(p->head), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN))
		http_drop(p, k);
}
