/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connections of a process:
 *
 *	HEAD -> BODY -> SENDING -> HEAD ...
 *	     -> PASSING -> the gateway
 *
 * A head is looked at, but not read, until all of it has come: the connection may be
 * for another process. Strangers may open connections, so their number, the bytes that
 * they keep here, and the time that they take are limited.
 */
#include "serve/http_process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/handover.h"
#include "base/log.h"
#include "base/network.h"
#include "serve/answer.h"
#include "serve/cgi_child.h"
#include "serve/hls_files.h"
#include "web/chunked_body.h"

#define HEAD_S 10          /* for a head, from the connection's beginning */
#define KEEP_S 15          /* for the next request to begin */
#define LEAVE_S 2          /* the same, while the process ends */
#define BODY_BYTES 65536   /* longest body in memory */
#define FRAMING_BYTES 4096 /* read of chunks at a time, beside the body */
#define BODY_S 10          /* for a body, and */
#define BODY_RATE 2000     /* bytes of it that extend this by a second */
#define SEND_S 20          /* without a byte that the client reads */
#define END_S 20           /* most time until the process ends */
#define LINGER_S 2         /* for the client to stop sending what is not read */
#define CHILDREN_MOST 32   /* processes at a time for single requests, and */
#define CHILDREN_OF_ONE 8  /* for those of one network */
#define NETWORK_BYTES (INET6_ADDRSTRLEN + 4)
#define PASS_S 10 /* for the gateway to take a connection */
#define REST_US (2 * S_US)
#define AWAKE_US 100 /* longest short wait */
#define TURN_MS 500  /* most time between two looks at all connections */
#define PASS_MS 10   /* the same, while the gateway has not taken some */
#define EVENTS 64
#define REQUEST_EVENTS (EPOLLIN | EPOLLRDHUP)
#define OTHER_FILES 64

struct connection {
	struct connection *next, **at; /* list http_process.all */
	struct arena *mem;
	int fd;
	enum { HEAD, BODY, SENDING, PASSING, LINGERING } state;
	int64_t until_us; /* monotonic; when the state must have ended */
	char peer[INET6_ADDRSTRLEN];
	const char *network;           /* the peer's */
	bool partial;                  /* a part of a head has come */
	bool is_head;                  /* the request is a HEAD */
	bool unread;                   /* the client may send what is not read */
	bool closes;                   /* after the answer */
	const struct serve_path *path; /* the request's */
	struct arena *body_mem;        /* owned; of a request with a body */
	char *input;                   /* head and body */
	size_t head_bytes, got;
	size_t wanted;               /* or the most, if the body comes in chunks */
	struct chunked_body *chunks; /* NULL: it does not */
	struct writing *writing;
};

/* A process for a single request. */
struct child {
	pid_t pid;
	char network[NETWORK_BYTES]; /* the client's */
};

struct http_process {
	const struct serve_path *paths;
	struct arena *kept, *mem; /* mem: of a request */
	struct programs *programs;
	struct connection *all;
	int64_t n, most, per_address;
	int epoll, listener, signals;
	const char *gateway; /* path of its handover socket */
	int64_t passing;     /* connections in that state */
	int n_children;
	struct child children[CHILDREN_MOST];
	int64_t served_us; /* monotonic, last request; 0: resting */
	int64_t leave_us;  /* monotonic, when the process must end; 0: it need not */
	struct epoll_event events[EVENTS]; /* being handled */
	int n_events;
	bool prompt; /* the last wait was short */
	char head[HTTP_HEAD_BYTES + 1];
};

/* ---- connections ---- */

static void
watch(const struct http_process *p, struct connection *k, int how, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = k };

	if (epoll_ctl(p->epoll, how, k->fd, &e) != 0)
		log_error("a connection cannot be watched: %s", strerror(errno));
}

static void
drop(struct http_process *p, struct connection *k)
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

/* Wake when there is more than that many bytes. */
static void
await_more(const struct connection *k, int bytes)
{
	bytes++;
	setsockopt(k->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

static int64_t
keep_us(const struct http_process *p)
{
	return monotonic_us() + (p->leave_us == 0 ? KEEP_S : LEAVE_S) * S_US;
}

/* Ignore what the client sends: closing with unread input would lose the answer. */
static void
linger(struct http_process *p, struct connection *k)
{
	ssize_t n = recv(k->fd, p->head, sizeof(p->head), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN))
		drop(p, k);
}

/* The answer is sent, or cannot be. */
static void
answered(struct http_process *p, struct connection *k, enum writer_state is)
{
	if (is == WRITER_FAILED || (k->closes && !k->unread)) {
		drop(p, k);
		return;
	}
	if (k->closes) {
		shutdown(k->fd, SHUT_WR);
		watch(p, k, EPOLL_CTL_MOD, EPOLLIN);
		k->state = LINGERING;
		k->until_us = monotonic_us() + LINGER_S * S_US;
		return;
	}
	if (k->state == SENDING)
		watch(p, k, EPOLL_CTL_MOD, REQUEST_EVENTS);
	k->state = HEAD;
	k->until_us = keep_us(p);
}

/* ---- requests ---- */

static void
send_answer(struct http_process *p, struct connection *k, const struct answer *a)
{
	enum writer_state is = writer_send(k->fd, a, &k->writing);

	arena_reset(p->mem);
	if (is != WRITER_BUSY) {
		answered(p, k, is);
		return;
	}
	watch(p, k, EPOLL_CTL_MOD, EPOLLOUT);
	k->state = SENDING;
	k->until_us = monotonic_us() + SEND_S * S_US;
}

static void
refuse(
    struct http_process *p, struct connection *k, const struct http_head *h, int status)
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
	send_answer(p, k, &a);
}

static bool
is_last(const struct http_process *p, const struct http_head *h)
{
	return p->leave_us != 0 || http_head_lists(h, "Connection", "close") ||
	       http_head_get(h, "Transfer-Encoding") != NULL ||
	       (!h->has_chunks && !http_head_lists(h, "Connection", "keep-alive"));
}

static struct asked
asked_of(
    const struct http_process *p, const struct connection *k, const struct http_head *h)
{
	return (struct asked){
		.head = h, .path = k->path, .peer = k->peer, .closes = is_last(p, h)
	};
}

/* The request is read. */
static void
answer(struct http_process *p, struct connection *k, const struct http_head *h,
    const char *body, size_t n)
{
	struct asked asked = asked_of(p, k, h);
	struct answer a;

	asked.body = body;
	asked.body_bytes = n;
	k->closes = asked.closes;
	a = programs_answer(p->programs, p->mem, &asked);
	p->served_us = monotonic_us();
	send_answer(p, k, &a);
}

/* Returned in place of a body's length: it comes in chunks; it has another coding; the
   request is malformed (RFC 9112, 3.2 and 6.3). */
enum { LENGTH_UNKNOWN = -1, LENGTH_OTHER = -2, LENGTH_BAD = -3 };

static int64_t
length_of(const struct http_head *h)
{
	const char *s = http_head_get(h, "Content-Length");
	const char *host = http_head_get(h, "Host");
	const char *coding = http_head_get(h, "Transfer-Encoding");
	size_t n = s != NULL ? strlen(s) : 0;

	if ((h->has_chunks && host == NULL) ||
	    (host != NULL && strpbrk(host, " \t/?#,") != NULL) ||
	    (coding != NULL && (s != NULL || !h->has_chunks)))
		return LENGTH_BAD;
	if (coding != NULL)
		return strcasecmp(coding, "chunked") == 0 ? LENGTH_UNKNOWN
							  : LENGTH_OTHER;
	if (s == NULL)
		return 0;
	return n > 0 && n < 16 && strspn(s, "0123456789") == n ? strtoll(s, NULL, 10)
							       : LENGTH_BAD;
}

/* True if the body is complete. A malformed or too long one is refused. */
static bool
has_all(struct http_process *p, struct connection *k, ssize_t n)
{
	size_t bytes = k->chunks == NULL ? (size_t)n
					 : chunked_body_decode(
					       k->chunks, k->input + k->got, (size_t)n);

	k->got += bytes;
	k->until_us += (int64_t)bytes * S_US / BODY_RATE;
	if (k->chunks == NULL)
		return k->got == k->wanted;
	if (k->chunks->state == CHUNKS_BAD)
		refuse(p, k, NULL, 400);
	else if (k->got > k->wanted)
		refuse(p, k, NULL, 413);
	else
		return k->chunks->state == CHUNKS_DONE;
	return false;
}

static void
read_body(struct http_process *p, struct connection *k)
{
	size_t room = k->wanted - k->got + (k->chunks != NULL ? FRAMING_BYTES : 0);
	ssize_t n = recv(k->fd, k->input + k->got, room, 0);
	struct http_head h;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		drop(p, k);
		return;
	}
	if (has_all(p, k, n) && http_head_read(p->mem, k->input, k->head_bytes, &h)) {
		struct arena *mem = k->body_mem;

		k->body_mem = NULL;
		answer(p, k, &h, k->input + k->head_bytes, k->got - k->head_bytes);
		arena_free(mem);
	}
}

static void
say_go_on(const struct connection *k, const struct http_head *h)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";

	if (h->has_chunks && http_head_lists(h, "Expect", "100-continue") &&
	    send(k->fd, go_on, strlen(go_on), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		log_info("100 was not sent: %s", strerror(errno));
}

/* n: bytes of the body, or LENGTH_UNKNOWN. */
static void
begin_body(struct http_process *p, struct connection *k, const struct http_head *h,
    size_t head_bytes, int64_t n)
{
	size_t most = n == LENGTH_UNKNOWN ? BODY_BYTES : (size_t)n;

	k->body_mem = arena_new();
	k->head_bytes = k->got = head_bytes;
	k->wanted = head_bytes + most;
	k->input = arena_alloc(k->body_mem, k->wanted + FRAMING_BYTES);
	k->chunks = NULL;
	if (n == LENGTH_UNKNOWN)
		k->chunks = arena_alloc(k->body_mem, sizeof(*k->chunks));
	if (recv(k->fd, k->input, head_bytes, 0) != (ssize_t)head_bytes) {
		drop(p, k);
		return;
	}
	k->state = BODY;
	k->until_us = monotonic_us() + BODY_S * S_US;
	say_go_on(k, h);
	read_body(p, k);
}

/* The gateway reads the head itself. False: it takes no connections now. */
static bool
pass_on(struct http_process *p, struct connection *k)
{
	switch (handover_send(p->gateway, k->fd)) {
	case HANDOVER_SENT:
		drop(p, k);
		return true;
	case HANDOVER_GONE:
		refuse(p, k, NULL, 503);
		return true;
	case HANDOVER_FULL:
		break;
	}
	if (k->state == PASSING)
		return false;
	watch(p, k, EPOLL_CTL_MOD, 0);
	k->state = PASSING;
	k->until_us = monotonic_us() + PASS_S * S_US;
	p->passing++;
	return false;
}

static int
children_of(const struct http_process *p, const char *network)
{
	int n = 0;

	for (int i = 0; i < p->n_children; i++)
		n += strcmp(p->children[i].network, network) == 0;
	return n;
}

/* A program of its own for a request that may take long. */
static void
begin_child(struct http_process *p, struct connection *k, const struct http_head *h,
    size_t head_bytes)
{
	struct asked asked = asked_of(p, k, h);
	const struct conf *c = programs_conf(p->programs);
	struct child is = { 0 };

	snprintf(is.network, sizeof(is.network), "%s",
	    network_of(p->mem, http_head_peer(p->mem, h, k->peer, c->serve_proxies)));
	if (p->n_children == CHILDREN_MOST ||
	    children_of(p, is.network) >= CHILDREN_OF_ONE) {
		refuse(p, k, h, 503);
		return;
	}
	if (recv(k->fd, p->head, head_bytes, 0) != (ssize_t)head_bytes) {
		drop(p, k);
		return;
	}
	say_go_on(k, h);
	if ((is.pid = cgi_child_start(p->mem, c, &asked, k->fd)) < 0) {
		refuse(p, k, h, 503);
		return;
	}
	p->children[p->n_children++] = is;
	drop(p, k);
}

static bool
needs_child(const struct serve_path *path, int64_t n)
{
	if (n == LENGTH_UNKNOWN)
		n = path->body_bytes;
	return path->how == SERVE_CHILD || (path->how == SERVE_UPLOAD && n > 0) ||
	       n > BODY_BYTES;
}

static bool
is_for_gateway(const struct serve_path *path, const char *target)
{
	return path->program == NULL ||
	       (path->program == &hls_files_program && hls_files_must_wait(target));
}

/* A whole head has come, but is not read. */
static void
begin(struct http_process *p, struct connection *k, size_t head_bytes)
{
	const char *target;
	struct http_head h;
	int64_t n;

	arena_reset(p->mem);
	k->partial = false;
	if (!http_head_read(p->mem, p->head, head_bytes, &h)) {
		refuse(p, k, NULL, 400);
		return;
	}
	n = length_of(&h);
	target = target_below(programs_conf(p->programs), h.target);
	k->path = serve_path_find(p->mem, p->paths, target);
	if (n == LENGTH_BAD)
		refuse(p, k, NULL, 400);
	else if (n == LENGTH_OTHER)
		refuse(p, k, NULL, 501);
	else if (n > k->path->body_bytes)
		refuse(p, k, &h, 413);
	else if (is_for_gateway(k->path, target) && n == LENGTH_UNKNOWN)
		refuse(p, k, &h, 411); /* the gateway reads no chunks */
	else if (is_for_gateway(k->path, target)) {
		if (n > 0)
			say_go_on(k, &h);
		pass_on(p, k);
	} else if (needs_child(k->path, n))
		begin_child(p, k, &h, head_bytes);
	else if (n != 0)
		begin_body(p, k, &h, head_bytes, n);
	else if (recv(k->fd, p->head, head_bytes, 0) == (ssize_t)head_bytes)
		answer(p, k, &h, NULL, 0);
	else
		drop(p, k);
}

/* Look whether a whole head has come. ended: the client sends no more. */
static void
look(struct http_process *p, struct connection *k, bool ended)
{
	ssize_t n = recv(k->fd, p->head, HTTP_HEAD_BYTES, MSG_PEEK);
	size_t length = n > 0 ? http_head_length(p->head, (size_t)n) : 0;

	if (n < 0 && errno == EAGAIN)
		return;
	if (k->partial)
		await_more(k, 0);
	k->is_head = n >= 5 && memcmp(p->head, "HEAD ", 5) == 0;
	if (n >= 2 && memcmp(p->head, "\r\n", 2) == 0)
		recv(k->fd, p->head, 2, 0); /* a client's habit, RFC 9112, 2.2 */
	else if (length > 0)
		begin(p, k, length);
	else if (n > 0 && *p->head != '\r' && !isalpha((unsigned char)*p->head))
		refuse(p, k, NULL, 400); /* TLS */
	else if (n == HTTP_HEAD_BYTES)
		refuse(p, k, NULL, 431);
	else if (n <= 0 || ended)
		drop(p, k);
	else {
		if (!k->partial)
			k->until_us = monotonic_us() + HEAD_S * S_US;
		k->partial = true;
		await_more(k, (int)n);
	}
}

/* ---- events ---- */

static void
send_more(struct http_process *p, struct connection *k, bool broken)
{
	enum writer_state is = writer_go_on(k->fd, k->writing, broken);

	if (is == WRITER_BUSY)
		k->until_us = monotonic_us() + SEND_S * S_US;
	else
		answered(p, k, is);
}

static void
on_connection(struct http_process *p, struct connection *k, uint32_t events)
{
	if (k->state == SENDING)
		send_more(p, k, (events & (EPOLLHUP | EPOLLERR)) != 0);
	else if (k->state == BODY)
		read_body(p, k);
	else if (k->state == LINGERING)
		linger(p, k);
	else if (k->state == PASSING)
		drop(p, k); /* the client is gone */
	else
		look(p, k, (events & EPOLLRDHUP) != 0);
}

/* Drop the connection that has been idle for longest. False: none is. */
static bool
make_room(struct http_process *p)
{
	struct connection *idle = NULL;

	for (struct connection *k = p->all; k != NULL; k = k->next)
		if (k->state == HEAD && !k->partial &&
		    (idle == NULL || k->until_us < idle->until_us))
			idle = k;
	if (idle != NULL)
		drop(p, idle);
	return idle != NULL;
}

static bool
has_room(struct http_process *p, const char *network)
{
	int64_t same = 0;

	for (const struct connection *k = p->all; k != NULL; k = k->next)
		same += strcmp(k->network, network) == 0;
	return same < p->per_address && (p->n < p->most || make_room(p));
}

/* False: there is none. */
static bool
accept_one(struct http_process *p)
{
	int on = 1, fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct connection *k;
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
	watch(p, k, EPOLL_CTL_ADD, REQUEST_EVENTS);
	return true;
}

static void
listen_again(struct http_process *p)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLEXCLUSIVE,
		.data.ptr = &p->listener };

	epoll_ctl(p->epoll, EPOLL_CTL_DEL, p->listener, NULL);
	epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->listener, &e);
}

/* Accept what waits, and no more. */
static void
leave(struct http_process *p)
{
	int64_t now = monotonic_us();

	if (p->leave_us != 0)
		return;
	while (accept_one(p))
		continue;
	/* the other processes have it still: closing would not do */
	epoll_ctl(p->epoll, EPOLL_CTL_DEL, p->listener, NULL);
	close(p->listener);
	p->leave_us = now + END_S * S_US;
	for (struct connection *k = p->all; k != NULL; k = k->next)
		if (k->state == HEAD && k->until_us > now + LEAVE_S * S_US)
			k->until_us = now + LEAVE_S * S_US;
}

static void
reap(struct http_process *p)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (int i = 0; i < p->n_children; i++)
			if (p->children[i].pid == pid)
				p->children[i] = p->children[--p->n_children];
}

static void
on_signal(struct http_process *p)
{
	struct signalfd_siginfo s;

	while (read(p->signals, &s, sizeof(s)) == sizeof(s))
		if (s.ssi_signo == SIGTERM)
			leave(p);
	reap(p);
}

/* The time of its state is over. */
static void
end_state(struct http_process *p, struct connection *k)
{
	if (k->state == SENDING)
		send_more(p, k, true);
	else if (k->state == PASSING)
		refuse(p, k, NULL, 503);
	else if (k->state == BODY || k->partial)
		refuse(p, k, NULL, 408);
	else
		drop(p, k);
}

static void
end_late(struct http_process *p)
{
	int64_t now = monotonic_us();
	bool takes = true; /* the gateway */

	for (struct connection *k = p->all, *next; k != NULL; k = next) {
		next = k->next;
		if (now >= k->until_us)
			end_state(p, k);
		else if (takes && k->state == PASSING)
			takes = pass_on(p, k);
	}
	if (p->served_us != 0 && now > p->served_us + REST_US) {
		programs_rest(p->programs);
		p->served_us = 0;
	}
}

static void
on_event(struct http_process *p, const struct epoll_event *e)
{
	if (e->data.ptr == &p->listener) {
		/* Connections are shared out: the process that accepted one is the
		   last to be woken for another. */
		accept_one(p);
		listen_again(p);
	} else if (e->data.ptr == &p->signals)
		on_signal(p);
	else if (e->data.ptr != NULL) /* else it was dropped meanwhile */
		on_connection(p, e->data.ptr, e->events);
}

/*
 * A client that has its answer may send its next request at once, and to sleep until
 * then would take longer than to answer it.  So after a short wait the next one begins
 * awake.
 */
static int
await_events(struct http_process *p, int timeout_ms)
{
	int64_t begun_us = monotonic_us();
	int n;

	while ((n = epoll_wait(p->epoll, p->events, EVENTS, 0)) == 0 && p->prompt &&
	       monotonic_us() < begun_us + AWAKE_US)
		sched_yield();
	if (n == 0)
		n = epoll_wait(p->epoll, p->events, EVENTS, timeout_ms);
	p->prompt = monotonic_us() < begun_us + AWAKE_US;
	return n;
}

static void
serve_all(struct http_process *p)
{
	int64_t looked_us = 0;

	while (p->leave_us == 0 ||
	       (p->n + p->n_children > 0 && monotonic_us() < p->leave_us)) {
		bool busy = p->n + p->n_children > 0 || p->served_us != 0;
		int turn_ms = p->passing > 0 ? PASS_MS : TURN_MS;

		p->n_events = await_events(p, busy ? turn_ms : -1);
		for (int i = 0; i < p->n_events; i++)
			on_event(p, &p->events[i]);
		if (monotonic_us() > looked_us + turn_ms * 1000) {
			looked_us = monotonic_us();
			end_late(p);
		}
	}
}

/* ---- start ---- */

static bool
watch_signals(struct http_process *p)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = &p->signals };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	p->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->signals >= 0 &&
	       epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->signals, &e) == 0;
}

/* A connection may have a file. Without a free one, accepting would fail for ever. */
static void
allow_files(struct http_process *p)
{
	rlim_t want = 2 * (rlim_t)p->most + OTHER_FILES;
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) != 0)
		return;
	l.rlim_cur = want < l.rlim_max ? want : l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur == want)
		return;
	log_warn("only %llu open files are allowed, serve.connections needs %llu",
	    (unsigned long long)l.rlim_cur, (unsigned long long)want);
	p->most = ((int64_t)l.rlim_cur - OTHER_FILES) / 2;
}

int
http_process_run(const struct serve_path *paths, int listener)
{
	struct arena *kept = arena_new();
	struct http_process *p = arena_alloc(kept, sizeof(*p));
	enum err e;

	*p =
	    (struct http_process){ .paths = paths, .kept = kept, .listener = listener };
	p->mem = arena_new();
	p->epoll = epoll_create1(EPOLL_CLOEXEC);
	if ((e = programs_open(kept, paths, &p->programs)) != OK)
		return e == ERR_REFUSED ? 2 : EXIT_FAILURE;
	p->most = programs_conf(p->programs)->serve_connections;
	p->per_address = programs_conf(p->programs)->serve_per_address;
	p->gateway = arena_printf(
	    kept, "%s/" HANDOVER_GATEWAY, programs_conf(p->programs)->state_dir);
	allow_files(p);
	if (!watch_signals(p))
		return EXIT_FAILURE;
	listen_again(p);
	serve_all(p);
	return EXIT_SUCCESS;
}
