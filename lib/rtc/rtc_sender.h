/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_RTC_SENDER_H
#define RTC_RTC_SENDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "audio/rtp.h"
#include "base/arena.h"
#include "rtc/transport_socket.h"

/*
 * RTP to peers from other threads than that of struct rtc, without a lock: each peer
 * has one sending thread. The thread of struct rtc receives, and reports to the sending
 * thread where it may send to.
 */
struct rtc_sender; /* one in each sending thread */
struct packet_cipher;

/*
 * How to reach a peer; see rtc_events.route. Valid until the peer is closed. Nothing
 * but the encryption of RTP is used by the sending thread.
 */
struct rtc_route {
	struct packet_cipher *cipher; /* NULL: the peer cannot be reached */
	struct transport_path path;
	int fd;           /* a UDP socket; -1: by TCP, see rtc_peer_forward() */
	int64_t until_us; /* monotonic: nothing may be sent after it */
};

/* Packets of one SSRC sent so far. Only the sending thread changes them. */
struct rtc_sent {
	_Atomic uint32_t packets, octets, ts;
	_Atomic int64_t at_us; /* monotonic, last packet */
};

void rtc_sent_count(struct rtc_sent *, const struct rtp_packet *, int64_t now_us);

struct rtc_sender *rtc_sender_new(struct arena *);
/* The route will be used soon. */
void rtc_route_prefetch(const struct rtc_route *);
bool rtc_route_is_open(const struct rtc_route *, int64_t now_us);
/* Encrypt a packet. Returns its bytes, at most TRANSPORT_MOST; 0: it is too long. */
size_t rtc_route_protect(
    const struct rtc_route *, const struct rtp_packet *, unsigned char *to);
/* Encrypt and queue a packet for a route by UDP. */
void rtc_sender_put(
    struct rtc_sender *, const struct rtc_route *, const struct rtp_packet *);
void rtc_sender_flush(struct rtc_sender *);
/* Datagrams queued so far. Any thread. */
uint64_t rtc_sender_count(const struct rtc_sender *);

#endif
