/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_APERTIUM_MODE_H
#define SPEECH_MT_APERTIUM_MODE_H

#include "speech/mt.h"
#include "speech/mt_line.h"

/*
 * The installed modes of Apertium, by our codes, and the programs of a mode; private to
 * the engine.
 */

/*
 * Returns the name of the mode for exactly these codes; NULL: not installed. of: the
 * modes that may be used, separated by blanks; NULL: any.
 */
const char *apertium_mode(
    struct arena *, const char *of, const char *from, const char *to);
/* List the pairs of the API's languages for which it has modes, struct mt_pair. */
void apertium_modes(struct arena *, const char *of, struct list *);
/*
 * Returns the programs of a mode, for NUL-flushed text with word-bound blanks; unknown
 * words are unchanged. With APERTIUM_ANALYSER after its name: only the first program,
 * which analyses words.
 */
#define APERTIUM_ANALYSER "@"
enum err apertium_stages(
    struct arena *, const char *mode, struct child_pipe_plan *) MUST_CHECK;

/* The live pipelines: the key of a line is a mode. */
extern const struct mt_line_kind apertium_line;

#endif
