/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PHRASES_SENTENCES_H
#define PIPELINE_PHRASES_SENTENCES_H

#include "speech/mt.h"

/*
 * Returns the translation of a text without terms that is one sentence of the list of
 * phrases; NULL: it is none.
 */
const char *phrases_whole_sentence(struct arena *, const struct mt_text *);
/*
 * As mt_translate(), but sentences that are in the list of phrases are translated by
 * the list.
 */
enum err phrases_by_sentences(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

#endif
