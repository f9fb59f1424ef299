/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STREAM_FILES_H
#define TESTS_UNIT_STREAM_FILES_H

#include <ogg/ogg.h>
#include <opus/opus.h>

#include "base/buf.h"
#include "tests/unit/stream_sounds.h"

/* WAV and Ogg Opus streams for tests. */

static inline void
put_le(struct buf *b, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)(v >> 8 * i);

		buf_put(b, &c, 1);
	}
}

struct wav_head {
	uint32_t form, channels, rate_hz, bits, align, data;
};

static inline struct buf
wav_head(struct wav_head h)
{
	struct buf b = { .mem = mem };

	buf_str(&b, "RIFF");
	put_le(&b, 36 + h.data, 4);
	buf_str(&b, "WAVEfmt ");
	put_le(&b, 16, 4);
	put_le(&b, h.form, 2);
	put_le(&b, h.channels, 2);
	put_le(&b, h.rate_hz, 4);
	put_le(&b, h.rate_hz * h.align, 4);
	put_le(&b, h.align, 2);
	put_le(&b, h.bits, 2);
	buf_str(&b, "data");
	put_le(&b, h.data, 4);
	return b;
}

static inline struct buf
wav_file(struct pcm16 p, int rate_hz, int channels)
{
	uint32_t bytes = (uint32_t)(p.n * sizeof(*p.s));
	struct buf b = wav_head((struct wav_head){ 1, (uint32_t)channels,
	    (uint32_t)rate_hz, 16, 2 * (uint32_t)channels, bytes });

	buf_put(&b, p.s, bytes);
	return b;
}

struct packet {
	unsigned char p[4000];
	int n;
};

/* Encodes packets of 20 ms; *n is their number. */
static inline struct packet *
opus_packets(struct pcm16 p, int channels, size_t *n)
{
	OpusEncoder *e = arena_alloc(mem, (size_t)opus_encoder_get_size(channels));
	size_t frame = 960 * (size_t)channels;
	struct packet *to;

	*n = p.n / frame;
	to = arena_alloc(mem, *n * sizeof(*to) + 1);
	opus_encoder_init(e, 48000, channels, OPUS_APPLICATION_VOIP);
	for (size_t i = 0; i < *n; i++)
		to[i].n =
		    opus_encode(e, p.s + i * frame, 960, to[i].p, sizeof(to[i].p));
	return to;
}

static inline void
put_pages(struct buf *b, ogg_stream_state *s, bool flush)
{
	ogg_page page;

	while (flush ? ogg_stream_flush(s, &page) : ogg_stream_pageout(s, &page)) {
		buf_put(b, page.header, (size_t)page.header_len);
		buf_put(b, page.body, (size_t)page.body_len);
	}
}

static inline void
put_packet(ogg_stream_state *s, const void *p, size_t n, int number, bool last)
{
	ogg_packet packet = { .packet = (unsigned char *)arena_dup(mem, p, n),
		.bytes = (long)n,
		.b_o_s = number == 0,
		.e_o_s = last,
		.granulepos = number < 2 ? 0 : 960L * (number - 1),
		.packetno = number };

	ogg_stream_packetin(s, &packet);
}

#define OPUS_HEAD "OpusHead\1\1\x38\1\x80\xbb\0\0\0\0\0" /* pre-skip 312 */
#define OPUS_TAGS "OpusTags\4\0\0\0test\0\0\0\0"

static inline struct buf
ogg_file(const struct packet *p, size_t n, int serial)
{
	struct buf b = { .mem = mem };
	ogg_stream_state s;

	ogg_stream_init(&s, serial);
	put_packet(&s, OPUS_HEAD, sizeof(OPUS_HEAD) - 1, 0, false);
	put_pages(&b, &s, true);
	put_packet(&s, OPUS_TAGS, sizeof(OPUS_TAGS) - 1, 1, false);
	put_pages(&b, &s, true);
	for (size_t i = 0; i < n; i++) {
		put_packet(&s, p[i].p, (size_t)p[i].n, (int)i + 2, i + 1 == n);
		put_pages(&b, &s, i % 10 == 9 || i + 1 == n);
	}
	ogg_stream_clear(&s);
	return b;
}

#endif
