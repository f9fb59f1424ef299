/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_MESSAGE_QUEUE_H
#define RTC_MESSAGE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* Nouns: message. */

/* Messages of data channels that wait until SCTP accepts them.  Zero-initialise. */
struct queued_message {
	struct queued_message *next;
	struct arena *mem;
	uint16_t stream;
	uint32_t ppid; /* payload protocol identifier: RFC 8831, 8 */
	bool lossy;    /* unordered, never repeated */
	size_t n;
	const void *p;
};

struct message_queue {
	struct queued_message *first, *last;
	size_t bytes;
	int64_t since_us; /* last progress */
};

void message_queue_put(
    struct message_queue *, const struct queued_message *, int64_t now_us); /* a copy */
void message_queue_drop(struct message_queue *, int64_t now_us); /* the first */
void message_queue_clear(struct message_queue *);

/* A message that comes in parts.  Zero-initialise. */
#define MESSAGE_MOST (256U << 10)
struct message_parts {
	struct buf b; /* mem NULL: no message has begun */
};
/*
 * Add a part; whole: it is the last one. True: *p and *n are the message, until
 * message_parts_clear(). If the message is larger than MESSAGE_MOST, so is *n, and *p
 * is incomplete.
 */
bool message_parts_put(
    struct message_parts *, bool whole, const void **p, size_t *n) MUST_CHECK;
void message_parts_clear(struct message_parts *);

#endif
