#ifndef GATEWAY_EARS_ROOM_H
#define GATEWAY_EARS_ROOM_H

#include "gateway/intake.h"
#include "gateway/run_room.h"
#include "stream/phrase.h"

/*
 * What the files of the actor that hears share:
 *
 *	ears.c           letters: sound -> phrases, and when a text is due
 *	ears_asr.c       who recognises them
 *	ears_text.c      what becomes of their texts
 *	ears_original.c  the sound as it came, for who wants that
 */
struct original;

struct ears {
	struct run *run;
	struct arena *mem;     /* of the stream: the sound before the recogniser */
	struct arena *scratch; /* of one letter */
	struct arena *phrase;  /* of one phrase */
	struct intake *in;
	struct phrases *phrases;
	const struct registry_engine *engine; /* NULL: there is none */
	struct asr *asr;
	bool full;        /* there is none, as one had no place for another stream */
	const char *id;   /* of the running phrase; NULL: there is none */
	const char *text; /* its last partial one, */
	int64_t text_us;  /* and how far that goes */
	bool finalizing;  /* the next final text says so */
	bool dropped;     /* nobody wants to know what it says */
	enum err lost;    /* it cannot be heard by this recogniser */
	int64_t start_us; /* of its speech, since the first chunk */
	int64_t partial_us;
	int failures;
	int flushed; /* of run.flushed_all, that have come */
	bool keeps;  /* the phrase's sound: to measure, or for another recogniser */
	int16_t *kept;
	size_t nkept, kept_room;
	bool measures;
	int64_t letter_at;            /* the first sample of this letter, */
	int64_t letter_us, voiced_us; /* when it came; of the last one with speech */
	struct original *original;    /* NULL: nobody wants to hear it, or ever did */
	struct warned warned;
};

/* ---- ears_asr.c ---- */

/* The first recogniser of the task, and what is to be said of it. */
void ears_open(struct ears *);
void ears_close(struct ears *);
/* More of the running phrase; e->lost: it cannot be heard by this recogniser. */
void ears_feed(struct ears *, const struct pcm16 *);
/*
 * What the phrase says, by whoever can.  Not OK: it came to nothing; when that was so
 * too often, SAID_FAILED is on its way.
 */
enum err ears_finish(struct ears *, struct heard *) MUST_CHECK;

/* ---- ears_text.c ---- */

/* The text with fillers taken out and glossaries applied; of the phrase's arena. */
const char *ears_corrected(struct ears *, const struct heard *);
/* Say it to the listeners; final or partial. */
void ears_say(struct ears *, enum task_say, const struct heard *, int64_t end_us);
/* As it goes to the mouths. */
struct phrase_said ears_phrase(
    const struct ears *, const struct heard *, int64_t end_us);

/* ---- ears_original.c ---- */

/* It is wanted from now on, or no more. */
void ears_original(struct ears *, bool on);
/*
 * The bytes of a letter as sound that is recognised, in the scratch arena; what is
 * wanted of it as it came is said at once.  Errors as of intake_feed().
 */
enum err ears_decode(
    struct ears *, const void *, size_t n, struct pcm16 *to) MUST_CHECK;

#endif
