#ifndef STREAM_PHRASE_H
#define STREAM_PHRASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "stream/pcm16.h"

#define PHRASE_PAD_MS 200   /* of silence before and behind its speech */
#define PHRASE_LEAST_MS 120 /* of speech; less is ignored */
#define PHRASE_MOST_S 30    /* of sound, then it is cut */
#define PHRASE_PAUSE_MS 250 /* in which a long phrase is split */

struct phrase_rule {
	bool vad;             /* false: all input is speech */
	double vad_threshold; /* 0 to 1 */
	int silence_ms;       /* that ends a phrase, 300 to 2000 */
	bool split;           /* also when it is long, in text and time: */
	int split_characters; /* of the text so far, 1 to 1000 */
	double split_s;       /* of its sound, 0 to 60 */
};

/*
 * A stream of sound as phrases.  Feed it, then take what it has to say:
 *
 *	phrases_feed(p, s, n);
 *	while (phrases_next(p, &part))
 *		if (part.is == PHRASE_BEGINS) open a recogniser
 *		else if (part.is == PHRASE_SOUND) feed it, tell phrases_text()
 *		else finish it
 *
 *   silence -- speech of PHRASE_LEAST_MS --> BEGINS, SOUND ..., ENDS --> silence
 *
 * Each phrase is BEGINS, one SOUND or more, ENDS.  Its sound goes from PHRASE_PAD_MS
 * before its speech to as much behind it, as far as it is not the phrase's before;
 * silence inside is held back until there is speech behind it.  No sample is in
 * two phrases.  Except for phrases_text(), how the stream is cut makes no
 * difference.  Times are samples at HEARD_HZ since the stream began.
 */
struct phrases;

enum phrase_part_is { PHRASE_BEGINS, PHRASE_SOUND, PHRASE_ENDS };
enum phrase_why { PHRASE_SILENCE, PHRASE_SPLIT, PHRASE_LONG, PHRASE_CUT };

struct phrase_part {
	enum phrase_part_is is;
	struct pcm16 sound; /* of SOUND; until the next call with these phrases */
	int64_t at;         /* BEGINS, SOUND: its first sample; ENDS: behind its last */
	int64_t speech_at;  /* BEGINS: its first speech; ENDS: behind its last */
	enum phrase_why why; /* of ENDS */
};

struct phrases *phrases_new(struct arena *, const struct phrase_rule *);
/* Any number of samples, borrowed until phrases_next() answers false. */
void phrases_feed(struct phrases *, const int16_t *, size_t n);
bool phrases_next(struct phrases *, struct phrase_part *);
/*
 * The text of the running phrase so far, valid UTF-8.  When rule.split is set and
 * both its limits are reached, it ends at the next pause of PHRASE_PAUSE_MS, or at
 * once if the text ends with a mark that ends sentences.
 */
void phrases_text(struct phrases *, const char *text);
/* End the running phrase behind what was fed, speech or not; take its parts then. */
void phrases_cut(struct phrases *);
int64_t phrases_speech_at(const struct phrases *); /* behind the last speech; or 0 */

#endif
