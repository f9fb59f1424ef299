/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of RTP packets, each after a byte with its length, which are decoded. For
 * any input, the output is never longer than the input plus its gaps, and a packet that
 * can be read is written again unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audio/opus_decoder.h"
#include "audio/pcm16.h"
#include "audio/rtp.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* Without extensions, sources and padding. */
static void
write_again(const struct rtp_packet *r)
{
	unsigned char to[RTP_MOST];
	struct rtp_packet again;
	size_t n = rtp_write(r, to, sizeof(to));

	if (n != r->n + 12 || !rtp_read(to, n, &again))
		abort();
	if (again.type != r->type || again.marker != r->marker || again.seq != r->seq ||
	    again.ts != r->ts || again.ssrc != r->ssrc || again.n != r->n ||
	    memcmp(again.p, r->p, r->n) != 0)
		abort();
}

/* Returns the number of bytes that the packet puts out. */
static size_t
take_all(struct jitter_buffer *l, int64_t now, struct arena *mem)
{
	struct opus_decoder *decoder = opus_decoder_new(mem);
	struct buf sound = { .mem = mem };
	const unsigned char *p;
	size_t n, all = 0;

	for (int i = 0; jitter_buffer_next(l, now, &p, &n); i++) {
		if (n <= OPUS_GAP_BYTES || n > OPUS_GAP_BYTES + RTP_MOST ||
		    i > JITTER_KEPT)
			abort();
		all += n;
		sound.len = 0;
		if (opus_decoder_received(decoder, p, n, &sound) != OK && sound.len > 0)
			abort();
		if (sound.len > (30 * HEARD_HZ + HEARD_HZ) * sizeof(int16_t))
			abort();
	}
	arena_reset(mem);
	if (l->waiting < 0 || l->waiting > JITTER_KEPT)
		abort();
	return all;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct jitter_buffer line;
	struct arena *mem = arena_new();
	struct rtp_packet r;
	size_t came = 0, left = 0;
	int64_t now = 0;

	line = (struct jitter_buffer){ 0 };
	while (n > 1) {
		size_t size = data[0] < n - 1 ? data[0] : n - 1;

		now += data[0] % 4 * INT64_C(20000);
		if (rtp_read(data + 1, size, &r)) {
			write_again(&r);
			came += r.n + OPUS_GAP_BYTES;
			jitter_buffer_put(&line, &r, now);
		}
		left += take_all(&line, now, mem);
		data += size + 1;
		n -= size + 1;
	}
	left += take_all(&line, now + JITTER_PATIENCE_US, mem);
	if (line.waiting != 0 || left > came)
		abort();
	arena_free(mem);
	return 0;
}
