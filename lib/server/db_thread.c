/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/db_thread.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/actor.h"
#include "base/clock.h"
#include "base/handover.h"
#include "base/log.h"
#include "base/network.h"
#include "channel/channel_drain.h"
#include "channel/channel_session.h"
#include "channel/channel_sessions.h"
#include "cluster/cluster.h"
#include "gateway/change_relay.h"
#include "gateway/tally.h"
#include "server/heartbeat.h"
#include "server/hls_thread.h"
#include "server/http_routes.h"
#include "web/metrics.h"
#include "work/queue.h"

#define INCOMING 512 /* the most connections with an incomplete head */
#define TAKEN 64     /* the most that are taken over at a time */
#define PATIENCE_US (10 * S_US)
#define SEEN_US (30 * S_US) /* time between two worker_seen() */
#define TURN_MS 200         /* longest time between two turns */
#define CALM_US (S_US / 2)  /* time after a change */
#define LEFTOVER 65536      /* bytes of a request body read before closing */

/* An accepted connection whose HTTP head, or whose body, is incomplete. */
struct incoming {
	int fd;
	int64_t until_us; /* monotonic deadline of both */
	char peer[INET6_ADDRSTRLEN];
	/* Once the head of a request with a body has come: */
	struct arena *mem;              /* owned; NULL: not yet, or there is no body */
	char *input;                    /* head and body */
	size_t head_bytes, got, wanted; /* bytes; of both: read so far, and all */
};

struct db_thread {
	struct gateway *gateway;
	struct wakeup bell;
	int listener; /* listening socket */
	int handover; /* connections that `dragoman serve` hands over; -1: none */
	struct incoming at[INCOMING];
	int n; /* length of at */
	char head[HTTP_HEAD_BYTES];
	struct arena *mem;             /* reset after each request */
	int64_t seen_us;               /* monotonic, last worker_seen() */
	int64_t pulse;                 /* the database's, before the last turn */
	int64_t changed_us;            /* monotonic, last change that was noticed */
	const struct watched *stalled; /* thread that the database has as stalled */
	bool begun; /* channel states of a previous gateway are reset */
	atomic_bool stopping;
};

/* ---- connections ---- */

static void
drop(struct incoming *k)
{
	close(k->fd);
	arena_free(k->mem);
}

/* If there is no place, the connection that has waited for longest makes room. fd: -1:
   there is none. */
static void
add_connection(struct db_thread *d, int fd)
{
	int on = 1;
	struct incoming *k;

	if (fd < 0)
		return;
	if (d->n == INCOMING) {
		drop(&d->at[0]);
		memmove(&d->at[0], &d->at[1], (size_t)--d->n * sizeof(*d->at));
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	k = &d->at[d->n++];
	*k = (struct incoming){ .fd = fd, .until_us = monotonic_us() + PATIENCE_US };
	network_peer(fd, k->peer);
}

/* Others wait in the socket until the heads of these are read. */
static void
take_over(struct db_thread *d)
{
	int fd;

	for (int i = 0; i < TAKEN && (fd = handover_receive(d->handover)) >= 0; i++)
		add_connection(d, fd);
}

static void
await(int fd, int bytes)
{
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

/*
 * Send an admitted connection to the event loop, or a request for a file of HLS to its
 * thread.  The head is passed on without its subprotocols: libwebsockets would refuse
 * unknown ones.
 */
static void
pass_on(struct db_thread *d, const struct incoming *k, size_t length,
    struct connection_request *v)
{
	char *head = arena_alloc(v->call.message.mem, length);
	int fd = k->fd;

	if (k->mem == NULL && recv(fd, d->head, length, 0) != (ssize_t)length)
		log_warn("an HTTP head was lost while it was read");
	v->fd = fd;
	v->head = head;
	v->head_bytes =
	    http_head_without(d->head, length, "Sec-WebSocket-Protocol", head);
	await(fd, 1);
	if (v->hls != NULL)
		hls_thread_add(d->gateway->hls, v);
	else
		mailbox_send(d->gateway->to_event_loop, &v->call.message);
}

/*
 * Read the body first: closing with unread input would lose the answer. A client that
 * has not read earlier answers is not waited for.
 */
static void
send_off(struct db_thread *d, int fd, const struct buf *answer)
{
	int left = LEFTOVER;
	ssize_t n;

	while (left > 0 && (n = recv(fd, d->head, sizeof(d->head), 0)) > 0)
		left -= (int)n;
	if (send(fd, answer->p, answer->len, MSG_NOSIGNAL) != (ssize_t)answer->len)
		log_info("an answer was not sent");
	shutdown(fd, SHUT_WR);
	close(fd);
}

/* input: begins with a head of that length. */
static void
answer(struct db_thread *d, const struct incoming *k, const char *input, size_t length)
{
	struct buf to = { .mem = d->mem };
	struct connection_request *v = NULL;
	struct http_head h;

	if (!http_head_read(d->mem, input, length, &h))
		buf_str(&to, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"
			     "Content-Length: 0\r\n\r\n");
	else {
		h.body = k->mem != NULL ? input + length : NULL;
		h.body_bytes = k->mem != NULL ? k->got - length : 0;
		v = http_routes_answer(d->gateway, d->mem, &h, k->peer, &to);
	}
	if (v == NULL)
		send_off(d, k->fd, &to);
	else
		pass_on(d, k, length, v);
	arena_free(k->mem);
	arena_reset(d->mem);
}

/* Begin to read a body, if the request has one that is needed. */
static bool
begin_body(struct db_thread *d, struct incoming *k, size_t length)
{
	struct http_head h;
	size_t n = http_head_read(d->mem, d->head, length, &h)
		       ? http_routes_body(d->gateway, &h)
		       : 0;

	arena_reset(d->mem);
	if (n == 0)
		return false;
	k->mem = arena_new();
	k->head_bytes = length;
	k->wanted = length + n;
	k->input = arena_alloc(k->mem, k->wanted);
	await(k->fd, 1);
	return true;
}

/* False: the request was answered, or the client is gone. */
static bool
read_body(struct db_thread *d, struct incoming *k, bool ended)
{
	ssize_t n = recv(k->fd, k->input + k->got, k->wanted - k->got, 0);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n > 0)
		k->got += (size_t)n;
	if (n > 0 && k->got < k->wanted && !ended)
		return true;
	if (k->got >= k->head_bytes)
		answer(d, k, k->input, k->head_bytes);
	else
		drop(k);
	return false;
}

/*
 * Read from a connection. False: it was closed or passed on. ended: the client sends no
 * more.
 */
static bool
listen_to(struct db_thread *d, struct incoming *k, bool ended)
{
	ssize_t n;
	size_t length;

	if (k->mem != NULL)
		return read_body(d, k, ended);
	n = recv(k->fd, d->head, sizeof(d->head), MSG_PEEK);
	length = n > 0 ? http_head_length(d->head, (size_t)n) : 0;
	if (length > 0 && begin_body(d, k, length))
		return read_body(d, k, ended);
	if (length > 0) {
		answer(d, k, d->head, length);
		return false;
	}
	if (n > 0 && n < HTTP_HEAD_BYTES && !ended) {
		await(k->fd, (int)n + 1);
		return true;
	}
	if (n < 0 && errno == EAGAIN)
		return true;
	close(k->fd);
	return false;
}

static void
listen_to_all(struct db_thread *d, const struct pollfd *p)
{
	int kept = 0;

	for (int i = 0; i < d->n; i++) {
		bool stays = true;

		if (p[i].revents != 0)
			stays = listen_to(d, &d->at[i],
			    (p[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
		else if (monotonic_us() > d->at[i].until_us) {
			drop(&d->at[i]);
			stays = false;
		}
		if (stays)
			d->at[kept++] = d->at[i];
	}
	d->n = kept;
}

/* ---- thread calls ---- */

static void
run_calls(struct db_thread *d)
{
	struct actor_message *l = mailbox_drain(d->gateway->to_db_thread), *next;

	for (; l != NULL; l = next) {
		struct thread_call *e = (struct thread_call *)l;

		next = l->next;
		e->run(d->gateway, e);
		if (d->gateway->app.db != NULL) /* closed now, and opened again later */
			db_rollback(d->gateway->app.db);
	}
}

static void
begin(struct db_thread *d)
{
	if (d->begun || d->gateway->app.db == NULL)
		return;
	d->begun = true;
	if (channel_row_reset(d->gateway->app.db, d->mem, d->gateway->conf, true) != OK)
		log_warn("silent channels may be shown as active");
	arena_reset(d->mem);
}

/* Write this at once: a gateway that is stalled is restarted soon. */
static void
show_stall(struct db_thread *d)
{
	struct gateway *g = d->gateway;
	const struct watched *stalled = g->stalled;

	if (stalled == d->stalled || g->app.db == NULL)
		return;
	d->stalled = stalled;
	g->beat_us = d->seen_us = 0;
	if (stalled != NULL && stalled == g->loop_watch &&
	    worker_gone(g->app.db, g->conf->node, "gateway") != OK)
		log_warn("cannot store that the gateway is stuck");
}

static void
count_hls(const struct gateway *g)
{
	int64_t held, refused;

	if (g->hls == NULL)
		return;
	refused = hls_thread_count(g->hls, &held);
	metrics_hls(g->app.metrics, held, refused);
}

static void
show_life(struct db_thread *d)
{
	begin(d);
	count_hls(d->gateway);
	show_stall(d);
	channel_drain_watch(d->gateway, d->mem);
	heartbeat(d->gateway, d->mem);
	arena_reset(d->mem);
	channel_sessions_poll(d->gateway);
	if (monotonic_us() < d->seen_us + SEEN_US && d->seen_us != 0)
		return;
	d->seen_us = monotonic_us();
	if (d->begun && channel_row_reset(
			    d->gateway->app.db, d->mem, d->gateway->conf, false) != OK)
		log_warn("channels of dead nodes may be shown as active");
	arena_reset(d->mem);
	if (d->gateway->app.db != NULL &&
	    (d->stalled == NULL || d->stalled != d->gateway->loop_watch) &&
	    worker_seen(d->gateway->app.db, d->gateway->conf->node, "gateway", 0) != OK)
		log_warn("cannot update the heartbeat");
}

/*
 * True if there is nothing to watch but the database: no request, no socket, no change
 * a moment ago, which others may follow.
 */
static bool
is_calm(const struct db_thread *d)
{
	const struct gateway *g = d->gateway;

	return d->n == 0 && g->app.db != NULL && g->connections == 0 && g->tasks == 0 &&
	       g->stalled == NULL &&
	       (g->cluster == NULL || cluster_is_connected(g->cluster)) &&
	       monotonic_us() > d->changed_us + CALM_US;
}

static int64_t
sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Milliseconds until something is due while nothing happens. */
static int
calm_ms(const struct db_thread *d)
{
	const struct gateway *g = d->gateway;
	int64_t due = sooner(heartbeat_due_us(g),
	    sooner(channel_sessions_due_us(g), d->seen_us + SEEN_US));
	int64_t left_ms = (due - monotonic_us()) / 1000 + 1;

	return left_ms > TURN_MS ? (int)left_ms : TURN_MS;
}

/* A descriptor that ends a long sleep; -1: sleep for a short time only. */
static int
await_changes(struct db_thread *d)
{
	int fd = is_calm(d) ? db_change_fd(d->gateway->app.db) : -1;

	if (fd >= 0 && db_pulse(d->gateway->app.db, INT64_MAX) == d->pulse)
		return fd;
	return -1;
}

static void
note_pulse(struct db_thread *d)
{
	struct db *db = d->gateway->app.db;
	int64_t pulse = db != NULL ? db_pulse(db, INT64_MAX) : -1;

	if (pulse != d->pulse)
		d->changed_us = monotonic_us();
	d->pulse = pulse;
	if (db != NULL)
		change_relay_note(d->gateway, pulse, monotonic_us());
}

void *
db_thread_run(void *arg)
{
	struct db_thread *d = arg;
	struct pollfd p[INCOMING + 4];

	pthread_setname_np(pthread_self(), "database");
	while (!d->stopping) {
		int was = d->n, changes = await_changes(d);

		p[0] = (struct pollfd){ .fd = d->bell.fd, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = d->listener, .events = POLLIN };
		for (int i = 0; i < was; i++)
			p[i + 2] = (struct pollfd){ .fd = d->at[i].fd,
				.events = POLLIN | POLLRDHUP };
		p[was + 2] = (struct pollfd){ .fd = changes, .events = POLLIN };
		p[was + 3] = (struct pollfd){ .fd = d->handover, .events = POLLIN };
		if (poll(p, (nfds_t)was + 4, changes >= 0 ? calm_ms(d) : TURN_MS) < 0 &&
		    errno != EINTR)
			break;
		note_pulse(d);
		if (p[0].revents != 0)
			wakeup_drain(&d->bell);
		run_calls(d);
		listen_to_all(d, p + 2);
		if (p[1].revents != 0)
			add_connection(d, accept4(d->listener, NULL, NULL,
					      SOCK_NONBLOCK | SOCK_CLOEXEC));
		if (p[was + 3].revents != 0)
			take_over(d);
		show_life(d);
	}
	run_calls(d);
	return NULL;
}

/* ---- opening ---- */

static bool
read_address(const char *text, struct sockaddr_in *to)
{
	const char *colon = strrchr(text, ':');
	char host[INET_ADDRSTRLEN] = "";

	*to = (struct sockaddr_in){ .sin_family = AF_INET };
	if (colon == NULL || (size_t)(colon - text) >= sizeof(host))
		return false;
	memcpy(host, text, (size_t)(colon - text));
	to->sin_port = htons((uint16_t)atoi(colon + 1));
	return to->sin_port != 0 && inet_pton(AF_INET, host, &to->sin_addr) == 1;
}

static int
open_listener(const char *text)
{
	struct sockaddr_in at;
	int on = 1, fd;

	if (!read_address(text, &at)) {
		log_error("stream.listen: %s is no ADDRESS:PORT", text);
		return -1;
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	log_error("stream.listen: %s: %s", text, strerror(errno));
	close(fd);
	return -1;
}

struct db_thread *
db_thread_open(struct gateway *g, const char *listen)
{
	struct db_thread *d = arena_alloc(g->mem, sizeof(*d));

	d->gateway = g;
	d->mem = arena_new();
	d->listener = open_listener(listen);
	d->handover = handover_open(
	    arena_printf(d->mem, "%s/" HANDOVER_GATEWAY, g->conf->state_dir));
	arena_reset(d->mem);
	g->to_db_thread = mailbox_new(g->mem, wakeup_wake, &d->bell);
	g->held = tally_new(g->mem);
	return wakeup_open(&d->bell) && d->listener >= 0 ? d : NULL;
}

void
db_thread_stop(struct db_thread *d)
{
	d->stopping = true;
	wakeup_wake(&d->bell);
}
