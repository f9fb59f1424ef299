/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_RECOGNIZER_INTERNAL_H
#define PIPELINE_RECOGNIZER_INTERNAL_H

#include "pipeline/audio_input.h"
#include "pipeline/pipeline_internal.h"
#include "pipeline/segmenter.h"

/*
 * Shared by the files of the recognizer actor:
 *
 *	recognizer.c         messages; sound -> segments -> partial and final texts;
 *	                     speech or noise; corrections
 *	recognizer_engine.c  the ASR engine: choice, failover
 *	recognizer_held.c    texts that are final only when asked for
 *	recognizer_language.c  is it the stream's language
 *	recognizer_open.c    sentences that a pause has cut in two
 *	passthrough.c        the original sound as chunks
 */
struct passthrough;

/*
 * With pipeline_config.manual: the text recognized since the last final text. Its
 * segments share one id; it is sent as partial texts.
 */
struct held {
	struct arena *mem;
	const char *id;       /* NULL: nothing yet */
	const char *text;     /* text of the segments that ended */
	const char *shown;    /* the last partial text */
	const char *language; /* language of the last text */
	int64_t start_us, end_us, shown_us;
};

/* Results of the last phrases, to decide whether the speaker speaks the stream's
   language. */
#define GUARD_PHRASES 3
enum language_is {
	LANGUAGE_OWN, /* the speaker speaks the stream's language */
	/* perhaps another language: texts are used, with a warning */
	LANGUAGE_DOUBTFUL,
	LANGUAGE_FOREIGN, /* another language: texts are not used */
};
struct language_guard {
	enum language_is is;
	double misfit[GUARD_PHRASES]; /* heard.misfit of the last phrases */
	size_t n;                     /* number of phrases that had a misfit */
};

/* The last phrase, if its text ends within a sentence: the next one completes it. */
struct open_phrase {
	bool waits; /* the synthesizers hold its text */
	/* first sample of its speech, or of the open phrases before it */
	int64_t start;
	int64_t until;        /* the next phrase must begin before this sample */
	enum segment_end why; /* reason why the running segment ended */
	int64_t begins, ends; /* its speech, in samples */
};

struct recognizer {
	struct pipeline *pipeline;
	struct arena *mem;         /* arena of the recognizer */
	struct arena *scratch;     /* arena of one message */
	struct arena *segment_mem; /* arena of the running segment */
	struct audio_input *in;
	struct segmenter *segmenter;
	const struct registry_engine *engine; /* borrowed; NULL: none */
	struct asr *asr;                      /* stream at the engine; NULL: none */
	bool full;         /* no engine is open, and one refused with ERR_LIMIT */
	const char *id;    /* id of the running segment; NULL: none */
	const char *text;  /* its last partial text, in segment_mem */
	const char *heard; /* its final text as the engine gave it */
	bool shows;        /* a partial text of this segment was sent */
	struct held held;
	const char *text_language; /* language of the last partial text */
	int64_t text_us;           /* end of that text in the stream */
	bool finalizing;           /* the next final text ends with STT_FIN */
	bool dropped;              /* the segment's text is not wanted */
	enum err lost;             /* not OK: the engine refused the segment's sound */
	int64_t from;              /* the segment's first sample in the stream */
	size_t upto;               /* its samples before a boundary; SIZE_MAX: all */
	double voiced;             /* share of its speech that has a pitch */
	int64_t start_us;   /* the segment's first speech, since the first chunk */
	int64_t partial_us; /* last request for a partial text, monotonic_us() */
	int failures;       /* segments in succession without a result */
	int drops;          /* RECOGNIZER_DROP received, see pipeline.segment_drops */
	/* keep the sound: for voices, the next engine, or to feed it again */
	bool keeps;
	int16_t *kept;           /* the segment's sound at HEARD_HZ, of segment_mem */
	size_t nkept, kept_room; /* samples: used, allocated */
	bool measures;           /* the task selects voices by pitch */
	bool clones;             /* a voice of the speaker may be made */
	int64_t message_at;      /* first sample of the current message */
	/*
	 * When that message, and the last one with speech, were received;
	 * monotonic_us().
	 */
	int64_t message_us, voiced_us;
	struct passthrough *passthrough; /* in mem; NULL: never switched on */
	struct language_guard guard;
	struct open_phrase open;
	struct pipeline_warnings warnings;
};

/* ---- recognizer_engine.c ---- */

/* Open the first suitable engine; report ready or failed. */
void recognizer_open(struct recognizer *);
void recognizer_close(struct recognizer *);
/* Feed more sound of the running segment; sets r->lost if the engine refuses it. */
void recognizer_feed(struct recognizer *, const struct pcm16 *);
/*
 * Get the text of the segment up to r->upto from the first engine that succeeds. It may
 * move r->upto to a boundary between words. Not OK: no engine succeeded; after too many
 * such segments PIPELINE_FAILED has been sent.
 */
enum err recognizer_finish(struct recognizer *, struct asr_result *) MUST_CHECK;

/* ---- recognizer.c, for tests ---- */

/* Median fundamental frequency in Hz of sound at HEARD_HZ; 0: no voiced frame. */
double recognizer_pitch_hz(const int16_t *, size_t n);

/* True if the final text is likely speech and not made of a noise; r->voiced must be
   set. */
bool recognizer_accepts(
    const struct recognizer *, const struct asr_result *, int64_t end_us);
/*
 * True if a partial text is likely speech. It has no confidence yet, so the first one
 * of a segment must have more than two words, and the rate and voicing of speech.
 */
bool recognizer_accepts_partial(
    const struct recognizer *, const struct asr_result *, int64_t at_us);

/*
 * True if the final text must not be used, as the speaker does not speak the stream's
 * language: the engine has detected another one, or three phrases do not fit the
 * stream's.  Reports each change.  Streams of STT sockets, and with "auto", have no
 * guard.
 */
bool recognizer_is_foreign(
    struct recognizer *, const struct asr_result *, size_t words);

/* As recognizer_is_foreign(), without reports: decides by the guard's phrases. A phrase
   of one or two words changes nothing. */
enum language_is language_guard_judges(
    struct language_guard *, const struct asr_result *, size_t words);

/* ---- recognizer_open.c ---- */

/* Report that a segment begins or ends. */
void open_phrase_begins(struct recognizer *, const struct segment_part *);
void open_phrase_ends(struct recognizer *, const struct segment_part *);
/* Report that all sound before this sample was processed. */
void open_phrase_check(struct recognizer *, int64_t at);
/* True if the synthesizers must hold this final text, as the next phrase may complete
   its sentence. */
bool open_phrase_holds(
    struct recognizer *, const struct asr_result *, const char *heard);
/* Report that a final text was sent to the synthesizers. */
void open_phrase_sent(struct recognizer *, bool open);
/* Do not wait for the next phrase any longer. */
void open_phrase_close(struct recognizer *);

/* ---- recognizer_held.c ---- */

/* Begin a segment: give it the id and the shown text of the held segments. */
void recognizer_held_begin(struct recognizer *);
/* The held text followed by this one, in segment_mem. */
const char *recognizer_held_join(struct recognizer *, const struct asr_result *);
/* Hold this as the whole text so far; NULL: the segment that ended had no text. */
void recognizer_held_set(
    struct recognizer *, const struct asr_result *, int64_t end_us);
/*
 * Remove the held text, as a separate segment, in segment_mem; false: nothing is held,
 * and no partial text was sent.
 */
bool recognizer_held_pop(struct recognizer *, struct asr_result *, int64_t *end_us);

/* ---- passthrough.c ---- */

void passthrough_set(struct recognizer *, bool on);
/*
 * Decode the bytes of a message to HEARD_HZ, in the scratch arena.  If passthrough is
 * on, also send them as chunks.  Errors as audio_input_feed().
 */
enum err passthrough_decode(
    struct recognizer *, const void *, size_t n, struct pcm16 *to) MUST_CHECK;

#endif
