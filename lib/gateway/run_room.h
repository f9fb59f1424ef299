#ifndef GATEWAY_RUN_ROOM_H
#define GATEWAY_RUN_ROOM_H

#include "gateway/run.h"
#include "stream/say.h"

/* What the files of a run share: run.c, ears.c, mouth.c. */

struct run {
	struct gate *gate;
	struct room *room;
	struct run_want *want;
	void (*told)(struct gate *, struct errand *);
	struct actor *ears;
	struct actor *mouths[TASK_TARGETS];
	atomic_int left; /* actors that have not gone */
	atomic_int echoes;
	atomic_llong heard_us, done_us; /* sound that came, and that was recognised */
	atomic_llong level_ms[TASK_TARGETS];
	atomic_int flushed[TASK_TARGETS]; /* phrases begun before are dropped */
	atomic_int flushed_all;
};

/* A phrase as it goes to the mouths. */
struct phrase_said {
	const char *id;       /* 16 hex digits */
	const char *language; /* folded */
	const char *text;
	int64_t start_us, end_us; /* since the first input chunk */
	int64_t ended_us;         /* monotonic_us() at which it was final */
	bool partial;
	bool plain; /* is spoken as it is, not translated */
};

enum ears_kind { EARS_OPEN, EARS_SOUND, EARS_CUT, EARS_DROP, EARS_ECHO };

struct ears_letter {
	struct letter letter;
	enum ears_kind kind;
	const void *bytes;
	size_t n;
};

enum mouth_kind { MOUTH_PHRASE, MOUTH_ECHO };

struct mouth_letter {
	struct letter letter;
	enum mouth_kind kind;
	struct phrase_said phrase;
	int epoch; /* run.flushed when it was sent */
};

void ears_read(void *ears, struct letter *);
void ears_gone(void *ears);
void *ears_new(struct run *);
void mouth_read(void *mouth, struct letter *);
void mouth_gone(void *mouth);
void *mouth_new(struct run *, int target);

/* A phrase to every mouth that takes its language; target -1: all of these. */
void run_pass(struct run *, const struct phrase_said *, int target);
/* One of its actors has gone; the last one ends the run. */
void run_left(struct run *);
/* An echo has come through. */
void run_echoed(struct run *);

struct said *said_new(struct run *, enum said_kind, int target);
/* Its message is what the buffer holds, which is of the letter's arena. */
void said_send(struct said *, const struct buf *, int starred);
struct buf said_buf(struct said *);
void run_warn(struct run *, const char *code, const char *message);

#endif
