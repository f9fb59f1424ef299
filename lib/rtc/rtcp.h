/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_RTCP_H
#define RTC_RTCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/rtp.h"
#include "base/err.h"

/* RTCP reports (RFC 3550, 6.4), over bytes: no call sends, allocates or reads a clock.
 */
#define RTCP_MOST 128 /* longest packet that is written here */
#define RTCP_CNAME 65 /* bytes of a canonical name, with NUL */

/* A receiver's report of one source. */
struct rtcp_block {
	uint32_t ssrc;     /* SSRC of the source */
	uint8_t fraction;  /* lost since the last report, of 256 */
	int32_t lost;      /* packets lost in all; 24 bits */
	uint32_t highest;  /* sequence number, with its wraps in the upper half */
	uint32_t jitter;   /* units of the timestamp */
	uint32_t last_sr;  /* middle bits of the last sender report's time; 0: none */
	uint32_t since_sr; /* 1/65536 s from its arrival to this report */
};

/* A sender's report of itself. */
struct rtcp_sender {
	uint32_t ssrc;
	int64_t time_us; /* since the epoch, UTC */
	uint32_t ts;     /* RTP timestamp of that time */
	uint32_t packets, octets;
};

/* A sender report with SDES; and a receiver report.  They return the length. */
size_t rtcp_write_sender(
    const struct rtcp_sender *, const char *cname, unsigned char to[RTCP_MOST]);
size_t rtcp_write_receiver(
    uint32_t ssrc, const struct rtcp_block *, unsigned char to[RTCP_MOST]);

/* Reads a compound packet, item by item.  Other packets and items are skipped. */
struct rtcp_reader {
	const unsigned char *p; /* bytes not read yet */
	size_t n;
	const unsigned char *blocks; /* blocks of the current packet */
	int n_blocks;
};
struct rtcp_item {
	enum { RTCP_SENDER, RTCP_BLOCK } kind;
	uint32_t ssrc;    /* SSRC of the sender */
	uint32_t last_sr; /* middle bits of a sender report's time */
	struct rtcp_block block;
};
void rtcp_read(struct rtcp_reader *, const void *, size_t n);
/* False: there are no more, or the rest is malformed. */
bool rtcp_next(struct rtcp_reader *, struct rtcp_item *);

/* True if a packet on the shared path is RTCP (RFC 5761, 4); n >= 2. */
bool rtcp_is(const void *, size_t n);

/* Reception of one source (RFC 3550, A.1, A.3, A.8).  Zero-initialise. */
struct rtcp_reception {
	bool began;
	uint32_t ssrc;
	uint16_t base, highest; /* sequence numbers */
	uint32_t wraps;         /* number of wraps, in the upper half */
	uint32_t received, expected_before, received_before;
	uint32_t transit;
	double jitter;
	uint32_t last_sr;
	int64_t last_sr_us; /* time at which it arrived */
};
void rtcp_reception_put(
    struct rtcp_reception *, const struct rtp_packet *, int64_t now_us);
/* Returns a report, and begins the next period. */
struct rtcp_block rtcp_reception_block(struct rtcp_reception *, int64_t now_us);
/* The number of packets that should have come but did not; duplicates reduce it. */
int64_t rtcp_reception_lost(const struct rtcp_reception *);

#endif
