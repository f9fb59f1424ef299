/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_CONF_TEXT_H
#define MODELS_CONF_TEXT_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * Edits the text of dragoman.conf and preserves its comments and order. A setting is
 * named "section.key"; the key follows the last point. Results live in the arena.
 */

/* Set a setting: change its line, or add a line to its section, or add the section. */
const char *conf_text_set(
    struct arena *, const char *text, const char *setting, const char *value);
/* Remove a setting, and its section if that has no other setting. */
const char *conf_text_unset(struct arena *, const char *text, const char *setting);

/* True if the word is in a list of words separated by blanks or commas. */
bool conf_list_has(const char *list, const char *word);
/* Put a word first in a list of words separated by blanks or commas; it occurs only
   once in the result. */
const char *conf_list_add(struct arena *, const char *list, const char *word);
const char *conf_list_remove(struct arena *, const char *list, const char *word);

#endif
