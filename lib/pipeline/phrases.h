#ifndef PIPELINE_PHRASES_H
#define PIPELINE_PHRASES_H

#include "speech/mt.h"

/*
 * A glossary that is built in, from English, of what is said at conferences: see
 * phrases_list.c.  It stands below the glossaries of the task: what these cover, it
 * does not touch.  Only engines that translate word by word get it.
 */

/* mt_translate() with the phrases of the text as further terms. */
enum err phrases_translate(const struct mt_engine *, const struct engine_at *,
    struct arena *, const struct mt_text *, const char **out, bool *guarded) MUST_CHECK;

#endif
