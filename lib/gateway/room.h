#ifndef GATEWAY_ROOM_H
#define GATEWAY_ROOM_H

#include "gateway/run.h"
#include "service/price.h"
#include "stream/limit.h"
#include "stream/message.h"
#include "stream/pace.h"
#include "stream/state.h"

/*
 * A session or channel with those who are connected to it.  Everything here is of
 * the sockets' thread.
 *
 *	room.c     who comes and goes, and what each of them is sent
 *	talk.c     what a writer says, by the table of stream/state.h
 *	hear.c     the sound that he sends
 *	play.c     what a run says, and when its sound leaves
 *	book.c     what the desk does for a room: glossaries, places, bills
 */
struct client {
	struct client *next;
	struct room *room;
	struct socket *socket;
	struct visitor *visitor;
	struct limit limits[LIMIT_KINDS];
	bool told_no_task; /* that there is none was said once, for audio */
};

/* A run as the room has it. */
struct shift {
	struct shift *next;
	struct arena *mem;
	struct run *run;
	int number;   /* as the task was asked for */
	bool dropped; /* nothing of it is wanted any more */
	bool left;    /* it hears no more */
	bool echoed;
	struct playback lanes[TASK_TARGETS];
};

struct room {
	struct room *next;
	struct arena *mem;
	struct gate *gate;
	const char *id, *account;
	bool own; /* the session ends with its connection */
	struct client *clients;
	struct client *writer; /* NULL: only listeners, or nobody */
	int owed;              /* letters that will come back to this room */
	bool closed; /* its session was deleted, or its connections are ended */

	enum state state;
	struct state_startup startup;
	int asked;                  /* tasks, so far */
	int64_t starting_us;        /* since when, or 0 */
	struct shift *shifts, *now; /* all that run; the one that hears, or NULL */

	struct pace pace;
	int64_t heard_us, epoch_us; /* sound so far; unix time of the first chunk */
	struct letter *kept, *kept_last; /* audio before it runs */
	size_t kept_bytes;

	int64_t eos_s, ended_us; /* of end_task; ended_us 0: it did not end */
	bool drained;            /* and all was said */

	int64_t metered_us; /* since when it is metered; 0: it is not */
	int64_t booked_us;  /* of this interval */
	const char *interval_id;
	int64_t checked_us, renewed_us;
};

/* What sockets.c wants of us. */
extern const struct socket_owner room_owner;

/* ---- room.c ---- */

/* To one of them; the buffer holds a message. */
void client_tell(struct client *, const struct buf *);
void client_error(
    struct client *, const char *code, const char *desc, const char *param);
/* After what was told to him. */
void client_end(struct client *, int code, const char *reason);
/* Everybody leaves. */
void room_end(struct room *, int code, const char *reason);
/* To the writer, and to listeners of that target (-1: of the source). */
void room_say(struct room *, const struct shift *, int target, int starred,
    const char *text, size_t n);
void room_warn(struct room *, const char *code, const char *message);
/* One letter less is on its way; it may have been the last. */
void room_paid(struct room *);
struct room *room_all(struct gate *);

/* ---- talk.c ---- */

void talk_message(struct client *, const char *, size_t n);
/* What happens by itself: time goes by. */
void talk_turn(struct room *, int64_t now_us);
/* Something of the task's life has happened. */
void talk_event(struct room *, enum state_event);

/* ---- hear.c ---- */

void hear_audio(struct client *, const struct message_audio *);
void hear_kept(struct room *); /* what came before it ran */
void hear_turn(struct room *, int64_t now_us);

/* ---- play.c ---- */

void play_said(struct gate *, struct errand *);
void play_start(struct room *, struct run_want *, int number);
/* What may leave now; false: there is nothing left of this shift. */
bool play_turn(struct room *, struct shift *, int64_t now_us);
void play_flush(struct shift *, int target); /* -1: all */
void play_unpaced(struct shift *, bool);
/* Nothing more of it is wanted. */
void play_drop(struct shift *);

/* ---- book.c ---- */

/* Read what the task needs of the account, then play_start(). */
void book_prepare(struct room *, struct run_want *, int number);
void book_meter(struct room *, bool on, int64_t now_us);
void book_turn(struct room *, int64_t now_us);
void book_leave(struct room *); /* nobody is connected any more */

#endif
