#ifndef SPEECH_PLACEHOLDERS_H
#define SPEECH_PLACEHOLDERS_H

#include "base/buf.h"
#include "speech/mt.h"

/* Nouns: mt. */

/*
 * How terms get through a translation; private to the engines.  What comes back
 * is first brought into one form: text in which the i-th term stands as a slot,
 * which no text contains otherwise, because control characters are taken out
 * of it before.
 */

#define MT_SLOT '\x01' /* a slot begins with it */

/* Write the slot of the i-th term. */
void mt_slot(struct buf *, size_t i);
/*
 * The targets in place of the slots, blanks at both ends taken off.  NULL: a slot
 * is missing or there twice.
 */
const char *mt_fill(struct arena *, const struct mt_text *, const char *slots);

/*
 * The same with each term's own words in place of its slot, for another translation:
 * of this text, nterms terms, in order, are put into `to`.
 */
const char *mt_refill(
    struct arena *, const struct mt_text *, const char *slots, struct mt_term *to);

/* Put what lies between the terms by rest(), and the terms by term(). */
struct mt_marks {
	void (*rest)(struct buf *, const char *, size_t);
	void (*term)(struct buf *, const struct mt_text *, size_t i);
};
const char *mt_mark(struct arena *, const struct mt_text *, const struct mt_marks *);

/* The text with its terms as slots. */
const char *mt_slots(struct arena *, const struct mt_text *);

/*
 * For engines that know nothing of terms: tokens in place of them that no
 * language has, and which a translation copies, and the tokens as slots again.
 */
const char *mt_tokens(struct arena *, const struct mt_text *);
void mt_token(struct buf *, const struct mt_text *, size_t i); /* that of one term */
const char *mt_untoken(struct arena *, const struct mt_text *, const char *translated);

/* list() of an engine for any pair: every language of the API with every other one. */
enum err mt_list_any(const struct engine_at *, struct arena *, struct list *);
/* What is left of the time for this text, in ms, never more than the engine's. */
int mt_time_ms(const struct engine_at *, const struct mt_text *);

#endif
