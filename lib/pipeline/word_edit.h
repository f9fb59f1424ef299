/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_WORD_EDIT_H
#define PIPELINE_WORD_EDIT_H

#include "base/buf.h"
#include "speech/mt.h"

/* The words of a text, and edits that replace some of them. */

#define WORDS_MAX 512 /* longest text in words */
#define WORD_BYTES 24

struct text_word {
	size_t at, len;
	char small[WORD_BYTES + 4]; /* in small letters; "" for a long one */
	bool joined;                /* only a blank or a hyphen stands before it */
	bool shortened;             /* an apostrophe is behind it */
};

struct words {
	struct arena *mem;
	const char *text;
	struct text_word w[WORDS_MAX];
	size_t n;
	struct buf edits;
};

/* NULL for a text of more than WORDS_MAX words. */
struct words *words_of(struct arena *, const char *text);

/* The i-th word; the word after it, or before it, in its clause; "" if there is none.
 */
const char *word_at(const struct words *, size_t i);
const char *word_behind(const struct words *, size_t i);
const char *word_before(const struct words *, size_t i);
/* The byte after the i-th word. */
size_t word_end(const struct words *, size_t i);

bool word_is_digits(const char *);
/* True if the list, "|" between its words, has the word. */
bool word_is_listed(const char *list, const char *word);

/* Replace the words [from, end).  Edits must be made in the order of the text. */
void words_put(struct words *, size_t from, size_t end, const char *put);
/* Replace bytes of the text by words that the engine shall translate as `target`. */
void words_put_term(
    struct words *, size_t at, size_t len, const char *put, const char *target);
/* Remove the i-th word up to the next. */
void words_cut(struct words *, size_t i);

/* Apply the edits that touch no term of the text; move its terms and add new ones. */
void words_apply(const struct words *, struct mt_text *);

#endif
