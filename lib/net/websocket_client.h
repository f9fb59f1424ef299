/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_WEBSOCKET_CLIENT_H
#define NET_WEBSOCKET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * WebSockets to the operator's servers, by libwebsockets. One thread of the process
 * serves all of them. TLS certificates are verified. Messages sent before the
 * connection is established are queued. The connection ends if more than
 * WEBSOCKET_CLIENT_QUEUE bytes are queued, or if the server sends a message longer than
 * WEBSOCKET_CLIENT_MESSAGE.
 *
 *	open ─▶ send ... ─▶ close
 *	 └▶ message() ... ended()
 */
#define WEBSOCKET_CLIENT_QUEUE (8 << 20)
#define WEBSOCKET_CLIENT_MESSAGE (1 << 20)

struct websocket_client;

enum websocket_client_end {
	WEBSOCKET_CLIENT_BROKEN,  /* it broke, or was never established; logged */
	WEBSOCKET_CLIENT_REFUSED, /* permanently, for example by 401 for a wrong key;
				     logged */
	WEBSOCKET_CLIENT_CLOSED   /* the server closed it normally */
};

/* The call, which is copied with its texts. */
struct websocket_client_call {
	const char *url; /* ws://HOST:PORT/PATH?QUERY, or wss:// */
	/* Name, with a colon, and value of one header, or NULL. */
	const char *header, *value;
	/* Called on the thread of all connections, never after
	   websocket_client_close(): for a message, ended by a NUL; and last, once,
	   when the connection has ended or could not be established. */
	void (*message)(void *arg, const char *, size_t n);
	void (*ended)(void *arg, enum websocket_client_end);
	void *arg;
};

/* NULL, and logged: the URL is invalid, or there is no thread. */
struct websocket_client *websocket_client_open(const struct websocket_client_call *);
/* Send a message, text or bytes, which is copied. From any thread. */
void websocket_client_send(
    struct websocket_client *, bool text, const void *, size_t n);
/* NULL is allowed. Do not call it from message() or ended(). */
void websocket_client_close(struct websocket_client *);

#endif
