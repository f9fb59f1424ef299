/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rtc/rtcp.h"

#include <stdlib.h>
#include <string.h>

#include "base/be.h"
#include "base/clock.h"

enum packet_type { SENDER_REPORT = 200, RECEIVER_REPORT = 201, DESCRIPTION = 202 };

#define VERSION 2
#define CNAME_ITEM 1
#define HEAD 4
#define BLOCK 24           /* bytes of a report block */
#define SENDER (HEAD + 24) /* bytes before its blocks */
#define RECEIVER (HEAD + 4)
#define EPOCHS_S UINT64_C(2208988800) /* seconds from 1900 to 1970 */

/* n: bytes of the packet, a multiple of 4. */
static void
put_head(unsigned char *to, int count, enum packet_type type, size_t n)
{
	put_be32(to, (uint32_t)(VERSION << 6 | count) << 24 | (uint32_t)type << 16 |
			 (uint32_t)(n / 4 - 1));
}

/* ---- writing ---- */

static size_t
write_description(uint32_t ssrc, const char *cname, unsigned char *to)
{
	size_t len = strlen(cname), n;

	len = len < RTCP_CNAME ? len : RTCP_CNAME - 1;
	n = (HEAD + 4 + 2 + len + 1 + 3) / 4 * 4; /* ends with NUL */
	memset(to, 0, n);
	put_head(to, 1, DESCRIPTION, n);
	put_be32(to + 4, ssrc);
	to[8] = CNAME_ITEM;
	to[9] = (unsigned char)len;
	memcpy(to + 10, cname, len);
	return n;
}

size_t
rtcp_write_sender(
    const struct rtcp_sender *s, const char *cname, unsigned char to[RTCP_MOST])
{
	uint64_t us = (uint64_t)s->time_us;

	put_head(to, 0, SENDER_REPORT, SENDER);
	put_be32(to + 4, s->ssrc);
	put_be32(to + 8, (uint32_t)(us / S_US + EPOCHS_S));
	put_be32(to + 12, (uint32_t)((us % S_US << 32) / S_US));
	put_be32(to + 16, s->ts);
	put_be32(to + 20, s->packets);
	put_be32(to + 24, s->octets);
	return SENDER + write_description(s->ssrc, cname, to + SENDER);
}

size_t
rtcp_write_receiver(
    uint32_t ssrc, const struct rtcp_block *b, unsigned char to[RTCP_MOST])
{
	unsigned char *p = to + RECEIVER;

	put_head(to, 1, RECEIVER_REPORT, RECEIVER + BLOCK);
	put_be32(to + 4, ssrc);
	put_be32(p, b->ssrc);
	put_be32(p + 4, (uint32_t)b->fraction << 24 | ((uint32_t)b->lost & 0xffffff));
	put_be32(p + 8, b->highest);
	put_be32(p + 12, b->jitter);
	put_be32(p + 16, b->last_sr);
	put_be32(p + 20, b->since_sr);
	return RECEIVER + BLOCK;
}

/* ---- reading ---- */

void
rtcp_read(struct rtcp_reader *r, const void *p, size_t n)
{
	*r = (struct rtcp_reader){ .p = p, .n = n };
}

static void
read_block(const unsigned char *p, struct rtcp_block *to)
{
	uint32_t lost = be32(p + 4) & 0xffffff;

	*to = (struct rtcp_block){ .ssrc = be32(p),
		.fraction = p[4],
		.lost = (int32_t)lost - ((lost & 0x800000) != 0 ? 0x1000000 : 0),
		.highest = be32(p + 8),
		.jitter = be32(p + 12),
		.last_sr = be32(p + 16),
		.since_sr = be32(p + 20) };
}

/*
 * Read one packet of the compound. True if the packet itself is an item: a sender
 * report.
 */
static bool
read_packet(struct rtcp_reader *r, size_t n, struct rtcp_item *to)
{
	const unsigned char *p = r->p;
	size_t head = p[1] == SENDER_REPORT ? SENDER : RECEIVER;

	r->p += n;
	r->n -= n;
	if ((p[1] != SENDER_REPORT && p[1] != RECEIVER_REPORT) || n < head)
		return false;
	r->blocks = p + head;
	r->n_blocks = p[0] & 31;
	if ((size_t)r->n_blocks > (n - head) / BLOCK)
		r->n_blocks = (int)((n - head) / BLOCK);
	if (p[1] != SENDER_REPORT)
		return false;
	*to = (struct rtcp_item){ .kind = RTCP_SENDER,
		.ssrc = be32(p + 4),
		.last_sr = be32(p + 8) << 16 | be32(p + 12) >> 16 };
	return true;
}

bool
rtcp_next(struct rtcp_reader *r, struct rtcp_item *to)
{
	while (r->n_blocks == 0) {
		size_t n = r->n < HEAD ? 0 : 4 * (size_t)((be32(r->p) & 0xffff) + 1);

		if (n == 0 || r->p[0] >> 6 != VERSION || n > r->n)
			return false;
		if (read_packet(r, n, to))
			return true;
	}
	*to = (struct rtcp_item){ .kind = RTCP_BLOCK };
	read_block(r->blocks, &to->block);
	r->blocks += BLOCK;
	r->n_blocks--;
	return true;
}

bool
rtcp_is(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	return n >= 2 && p[1] >= 192 && p[1] <= 223;
}

/* ---- reception ---- */

/* Difference of transit times, smoothed (A.8). */
static void
measure_jitter(struct rtcp_reception *r, uint32_t ts, int64_t now_us)
{
	uint32_t transit = (uint32_t)(now_us * (RTP_HZ / 1000) / 1000) - ts;
	int32_t d = (int32_t)(transit - r->transit);

	if (r->received > 1)
		r->jitter += (abs(d > INT32_MIN ? d : 0) - r->jitter) / 16;
	r->transit = transit;
}

void
rtcp_reception_put(struct rtcp_reception *r, const struct rtp_packet *p, int64_t now_us)
{
	if (!r->began || r->ssrc != p->ssrc)
		*r = (struct rtcp_reception){ .began = true,
			.ssrc = p->ssrc,
			.base = p->seq,
			.highest = p->seq };
	r->received++;
	measure_jitter(r, p->ts, now_us);
	if ((int16_t)(p->seq - r->highest) <= 0)
		return;
	if (p->seq < r->highest)
		r->wraps += UINT32_C(1) << 16;
	r->highest = p->seq;
}

static uint32_t
expected(const struct rtcp_reception *r)
{
	return r->began ? (r->wraps | r->highest) - r->base + 1 : 0;
}

int64_t
rtcp_reception_lost(const struct rtcp_reception *r)
{
	return (int64_t)expected(r) - r->received;
}

/* Fraction of packets lost since the last report, of 256; 255: all. */
static uint8_t
fraction_lost(struct rtcp_reception *r)
{
	uint32_t due = expected(r) - r->expected_before,
		 came = r->received - r->received_before;
	uint32_t lost = due > came ? ((uint64_t)(due - came) << 8) / due : 0;

	r->expected_before = expected(r);
	r->received_before = r->received;
	return (uint8_t)(lost < 255 ? lost : 255);
}

struct rtcp_block
rtcp_reception_block(struct rtcp_reception *r, int64_t now_us)
{
	int64_t lost = rtcp_reception_lost(r), passed = now_us - r->last_sr_us;

	lost = lost > 0x7fffff ? 0x7fffff : lost < -0x800000 ? -0x800000 : lost;
	return (struct rtcp_block){ .ssrc = r->ssrc,
		.fraction = fraction_lost(r),
		.lost = (int32_t)lost,
		.highest = r->wraps | r->highest,
		.jitter = (uint32_t)r->jitter,
		.last_sr = r->last_sr,
		.since_sr =
		    r->last_sr == 0 ? 0 : (uint32_t)(((uint64_t)passed << 16) / S_US) };
}
