/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/opus_muxer.h"

#include <ogg/ogg.h>
#include <stdlib.h>
#include <string.h>

#include "audio/pcm16.h"
#include "base/hash.h"

#define GRANULE_HZ 48000 /* rate of granule positions, for any rate of the sound */
#define SKIP 312         /* delay of the encoder in samples at GRANULE_HZ */
#define HEAD_PAGES 2
#define PACKET_MOST 1275 /* longest frame in bytes, RFC 6716, 3.4 */
#define VENDOR "dragoman"

struct opus_muxer {
	ogg_stream_state stream;
	int64_t samples; /* samples at GRANULE_HZ of all packets so far */
	int64_t packets;
};

static void
clear(void *stream)
{
	ogg_stream_clear(stream);
}

struct opus_muxer *
opus_muxer_new(struct arena *mem)
{
	struct opus_muxer *m = arena_alloc(mem, sizeof(*m));
	int serial;

	random_bytes(&serial, sizeof(serial));
	if (ogg_stream_init(&m->stream, serial) != 0)
		abort();
	arena_defer(mem, clear, &m->stream);
	/* each receiver gets the earlier pages from opus_muxer_head() */
	m->stream.b_o_s = 1;
	m->stream.pageno = HEAD_PAGES;
	m->packets = HEAD_PAGES;
	return m;
}

static void
put_le32(unsigned char *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(v >> (8 * i));
}

static void
write_pages(ogg_stream_state *stream, struct buf *to)
{
	ogg_page page;

	while (ogg_stream_flush(stream, &page) != 0) {
		buf_put(to, page.header, (size_t)page.header_len);
		buf_put(to, page.body, (size_t)page.body_len);
	}
}

static void
put_packet(ogg_stream_state *stream, const void *bytes, size_t n, int64_t number,
    int64_t granule)
{
	unsigned char copy[PACKET_MOST]; /* libogg's struct is not const */
	ogg_packet packet = { .packet = copy,
		.bytes = (long)n,
		.b_o_s = number == 0,
		.granulepos = granule,
		.packetno = number };

	if (n > sizeof(copy))
		abort();
	memcpy(copy, bytes, n);
	if (ogg_stream_packetin(stream, &packet) != 0)
		abort();
}

void
opus_muxer_head(const struct opus_muxer *m, struct buf *to)
{
	unsigned char head[19] = "OpusHead", tags[8 + 4 + sizeof(VENDOR) - 1 + 4];
	ogg_stream_state stream;

	head[8] = 1; /* version */
	head[9] = 1; /* channels */
	head[10] = (unsigned char)(SKIP & 255);
	head[11] = (unsigned char)(SKIP >> 8);
	put_le32(head + 12, SPOKEN_HZ);
	memset(head + 16, 0, 3); /* gain; mapping of channels */
	memcpy(tags, "OpusTags", 8);
	put_le32(tags + 8, sizeof(VENDOR) - 1);
	memcpy(tags + 12, VENDOR, sizeof(VENDOR) - 1);
	put_le32(tags + 12 + sizeof(VENDOR) - 1, 0);
	if (ogg_stream_init(&stream, (int)m->stream.serialno) != 0)
		abort();
	put_packet(&stream, head, sizeof(head), 0, 0);
	write_pages(&stream, to);
	put_packet(&stream, tags, sizeof(tags), 1, 0);
	write_pages(&stream, to);
	ogg_stream_clear(&stream);
}

void
opus_muxer_put(struct opus_muxer *m, const struct opus_packet *packet)
{
	m->samples += GRANULE_HZ / 1000 * OPUS_PACKETS_MS;
	put_packet(&m->stream, packet->bytes, packet->n, m->packets++, m->samples);
}

void
opus_muxer_page(struct opus_muxer *m, struct buf *to)
{
	write_pages(&m->stream, to);
}
