/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVE_HTTP_PROCESS_INTERNAL_H
#define SERVE_HTTP_PROCESS_INTERNAL_H

#include <sys/epoll.h>

#include "base/network.h"
#include "serve/answer.h"
#include "serve/http_process.h"

/*
 * Shared by the files of a process that answers HTTP, the upper ones calling the lower
 * ones:
 *
 *	http_process.c      the event loop: accepts, waits, ends what is late
 *	http_requests.c     reads requests, and decides which process answers
 *	http_passing.c      passes connections on, to the gateway or to a child
 *	http_sending.c      sends answers and refusals
 *	http_connections.c  the list of connections and its limits
 *
 * A connection's states:
 *
 *	HEAD -> BODY -> SENDING -> HEAD ...
 *	     -> PASSING -> the gateway
 *	any refused -> SENDING -> LINGERING
 *
 * A head is looked at, but not read, until all of it has come: the connection may be
 * for another process. Strangers may open connections, so their number, the bytes that
 * they keep here, and the time that they take are limited.
 */

#define HEAD_S 10        /* for a head, from the connection's beginning */
#define LEAVE_S 2        /* for the next request to begin, while the process ends */
#define CHILDREN_MOST 32 /* processes at a time for single requests */
#define NETWORK_BYTES (INET6_ADDRSTRLEN + 4)
#define EVENTS 64
#define REQUEST_EVENTS (EPOLLIN | EPOLLRDHUP)

struct http_connection {
	struct http_connection *next, **at; /* list http_process.all */
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
	struct http_connection *all;
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

/* http_connections.c */

/* Accept a connection, unless its network has too many. False: none waits. */
bool http_accept(struct http_process *);
void http_drop(struct http_process *, struct http_connection *);
/* how: EPOLL_CTL_ADD or EPOLL_CTL_MOD. */
void http_watch(
    const struct http_process *, struct http_connection *, int how, uint32_t events);
/* Wake when there are more than that many bytes. */
void http_await_more(const struct http_connection *, int bytes);
/* Read the request's head, of which all has come. False: the connection is dropped. */
bool http_read_head(struct http_process *, struct http_connection *, char *to);

/* http_sending.c */

void http_answer(
    struct http_process *, struct http_connection *, const struct answer *);
/* h: NULL if the head is malformed or not read yet. */
void http_refuse(struct http_process *, struct http_connection *,
    const struct http_head *h, int status);
/* Send more of an answer. broken: no more can be sent than now. */
void http_send_more(struct http_process *, struct http_connection *, bool broken);
/* Send 100 (Continue) to a client that waits for it. */
void http_continue(const struct http_connection *, const struct http_head *);
/* Ignore what the client sends: closing with unread input would lose the answer. */
void http_linger(struct http_process *, struct http_connection *);

/* http_passing.c */

/* Pass the connection to the gateway, which reads the head itself. False: the gateway
   takes no connections now. */
bool http_pass(struct http_process *, struct http_connection *);
/* Run a program of its own for a request that may take long. */
void http_pass_to_child(
    struct http_process *, struct http_connection *, const struct http_head *);
/* Forget the children that have ended. */
void http_reap_children(struct http_process *);

/* http_requests.c */

/* Begin a request if its whole head has come. ended: the client sends no more. */
void http_find_request(struct http_process *, struct http_connection *, bool ended);
void http_read_body(struct http_process *, struct http_connection *);

#endif
