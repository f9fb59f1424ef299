/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "serve/http_process_internal.h"

void
http_watch(
    const struct http_process *p, struct http_connection *k, int how, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = k };

	if (epoll_ctl(p->epoll, how, k->fd, &e) != 0)
		log_error("a connection cannot be watched: %s", strerror(errno));
}

void
http_drop(struct http_process *p, struct http_connection *k)
{
	p->passing -= k->state == PASSING;
	*k->at = k->next;
	if (k->next != NULL)
		k->next->at = k->at;
	p->n--;
	/* another process may have the connection now: closing would not do */
	epoll_ctl(p->epoll, EPOLL_CTL_DEL, k->fd, NULL);
	for (int i = 0; i < p->n_events; i++)
		if (p->events[i].data.ptr == k)
			p->events[i].data.ptr = NULL;
	close(k->fd);
	arena_free(k->body_mem);
	arena_free(k->mem);
}

void
http_await_more(const struct http_connection *k, int bytes)
{
	bytes++;
	setsockopt(k->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

bool
http_read_head(struct http_process *p, struct http_connection *k, char *to)
{
	bool read = recv(k->fd, to, k->head_bytes, 0) == (ssize_t)k->head_bytes;

	if (!read)
		http_drop(p, k);
	return read;
}

/* Drop the connection that has been idle for longest. False: none is. */
static bool
make_room(struct http_process *p)
{
	struct http_connection *idle = NULL;

	for (struct http_connection *k = p->all; k != NULL; k = k->next)
		if (k->state == HEAD && !k->partial &&
		    (idle == NULL || k->until_us < idle->until_us))
			idle = k;
	if (idle != NULL)
		http_drop(p, idle);
	return idle != NULL;
}

static bool
has_room(struct http_process *p, const char *network)
{
	int64_t same = 0;

	for (const struct http_connection *k = p->all; k != NULL; k = k->next)
		same += strcmp(k->network, network) == 0;
	return same < p->per_address && (p->n < p->most || make_room(p));
}

bool
http_accept(struct http_process *p)
{
	int on = 1, fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct http_connection *k;
	struct arena *mem;

	if (fd < 0)
		return false;
	mem = arena_small(sizeof(*k) + NETWORK_BYTES);
	k = arena_alloc(mem, sizeof(*k));
	network_peer(fd, k->peer);
	k->network = network_of(mem, k->peer);
	if (!has_room(p, k->network)) {
		close(fd);
		arena_free(mem);
		return true;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	k->mem = mem;
	k->fd = fd;
	k->until_us = monotonic_us() + HEAD_S * S_US;
	k->next = p->all;
	k->at = &p->all;
	if (k->next != NULL)
		k->next->at = &k->next;
	p->all = k;
	p->n++;
	http_watch(p, k, EPOLL_CTL_ADD, REQUEST_EVENTS);
	return true;
}
