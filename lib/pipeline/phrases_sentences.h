/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PHRASES_SENTENCES_H
#define PIPELINE_PHRASES_SENTENCES_H

#include "speech/mt.h"

/*
 * mt_translate() of a text whose sentences are translated by the list where it has them
 * alone, and by the engine otherwise.
 */
enum err phrases_by_sentences(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

#endif
