/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CAPTIONS_H
#define SERVICE_CAPTIONS_H

#include <stdint.h>

#include "base/arena.h"

/*
 * Splits phrases into captions by the rules of subtitling: at most two rows, short
 * enough to be read while shown, one at a time. Nouns: caption. A text is split where a
 * sentence ends, else where a clause does, else where the rows are full; never inside a
 * word, unless it alone is longer than a row. Each Chinese, Japanese or Korean sign
 * counts as a word, and stays with the punctuation that follows it. A phrase has the
 * time until its end; if that is too short to read it at CAPTION_CPS characters a
 * second, with at least CAPTION_MIN_MS for each caption, it also uses as much as it
 * needs of the time until the next phrase. A phrase that begins before the previous one
 * was shown waits CAPTION_STEP_MS for each caption of the previous one.
 */
#define CAPTION_ROWS 2
#define CAPTION_COLUMNS 42      /* code points of a row */
#define CAPTION_COLUMNS_WIDE 16 /* columns of a row in zh, yue, ja, ko */
#define CAPTION_CPS 17          /* code points a second */
#define CAPTION_MIN_MS 1000
#define CAPTION_MAX_MS 7000
#define CAPTION_STEP_MS 40

struct caption {
	int64_t start_ms, end_ms; /* end > start; end is not after the next start */
	const char *rows[CAPTION_ROWS]; /* the second one may be NULL */
};

typedef void caption_taker(void *arg, const struct caption *);

struct captions;

/*
 * take() is called for each caption in order, at the latest in captions_end(). Memory
 * use does not grow with their number.
 */
struct captions *captions_new(struct arena *, caption_taker *take, void *arg);
/*
 * Add the next phrase: valid UTF-8; language: folded code. Phrases come in the order of
 * their starts. A phrase with an earlier start than the previous one gets the previous
 * one's start.
 */
void captions_put(struct captions *, const char *text, const char *language,
    int64_t start_ms, int64_t end_ms);
void captions_end(struct captions *);
void captions_free(struct captions *);

#endif
