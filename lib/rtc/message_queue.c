/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/message_queue.h"

void
message_queue_put(
    struct message_queue *q, const struct queued_message *m, int64_t now_us)
{
	struct arena *mem = arena_small(sizeof(*m) + m->n + 64);
	struct queued_message *copy = arena_alloc(mem, sizeof(*copy));

	*copy = *m;
	copy->next = NULL;
	copy->mem = mem;
	copy->p = arena_dup(mem, m->p, m->n);
	if (q->first == NULL) {
		q->first = copy;
		q->since_us = now_us;
	} else {
		q->last->next = copy;
	}
	q->last = copy;
	q->bytes += m->n;
}

void
message_queue_drop(struct message_queue *q, int64_t now_us)
{
	struct queued_message *m = q->first;

	q->first = m->next;
	q->bytes -= m->n;
	q->since_us = now_us;
	arena_free(m->mem);
}

void
message_queue_clear(struct message_queue *q)
{
	while (q->first != NULL)
		message_queue_drop(q, q->since_us);
}

bool
message_parts_put(struct message_parts *m, bool whole, const void **p, size_t *n)
{
	struct buf *b = &m->b;

	if (whole && b->mem == NULL)
		return true;
	if (b->mem == NULL)
		b->mem = arena_small(2 * MESSAGE_MOST);
	if (b->len <= MESSAGE_MOST && b->len + *n <= MESSAGE_MOST)
		buf_put(b, *p, *n);
	else
		b->len = MESSAGE_MOST + 1;
	*p = b->p;
	*n = b->len;
	return whole;
}

void
message_parts_clear(struct message_parts *m)
{
	arena_free(m->b.mem);
	m->b = (struct buf){ 0 };
}
