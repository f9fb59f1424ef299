/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/http_listener.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "channel/audio_stream.h"
#include "gateway/socket_end.h"

#define ROOM_BYTES 8192 /* bytes in the kernel's buffer for a listener: 2 s or more */
#define BEHIND 2        /* pages by which a listener may lag */
#define CHECK_US S_US   /* time between two checks that it is still connected */

/* A listener, allocated in its request's arena. */
struct http_listener {
	struct http_listener *next; /* next listener of the gateway */
	struct gateway *gateway;
	const struct connection_request *request;
	struct connection *c;
	int fd;
	bool mp3, chunked;           /* chunked: HTTP/1.1 */
	struct audio_stream *stream; /* NULL: none yet */
	struct buf first;            /* sent before any page */
	int64_t page;                /* number of the next page */
	size_t sent; /* bytes sent of this page or, before it, of `first` */
	int64_t moved_us, checked_us; /* monotonic: last progress; last check */
	bool waits;                   /* the kernel's buffer is full */
	bool ending;                  /* the end was requested */
	bool gone;                    /* the client closed the connection */
};

/* ---- sending ---- */

/* Send the rest of these bytes. True: all are sent. */
static bool
send_rest(struct http_listener *l, const char *p, size_t n)
{
	ssize_t did =
	    send(l->fd, p + l->sent, n - l->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

	l->gone |= did < 0 && errno != EAGAIN && errno != EINTR;
	if (did > 0) {
		l->moved_us = monotonic_us();
		l->sent += (size_t)did;
	}
	l->waits = l->sent < n;
	if (l->waits && l->c != NULL)
		connection_watch(l->c);
	if (!l->waits)
		l->sent = 0;
	return !l->waits;
}

/*
 * Get the next page; false: none is ready. A slow listener skips pages, but only
 * between two pages.
 */
static bool
next_page(struct http_listener *l, struct audio_page *page)
{
	int64_t made = audio_stream_pages(l->stream);

	if (l->sent == 0 && l->page < made - BEHIND)
		l->page = made - 1;
	if (l->page >= made)
		return false;
	if (!audio_stream_page(l->stream, l->page, page))
		/* the connection stopped within a page that has been deleted */
		l->gone = true;
	return !l->gone;
}

static void
send_due(struct http_listener *l)
{
	struct audio_page page;

	if (l->first.len > 0) {
		if (!send_rest(l, l->first.p, l->first.len))
			return;
		l->first.len = 0;
	}
	while (l->stream != NULL && !l->gone && next_page(l, &page)) {
		if (!send_rest(l, l->chunked ? page.chunk : page.plain,
			l->chunked ? page.chunk_bytes : page.plain_bytes))
			return;
		l->page++;
	}
}

/* ---- the stream ---- */

static void
put_page(struct http_listener *l, const struct audio_page *page)
{
	buf_put(&l->first, l->chunked ? page->chunk : page->plain,
	    l->chunked ? page->chunk_bytes : page->plain_bytes);
}

/* Begin with the latest page, because players need data to start. */
static void
enter_stream(struct http_listener *l)
{
	struct audio_page head;

	l->stream = audio_stream_enter(l->c->session, l->c->tuned.language, l->mp3);
	head = audio_stream_head(l->stream);
	put_page(l, &head);
	l->page = audio_stream_pages(l->stream);
	l->page -= l->page > 0;
}

/* If a new task spells the language differently, change to that stream. */
static void
follow_language(struct http_listener *l)
{
	if (l->stream == NULL || l->sent > 0 || l->first.len > 0 ||
	    strcmp(audio_stream_language(l->stream), l->c->tuned.language) == 0)
		return;
	audio_stream_leave(l->c->session, l->stream);
	enter_stream(l);
}

/* ---- as a connection ---- */

static void
send_nothing(void *to, struct shared_buffer *p, int64_t group)
{
	(void)to, (void)p, (void)group;
}

static void
end_soon(void *to, enum close_why why)
{
	struct http_listener *l = to;
	const struct websocket_name name = socket_end_name(l->request, "http");

	if (!l->ending)
		socket_end_log(
		    l->gateway, &name, close_kinds[why].code, close_kinds[why].reason);
	l->ending = true;
}

static size_t
unsent(const void *to, int64_t *since_us)
{
	const struct http_listener *l = to;

	*since_us = l->moved_us;
	return l->waits;
}

static const struct transport by_http = {
	.send = send_nothing, .end = end_soon, .unsent = unsent, .tracks = true
};

void
http_listener_open(struct gateway *g, struct thread_call *call)
{
	struct connection_request *v = (struct connection_request *)call;
	struct arena *mem = v->call.message.mem;
	struct http_listener *l = arena_alloc(mem, sizeof(*l));
	int room = ROOM_BYTES;

	setsockopt(v->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	*l = (struct http_listener){ .next = g->http_listeners,
		.fd = v->fd,
		.mp3 = v->http->mp3,
		.chunked = v->http->chunked,
		.gateway = g,
		.request = v,
		.first.mem = mem,
		.moved_us = monotonic_us() };
	g->http_listeners = l;
	l->c = session_join(g, v, &by_http, l);
	if (l->ending) { /* connections come too often */
		buf_put(&l->first, v->refusal, v->refusal_bytes);
	} else {
		buf_put(&l->first, v->http->head, v->http->head_bytes);
		enter_stream(l);
	}
	send_due(l);
}

/* ---- the end ---- */

/* Detect a player that closes its connection. Its other input is not read. */
static void
check_closed(struct http_listener *l, int64_t now)
{
	char byte;
	ssize_t n;

	if (now < l->checked_us + CHECK_US)
		return;
	l->checked_us = now;
	n = recv(l->fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
	l->gone |= n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void
close_listener(struct http_listener *l)
{
	static const char end[] = "0\r\n\r\n";
	struct session *s = l->c->session;

	if (!l->gone && l->stream != NULL && l->chunked && l->sent == 0 &&
	    l->first.len == 0 &&
	    send(l->fd, end, sizeof(end) - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		l->gone = true;
	close(l->fd);
	if (l->stream != NULL)
		audio_stream_leave(s, l->stream);
	session_leave(l->c); /* frees it */
}

void
http_listeners_tick(struct gateway *g, int64_t now)
{
	struct http_listener **at = &g->http_listeners, *l;

	while ((l = *at) != NULL) {
		follow_language(l);
		send_due(l);
		check_closed(l, now);
		if (!l->gone && !l->ending && !g->stopping)
			at = &l->next;
		else {
			*at = l->next;
			close_listener(l);
		}
	}
}
