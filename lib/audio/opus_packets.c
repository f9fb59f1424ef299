/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/opus_packets.h"

#include <opus/opus.h>

#define LENGTH 2 /* length field before each packet, in bytes */

void
opus_packets_put(struct buf *to, const void *packet, size_t n)
{
	const unsigned char length[LENGTH] = { (unsigned char)(n >> 8),
		(unsigned char)n };

	buf_put(to, length, LENGTH);
	buf_put(to, packet, n);
}

bool
opus_packets_next(struct opus_packets *from, struct opus_packet *to)
{
	size_t n;

	if (from->n <= LENGTH)
		return false;
	n = (size_t)from->bytes[0] << 8 | from->bytes[1];
	if (n == 0 || n > from->n - LENGTH)
		return false;
	*to = (struct opus_packet){ from->bytes + LENGTH, n };
	from->bytes += LENGTH + n;
	from->n -= LENGTH + n;
	return true;
}

size_t
opus_packets_count(struct opus_packets packets)
{
	struct opus_packet packet;
	size_t n = 0;

	while (opus_packets_next(&packets, &packet))
		n++;
	return n;
}

struct opus_packet
opus_packets_silence(void)
{
	static const unsigned char bytes[] = { 0xf8, 0xff, 0xfe };

	return (struct opus_packet){ bytes, sizeof(bytes) };
}

/* ---- received packets ---- */

#define FRAMES_MOST 48                /* frames in a packet at most, RFC 6716, 3.2.5 */
#define PACKET_MOST 5760              /* 120 ms */
#define CELT_ALONE 0x80               /* bit of the first byte: CELT without SILK */
#define STEREO 0x04                   /* bit of the first byte: two channels */
#define SILK_FRAME (OPUS_GAP_HZ / 50) /* longer frames have several parts of SILK */

void
opus_gap_write(const struct opus_gap *gap, unsigned char to[OPUS_GAP_BYTES])
{
	to[0] = (unsigned char)(gap->lost >> 8);
	to[1] = (unsigned char)gap->lost;
	for (int i = 0; i < 4; i++)
		to[2 + i] = (unsigned char)(gap->missing >> (24 - 8 * i));
}

struct opus_gap
opus_gap_read(const unsigned char p[OPUS_GAP_BYTES])
{
	return (struct opus_gap){ .lost = (unsigned)p[0] << 8 | p[1],
		.missing = (uint32_t)p[2] << 24 | (uint32_t)p[3] << 16 |
			   (uint32_t)p[4] << 8 | p[5] };
}

uint32_t
opus_gap_duration(const unsigned char *p, size_t n)
{
	int got =
	    n > INT32_MAX ? -1 : opus_packet_get_nb_samples(p, (int32_t)n, OPUS_GAP_HZ);

	return got > 0 && got <= PACKET_MOST ? (uint32_t)got : 0;
}

/* The first bits of SILK are not compressed: a VAD flag for each part, then the LBRR
   flag. */
bool
opus_gap_has_copy(const unsigned char *p, size_t n)
{
	const unsigned char *frames[FRAMES_MOST];
	int16_t sizes[FRAMES_MOST];
	int parts, flags;

	if (n == 0 || n > INT32_MAX || (p[0] & CELT_ALONE) != 0 ||
	    opus_packet_parse(p, (int32_t)n, NULL, frames, sizes, NULL) <= 0 ||
	    sizes[0] == 0)
		return false;
	parts = opus_packet_get_samples_per_frame(p, OPUS_GAP_HZ) / SILK_FRAME;
	parts = parts > 1 ? parts : 1;
	flags = frames[0][0];
	return (flags >> (7 - parts) & 1) != 0 ||
	       ((p[0] & STEREO) != 0 && (flags >> (6 - 2 * parts) & 1) != 0);
}
