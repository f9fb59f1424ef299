/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_MT_APERTIUM_MODE_H
#define SPEECH_MT_APERTIUM_MODE_H

#include "base/child_pipe.h"
#include "speech/mt.h"

/*
 * The installed modes of Apertium, by our codes, and the programs of a mode; private to
 * the engine.
 */

/*
 * The name of the mode for exactly these codes; NULL: it is not installed.  of: modes
 * with blanks between, no other is used; NULL: any.
 */
const char *apertium_mode(
    struct arena *, const char *of, const char *from, const char *to);
/* A list of struct mt_pair: the languages of the API that it has modes for. */
void apertium_modes(struct arena *, const char *of, struct list *);
/*
 * The programs of a mode, for text with word-bound blanks, NUL-flushed, unknown
 * words as they are.  With APERTIUM_ANALYSER behind its name: the first of them, which
 * analyses words.
 */
#define APERTIUM_ANALYSER "@"
enum err apertium_stages(
    struct arena *, const char *mode, struct child_pipe_plan *) MUST_CHECK;

#endif
