#ifndef AUDIO_OPUS_PACKETS_H
#define AUDIO_OPUS_PACKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Opus packets (RFC 6716) one after the other, each behind its length in 16 bits,
 * big-endian.  The encoder writes this form; events and sockets carry it unchanged.
 */
#define OPUS_PACKETS_MS 20 /* sound in each packet of ours */

struct opus_packets {
	const unsigned char *bytes; /* borrowed */
	size_t n;
};

struct opus_packet {
	const unsigned char *bytes;
	size_t n; /* above 0 */
};

/* Append a packet of at most 65,535 bytes. */
void opus_packets_put(struct buf *, const void *, size_t n);
/* Take the first packet; false: none is left, or the rest is damaged. */
bool opus_packets_next(struct opus_packets *, struct opus_packet *);
size_t opus_packets_count(struct opus_packets);

/*
 * Digital silence, of CELT alone.  A decoder that had SILK before resets its SILK part,
 * as opus_encoder_begin() does at the other end: the next phrase may follow.
 */
struct opus_packet opus_packets_silence(void);

#endif
