/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_ANSWER_H
#define SPEECH_MT_ANSWER_H

#include "base/arena.h"

/* Nouns: mt. */

/*
 * The reason why a language model's answer is no translation of the text, for the log;
 * NULL: it may be one.  Codes in lower case.
 */
const char *mt_answer_fault(const char *text, const char *to, const char *answer);
/*
 * The answer without a model's thoughts, fences, announcement, emphasis, remark, its
 * own quotation marks, and blanks.  Such parts of the text itself stay.
 */
const char *mt_answer_bare(struct arena *, const char *text, const char *answer);

#endif
