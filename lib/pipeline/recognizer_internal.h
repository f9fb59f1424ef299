#ifndef PIPELINE_RECOGNIZER_INTERNAL_H
#define PIPELINE_RECOGNIZER_INTERNAL_H

#include "pipeline/audio_input.h"
#include "pipeline/pipeline_internal.h"
#include "pipeline/segmenter.h"

/*
 * What the files of the actor that hears share:
 *
 *	recognizer.c           messages: sound -> phrases, and when a text is due
 *	ears_asr.c       who recognises them
 *	ears_text.c      what becomes of their texts
 *	passthrough_set.c  the sound as it came, for who wants that
 */
struct passthrough;

struct recognizer {
	struct pipeline *pipeline;
	struct arena *mem;         /* of the stream: the sound before the recogniser */
	struct arena *scratch;     /* of one message */
	struct arena *segment_mem; /* of one phrase */
	struct audio_input *in;
	struct segmenter *segmenter;
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
	int64_t letter_at;            /* the first sample of this message, */
	int64_t letter_us, voiced_us; /* when it came; of the last one with speech */
	struct passthrough
	    *passthrough; /* NULL: nobody wants to hear it, or ever did */
	struct warned warned;
};

/* ---- ears_asr.c ---- */

/* The first recogniser of the task, and what is to be said of it. */
void recognizer_open(struct recognizer *);
void recognizer_close(struct recognizer *);
/* More of the running phrase; e->lost: it cannot be heard by this recogniser. */
void recognizer_feed(struct recognizer *, const struct pcm16 *);
/*
 * What the phrase says, by whoever can.  Not OK: it came to nothing; when that was so
 * too often, PIPELINE_FAILED is on its way.
 */
enum err recognizer_finish(struct recognizer *, struct heard *) MUST_CHECK;

/* ---- ears_text.c ---- */

/* The text with fillers taken out and glossaries applied; of the phrase's arena. */
const char *recognizer_corrected(struct recognizer *, const struct heard *);
/* Say it to the listeners; final or partial. */
void recognizer_send(
    struct recognizer *, enum task_output, const struct heard *, int64_t end_us);
/* As it goes to the synthesizers. */
struct spoken_segment recognizer_phrase(
    const struct recognizer *, const struct heard *, int64_t end_us);

/* ---- passthrough_set.c ---- */

/* It is wanted from now on, or no more. */
void passthrough_set(struct recognizer *, bool on);
/*
 * The bytes of a message as sound that is recognised, in the scratch arena; what is
 * wanted of it as it came is said at once.  Errors as of audio_input_feed().
 */
enum err passthrough_decode(
    struct recognizer *, const void *, size_t n, struct pcm16 *to) MUST_CHECK;

#endif
