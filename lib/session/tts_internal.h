/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_TTS_INTERNAL_H
#define SESSION_TTS_INTERNAL_H

#include "session/session.h"
#include "session/tts_session.h"

/* Shared by the files of a TTS socket.  Belongs to the event loop. */

#define TTS_ID_BYTES (64 * 4 + 1)

/* State of a TTS session, in its arena.  Times are monotonic_us(). */
struct tts {
	const struct tts_params *want; /* NULL: no init yet */
	struct actor *worker;          /* the worker; NULL: no init yet */
	atomic_int epoch;         /* pieces and events of earlier epochs are dropped */
	char voice[TTS_ID_BYTES]; /* voice of the next text; "": default */
	double speed;             /* speed of the next text, see tts_rate() */

	struct tts_input *first, *last; /* texts in the order of synthesis; owned */
	int number;                     /* number of the last text */
	bool speaking;                  /* the worker has a piece */
	bool begun; /* audio of the first text's generation was produced */
	struct actor_message *out, *out_last; /* struct tts_event to send; owned */
	int64_t sound_us; /* time of the last audio or the last piece */

	int64_t opened_us;      /* time at which the connection opened */
	int64_t message_us;     /* time of the last message */
	bool reminded;          /* the error for a missing init was sent */
	const char *interval;   /* id, for the bill */
	int64_t spoken, booked; /* code points synthesized; booked */
	int64_t entry_us;       /* time of the last booking */
};

/* ---- tts_queue.c ---- */

/* Append an empty text with the current voice and speed. */
void tts_append(struct session *, struct tts *, const char *generation);
/* Speech rate (1: normal) of a speed setting. */
double tts_rate(double speed);
/* Give the worker the next piece if it is idle and no message waits. */
void tts_step(struct session *, struct tts *);
/* Send waiting messages while the client reads fast enough. */
void tts_send(struct session *, struct tts *);
/* Drop all texts and all unsent messages. */
void tts_drop(struct tts *);
/* As tts_drop(), for one generation; does nothing if there is none with this id. */
void tts_drop_generation(struct tts *, const char *id);
/* End the current generation with an error. Later generations continue. */
void tts_fail(struct tts *);
/* Handle a struct tts_event; see tts_worker_new(). */
void tts_reported(struct gateway *, struct thread_call *);
/* session_ops.running of TTS. */
bool tts_running(const struct session *, int64_t now_us, struct running *);
/* Book the code points synthesized since the last booking. */
void tts_book(struct session *, struct tts *, int64_t now_us);

#endif
