#ifndef GATEWAY_STUDIO_ROOM_H
#define GATEWAY_STUDIO_ROOM_H

#include <pthread.h>
#include <sys/socket.h>

#include "broadcast/broadcast.h"
#include "gateway/studio.h"
#include "stream/opus_out.h"
#include "stream/rtp.h"

/* What the files of the studio share.  All is of its thread, but where it says. */

struct studio {
	struct gate *gate;
	struct arena *mem;
	struct conf conf; /* as it began */
	const struct broadcast_driver *driver;
	struct mailbox *box; /* of struct cue, from any thread */
	struct actor *hand;
	int bell, udp, family, port;
	pthread_t thread;
	atomic_bool stopping;
	struct booth *booths;
	int64_t tick; /* of 20 ms of monotonic_us(), the last that was served */
};

/* A letter to the studio that says itself what is to be done. */
struct cue {
	struct letter letter;
	void (*run)(struct studio *, struct cue *); /* frees it, or keeps it */
};

#define CUE(type) ((type *)letter_new(sizeof(type)))

/* From any thread; run() is called on the studio's. */
void cue_send(
    struct studio *, struct cue *, void (*run)(struct studio *, struct cue *));

/* ---- a room, as the studio has it ---- */

struct booth {
	struct booth *next;
	struct arena *mem;
	const char *name;  /* of the room at the media server; never changes */
	bool ours;         /* it is a session's: made and removed from here */
	struct room *room; /* NULL: it has left, or another booth has its name */
	bool here;         /* among the studio's; */
	bool replaced;     /* and what it had is another's now */
	int wanted, sent;  /* which languages, as the room counts them */
	bool busy;         /* the hand is at work for it */
	bool attached;     /* and it was successful last */
	bool heard;        /* something, since then */
	bool dropped;      /* it was removed, there is nothing left to do */
	int64_t looked_us, heard_us, left_us;
	uint32_t ssrc; /* of what comes */
	struct rtp_line in;
	struct lane *lanes;
};

/* The languages of a booth are these now. */
struct cue_languages {
	struct cue cue;
	struct booth *booth;
	int number;
	struct list languages; /* const char * */
};

struct cue_play {
	struct cue cue;
	struct booth *booth;
	const char *language; /* NULL, to be flushed: all of them */
	const int16_t *s;
	size_t n;
	bool last;
};

/* ---- studio_booth.c ---- */

/* What is due; false: it is no more. */
bool booth_turn(struct studio *, struct booth *, int64_t now_us);
void studio_languages(struct studio *, struct cue *);
void studio_say(struct studio *, struct cue *);
void studio_hush(struct studio *, struct cue *);  /* struct cue_play, n 0 */
void studio_leave(struct studio *, struct cue *); /* likewise */

/* ---- studio_side.c ---- */

/* To the room: a packet; all of its languages are there; no more will come. */
void side_packet(struct gate *, struct room *, const unsigned char *, size_t n);
void side_ready(struct gate *, struct room *, int number);
void side_left(struct gate *, struct room *);

/* ---- studio_lane.c ---- */

/* What one target says: sound in letters that wait for their time. */
struct lane {
	struct lane *next;
	struct arena *mem;
	const char *language;
	struct letter *first, *end; /* of struct cue_play */
	size_t at, samples;         /* of the first that are said; all that wait */
	bool ended;                 /* nothing joins what waits; */
	int quiet;                  /* so many packets of silence do */
	struct opus_out *out;
	struct rtp_source source;
	struct sockaddr_storage to;
	socklen_t to_size; /* 0: nowhere */
};

/* It goes nowhere yet; lane_free() frees it with what waits in it. */
struct lane *lane_new(const char *language);
void lane_free(struct lane *);
void lane_put(struct lane *, struct cue_play *);
void lane_flush(struct lane *);
/* Whether it has something to say at the next tick. */
bool lane_speaks(const struct lane *);
/* 20 ms of it; also said to nobody, as time goes by. */
void lane_tick(struct lane *, int udp, int64_t tick);

/* ---- studio_hand.c ---- */

/* What the hand is to do for a booth, and, when it comes back as a cue, has done. */
struct hand_job {
	struct cue cue;
	struct studio *studio;
	struct booth *booth;
	bool drop; /* all of it, instead */
	int number;
	struct broadcast_sound sound;
	enum err how;
	struct sockaddr_storage to; /* without a port */
	socklen_t to_size;
};

/*
 * An actor that calls the media server.  Each job comes back to the studio as a cue
 * with what it is about: attach, or drop all that is there.
 */
struct actor *hand_new(struct studio *);
void hand_attach(struct studio *, struct booth *);
void hand_drop(struct studio *, struct booth *);
void studio_done(struct studio *, struct cue *); /* struct hand_job */

#endif
