/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SEGMENTER_H
#define PIPELINE_SEGMENTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pcm16.h"
#include "base/arena.h"
#include "pipeline/segmenter_boundary.h"

#define SEGMENT_PAD_MS 200   /* silence kept before and after the speech */
#define SEGMENT_LEAST_MS 120 /* shorter speech is ignored */
#define SEGMENT_CUT_S 6      /* a longer segment is cut at a good boundary */
#define SEGMENT_MOST_S 10    /* at this length a segment is cut between any two words */
#define SEGMENT_PAUSE_MS 250 /* pause at which a long segment is split */

struct segmenter_params {
	bool vad;              /* false: all input is speech */
	double vad_threshold;  /* threshold of vad_set(), 0 to 1 */
	int silence_ms;        /* silence that ends a segment, 300 to 2000 */
	bool split;            /* split segments that reach both limits: */
	int split_characters;  /* length of the text so far, 1 to 1000 */
	double split_s;        /* length of the sound, 0 to 60 */
	struct silero *silero; /* see vad_use(); NULL: none */
};

/*
 * The endpointer: cuts a stream of sound into segments.  Feed sound, then take the
 * parts:
 *
 *	segmenter_feed(p, s, n);
 *	while (segmenter_next(p, &part))
 *		if (part.is == SEGMENT_BEGINS) begin a text
 *		else if (part.is == SEGMENT_AUDIO) recognize, call segmenter_text() and
 *			segmenter_words()
 *		else finish the text; SEGMENT_LONG: segmenter_resume()
 *
 *   silence -- speech of SEGMENT_LEAST_MS --> BEGINS, AUDIO ..., ENDS --> silence
 *
 * Each segment is BEGINS, one AUDIO or more, ENDS.  Its sound begins SEGMENT_PAD_MS
 * before its speech and ends SEGMENT_PAD_MS after it.  No sample is in two segments, so
 * the padding may be shorter.  Silence inside a segment is held back until speech
 * follows.  The sizes of the pieces fed do not matter, except for the moment of
 * segmenter_text().  Times are samples at HEARD_HZ since the stream began.
 *
 * Speech without a pause that lasts SEGMENT_CUT_S is examined several times a second
 * and cut at the best boundary (segmenter_boundary.h). The required value of a boundary
 * falls with time; at SEGMENT_MOST_S any boundary suffices. The boundary is in the
 * past: ENDS.at is before the end of the sound already returned, and the sound after it
 * is returned again as part of the next segment.
 */
struct segmenter;

enum segment_part_kind { SEGMENT_BEGINS, SEGMENT_AUDIO, SEGMENT_ENDS };
enum segment_end { SEGMENT_SILENCE, SEGMENT_SPLIT, SEGMENT_LONG, SEGMENT_CUT };

struct segment_part {
	enum segment_part_kind is;
	struct pcm16 sound; /* AUDIO; borrowed until the next call */
	/* BEGINS, AUDIO: first sample; ENDS: end of the segment's sound, which with
	   SEGMENT_LONG is before the end of the sound returned */
	int64_t at;
	int64_t speech_at;    /* BEGINS: first speech; ENDS: end of the speech */
	enum segment_end why; /* ENDS */
	double voiced; /* AUDIO, ENDS: share of the speech so far that has a pitch,
			  0 to 1 */
};

struct segmenter *segmenter_new(struct arena *, const struct segmenter_params *);
/* Feed any number of samples, borrowed until segmenter_next() returns false. */
void segmenter_feed(struct segmenter *, const int16_t *, size_t n);
bool segmenter_next(struct segmenter *, struct segment_part *);
/*
 * The text of the running segment so far, valid UTF-8.  When params.split is set and
 * both limits are reached, the segment ends at the next pause of SEGMENT_PAUSE_MS, or
 * at once if the text ends with a sentence-final mark.
 */
void segmenter_text(struct segmenter *, const char *text);
/*
 * Give the words of the running segment and their times, for the sound returned so far.
 * Call it when segmenter_wants_words() is true. Borrowed until the next
 * segmenter_next().
 */
void segmenter_words(struct segmenter *, const struct boundary_word *, size_t n);
/* True if the next call searches a boundary in the sound returned so far. */
bool segmenter_wants_words(const struct segmenter *);
/*
 * After ENDS with SEGMENT_LONG: move the end of that segment to this sample, which must
 * be in its sound and not its first.
 */
void segmenter_resume(struct segmenter *, int64_t at);
/* End the running segment after the sound fed so far; then take its parts. */
void segmenter_cut(struct segmenter *);
/* End of the last speech; 0: none yet. */
int64_t segmenter_speech_at(const struct segmenter *);

#endif
