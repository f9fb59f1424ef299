/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDIO_RTP_H
#define AUDIO_RTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/opus_packets.h"
#include "base/err.h"

/*
 * RTP (RFC 3550) with Opus (RFC 7587): one Opus packet each, timestamps at 48 kHz for
 * any sampling rate.  No call allocates, sends or reads a clock.
 */
#define RTP_HZ 48000
#define RTP_OPUS 111    /* payload type of Opus in Janus and browsers */
#define RTP_MOST 1500   /* longest packet that is read or written, in bytes */
#define RTP_FRAME_MS 20 /* sound in each packet that is sent */

struct rtp_packet {
	int type;
	bool marker; /* first packet after silence */
	uint16_t seq;
	uint32_t ts, ssrc;      /* ts: units of 1 / RTP_HZ */
	const unsigned char *p; /* the payload, borrowed from the bytes read */
	size_t n;               /* bytes of payload */
};

/* False: not an RTP packet, or no payload. */
bool rtp_read(const void *, size_t n, struct rtp_packet *) MUST_CHECK;
/* Write without extensions and padding.  Returns the length; 0: no room. */
size_t rtp_write(const struct rtp_packet *, unsigned char *to, size_t room);

/*
 * Puts the packets of one source in order.  A missing packet is awaited until
 * JITTER_PATIENCE others wait or one has waited JITTER_PATIENCE_US; then it is lost.
 * Duplicate and late packets are dropped.  Each packet is returned with what is missing
 * before it, by sequence numbers and timestamps (opus_packets.h): at most
 * JITTER_MISSING_US, and only so much that the sound is at most JITTER_AHEAD_US ahead
 * of the clock.  A jump of RTP_BACK or more back means that the source restarted.
 * Zero-initialise.
 */
#define JITTER_KEPT 8
#define JITTER_PATIENCE 4
#define JITTER_PATIENCE_US INT64_C(100000)
#define JITTER_MISSING_US INT64_C(30000000)
#define JITTER_AHEAD_US INT64_C(1000000)
#define RTP_BACK 100

struct jitter_buffer {
	bool began;       /* next and began_us are valid */
	bool follows;     /* end_ts is valid */
	uint16_t next;    /* sequence number to return next */
	unsigned lost;    /* packets lost before it */
	uint32_t end_ts;  /* timestamp at the end of the last packet returned */
	int64_t began_us; /* time of the first packet, as now_us */
	/* duration of the sound returned since, with its gaps, in microseconds */
	int64_t sound_us;
	int waiting; /* packets in kept */
	struct jitter_packet {
		size_t n; /* bytes of payload; 0: the slot is free */
		uint32_t ts;
		int64_t came_us; /* time of arrival, as now_us */
		unsigned char bytes[OPUS_GAP_BYTES + RTP_MOST];
	} kept[JITTER_KEPT]; /* at seq % JITTER_KEPT */
};

/* The packet is copied.  A payload that is empty or over RTP_MOST is dropped. */
void jitter_buffer_put(
    struct jitter_buffer *, const struct rtp_packet *, int64_t now_us);
/*
 * The next payload, preceded by a struct opus_gap as bytes; borrowed until the next
 * put. False: none yet. Call until false after each put, and every 20 ms while packets
 * wait.
 */
bool jitter_buffer_next(
    struct jitter_buffer *, int64_t now_us, const unsigned char **p, size_t *n);

/*
 * Return the ticks of RTP_FRAME_MS that are due, one a call: *tick is the last one and
 * is advanced.  False: none is due.  Of more than `late` missed ticks the first are
 * skipped.
 */
#define RTP_TICK_US (RTP_FRAME_MS * INT64_C(1000))
bool rtp_tick_next(int64_t *tick, int64_t now_us, int late);
/* The time until the next tick, for poll(2). */
int rtp_tick_wait_ms(int64_t tick, int64_t now_us);

/* A source of our own.  Sends at most one packet a tick of 20 ms. */
struct rtp_source {
	uint32_t ssrc, first_ts; /* random, RFC 3550, 5.1 */
	uint16_t seq;            /* sequence number of the next packet */
	int64_t last_tick;       /* tick of the last packet; below 0: none yet */
};

/* The packet of a tick; ticks are above 0 and increase.  Returns as rtp_write(). */
size_t rtp_next(struct rtp_source *, int64_t tick, const void *opus, size_t n,
    unsigned char *to, size_t room);

#endif
