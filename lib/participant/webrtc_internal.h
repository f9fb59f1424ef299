/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_WEBRTC_INTERNAL_H
#define PARTICIPANT_WEBRTC_INTERNAL_H

#include <pthread.h>

#include "audio/packet_queue.h"
#include "base/actor.h"
#include "participant/webrtc_link.h"
#include "rtc/rtc_sender.h"

/*
 * Shared by webrtc_link.c (event loop), webrtc_thread.c (media thread), track_thread.c
 * and webrtc_track.c (track threads). Members belong to the media thread unless stated
 * otherwise.
 *
 * The media thread receives all packets, and does all of ICE, DTLS and SCTP. Each link
 * has one of the track threads, which sends the tracks to it. So a crowd that joins
 * delays no audio, and a link may change its address at any time.
 *
 *	event loop --> track thread: TRACK*, SEND, STOP, CLOSE
 *	event loop --> media thread: OPEN and calls of the peer connection
 *	track thread --> media thread: SEND, STOP, CLOSE, when it has done its part
 *	media thread --> track thread: ROUTE; GONE after the last one
 *	track thread --> event loop: GONE
 */
#define TRACK_THREADS 64 /* the most track threads */

/* A thread that sends tracks. Members belong to it unless stated otherwise. */
struct track_thread {
	struct webrtc_thread *media;
	struct rtc_sender *sender;
	struct mailbox *calls; /* for struct webrtc_call; other threads send */
	struct wakeup wakeup;
	pthread_t thread;
	struct watched *watch;
	struct track_part *parts; /* tracks */
	int ears;                 /* subscriptions */
	int64_t tick;             /* last 20 ms tick served, monotonic_us() / 20000 */
};

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
	struct track_thread *senders;
	int n_senders, next_sender; /* next_sender: the event loop's */
	struct webrtc_link *links;  /* open ones */
	struct webrtc_link *late;   /* those with packets that wait for others */
	struct webrtc_link *unsent; /* those to which a message was sent */
	int64_t timers_us;          /* last rtc_tick() */
	bool changed;               /* calls or packets came after it */
	int64_t unsent_us;          /* last check of unsent data */
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
	bool closed;                 /* webrtc_link_close() was called */
	struct track_thread *sender; /* all threads; never changes */
	/* Members of the track thread: */
	struct rtc_route route;
	struct webrtc_subscription *ears; /* the media thread's after MEDIA_CLOSE */
	/* Members of the media thread: */
	struct webrtc_link *next, **at; /* webrtc_thread.links */
	struct rtc_peer *peer;          /* NULL: no peer connection was free */
	struct jitter_buffer in;
	/* webrtc_thread.late; at_late NULL: it is not in the list */
	struct webrtc_link *next_late, **at_late;
	/* webrtc_thread.unsent; likewise */
	struct webrtc_link *next_unsent, **at_unsent;
	int64_t second; /* monotonic second in which `reports` is counted */
	int reports;    /* messages and reports passed on in it */
};

/* A link that receives a track. The track thread's, but its counts. */
struct webrtc_subscription {
	struct arena *mem;
	struct webrtc_subscription *next, **at;   /* track_part.ears */
	struct webrtc_subscription *next_of_link; /* webrtc_link.ears */
	struct webrtc_link *link;
	uint32_t ssrc;
	int payload_type;
	uint16_t seq; /* sequence number of the next packet */
	const char *cname;
	struct rtc_sent sent; /* also read by the media thread */
	bool greeted;         /* got its first packet */
};

/* The part of a track that one track thread sends. */
struct track_part {
	struct track_part *next; /* track_thread.parts */
	struct webrtc_track *track;
	struct packet_queue queue;
	/* its subscribers; those that got no packet yet come first */
	struct webrtc_subscription *ears;
	int64_t last_tick; /* tick of the last packet */
	bool ended;        /* removed when the queue is empty */
};

/* Constant, but the parts. */
struct webrtc_track {
	struct arena *mem; /* freed with its last part */
	struct webrtc_thread *thread;
	uint32_t first_ts;         /* random */
	atomic_int left;           /* parts */
	struct track_part parts[]; /* one for each track thread */
};

/* A message to the media thread, or to a track thread. */
struct webrtc_call {
	struct actor_message message;
	enum webrtc_call_kind {
		MEDIA_OPEN,
		MEDIA_CLOSE,
		MEDIA_REMOTE,
		MEDIA_RECEIVE,
		MEDIA_RESTART,
		MEDIA_MESSAGE,
		MEDIA_FORWARD, /* a packet for a route by TCP */
		MEDIA_ROUTE,
		MEDIA_GONE_PEER, /* the peer connection is closed */
		MEDIA_SEND,
		MEDIA_STOP,
		MEDIA_TRACK,
		MEDIA_TRACK_END,
		MEDIA_TRACK_FLUSH,
		MEDIA_TRACK_PLAY, /* struct webrtc_play */
	} kind;
	struct webrtc_link *link;
	struct track_part *part;         /* TRACK*, SEND */
	struct webrtc_subscription *ear; /* SEND; STOP at the media thread */
	const struct rtc_route *route;   /* ROUTE */
	struct ice_credentials local;    /* OPEN, RESTART */
	bool channels;                   /* OPEN */
	const char *hash;                /* REMOTE */
	bool passive;                    /* REMOTE */
	const char *text;                /* fingerprint, label; CLOSE: for the log */
	const void *bytes;               /* MESSAGE, FORWARD */
	size_t n;
	int number; /* SCTP port (REMOTE), payload type (RECEIVE) */
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

struct webrtc_call *webrtc_call_new(enum webrtc_call_kind, size_t bytes);
/* Begin and end to send a track to a link. */
void webrtc_track_send(struct track_part *, struct webrtc_subscription *);
/* Returns the subscription, which is not sent to any more; NULL: there is none. */
struct webrtc_subscription *webrtc_track_stop(struct webrtc_link *, uint32_t ssrc);
/* Stop all; they stay in the list of the link. */
void webrtc_track_stop_all(struct webrtc_link *);
/* True if a tick has something to do. */
bool webrtc_track_has_sound(const struct track_part *);
/* Send the packet that is due.  False: the part has ended and was freed. */
bool webrtc_track_tick(struct track_part *, int64_t tick);
void webrtc_track_free(struct track_part *);

/* ---- track_thread.c ---- */

/* False: it cannot start. */
bool track_thread_start(struct track_thread *, struct webrtc_thread *) MUST_CHECK;
/* Waits at most most_us. False, and logged: it does not respond. */
bool track_thread_stop(struct track_thread *, int64_t most_us) MUST_CHECK;
/* After the media thread has stopped, too: run the last calls. */
void track_thread_finish(struct track_thread *);

/* Give an event to the link's owner. Runs on the event loop. */
void webrtc_link_handle(struct gateway *, struct thread_call *);

#endif
