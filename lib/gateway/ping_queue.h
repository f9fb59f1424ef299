/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_PING_QUEUE_H
#define GATEWAY_PING_QUEUE_H

#include <stdint.h>

/*
 * Connections in the order in which they are looked at again, each every
 * PING_QUEUE_STEP_US.  A step costs the same however many there are: libwebsockets' own
 * timers are a sorted list, which is walked for each ping and for each answer.
 */
#define PING_QUEUE_STEP_US INT64_C(10000000)

struct ping_entry {
	struct ping_entry *prev, *next;
	int64_t due_us; /* monotonic */
	unsigned steps; /* since the last sign of life, which makes it 0 */
};

struct ping_queue {
	struct ping_entry *first; /* NULL: empty */
};

void ping_queue_add(struct ping_queue *, struct ping_entry *, int64_t now_us);
void ping_queue_remove(struct ping_queue *, struct ping_entry *);
/* The next that is due, one step further.  NULL: none is by now. */
struct ping_entry *ping_queue_next(struct ping_queue *, int64_t now_us);

#endif
