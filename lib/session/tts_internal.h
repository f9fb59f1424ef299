#ifndef SESSION_TTS_INTERNAL_H
#define SESSION_TTS_INTERNAL_H

#include "session/session.h"
#include "session/tts.h"

/* What the files of a TTS socket share; all of it is of the event loop. */

#define TTS_ID_BYTES (64 * 4 + 1)

struct tts {
	const struct tts_params *want; /* NULL: there was no init */
	struct actor *tongue;
	atomic_int epoch; /* all that belongs to an earlier one is dropped */
	char voice[TTS_ID_BYTES];
	double speed;

	struct tts_input *first, *last; /* in the order in which they are spoken */
	int number;                     /* of the last one */
	bool speaking;                  /* the tongue has a piece */
	bool begun; /* of the first text's generation some was heard */
	struct actor_message *out, *out_last; /* what waits to leave */
	int64_t sound_us; /* when there was sound, or it was asked for */

	int64_t opened_us, message_us;
	bool reminded; /* of init */
	const char *interval;
	int64_t spoken, booked, entry_us; /* characters; when they were booked */
};

/* ---- tts_queue.c ---- */

/* A text behind the others, in the voice that is asked for now. */
void tts_append(struct session *, struct tts *, const char *generation);
double tts_rate(double speed);
/* Whatever can be done next. */
void tts_step(struct session *, struct tts *);
/* What waits and he is ready to read. */
void tts_send(struct session *, struct tts *);
/* Everything that is not sent is dropped. */
void tts_drop(struct tts *);
/* The generation that is spoken cannot be; the others stay. */
void tts_fail(struct tts *);
/* For tts_worker_new(). */
void tts_reported(struct gateway *, struct thread_call *);
bool tts_running(const struct session *, int64_t now_us, struct running *);
void tts_book(struct session *, struct tts *, int64_t now_us);

#endif
