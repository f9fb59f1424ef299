/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_WEBRTC_INTERNAL_H
#define PARTICIPANT_WEBRTC_INTERNAL_H

#include <pthread.h>

#include "audio/packet_queue.h"
#include "base/actor.h"
#include "participant/webrtc_link.h"

/*
 * Shared by webrtc_link.c (event loop), webrtc_thread.c and webrtc_track.c. Members
 * belong to the media thread unless stated otherwise.
 */
struct webrtc_thread {
	struct gateway *gateway;
	struct rtc *rtc;
	struct rtc_settings settings;
	/* mailbox for struct webrtc_call; the event loop sends */
	struct mailbox *calls;
	struct wakeup wakeup;
	pthread_t thread;
	struct watched *watch;
	atomic_bool stopping; /* set by any thread */
	struct webrtc_track *tracks;
	struct webrtc_link *links; /* open ones */
	int64_t tick;              /* last 20 ms tick served, monotonic_us() / 20000 */
	int64_t timers_us;         /* last rtc_tick() */
	int64_t unsent_us;         /* last check of unsent data */
	/* Guarded by the lock, for all threads: */
	struct rtc_stats stats;
	struct arena *mem; /* arena of the candidates; NULL: not read yet */
	const struct ice_candidate *candidates;
	size_t n_candidates;
	int64_t candidates_us; /* time at which they were read */
	pthread_mutex_t lock;
};

struct webrtc_link {
	struct arena *mem;
	/* Members of the event loop: */
	struct webrtc_thread *thread; /* both threads; never changes */
	const struct webrtc_events *events;
	void *owner;
	bool closed; /* webrtc_link_close() was called */
	/* Members of the media thread: */
	struct webrtc_link *next, **at; /* webrtc_thread.links */
	struct rtc_peer *peer;          /* NULL: no peer connection was free */
	struct jitter_buffer in;
	int64_t second; /* monotonic second in which `reports` is counted */
	int reports;    /* messages and reports passed on in it */
	struct webrtc_subscription *ears;
};

/* A link that receives a track. */
struct webrtc_subscription {
	struct arena *mem;
	struct webrtc_subscription *next, **at;   /* webrtc_track.ears */
	struct webrtc_subscription *next_of_link; /* webrtc_link.ears */
	struct webrtc_track *track;
	struct webrtc_link *link;
	uint32_t ssrc;
	int payload_type;
	uint16_t seq; /* sequence number of the next packet */
};

struct webrtc_track {
	struct arena *mem;
	struct webrtc_thread *thread; /* both threads; never changes */
	struct webrtc_track *next;    /* webrtc_thread.tracks */
	struct packet_queue queue;
	struct webrtc_subscription *ears;
	uint32_t first_ts; /* random */
	int64_t last_tick; /* tick of the last packet */
	bool ended;        /* freed when the queue is empty */
};

/* A message to the media thread. */
struct webrtc_call {
	struct actor_message message;
	enum webrtc_call_kind {
		MEDIA_OPEN,
		MEDIA_CLOSE,
		MEDIA_REMOTE,
		MEDIA_RECEIVE,
		MEDIA_RESTART,
		MEDIA_MESSAGE,
		MEDIA_HEAR,
		MEDIA_DEAF,
		MEDIA_TRACK,
		MEDIA_TRACK_END,
		MEDIA_TRACK_FLUSH,
		MEDIA_TRACK_PLAY, /* struct webrtc_play */
	} kind;
	struct webrtc_link *link;
	struct webrtc_track *track;
	struct ice_credentials local; /* OPEN, RESTART */
	bool channels;                /* OPEN */
	const char *hash;             /* REMOTE */
	bool passive;                 /* REMOTE */
	const char *text;  /* fingerprint, label, cname; CLOSE: for the log */
	const void *bytes; /* MESSAGE */
	size_t n;
	int number; /* SCTP port (REMOTE), payload type (RECEIVE, HEAR) */
	uint32_t ssrc;
};

struct webrtc_play {
	struct webrtc_call call;
	struct queued_packets queued; /* in the call's arena */
};

/* A message to the event loop. */
struct webrtc_event {
	struct thread_call call;
	enum webrtc_event_kind {
		MEDIA_STATE,
		MEDIA_PACKET,
		MEDIA_CHANNEL,
		MEDIA_DATA,
		MEDIA_LOSS,
		MEDIA_GONE, /* the last one */
	} kind;
	struct webrtc_link *link;
	enum rtc_state state;
	enum webrtc_failure failure; /* reason of RTC_FAILED */
	const char *text;            /* failure in words, or label */
	const void *bytes;
	size_t n;
	uint32_t ssrc;
	int percent;
};

/* ---- webrtc_track.c ---- */

void webrtc_track_send(
    struct webrtc_link *, struct webrtc_track *, const struct webrtc_sender *);
void webrtc_track_stop(struct webrtc_link *, uint32_t ssrc);
/* Send the packet that is due.  False: the track has ended and was freed. */
bool webrtc_track_tick(struct webrtc_track *, int64_t tick);
void webrtc_track_free(struct webrtc_track *);

/* Give an event to the link's owner. Runs on the event loop. */
void webrtc_link_handle(struct gateway *, struct thread_call *);

#endif
