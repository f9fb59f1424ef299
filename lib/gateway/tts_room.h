#ifndef GATEWAY_TTS_ROOM_H
#define GATEWAY_TTS_ROOM_H

#include "gateway/room.h"
#include "gateway/tts.h"

/* What the files of a TTS socket share; all of it is of the sockets' thread. */

#define TTS_ID_BYTES (64 * 4 + 1)

struct tts {
	const struct tts_want *want; /* NULL: there was no init */
	struct actor *tongue;
	atomic_int epoch; /* all that belongs to an earlier one is dropped */
	char voice[TTS_ID_BYTES];
	double speed;

	struct tts_text *first, *last; /* in the order in which they are spoken */
	int number;                    /* of the last one */
	bool speaking;                 /* the tongue has a piece */
	bool begun; /* of the first text's generation some was heard */
	struct letter *out, *out_last; /* what waits to leave */
	int64_t sound_us;              /* when there was sound, or it was asked for */

	int64_t opened_us, message_us;
	bool reminded; /* of init */
	const char *interval;
	int64_t spoken, booked, entry_us; /* characters; when they were booked */
};

/* ---- tts_line.c ---- */

/* A text behind the others, in the voice that is asked for now. */
void tts_append(struct room *, struct tts *, const char *generation);
double tts_rate(double speed);
/* Whatever can be done next. */
void tts_step(struct room *, struct tts *);
/* What waits and he is ready to read. */
void tts_send(struct room *, struct tts *);
/* Everything that is not sent is dropped. */
void tts_drop(struct tts *);
/* The generation that is spoken cannot be; the others stay. */
void tts_fail(struct tts *);
/* For tongue_new(). */
void tts_told(struct gate *, struct errand *);
bool tts_running(const struct room *, int64_t now_us, struct running *);
void tts_book(struct room *, struct tts *, int64_t now_us);

#endif
