/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_MEDIA_LINK_H
#define PARTICIPANT_MEDIA_LINK_H

#include "audio/opus_packets.h"
#include "gateway/gateway.h"
#include "rtc/rtc.h"
#include "rtc/sdp.h"

/*
 * Peer connections and tracks as the event loop uses them.  The objects themselves
 * belong to the media thread; the calls are messages to it.
 */
struct media_thread;
struct media_link;  /* one peer connection */
struct media_track; /* packets of one target language, sent to any number of links */

/* Why a link failed, if clients must be able to distinguish it. */
enum media_failure {
	MEDIA_LOST,    /* no connection: a new one may work */
	MEDIA_TOO_SLOW /* the client does not read its messages */
};

/* Events of a link, on the event loop. */
struct media_events {
	/* RTC_FAILED: the reason, also in words for the log. */
	void (*state)(
	    void *owner, enum rtc_state, enum media_failure, const char *words);
	/* A packet of the received track. */
	void (*packet)(void *owner, const void *, size_t n);
	void (*channel)(void *owner, const char *label);
	void (*message)(void *owner, const char *label, const void *, size_t n);
	/* Loss at the receiver of a track, percent. */
	void (*loss)(void *owner, uint32_t ssrc, int percent);
};

/* ---- the thread ---- */

/* NULL: it cannot start, which was logged. */
struct media_thread *media_thread_start(struct gateway *, const struct rtc_settings *);
/*
 * Waits at most 2 s. False, and logged: the thread does not respond, and nothing was
 * freed.
 */
bool media_thread_stop(struct media_thread *) MUST_CHECK;
bool media_is_stalled(const struct media_thread *); /* as the watchdog sees it */
/* Any thread. */
const char *media_fingerprint(const struct media_thread *);
const struct ice_addresses *media_addresses(const struct media_thread *);
void media_stats(struct media_thread *, struct rtc_stats *);
/* The candidates for clients, copied; the interfaces are read once a minute. */
const struct ice_candidate *media_candidates(
    struct media_thread *, struct arena *, size_t *n);

/* ---- links ---- */

struct media_link *media_link_open(struct gateway *, const struct media_events *,
    void *owner, const struct ice_credentials *, bool channels);
/* No event follows this call. of: a name for the log, which gets a summary. */
void media_link_close(struct media_link *, const char *of);
/* sctp_port: 0 without data channels, see rtc_peer_remote(). */
void media_link_remote(struct media_link *, const struct sdp *, int sctp_port);
void media_link_receive(struct media_link *, int payload_type, uint32_t ssrc);
void media_link_restart(struct media_link *, const struct ice_credentials *);
/* The bytes are copied.  Reliable. */
void media_link_message(struct media_link *, const char *label, const void *, size_t n);
/* Send the track with this SSRC, from its next packet on; or stop that. */
void media_link_send_track(
    struct media_link *, struct media_track *, uint32_t ssrc, const char *cname);
void media_link_deaf(struct media_link *, uint32_t ssrc);

/* ---- tracks ---- */

struct media_track *media_track_new(struct gateway *);
/* Play out the queue, then free the track. Detach all links first. */
void media_track_end(struct media_track *);
void media_track_play(struct media_track *, struct opus_packets, bool last);
void media_track_flush(struct media_track *);

#endif
