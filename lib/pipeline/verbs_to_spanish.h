/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_VERBS_TO_SPANISH_H
#define PIPELINE_VERBS_TO_SPANISH_H

#include "speech/mt.h"

/*
 * Verbs of an English text with their pronouns, auxiliaries and adverbs become Spanish
 * terms.  In the text, a common verb of the same person stands for them, so that an
 * engine by rules sees a sentence: "my daughter asked me" is "my daughter knows", with
 * "me preguntó" for "knows".
 */
void verbs_to_spanish(struct arena *, struct mt_text *);

#endif
