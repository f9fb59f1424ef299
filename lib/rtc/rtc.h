/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_RTC_H
#define RTC_RTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/rtp.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "rtc/ice.h"

/*
 * Peer connections of WebRTC on one UDP port and one TCP port of the same number:
 * ICE-lite (RFC 8445), DTLS (RFC 6347), SRTP (RFC 5764), data channels (RFC 8831).
 * Knows nothing of sessions. All functions and callbacks run on one thread; a callback
 * may call any function but rtc_close(). Times are monotonic_us().
 */
struct rtc;
struct rtc_peer; /* one peer connection */
struct rtc_route;
struct rtc_sent;

enum rtc_state {
	RTC_NEW,       /* no valid check yet */
	RTC_CHECKED,   /* ICE has selected a pair */
	RTC_CONNECTED, /* DTLS is up and the fingerprint is right */
	RTC_FAILED,    /* see rtc_peer_failure(); no further events follow */
};

/* owner: argument of rtc_peer_open(). */
struct rtc_events {
	void (*state)(void *owner, enum rtc_state);
	/* A packet of the sender that rtc_peer_receive() named. */
	void (*packet)(void *owner, const struct rtp_packet *);
	/* A data channel can be used now. */
	void (*channel)(void *owner, const char *label);
	void (*message)(void *owner, const char *label, const void *, size_t n);
	/* Loss that the receiver of a track reports, percent. */
	void (*loss)(void *owner, uint32_t ssrc, int percent);
	/*
	 * Where another thread may send this peer's packets to has changed; copied by
	 * the callee. NULL: no other thread sends.
	 */
	void (*route)(void *owner, const struct rtc_route *);
};

struct rtc_settings {
	struct ice_addresses at;
	int max_peers; /* most peers, and most TCP connections */
	/*
	 * Connectivity checks with these credentials are answered, but have no other
	 * effect. "": none.
	 */
	struct ice_credentials probe;
	bool client; /* for tests: controlling ICE, see rtc_peer_connect() */
};

/*
 * Bind the ports; port 0: free ones, see rtc_port().  NULL, logged: a port is in use
 * or there are no resources.  One struct rtc in a process.
 */
struct rtc *rtc_open(
    struct arena *, const struct rtc_settings *, const struct rtc_events *);
void rtc_close(struct rtc *); /* also closes all peers */
int rtc_port(const struct rtc *);
/* SHA-256 of our certificate, upper-case hex with colons.  Any thread. */
const char *rtc_fingerprint(const struct rtc *);

/* Returns a descriptor that is readable when rtc_receive() has work to do. */
int rtc_fd(const struct rtc *);
void rtc_receive(struct rtc *);
/* True if rtc_receive() has more to do, even if nothing is readable. */
bool rtc_has_work(const struct rtc *);
/* Run timers: from rtc_due_us() on, at most every 10 ms. */
void rtc_tick(struct rtc *, int64_t now_us);
/* When the next timer is due, to the step of 10 ms; INT64_MAX: none is set. */
int64_t rtc_due_us(const struct rtc *);
/* The time for calls that follow; rtc_receive() and rtc_tick() set it, too. */
void rtc_time(struct rtc *, int64_t now_us);

/*
 * local: named in its descriptions.  channels: we open `_reliable` and `_lossy` (a
 * subscriber's peer connection); else the client opens them.  NULL: max_peers.
 */
struct rtc_peer *rtc_peer_open(
    struct rtc *, void *owner, const struct ice_credentials *local, bool channels);
/* Free it after its last callback; allowed in callbacks. */
void rtc_peer_close(struct rtc_peer *);
/*
 * Set the client's fingerprint. A different fingerprint in a later call returns false.
 * sctp_port 0: it has no data channels, and none are awaited; a later description may
 * have them. passive: the peer is the DTLS server, so we are the client; the first
 * description decides.
 */
bool rtc_peer_remote(struct rtc_peer *, const char *hash, const char *fingerprint,
    int sctp_port, bool passive) MUST_CHECK;
/*
 * Receive a payload type, and an SSRC or 0 for the first one seen; a client of tests
 * receives all sources.
 */
void rtc_peer_receive(struct rtc_peer *, int payload_type, uint32_t ssrc);
/*
 * Set new credentials. The old ones stay valid until a check with the new ones has
 * come.
 */
void rtc_peer_restart(struct rtc_peer *, const struct ice_credentials *local);
/* For clients of tests: set the server's address and credentials. */
void rtc_peer_connect(struct rtc_peer *, const struct ice_candidate *,
    const char *ufrag, const char *pwd);

/*
 * Send one packet, possibly to many peers: the packet (struct rtp_packet with its
 * ssrc, seq and ts set) is protected and queued; rtc_flush() sends all queued
 * packets.  Late audio is worthless: packets that the socket does not accept are
 * dropped.
 */
void rtc_peer_send(struct rtc_peer *, const struct rtp_packet *);
void rtc_flush(struct rtc *);

/*
 * Report an SSRC that sends every 5 s (SR with SDES); at most 16. off: stop reporting
 * it; cname may be NULL then.
 */
void rtc_peer_report(struct rtc_peer *, uint32_t ssrc, const char *cname, bool on);

/*
 * Another thread sends and counts the packets of an SSRC that is reported. The counts
 * must exist until it is not reported any more, or the peer is closed.
 */
void rtc_peer_count(struct rtc_peer *, uint32_t ssrc, const struct rtc_sent *);
/* Send a packet that another thread has encrypted, if the route still is by TCP. */
void rtc_peer_forward(struct rtc_peer *, const void *, size_t n);

/*
 * True if the channel is open.  Lossy messages are neither ordered nor retransmitted.
 */
bool rtc_peer_has_channel(const struct rtc_peer *, const char *label);
/*
 * Queues a message of up to 256 KiB.  False: the channel is not open, or more than 1
 * MiB is unsent.
 */
bool rtc_peer_send_message(
    struct rtc_peer *, const char *label, const void *, size_t n) MUST_CHECK;
/* Bytes unsent on all channels.  *since_us: the last progress. */
size_t rtc_peer_unsent(const struct rtc_peer *, int64_t *since_us);

enum rtc_state rtc_peer_state(const struct rtc_peer *);
const char *rtc_peer_failure(const struct rtc_peer *); /* reason in words for the log */

/* Statistics of a peer connection, for the log and the metrics. */
struct rtc_peer_stats {
	bool tcp; /* transport of the selected pair */
	int64_t open_us, checked_us, connected_us, channel_us; /* 0: not yet */
	uint64_t received, lost; /* RTP packets of the sender */
	uint64_t srtp_failures;
};
void rtc_peer_stats(const struct rtc_peer *, struct rtc_peer_stats *);

struct rtc_stats {
	uint64_t datagrams_in, datagrams_out, unknown, bad_stun, srtp_failures;
	unsigned peers[RTC_FAILED + 1]; /* number of peers by state */
};
void rtc_stats(const struct rtc *, struct rtc_stats *);

#endif
