/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ogg Opus streams. The lowest bit of the first byte selects the form of the rest:
 * pages, whose checksums are corrected, or packets (a length and the bytes), which are
 * put into pages here so that the decoder reads all of them. The second byte selects
 * the sizes of the pieces in which the stream arrives, which must not change the
 * result. The second decoding, for listeners, must have the same length.
 */
#include <ogg/ogg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audio/opus_decoder.h"
#include "audio/pcm16.h"
#include "base/arena.h"
#include "base/buf.h"
#include "tests/fuzz/ogg.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define MOST (60 * HEARD_HZ * sizeof(int16_t))
#define PACKETS 64

/* ---- the stream ---- */

static void
flush(ogg_stream_state *s, struct buf *to)
{
	ogg_page page;

	while (ogg_stream_flush(s, &page) != 0) {
		buf_put(to, page.header, (size_t)page.header_len);
		buf_put(to, page.body, (size_t)page.body_len);
	}
}

static void
add(ogg_stream_state *s, const void *p, size_t n, int64_t at)
{
	ogg_packet packet = { .packet = (unsigned char *)(uintptr_t)p,
		.bytes = (long)n,
		.b_o_s = at == 0,
		.packetno = at };

	ogg_stream_packetin(s, &packet);
}

/*
 * The first four bytes are pre-skip and gain; the bits of `how` set the rest of the
 * header.
 */
static void
put_packets(struct buf *to, const uint8_t *p, size_t n, unsigned how)
{
	unsigned char head[] = "OpusHead\1\1ssHHHHgg";
	ogg_stream_state s;
	int64_t at = 0;

	if (n < 4 || ogg_stream_init(&s, 7) != 0)
		return;
	head[9] = how & 2 ? 2 : 1;
	memcpy(head + 10, p, 2);
	memcpy(head + 16, p + 2, 2);
	add(&s, head, sizeof(head), at++);
	flush(&s, to);
	add(&s, "OpusTags\0\0\0\0\0\0\0\0", 16, at++);
	flush(&s, to);
	p += 4;
	n -= 4;
	for (size_t take; n > 0 && at < PACKETS; p += take, n -= take) {
		take = (size_t)*p + 1 < n ? (size_t)*p + 1 : n;
		add(&s, p + 1, take - 1, at++);
		if (how & 4)
			flush(&s, to);
	}
	flush(&s, to);
	ogg_stream_clear(&s);
}

/* ---- the decoded sound ---- */

struct heard {
	struct buf sound, fine;
	bool whole; /* all input was accepted and no limit was reached */
};

static struct heard
hear(struct arena *mem, const struct buf *stream, size_t piece)
{
	struct opus_decoder *o = opus_decoder_new(mem);
	struct heard h = { .sound.mem = mem, .fine.mem = mem, .whole = true };

	opus_decoder_fine(o, &h.fine);
	for (size_t i = 0, now; i < stream->len && h.whole; i += now) {
		now = stream->len - i < piece ? stream->len - i : piece;
		h.whole =
		    opus_decoder_stream(o, stream->p + i, now, &h.sound, MOST) == OK;
	}
	opus_decoder_fine(o, NULL);
	opus_decoder_restart(o);
	return h;
}

/* Left-out packets may cost a sample each by rounding. */
static void
check_fine(const struct heard *h, size_t most_packets)
{
	size_t heard = h->sound.len / sizeof(int16_t) * SPOKEN_HZ / HEARD_HZ;
	size_t fine = h->fine.len / sizeof(int16_t);

	if (fine > heard + most_packets || heard > fine + most_packets)
		abort();
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->p, b->p, a->len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf stream;
	struct heard a, b;

	if (size < 3)
		return 0;
	stream = (struct buf){ .mem = arena_new() };
	if (data[0] & 1) {
		buf_put(&stream, data + 2, size - 2);
		mend_pages((unsigned char *)stream.p, stream.len);
	} else
		put_packets(&stream, data + 2, size - 2, data[0]);
	a = hear(stream.mem, &stream, stream.len + 1);
	b = hear(stream.mem, &stream, data[1] + 1u);
	if (a.whole && b.whole &&
	    (!same(&a.sound, &b.sound) || !same(&a.fine, &b.fine)))
		abort();
	check_fine(&a, size);
	check_fine(&b, size);
	arena_free(stream.mem);
	return 0;
}
