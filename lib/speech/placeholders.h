/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_PLACEHOLDERS_H
#define SPEECH_PLACEHOLDERS_H

#include "base/buf.h"
#include "speech/mt.h"

/* Nouns: mt. */

/*
 * Carries terms through a translation; private to the engines. Each engine turns its
 * answer into text with a slot in place of the i-th term. A text itself cannot contain
 * slots, as its control characters are removed before.
 */

#define MT_SLOT '\x01' /* first byte of a slot */

/* Write the slot of the i-th term. */
void mt_slot(struct buf *, size_t i);
/*
 * Replace the slots by the targets, and trim blanks. NULL: a slot is missing or occurs
 * twice.
 */
const char *mt_fill(struct arena *, const struct mt_text *, const char *slots);

/*
 * The terms of a text for the first of two translations.  Their targets are slots,
 * which mark their places in the answer; mt_refill() reads them.
 */
const struct mt_term *mt_carry(struct arena *, const struct mt_text *);
/*
 * As mt_fill(), but for another translation: replace each slot by the term's own words.
 * `to` gets the nterms terms of the result, in order.
 */
const char *mt_refill(
    struct arena *, const struct mt_text *, const char *slots, struct mt_term *to);

/* How to write a text: rest() writes the text between terms, term() a term. */
struct mt_marks {
	void (*rest)(struct buf *, const char *, size_t);
	void (*term)(struct buf *, const struct mt_text *, size_t i);
};
const char *mt_mark(struct arena *, const struct mt_text *, const struct mt_marks *);

/* Returns the text with its terms as slots. */
const char *mt_slots(struct arena *, const struct mt_text *);

/*
 * For engines without support for terms: replace the terms by tokens, which engines
 * copy unchanged; then turn the tokens of the answer into slots.
 */
const char *mt_tokens(struct arena *, const struct mt_text *);
/* append the token of one term */
void mt_token(struct buf *, const struct mt_text *, size_t i);
const char *mt_untoken(struct arena *, const struct mt_text *, const char *translated);

/* list() of an engine for any pair: every language of the API with every other
   language. */
enum err mt_list_any(const struct engine_at *, struct arena *, struct list *);
/* Returns the time left for this text, in ms, at most the engine's. */
int mt_time_ms(const struct engine_at *, const struct mt_text *);

#endif
