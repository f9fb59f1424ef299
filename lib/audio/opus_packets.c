#include "audio/opus_packets.h"

#define LENGTH 2 /* bytes before each packet */

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
