/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_DISFLUENCIES_H
#define PIPELINE_DISFLUENCIES_H

#include "base/arena.h"

/*
 * Returns the text without hesitation words. Languages without a list of such words are
 * unchanged.
 */
const char *disfluencies_remove(struct arena *, const char *lang, const char *text);

#endif
