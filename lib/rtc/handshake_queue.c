/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/handshake_queue.h"

#include <string.h>

#include "rtc/peer.h"

#define EACH_MOST 8   /* datagrams of a peer: two flights */
#define ALL_MOST 8192 /* datagrams of all: 12 MiB */

struct handshake_datagram {
	STAILQ_ENTRY(handshake_datagram) list;
	struct arena *mem;
	struct transport_path from;
	size_t n;
	unsigned char bytes[];
};

void
handshake_queue_start(struct handshake_queue *q)
{
	TAILQ_INIT(&q->begun);
	TAILQ_INIT(&q->fresh);
}

bool
handshake_queue_is_empty(const struct handshake_queue *q)
{
	return q->n == 0;
}

static void
enter(struct handshake_queue *q, struct rtc_peer *p)
{
	p->handshake.late = p->dtls != NULL;
	if (p->handshake.late)
		TAILQ_INSERT_TAIL(&q->begun, p, handshake.list);
	else
		TAILQ_INSERT_TAIL(&q->fresh, p, handshake.list);
}

static void
leave(struct handshake_queue *q, struct rtc_peer *p)
{
	if (p->handshake.late)
		TAILQ_REMOVE(&q->begun, p, handshake.list);
	else
		TAILQ_REMOVE(&q->fresh, p, handshake.list);
}

void
handshake_queue_put(struct handshake_queue *q, struct rtc_peer *p,
    const struct transport_path *from, const unsigned char *bytes, size_t n)
{
	struct handshake *h = &p->handshake;
	struct handshake_datagram *d;
	struct arena *mem;

	if (h->n == EACH_MOST || q->n == ALL_MOST)
		return;
	mem = arena_small(sizeof(*d) + n);
	d = arena_alloc(mem, sizeof(*d) + n);
	d->mem = mem;
	d->from = *from;
	d->n = n;
	memcpy(d->bytes, bytes, n);
	if (h->n == 0) {
		STAILQ_INIT(&h->datagrams);
		enter(q, p);
	}
	STAILQ_INSERT_TAIL(&h->datagrams, d, list);
	h->n++;
	q->n++;
}

static struct handshake_datagram *
take_first(struct handshake_queue *q, struct rtc_peer *p)
{
	struct handshake_datagram *d = STAILQ_FIRST(&p->handshake.datagrams);

	STAILQ_REMOVE_HEAD(&p->handshake.datagrams, list);
	p->handshake.n--;
	q->n--;
	return d;
}

void
handshake_queue_run(struct handshake_queue *q, handshake_handler *handle)
{
	struct rtc_peer *p = TAILQ_FIRST(&q->begun);
	struct handshake_datagram *d;

	if (p == NULL && (p = TAILQ_FIRST(&q->fresh)) == NULL)
		return;
	leave(q, p);
	d = take_first(q, p);
	if (p->handshake.n > 0)
		enter(q, p); /* at the end of its list */
	handle(p, &d->from, d->bytes, d->n);
	arena_free(d->mem);
}

void
handshake_queue_forget(struct handshake_queue *q, struct rtc_peer *p)
{
	if (p->handshake.n > 0)
		leave(q, p);
	while (p->handshake.n > 0)
		arena_free(take_first(q, p)->mem);
}
