#ifndef PIPELINE_MARKERS_H
#define PIPELINE_MARKERS_H

#include "base/arena.h"

/*
 * Recognizers write noises as text: [BLANK_AUDIO], (applause), *coughs*, ♪.  Returns
 * the text without these, in mem; "" if nothing else was said.  Brackets go only when
 * all words in them name noises, so that brackets of the speech stay.
 */
const char *markers_remove(struct arena *, const char *text);

#endif
