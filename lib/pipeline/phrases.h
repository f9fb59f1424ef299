/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_PHRASES_H
#define PIPELINE_PHRASES_H

#include <stdbool.h>

#include "speech/mt.h"

/*
 * A built-in glossary from English, and from Spanish to English, of phrases that are
 * common at conferences and that engines with a grammar and a general dictionary
 * translate wrongly. The glossaries of the task take precedence: text that they cover
 * is not changed. Engines that translate word by word get the phrases as terms. Engines
 * that translate whole sentences get no phrases. But they translate a lone "Thank you."
 * badly, so sentences of the list are translated by the list if it has both languages.
 */

/*
 * As mt_translate(), with the phrases of the text as further terms, or with whole
 * sentences translated by the list.
 */
enum err phrases_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

/*
 * Add terms to those of the text, in order, except terms that overlap or touch a term
 * of the text.
 */
void phrases_add(struct arena *, struct mt_text *, const struct mt_term *, size_t n);

#endif
