/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_MEDIA_INTERNAL_H
#define PARTICIPANT_MEDIA_INTERNAL_H

#include <pthread.h>

#include "audio/packet_queue.h"
#include "base/actor.h"
#include "participant/media_link.h"

/*
 * Shared by media_link.c (event loop), media_thread.c and media_track.c. Members belong
 * to the media thread unless stated otherwise.
 */
struct media_thread {
	struct gateway *gateway;
	struct rtc *rtc;
	struct rtc_settings settings;
	struct mailbox *calls; /* of struct media_call; the event loop sends */
	struct wakeup wakeup;
	pthread_t thread;
	struct watched *watch;
	atomic_bool stopping; /* set by any thread */
	struct media_track *tracks;
	struct media_link *links; /* open ones */
	int64_t tick;             /* last 20 ms tick served, monotonic_us() / 20000 */
	int64_t timers_us;        /* last rtc_tick() */
	int64_t unsent_us;        /* last check of unsent data */
	/* Under the lock, for all threads: */
	struct rtc_stats stats;
	struct arena *mem; /* of the candidates; NULL: not read yet */
	const struct ice_candidate *candidates;
	size_t n_candidates;
	int64_t candidates_us; /* when they were read */
	pthread_mutex_t lock;
};

struct media_link {
	struct arena *mem;
	/* The event loop's: */
	struct media_thread *thread; /* both threads; never changes */
	const struct media_events *events;
	void *owner;
	bool closed; /* media_link_close() was called */
	/* The media thread's: */
	struct media_link *next, **at; /* media_thread.links */
	struct rtc_peer *peer;         /* NULL: there was no free place */
	struct jitter_buffer in;
	int64_t second; /* monotonic: the second in which `told` is counted */
	int told;       /* messages and reports passed on in it */
	struct media_ear *ears;
};

/* A link that receives a track. */
struct media_ear {
	struct arena *mem;
	struct media_ear *next, **at;   /* media_track.ears */
	struct media_ear *next_of_link; /* media_link.ears */
	struct media_track *track;
	struct media_link *link;
	uint32_t ssrc;
	uint16_t seq; /* of the next packet */
};

struct media_track {
	struct arena *mem;
	struct media_thread *thread; /* both threads; never changes */
	struct media_track *next;    /* media_thread.tracks */
	struct packet_queue queue;
	struct media_ear *ears;
	uint32_t first_ts; /* random */
	int64_t last_tick; /* of the last packet */
	bool ended;        /* freed when the queue is empty */
};

/* A message to the media thread. */
struct media_call {
	struct actor_message message;
	enum media_call_kind {
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
		MEDIA_TRACK_PLAY, /* struct media_play */
	} kind;
	struct media_link *link;
	struct media_track *track;
	struct ice_credentials local; /* OPEN, RESTART */
	bool channels;                /* OPEN */
	const char *hash;             /* REMOTE */
	bool passive;                 /* REMOTE */
	const char *text;  /* fingerprint, label, cname; CLOSE: for the log */
	const void *bytes; /* MESSAGE */
	size_t n;
	int number; /* SCTP port, payload type */
	uint32_t ssrc;
};

struct media_play {
	struct media_call call;
	struct queued_packets queued; /* of the call's arena */
};

/* A message to the event loop. */
struct media_event {
	struct thread_call call;
	enum media_event_kind {
		MEDIA_STATE,
		MEDIA_PACKET,
		MEDIA_CHANNEL,
		MEDIA_DATA,
		MEDIA_LOSS,
		MEDIA_GONE, /* the last one */
	} kind;
	struct media_link *link;
	enum rtc_state state;
	enum media_failure failure; /* of RTC_FAILED */
	const char *text;           /* failure in words, or label */
	const void *bytes;
	size_t n;
	uint32_t ssrc;
	int percent;
};

/* ---- media_track.c ---- */

void media_track_send(
    struct media_link *, struct media_track *, uint32_t ssrc, const char *cname);
void media_track_deaf(struct media_link *, uint32_t ssrc);
/* Send the packet that is due.  False: the track has ended and was freed. */
bool media_track_tick(struct media_track *, int64_t tick);
void media_track_free(struct media_track *);

/* On the event loop: hand an event to the link's owner. */
void media_link_take(struct gateway *, struct thread_call *);

#endif
