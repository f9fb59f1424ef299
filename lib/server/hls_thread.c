/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/hls_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

#define STEP_MS 250 /* between two looks at deadlines */
#define SEND_S 10   /* time for an answer to be read */
#define EVENTS 64
/* Bytes of answers that clients have not read. Above half of it the oldest end; at all
   of it a request is refused. */
#define UNREAD_MOST ((size_t)64 << 20)

/* Header Cache-Control of a playlist that was asked for by number: it does not change.
 */
#define CACHE_NUMBERED "public, max-age=4"

/* A request, until its answer has been sent. */
struct held {
	struct held *next, **at;       /* list hls_thread.all */
	struct connection_request *of; /* owned */
	const struct hls_request *is;
	int watch;        /* watches its folder; -1: none */
	int64_t until_us; /* monotonic */
	const char *out;  /* the answer; NULL: not yet */
	size_t n, sent;
};

struct hls_thread {
	struct mailbox *in;
	struct wakeup bell;
	int events, folders;     /* epoll, inotify */
	struct held *all, **end; /* the oldest first */
	atomic_int n;
	size_t unread;           /* bytes of answers */
	_Atomic int64_t refused; /* since hls_thread_count() */
};

/* ---- files ---- */

const char *
hls_read(struct arena *mem, const char *folder, const char *file, size_t *n)
{
	struct buf b = { .mem = mem };

	if (!file_read(arena_printf(mem, "%s/%s", folder, file), &b))
		return NULL;
	*n = b.len;
	return buf_text(&b);
}

/* ---- answers ---- */

static void
finish(struct hls_thread *t, struct held *h)
{
	struct held *k;

	*h->at = h->next;
	*(h->next != NULL ? &h->next->at : &t->end) = h->at;
	t->n--;
	t->unread -= h->n;
	for (k = t->all; k != NULL && k->watch != h->watch; k = k->next)
		;
	if (h->watch >= 0 && k == NULL)
		inotify_rm_watch(t->folders, h->watch);
	/* `dragoman serve` may have the connection still: closing would not do */
	epoll_ctl(t->events, EPOLL_CTL_DEL, h->of->fd, NULL);
	close(h->of->fd);
	arena_free(h->of->call.message.mem);
}

/* Send as much as possible. True: the request is done. */
static bool
send_answer(struct hls_thread *t, struct held *h)
{
	struct epoll_event e = { .events = EPOLLOUT | EPOLLRDHUP, .data.ptr = h };
	ssize_t n;

	while (h->sent < h->n) {
		n = send(h->of->fd, h->out + h->sent, h->n - h->sent,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN) {
			epoll_ctl(t->events, EPOLL_CTL_MOD, h->of->fd, &e);
			return false;
		}
		if (n < 0)
			return true;
		h->sent += (size_t)n;
	}
	return true;
}

static void
set_answer(struct hls_thread *t, struct held *h, const char *out, size_t n)
{
	h->out = out;
	h->n = n;
	h->until_us = monotonic_us() + SEND_S * S_US;
	t->unread += n;
}

static void
refuse(struct hls_thread *t, struct held *h)
{
	t->refused++;
	set_answer(t, h, h->is->refusal, h->is->refusal_bytes);
}

static void
write_answer(struct hls_thread *t, struct held *h, const char *body, size_t n)
{
	const struct hls_file *f = h->is->kind;
	struct buf b = { .mem = h->of->call.message.mem };
	char date[TIME_TEXT];

	buf_printf(&b,
	    "HTTP/1.1 200 OK\r\nDate: %s\r\nConnection: close\r\nContent-Type: %s\r\n"
	    "Content-Length: %zu\r\nCache-Control: %s\r\n"
	    "Access-Control-Allow-Origin: *\r\n"
	    "X-Content-Type-Options: nosniff\r\n\r\n",
	    time_http(now_us(), date), f->type, n,
	    f->is_playlist && h->is->reload.segment >= 0 ? CACHE_NUMBERED : f->cache);
	if (!h->is->head)
		buf_put(&b, body, n);
	set_answer(t, h, b.p, b.len);
}

/* Write the answer if the file, of n bytes, has what was asked for. mem: for the time
   of the call. */
static void
look_at(
    struct hls_thread *t, struct held *h, struct arena *mem, const char *text, size_t n)
{
	if (h->is->kind->is_playlist) {
		if (hls_reload_verdict(text, &h->is->reload) != HLS_RELOAD_NOW)
			return;
		if (h->is->reload.skips) {
			text = hls_reload_delta(mem, text);
			n = strlen(text);
		}
	}
	if (t->unread > UNREAD_MOST)
		refuse(t, h);
	else
		write_answer(t, h, text, n);
}

static void
look(struct hls_thread *t, struct held *h)
{
	struct arena *mem = arena_new();
	size_t n;
	const char *text = hls_read(mem, h->is->folder, h->is->file, &n);

	if (text != NULL)
		look_at(t, h, mem, text, n);
	arena_free(mem);
}

/* ---- requests ---- */

static int
count_network(const struct hls_thread *t, const char *network)
{
	int n = 0;

	for (const struct held *h = t->all; h != NULL; h = h->next)
		n += strcmp(h->of->network, network) == 0;
	return n;
}

/* Watch the folder before the second look: the file may come between. */
static void
hold(struct hls_thread *t, struct held *h)
{
	if (t->n < HLS_HELD_MOST &&
	    count_network(t, h->of->network) < HLS_HELD_OF_NETWORK)
		h->watch = inotify_add_watch(
		    t->folders, h->is->folder, IN_MOVED_TO | IN_ONLYDIR);
	if (h->watch < 0)
		refuse(t, h);
	else
		look(t, h);
}

static void
accept_request(struct hls_thread *t, struct connection_request *v)
{
	struct held *h = arena_alloc(v->call.message.mem, sizeof(*h));
	struct epoll_event e = { .events = EPOLLRDHUP, .data.ptr = h };

	*h = (struct held){ .at = t->end,
		.of = v,
		.is = v->hls,
		.watch = -1,
		.until_us = monotonic_us() + HLS_HELD_S * S_US };
	look(t, h);
	if (h->out == NULL)
		hold(t, h);
	*h->at = h;
	t->end = &h->next;
	t->n++;
	epoll_ctl(t->events, EPOLL_CTL_ADD, v->fd, &e);
	if (h->out != NULL && (send_answer(t, h) || t->n > HLS_HELD_MOST))
		finish(t, h);
}

static void
accept_requests(struct hls_thread *t)
{
	struct actor_message *m = mailbox_drain(t->in), *next;

	for (; m != NULL; m = next) {
		next = m->next;
		accept_request(t, (struct connection_request *)m);
	}
}

int64_t
hls_thread_count(struct hls_thread *t, int64_t *held)
{
	*held = t->n;
	return atomic_exchange(&t->refused, 0);
}

void
hls_thread_add(struct hls_thread *t, struct connection_request *v)
{
	mailbox_send(t->in, &v->call.message);
}

/* ---- the thread ---- */

static bool
waits_for(const struct held *h, int watch, const char *file)
{
	return h->out == NULL && h->watch == watch && strcmp(h->is->file, file) == 0;
}

/* The file of this name in a watched folder has been written. It is read once for all
   that wait for it. */
static void
find_waiting(struct hls_thread *t, int watch, const char *file)
{
	struct arena *mem = NULL;
	const char *text = NULL;
	size_t n = 0;

	for (struct held *h = t->all, *next; h != NULL; h = next) {
		next = h->next;
		if (!waits_for(h, watch, file))
			continue;
		if (mem == NULL) {
			mem = arena_new();
			text = hls_read(mem, h->is->folder, file, &n);
		}
		if (text != NULL)
			look_at(t, h, mem, text, n);
		if (h->out != NULL && send_answer(t, h))
			finish(t, h);
	}
	arena_free(mem);
}

static void
read_folders(struct hls_thread *t)
{
	_Alignas(struct inotify_event) char bytes[16384];
	const struct inotify_event *e;
	ssize_t n = read(t->folders, bytes, sizeof(bytes));

	for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof(*e) + e->len)) {
		e = (const struct inotify_event *)(const void *)(bytes + at);
		if (e->len > 0)
			find_waiting(t, e->wd, e->name);
	}
}

/* A client is gone, or reads on. */
static void
read_client(struct hls_thread *t, struct held *h, uint32_t events)
{
	if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0 || send_answer(t, h))
		finish(t, h);
}

static void
end_late(struct hls_thread *t)
{
	int64_t now = monotonic_us();

	for (struct held *h = t->all, *next; h != NULL; h = next) {
		next = h->next;
		if (now < h->until_us &&
		    (h->out == NULL || t->unread <= UNREAD_MOST / 2))
			continue;
		if (h->out == NULL) {
			refuse(t, h);
			if (!send_answer(t, h))
				continue;
		}
		finish(t, h);
	}
}

static void *
run(void *arg)
{
	struct hls_thread *t = arg;
	struct epoll_event e[EVENTS];
	int n;

	for (;;) {
		n = epoll_wait(t->events, e, EVENTS, t->all != NULL ? STEP_MS : -1);
		for (int i = 0; i < n; i++)
			if (e[i].data.ptr != t)
				read_client(t, e[i].data.ptr, e[i].events);
		/* now no event refers to a request that has ended */
		wakeup_drain(&t->bell);
		accept_requests(t);
		read_folders(t);
		end_late(t);
	}
	return NULL;
}

static bool
add_source(struct hls_thread *t, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = t };

	return fd >= 0 && epoll_ctl(t->events, EPOLL_CTL_ADD, fd, &e) == 0;
}

struct hls_thread *
hls_thread_start(struct arena *mem)
{
	struct hls_thread *t = arena_alloc(mem, sizeof(*t));
	pthread_t thread;

	*t = (struct hls_thread){ .events = epoll_create1(EPOLL_CLOEXEC),
		.folders = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.end = &t->all };
	t->in = mailbox_new(mem, wakeup_wake, &t->bell);
	if (t->events < 0 || !wakeup_open(&t->bell) || !add_source(t, t->bell.fd) ||
	    !add_source(t, t->folders) || pthread_create(&thread, NULL, run, t) != 0) {
		log_error(
		    "HLS with low latency cannot be started: %s", strerror(errno));
		return NULL;
	}
	pthread_detach(thread);
	return t;
}
