#ifndef PIPELINE_SEGMENTER_H
#define PIPELINE_SEGMENTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/pcm16.h"
#include "base/arena.h"

#define SEGMENT_PAD_MS 200   /* of silence before and behind its speech */
#define SEGMENT_LEAST_MS 120 /* of speech; less is ignored */
#define SEGMENT_MOST_S 30    /* of sound, then it is cut */
#define SEGMENT_PAUSE_MS 250 /* in which a long segment is split */

struct segmenter_params {
	bool vad;             /* false: all input is speech */
	double vad_threshold; /* 0 to 1 */
	int silence_ms;       /* that ends a segment, 300 to 2000 */
	bool split;           /* also when it is long, in text and time: */
	int split_characters; /* of the text so far, 1 to 1000 */
	double split_s;       /* of its sound, 0 to 60 */
};

/*
 * A stream of sound as segments.  Feed it, then take what it has to say:
 *
 *	segmenter_feed(p, s, n);
 *	while (segmenter_next(p, &part))
 *		if (part.is == SEGMENT_BEGINS) open a recogniser
 *		else if (part.is == SEGMENT_AUDIO) feed it, tell segmenter_text()
 *		else finish it
 *
 *   silence -- speech of SEGMENT_LEAST_MS --> BEGINS, SOUND ..., ENDS --> silence
 *
 * Each segment is BEGINS, one SOUND or more, ENDS.  Its sound goes from SEGMENT_PAD_MS
 * before its speech to as much behind it, as far as it is not the segment's before;
 * silence inside is held back until there is speech behind it.  No sample is in
 * two segments.  Except for segmenter_text(), how the stream is cut makes no
 * difference.  Times are samples at HEARD_HZ since the stream began.
 */
struct segmenter;

enum segment_part_kind { SEGMENT_BEGINS, SEGMENT_AUDIO, SEGMENT_ENDS };
enum segment_end { SEGMENT_SILENCE, SEGMENT_SPLIT, SEGMENT_LONG, SEGMENT_CUT };

struct segment_part {
	enum segment_part_kind is;
	struct pcm16 sound; /* of SOUND; until the next call with these segments */
	int64_t at;         /* BEGINS, SOUND: its first sample; ENDS: behind its last */
	int64_t speech_at;  /* BEGINS: its first speech; ENDS: behind its last */
	enum segment_end why; /* of ENDS */
};

struct segmenter *segmenter_new(struct arena *, const struct segmenter_params *);
/* Any number of samples, borrowed until segmenter_next() answers false. */
void segmenter_feed(struct segmenter *, const int16_t *, size_t n);
bool segmenter_next(struct segmenter *, struct segment_part *);
/*
 * The text of the running segment so far, valid UTF-8.  When rule.split is set and
 * both its limits are reached, it ends at the next pause of SEGMENT_PAUSE_MS, or at
 * once if the text ends with a mark that ends sentences.
 */
void segmenter_text(struct segmenter *, const char *text);
/* End the running segment behind what was fed, speech or not; take its parts then. */
void segmenter_cut(struct segmenter *);
int64_t segmenter_speech_at(
    const struct segmenter *); /* behind the last speech; or 0 */

#endif
