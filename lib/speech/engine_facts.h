#ifndef SPEECH_ENGINE_FACTS_H
#define SPEECH_ENGINE_FACTS_H

#include <stdbool.h>

#include "speech/at.h"

/*
 * What was found out about a server by asking it, until the program ends: that it
 * refuses a format, say.  Of one URL and model; any thread may call.
 */
bool engine_has_fact(const struct engine_at *, const char *fact);
void engine_keep_fact(const struct engine_at *, const char *fact);

#endif
