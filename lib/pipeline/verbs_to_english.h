/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_VERBS_TO_ENGLISH_H
#define PIPELINE_VERBS_TO_ENGLISH_H

#include "speech/mt.h"

/*
 * Verbs of a Spanish text with their pronouns, auxiliaries and adverbs become English
 * terms with a subject.  A common verb of the same person replaces them in the text:
 * "yo conozco" replaces "no se lo dije", and its term is "I did not tell him".  A
 * subject after its verb is put before it.
 */
void verbs_to_english(struct arena *, struct mt_text *);

#endif
