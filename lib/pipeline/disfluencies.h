#ifndef PIPELINE_DISFLUENCIES_H
#define PIPELINE_DISFLUENCIES_H

#include "base/arena.h"

/* The text without hesitation words, in those languages that are known to have any. */
const char *disfluencies_remove(struct arena *, const char *lang, const char *text);

#endif
