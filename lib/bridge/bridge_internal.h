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
 *	rtp_bridge.c    the thread: a UDP socket, a 20 ms clock, calls
 *	bridge_room.c   bridge rooms: when to call the media server
 *	output_track.c  a target language and its receiver
 *	janus_caller.c  calls to the media server, by an actor of the pool
 *	bridge_api.c    for sessions, on the event loop: it sends calls, and runs the
 *	                messages of the bridge
 *
 * All data belongs to the thread of the RTP bridge, except where noted.
 */

struct rtp_bridge {
	struct gateway *gateway;
	struct conf conf; /* copy made at start */
	const struct broadcast_driver *driver;
	struct mailbox *calls; /* of struct bridge_call; any thread sends */
	struct actor *janus_caller;
	struct wakeup wakeup;
	int udp, family, port; /* socket, its AF_*, its port */
	pthread_t thread;
	struct watched *watch;
	atomic_bool stopping; /* set by any thread */
	struct bridge_room *rooms;
	int64_t tick; /* last 20 ms tick served, monotonic_us() / 20000 */
};

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

struct bridge_room {
	struct bridge_room *next;
	struct arena *mem;
	const char *name;        /* at the media server; any thread, never changes */
	bool ours;               /* of a session: created and destroyed by the bridge */
	struct session *session; /* NULL: the session has left */
	bool listed;             /* in rtp_bridge.rooms */
	bool replaced;           /* a newer bridge room has the same name */
	int wanted, sent;        /* version of the languages: latest, sent to Janus */
	bool busy;               /* the Janus caller has a job for this room */
	bool attached;           /* the last attach succeeded */
	bool heard;              /* a packet came since the last job */
	bool destroyed;          /* at the media server */
	/* monotonic: end of the last job; last packet; when the session left */
	int64_t job_us, heard_us, left_us;
	uint32_t ssrc; /* of incoming packets */
	struct jitter_buffer in;
	struct output_track *tracks; /* one per target language */
};

/* Do what is due; false: the room was freed. */
bool bridge_room_tick(struct rtp_bridge *, struct bridge_room *, int64_t now_us);
/* Carry out a call, and free it. */
void bridge_room_call(struct rtp_bridge *, struct bridge_call *);

/* ---- output_track.c ---- */

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

/* No address yet.  output_track_free() also frees the queue. */
struct output_track *output_track_new(const char *language);
void output_track_free(struct output_track *);

/* ---- janus_caller.c ---- */

/* A job of the Janus caller for a bridge room; comes back as BRIDGE_JOB_DONE. */
struct janus_job {
	struct bridge_call call;
	bool destroy;                 /* the room, instead of attaching it */
	int number;                   /* version of the languages */
	struct broadcast_sound sound; /* in and out */
	enum err how;                 /* result */
	struct sockaddr_storage to;   /* result, without a port */
	socklen_t to_size;
};

/* An actor that calls the media server; the other functions send it a job. */
struct actor *janus_caller_new(struct rtp_bridge *);
void janus_caller_attach(struct rtp_bridge *, struct bridge_room *);
void janus_caller_destroy(struct rtp_bridge *, struct bridge_room *);

/* ---- bridge_api.c ---- */

/*
 * Messages to the event loop: a packet of jitter_buffer_next(); all languages of this
 * version are attached; the last message for this session.
 */
void bridge_api_packet(
    struct gateway *, struct session *, const unsigned char *, size_t n);
void bridge_api_ready(struct gateway *, struct session *, int number);
void bridge_api_left(struct gateway *, struct session *);

#endif
