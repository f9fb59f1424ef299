/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PIPELINE_INTERNAL_H
#define PIPELINE_PIPELINE_INTERNAL_H

#include "pipeline/pipeline.h"
#include "protocol/output.h"

/*
 * Shared by the files of a pipeline, the upper ones calling the lower ones:
 *
 *	pipeline.c                    what sessions call
 *	recognizer.c  synthesizer.c   the actors, see their *_internal.h
 *	speaker_voice.c               the actor that makes a voice of the speaker
 *	pipeline_actors.c             messages between actors, events, readiness, end
 */
struct readiness;

/* Lives in config->mem.  The actors read it from threads of the pool. */
struct pipeline {
	struct pipeline_host host; /* a copy of the caller's */
	struct session *session;
	struct pipeline_config *config;
	struct actor *recognizer;
	struct actor *synthesizers[TASK_TARGETS];
	bool leaving;     /* event loop only: the recognizer gets no more messages */
	bool passthrough; /* event loop only: the last pipeline_passthrough() */
	atomic_int left;  /* actors that have not ended */
	struct readiness *readiness;
	atomic_int drains; /* actors that the drain marker has not passed yet */
	atomic_llong before_us, epoch_us;        /* see pipeline_begin() */
	atomic_llong received_us, recognized_us; /* microseconds of sound */
	/* queued: bytes not decoded yet; decoded_us: sound decoded */
	atomic_llong queued, decoded_us;
	atomic_llong read;                 /* bytes decoded */
	atomic_int messages;               /* RECOGNIZER_AUDIO not processed yet */
	atomic_llong voiced_us, behind_us; /* see pipeline_voiced_us(), _behind() */
	atomic_bool recognizes;            /* an ASR engine is open */
	atomic_bool dropped;               /* pending output is discarded */
	atomic_ullong lost, recovered, concealed; /* see pipeline_losses() */
	atomic_llong level_ms[TASK_TARGETS];      /* see pipeline_level() */
	atomic_bool partials;                     /* see pipeline_partials() */
	atomic_bool encodes;                      /* see pipeline_encode() */
	atomic_bool holds;                        /* see pipeline_hold() */
	atomic_int loss[TASK_TARGETS];            /* see pipeline_loss() */
	atomic_int waiting[TASK_TARGETS]; /* messages that wait at each synthesizer */
	atomic_int generation[TASK_TARGETS]; /* see pipeline_generation() */
	atomic_int segment_drops;            /* flushes of the running segment */
};

#define PITCH_HIGH_HZ 165 /* voices at or above this pitch count as high */

/* A segment as the synthesizers get it. */
struct spoken_segment {
	const char *id;       /* 16 hex digits */
	const char *language; /* folded code */
	const char *text;
	int64_t start_us, end_us; /* since the first input chunk */
	int64_t ended_us;         /* its text was final, monotonic_us() */
	int64_t voiced_us;        /* its last speech was received, monotonic_us() */
	double pitch_hz;          /* median pitch; 0: unknown */
	int part;                 /* number of the first part of its translation */
	bool partial;
	/* the text ends within a sentence: wait for the next segment, or for CLOSE */
	bool open;
	bool spoken; /* from pipeline_speak(): for every target */
	bool plain;  /* synthesize the text untranslated */
};

enum recognizer_message_kind {
	RECOGNIZER_OPEN,
	RECOGNIZER_AUDIO,
	RECOGNIZER_CUT,
	RECOGNIZER_FINALIZE,
	RECOGNIZER_DROP,
	RECOGNIZER_DRAIN,
	RECOGNIZER_PASSTHROUGH,
	RECOGNIZER_NO_PASSTHROUGH
};

struct recognizer_message {
	struct actor_message message;
	enum recognizer_message_kind kind;
	const void *bytes; /* AUDIO; of the message's arena */
	size_t n;
	int64_t us;      /* AUDIO: duration as given to pipeline_feed() */
	int64_t came_us; /* AUDIO: received, monotonic_us() */
};

enum synthesizer_message_kind {
	SYNTHESIZER_PREWARM,
	SYNTHESIZER_SEGMENT,
	SYNTHESIZER_CLOSE, /* translate an open segment as it is */
	SYNTHESIZER_DRAIN
};

struct synthesizer_message {
	struct actor_message message;
	enum synthesizer_message_kind kind;
	struct spoken_segment segment; /* SEGMENT; of the message's arena */
	int generation; /* generation of the target when the message was sent */
};

/* ---- recognizer.c, synthesizer.c ---- */

/* Start the actors, for struct recognizer_message and struct synthesizer_message. */
struct actor *recognizer_start(struct pipeline *);
struct actor *synthesizer_start(struct pipeline *, int target);

/* ---- speaker_voice.c ---- */

/* True if the target is spoken with the speaker's voice. */
static inline bool
speaker_voice_speaks(const struct task_target *t)
{
	return t->speech && t->voice.cloning && !t->voice.timbre;
}

/* True if speech must still be collected for the speaker's voice. */
bool speaker_voice_wanted(const struct pipeline *);
/* The engine that may speak to the target with this voice, now or later; NULL: none. */
const struct registry_engine *speaker_voice_engine(
    const struct pipeline_config *, const struct task_target *);
/* The server has lost the voice: do not use it again. */
void speaker_voice_lose(struct speaker_voice *);
/*
 * Add a segment of speech at HEARD_HZ.  Starts making the voice once there is enough.
 */
void speaker_voice_add(struct pipeline *, const int16_t *, size_t n);

/* ---- pipeline_actors.c ---- */

/* Kinds of output that are dropped as the delay grows, in this order. */
enum pipeline_drop { DROP_PARTIAL_TRANSLATIONS, DROP_PARTIALS, DROP_SPEECH };
bool pipeline_drops(const struct pipeline *, enum pipeline_drop);
/* Send a segment to one target; -1: to every target that takes its language. */
void pipeline_pass(struct pipeline *, const struct spoken_segment *, int target);
/*
 * Pass a final segment to the synthesizers and its text to the event loop, or both to
 * the event loop as PIPELINE_HELD. The buffer is the text's message.
 */
void pipeline_pass_final(struct pipeline *, struct pipeline_event *, const struct buf *,
    const struct spoken_segment *);
/* Let all synthesizers translate the open segment that they hold. */
void pipeline_close(struct pipeline *);
/* The recognizer has ended: let the synthesizers end, too. */
void pipeline_end_synthesizers(struct pipeline *);
/* Let all synthesizers warm up their translators. */
void pipeline_prewarm(struct pipeline *);
/* Send the drain marker to all synthesizers, after their segments. */
void pipeline_pass_drain(struct pipeline *);
/* Report that an actor has reached the drain marker; the last one sends
   PIPELINE_DRAINED. */
void pipeline_drained(struct pipeline *);
/* Report that an actor has ended; the last one sends PIPELINE_GONE. */
void pipeline_left(struct pipeline *);

/*
 * Sends PIPELINE_READY when all parts are ready: the ASR engine and the translator of
 * every target.  A part may report after the pipeline has ended.
 */
struct readiness *pipeline_readiness_new(struct pipeline *, int parts);
/* Report one part as ready. Takes a struct readiness; call once for each part, from any
   thread. */
void pipeline_part_ready(void *);
/* Report that one part will never be ready. */
void pipeline_part_failed(struct readiness *);
/* Make an event in a new arena; target as in the struct. */
struct pipeline_event *pipeline_event_new(
    struct pipeline *, enum pipeline_event_kind, int target);
/* The content of an event; an empty buffer: none. */
struct pipeline_payload {
	struct buf text, opus, opus_text; /* as in struct pipeline_event */
};
/* A payload whose buffers are empty. */
struct pipeline_payload pipeline_payload_of(struct arena *);
/* Make an event with a copy of its content, in one small block, as many events may wait
   for playout. */
struct pipeline_event *pipeline_event_with(struct pipeline *, enum pipeline_event_kind,
    int target, const struct pipeline_payload *);
/* Send the event.  The buffer is its message, made by pipeline_event_buf(); or NULL. */
void pipeline_event_send(struct pipeline_event *, const struct buf *, int starred);
/* An empty buffer in the event's arena. */
struct buf pipeline_event_buf(struct pipeline_event *);
/* Mark the event as a final text. The times are since the first input chunk. */
void pipeline_event_final(struct pipeline_event *, const struct pipeline_line *);
/* Send an event without content. */
void pipeline_event_post(struct pipeline *, enum pipeline_event_kind);
/* Send an event of pipeline_event_new() as a warning. */
void pipeline_warn(struct pipeline_event *, const char *code, const char *message);
void pipeline_error(struct pipeline *, const char *code, const char *desc);

#endif
