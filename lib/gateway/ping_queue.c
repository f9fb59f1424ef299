/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/ping_queue.h"

#include <stddef.h>
#include <utlist.h>

void
ping_queue_add(struct ping_queue *q, struct ping_entry *e, int64_t now_us)
{
	*e = (struct ping_entry){ .due_us = now_us + PING_QUEUE_STEP_US };
	DL_APPEND(q->first, e);
}

void
ping_queue_remove(struct ping_queue *q, struct ping_entry *e)
{
	DL_DELETE(q->first, e);
}

int64_t
ping_queue_due_us(const struct ping_queue *q)
{
	return q->first != NULL ? q->first->due_us : INT64_MAX;
}

struct ping_entry *
ping_queue_next(struct ping_queue *q, int64_t now_us)
{
	struct ping_entry *e = q->first;

	if (e == NULL || e->due_us > now_us)
		return NULL;
	DL_DELETE(q->first, e);
	e->due_us = now_us + PING_QUEUE_STEP_US;
	e->steps++;
	DL_APPEND(q->first, e);
	return e;
}
