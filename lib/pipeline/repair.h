/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_REPAIR_H
#define PIPELINE_REPAIR_H

#include "base/arena.h"

/*
 * Corrects mistakes that an engine by rules makes in many texts. To Spanish: "me dije"
 * for "told me", "de el", "tengo nada", rare verbs for "work" and "show", a century in
 * small letters.  To English: the word order of questions. Returns texts of other
 * languages unchanged. Codes are in lower case.
 */
const char *repair(struct arena *, const char *from, const char *source, const char *to,
    const char *text);

#endif
