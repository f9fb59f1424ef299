/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A compound RTCP packet. Each item that is read lies within the packet, and a block
 * that is read can be written again unchanged.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rtc/rtcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
write_again(const struct rtcp_block *b)
{
	unsigned char to[RTCP_MOST];
	struct rtcp_reader r;
	struct rtcp_item i;

	rtcp_read(&r, to, rtcp_write_receiver(1, b, to));
	if (!rtcp_next(&r, &i) || i.kind != RTCP_BLOCK || i.block.ssrc != b->ssrc ||
	    i.block.fraction != b->fraction || i.block.lost != b->lost ||
	    i.block.highest != b->highest || i.block.jitter != b->jitter ||
	    i.block.last_sr != b->last_sr || i.block.since_sr != b->since_sr)
		abort();
	if (rtcp_next(&r, &i))
		abort();
}

/* The bytes are the sequence numbers of received packets. */
static void
receive(const uint8_t *data, size_t n)
{
	struct rtcp_reception heard = { 0 };

	for (size_t i = 0; i + 1 < n; i += 2) {
		const struct rtp_packet p = { .ssrc = 1,
			.seq = (uint16_t)(data[i] << 8 | data[i + 1]),
			.ts = data[i] * UINT32_C(0x1010101) };

		rtcp_reception_put(&heard, &p, (int64_t)i * 20000);
		if (data[i] == 0) {
			struct rtcp_block b = rtcp_reception_block(&heard, (int64_t)i);

			write_again(&b);
		}
	}
	if (heard.received != n / 2 || rtcp_reception_lost(&heard) > INT32_MAX)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rtcp_reader r;
	struct rtcp_item i;
	size_t items = 0;

	rtcp_is(data, n);
	rtcp_read(&r, data, n);
	while (rtcp_next(&r, &i)) {
		if (++items > n / 4)
			abort();
		if (i.kind == RTCP_BLOCK)
			write_again(&i.block);
	}
	receive(data, n);
	return 0;
}
