/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WS_H
#define TESTS_WS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * A client for RFC 6455 over TCP without TLS, for tests: it sends frames exactly as
 * given, every wait has a limit, and it detects a server that breaks the rules.  By
 * default it offers no extension and no subprotocol.
 */
struct ws;

enum ws_kind {
	WS_MORE,
	WS_TEXT,
	WS_BINARY,
	WS_CLOSE = 8,
	WS_PING,
	WS_PONG,
	WS_SILENCE, /* nothing came in time */
	WS_LOST,    /* the connection ended without a closing frame */
	WS_WRONG,   /* the server broke the protocol */
};

struct ws_message {
	enum ws_kind kind;
	const char *p; /* followed by a NUL; of CLOSE the reason */
	size_t n;
	int code; /* code of CLOSE; 1005: it had none */
};

/*
 * Connect to ws://HOST:PORT/PATH; headers are lines like "Name: value", to NULL, or
 * NULL.  *answer is all that came until the frames began, or the connection ended.
 * NULL: that was no 101, or a wrong one.
 */
struct ws *ws_open(struct arena *, const char *url, const char *const *headers,
    double s, const char **answer);

/*
 * As ws_open(), without waiting: connects from an address of this host, such as
 * 127.0.0.2, or from any (NULL), and sends the request; NULL: not connected. Returns
 * WS_SILENCE until the answer is complete, WS_MORE if it is a WebSocket, else WS_WRONG.
 */
struct ws *ws_call(
    struct arena *, const char *from, const char *url, const char *const *headers);
enum ws_kind ws_answered(struct ws *, struct arena *, const char **answer);

/* Sends one message in one frame. False: the connection is broken. */
bool ws_send(struct ws *, enum ws_kind, const void *, size_t n);
/* Sends one frame, which ends its message or not. */
bool ws_send_piece(struct ws *, enum ws_kind, bool last, const void *, size_t n);

/*
 * Returns a message as ws_send() would write it, to be written many times; n is its
 * length.
 */
const void *ws_frame(struct arena *, enum ws_kind, const void *, size_t *n);
bool ws_send_frame(struct ws *, const void *frame, size_t n);

/*
 * Receives the next message, into the arena. The function answers pings and the closing
 * frame; pings are not returned.
 */
struct ws_message ws_next(struct ws *, struct arena *, double s);

/* descriptor, to wait for several connections at once */
int ws_fd(const struct ws *);
int ws_pings(const struct ws *); /* bytes received so far */
void ws_drop(struct ws *);       /* close without a closing frame */

#endif
