/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event loop: libwebsockets on epoll(7) by libuv, or on poll(2) without its plugin.
 */
#include "gateway/websocket.h"

#include <libwebsockets.h>
#include <string.h>
#include <uv.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/uv_plugin.h"
#include "gateway/ping_queue.h"
#include "gateway/shared_buffer_internal.h"
#include "web/http_head.h"

#define CLOSE_S 30       /* seconds to send queued messages when a connection ends */
#define PING_STEPS 2     /* steps of the ping queue, 20 s */
#define LOST_STEPS 5     /* 30 s after an unanswered ping */
#define REST_US S_US     /* a turn that is due later is made sooner by an event */
#define SOON_US 50000    /* time to that turn */
#define SHORTEST_US 1000 /* least time between two turns without an event */
#define PIECE 16384      /* largest fragment passed to LWS_CALLBACK_RECEIVE */
#define NAME_BYTES 256   /* room for a socket's texts */

/* An entry in the send queue of a connection. */
struct sending {
	struct sending *next;
	struct shared_buffer *buffer; /* holds one reference */
	struct arena *mem;
	int64_t group, since_us; /* 0: no group; monotonic time queued */
};

_Static_assert(SHARED_BUFFER_BEFORE >= LWS_PRE, "room for the head of a frame");

/* Used only by the event loop. */
struct websocket {
	struct ping_entry pings;      /* first: it is the websocket */
	struct websocket *next, **at; /* list event_loop.open */
	/* list event_loop.due; at_due NULL: it is not in the list */
	struct websocket *next_due, **at_due;
	struct arena *mem;
	struct lws *wsi;
	const struct websocket_owner *is;
	void *conn;                   /* result of opened() */
	struct sending *first, *last; /* send queue */
	size_t unsent;                /* bytes in the send queue */
	int64_t moved_us;             /* monotonic, last progress of the queue */
	int64_t group;                /* group of the last message sent */
	bool asks;                    /* a ping must be sent */
	bool ending;                  /* websocket_end() was called */
	bool closed_by_peer;          /* a close frame came first */
	bool closing;         /* close frame requested; input may still arrive */
	bool broken;          /* nothing can be sent any more */
	int code;             /* code of the close frame */
	const char *reason;   /* reason in the close frame */
	struct arena *in_mem; /* arena of a fragmented message; NULL: none */
	char *in;             /* fragments joined so far */
	size_t in_n, in_room, in_most; /* bytes: used, allocated, largest message */
	struct websocket_name name;
};

/* An adopted connection before its upgrade. */
struct adopted {
	struct arena *mem;
	const struct websocket_owner *is;
	void *request; /* argument of event_loop_adopt() */
};

struct event_loop {
	struct lws_context *lws;
	uv_loop_t uv;
	bool by_uv;                       /* else by poll(2) */
	const struct websocket_owner *is; /* turn(), and the default of adopted ones */
	void *arg;                        /* argument of the callbacks */
	lws_sorted_usec_list_t timer;     /* next turn() */
	bool resting;                     /* it is far away: see end_rest() */
	struct websocket *open;           /* all open connections */
	struct websocket *due;            /* list of those with unsent messages */
	struct ping_queue pings;          /* queue of their pings */
	int visits;                       /* adopted, not yet open */
	struct adopted *coming; /* during lws_adopt_socket_readbuf(), else NULL */
	volatile bool stopping; /* set by any thread */
};

/* ---- sending ---- */

/* Send at the end of this callback of libwebsockets. */
static void
make_due(struct websocket *s)
{
	struct event_loop *all = lws_context_user(lws_get_context(s->wsi));

	if (s->at_due != NULL)
		return;
	s->next_due = all->due;
	s->at_due = &all->due;
	if (s->next_due != NULL)
		s->next_due->at_due = &s->next_due;
	all->due = s;
}

static void
forget_due(struct websocket *s)
{
	if (s->at_due == NULL)
		return;
	*s->at_due = s->next_due;
	if (s->next_due != NULL)
		s->next_due->at_due = s->at_due;
	s->at_due = NULL;
}

void
websocket_send(struct websocket *s, struct shared_buffer *p, int64_t group)
{
	struct arena *mem;
	struct sending *to;

	if (s->ending)
		return;
	mem = arena_small(sizeof(*to));
	to = arena_alloc(mem, sizeof(*to));
	*to = (struct sending){
		.buffer = p, .mem = mem, .group = group, .since_us = monotonic_us()
	};
	p->owners++;
	if (s->first == NULL) {
		s->first = to;
		s->moved_us = to->since_us;
	} else
		s->last->next = to;
	s->last = to;
	s->unsent += p->n;
	make_due(s);
}

static void
report_end(const struct websocket *s, int code, const char *reason)
{
	const struct event_loop *all = lws_context_user(lws_get_context(s->wsi));

	if (s->name.kind != NULL && all->is->ended != NULL)
		all->is->ended(all->arg, &s->name, code, reason);
}

void
websocket_name(struct websocket *s, const struct websocket_name *name)
{
	s->name = (struct websocket_name){ arena_str(s->mem, name->kind), name->channel,
		arena_str(s->mem, name->stream), arena_str(s->mem, name->address) };
}

static void
end_as(struct websocket *s, int code, const char *reason, const char *why)
{
	if (s->ending)
		return;
	report_end(s, code, why);
	s->ending = true;
	/* do not wait for a client that does not read */
	lws_set_timeout(s->wsi, PENDING_TIMEOUT_USER_OK, CLOSE_S);
	s->code = code;
	s->reason = arena_str(s->mem, reason);
	make_due(s);
}

void
websocket_end(struct websocket *s, int code, const char *reason)
{
	end_as(s, code, reason, reason);
}

void
websocket_end_for(struct websocket *s, int code, const char *reason)
{
	end_as(s, code, "", reason);
}

size_t
websocket_unsent(const struct websocket *s, int64_t *since_us)
{
	*since_us = s->moved_us;
	return s->unsent;
}

/* Remove *at from the queue.  before: the entry before it, or NULL. */
static void
drop_at(struct websocket *s, struct sending **at, struct sending *before)
{
	struct sending *it = *at;

	*at = it->next;
	if (s->last == it)
		s->last = before;
	s->unsent -= it->buffer->n;
	shared_buffer_drop(it->buffer);
	arena_free(it->mem);
}

static void
drop_first(struct websocket *s)
{
	drop_at(s, &s->first, NULL);
}

static void
drop_group(struct websocket *s, int64_t group)
{
	struct sending *before = NULL, **at = &s->first;

	while (*at != NULL)
		if ((*at)->group == group)
			drop_at(s, at, before);
		else {
			before = *at;
			at = &before->next;
		}
}

void
websocket_skip(struct websocket *s, int64_t before_us)
{
	struct sending *it = s->first;

	while (it != NULL && it->since_us < before_us)
		if (it->group != 0 && it->group != s->group) {
			drop_group(s, it->group);
			it = s->first; /* the group was freed: start again */
		} else
			it = it->next;
}

/* False: the connection is broken. */
static bool
send_ping(struct websocket *s)
{
	unsigned char ping[LWS_PRE + 1] = { 0 }; /* an empty answer is not reported */

	s->asks = false;
	return lws_write(s->wsi, ping + LWS_PRE, 1, LWS_WRITE_PING) >= 0;
}

static bool
send_first(struct websocket *s)
{
	struct shared_buffer *p = s->first->buffer;

	if (s->first->group != 0)
		s->group = s->first->group;
	if (lws_write(s->wsi, p->text, p->n,
		p->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < (int)p->n)
		return false;
	drop_first(s);
	s->moved_us = monotonic_us();
	return true;
}

/*
 * False while libwebsockets has bytes that the kernel did not accept, or sends a close
 * frame.
 */
static bool
may_send(const struct websocket *s)
{
	return !s->broken && !s->closed_by_peer && !lws_partial_buffered(s->wsi) &&
	       lws_get_close_length(s->wsi) == 0;
}

static void
send_all(struct websocket *s)
{
	while ((s->asks || s->first != NULL) && may_send(s))
		s->broken = !(s->asks ? send_ping(s) : send_first(s));
}

static bool
has_more(const struct websocket *s)
{
	return s->asks || s->first != NULL || s->ending;
}

/*
 * Send without waiting for a writable callback: that would cost four system calls of
 * epoll(7) for each message. Only a connection whose client does not read fast enough
 * waits for one, and one that ends.
 */
static void
send_due(struct event_loop *all)
{
	struct websocket *s;

	while ((s = all->due) != NULL) {
		forget_due(s);
		send_all(s);
		if (s->broken)
			lws_set_timeout(
			    s->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
		else if (has_more(s))
			lws_callback_on_writable(s->wsi);
	}
}

/*
 * Send a close frame and await that of the client. A callback that returns nonzero
 * would not do: on libuv, libwebsockets 4.1 then closes twice, the second time without
 * sending the frame.
 */
static void
close_politely(struct websocket *s)
{
	s->closing = true;
	lws_close_reason(s->wsi, (enum lws_close_status)s->code,
	    (unsigned char *)arena_str(s->mem, s->reason), strlen(s->reason));
	lws_set_timeout(s->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC);
}

/* The connection is writable. Nonzero closes it at once. */
static int
send_more(struct websocket *s)
{
	send_all(s);
	if (s->broken)
		return -1;
	if (s->asks || s->first != NULL)
		lws_callback_on_writable(s->wsi);
	else if (s->ending && !s->closing && may_send(s))
		close_politely(s);
	return 0;
}

/* ---- receiving ---- */

void
websocket_limit(struct websocket *s, size_t bytes)
{
	s->in_most = bytes;
}

static void
in_over(struct websocket *s)
{
	arena_free(s->in_mem);
	s->in_mem = NULL;
	s->in = NULL;
	s->in_n = s->in_room = 0;
}

static void
store_piece(struct websocket *s, const char *p, size_t n)
{
	if (s->in_mem == NULL)
		s->in_mem = arena_new();
	if (s->in == NULL || s->in_room - s->in_n < n) {
		size_t room = 2 * (s->in_n + n);
		char *more = arena_alloc(s->in_mem, room);

		if (s->in_n > 0)
			memcpy(more, s->in, s->in_n);
		s->in = more;
		s->in_room = room;
	}
	memcpy(s->in + s->in_n, p, n);
	s->in_n += n;
}

/* A frame that is too large is refused by its header: no payload is kept. */
static void
receive(struct websocket *s, const char *p, size_t n)
{
	bool whole =
	    lws_is_final_fragment(s->wsi) && lws_remaining_packet_payload(s->wsi) == 0;

	if (s->ending)
		return;
	if (s->in_n + n + lws_remaining_packet_payload(s->wsi) > s->in_most) {
		websocket_end(
		    s, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "message too large");
		in_over(s);
		return;
	}
	if (whole && s->in_mem == NULL) {
		s->is->message(s->conn, p, n, lws_frame_is_binary(s->wsi));
		return;
	}
	store_piece(s, p, n);
	if (whole) {
		s->is->message(s->conn, s->in, s->in_n, lws_frame_is_binary(s->wsi));
		in_over(s);
	}
}

/* ---- connections ---- */

/*
 * libwebsockets closes connections that break the protocol; its close frame says why.
 */
static void
report_breach(const struct websocket *s)
{
	const unsigned char *frame = lws_get_close_payload(s->wsi);
	int code;

	if (s->ending || s->closed_by_peer || lws_get_close_length(s->wsi) < 2)
		return;
	code = frame[0] << 8 | frame[1];
	report_end(s, code,
	    code == LWS_CLOSE_STATUS_INVALID_PAYLOAD ? "invalid payload"
						     : "protocol error");
}

static void
close_socket(struct event_loop *all, struct websocket *s)
{
	report_breach(s);
	if (s->conn != NULL)
		s->is->closed(s->conn);
	ping_queue_remove(&all->pings, &s->pings);
	forget_due(s);
	*s->at = s->next;
	if (s->next != NULL)
		s->next->at = s->at;
	while (s->first != NULL)
		drop_first(s);
	in_over(s);
	arena_free(s->mem);
}

/* The user data of libwebsockets holds only the pointer *to. */
static int
open_socket(struct event_loop *all, struct lws *wsi, struct websocket **to)
{
	struct adopted *v =
	    all->coming != NULL ? all->coming : lws_get_opaque_user_data(wsi);
	struct arena *mem = arena_small(sizeof(struct websocket) + NAME_BYTES);
	struct websocket *s = arena_alloc(mem, sizeof(*s));

	*s = (struct websocket){ .mem = mem,
		.wsi = wsi,
		.is = v->is,
		.moved_us = monotonic_us(),
		.in_most = WEBSOCKET_MESSAGE_BYTES };
	*to = s;
	s->next = all->open;
	s->at = &all->open;
	if (s->next != NULL)
		s->next->at = &s->next;
	all->open = s;
	ping_queue_add(&all->pings, &s->pings, s->moved_us);
	all->visits--;
	all->coming = NULL;
	lws_set_opaque_user_data(wsi, NULL);
	s->conn = s->is->opened(all->arg, s, v->request);
	arena_free(v->mem);
	return s->conn != NULL ? 0 : -1;
}

static void
lose_visit(struct event_loop *all, struct lws *wsi)
{
	struct adopted *v = wsi != NULL ? lws_get_opaque_user_data(wsi) : NULL;

	if (v == NULL)
		return;
	lws_set_opaque_user_data(wsi, NULL);
	all->visits--;
	v->is->lost(all->arg, v->request);
	arena_free(v->mem);
}

static void take_turn(struct event_loop *);
static void on_time(lws_sorted_usec_list_t *);

/* The owner had nothing to do, but sockets have changed. */
static void
end_rest(struct event_loop *all)
{
	if (!all->resting)
		return;
	all->resting = false;
	lws_sul_schedule(all->lws, 0, &all->timer, on_time, SOON_US);
}

static int
handle_event(struct event_loop *all, struct lws *wsi, enum lws_callback_reasons why,
    struct websocket **s, void *in, size_t n)
{
	switch (why) {
	case LWS_CALLBACK_ESTABLISHED:
		return open_socket(all, wsi, s);
	case LWS_CALLBACK_RECEIVE:
		receive(*s, in, n);
		return 0;
	case LWS_CALLBACK_RECEIVE_PONG:
		(*s)->pings.steps = 0;
		return 0;
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
		(*s)->closed_by_peer = true;
		return 0;
	case LWS_CALLBACK_SERVER_WRITEABLE:
		return send_more(*s);
	case LWS_CALLBACK_CLOSED:
		if (*s != NULL)
			close_socket(all, *s);
		*s = NULL;
		return 0;
	case LWS_CALLBACK_WSI_DESTROY:
		lose_visit(all, wsi);
		return 0;
	case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
		take_turn(all);
		return 0;
	default:
		return 0;
	}
}

static int
on_event(struct lws *wsi, enum lws_callback_reasons why, void *user, void *in, size_t n)
{
	struct event_loop *all =
	    wsi != NULL ? lws_context_user(lws_get_context(wsi)) : NULL;
	struct websocket **s = user;
	int result;

	if (all == NULL || all->lws == NULL) /* during lws_create_context() */
		return 0;
	result = handle_event(all, wsi, why, s, in, n);
	if (why != LWS_CALLBACK_EVENT_WAIT_CANCELLED)
		end_rest(all);
	if (result != 0 && s != NULL && *s != NULL)
		forget_due(*s); /* it is being closed */
	send_due(all);
	return result;
}

static const struct lws_protocols protocols[] = {
	{ "dragoman", on_event, sizeof(struct websocket *), PIECE, 0, NULL, 0 },
	{ NULL, NULL, 0, 0, 0, NULL, 0 },
};

/*
 * The head is already read, so the connection may open, and even close, before
 * lws_adopt_socket_readbuf() returns.
 */
void
event_loop_adopt(struct event_loop *all, const struct websocket_owner *owner, int fd,
    const char *head, size_t n, void *request)
{
	struct arena *mem = arena_new();
	struct adopted *v = arena_alloc(mem, sizeof(*v));
	struct lws *wsi;

	*v = (struct adopted){ mem, owner != NULL ? owner : all->is, request };
	all->visits++;
	all->coming = v;
	wsi = lws_adopt_socket_readbuf(all->lws, fd, head, n);
	if (all->coming == NULL)
		return;
	all->coming = NULL;
	if (wsi != NULL) {
		lws_set_opaque_user_data(wsi, v);
		return;
	}
	all->visits--;
	v->is->lost(all->arg, request);
	arena_free(mem);
}

/* ---- the loop ---- */

/* Silent connections get a ping, and are closed if they do not answer. */
static void
ask_all(struct event_loop *all)
{
	int64_t now = monotonic_us();
	struct ping_entry *e;

	while ((e = ping_queue_next(&all->pings, now)) != NULL) {
		struct websocket *s = (void *)e;

		if (e->steps == LOST_STEPS) {
			if (!s->ending)
				report_end(s, 1006, "no answer to a ping");
			s->ending = true;
			lws_set_timeout(
			    s->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
		} else if (e->steps == PING_STEPS) {
			s->asks = true;
			make_due(s);
		}
	}
}

static void
on_time(lws_sorted_usec_list_t *timer)
{
	struct event_loop *all = lws_container_of(timer, struct event_loop, timer);

	take_turn(all);
	send_due(all);
}

static void
take_turn(struct event_loop *all)
{
	int64_t wait_us = all->is->turn(all->arg), due;

	ask_all(all);
	all->resting = wait_us > REST_US;
	due = ping_queue_due_us(&all->pings);
	if (all->resting && due != INT64_MAX && due - monotonic_us() < wait_us)
		wait_us = due - monotonic_us();
	if (wait_us < SHORTEST_US)
		wait_us = SHORTEST_US;
	lws_sul_schedule(all->lws, 0, &all->timer, on_time,
	    wait_us == INT64_MAX ? LWS_SET_TIMER_USEC_CANCEL : wait_us);
}

static void
on_log(int level, const char *line)
{
	int n = (int)strcspn(line, "\n");

	if (strstr(line, "adopt_socket_readbuf: calling service") != NULL)
		return; /* logged for each head; not an error */
	if (level & LLL_ERR)
		log_error("websockets: %.*s", n, line);
	else
		log_warn("websockets: %.*s", n, line);
}

/*
 * A loop of ours, because that of libwebsockets would handle signals, and could not be
 * stopped without its end.
 */
static bool
start_uv(struct event_loop *all, struct lws_context_creation_info how)
{
	void *loop = &all->uv;

	if (!uv_plugin_found() || uv_loop_init(&all->uv) != 0)
		return false;
	how.options |= LWS_SERVER_OPTION_LIBUV;
	how.foreign_loops = &loop;
	all->lws = lws_create_context(&how);
	return all->lws != NULL;
}

struct event_loop *
event_loop_open(struct arena *mem, const struct websocket_owner *is, void *arg)
{
	static const lws_retry_bo_t no_pings = { .secs_since_valid_hangup = 0 };
	struct event_loop *all = arena_alloc(mem, sizeof(*all));
	const struct lws_context_creation_info how = {
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.gid = (gid_t)-1,
		.uid = (uid_t)-1,
		.user = all,
		.retry_and_idle_policy = &no_pings,
		.max_http_header_data = HTTP_HEAD_BYTES,
		.options = LWS_SERVER_OPTION_VALIDATE_UTF8,
	};

	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	all->is = is;
	all->arg = arg;
	all->by_uv = start_uv(all, how);
	if (!all->by_uv)
		all->lws = lws_create_context(&how);
	log_info("the event loop uses %s", all->by_uv ? "libuv" : "poll");
	return all->lws != NULL ? all : NULL;
}

void
event_loop_run(struct event_loop *all)
{
	lws_sul_schedule(all->lws, 0, &all->timer, on_time, 1);
	if (all->by_uv)
		while (!all->stopping)
			uv_run(&all->uv, UV_RUN_ONCE);
	else
		while (!all->stopping && lws_service(all->lws, 0) >= 0)
			continue;
}

void
event_loop_wake(struct event_loop *all)
{
	lws_cancel_service(all->lws);
}

void
event_loop_end(struct event_loop *all, int code, const char *reason)
{
	for (struct websocket *s = all->open; s != NULL; s = s->next)
		websocket_end(s, code, reason);
}

bool
event_loop_idle(const struct event_loop *all)
{
	return all->open == NULL && all->visits == 0;
}

void
event_loop_stop(struct event_loop *all)
{
	all->stopping = true;
	lws_cancel_service(all->lws);
}
