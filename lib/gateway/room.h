#ifndef GATEWAY_ROOM_H
#define GATEWAY_ROOM_H

#include "gateway/onair.h"
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
 *	talk.c     what a writer says
 *	life.c     what that does to his task, by the table of stream/state.h
 *	hear.c     the sound that he sends
 *	play.c     what a run says, and when its sound leaves
 *	audience.c who is sent what
 *	book.c     what the desk does for a room: glossaries, places, bills
 *	payer.c    the accounts of the rooms: whether they are active and can pay
 *	onair.c    what is different where it is a channel's
 *	listener_joins.c  which languages its listeners have heard
 *	studio.h   its sound, where that is at a media server
 *	stt.c      the same for who only wants to be written down
 *	tts.c      and for who only wants to be spoken
 */
/* What a listener listens to, and since when: he hears no half of a phrase. */
struct tuned {
	char language[24]; /* folded; "": the first target */
	int64_t since_us;
};

struct client {
	struct client *next;
	struct room *room;
	struct socket *socket;
	struct visitor *visitor;
	struct limit limits[LIMIT_KINDS];
	bool told_no_task; /* that there is none was said once, for audio */
	struct tuned tuned;
	int64_t
	    hearing[TASK_TARGETS]; /* since_us of the speech that he hears of each */
	char original[17];         /* id of the source's sound that he hears, or "" */
};

/* A run as the room has it. */
struct shift {
	struct shift *next;
	struct arena *mem;
	struct room *room;
	struct run *run;
	int number;       /* as the task was asked for */
	bool dropped;     /* nothing of it is wanted any more */
	bool left;        /* it hears no more */
	bool gone;        /* it has nothing more to say, but what waits to be played */
	bool ready;       /* its engines are there */
	bool began;       /* it has heard something */
	bool draining;    /* a drain was asked for, and has not come back */
	bool drain_again; /* another one is to follow it */
	bool echoed;      /* all that came before the last drain is said; */
	bool sounded;     /* and this came after it */
	bool in_phrase;   /* sound came after the last cut */
	size_t fed;       /* bytes of sound */
	int64_t decoded_us; /* of its sound, that are counted in the room's */
	struct playback lanes[TASK_TARGETS];
};

/* What was used and is not booked yet, in the units of its kind (price.h). */
struct running {
	enum metered kind;
	int64_t from, to;
};

/* What the rooms of one kind of socket do; those of two kinds are never one. */
struct room_ops {
	void (*entered)(struct room *, struct client *);
	void (*message)(struct client *, const char *, size_t n, bool binary);
	/* What book_prepare() was asked for is there. */
	void (*start)(struct room *, struct run_want *, int number);
	void (*turn)(struct room *, int64_t now_us);
	void (*left)(struct room *); /* its writer has */
	/* Whether there is something. */
	bool (*running)(const struct room *, int64_t now_us, struct running *);
};

extern const struct room_ops stt_ops, tts_ops;

struct room {
	struct room *next;
	struct arena *mem;
	struct gate *gate;
	const struct room_ops *ops;
	void *side;          /* of stt.c or tts.c */
	struct stand *stand; /* of studio_side.c; NULL: sound comes by its sockets */
	const char *id, *account;
	struct payer *payer; /* of payer.c; */
	struct room *fellow; /* the next of the same account */
	const char *key;     /* that its own session came by, or NULL */
	bool own;            /* the session ends with its connection */
	struct onair *air;   /* of a channel; NULL: it is a session */
	int64_t hall_us;     /* when halls.c saw it last */
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
	struct letter *later; /* tts_task before it runs */
	struct warned warned;
	int64_t stats_us;  /* when the queues were told last */
	int64_t originals; /* pieces of the source's sound that were told */

	int64_t left_us;         /* when its writer left, or 0 */
	int64_t eos_s, ended_us; /* of end_task; ended_us 0: it did not end */
	bool ended;              /* and it did end */

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
void client_send(struct client *, const char *, size_t n);
void client_error(
    struct client *, const char *code, const char *desc, const char *param);
/*
 * What is wrong with his message; unknown: it was none at all, and who says many of
 * these is sent away.
 */
void client_refuse(struct client *, const struct flaws *, bool unknown);
/* After what was told to him. */
void client_end(struct client *, int code, const char *reason);
/* Everybody leaves. */
void room_end(struct room *, int code, const char *reason);
void room_warn(struct room *, const char *code, const char *message);
/* One letter less is on its way; it may have been the last. */
void room_paid(struct room *);
struct room *room_all(struct gate *);
/* That of the session or channel; it is made, and stays if somebody enters or owes. */
struct room *room_for(struct gate *, const struct visitor *);

/* ---- audience.c ---- */

/* What he listens to, folded, from the next phrase on; NULL: the first target. */
void client_tune(struct client *, const char *language);
/* The same as he says it, if it is there. */
void client_choose(struct client *, const char *said);
/* He is told when the task that runs has no such target. */
void client_check_language(struct client *);
void room_check_languages(struct room *);
/* A text, to the writer and to listeners of that target (-1: of the source). */
void room_say(struct room *, const struct shift *, int target, int starred,
    const char *text, size_t n);
/* A piece of a target's speech, of what began to be heard then (monotonic_us()). */
void room_play(struct room *, const struct shift *, int target, int64_t since_us,
    const char *text, size_t n);
/* A piece of the source's sound, to those who listen to that. */
void room_say_original(
    struct room *, const char *id, bool last, const char *text, size_t n);
/* Who has heard some is told that this was all. */
void client_end_original(struct client *);
/* Whether there are any. */
bool room_wants_original(const struct room *);

/* ---- talk.c ---- */

/* One message of somebody who is connected, whether he may say it or not. */
void talk_message(struct client *, const char *, size_t n);
/* What is to be spoken was asked for before it ran: now, or never. */
void talk_later(struct room *);
void talk_forget(struct room *);
/* A channel's task begins, or begins anew, as its row says. */
void talk_restart(struct room *);
/* It begins anew if engines serve more, or fewer, of its languages than it was told. */
void talk_reconsider(struct room *);

/* ---- life.c ---- */

/* What happens by itself: time goes by. */
void talk_turn(struct room *, int64_t now_us);
/* Something of the task's life has happened. */
void talk_event(struct room *, enum state_event);
/* What the table says is to be done, after the room's state was changed. */
void life_act(struct room *, enum state_action, int64_t now_us);
/* It runs: from now on it is metered. */
void life_meter(struct room *, int64_t now_us);
/* All that begins beside the run that hears comes too late. */
void life_supersede(struct room *);
/* Listeners are told that it is over, and leave. */
void life_dismiss(struct room *);
/* Whether a task that is over has still something to say to listeners. */
bool life_finishing(const struct room *);
/*
 * The speech is over, and the next speaker begins anew.  Listeners of a channel wait
 * for that, those of a session leave.
 */
void life_over(struct room *);
/* EVENT_FAILED, and why; NULL: nothing more is known. */
void life_failed(struct room *, const char *desc);
/* Whether all that was heard so far is said; else a drain is asked for. */
bool life_drained(struct room *);
/* A drain has come back. */
void life_drain_done(struct shift *);
/* An error that ends the task; the writer is told, and is to be sent away then. */
void life_fail(struct room *, const char *code, const char *desc);

/* ---- hear.c ---- */

void hear_audio(struct client *, const struct message_audio *);
/* The same of a media server: a packet of Opus. */
void hear_packet(struct room *, const void *, size_t n);
void hear_kept(struct room *); /* what came before it ran: now, or never */
void hear_forget(struct room *);
/* Somebody else goes on: half a sample of who spoke before is completed. */
void hear_align(struct room *);
/* The phrase is over where no sound has come for a second. */
void hear_pause(struct room *, int64_t now_us);
/* busy: something that was heard is not sent yet. */
void hear_turn(struct room *, bool busy, int64_t now_us);
/* Whether recognition keeps up with the speaker. */
void hear_behind(struct room *, int64_t now_us);

/* ---- play.c ---- */

/* What a run says (struct said), which it frees, or keeps until it may leave. */
void play_said(struct gate *, struct errand *);
/* The task that was asked for as this number begins beside the one that runs. */
void play_start(struct room *, struct run_want *, int number);
/* What was asked for last begins, if its engines and its sound are there. */
void play_ready(struct room *);
/*
 * What may leave now; false: there is nothing left of what it said, nor to come after
 * it was replaced.  It may free the shift.
 */
bool play_turn(struct room *, struct shift *, int64_t now_us);
void play_stats(struct room *, int64_t now_us); /* tts_buffer_stats */
/* NULL: all, and the phrase in the recogniser; else of that target, if there is one. */
void play_flush(struct shift *, const char *language);
void play_unpaced(struct room *, bool);
/* Nothing more of it is wanted. */
void play_drop(struct shift *);

/* ---- book.c ---- */

/* Read what the task needs of the account, then play_start(). */
void book_prepare(struct room *, struct run_want *, int number);
void book_meter(struct room *, bool on, int64_t now_us);
/* A stretch of what was used, in the units of its kind; the reference names it. */
void book_use(
    struct room *, enum metered, const char *interval_id, int64_t from, int64_t to);
bool book_running(const struct room *, int64_t now_us, struct running *);
void book_turn(struct room *, int64_t now_us);
/* An error that ends it all. */
void book_end(struct room *, const char *code, const char *desc);
/* Another node serves it: its connections end, its row is left alone. */
void book_move(struct room *);
void book_leave(struct room *); /* nobody is connected any more */

#endif
