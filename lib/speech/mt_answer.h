/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_ANSWER_H
#define SPEECH_MT_ANSWER_H

#include "base/arena.h"

/* Nouns: mt. */

/*
 * Returns why a language model's answer is not a translation of the text, for the log;
 * NULL: it may be one. Codes are in lower case.
 */
const char *mt_answer_fault(const char *text, const char *to, const char *answer);
/*
 * Returns the answer without a model's additions: thoughts, fences, announcement,
 * emphasis, remark, quotation marks, and blanks. Such parts stay if the text has them,
 * too.
 */
const char *mt_answer_bare(struct arena *, const char *text, const char *answer);

#endif
