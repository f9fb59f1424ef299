/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_WEBRTC_LINK_H
#define PARTICIPANT_WEBRTC_LINK_H

#include "audio/opus_packets.h"
#include "gateway/gateway.h"
#include "rtc/rtc.h"
#include "rtc/sdp.h"

/*
 * Peer connections and tracks as the event loop uses them.  The objects themselves
 * belong to the media thread; the calls are messages to it.
 */
struct webrtc_thread;
struct webrtc_link;  /* one peer connection */
struct webrtc_track; /* packets of one target language, sent to any number of links */

/* Reasons of a failed link that clients must be able to distinguish. */
enum webrtc_failure {
	MEDIA_LOST,    /* no connection: a new one may work */
	MEDIA_TOO_SLOW /* the client does not read its messages */
};

/* Events of a link, on the event loop. */
struct webrtc_events {
	/* RTC_FAILED: the reason, also in words for the log. */
	void (*state)(
	    void *owner, enum rtc_state, enum webrtc_failure, const char *words);
	/* A packet of the received track. */
	void (*packet)(void *owner, const void *, size_t n);
	void (*channel)(void *owner, const char *label);
	void (*message)(void *owner, const char *label, const void *, size_t n);
	/* Loss at the receiver of a track, percent. */
	void (*loss)(void *owner, uint32_t ssrc, int percent);
};

/* ---- the thread ---- */

/* NULL: it cannot start, which was logged. */
struct webrtc_thread *webrtc_thread_start(
    struct gateway *, const struct rtc_settings *);
/*
 * Waits at most 2 s. False, and logged: the thread does not respond, and nothing was
 * freed.
 */
bool webrtc_thread_stop(struct webrtc_thread *) MUST_CHECK;
/* true if the watchdog considers the thread stalled */
bool webrtc_is_stalled(const struct webrtc_thread *);
/* Any thread. */
const char *webrtc_fingerprint(const struct webrtc_thread *);
const struct ice_addresses *webrtc_addresses(const struct webrtc_thread *);
void webrtc_stats(struct webrtc_thread *, struct rtc_stats *);
/* The candidates for clients, copied; the interfaces are read once a minute. */
const struct ice_candidate *webrtc_candidates(
    struct webrtc_thread *, struct arena *, size_t *n);

/* ---- links ---- */

struct webrtc_link *webrtc_link_open(struct gateway *, const struct webrtc_events *,
    void *owner, const struct ice_credentials *, bool channels);
/* No event follows this call. of: a name for the log, which gets a summary. */
void webrtc_link_close(struct webrtc_link *, const char *of);
/* The client's description. */
void webrtc_link_remote(struct webrtc_link *, const struct sdp *);
void webrtc_link_receive(struct webrtc_link *, int payload_type, uint32_t ssrc);
void webrtc_link_restart(struct webrtc_link *, const struct ice_credentials *);
/* The bytes are copied.  Reliable. */
void webrtc_link_message(
    struct webrtc_link *, const char *label, const void *, size_t n);
/* How a link sends a track. */
struct webrtc_sender {
	uint32_t ssrc;
	int payload_type;
	const char *cname;
};
/* Send the track, from its next packet on; or stop that. */
void webrtc_link_send_track(
    struct webrtc_link *, struct webrtc_track *, const struct webrtc_sender *);
void webrtc_link_stop_track(struct webrtc_link *, uint32_t ssrc);

/* ---- tracks ---- */

struct webrtc_track *webrtc_track_new(struct gateway *);
/* Play out the queue, then free the track. Detach all links first. */
void webrtc_track_end(struct webrtc_track *);
void webrtc_track_play(struct webrtc_track *, struct opus_packets, bool last);
void webrtc_track_flush(struct webrtc_track *);

#endif
