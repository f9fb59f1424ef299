/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_PACKET_QUEUE_H
#define AUDIO_PACKET_QUEUE_H

#include "audio/opus_packets.h"

/*
 * The packets of one track, queued until they are due: one each 20 ms.  After the last
 * packet of a segment silence is due, unless another segment follows: receivers conceal
 * missing packets by repeating the last sound.  Zero-initialise.
 */
struct queued_packets {
	struct queued_packets *next;
	struct arena *mem; /* freed when its packets were sent */
	struct opus_packets packets;
	bool last; /* true at the end of a segment */
};

struct packet_queue {
	struct queued_packets *first, *end;
	size_t waiting; /* packets in the queue */
	int quiet;      /* packets of silence after them */
};

/* Append packets, which the queue then owns. */
void packet_queue_put(struct packet_queue *, struct queued_packets *);
/* No more packets follow: let silence follow the queued ones. */
void packet_queue_end(struct packet_queue *);
/* Discard the queue; silence follows the packets that were sent. */
void packet_queue_flush(struct packet_queue *);
bool packet_queue_has_sound(const struct packet_queue *);
/* Take the packet that is due, borrowed until the next call.  False: none. */
bool packet_queue_due(struct packet_queue *, struct opus_packet *);
/* Discard everything. */
void packet_queue_free(struct packet_queue *);

#endif
