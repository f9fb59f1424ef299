/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/send_queue.h"

#include <errno.h>

/* Count the successive datagrams for one socket, from the i-th on. */
static int
same_socket(const struct send_queue *q, int i)
{
	int n = 1;

	while (i + n < q->n && q->fds[i + n] == q->fds[i])
		n++;
	return n;
}

void
send_queue_flush(struct send_queue *q)
{
	int i = 0;

	while (i < q->n) {
		int n = same_socket(q, i),
		    sent = sendmmsg(q->fds[i], &q->heads[i], (unsigned)n, MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && (errno == EAGAIN || errno == ENOBUFS))
			sent = n;
		/* continue after the datagram that cannot be sent */
		i += sent > 0 ? sent : 1;
	}
	q->n = 0;
}

unsigned char *
send_queue_room(struct send_queue *q)
{
	if (q->n == SEND_QUEUE)
		send_queue_flush(q);
	return q->datagrams[q->n].bytes;
}

void
send_queue_put(struct send_queue *q, int fd, const struct transport_path *to, size_t n)
{
	int i = q->n++;

	q->parts[i] = (struct iovec){ q->datagrams[i].bytes, n };
	q->heads[i].msg_hdr = (struct msghdr){ .msg_name = &q->to[i],
		.msg_namelen = transport_address(to, &q->to[i]),
		.msg_iov = &q->parts[i],
		.msg_iovlen = 1 };
	transport_socket_from(&q->heads[i].msg_hdr, &q->from[i], to);
	q->fds[i] = fd;
}
