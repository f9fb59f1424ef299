/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_SDP_H
#define RTC_SDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "rtc/ice.h"

/*
 * Session descriptions (RFC 8866) as WebRTC clients exchange them (RFC 8829), with one
 * transport for all media (BUNDLE, rtcp-mux).  Attributes not named here are ignored.
 */
#define SDP_BYTES (64 << 10) /* largest description read */
#define SDP_SECTIONS 24      /* media sections, at most */

enum sdp_direction { SDP_INACTIVE, SDP_SENDONLY, SDP_RECVONLY, SDP_SENDRECV };

struct sdp_section {
	enum sdp_kind { SDP_AUDIO, SDP_VIDEO, SDP_APPLICATION, SDP_OTHER } kind;
	char kind_text[17], proto[40], mid[33];
	bool rejected; /* port 0 without bundle-only, or not of the BUNDLE group */
	enum sdp_direction direction;
	int opus;          /* payload type of opus/48000/2; -1: none */
	int mid_extension; /* id of the RTP header extension sdes:mid; 0: none */
	uint32_t ssrc;     /* the first one; 0: none */
};

/* A description read.  Strings end with NUL. */
struct sdp {
	struct sdp_section sections[SDP_SECTIONS];
	size_t n;
	char ufrag[257], pwd[257]; /* ICE credentials of its sender */
	char hash[8]; /* hash of the fingerprint: sha-256, sha-384, sha-512 */
	char fingerprint[3 * 64]; /* fingerprint in upper-case hex with colons */
	char setup[9];            /* active, passive, actpass; "": none */
	int sctp_port;            /* default 5000 */
};

/*
 * False: over SDP_BYTES or SDP_SECTIONS, no section, not bundled, or without ICE
 * credentials or fingerprint.  Numbers out of range count as absent.
 */
bool sdp_read(const char *, size_t n, struct sdp *) MUST_CHECK;
/*
 * Read a fragment that changes a transport (RFC 8840): only its ICE credentials are
 * needed. False: too large, malformed or without them.
 */
bool sdp_read_fragment(const char *, size_t n, struct sdp *) MUST_CHECK;

/* Our side of one peer connection. */
struct sdp_local {
	uint64_t id;      /* random, 63 bits, kept for the connection's life */
	unsigned version; /* version; incremented for each description */
	struct ice_credentials ice;
	const char *fingerprint; /* sha-256, as in struct sdp */
	/* the first address is written in the line o= */
	const struct ice_candidate *candidates;
	size_t n_candidates;
};

/* One audio section of our offer, from mid 1 on; or the audio that an answer sends. */
struct sdp_track {
	bool sends; /* false: inactive; the other members are not used */
	uint32_t ssrc;
	const char *stream, *id; /* msid: "{stream}|{id} {id}"; cname: stream */
};

/*
 * The answer to a client's offer, passive unless the offer is. Without a track to send,
 * the first audio section that sends Opus is received; with one, it is sent in the
 * first that receives Opus. Other sections with Opus stay inactive, all else but data
 * channels is rejected. *used: the section that is used; none: its opus is -1.
 */
void sdp_write_answer(struct buf *, const struct sdp_local *, const struct sdp *offer,
    const struct sdp_track *sent, struct sdp_section *used);
/* The fragment with our side of a transport, after an ICE restart. */
void sdp_write_fragment(
    struct buf *, const struct sdp_local *, const struct sdp_section *used);

/* Our offer: section 0 is for data channels, then n audio sections.  actpass. */
void sdp_write_offer(
    struct buf *, const struct sdp_local *, const struct sdp_track *, size_t n);

#endif
