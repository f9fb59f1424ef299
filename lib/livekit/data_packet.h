/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LIVEKIT_DATA_PACKET_H
#define LIVEKIT_DATA_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* LiveKit's DataPacket: one message on a data channel. */
#define DATA_PACKET_BYTES (64 << 10) /* largest one read */

struct data_packet {
	const void *payload; /* borrowed */
	size_t n;
	uint32_t sequence; /* 0: none */
};

/* Read a user packet that has no topic.  False: it is another packet, has a topic, is
   malformed, or too large. */
bool data_packet_read(const void *, size_t n, struct data_packet *) MUST_CHECK;
/* A reliable user packet of this participant. */
void data_packet_write(
    struct buf *, const char *sid, const char *identity, const void *payload, size_t n);

#endif
