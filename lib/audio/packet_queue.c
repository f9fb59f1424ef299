/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/packet_queue.h"

#define QUIET 3 /* packets of silence after a segment */

void
packet_queue_put(struct packet_queue *q, struct queued_packets *p)
{
	q->waiting += opus_packets_count(p->packets);
	q->quiet = p->last ? QUIET : 0;
	p->next = NULL;
	if (q->first == NULL)
		q->first = p;
	else
		q->end->next = p;
	q->end = p;
}

void
packet_queue_free(struct packet_queue *q)
{
	struct queued_packets *p;

	while ((p = q->first) != NULL) {
		q->first = p->next;
		arena_free(p->mem);
	}
	q->waiting = 0;
}

void
packet_queue_end(struct packet_queue *q)
{
	if (q->waiting > 0)
		q->quiet = QUIET;
}

void
packet_queue_flush(struct packet_queue *q)
{
	packet_queue_end(q);
	packet_queue_free(q);
}

bool
packet_queue_has_sound(const struct packet_queue *q)
{
	return q->waiting > 0 || q->quiet > 0;
}

/*
 * Return the first list of packets that has packets left, and free the earlier lists.
 */
static struct queued_packets *
first_waiting(struct packet_queue *q)
{
	struct queued_packets *p;

	while ((p = q->first) != NULL && p->packets.n == 0) {
		q->first = p->next;
		arena_free(p->mem);
	}
	return p;
}

bool
packet_queue_due(struct packet_queue *q, struct opus_packet *packet)
{
	struct queued_packets *p = first_waiting(q);

	if (p != NULL && opus_packets_next(&p->packets, packet)) {
		q->waiting--;
		return true;
	}
	if (q->quiet == 0)
		return false;
	q->quiet--;
	*packet = opus_packets_silence();
	return true;
}
