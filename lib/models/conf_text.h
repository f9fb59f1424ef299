/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_CONF_TEXT_H
#define MODELS_CONF_TEXT_H

#include "base/arena.h"

/*
 * Changes of the text of dragoman.conf that leave its comments and its order as they
 * are.  A setting is named "section.key", the key behind the last point.  Results live
 * in the arena.
 */

/* Set it where it stands, or add it to its section, or add the section. */
const char *conf_text_set(
    struct arena *, const char *text, const char *setting, const char *value);
/* Remove it; a section that has nothing else left goes, too. */
const char *conf_text_unset(struct arena *, const char *text, const char *setting);

/* A list of words with blanks or commas between them: this one first, once. */
const char *conf_list_add(struct arena *, const char *list, const char *word);
const char *conf_list_remove(struct arena *, const char *list, const char *word);

#endif
