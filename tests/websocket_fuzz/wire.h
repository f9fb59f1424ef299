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
 * A TCP connection on which anything can be sent. It checks that the gateway's answers
 * are allowed.
 */
struct wire;

/* Connects to "HOST:PORT", HOST a number. NULL: no server listens there. */
struct wire *wire_open(struct arena *, const char *address);
/* False: the other side closed, or accepted nothing for three seconds. */
bool wire_send(struct wire *, const void *, size_t n);
/* Sends the bytes in random pieces, with short waits in between. */
bool wire_send_cut(struct wire *, struct dice *, const void *, size_t n);

/*
 * Reads the head of the answer; returns its status, 0: none came in time. Bytes after
 * the head of a 101 are left for wire_hear().
 */
int wire_status(struct wire *, double s);
/*
 * Reads until the other side closes, at most s seconds; returns the body of an answer.
 */
const char *wire_rest(struct wire *, double s);

/* The bytes received so far. */
struct heard {
	size_t texts, pongs;
	const char *text, *pong; /* the last bytes */
	size_t pong_bytes;
	/* code of the closing frame; 1005: it has none; 0: none came */
	int code;
	bool ended; /* the connection has ended */
	/* the first forbidden thing that the gateway sent, or NULL */
	const char *wrong;
	/*
	 * libwebsockets 4.1 does two things that RFC 6455 forbids: it answers a closing
	 * frame of one byte with the same frame, and it may still send queued frames
	 * after it closed because of a broken frame.
	 */
	bool quirk;
};

enum { HEAR_TEXT = 1, HEAR_PONG = 2 };

/*
 * Receives for this long, or until the connection ends or one of these messages comes.
 * The text is in the arena of the connection.
 */
const struct heard *wire_hear(struct wire *, double s, int until);

/*
 * Closes one direction or both. broken off: pending data is lost, and the other side
 * gets a reset.
 */
void wire_shut(struct wire *);
void wire_close(struct wire *);
void wire_break(struct wire *);

/* A frame with any header. */
struct frame {
	unsigned head; /* its first byte */
	/* size of its length field, 7, 16 or 64 bits; 0: the smallest possible */
	unsigned form;
	bool bare;     /* without a mask */
	uint64_t says; /* the announced length, if not n */
	const void *p;
	size_t n;
};

void frame_put(struct buf *, struct dice *, const struct frame *);

#endif
