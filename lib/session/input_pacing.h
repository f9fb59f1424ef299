#ifndef SESSION_INPUT_PACING_H
#define SESSION_INPUT_PACING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * At what pace a client sends its sound, as long as a task runs.  No clock is read
 * here: times are of one that never goes back.  Answers are sets of:
 */
enum pacing_fault {
	PACING_DROP = 1,     /* the backlog is full: this chunk is to be dropped */
	PACING_TOO_FAST = 2, /* AUDIO_STREAM_TOO_FAST is due, at most every 10 s */
	PACING_TOO_SLOW = 4, /* AUDIO_STREAM_TOO_SLOW, at most every 30 s */
	PACING_STALLED = 8,  /* AUDIO_STREAM_STALLED, once a stall */
	PACING_TIMEOUT = 16, /* SERVICE_TIMEOUT, each time one looks, until a sign */
};

#define PACING_BACKLOG_US INT64_C(60000000) /* of unprocessed sound that is kept */
#define PACING_AHEAD_US INT64_C(3000000)    /* of the clock since the first chunk */
#define PACING_WINDOW_S 10                  /* in which a stream is too slow */
#define PACING_SLOW 0.8                     /* of real time */
#define PACING_PHRASE_US INT64_C(1000000)   /* without a chunk ends a phrase */
#define PACING_STALL_US INT64_C(5000000)
#define PACING_TIMEOUT_US INT64_C(10000000)

struct input_pacing {
	int64_t chunk_us;               /* when the last chunk came, or it began */
	int64_t sign_us;                /* or another sign of life */
	int64_t first_us;               /* the first chunk */
	int64_t sound_us;               /* all that came since then */
	int64_t window_us;              /* since when slowness is looked for */
	int64_t heard[PACING_WINDOW_S]; /* sound of the last seconds, a ring */
	int64_t second;                 /* of the window, that is being filled */
	int64_t fast_us, slow_us;       /* when it was told last */
	bool has_first, was_fast, was_slow, is_stalled;
};

/* The task runs, or runs again after a pause; before the first time it is zeroed. */
void input_pacing_start(struct input_pacing *, int64_t now_us);
/* A chunk of sound_us came while backlog_us of earlier sound is unprocessed. */
unsigned input_pacing_chunk(
    struct input_pacing *, int64_t now_us, int64_t sound_us, int64_t backlog_us);
/* The same of a packet whose pace is another server's. */
void input_pacing_packet(struct input_pacing *, int64_t now_us);
/* Whether no chunk has come for so long that the phrase is over. */
bool input_pacing_is_quiet(const struct input_pacing *, int64_t now_us);
/* Another message came that shows the client to be at work: tts_task. */
void input_pacing_sign(struct input_pacing *, int64_t now_us);
/* What is due without a chunk; *again_us: when to look again at the latest. */
unsigned input_pacing_poll(struct input_pacing *, int64_t now_us, int64_t *again_us);

#endif
