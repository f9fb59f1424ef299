/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_INPUT_PACING_H
#define SESSION_INPUT_PACING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Pace of a client's audio while a task runs.  Reads no clock: all times are of the
 * caller's monotonic clock, in microseconds.  Functions return a set of pacing_fault.
 */
enum pacing_fault {
	PACING_DROP = 1,     /* the backlog is full: drop this chunk */
	PACING_TOO_FAST = 2, /* send AUDIO_STREAM_TOO_FAST; at most every 10 s */
	PACING_TOO_SLOW = 4, /* send AUDIO_STREAM_TOO_SLOW; at most every 30 s */
	PACING_STALLED = 8,  /* send AUDIO_STREAM_STALLED; once per stall */
	PACING_TIMEOUT = 16, /* SERVICE_TIMEOUT; at each poll until the next input */
};

#define PACING_BACKLOG_US INT64_C(60000000) /* most unprocessed audio */
#define PACING_AHEAD_US INT64_C(3000000)    /* most audio ahead of the clock */
#define PACING_WINDOW_S 10 /* seconds over which slowness is measured */
#define PACING_SLOW 0.8    /* slower than this share of real time */
/* time without a chunk after which the segment ends */
#define PACING_SEGMENT_US INT64_C(1000000)
/*
 * As PACING_SEGMENT_US, but for packets: in silence a packet comes every 400 ms (DTX).
 */
#define PACING_PACKET_US INT64_C(500000)
#define PACING_TURN_US INT64_C(100000)      /* the longest time that a turn counts */
#define PACING_STALL_US INT64_C(5000000)    /* time without a chunk */
#define PACING_TIMEOUT_US INT64_C(10000000) /* time without any input */

struct input_pacing {
	int64_t chunk_us;               /* time of the last chunk, or of the start */
	int64_t sign_us;                /* time of the last input of any kind */
	int64_t first_us;               /* time of the first chunk */
	int64_t sound_us;               /* length of all audio since then */
	int64_t window_us;              /* time when measuring slowness began */
	int64_t heard[PACING_WINDOW_S]; /* ring: length of audio per second, us */
	int64_t second;                 /* current second since window_us */
	int64_t quiet_us;               /* length of turns since the last chunk */
	int64_t turn_us;                /* time of that chunk, or of the last turn */
	int64_t fast_us, slow_us;       /* time of the last warning */
	bool has_first;                 /* first_us is set */
	bool was_fast, was_slow;        /* fast_us, slow_us are set */
	bool is_stalled;                /* the stall was reported */
};

/* The task starts or resumes.  Zero the struct before the first call. */
void input_pacing_start(struct input_pacing *, int64_t now_us);
/* A chunk has come.  backlog_us: unprocessed audio before it. */
unsigned input_pacing_chunk(
    struct input_pacing *, int64_t now_us, int64_t sound_us, int64_t backlog_us);
/* A packet of a media server has come.  Its pace is not checked. */
void input_pacing_packet(struct input_pacing *, int64_t now_us);
/* Sound was absent on purpose until now, so this is not a stall. */
void input_pacing_excuse(struct input_pacing *, int64_t now_us);
/*
 * True if a segment must end because nothing has come for after_us. Call it in each
 * turn. A late turn counts only as PACING_TURN_US, because input that arrived meanwhile
 * is not read yet.
 */
bool input_pacing_is_quiet(struct input_pacing *, int64_t now_us, int64_t after_us);
/* Input other than audio has come: tts_task. */
void input_pacing_sign(struct input_pacing *, int64_t now_us);
/* Faults that are due without a chunk.  *again_us: time of the next call. */
unsigned input_pacing_poll(struct input_pacing *, int64_t now_us, int64_t *again_us);

#endif
