#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "pipeline/pipeline.h"
#include "protocol/limit.h"
#include "protocol/message.h"
#include "protocol/state.h"
#include "service/price.h"
#include "session/channel_session.h"
#include "session/input_pacing.h"

/*
 * A session or channel with those who are connected to it.  Everything here is of
 * the event loop.
 *
 *	session.c     who comes and goes, and what each of them is sent
 *	commands.c     what a writer says
 *	lifecycle.c     what that does to his task, by the table of protocol/state.h
 *	ingest.c     the sound that he sends
 *	playout.c     what a pipeline says, and when its sound leaves
 *	fanout.c who is sent what
 *	billing.c     what the database thread does for a session: glossaries, places,
 *bills payer.c    the accounts of the sessions: whether they are active and can pay
 *	channel_session.c    what is different where it is a channel's
 *	listener_joins.c  which languages its listeners have heard
 *	rtp_bridge.h   its sound, where that is at a media server
 *	stt.c      the same for who only wants to be written down
 *	tts.c      and for who only wants to be spoken
 */
/* What a listener listens to, and since when: he hears no half of a phrase. */
struct subscription {
	char language[24]; /* folded; "": the first target */
	int64_t since_us;
};

struct connection {
	struct connection *next;
	struct session *session;
	struct websocket *websocket;
	struct connection_request *request;
	struct limit limits[LIMIT_KINDS];
	bool told_no_task; /* that there is none was said once, for audio */
	struct subscription tuned;
	int64_t hearing_since_us[TASK_TARGETS]; /* since_us of the speech that he hears
						   of each */
	char original[17]; /* id of the source's sound that he hears, or "" */
};

/* A pipeline as the session has it. */
struct pipeline_slot {
	struct pipeline_slot *next;
	struct arena *mem;
	struct session *session;
	struct pipeline *pipeline;
	int number;       /* as the task was asked for */
	bool dropped;     /* nothing of it is wanted any more */
	bool left;        /* it hears no more */
	bool gone;        /* it has nothing more to say, but what waits to be played */
	bool ready;       /* its engines are there */
	bool began;       /* it has heard something */
	bool draining;    /* a drain was asked for, and has not come back */
	bool drain_again; /* another one is to follow it */
	bool drained;     /* all that came before the last drain is said; */
	bool sounded;     /* and this came after it */
	bool in_segment;  /* sound came after the last cut */
	size_t fed;       /* bytes of sound */
	int64_t decoded_us; /* of its sound, that are counted in the session's */
	struct playback playbacks[TASK_TARGETS];
};

/* What was used and is not booked yet, in the units of its kind (price.h). */
struct running {
	enum metered kind;
	int64_t from, to;
};

/* What the sessions of one kind of socket do; those of two kinds are never one. */
struct session_ops {
	void (*entered)(struct session *, struct connection *);
	void (*message)(struct connection *, const char *, size_t n, bool binary);
	/* What billing_prepare() was asked for is there. */
	void (*start)(struct session *, struct pipeline_config *, int number);
	void (*tick)(struct session *, int64_t now_us);
	void (*left)(struct session *); /* its writer has */
	/* Whether there is something. */
	bool (*running)(const struct session *, int64_t now_us, struct running *);
};

extern const struct session_ops stt_ops, tts_ops;

struct session {
	struct session *next;
	struct arena *mem;
	struct gateway *gateway;
	const struct session_ops *ops;
	void *kind_state; /* of stt.c or tts.c */
	struct bridge_handle
	    *bridge; /* of bridge_api.c; NULL: sound comes by its sockets */
	const char *id, *account;
	struct payer *payer;             /* of payer.c; */
	struct session *next_of_account; /* the next of the same account */
	const char *key;                 /* that its own session came by, or NULL */
	bool own;                        /* the session ends with its connection */
	struct channel_session *channel; /* of a channel; NULL: it is a session */
	int64_t media_seen_us;           /* when channel_sessions.c saw it last */
	struct connection *connections;
	struct connection *publisher; /* NULL: only listeners, or nobody */
	int refs;                     /* messages that will come back to this room */
	bool closed; /* its session was deleted, or its connections are ended */

	enum state state;
	struct state_startup startup;
	int asked;           /* tasks, so far */
	int64_t starting_us; /* since when, or 0 */
	struct pipeline_slot *slots,
	    *now; /* all that run; the one that hears, or NULL */

	struct input_pacing pacing;
	int64_t heard_us, epoch_us; /* sound so far; unix time of the first chunk */
	struct actor_message *deferred_audio,
	    *deferred_audio_last; /* audio before it runs */
	size_t deferred_bytes;
	struct actor_message *deferred; /* tts_task before it runs */
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

/* What websocket.c wants of us. */
extern const struct websocket_owner session_owner;

/* ---- session.c ---- */

/* To one of them; the buffer holds a message. */
void connection_send_buf(struct connection *, const struct buf *);
void connection_send(struct connection *, const char *, size_t n);
void connection_error(
    struct connection *, const char *code, const char *desc, const char *param);
/*
 * What is wrong with his message; unknown: it was none at all, and who says many of
 * these is sent away.
 */
void connection_refuse(
    struct connection *, const struct validation_errors *, bool unknown);
/* After what was told to him. */
void connection_end(struct connection *, int code, const char *reason);
/* Everybody leaves. */
void session_end(struct session *, int code, const char *reason);
void session_warn(struct session *, const char *code, const char *message);
/* One message less is on its way; it may have been the last. */
void session_unref(struct session *);
/* What a pipeline reports goes to report(); it holds the session until PIPELINE_GONE.
 */
struct pipeline *session_start_pipeline(struct session *, struct pipeline_config *,
    void (*report)(struct gateway *, struct thread_call *));
struct session *session_all(struct gateway *);
/* That of the session or channel; it is made, and stays if somebody enters or owes. */
struct session *session_for(struct gateway *, const struct connection_request *);

/* ---- fanout.c ---- */

/* What he listens to, folded, from the next phrase on; NULL: the first target. */
void fanout_tune(struct connection *, const char *language);
/* The same as he says it, if it is there. */
void fanout_choose(struct connection *, const char *said);
/* He is told when the task that runs has no such target. */
void fanout_check_language(struct connection *);
void fanout_check_all(struct session *);
/* A text, to the writer and to listeners of that target (-1: of the source). */
void fanout_text(struct session *, const struct pipeline_slot *, int target,
    int starred, const char *text, size_t n);
/* A piece of a target's speech, of what began to be heard then (monotonic_us()). */
void fanout_audio(struct session *, const struct pipeline_slot *, int target,
    int64_t since_us, const char *text, size_t n);
/* A piece of the source's sound, to those who listen to that. */
void fanout_original(
    struct session *, const char *id, bool last, const char *text, size_t n);
/* Who has heard some is told that this was all. */
void fanout_end_original(struct connection *);
/* Whether there are any. */
bool fanout_wants_original(const struct session *);

/* ---- commands.c ---- */

/* One message of somebody who is connected, whether he may say it or not. */
void command_message(struct connection *, const char *, size_t n);
/* What is to be spoken was asked for before it ran: now, or never. */
void command_deferred(struct session *);
void command_forget(struct session *);
/* A channel's task begins, or begins anew, as its row says. */
void command_restart(struct session *);
/* It begins anew if engines serve more, or fewer, of its languages than it was told. */
void command_reconsider(struct session *);

/* ---- lifecycle.c ---- */

/* What happens by itself: time goes by. */
void lifecycle_tick(struct session *, int64_t now_us);
/* Something of the task's life has happened. */
void lifecycle_event(struct session *, enum state_event);
/* What the table says is to be done, after the session's state was changed. */
void lifecycle_act(struct session *, enum state_action, int64_t now_us);
/* It runs: from now on it is metered. */
void lifecycle_meter(struct session *, int64_t now_us);
/* All that begins beside the pipeline that hears comes too late. */
void lifecycle_supersede(struct session *);
/* Listeners are told that it is over, and leave. */
void lifecycle_dismiss(struct session *);
/* Whether a task that is over has still something to say to listeners. */
bool lifecycle_finishing(const struct session *);
/*
 * The speech is over, and the next speaker begins anew.  Listeners of a channel wait
 * for that, those of a session leave.
 */
void lifecycle_over(struct session *);
/* EVENT_FAILED, and why; NULL: nothing more is known. */
void lifecycle_failed(struct session *, const char *desc);
/* Whether all that was heard so far is said; else a drain is asked for. */
bool lifecycle_drained(struct session *);
/* A drain has come back. */
void lifecycle_drain_done(struct pipeline_slot *);
/* An error that ends the task; the writer is told, and is to be sent away then. */
void lifecycle_fail(struct session *, const char *code, const char *desc);

/* ---- ingest.c ---- */

void ingest_audio(struct connection *, const struct message_audio *);
/* The same of a media server: a packet of Opus. */
void ingest_packet(struct session *, const void *, size_t n);
void ingest_kept(struct session *); /* what came before it ran: now, or never */
void ingest_forget(struct session *);
/* Somebody else goes on: half a sample of who spoke before is completed. */
void ingest_align(struct session *);
/* The phrase is over where no sound has come for a second. */
void ingest_pause(struct session *, int64_t now_us);
/* busy: something that was heard is not sent yet. */
void ingest_tick(struct session *, bool busy, int64_t now_us);
/* Whether recognition keeps up with the speaker. */
void ingest_behind(struct session *, int64_t now_us);

/* ---- playout.c ---- */

/* What a pipeline says (struct said), which it frees, or keeps until it may leave. */
void playout_said(struct gateway *, struct thread_call *);
/* The task that was asked for as this number begins beside the one that runs. */
void playout_start(struct session *, struct pipeline_config *, int number);
/* What was asked for last begins, if its engines and its sound are there. */
void playout_ready(struct session *);
/*
 * What may leave now; false: there is nothing left of what it said, nor to come after
 * it was replaced.  It may free the shift.
 */
bool playout_tick(struct session *, struct pipeline_slot *, int64_t now_us);
void playout_stats(struct session *, int64_t now_us); /* tts_buffer_stats */
/* NULL: all, and the phrase in the recogniser; else of that target, if there is one. */
void playout_flush(struct pipeline_slot *, const char *language);
void playout_unpaced(struct session *, bool);
/* Nothing more of it is wanted. */
void playout_drop(struct pipeline_slot *);

/* ---- billing.c ---- */

/* Read what the task needs of the account, then playout_start(). */
void billing_prepare(struct session *, struct pipeline_config *, int number);
void billing_meter(struct session *, bool on, int64_t now_us);
/* A stretch of what was used, in the units of its kind; the reference names it. */
void billing_use(
    struct session *, enum metered, const char *interval_id, int64_t from, int64_t to);
bool billing_running(const struct session *, int64_t now_us, struct running *);
void billing_tick(struct session *, int64_t now_us);
/* An error that ends it all. */
void billing_end(struct session *, const char *code, const char *desc);
/* Another node serves it: its connections end, its row is left alone. */
void billing_move(struct session *);
void billing_leave(struct session *); /* nobody is connected any more */

#endif
