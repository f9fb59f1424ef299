#ifndef SPEECH_MT_ANSWER_H
#define SPEECH_MT_ANSWER_H

#include "base/arena.h"

/* Nouns: mt. */

/*
 * Why what a language model answered is no translation of the text, for the log; NULL:
 * it may be one.  Codes in lower case.
 */
const char *mt_answer_fault(const char *text, const char *to, const char *answer);
/*
 * The answer without a model's thoughts, fences, announcement, emphasis, remark,
 * quotation marks of its own, and blanks.  What the text has itself stays.
 */
const char *mt_answer_bare(struct arena *, const char *text, const char *answer);

#endif
