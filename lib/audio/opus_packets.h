/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_OPUS_PACKETS_H
#define AUDIO_OPUS_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * A sequence of Opus packets (RFC 6716). Each follows its length in 16 bits,
 * big-endian. The encoder writes this form; events and sockets carry it unchanged.
 */
#define OPUS_PACKETS_MS 20 /* sound in each packet that the encoder makes */

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
 * A packet of digital silence that uses CELT only. A decoder that decoded SILK before
 * resets its SILK part, as opus_encoder_begin() does in the encoder. So the next phrase
 * can follow.
 */
struct opus_packet opus_packets_silence(void);

/*
 * A received Opus packet, and the number of packets lost before it. The jitter buffer
 * writes this form and the decoder of a task reads it; the code between them passes it
 * on as bytes:
 *
 *	lost     2 bytes  packets lost
 *	missing  4 bytes  time between the previous sound and this packet, 1 / 48000 s
 *	packet            RFC 6716
 *
 * Big-endian.  Time without lost packets is silence that was not sent (DTX).
 */
#define OPUS_GAP_BYTES 6
#define OPUS_GAP_HZ 48000

struct opus_gap {
	unsigned lost;    /* up to 65,535 */
	uint32_t missing; /* units of 1 / OPUS_GAP_HZ */
};

/* Counts how lost packets were replaced, in frames. */
struct opus_losses {
	uint64_t lost; /* packets */
	/* recovered by the error correction data in the next packet */
	uint64_t recovered;
	uint64_t concealed; /* concealed by the decoder; the others became silence */
};

void opus_gap_write(const struct opus_gap *, unsigned char to[OPUS_GAP_BYTES]);
struct opus_gap opus_gap_read(const unsigned char[OPUS_GAP_BYTES]);

/* Duration of a packet in 1 / OPUS_GAP_HZ s; 0: not a packet of at most 120 ms. */
uint32_t opus_gap_duration(const unsigned char *, size_t n);
/*
 * True if the packet contains a copy of the previous frame at lower quality (LBRR
 * flags, RFC 6716, 4.2.4).
 */
bool opus_gap_has_copy(const unsigned char *, size_t n);

#endif
