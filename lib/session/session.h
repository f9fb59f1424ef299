/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "gateway/gateway.h"
#include "pipeline/pipeline.h"
#include "protocol/limit.h"
#include "protocol/message.h"
#include "protocol/output.h"
#include "protocol/state.h"
#include "service/price.h"
#include "session/input_pacing.h"

/*
 * A session or channel and its connections.  All functions and structs here belong to
 * the event loop.  Times are monotonic_us() unless stated otherwise.
 *
 * Each file calls only files below it. It reports to those above by its results, or by
 * values in the session that they read in the next turn:
 *
 *	session.c          sessions and connections: open, close, turn
 *	s2s.c stt.c tts.c  one kind of socket each, as struct session_ops
 *	slot.c             pipelines of a session, and their events
 *	commands.c         messages of S2S connections
 *	task_status.c      the answers to commands
 *	task_start.c       how tasks start
 *	client_task.c      the task that a publisher sets
 *	lifecycle.c        state of the task: carries out what protocol/state.h returns
 *	input.c            audio of the publisher
 *	speech_input.c     texts of the publisher that are to be spoken
 *	playout.c          outputs of pipelines; pacing of synthesized audio
 *	fanout.c           which connection receives what
 *	sink.c             outputs of the session, one row each
 *	prepare.c          what a task needs of the database
 *	billing.c          metering and bookings
 *	payer.c            accounts of the sessions: active, and with a balance
 *	session_lease.c    the session's row, which counts for its quota
 *	live_voice.c       the speaker's voice at a server that clones
 *	listeners.c        counts of listeners by language
 *	connection.c       messages to connections; references to sessions
 *
 * lib/channel has what only channels have.  Outputs are rows of session/sink.h.
 */

/* Outputs that pipelines produce only if a connection wants them. For fanout.c. */
enum fanout_want { FANOUT_OPUS, FANOUT_ORIGINAL, FANOUT_PARTIALS, FANOUT_WANTS };

/* Language of a subscriber. */
struct subscription {
	char language[24]; /* folded; "": the first target */
	int64_t since_us;  /* older segments are not sent */
};

/* The way of messages to a client: a WebSocket, or a participant's data channel. */
struct transport {
	/* Like websocket_send(), _skip(), _end() and _unsent(). skip: NULL if it never
	   has late sound; unsent: NULL if nothing waits. */
	void (*send)(void *to, struct shared_buffer *, int64_t group);
	void (*skip)(void *to, int64_t before_us);
	void (*end)(void *to, enum close_why);
	size_t (*unsent)(const void *to, int64_t *since_us);
	/* returns true if it sends no sound on purpose; or NULL */
	bool (*is_mute)(const void *to);
	/* another language was chosen; or NULL */
	void (*tuned)(void *to);
	bool tracks;   /* speech is sent as a track, not in messages */
	bool original; /* the original can be such a track, too */
};

#define HELD_MOST 4 /* the most get_task that wait at a time */

/* Allocated in its request's arena; freed with the request on close. */
struct connection {
	struct connection *next; /* next connection of the same session */
	/* list gateway.readers; at_reader NULL: it is not in the list */
	struct connection *next_reader, **at_reader;
	struct session *session;
	const struct transport *transport;
	void *to; /* argument of transport: struct websocket or struct participant */
	struct connection_request *request;
	struct limit limits[LIMIT_KINDS];
	bool told_no_task;  /* the error for audio without a task was sent */
	bool told_to_leave; /* the node is being emptied */
	bool waits;         /* a guest's subscriber waits for the texts it missed */
	/* get_task that waits for the start of the task. */
	struct held_question {
		int64_t until_us; /* monotonic */
		bool exclude_hidden;
	} held[HELD_MOST];
	int n_held;
	struct subscription tuned;
	unsigned wants; /* bits of enum fanout_want, as they are counted */
	/* Per target: since_us of the speech being sent; see fanout_audio(). */
	int64_t receiving_since_us[TASK_TARGETS];
	char original[17]; /* id of the source audio being sent; "": none */
};

/* One pipeline of a session.  Allocated in mem; playout.c frees it. */
struct pipeline_slot {
	struct pipeline_slot *next; /* older */
	struct arena *mem;
	struct session *session;
	struct pipeline *pipeline; /* owned */
	int number;                /* number of its task, see session.asked */
	bool dropped;              /* discard all output */
	bool left;                 /* pipeline_leave() was called: no more input */
	bool gone;                 /* no more events; chunks may wait for playout */
	bool ready;                /* PIPELINE_READY came */
	bool began;                /* pipeline_begin() was called */
	bool draining;             /* PIPELINE_DRAINED is awaited */
	int64_t asked_us;          /* when that was asked for last; 0: never */
	bool drain_again;          /* another drain must follow */
	bool drained;              /* the last drain has come back */
	bool sounded;              /* input came after the last drain */
	bool in_segment;           /* audio came after the last cut */
	size_t fed;                /* bytes of audio */
	int64_t decoded_us;        /* length of its audio counted in session.audio_us */
	struct playback playbacks[TASK_TARGETS];
};

/* Usage not booked yet, in the unit of its kind (price.h). */
struct running {
	enum metered kind;
	int64_t from, to; /* range since the start of the interval */
};

/* Operations of one kind of socket.  A session has connections of one kind only. */
struct session_ops {
	/* A connection was added. */
	void (*entered)(struct session *, struct connection *);
	void (*message)(struct connection *, const char *, size_t n, bool binary);
	/* The result of prepare_task().  Takes the config. */
	void (*start)(struct session *, struct pipeline_config *, int number);
	void (*tick)(struct session *, int64_t now_us);
	/* The publisher has left. */
	void (*left)(struct session *);
	/* Usage not booked yet.  False: none. */
	bool (*running)(const struct session *, int64_t now_us, struct running *);
};

extern const struct session_ops s2s_ops, stt_ops, tts_ops;

struct channel_session;
struct task_engines;

/*
 * The owner of a session's task: its publisher, which sets the task and ends it by
 * leaving, or a channel (lib/channel), whose row has the task.
 */
struct task_owner {
	bool stays; /* the session continues without its publisher */
	/* Only for channels. */
	struct channel_session *(*open)(
	    struct session *, const struct connection_request *);
	void (*close)(struct session *);
	/*
	 * Read a task. tree: of set_task; NULL: the owner's own task. False: it is
	 * invalid; the errors say why.
	 */
	bool (*read)(struct session *, struct arena *, const struct json *tree,
	    const struct task_engines *, struct task *, struct validation_errors *);
	/* Read the data that the task needs. Runs on the database thread. */
	enum err (*prepare)(
	    struct gateway *, const struct session *, struct pipeline_config *);
	/* This tree was accepted. */
	void (*accepted)(struct session *, const struct json *tree);
	/*
	 * Only for channels: takes a PIPELINE_HELD of a slot; a pipeline begins; a
	 * pipeline is dropped, so its held events must not wait.
	 */
	void (*held)(struct session *, struct pipeline_slot *, struct pipeline_event *);
	void (*slot_begins)(struct session *, struct pipeline_slot *);
	void (*slot_dropped)(struct session *, struct pipeline_slot *);
	/* True if no input may be used; NULL: never. */
	bool (*is_silenced)(const struct session *);
	/* Audio has come. */
	void (*audio_came)(struct session *, int64_t now_us);
	/* The task runs: start metering. */
	void (*runs)(struct session *, int64_t now_us);
	/* The task has stopped; why: a sentence, or NULL. */
	void (*stopped)(struct session *, const char *why);
	/* The publisher has changed. */
	void (*replaced)(struct session *);
	/* A subscriber has connected; it has chosen another language. */
	void (*entered)(struct connection *);
	void (*tuned)(struct connection *);
	void (*tick)(struct session *, int64_t now_us);
	/* Called first in each turn of the event loop. */
	void (*turn)(struct gateway *, int64_t now_us);
	/* The session has begun, or session.owned is new. */
	void (*leased)(struct session *);
};

/* owner of clients' tasks, in client_task.c */
extern const struct task_owner client_owner;

/*
 * Functions of a session whose pipelines run at another node, which owns its channel.
 * Its speakers' connections belong to that node's session.
 */
struct guest_ops {
	void (*entered)(struct connection *);
	void (*message)(struct connection *, const char *, size_t n);
	void (*left)(struct connection *);
	/* A packet as jitter_buffer_next() returned it. */
	void (*packet)(struct session *, const void *, size_t n);
	/* session.wanted or the connections have changed. */
	void (*demand)(struct session *);
	/* True if the texts of before are not here yet. */
	bool (*is_behind)(const struct session *);
};

/* Metering, for billing.c. Other files may only check whether since_us is 0. */
struct meter {
	int64_t since_us;        /* start of the metered interval; 0: not metered */
	int64_t booked_us;       /* monotonic; usage until this time is booked */
	const char *interval_id; /* in the session's arena */
};

/* The session's row, for session_lease.c. */
struct lease_times {
	int64_t checked_us; /* last check of the row */
	int64_t renewed_us; /* time of its last extension */
};

/* Audio of the publisher, for input.c, and for stt.c with its sockets. */
struct session_input {
	int sources; /* media servers and streams that send the audio */
	struct input_pacing pacing;
	int64_t audio_us; /* length of all audio so far */
	int64_t epoch_us; /* unix time of its first chunk; 0: none */
	/* Audio that waits for the pipeline: list, owned. */
	struct actor_message *deferred, *deferred_last;
	size_t deferred_bytes; /* bytes of deferred */
};

/* The end of a task, for lifecycle.c. */
struct task_end {
	int64_t left_us;  /* when the publisher left; 0: it has not left */
	int64_t eos_s;    /* timeout of end_task, seconds; 0: none */
	int64_t ended_us; /* when end_task came; 0: it has not come */
	bool over; /* the timeout of end_task is over: no more audio is accepted */
};

/* Listeners by language at the last count, for listeners.c. */
struct listeners_counted {
	struct arena *mem; /* owned; NULL: never */
	struct list rows;  /* struct listening */
	int64_t until_us;  /* monotonic: valid until then */
	bool changed;      /* listeners came, left or changed their language since */
};

/* Allocated in mem.  Freed when it has no connections and no refs. */
struct session {
	struct session *next; /* next in gateway.sessions */
	struct arena *mem;    /* owned */
	struct gateway *gateway;
	const struct session_ops *ops;
	void *kind_state;               /* state of stt.c or tts.c; NULL: S2S */
	const struct task_owner *owner; /* owner of its task */
	void **sinks;                   /* see sink_state() */
	const char *id, *account;       /* id: of the session or channel */
	struct payer *payer;            /* state of payer.c */
	struct session *next_of_account;
	const char *key;   /* id of the API key that opened it, or NULL */
	const char *event; /* id of the event that its usage counts for, or NULL */
	const char *room;  /* name of its room at a media server; NULL for a channel */
	bool own;          /* the session ends with its connection */
	struct channel_session *channel; /* owned; NULL: not a channel */
	struct lease owned;              /* as in the request */
	struct connection *connections;  /* list */
	int wanted[FANOUT_WANTS];     /* number of connections that want each output */
	struct connection *publisher; /* one of the connections, or NULL */
	/* A participant beside a publisher by WebSocket, see s2s.c; or NULL. */
	struct connection *partner;
	int refs;               /* calls under way, see session_unref() */
	bool ended;             /* the task has ended the session */
	bool closed;            /* takes no more connections */
	const char *close_desc; /* see session_close_soon(); NULL: none */
	enum close_why close_why;

	const struct guest_ops *guest; /* NULL: its pipelines run here */
	/* a guest's: task and state at the owner; NULL: not known */
	const struct task *guest_task;
	enum state guest_state;

	enum state state;
	struct state_startup startup;
	int asked;               /* number of the latest task */
	enum task_source source; /* source of the latest task */
	int64_t starting_us;     /* time at which the start began; 0: not starting */
	/* All pipelines, newest first; the one that receives input, or NULL. */
	struct pipeline_slot *slots, *now;
	struct task_end end;
	/*
	 * The event of the task_status that set_task gets when it runs; NULL: none is
	 * due.
	 */
	const char *status_due;

	struct session_input in;
	struct speaker_voice *speaker;  /* in mem; NULL: no task yet */
	int64_t voice_renewed_us;       /* state of live_voice.c */
	struct actor_message *deferred; /* state of speech_input.c: a list, owned */
	struct pipeline_warnings warnings;
	struct listeners_counted listeners;
	int64_t stats_us;  /* time at which tts_buffer_stats was sent last */
	int64_t originals; /* chunks of source audio sent so far */
	struct meter meter;
	struct lease_times lease;
};

extern const struct websocket_owner session_owner;

/* ---- connection.c ---- */

/* Something was sent: check soon that the client reads it, until it has. */
void connection_watch(struct connection *);
void connection_unwatch(struct connection *);
/* Send one message to one connection; the bytes are copied. */
void connection_put(struct connection *, struct shared_buffer *, int64_t group);
void connection_send_buf(struct connection *, const struct buf *);
void connection_send(struct connection *, const char *, size_t n);
void connection_error(
    struct connection *, const char *code, const char *desc, const char *param);
/*
 * Send validation errors.  unknown: the message was not recognized; too many of these
 * end the connection.
 */
void connection_refuse(
    struct connection *, const struct validation_errors *, bool unknown);
/* True if an error must not be sent now, only logged: see state_allows_error(). */
bool connection_is_quiet(const struct connection *, const char *code);
/* Send an error, unless connection_is_quiet(). */
void connection_send_error(struct connection *, const char *code, const char *desc);
/* Close the connection after all messages sent before. */
void connection_end(struct connection *, enum close_why);
/* Close the session and all its connections. */
void session_end(struct session *, enum close_why);
/* True if it is the publisher or its partner. */
bool connection_publishes(const struct connection *);
/* True if its packets are input: it publishes, or is a guest's speaker. */
bool connection_speaks(const struct connection *);
/* Make the partner the publisher and close the publisher. */
void session_promote(struct session *);
/* Send a warning to the publisher, unless the same one was sent shortly before. */
void session_warn(struct session *, const char *code, const char *message);
/* End the session in its next turn, with an error (literals) to all connections. */
void session_close_soon(struct session *, enum close_why, const char *desc);
/* Release one of refs.  The session is freed in its next turn, if it is unused. */
void session_unref(struct session *);
/*
 * Send a call about the session to the database thread.  Takes a reference to the
 * session: the answer's run() releases it.
 */
void session_ask(struct session *, struct thread_call *);
/* Have run() called on the event loop. Called on the database thread. */
void session_answer(struct gateway *, struct thread_call *,
    void (*run)(struct gateway *, struct thread_call *));
/*
 * The pipeline's events go to report().  Takes the config, and a reference to the
 * session: report() releases it at PIPELINE_GONE.
 */
struct pipeline *session_start_pipeline(struct session *, struct pipeline_config *,
    void (*report)(struct gateway *, struct thread_call *));

/* ---- session.c ---- */

struct session *session_all(struct gateway *);
/* Find or open the session or channel of a request. */
struct session *session_for(struct gateway *, const struct connection_request *);
/* Add and remove a client. The request is freed when the client leaves. */
struct connection *session_join(
    struct gateway *, struct connection_request *, const struct transport *, void *to);
void session_leave(struct connection *);
/* Release a request whose client never connected. */
void session_lose(struct gateway *, struct connection_request *);
/* Run the calls that other threads sent to the event loop. */
void session_run_calls(struct gateway *);

/* The running task, here or at the node of its owner; NULL: none. */
static inline const struct task *
session_task(const struct session *s)
{
	return s->now != NULL ? pipeline_task(s->now->pipeline) : s->guest_task;
}

/* True if the owner of the task lets no input in. */
static inline bool
session_is_silenced(const struct session *s)
{
	return s->owner->is_silenced != NULL && s->owner->is_silenced(s);
}

/* ---- fanout.c ---- */

/*
 * Set the folded language, from the next segment on; NULL: the first target. Also
 * allowed before the connection is in the list.
 */
void fanout_tune(struct connection *, const char *language);
/* set_language: the language as sent.  An error if the task has no such target. */
void fanout_choose(struct connection *, const char *said);
/* Send an error if the running task has no target of the connection's language. */
void fanout_check_language(struct connection *);
/* As fanout_check_language(), for all subscribers. */
void fanout_check_all(struct session *);
/*
 * Send a corrected text of the current pipeline to the connections that received the
 * old one. said_us: when that was sent, monotonic_us().
 */
void fanout_correction(
    struct session *, int target, int starred, const struct buf *, int64_t said_us);
/* Messages to connections: texts, and audio for those that do not get it as a track. */
extern const struct sink_ops fanout_sink;
/* Send the empty last chunk, if source audio was being sent. */
void fanout_end_original(struct connection *);
/*
 * Report to the pipelines whether a connection receives Opus. Report to the current one
 * also whether another connection than the publisher's subscribes to source audio or to
 * the source's texts. Call this when a connection enters or changes its language, when
 * a pipeline starts, and when it becomes the current one, before its first input.
 */
void fanout_demand(struct session *);
/* The connection leaves: report as fanout_demand() does. */
void fanout_leave(struct connection *);

/* ---- listeners.c ---- */

/* Count the listeners of all channels if they have changed. */
void listeners_tick(struct gateway *, int64_t now_us);
/* A listener came, left or changed its language, or the task has other languages. */
void listeners_changed(struct session *);
/*
 * The number of listeners by language as JSON: {"es":30,"fr":11}. It may be a second
 * old.
 */
const char *listeners_describe(struct arena *, struct session *);
void listeners_free(struct session *);
/* The language that a connection listens to; NULL: it chose none, and there is no task.
 */
const char *listeners_language(const struct connection *);

/* ---- commands.c ---- */

/* Handle one message after checking that the client may send it. */
void command_message(struct connection *, const char *, size_t n);
/* Answer get_task that was held while the task started. */
void command_tick(struct session *, int64_t now_us);

/* ---- task_status.c ---- */

/* Answer a command of the publisher.  id: of the segment to come, or NULL. */
void task_status_send(
    struct session *, const char *command, const char *event, const char *id);
/* A set_task with this step was accepted; task_status_ready() will answer it. */
void task_status_expect(
    struct session *, enum state_action, struct arena *scratch, const struct task *);
/* The task runs: send the answer that is due. */
void task_status_ready(struct session *);

/* ---- s2s.c ---- */

/* A packet as jitter_buffer_next() returned it. */
void s2s_packet(struct session *, const void *, size_t n);

/* ---- slot.c ---- */

/* Let a PIPELINE_HELD of the slot pass; said: its text, or NULL. Takes the event. */
void slot_release(struct session *, struct pipeline_slot *, struct pipeline_event *,
    const char *said);
/* Start the pipeline of a task beside the running ones. Takes the config. */
void slot_start(struct session *, struct pipeline_config *, int number);
/* Handle a struct pipeline_event.  Takes it. */
void slot_report(struct gateway *, struct thread_call *);
/* Switch to the latest pipeline if its engines and its audio are ready. */
void slot_ready(struct session *);

/* ---- task_start.c ---- */

/* Start or replace the task as the tree of set_task says, or send its errors. */
void task_start(struct connection *, const struct json *);
/* Start or restart a channel's task from its row. */
void task_start_channel(struct session *);
/*
 * Restart the task if the number of its languages without an engine is not left_out any
 * more, or if it does not run yet.
 */
void task_start_reconsider(struct session *, size_t left_out);

/* ---- speech_input.c ---- */

/* Synthesize the text of a tts_task, now or when the task runs. */
void speech_input_receive(struct session *, const struct message_tts *);
void speech_input_later(struct session *, const struct message_tts *);
/* Synthesize the deferred tts_task messages. */
void speech_input_deferred(struct session *);
/* Discard the deferred tts_task messages. */
void speech_input_forget(struct session *);

/* ---- lifecycle.c ---- */

/* Advance the state; busy: output waits to be sent. */
void lifecycle_tick(struct session *, bool busy, int64_t now_us);
/* Apply an event: change the state and act on it. */
void lifecycle_event(struct session *, enum state_event);
/*
 * Be silent at once: discard all output, also that of sinks, and end the task as
 * lifecycle_over() does.
 */
void lifecycle_silence(struct session *, int64_t now_us);
/* Execute the step. The state has been changed before. */
void lifecycle_act(struct session *, enum state_action, int64_t now_us);
/* Drop all pipelines that are still starting. */
void lifecycle_supersede(struct session *);
/* Send eos to all subscribers and close them. */
void lifecycle_dismiss(struct session *);
/* True if a pipeline other than the current one still exists. */
bool lifecycle_finishing(const struct session *);
/*
 * End the task and reset the state for the next publisher.  Subscribers of a channel
 * stay; those of a session are closed.
 */
void lifecycle_over(struct session *);
/* EVENT_FAILED with a reason for the client; NULL: unknown. */
void lifecycle_failed(struct session *, const char *desc);
/* PIPELINE_DRAINED came. */
void lifecycle_drain_done(struct pipeline_slot *);
/*
 * End a connection with close code 1008, and its session's task if it is the publisher.
 */
void lifecycle_expel(struct connection *, enum close_why);
/* Send the error to all connections and end the session. */
void lifecycle_close(struct session *, enum close_why, const char *desc);
/* End all connections, as another node serves the channel; do not change the row. */
void lifecycle_move(struct session *);
/* True if the speaker pauses and all that was said has gone out. */
bool lifecycle_is_between_phrases(struct session *);

/* ---- input.c ---- */

void input_audio(struct connection *, const struct message_audio *);
/* A packet as jitter_buffer_next() returned it. */
void input_packet(struct session *, const void *, size_t n);
/* Feed the deferred audio to the pipeline. */
void input_feed_deferred(struct session *);
/* Discard the deferred audio. */
void input_forget(struct session *);
/* The publisher has changed: complete the last sample of the previous one. */
void input_align(struct session *);
/* End the segment if no audio has come for a second. */
void input_pause(struct session *, int64_t now_us);
/* Check the pace of the input.  False: none has come for 10 s, of a session's task. */
bool input_tick(struct session *, int64_t now_us) MUST_CHECK;
/* Report the delay of recognition to the pipeline. */
void input_behind(struct session *, int64_t now_us);

/* ---- playout.c ---- */

/* Send a text, queue speech.  Takes the event. */
void playout_receive(struct session *, struct pipeline_slot *, struct pipeline_event *);
/*
 * Send the chunks that are due. True: more output waits, or a replaced pipeline will
 * produce more. May free the slot.
 */
bool playout_tick(struct session *, struct pipeline_slot *, int64_t now_us);
/*
 * Discard the output of one target. NULL: of all targets, and the recognizer's segment.
 */
void playout_flush(struct pipeline_slot *, const char *language);
/* True if no chunk waits to be sent. */
bool playout_is_empty(const struct session *);
/* True if chunks are sent at once, not at the pace of playback. */
void playout_unpaced(struct session *, bool);
/* Returns when all sent speech will have been played, monotonic_us(); 0: no speech was
   sent. */
int64_t playout_until_us(const struct session *);
/* Stop the pipeline and discard its output. */
void playout_drop(struct pipeline_slot *);

/* ---- billing.c ---- */

/* Start or stop metering.  Stopping books the rest. */
void billing_meter(struct session *, bool on, int64_t now_us);
/* Book a part of an interval, in the unit of its kind. */
void billing_use(
    struct session *, enum metered, const char *interval_id, int64_t from, int64_t to);
/* session_ops.running of S2S. */
bool billing_running(const struct session *, int64_t now_us, struct running *);
void billing_tick(struct session *, int64_t now_us);

/* ---- prepare.c ---- */

/*
 * Read the data that the task needs from the database, then call session_ops.start(),
 * unless a newer task was requested meanwhile. Takes the config.
 */
void prepare_task(struct session *, struct pipeline_config *, int number);

/* ---- session_lease.c ---- */

void session_lease_tick(struct session *, int64_t now_us);
/* The last connection has left: the row expires soon; delete it if session.own. */
void session_lease_release(struct session *);

#endif
