#ifndef GATEWAY_RUN_ROOM_H
#define GATEWAY_RUN_ROOM_H

#include "gateway/run.h"
#include "stream/say.h"

/* What the files of a run share: run.c, ears.c, mouth.c. */

/* What a run waits for before it is ready, see run_ready.c. */
struct readiness;

struct run {
	struct gate *gate;
	struct room *room;
	struct run_want *want;
	void (*told)(struct gate *, struct errand *);
	struct actor *ears;
	struct actor *mouths[TASK_TARGETS];
	bool leaving;    /* of the sockets' thread: ears get no more letters */
	bool original;   /* likewise: what run_original() said last */
	atomic_int left; /* actors that have not gone */
	struct readiness *readiness;
	atomic_int echoes;
	atomic_llong before_us, epoch_us; /* see run_begin() */
	atomic_llong heard_us, done_us;   /* sound that came, and that was recognised */
	atomic_llong queued, decoded_us;  /* bytes that wait; what came of the others */
	atomic_llong read;                /* bytes */
	atomic_int letters;               /* with sound that waits */
	atomic_llong voiced_us, behind_us;
	atomic_bool hears;   /* its recogniser is open */
	atomic_bool dropped; /* nothing more of it is wanted */
	atomic_llong level_ms[TASK_TARGETS];
	atomic_int waiting[TASK_TARGETS]; /* letters of each mouth */
	atomic_int flushed[TASK_TARGETS]; /* phrases begun before are dropped */
	atomic_int flushed_all;           /* and those not recognised yet */
};

/* What is dropped when it is far behind, one after the other. */
enum run_drop { DROP_PARTIAL_TRANSLATIONS, DROP_PARTIALS, DROP_SPEECH };
bool run_drops(const struct run *, enum run_drop);

/* A phrase as it goes to the mouths. */
struct phrase_said {
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

enum ears_kind {
	EARS_OPEN,
	EARS_SOUND,
	EARS_CUT,
	EARS_FINALIZE,
	EARS_DROP,
	EARS_ECHO,
	EARS_ORIGINAL,
	EARS_NO_ORIGINAL
};

struct ears_letter {
	struct letter letter;
	enum ears_kind kind;
	const void *bytes;
	size_t n;
	int64_t us; /* as run_hear() was told */
	int64_t came_us;
};

enum mouth_kind { MOUTH_WARM, MOUTH_PHRASE, MOUTH_ECHO };

struct mouth_letter {
	struct letter letter;
	enum mouth_kind kind;
	struct phrase_said phrase;
	int epoch; /* run.flushed when it was sent */
};

/* The actor that hears: ears_read() gets ears_letters, and ears_gone() frees it. */
void ears_read(void *ears, struct letter *);
void ears_gone(void *ears);
void *ears_new(struct run *);
void mouth_read(void *mouth, struct letter *);
void mouth_gone(void *mouth);
void *mouth_new(struct run *, int target);
/*
 * What makes the first phrase slow is begun in the background, as far as its language
 * is known; readiness_told() when the engine has answered once, or cannot.
 */
void mouth_warm(const struct run *, int target);

/*
 * SAID_READY is said when so many parts are: the recogniser and the translator of every
 * target.  A part may be told of after the run has gone.
 */
struct readiness *readiness_new(struct run *, int parts);
/* One part is ready; of struct readiness, once for each part, from any thread. */
void readiness_told(void *);
/* One part will never be. */
void readiness_failed(struct readiness *);
/* No more is to be said. */
void readiness_leave(struct readiness *);

/* A phrase to every mouth that takes its language; target -1: all of these. */
void run_pass(struct run *, const struct phrase_said *, int target);
/* Behind all that the mouths were passed. */
void run_pass_echo(struct run *);
/* One of its actors has gone; the last one ends the run. */
void run_left(struct run *);
/* An echo has come through. */
void run_echoed(struct run *);

/* In a letter of its own, for the room; target as in struct said, not starred. */
struct said *said_new(struct run *, enum said_kind, int target);
/* The same with a message, and no larger than that: many may wait to be played. */
struct said *said_with(
    struct run *, enum said_kind, int target, const struct buf *message);
/* Its message is what the buffer holds, which is of the letter's arena; or NULL. */
void said_send(struct said *, const struct buf *, int starred);
struct buf said_buf(struct said *);
void run_warn(struct run *, const char *code, const char *message);
void run_error(struct run *, const char *code, const char *desc);

#endif
