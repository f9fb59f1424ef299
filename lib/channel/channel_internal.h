/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_INTERNAL_H
#define CHANNEL_CHANNEL_INTERNAL_H

#include "base/clock.h"
#include "channel/channel_session.h"
#include "channel/transcript_correction.h"
#include "session/session.h"

/*
 * Shared by the files of a channel's session.
 *
 *	channel_session.c its life: start, end, break, new pipeline
 *	channel_task.c      its task: the row's pipeline and the publisher's input
 *	channel_row.c its row in the database: reading and writing
 *	channel_pipeline.c  the pipeline of a row
 *	channel_notices.c   notices to its connections
 */

/* time without audio after which metering stops */
#define CHANNEL_SILENT_US (10 * S_US)
#define CHANNEL_AGAIN_US (10 * S_US) /* time from a failed start to the next */
#define CHANNEL_INPUT                                                                  \
	"{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"pcm_s16le\","     \
	"\"sample_rate\":24000,\"channels\":1}}}"

/* Call to the database thread: update the row and read it. */
struct channel_poll {
	struct thread_call call;
	struct session *session; /* a reference is held */
	const char *id;
	const char *event;       /* id, or NULL */
	int64_t code_version;    /* result: version of the event's access code */
	int64_t speaker_version; /* result: version of the speakers' tokens */
	int64_t version;         /* result: version of the row */
	/* values to write; runtime NULL: unchanged; why NULL: no error */
	const char *runtime, *why;
	double bitrate; /* value to write */
	bool told;      /* `why` must be stored */
	/*
	 * results: the channel was deleted; its event has ended; another node serves it
	 */
	bool gone, over, moved;
	const char *pipeline;         /* result; NULL: the row could not be read */
	struct moderation moderation; /* result */
	int64_t run_us;               /* duration of the channel's run so far */
	struct transcript_corrections corrections; /* results; `since` is given */
	struct list captions; /* result: struct caption_output_row */
	struct list egress;   /* result: struct egress_output_row */
};

/* The state of a channel's session, in the session's arena. Times are monotonic_us().
 */
struct held_queue;

struct channel_session {
	struct held_queue *held;           /* texts that wait, see held_queue.h */
	bool moved;                        /* another node serves the channel now */
	int64_t moved_us;                  /* since when */
	struct arena *row_mem, *input_mem; /* owned: pipeline and why; input */
	const char *pipeline;              /* JSON, of the row */
	struct moderation moderation;      /* as the row says */
	int64_t version;   /* version of the row when it was read last */
	const char *input; /* JSON tree of the last set_task, or CHANNEL_INPUT */
	int64_t code_version, speaker_version; /* those of the row */
	bool over;                             /* its event has finished */
	struct relay *relay;                   /* state of relay.c; NULL: one node */
	int64_t begun_us, audio_us;            /* start or last set_task; last audio */
	int64_t failed_us, polled_us; /* last failed start; last read of the row */
	/* follows the row as it was read */
	void (*follow)(struct session *, const struct channel_poll *);
	bool anew; /* new publisher: next audio resets input to CHANNEL_INPUT */
	const char *runtime; /* value to write to the row, a literal; NULL: unchanged */
	const char *why;     /* error to write to the row, or NULL */
	const char *foreign; /* error while another language is spoken; NULL */
	bool told;           /* this node has written the row's error */
	size_t left_out;     /* languages without an engine in the last task read */
	/* values that subscribers were sent last */
	bool live;
	enum output_channel told_state;
	int64_t run_us;    /* unix time: earlier lines belong to earlier runs */
	int64_t corrected; /* number of the last correction sent; -1: not known */
	/* state of channel_ingress.c; NULL: no stream */
	struct channel_ingress *ingress;
	int64_t media_seen_us;         /* last seen by channel_sessions.c */
	struct caption_feed *captions; /* state of caption_outputs.c: a list, owned */
	struct egress_output *egress;  /* state of egress_outputs.c: a list, owned */
	int64_t epoch_us;              /* unix time, of egress_outputs.c; 0: not set */
	/* incoming bit rate in bit/s, for the row; NaN: no stream */
	double bitrate;
	/*
	 * Times of an incoming stream, see egress_outputs_original(): of the next
	 * sound, and of the latest child's first sound.
	 */
	int64_t stream_us, stream_base_us;
};

/* ---- channel_notices.c ---- */

/* Close the connections whose tokens have other versions than these. */
void channel_notices_expire(
    struct session *, int64_t code_version, int64_t speaker_version);
/* Send channel_session.told_state to a subscriber; to all. */
void channel_notices_state(struct connection *);
void channel_notices_states(struct session *);

/* ---- channel_row.c ---- */

/* Store the runtime and the error if they changed, and read the row. */
void channel_row_poll(struct session *);
/* Set the error; NULL: none. */
void channel_row_set_why(struct channel_session *, const char *why);
/* The task runs: start metering when audio comes. */
void channel_row_runs(struct session *, int64_t now_us);
/*
 * The task has stopped. why: a sentence; the task failed, or a new task is invalid and
 * the old one continues. NULL: no error.
 */
void channel_row_stopped(struct session *, const char *why);
/*
 * channel_row_failed(): nothing runs, because of the error. channel_row_pending(): it
 * failed before, and now waits for sound again.
 */
void channel_row_failed(struct session *);
void channel_row_pending(struct session *);

/* ---- channel_task.c ---- */

/*
 * task_read() of struct task_owner. Only input_stream of the tree is used; NULL: the
 * input set last, or 24 kHz mono. With a media server, the input is always that server.
 */
bool channel_task_read(struct session *, struct arena *, const struct json *tree,
    const struct task_engines *, struct task *, struct validation_errors *) MUST_CHECK;
/* Read the words that are likely to be spoken, for the recognizer. */
enum err channel_task_prepare(
    struct gateway *, const struct session *, struct pipeline_config *) MUST_CHECK;
/* True if the audio comes as a track from a media server or a participant. */
bool channel_task_is_media(const struct session *);
/* Store the tree of an accepted set_task. */
void channel_task_store(struct session *, const struct json *tree);

/* ---- listener_joins.c ---- */

/* Count a subscriber's language in the statistics of the event, if it has one. */
void listener_joins_count(struct connection *);

#endif
