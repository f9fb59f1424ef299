/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_PING_QUEUE_H
#define GATEWAY_PING_QUEUE_H

#include <stdint.h>

/*
 * Connections in the order in which they are checked, each every PING_QUEUE_STEP_US.
 * The cost of a step does not depend on their number. The timers of libwebsockets are a
 * sorted list instead, which is walked for each ping and each answer.
 */
#define PING_QUEUE_STEP_US INT64_C(10000000)

struct ping_entry {
	struct ping_entry *prev, *next;
	int64_t due_us; /* monotonic */
	unsigned steps; /* steps since the last sign of life, which resets it to 0 */
};

struct ping_queue {
	struct ping_entry *first; /* NULL: empty */
};

void ping_queue_add(struct ping_queue *, struct ping_entry *, int64_t now_us);
void ping_queue_remove(struct ping_queue *, struct ping_entry *);
/* Return the next due connection and schedule its next check. NULL: none is due. */
struct ping_entry *ping_queue_next(struct ping_queue *, int64_t now_us);
/* INT64_MAX: the queue is empty. */
int64_t ping_queue_due_us(const struct ping_queue *);

#endif
