#ifndef BRIDGE_BRIDGE_INTERNAL_H
#define BRIDGE_BRIDGE_INTERNAL_H

#include <pthread.h>
#include <sys/socket.h>

#include "audio/opus_encoder.h"
#include "audio/rtp.h"
#include "bridge/rtp_bridge.h"
#include "broadcast/broadcast.h"

/* What the files of the RTP bridge share.  All is of its thread, but where it says. */

struct rtp_bridge {
	struct gateway *gateway;
	struct arena *mem;
	struct conf conf; /* as it began */
	const struct broadcast_driver *driver;
	struct mailbox *box; /* of struct call, from any thread */
	struct actor *janus_caller;
	int wakeup_fd, udp, family, port;
	pthread_t thread;
	atomic_bool stopping;
	struct bridge_room *rooms;
	int64_t tick; /* of 20 ms of monotonic_us(), the last that was served */
};

/* A message to the RTP bridge that says itself what is to be done. */
struct bridge_call {
	struct actor_message message;
	void (*run)(
	    struct rtp_bridge *, struct bridge_call *); /* frees it, or keeps it */
};

#define BRIDGE_CALL(type) ((type *)actor_message_new(sizeof(type)))

/* From any thread; run() is called on the RTP bridge's. */
void bridge_call_send(struct rtp_bridge *, struct bridge_call *,
    void (*run)(struct rtp_bridge *, struct bridge_call *));

/* ---- a session, as the RTP bridge has it ---- */

struct bridge_room {
	struct bridge_room *next;
	struct arena *mem;
	const char *name; /* of the session at the media server; never changes */
	bool ours;        /* it is a session's: made and removed from here */
	struct session
	    *session;     /* NULL: it has left, or another bridge room has its name */
	bool here;        /* among the RTP bridge's; */
	bool replaced;    /* and what it had is another's now */
	int wanted, sent; /* which languages, as the session counts them */
	bool busy;        /* the Janus caller is at work for it */
	bool attached;    /* and it was successful last */
	bool heard;       /* something, since then */
	bool dropped;     /* it was removed, there is nothing left to do */
	int64_t looked_us, heard_us, left_us;
	uint32_t ssrc; /* of what comes */
	struct jitter_buffer in;
	struct output_track *tracks;
};

/* The languages of a bridge room are these now. */
struct bridge_languages {
	struct bridge_call call;
	struct bridge_room *room;
	int number;
	struct list languages; /* const char * */
};

struct bridge_audio {
	struct bridge_call call;
	struct bridge_room *room;
	const char *language; /* NULL, to be flushed: all of them */
	const int16_t *s;
	size_t n;
	bool last;
};

/* ---- bridge_room.c ---- */

/* What is due; false: it is no more. */
bool bridge_room_tick(struct rtp_bridge *, struct bridge_room *, int64_t now_us);
void bridge_room_languages(struct rtp_bridge *, struct bridge_call *);
void bridge_room_play(struct rtp_bridge *, struct bridge_call *);
void bridge_room_flush(
    struct rtp_bridge *, struct bridge_call *); /* struct bridge_audio, n 0 */
void bridge_room_leave(struct rtp_bridge *, struct bridge_call *); /* likewise */

/* ---- bridge_api.c ---- */

/* To the session: a packet; all of its languages are there; no more will come. */
void bridge_api_packet(
    struct gateway *, struct session *, const unsigned char *, size_t n);
void bridge_api_ready(struct gateway *, struct session *, int number);
void bridge_api_left(struct gateway *, struct session *);

/* ---- output_track.c ---- */

/* What one target says: sound in messages that wait for their time. */
struct output_track {
	struct output_track *next;
	struct arena *mem;
	const char *language;
	struct actor_message *first, *end; /* of struct bridge_audio */
	size_t at, samples; /* of the first that are said; all that wait */
	bool ended;         /* nothing joins what waits; */
	int quiet;          /* so many packets of silence do */
	struct opus_encoder *out;
	struct rtp_source source;
	struct sockaddr_storage to;
	socklen_t to_size; /* 0: nowhere */
};

/* It goes nowhere yet; output_track_free() frees it with what waits in it. */
struct output_track *output_track_new(const char *language);
void output_track_free(struct output_track *);
void output_track_put(struct output_track *, struct bridge_audio *);
void output_track_flush(struct output_track *);
/* Whether it has something to say at the next tick. */
bool output_track_has_sound(const struct output_track *);
/* 20 ms of it; also said to nobody, as time goes by. */
void output_track_tick(struct output_track *, int udp, int64_t tick);

/* ---- janus_caller.c ---- */

/* What the Janus caller is to do for a bridge room, and, when it comes back as a call,
 * has done. */
struct janus_job {
	struct bridge_call call;
	struct rtp_bridge *bridge;
	struct bridge_room *room;
	bool drop; /* all of it, instead */
	int number;
	struct broadcast_sound sound;
	enum err how;
	struct sockaddr_storage to; /* without a port */
	socklen_t to_size;
};

/*
 * An actor that calls the media server.  Each job comes back to the RTP bridge as a
 * call with what it is about: attach, or drop all that is there.
 */
struct actor *janus_caller_new(struct rtp_bridge *);
void janus_caller_attach(struct rtp_bridge *, struct bridge_room *);
void janus_caller_drop(struct rtp_bridge *, struct bridge_room *);
void bridge_room_done(struct rtp_bridge *, struct bridge_call *); /* struct janus_job */

#endif
