/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PARTICIPANT_PARTICIPANT_INTERNAL_H
#define PARTICIPANT_PARTICIPANT_INTERNAL_H

#include "livekit/signal.h"
#include "participant/participant.h"
#include "participant/webrtc_link.h"
#include "rtc/sdp.h"

/*
 * Shared by the files of participants, the upper ones calling the lower ones:
 *
 *	participant.c how participants join, resume, leave; timers
 *	participant_signal.c  requests of the client
 *	participant_links.c   its two peer connections
 *	participant_tracks.c the offer to it: tracks of the translator
 *	participant_data.c    messages by data channel
 *	whip.c                peer connections without a participant
 *	whip_resource.c       their HTTP resources, on the database thread
 *	translator_tracks.c   the translator of a session and its tracks
 *	participant_send.c    responses to the client
 *	webrtc_link.c          messages to and from the media thread
 *	webrtc_thread.c        the media thread
 *
 * All data here belongs to the event loop.  Times are monotonic_us() unless stated
 * otherwise.
 */

#define PARTICIPANT_SECTIONS 20 /* the most audio sections of a participant */

/* A target language as the translator's track. */
struct translator_track {
	struct translator_track *next;
	const char *language; /* code as the task spells it */
	const char *code;     /* folded */
	const char *name;     /* translation_<language> */
	char sid[SID_BYTES];
	struct webrtc_track *media; /* the media thread's */
	int64_t played_us; /* time at which all its packets will have been played */
	bool ending;       /* its language is not in the latest task any more */
};

/*
 * The translator of a session, and the room as clients see it. In the session's arena.
 */
struct translator {
	char sid[SID_BYTES], room_sid[SID_BYTES];
	const char *identity, *room; /* room: the session's name for participants */
	int64_t made_ms;             /* unix */
	uint32_t version;            /* larger with each change of tracks */
	struct translator_track
	    *tracks; /* tracks of the latest task, in its order, then ending ones */
	struct translator_track *original; /* NULL: no player wanted it yet */
};

/* An audio section of the offer; its mid is its index + 1. */
struct participant_section {
	const struct translator_track *track; /* NULL: inactive */
	uint32_t ssrc;
	bool sends;    /* the media thread sends it */
	bool offered;  /* was in the last offer */
	bool accepted; /* accepted in the last answer */
	int loss;      /* last loss reported by its receiver, percent */
};

/* One of the two peer connections. */
struct participant_half {
	struct participant *of;
	struct webrtc_link *link; /* NULL: not open */
	struct sdp_local local;
	/* credentials of the last offer */
	char remote_ufrag[sizeof(((struct sdp *)0)->ufrag)];
	bool connected, failed;
	bool has_channel; /* data can be sent */
};

/* A message that waits for the data channel. */
struct participant_waiting {
	struct participant_waiting *next;
	struct arena *mem;
	const char *text;
	size_t n;
};

/* A socket of signalling. */
struct signal_socket {
	struct arena *mem;
	struct websocket *websocket;
	struct participant *participant; /* NULL: it uses another socket now */
};

struct participant {
	struct due_entry
	    due; /* first: it is the participant; gateway.participants_due */
	struct participant *next, **at; /* list gateway.participants */
	struct arena *mem;              /* owned */
	struct gateway *gateway;
	const struct signal_params *params;
	/* connection of its session; NULL: it has left */
	struct connection *connection;
	struct signal_socket *signal; /* NULL: signalling is lost */
	char sid[SID_BYTES];
	int64_t joined_ms; /* unix */
	int64_t joined_us, lost_us;
	uint32_t version;   /* version of its ParticipantInfo */
	bool was_connected; /* a peer connection was connected before */
	bool leaving;       /* leave was sent: only the socket is still open */
	/*
	 * Send leave with this reason at that time, because the session has ended; 0:
	 * it has not.
	 */
	int64_t dismissed_us;
	enum signal_leave_reason dismissal;
	enum signal_leave_action dismissal_action;
	struct limit limits[LIMIT_KINDS];

	struct participant_half publisher, subscriber;
	struct signal_track microphone; /* subscription to a track; sid NULL: none */
	char microphone_sid[SID_BYTES], microphone_name[257];
	bool received; /* its section was accepted */

	struct participant_section sections[PARTICIPANT_SECTIONS];
	size_t n_sections;
	struct participant_choice {
		char sid[SID_BYTES]; /* sid of a track */
		bool subscribed, disabled;
	} choices[PARTICIPANT_SECTIONS]; /* the client's choices about tracks */
	size_t n_choices;
	uint32_t offer_id;
	int64_t offered_us; /* time at which the unanswered offer was sent; 0: none */
	bool offer_again;
	uint32_t told_version; /* version of the translator that was sent last */
	/*
	 * Values at the last review of its tracks: version of the translator,
	 * connection.tuned.
	 */
	uint32_t reviewed_version;
	int64_t reviewed_tuned_us;

	struct participant_waiting *waiting, **waiting_end;
	size_t waiting_bytes;
	int64_t waiting_us;       /* time since when the client's messages wait */
	uint32_t sequence;        /* number of the last numbered data packet */
	int64_t data_reported_us; /* last time at which RATE_LIMIT_EXCEEDED was sent */
	/* already logged: packets without the right to send */
	bool told_no_data;
};

/* Check it in the next turn, since a condition of its timers has changed. */
static inline void
participant_check(struct participant *p)
{
	due_heap_sooner(&p->gateway->participants_due, &p->due, 0);
}

/* ---- participant_signal.c ---- */

/* Handle a request. False: the client leaves. */
bool participant_request(
    struct participant *, const char *, size_t n, bool binary) MUST_CHECK;

/* ---- participant_links.c ---- */

/* Open one of the peer connections unless it is open; close both. */
void participant_open_link(struct participant *, struct participant_half *);
void participant_close_links(struct participant *);

/* ---- participant_tracks.c ---- */

/* Send an offer if the tracks differ from the last one. */
void participant_review_tracks(struct participant *);
/* The targets of a task that starts become the translator's tracks. */
void participant_begin_tracks(struct session *, const struct pipeline_config *);
/* Stop offering the translator's tracks that have ended. */
void participant_end_tracks(struct session *, int64_t now_us);
/* Send a new offer even if nothing changed; restarts ICE. */
void participant_offer_again(struct participant *);
void participant_answered(struct participant *, const struct sdp *);
/* Let packets be encoded for the loss that receivers report. */
void participant_follow_loss(struct session *);
/* Set whether the client wants a track. */
void participant_choose(struct participant *, const char *sid, bool wanted);
void participant_disable(struct participant *, const char *sid, bool disabled);

/* ---- participant_data.c ---- */

extern const struct transport participant_transport;
void participant_data(struct participant *, const void *, size_t n);
/* A channel is open now. */
void participant_channel(struct participant_half *, const char *label);
void participant_drop_data(struct participant *);

/* ---- translator_tracks.c ---- */

struct translator *translator_of(struct session *);
/* NULL: no participant has joined yet. */
struct translator *translator_is(const struct session *);
struct translator_track *translator_find(const struct session *, const char *language);
/*
 * The track of a folded language in the latest task, "": the first, or of the original;
 * NULL: none.
 */
const struct translator_track *translator_tuned(struct session *, const char *language);
/* The targets of the task become its tracks; the others are ending. */
void translator_change(struct session *, const struct task *);
/*
 * Remove and return the ending tracks whose pipelines have finished and whose last
 * packet was played. The caller ends their media when no participant receives them.
 */
struct translator_track *translator_ended(struct session *, int64_t now_us);
/* Returns the translator's ParticipantInfo. */
struct signal_participant translator_info(const struct session *, struct arena *);

/* ---- whip.c ---- */

struct whip;
extern const struct transport whip_transport;
/* Send the track of its language, if it listens. */
void whip_review_track(struct whip *);
/* Loss that it reports for the track, percent; -1: it does not receive it. */
int whip_loss(const struct whip *, const struct translator_track *);

/* ---- participant_send.c ---- */

void participant_send(struct participant *, const struct buf *);
/* As participant_send(), to a socket without a participant. */
void participant_send_to(struct websocket *, const struct buf *);
void participant_send_join(struct participant *);
void participant_send_reconnect(struct participant *);
void participant_send_self(struct participant *);
void participant_send_translator(struct participant *);
void participant_send_description(
    struct participant *, const char *type, const struct buf *sdp, uint32_t id);
/* Send leave and close the socket. */
void participant_send_leave(
    struct participant *, enum signal_leave_reason, enum signal_leave_action);

#endif
