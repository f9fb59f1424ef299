#ifndef PIPELINE_PIPELINE_INTERNAL_H
#define PIPELINE_PIPELINE_INTERNAL_H

#include "pipeline/pipeline.h"
#include "protocol/output.h"

/* What the files of a pipeline share: pipeline.c, recognizer.c, synthesizer.c. */

/* What a pipeline waits for before it is ready, see readiness.c. */
struct readiness;

struct pipeline {
	struct pipeline_host host;
	struct session *session;
	struct pipeline_config *config;
	struct actor *recognizer;
	struct actor *synthesizers[TASK_TARGETS];
	bool leaving;     /* of the event loop: the recognizer get no more messages */
	bool passthrough; /* likewise: what pipeline_passthrough() said last */
	atomic_int left;  /* actors that have not gone */
	struct readiness *readiness;
	atomic_int drains;
	atomic_llong before_us, epoch_us; /* see pipeline_begin() */
	atomic_llong heard_us, done_us;   /* sound that came, and that was recognised */
	atomic_llong queued, decoded_us;  /* bytes that wait; what came of the others */
	atomic_llong read;                /* bytes */
	atomic_int messages;              /* with sound that waits */
	atomic_llong voiced_us, behind_us;
	atomic_bool recognizes; /* its recogniser is open */
	atomic_bool dropped;    /* nothing more of it is wanted */
	atomic_llong level_ms[TASK_TARGETS];
	atomic_int waiting[TASK_TARGETS]; /* messages of each synthesizer */
	atomic_int flushed[TASK_TARGETS]; /* phrases begun before are dropped */
	atomic_int flushed_all;           /* and those not recognised yet */
};

/* What is dropped when it is far behind, one after the other. */
enum pipeline_drop { DROP_PARTIAL_TRANSLATIONS, DROP_PARTIALS, DROP_SPEECH };
bool pipeline_drops(const struct pipeline *, enum pipeline_drop);

/* A phrase as it goes to the synthesizers. */
struct spoken_segment {
	const char *id;       /* 16 hex digits */
	const char *language; /* folded */
	const char *text;
	int64_t start_us, end_us; /* since the first input chunk */
	int64_t ended_us;         /* monotonic_us() at which it was final, */
	int64_t voiced_us;        /* and at which the last of its speech came */
	double pitch_hz;          /* median; 0: not known */
	bool partial;
	bool spoken; /* nobody said it: it is for every target */
	bool plain;  /* is spoken as it is, not translated */
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
	const void *bytes;
	size_t n;
	int64_t us; /* as pipeline_feed() was told */
	int64_t came_us;
};

enum synthesizer_message_kind {
	SYNTHESIZER_PREWARM,
	SYNTHESIZER_SEGMENT,
	SYNTHESIZER_DRAIN
};

struct synthesizer_message {
	struct actor_message message;
	enum synthesizer_message_kind kind;
	struct spoken_segment segment;
	int epoch; /* run.flushed when it was sent */
};

/* The actor that hears: recognizer_read() gets ears_letters, and recognizer_gone()
 * frees it. */
void recognizer_read(void *ears, struct actor_message *);
void recognizer_gone(void *ears);
void *recognizer_new(struct pipeline *);
void synthesizer_read(void *mouth, struct actor_message *);
void synthesizer_gone(void *mouth);
void *synthesizer_new(struct pipeline *, int target);
/*
 * What makes the first phrase slow is begun in the background, as far as its language
 * is known; readiness_told() when the engine has answered once, or cannot.
 */
void prewarm(const struct pipeline *, int target);

/*
 * PIPELINE_READY is said when so many parts are: the recogniser and the translator of
 * every target.  A part may be told of after the pipeline has gone.
 */
struct readiness *readiness_new(struct pipeline *, int parts);
/* One part is ready; of struct readiness, once for each part, from any thread. */
void readiness_told(void *);
/* One part will never be. */
void readiness_failed(struct readiness *);
/* No more is to be said. */
void readiness_leave(struct readiness *);

/* A phrase to every synthesizer that takes its language; target -1: all of these. */
void pipeline_pass(struct pipeline *, const struct spoken_segment *, int target);
/* Behind all that the synthesizers were passed. */
void pipeline_pass_drain(struct pipeline *);
/* One of its actors has gone; the last one ends the pipeline. */
void pipeline_left(struct pipeline *);
/* An echo has come through. */
void pipeline_drained(struct pipeline *);

/* In a message of its own, for the session; target as in struct said, not starred. */
struct pipeline_event *pipeline_event_new(
    struct pipeline *, enum pipeline_event_kind, int target);
/* The same with a message, and no larger than that: many may wait to be played. */
struct pipeline_event *pipeline_event_with(
    struct pipeline *, enum pipeline_event_kind, int target, const struct buf *message);
/* Its message is what the buffer holds, which is of the message's arena; or NULL. */
void pipeline_event_send(struct pipeline_event *, const struct buf *, int starred);
struct buf pipeline_event_buf(struct pipeline_event *);
void pipeline_warn(struct pipeline *, const char *code, const char *message);
void pipeline_error(struct pipeline *, const char *code, const char *desc);

#endif
