#ifndef PROTOCOL_STATE_H
#define PROTOCOL_STATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The life of a task, as a table: what a message or event does in each state.
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
	STATE_HELD, /* starting, and paused as soon as it has started */
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
	EVENT_READY,  /* the engines are there */
	EVENT_FAILED, /* start-up failed or took 25 s; the last recogniser died */
	EVENT_SENT,   /* what was left when it ended is sent */
	EVENT_GONE,   /* the client closed, a closing error, SIGTERM */
	STATE_EVENTS
};

enum state_action {
	ACT_NOTHING,
	ACT_ERROR,   /* only the error */
	ACT_START,   /* start engines */
	ACT_RESTART, /* drop the start-up, begin another with the new task */
	ACT_REPLACE, /* the new task takes over at the next phrase */
	ACT_RESUME,  /* with the new task */
	ACT_NOTIFY,  /* current_task, with state_status() */
	ACT_BEGIN,   /* it runs: metered, with what was kept of the audio */
	ACT_BEGIN_PAUSED,
	ACT_PAUSE, /* finish the phrase, send the rest, meter no more */
	ACT_FLUSH,
	ACT_FLUSH_PAUSE,
	ACT_DROP_OUTPUT,
	ACT_SPEAK,
	ACT_SPEAK_LATER, /* once it has started */
	ACT_INGEST,
	ACT_KEEP_AUDIO, /* its last 10 s */
	ACT_END,        /* send what is final, or all until the timeout */
	ACT_CLOSE,      /* eos if asked, close 1000 */
	ACT_CLOSE_NOW,  /* drop everything, no eos, close 1000 */
	ACT_STOP,       /* give the engines back, keep the socket */
	ACT_LEAVE       /* drop everything */
};

struct state_step {
	enum state next;
	enum state_action action;
	const char *error, *desc; /* a code of section 11 and what it says; or NULL */
	bool once;                /* the error is sent once per connection */
};

/* EVENT_SET_WRONG: desc is NULL, the flaws say it, see output_flaws(). */
struct state_step state_step(enum state, enum state_event);
/* "running" or "paused", of a state whose step says ACT_NOTIFY. */
const char *state_status(enum state);

/*
 * While a client waits blindly for its task, few errors are sent, and get_task is
 * free.  Zero-initialise.
 */
struct state_startup {
	bool told;        /* a current_task was sent since the task began in NONE */
	int64_t until_us; /* quiet until then; 0: not */
};

#define STATE_QUIET_US (INT64_C(30) * 1000000)

void state_begins(struct state_startup *, int64_t now_us); /* set_task in NONE */
void state_reported(struct state_startup *);               /* current_task was sent */
bool state_asks_freely(const struct state_startup *);      /* get_task has no limit */
/*
 * Whether an error of this code may be sent now, or else is only logged.  `always`:
 * it says why a set_task was invalid, or it closes the socket.
 */
bool state_lets_say(
    const struct state_startup *, const char *error, bool always, int64_t now_us);

#endif
