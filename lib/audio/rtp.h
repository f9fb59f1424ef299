#ifndef AUDIO_RTP_H
#define AUDIO_RTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * RTP (RFC 3550) with Opus in it (RFC 7587): a packet a frame, timestamps of
 * 48 kHz whatever rate the sound has.  Nothing here is allocated, sent or timed.
 */
#define RTP_HZ 48000
#define RTP_OPUS 111    /* the payload type that Janus and browsers use for it */
#define RTP_MOST 1500   /* bytes of a packet that is read or written */
#define RTP_FRAME_MS 20 /* of sound in each packet that we send */

struct rtp_packet {
	int type;
	bool marker; /* the first one after silence */
	uint16_t seq;
	uint32_t ts, ssrc;
	const unsigned char *p; /* the payload, in the bytes that were read */
	size_t n;
};

/* False: it is none, or there is nothing in it. */
bool rtp_read(const void *, size_t n, struct rtp_packet *) MUST_CHECK;
/* Its length, without extensions and padding; 0: there is no room for it. */
size_t rtp_write(const struct rtp_packet *, unsigned char *to, size_t room);

/*
 * Packets of one source put in order.  One that is missing is waited for until
 * JITTER_PATIENCE others are there or the first of them has waited JITTER_PATIENCE_US;
 * then a stand-in comes in its place: the first byte of the last packet as a
 * packet of its own, for whose frame an Opus decoder makes up (RFC 6716, 3.2.1).
 * What comes twice or too late is left out.  After a jump of JITTER_KEPT or more
 * ahead, or RTP_BACK or more back, it begins anew: the source did, too.
 * Zero-initialise.
 */
#define JITTER_KEPT 8
#define JITTER_PATIENCE 4
#define JITTER_PATIENCE_US INT64_C(100000)
#define RTP_BACK 100

struct jitter_buffer {
	bool began;
	uint16_t next;          /* that is to leave */
	int waiting;            /* packets that are kept */
	unsigned char stand_in; /* of the last that left */
	struct jitter_packet {
		size_t n; /* 0: there is none */
		int64_t came_us;
		unsigned char bytes[RTP_MOST];
	} kept[JITTER_KEPT]; /* at seq % JITTER_KEPT */
};

/*
 * Copied.  What is empty or over RTP_MOST, came before or comes too late is left out;
 * far off the expected number it begins anew.
 */
void jitter_buffer_put(
    struct jitter_buffer *, const struct rtp_packet *, int64_t now_us);
/*
 * The next payload, good until the next put; false: there is none yet.  To be
 * asked until it says so after each put, and every 20 ms while some are waiting.
 */
bool jitter_buffer_next(
    struct jitter_buffer *, int64_t now_us, const unsigned char **p, size_t *n);

/* A source of ours: it says something at some ticks of 20 ms and nothing at others. */
struct rtp_source {
	uint32_t ssrc, first_ts; /* random, RFC 3550, 5.1 */
	uint16_t seq;
	int64_t last_tick; /* when it spoke; below 0: it never did */
};

/* The packet of this tick, which is above 0 and greater than the last one. */
size_t rtp_next(struct rtp_source *, int64_t tick, const void *opus, size_t n,
    unsigned char *to, size_t room);

#endif
