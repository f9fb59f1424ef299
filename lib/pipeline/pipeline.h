/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include <stdatomic.h>

#include "audio/audio_decoder.h"
#include "audio/opus_packets.h"
#include "base/conf.h"
#include "pipeline/blocked.h"
#include "pipeline/glossary.h"
#include "pipeline/playback.h"
#include "pipeline/speaker_voice.h"
#include "pipeline/thread_call.h"
#include "protocol/task.h"
#include "speech/registry.h"
#include "speech/voice_select.h"

/*
 * The pipeline of a running task: one recognizer actor, and one synthesizer actor for
 * each target.
 *
 *	pipeline_feed() -> recognizer: sound -> segments -> ASR engine -> glossaries
 *	                 \-> synthesizer: terms -> translation -> speech -> chunks
 *	                  \-> synthesizer ...
 *
 * The actors report to the event loop with struct pipeline_event.  All functions here
 * are called on the event loop's thread.
 */
struct pipeline;
struct session;

/* A voice that the task names: one of the account, or a public one. */
struct pipeline_voice {
	const char *id;
	struct voice_found found;
};

/* Warnings sent last.  A code is not sent again within ten seconds. */
#define PIPELINE_WARNINGS 8
struct pipeline_warnings {
	struct pipeline_warning {
		const char *code; /* a string literal; NULL: unused */
		int64_t at_us;    /* monotonic_us() */
	} last[PIPELINE_WARNINGS];
};

/* True if the warning may be sent now; true also records it as sent. */
bool pipeline_warning_due(struct pipeline_warnings *, const char *code, int64_t now_us);

/*
 * The configuration of a pipeline.  Everything lives in mem; pipeline_free() frees mem
 * and drops the registry.
 */
struct pipeline_config {
	struct arena *mem;
	struct task task;
	const char *account;
	const char *title; /* title of the event; NULL: none */
	struct list speakers,
	    sessions; /* const char *: names and titles of the event */
	struct glossary_index *glossary; /* NULL: no glossaries */
	bool truncated;                  /* the glossaries had too many entries */
	struct blocked *blocked;         /* the task's; set by pipeline_start() */
	struct pipeline_voice *voices;
	size_t nvoices;
	struct registry *registry; /* a reference */
	/* voice of the session's speaker; NULL: no speech output */
	struct speaker_voice *speaker;
	bool instead;     /* copied to asr_want.instead of the first ASR stream */
	int64_t audio_us; /* microseconds of the stream's sound before this pipeline */
	int64_t epoch_us; /* unix time of the first chunk, until pipeline_begin() */
	/* STT sockets only: */
	const struct audio_format *sound; /* NULL: as the task says */
	const char *file; /* format that a child process decodes; NULL: use sound */
	bool flat;        /* messages in the format of section 12 */
	bool unfilled;    /* texts without disfluencies */
	bool manual;      /* final texts only for pipeline_finalize() and drains */
};

enum pipeline_event_kind {
	/* The ASR engine is open and all translators have answered once. */
	PIPELINE_READY,
	/* No ASR engine, or too many failures; text: the reason, or NULL. */
	PIPELINE_FAILED,
	/* The speaker does not speak the stream's language; text: a sentence. NULL: the
	   speaker speaks it again. */
	PIPELINE_LANGUAGE,
	/* text: a message. */
	PIPELINE_TEXT,
	/* After pipeline_hold(): see pipeline_release(). */
	PIPELINE_HELD,
	/* A segment part will be spoken; text, opus_text: an empty last chunk. */
	PIPELINE_GROUP,
	/* text: the next chunk of a group. */
	PIPELINE_CHUNK,
	/* text: a chunk of the original sound, see pipeline_passthrough(). */
	PIPELINE_PASSTHROUGH,
	/* All results of the input before pipeline_drain() have been sent. */
	PIPELINE_DRAINED,
	/* The last event: all actors have ended. */
	PIPELINE_GONE,
};

/* The times at which a segment passed each step, monotonic_us(). */
struct pipeline_times {
	/* id of the segment, final text or passthrough group; or NULL */
	const char *id;
	int64_t voiced_us; /* its last speech was received */
	/* When the text was final, it was translated, its first sound was synthesized,
	   and its first chunk was sent. */
	int64_t validated_us, translated_us, spoken_us, sent_us;
};

/* The content of a final text, for transcripts. */
struct pipeline_line {
	const char *text, *language; /* language: folded code */
	int part;                    /* part of a translation; 0 for the source */
	int64_t start_us, end_us;    /* unix time */
};

/*
 * Output of the recognizer that waits, in its order: a final text, which is also the
 * event's; the end of an open sentence; a drain; the end of the pipeline.
 */
enum pipeline_held_kind { HELD_TEXT, HELD_CLOSE, HELD_DRAIN, HELD_END };

struct spoken_segment;

/* An event for the event loop, which owns it. Its strings are in its arena, or
   literals. */
struct pipeline_event {
	struct thread_call call;
	struct session *session;
	struct pipeline *pipeline;
	enum pipeline_event_kind kind;
	enum pipeline_held_kind held;         /* HELD */
	const struct spoken_segment *segment; /* HELD_TEXT: for the synthesizers */
	int target;                /* index in the task; -1: the source, or all */
	int starred;               /* enum task_output; -1: always sent */
	const char *text;          /* the message */
	size_t n;                  /* number of bytes in text */
	bool final;                /* TEXT: final, counted for the task */
	struct pipeline_line line; /* TEXT, if final; else text is NULL */
	/* pipeline_generation() of the target when the output was requested */
	int generation;
	struct pipeline_event *of;   /* CHUNK: its group */
	bool received, ended;        /* GROUP: last chunk received; end sent */
	struct pipeline_times times; /* GROUP */
	struct playback_group group; /* GROUP */
	struct playback_chunk chunk; /* CHUNK; PASSTHROUGH: last only */
	/* CHUNK, PASSTHROUGH: see pipeline_encode(). */
	struct opus_packets opus;
	/* A message with the Opus packets of one or more chunks. NULL: this chunk
	   completes no message. */
	const char *opus_text;
	size_t opus_n; /* bytes */
};

/* What a pipeline needs from outside; it outlives the pipeline. */
struct pipeline_host {
	const struct conf *conf;
	struct pool *pool; /* threads of the actors */
	/* mailbox of the event loop, for struct pipeline_event */
	struct mailbox *events;
	void (*report)(struct gateway *, struct thread_call *); /* run for each event */
};

struct pipeline *pipeline_start(
    const struct pipeline_host *, struct session *, struct pipeline_config *);
const struct task *pipeline_task(const struct pipeline *);
/* Set the queue level of one target; it decides the tempo of the target's speech. */
void pipeline_level(struct pipeline *, int target, int64_t ms);

/*
 * Set where the pipeline's sound begins in the stream: microseconds of sound before it,
 * and unix time of the stream's first chunk.  Call before the first pipeline_feed().
 */
void pipeline_begin(struct pipeline *, int64_t before_us, int64_t epoch_us);
/*
 * The bytes are copied.  sound_us: their duration; 0: unknown.  TASK_WEBRTC: a packet
 * as jitter_buffer_next() returns it.
 */
void pipeline_feed(struct pipeline *, const void *, size_t n, int64_t sound_us);
/*
 * Set whether the input is also sent unchanged from now on: PIPELINE_PASSTHROUGH,
 * chunks of 200 ms.  One group lasts until this is switched off or the pipeline ends.
 * Off at first; may be switched at any time.
 */
void pipeline_passthrough(struct pipeline *, bool);
/*
 * Set whether chunks also carry Opus packets, and messages with these: from the next
 * group of each target on, passthrough at once.  Each is encoded once for all
 * receivers. Always on for TASK_WEBRTC, else off at first; may be switched at any time.
 */
void pipeline_encode(struct pipeline *, bool);
/*
 * Set whether partial texts have readers besides those of the task. Without readers,
 * the ASR engine is not asked for them. Off at first; may be switched at any time.
 */
void pipeline_partials(struct pipeline *, bool);
/*
 * Hold final texts from now on: they and all that follows them come as PIPELINE_HELD.
 * There are no partial texts. Cannot be switched off, as order would be lost; to
 * release events at once has the same effect.
 */
void pipeline_hold(struct pipeline *);
/*
 * Let a PIPELINE_HELD pass: its segment is translated. HELD_TEXT becomes PIPELINE_TEXT,
 * which must be sent; said: its text, or NULL. Call it in the order of the events.
 */
void pipeline_release(struct pipeline_event *, const char *said);
/* Make a held text of a line of an earlier pipeline, which may have been lost. */
struct pipeline_event *pipeline_restore(
    struct pipeline *, const char *id, const struct pipeline_line *);
/* Set the packet loss at the receivers of a target, in percent. The encoder adapts to
   it. */
void pipeline_loss(struct pipeline *, int target, int percent);
/* End the running segment here. */
void pipeline_cut(struct pipeline *);
/* End the running segment as pipeline_cut() does. Its final text ends with STT_FIN, or
   is STT_FIN alone. */
void pipeline_finalize(struct pipeline *);
/*
 * Synthesize a text as a new segment; translate: for every target. Returns the
 * segment's id, in mem.
 */
const char *pipeline_speak(struct pipeline *, struct arena *mem, const char *text,
    const char *language, bool translate);
/* Drop all unsent output of a target; -1: of all targets, and the running segment. */
void pipeline_flush(struct pipeline *, int target);
/* The number of flushes of a target so far. Events of an earlier generation are stale.
 */
int pipeline_generation(const struct pipeline *, int target);
/*
 * End the segment; PIPELINE_DRAINED follows when the output of all input so far has
 * been sent.  One drain at a time: wait for the event before the next.
 */
void pipeline_drain(struct pipeline *);
/*
 * Stop input. Pending output still arrives; the last event is PIPELINE_GONE. drop:
 * discard pending output.
 */
void pipeline_leave(struct pipeline *, bool drop);
void pipeline_free(struct pipeline *); /* call after PIPELINE_GONE */
/* Microseconds of sound not recognized yet, estimated from bytes if durations are
   unknown. */
int64_t pipeline_backlog_us(const struct pipeline *);
/* The time at which the last sound with speech was received, monotonic_us(); 0:
   never. */
int64_t pipeline_voiced_us(const struct pipeline *);
/*
 * Set the delay of the pipeline, in microseconds. Above PIPELINE_BEHIND_US it drops
 * partial translations, with more delay also partial texts, then also speech.
 */
#define PIPELINE_BEHIND_US INT64_C(3000000)
void pipeline_behind(struct pipeline *, int64_t us);
/*
 * The speech detector of pipelines with these settings: "level"; "network"; "missing"
 * if the first pipeline could not load the network.
 */
const char *pipeline_vad(const struct conf *);
/* True if an ASR engine is open. */
bool pipeline_recognizes(const struct pipeline *);
/* Packets of a TASK_WEBRTC input that were lost so far, and how they were replaced. */
struct opus_losses pipeline_losses(const struct pipeline *);
/* Duration of all sound decoded so far, in microseconds. */
int64_t pipeline_decoded_us(const struct pipeline *);

#endif
