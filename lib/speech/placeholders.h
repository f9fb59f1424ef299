/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_PLACEHOLDERS_H
#define SPEECH_PLACEHOLDERS_H

#include "base/buf.h"
#include "speech/mt.h"

/* Nouns: mt. */

/*
 * Carries terms through a translation; private to the engines.  The answer is first
 * brought into one form: text with a slot in place of the i-th term.  Slots cannot
 * occur in the text itself, as its control characters are removed before.
 */

#define MT_SLOT '\x01' /* a slot begins with it */

/* Write the slot of the i-th term. */
void mt_slot(struct buf *, size_t i);
/*
 * Put the targets in place of the slots, and trim blanks.  NULL: a slot is missing or
 * occurs twice.
 */
const char *mt_fill(struct arena *, const struct mt_text *, const char *slots);

/*
 * The same with each term's own words in place of its slot, for another translation:
 * `to` gets the nterms terms of the result, in order.
 */
const char *mt_refill(
    struct arena *, const struct mt_text *, const char *slots, struct mt_term *to);

/* Write the text between the terms by rest(), and the terms by term(). */
struct mt_marks {
	void (*rest)(struct buf *, const char *, size_t);
	void (*term)(struct buf *, const struct mt_text *, size_t i);
};
const char *mt_mark(struct arena *, const struct mt_text *, const struct mt_marks *);

/* The text with its terms as slots. */
const char *mt_slots(struct arena *, const struct mt_text *);

/*
 * For engines without support for terms: put tokens in their place, which no language
 * has and which a translation copies; then turn tokens into slots.
 */
const char *mt_tokens(struct arena *, const struct mt_text *);
void mt_token(struct buf *, const struct mt_text *, size_t i); /* that of one term */
const char *mt_untoken(struct arena *, const struct mt_text *, const char *translated);

/* list() of an engine for any pair: every language of the API with every other one. */
enum err mt_list_any(const struct engine_at *, struct arena *, struct list *);
/* The time left for this text, in ms, never more than the engine's. */
int mt_time_ms(const struct engine_at *, const struct mt_text *);

#endif
