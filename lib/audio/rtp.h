#ifndef AUDIO_RTP_H
#define AUDIO_RTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * RTP (RFC 3550) with Opus (RFC 7587): one frame a packet, timestamps at 48 kHz for any
 * sampling rate.  No call allocates, sends or reads a clock.
 */
#define RTP_HZ 48000
#define RTP_OPUS 111    /* the payload type of Opus at Janus and browsers */
#define RTP_MOST 1500   /* bytes of a packet read or written, at most */
#define RTP_FRAME_MS 20 /* sound in each packet sent */

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
 * JITTER_PATIENCE others wait or one has waited JITTER_PATIENCE_US.  Then a concealment
 * packet takes its place: the first byte of the last packet alone, for which an Opus
 * decoder conceals a lost frame (RFC 6716, 3.2.1).  Duplicate and late packets are
 * dropped.  A jump of JITTER_KEPT or more ahead, or RTP_BACK or more back, means that
 * the source restarted: the buffer restarts, too.  Zero-initialise.
 */
#define JITTER_KEPT 8
#define JITTER_PATIENCE 4
#define JITTER_PATIENCE_US INT64_C(100000)
#define RTP_BACK 100

struct jitter_buffer {
	bool began;             /* next is valid */
	uint16_t next;          /* sequence number to return next */
	int waiting;            /* packets in kept */
	unsigned char stand_in; /* concealment packet, from the last one returned */
	struct jitter_packet {
		size_t n;        /* bytes; 0: free */
		int64_t came_us; /* received, as now_us */
		unsigned char bytes[RTP_MOST];
	} kept[JITTER_KEPT]; /* at seq % JITTER_KEPT */
};

/* The packet is copied.  A payload that is empty or over RTP_MOST is dropped. */
void jitter_buffer_put(
    struct jitter_buffer *, const struct rtp_packet *, int64_t now_us);
/*
 * The next payload, borrowed until the next put; false: none yet.  Call until false
 * after each put, and every 20 ms while packets wait.
 */
bool jitter_buffer_next(
    struct jitter_buffer *, int64_t now_us, const unsigned char **p, size_t *n);

/* A source of our own.  Sends at most one packet a tick of 20 ms. */
struct rtp_source {
	uint32_t ssrc, first_ts; /* random, RFC 3550, 5.1 */
	uint16_t seq;            /* of the next packet */
	int64_t last_tick;       /* of the last packet; below 0: none yet */
};

/* The packet of a tick; ticks are above 0 and increase.  Returns as rtp_write(). */
size_t rtp_next(struct rtp_source *, int64_t tick, const void *opus, size_t n,
    unsigned char *to, size_t room);

#endif
