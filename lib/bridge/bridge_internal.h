/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BRIDGE_BRIDGE_INTERNAL_H
#define BRIDGE_BRIDGE_INTERNAL_H

#include <pthread.h>
#include <sys/socket.h>

#include "audio/packet_queue.h"
#include "audio/rtp.h"
#include "base/actor.h"
#include "bridge/rtp_bridge.h"
#include "broadcast/broadcast.h"

/*
 * Shared by the files of the RTP bridge, the upper ones calling the lower ones:
 *
 *	bridge_api.c    the row of the outputs, on the event loop: it sends calls, and
 *	                runs the messages of the bridge
 *	rtp_bridge.c    the thread: a UDP socket, a 20 ms clock, calls
 *	bridge_room.c   bridge rooms: their languages, when to call the media server
 *	janus_caller.c  calls to the media server, by an actor of the pool
 *
 * All data belongs to the thread of the RTP bridge, except where noted.
 */

struct rtp_bridge {
	struct gateway *gateway;
	void (*report)(struct gateway *, struct thread_call *);
	struct conf conf; /* copy made at start */
	const struct broadcast_driver *driver;
	struct mailbox *calls; /* mailbox for struct bridge_call; any thread sends */
	struct actor *janus_caller;
	struct wakeup wakeup;
	int udp, family, port; /* socket, its AF_*, its port */
	pthread_t thread;
	struct watched *watch;
	atomic_bool stopping; /* set by any thread */
	struct bridge_room *rooms;
	int64_t tick; /* last 20 ms tick served, monotonic_us() / 20000 */
};

/*
 * report: run by the event loop for each struct bridge_message.  *to is unchanged if no
 * media server is configured.  False: the RTP address cannot be bound; logged.
 */
bool rtp_bridge_start(struct gateway *,
    void (*report)(struct gateway *, struct thread_call *), struct rtp_bridge **to);
/*
 * Call when all sessions have closed.  Destroys their rooms, within 2 s.  False: the
 * thread does not respond and keeps running.
 */
bool rtp_bridge_stop(struct rtp_bridge *) MUST_CHECK;

/* A message to the RTP bridge, for one of its rooms. */
struct bridge_call {
	struct actor_message message;
	enum bridge_call_kind {
		BRIDGE_LANGUAGES, /* struct bridge_languages */
		BRIDGE_PLAY,      /* struct bridge_audio */
		BRIDGE_FLUSH,     /* struct bridge_audio without packets */
		BRIDGE_LEAVE,     /* struct bridge_call: the session leaves the room */
		BRIDGE_JOB_DONE,  /* struct janus_job */
	} kind;
	struct bridge_room *room;
};

/* The new languages of a bridge room. */
struct bridge_languages {
	struct bridge_call call;
	int number;            /* version, counted by the session */
	struct list languages; /* const char * */
};

struct bridge_audio {
	struct bridge_call call;
	const char *language;         /* FLUSH: NULL is all */
	struct queued_packets queued; /* PLAY: of the call's arena */
};

/* ---- bridge_room.c ---- */

/* One target language: its packets, and the one receiver at the media server. */
struct output_track {
	struct output_track *next;
	struct arena *mem;
	const char *language;
	struct packet_queue queue;
	struct rtp_source source;
	struct sockaddr_storage to; /* mountpoint */
	socklen_t to_size;          /* 0: no address yet */
};

struct bridge_room {
	struct bridge_room *next;
	struct arena *mem;
	/* name at the media server; any thread may read it, as it never changes */
	const char *name;
	/* true for a session's room, which the bridge creates and destroys */
	bool ours;
	struct session *session; /* NULL: the session has left */
	bool listed;             /* it is in rtp_bridge.rooms */
	bool replaced;           /* a newer bridge room has the same name */
	int wanted, sent;        /* version of the languages: latest, sent to Janus */
	bool busy;               /* the Janus caller has a job for this room */
	bool attached;           /* the last attach succeeded */
	bool heard;              /* a packet came since the last job */
	bool destroyed;          /* it was destroyed at the media server */
	/* monotonic: end of the last job; last packet; when the session left */
	int64_t job_us, packet_us, left_us;
	uint32_t ssrc; /* SSRC of incoming packets */
	struct jitter_buffer in;
	struct output_track *tracks; /* one for each target language */
};

/* A message to the event loop. */
struct bridge_message {
	struct thread_call call;
	enum bridge_message_kind {
		BRIDGE_PACKET,
		BRIDGE_READY, /* all languages are attached */
		BRIDGE_LEFT,  /* the last message for this session */
	} kind;
	struct session *session;
	int number;         /* READY: version of the languages */
	const void *packet; /* PACKET: of jitter_buffer_next() */
	size_t n;           /* bytes of the data */
};

/* The message is copied. */
void bridge_report_send(const struct rtp_bridge *, const struct bridge_message *);

/* Do all work that is due; false: the room was freed. */
bool bridge_room_tick(struct rtp_bridge *, struct bridge_room *, int64_t now_us);
/* Execute a call, and free it. */
void bridge_room_call(struct rtp_bridge *, struct bridge_call *);

/* ---- janus_caller.c ---- */

/* A job of the Janus caller for a bridge room; comes back as BRIDGE_JOB_DONE. */
struct janus_job {
	struct bridge_call call;
	bool destroy;                 /* the room, instead of attaching it */
	int number;                   /* version of the languages */
	struct broadcast_sound sound; /* addresses for sound in both directions */
	enum err how;                 /* result */
	struct sockaddr_storage to;   /* result, without a port */
	socklen_t to_size;
};

/* An actor that calls the media server. */
struct actor *janus_caller_new(struct rtp_bridge *);
/* Let the caller attach the room, or destroy it. */
void janus_caller_send(struct rtp_bridge *, struct bridge_room *, bool destroy);

/* ---- bridge_api.c ---- */

/* Returns the bridge; NULL: there is no media server. */
struct rtp_bridge *bridge_api_of(const struct gateway *);

#endif
