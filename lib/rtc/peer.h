/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_PEER_H
#define RTC_PEER_H

#include "base/due_heap.h"
#include "rtc/data_channel.h"
#include "rtc/dtls.h"
#include "rtc/handshake_queue.h"
#include "rtc/routes.h"
#include "rtc/rtc.h"
#include "rtc/rtc_sender.h"
#include "rtc/rtcp.h"
#include "rtc/srtp.h"
#include "rtc/stun.h"
#include "rtc/transport.h"

/* One peer connection; private to this folder. */

#define PEER_TRACKS 16 /* the most SSRCs that one peer connection sends */

/* State shared by all peers of one struct rtc. */
struct peer_shared {
	struct transport *transport;
	struct dtls_context *dtls;
	struct rtc_events events;
	struct routes routes;
	struct due_heap due; /* peers by the time of their next check */
	struct handshake_queue handshakes;
	bool client; /* controls ICE */
	int64_t now_us;
	uint64_t srtp_failures;
	unsigned states[RTC_FAILED + 1]; /* peers by state */
	int depth;                       /* running calls that may call back */
	int peers;                       /* number of peers that are not closed */
	struct rtc_peer *closed;         /* peers to free when depth is 0 */
};

/* A source of packets that we send. */
struct peer_track {
	uint32_t ssrc;
	bool used;
	char cname[RTCP_CNAME];
	struct rtc_sent own;         /* packets of rtc_peer_send() */
	const struct rtc_sent *sent; /* our own, or those of another thread */
};

/* Checks of a client, see rtc_peer_connect(). */
struct peer_check {
	struct stun_check stun;
	struct transport_path to;
	char peer_ufrag[STUN_UFRAG_MOST + 1], peer_pwd[257];
	bool answered; /* transaction id of the last check */
	int64_t due_us;
};

struct rtc_peer {
	struct due_entry due; /* the first member */
	struct arena *mem;
	struct peer_shared *shared;
	void *owner;
	enum rtc_state state;
	const char *failure;
	bool channels, closed;
	struct rtc_peer *next_closed;
	struct rtc_peer_stats stats;

	/* ICE */
	struct route_set routes;
	struct peer_check *check; /* NULL: of a server */
	bool has_path;
	struct transport_path path; /* the selected pair */
	int64_t moved_us;           /* time of the last change of state */
	bool proven; /* more than one check has proven the peer's address */
	const struct transport_path *from; /* path of the datagram that is being read */
	int64_t consent_us;                /* last good check */
	int64_t budget_us;                 /* time in which it may receive datagrams */
	int64_t budget_at_us;

	struct handshake handshake;

	/* DTLS, SRTP, SCTP; NULL: not yet */
	struct dtls *dtls;
	bool dtls_client; /* decided by the first description */
	bool described;   /* hash, fingerprint and sctp_port are known */
	char hash[8], fingerprint[3 * 64 + 1];
	int sctp_port;
	struct packet_cipher *cipher;
	struct data_channels *data;

	/* Media */
	int receive_type; /* payload type; below 0: nothing is received */
	uint32_t receive_ssrc;
	struct rtcp_reception reception;
	int64_t received_us; /* last RTP packet */
	struct peer_track tracks[PEER_TRACKS];
	int64_t report_us;      /* next reports */
	struct rtc_route route; /* as reported last */
};

/*
 * Call these around all that may call back: peers closed in between are freed by the
 * last peer_leave().
 */
void peer_enter(struct peer_shared *);
void peer_leave(struct peer_shared *);

struct rtc_peer *peer_new(struct peer_shared *, void *owner, bool channels);
/* No callback is made any more; freed by peer_leave(). */
void peer_close(struct rtc_peer *);

/* True if the peer is within its rate of datagrams; the call counts one datagram. */
bool peer_may_receive(struct rtc_peer *);
/* A valid check came by this path, or was answered by it. */
void peer_checked(
    struct rtc_peer *, const struct transport_path *, bool proven, bool nominated);
/* The path is not usable any more. */
void peer_lost(struct rtc_peer *, const struct transport_path *);
void peer_receive_dtls(
    struct rtc_peer *, const struct transport_path *, const unsigned char *, size_t n);
void peer_tick(struct rtc_peer *);

/* A packet came by peer.from that only the peer can have encrypted. */
void peer_prove(struct rtc_peer *);
/*
 * True if there is a path to send to. An unproven path is used for 5 s only, because a
 * check may have a forged source, which must not receive a stream.
 */
bool peer_may_send(const struct rtc_peer *);

/* Report the route to the sending thread, if it has changed. */
void peer_report_route(struct rtc_peer *);

/* Sets the time of the peer's next check. */
void peer_schedule(struct rtc_peer *);
/* True if these bytes answer the last STUN check that this peer sent; the answer is
   recorded. */
bool peer_check_answered(struct rtc_peer *, const unsigned char *, size_t n);

/* peer_media.c: its RTP and RTCP, decrypted in place. */
void peer_media_receive(
    struct rtc_peer *, const struct transport_path *, unsigned char *, size_t n);
/* Sends the reports that are due. */
void peer_media_report(struct rtc_peer *);

#endif
