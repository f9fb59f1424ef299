/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_STATE_H
#define PROTOCOL_STATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The life of a task, as a table of the effects of messages and events in each state.
 *
 *              set_task      ready        end_task         sent
 *       NONE ──────────▶ STARTING ──▶ RUNNING ──────▶ ENDING ──▶ CLOSED
 *                            │pause      ▲ │pause        ▲
 *                            ▼    set_task │ ▼           │
 *                          HELD ───────▶ PAUSED ─────────┘
 */
enum state {
	STATE_NONE,
	STATE_STARTING,
	STATE_HELD, /* starting; paused when started */
	STATE_RUNNING,
	STATE_PAUSED,
	STATE_ENDING,
	STATE_CLOSED,
	STATES
};

enum state_event {
	EVENT_SET,       /* set_task, valid */
	EVENT_SET_WRONG, /* set_task, invalid */
	EVENT_GET,
	EVENT_PAUSE,
	EVENT_FLUSH,
	EVENT_FLUSH_PAUSE, /* flush_task with pause_task */
	EVENT_TTS,
	EVENT_AUDIO,
	EVENT_END, /* end_task without force */
	EVENT_END_FORCE,
	EVENT_READY,  /* the engines have started */
	EVENT_FAILED, /* start failed or took 25 s; the last recognizer failed */
	EVENT_SENT,   /* all remaining output was sent */
	EVENT_GONE,   /* the client closed, a closing error, SIGTERM */
	STATE_EVENTS
};

enum state_action {
	ACT_NOTHING,
	ACT_ERROR,   /* send the error only */
	ACT_START,   /* start engines */
	ACT_RESTART, /* abort the start, start again with the new task */
	ACT_REPLACE, /* the new task replaces the old one at the next segment */
	ACT_RESUME,  /* resume with the new task */
	ACT_NOTIFY,  /* send current_task, with state_status() */
	ACT_BEGIN,   /* running: start billing, process the audio kept so far */
	ACT_BEGIN_PAUSED,
	ACT_PAUSE, /* finish the segment, send the rest, stop billing */
	ACT_FLUSH,
	ACT_FLUSH_PAUSE,
	ACT_DROP_OUTPUT,
	ACT_SPEAK,
	ACT_SPEAK_LATER, /* synthesize after the start */
	ACT_INGEST,
	ACT_KEEP_AUDIO, /* keep the last 10 s of audio */
	ACT_END,        /* send final results only, or all until the timeout */
	ACT_CLOSE,      /* send eos if requested, close 1000 */
	ACT_CLOSE_NOW,  /* discard all output, no eos, close 1000 */
	ACT_STOP,       /* release the engines, keep the socket */
	ACT_LEAVE       /* discard all output */
};

struct state_step {
	enum state next;
	enum state_action action;
	const char *error, *desc; /* error code of section 11 and its text; or NULL */
	bool once;                /* send the error once per connection */
};

/* For EVENT_SET_WRONG desc is NULL: send the validation errors with
 * output_validation_errors(). */
struct state_step state_step(enum state, enum state_event);
/* "running" or "paused", for a state whose step is ACT_NOTIFY. */
const char *state_status(enum state);

/*
 * While a client waits for its first current_task, few errors are sent, and get_task
 * has no limit.  Zero-initialise.
 */
struct state_startup {
	bool told;        /* current_task was sent since set_task in NONE */
	int64_t until_us; /* monotonic time before which few errors are sent; 0: none */
};

#define STATE_QUIET_US (INT64_C(30) * 1000000)

void state_begins(struct state_startup *, int64_t now_us); /* set_task in NONE */
void state_reported(struct state_startup *);               /* current_task was sent */
bool state_asks_freely(const struct state_startup *);      /* get_task has no limit */
/*
 * True if an error with this code may be sent now; if not, it is only logged. always:
 * the error explains an invalid set_task, or it closes the socket.
 */
bool state_allows_error(
    const struct state_startup *, const char *error, bool always, int64_t now_us);

#endif
