/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of data channels: a message that was read is within the input, and is
 * written again unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "livekit/data_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
write_again(struct arena *mem, const struct data_packet *p)
{
	struct buf b = { .mem = mem };
	struct data_packet again;

	data_packet_write(&b, "PA_x", "x", p->payload, p->n);
	if (b.len > DATA_PACKET_BYTES)
		return;
	if (!data_packet_read(b.p, b.len, &again) || again.n != p->n ||
	    again.sequence != 0 || memcmp(again.payload, p->payload, p->n) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem = arena_new();
	struct data_packet p;

	if (data_packet_read(data, n, &p)) {
		const uint8_t *payload = p.payload;

		if (p.n > 0 && (payload < data || payload + p.n > data + n))
			abort();
		write_again(mem, &p);
	}
	arena_free(mem);
	return 0;
}
