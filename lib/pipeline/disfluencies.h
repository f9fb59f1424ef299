/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_DISFLUENCIES_H
#define PIPELINE_DISFLUENCIES_H

#include "base/arena.h"

/* The text without hesitation words; unchanged in languages without a list of them. */
const char *disfluencies_remove(struct arena *, const char *lang, const char *text);

#endif
