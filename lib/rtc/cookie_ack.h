#ifndef RTC_COOKIE_ACK_H
#define RTC_COOKIE_ACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The COOKIE ACK of an SCTP association, repeated until it is known to have arrived.
 * RFC 9260 leaves that to the other side's COOKIE ECHO, which browsers repeat after 1,
 * 2, 4 and 8 s: longer than clients wait for a channel.  Others discard a second one
 * (5.2.5).
 */
struct cookie_ack {
	unsigned char p[64];     /* the packet */
	size_t n;                /* 0: there is none to repeat */
	int64_t due_us, wait_us; /* due 0: it was sent just now */
};

/* A packet goes out. */
void cookie_ack_sent(struct cookie_ack *, const void *, size_t n);
/* A packet came, and is not processed yet. */
void cookie_ack_received(struct cookie_ack *, const void *, size_t n);
/* Whether the packet is to be sent now, once more. */
bool cookie_ack_is_due(struct cookie_ack *, int64_t now_us);
/* When to ask that, or the other time, if that is sooner. */
int64_t cookie_ack_due_us(const struct cookie_ack *, int64_t other_us);

#endif
