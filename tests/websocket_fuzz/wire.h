/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_WIRE_H
#define TESTS_WEBSOCKET_FUZZ_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "dice.h"

/*
 * A TCP connection on which anything may be said, and a listener who knows what a
 * gateway may answer.
 */
struct wire;

/* Connect to "HOST:PORT", HOST a number. NULL: no server is there. */
struct wire *wire_open(struct arena *, const char *address);
/* False: the other side takes no more, or nothing for three seconds. */
bool wire_send(struct wire *, const void *, size_t n);
/* Cut anywhere, with short waits between the pieces. */
bool wire_send_cut(struct wire *, struct dice *, const void *, size_t n);

/*
 * The head of the answer; its status, 0: none came in time.  What stands behind the
 * head of a 101 is for wire_hear().
 */
int wire_status(struct wire *, double s);
/* Until the other side ends it, at most s seconds; the body of an answer. */
const char *wire_rest(struct wire *, double s);

/* The bytes received so far. */
struct heard {
	size_t texts, pongs;
	const char *text, *pong; /* the last ones */
	size_t pong_bytes;
	int code;          /* of the closing frame; 1005: it has none; 0: none came */
	bool ended;        /* the connection has */
	const char *wrong; /* the first thing that no gateway may send, or NULL */
	/*
	 * What libwebsockets 4.1 does, and RFC 6455 forbids: a closing frame of one
	 * byte is answered with the same, and what was waiting to be sent when it
	 * closed for a broken frame may still follow.
	 */
	bool quirk;
};

enum { HEAR_TEXT = 1, HEAR_PONG = 2 };

/*
 * Listen for so long, or until the connection ends or one of these comes.  It stays
 * in the arena of the connection.
 */
const struct heard *wire_hear(struct wire *, double s, int until);

/* Half of it, or all; broken off: what is under way is lost, the other side is told. */
void wire_shut(struct wire *);
void wire_close(struct wire *);
void wire_break(struct wire *);

/* A frame as it should not be. */
struct frame {
	unsigned head; /* its first byte */
	unsigned form; /* bits of its length, 7, 16 or 64; 0: as few as will do */
	bool bare;     /* without a mask */
	uint64_t says; /* its length, when it is another than n */
	const void *p;
	size_t n;
};

void frame_put(struct buf *, struct dice *, const struct frame *);

#endif
