#ifndef SPEECH_ENGINE_GATE_H
#define SPEECH_ENGINE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "speech/at.h"

/*
 * How many requests a server is sent at a time: at->parallel.  Requests for partial
 * results take a place only while no other request waits for one.
 */
struct engine_gate;

/* That of the URL, for good; NULL: it has no bound. */
struct engine_gate *engine_gate_of(const struct engine_at *);
/*
 * Take a place; NULL always has one.  Waits until then, monotonic_us(); 0: not at all,
 * as a partial result must not.  False: there was none.
 */
bool engine_gate_enter(struct engine_gate *, int64_t until_us);
void engine_gate_leave(struct engine_gate *);
/* Whether a request waits for a place, so that one for a partial result should end. */
bool engine_gate_is_crowded(struct engine_gate *);

#endif
