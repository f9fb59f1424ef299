/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uthash.h>

#include "base/clock.h"
#include "base/log.h"
#include "rtc/send_queue.h"
#include "rtc/tcp_connection.h"

#define EVENTS 64       /* sockets a turn, at most */
#define ACCEPTS 64      /* connections a turn, at most */
#define PORT_TRIES 32   /* tries to find a UDP port whose TCP port is free too */
#define MAX_UNPROVEN 16 /* connections from one address that have no peer */
#define PROVE_US (10 * S_US)
#define CHECK_US (S_US / 2)

enum link_kind { LINK_UDP, LINK_LISTENER, LINK_TCP };

/* One of the sockets of this transport. */
struct link {
	UT_hash_handle hh; /* hash by id */
	struct arena *mem;
	uint32_t id;
	enum link_kind kind;
	int fd;
	/* TCP only: */
	struct tcp_connection *tcp;
	struct transport_path path;
	bool proven;  /* the path belongs to a peer */
	bool writing; /* waits until the connection is writable */
	int64_t opened_us;
};

struct transport {
	struct arena *mem;
	struct transport_events events;
	void *arg;
	struct link *links;
	uint32_t last_id;
	int epoll, port, connections, max_connections;
	bool paused; /* no descriptors: accepts nothing until checked_us + CHECK_US */
	bool checks; /* some connections had no peer yet */
	bool dirty;  /* a connection is broken */
	int64_t now_us, checked_us;
	uint64_t received, sent;
	struct send_queue queue;
};

/* ---- links ---- */

static struct link *
find(struct transport *t, uint32_t id)
{
	struct link *l;

	HASH_FIND(hh, t->links, &id, sizeof(id), l);
	return l;
}

static void
watch(struct transport *t, struct link *l, int how, uint32_t what)
{
	struct epoll_event e = { .events = what, .data.u64 = l->id };

	if (epoll_ctl(t->epoll, how, l->fd, &e) != 0)
		log_error("rtc: epoll_ctl: %s", strerror(errno));
}

/* Add a link, which owns the descriptor from now on. */
static struct link *
add(struct transport *t, enum link_kind kind, int fd)
{
	struct arena *mem =
	    arena_small(sizeof(struct link) + sizeof(struct tcp_connection));
	struct link *l = arena_alloc(mem, sizeof(*l));

	l->mem = mem;
	l->kind = kind;
	l->fd = fd;
	l->id = ++t->last_id;
	HASH_ADD(hh, t->links, id, sizeof(l->id), l);
	watch(t, l, EPOLL_CTL_ADD, EPOLLIN);
	return l;
}

static void
drop(struct transport *t, struct link *l)
{
	HASH_DEL(t->links, l);
	t->connections -= l->kind == LINK_TCP;
	close(l->fd);
	arena_free(l->mem);
}

/* Free closed connections. Called after a turn, as code that runs in it may still use
   them. */
static void
sweep(struct transport *t)
{
	struct link *l, *next;

	if (!t->dirty)
		return;
	t->dirty = false;
	HASH_ITER(hh, t->links, l, next)
	{
		struct transport_path path = l->path;

		if (l->tcp == NULL || !l->tcp->broken)
			continue;
		drop(t, l);
		t->events.lost(t->arg, &path);
	}
}

static struct link *
add_connection(struct transport *t, int fd, const struct sockaddr_storage *from)
{
	struct link *l = add(t, LINK_TCP, fd);
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	l->tcp = arena_alloc(l->mem, sizeof(*l->tcp));
	l->tcp->mem = l->mem;
	l->tcp->fd = fd;
	l->opened_us = t->now_us;
	transport_path_read(&l->path, from);
	l->path.tcp = 1;
	l->path.link = l->id;
	t->connections++;
	t->checks = true;
	return l;
}

/* ---- open ---- */

/* Returns the protocol that cannot be bound, or NULL. */
static const char *
open_address(struct transport *t, const char *address, bool tcp)
{
	struct sockaddr_storage at;
	socklen_t n = transport_address_read(address, t->port, &at);
	int fd;

	errno = EINVAL;
	if (n == 0 || (fd = transport_socket_bound(SOCK_DGRAM, &at, n)) < 0)
		return "UDP";
	add(t, LINK_UDP, fd);
	transport_socket_want_destination(fd, &at);
	if (t->port == 0)
		t->port = transport_socket_port(fd);
	if (!tcp)
		return NULL;
	transport_address_read(address, t->port, &at);
	if ((fd = transport_socket_bound(SOCK_STREAM, &at, n)) < 0)
		return "TCP";
	add(t, LINK_LISTENER, fd);
	return NULL;
}

static void
drop_all(struct transport *t)
{
	struct link *l, *next;

	HASH_ITER(hh, t->links, l, next)
	drop(t, l);
}

/* Open sockets on all addresses with one port. last: the last attempt, so a failure is
   logged. */
static bool
open_all(struct transport *t, const struct transport_settings *s, bool last)
{
	const char *at = s->listen[0] != '\0' ? s->listen : "0.0.0.0", *failed;

	t->port = s->port;
	for (size_t n; *at != '\0'; at += n) {
		char *address;

		at += strspn(at, ", ");
		n = strcspn(at, ", ");
		if (n == 0)
			break;
		address = arena_dup(t->mem, at, n);
		if ((failed = open_address(t, address, s->tcp)) == NULL)
			continue;
		if (last || errno != EADDRINUSE)
			log_error("rtc: %s port %d of %s cannot be bound: %s", failed,
			    t->port, address, strerror(errno));
		last = last || errno != EADDRINUSE;
		drop_all(t);
		return last; /* another try would fail, too */
	}
	return true;
}

struct transport *
transport_open(struct arena *mem, const struct transport_settings *s,
    const struct transport_events *events, void *arg)
{
	struct transport *t = arena_alloc(mem, sizeof(*t));

	t->mem = mem;
	t->events = *events;
	t->arg = arg;
	t->max_connections = s->max_connections;
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll < 0) {
		log_error("rtc: epoll_create1: %s", strerror(errno));
		return NULL;
	}
	for (int i = 1; !open_all(t, s, s->port != 0 || i == PORT_TRIES); i++)
		;
	if (t->links != NULL)
		return t;
	close(t->epoll);
	return NULL;
}

void
transport_close(struct transport *t)
{
	transport_flush(t);
	drop_all(t);
	close(t->epoll);
}

int
transport_port(const struct transport *t)
{
	return t->port;
}

int
transport_fd(const struct transport *t)
{
	return t->epoll;
}

/* ---- in ---- */

struct receiving {
	struct transport *t;
	uint32_t link; /* a callback may close the connection */
};

static bool
receive_datagram(void *arg, struct transport_path *from, unsigned char *p, size_t n)
{
	struct receiving *r = arg;

	from->link = r->link;
	r->t->received++;
	r->t->events.datagram(r->t->arg, from, p, n);
	return find(r->t, r->link) != NULL;
}

/* Number of connections from this address that have no peer. */
static int
unproven(struct transport *t, const struct transport_path *from)
{
	struct link *l, *next;
	int n = 0;

	HASH_ITER(hh, t->links, l, next)
	n += l->kind == LINK_TCP && !l->proven && !l->tcp->broken &&
	     memcmp(l->path.ip, from->ip, sizeof(from->ip)) == 0;
	return n;
}

/* Stop or resume accepting. Without free descriptors, listeners would stay readable
   forever. */
static void
pause_listeners(struct transport *t, bool paused)
{
	struct link *l, *next;

	if (t->paused == paused)
		return;
	t->paused = paused;
	HASH_ITER(hh, t->links, l, next)
	if (l->kind == LINK_LISTENER)
		watch(t, l, EPOLL_CTL_MOD, paused ? 0 : EPOLLIN);
}

static void
accept_all(struct transport *t, const struct link *listener)
{
	struct sockaddr_storage from;
	struct transport_path path;

	for (int i = 0; i < ACCEPTS; i++) {
		socklen_t n = sizeof(from);
		int fd = accept4(listener->fd, (struct sockaddr *)&from, &n,
		    SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0) {
			pause_listeners(t, errno == EMFILE || errno == ENFILE ||
					       errno == ENOBUFS || errno == ENOMEM);
			return;
		}
		transport_path_read(&path, &from);
		if (t->connections >= t->max_connections ||
		    unproven(t, &path) >= MAX_UNPROVEN)
			close(fd);
		else
			add_connection(t, fd, &from);
	}
}

struct framing {
	struct transport *t;
	struct transport_path path;
};

static void
receive_frame(void *arg, unsigned char *p, size_t n)
{
	struct framing *f = arg;

	f->t->received++;
	f->t->events.datagram(f->t->arg, &f->path, p, n);
}

static void
watch_writing(struct transport *t, struct link *l, bool writing)
{
	if (l->writing == writing)
		return;
	l->writing = writing;
	watch(t, l, EPOLL_CTL_MOD, writing ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void
serve_connection(struct transport *t, struct link *l, uint32_t what)
{
	struct framing f = { t, l->path };

	if ((what & EPOLLOUT) != 0)
		watch_writing(t, l, !tcp_connection_flush(l->tcp));
	if ((what & ~(uint32_t)EPOLLOUT) != 0)
		tcp_connection_read(l->tcp, receive_frame, &f);
	t->dirty |= l->tcp->broken;
}

bool
transport_receive(struct transport *t, int64_t now_us)
{
	struct epoll_event e[EVENTS];
	int n = epoll_wait(t->epoll, e, EVENTS, 0);
	bool more = false;

	t->now_us = now_us;
	for (int i = 0; i < n; i++) {
		struct link *l = find(t, (uint32_t)e[i].data.u64);
		struct receiving r = { t, (uint32_t)e[i].data.u64 };

		if (l == NULL)
			continue;
		if (l->kind == LINK_UDP)
			more |= transport_socket_receive(l->fd, receive_datagram, &r);
		else if (l->kind == LINK_LISTENER)
			accept_all(t, l);
		else
			serve_connection(t, l, e[i].events);
	}
	sweep(t);
	return more;
}

/* Close connections that have had no peer for too long. */
static void
check_proven(struct transport *t)
{
	struct link *l, *next;

	t->checks = false;
	HASH_ITER(hh, t->links, l, next)
	{
		if (l->kind != LINK_TCP || l->proven)
			continue;
		t->checks = true;
		if (t->now_us > l->opened_us + PROVE_US)
			l->tcp->broken = t->dirty = true;
	}
}

void
transport_tick(struct transport *t, int64_t now_us)
{
	t->now_us = now_us;
	if (now_us >= t->checked_us + CHECK_US) {
		t->checked_us = now_us;
		pause_listeners(t, false);
		if (t->checks)
			check_proven(t);
	}
	sweep(t);
}

int64_t
transport_due_us(const struct transport *t)
{
	if (t->dirty)
		return t->now_us;
	return t->checks || t->paused ? t->checked_us + CHECK_US : INT64_MAX;
}

/* ---- out ---- */

void
transport_commit(
    struct transport *t, const struct transport_path *to, size_t n, bool media)
{
	struct link *l = find(t, to->link);

	if (l == NULL || n > TRANSPORT_MOST)
		return;
	t->sent++;
	if (l->kind == LINK_UDP) {
		send_queue_put(&t->queue, l->fd, to, n);
		return;
	}
	tcp_connection_send(l->tcp, send_queue_room(&t->queue), n, media);
	watch_writing(t, l, l->tcp->out_n > 0);
	t->dirty |= l->tcp->broken;
}

void
transport_send(
    struct transport *t, const struct transport_path *to, const void *p, size_t n)
{
	if (n > TRANSPORT_MOST)
		return;
	memcpy(transport_reserve(t), p, n);
	transport_commit(t, to, n, false);
}

unsigned char *
transport_reserve(struct transport *t)
{
	return send_queue_room(&t->queue);
}

void
transport_flush(struct transport *t)
{
	send_queue_flush(&t->queue);
}

/* ---- paths ---- */

void
transport_accept(struct transport *t, const struct transport_path *path, bool of_peer)
{
	struct link *l = path->tcp ? find(t, path->link) : NULL;

	if (l == NULL)
		return;
	l->proven = of_peer;
	l->opened_us = t->now_us;
	t->checks |= !of_peer;
}

void
transport_drop(struct transport *t, const struct transport_path *path)
{
	struct link *l = find(t, path->link);

	if (l == NULL)
		return;
	transport_flush(t); /* the send queue still uses the link's descriptor */
	drop(t, l);
}

bool
transport_dial(struct transport *t, const char *address, int port, bool tcp,
    struct transport_path *to)
{
	struct sockaddr_storage at, any;
	socklen_t n = transport_address_read(address, port, &at);
	int fd;

	any = (struct sockaddr_storage){ .ss_family = at.ss_family };
	if (n == 0)
		return false;
	fd = tcp ? socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
		 : transport_socket_bound(SOCK_DGRAM, &any, n);
	if (fd < 0)
		return false;
	if (tcp && connect(fd, (struct sockaddr *)&at, n) != 0 &&
	    errno != EINPROGRESS) {
		close(fd);
		return false;
	}
	*to = (struct transport_path){ 0 };
	if (tcp) {
		struct link *l = add_connection(t, fd, &at);

		l->proven = true;
		*to = l->path;
		return true;
	}
	transport_path_read(to, &at);
	to->link = add(t, LINK_UDP, fd)->id;
	return true;
}

int
transport_udp(struct transport *t, const struct transport_path *path)
{
	struct link *l = path->tcp ? NULL : find(t, path->link);

	return l != NULL && l->kind == LINK_UDP ? l->fd : -1;
}

uint64_t
transport_received(const struct transport *t)
{
	return t->received;
}

uint64_t
transport_sent(const struct transport *t)
{
	return t->sent;
}
