/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_EVENT_INPUT_H
#define SERVICE_EVENT_INPUT_H

#include "store/events.h"

/* The event as input of its owner; the lists are empty and not given. */
struct event_in event_as_input(struct arena *, const struct event *);

/*
 * Rules over several fields; nulls are passed over.  before: what a change goes
 * over; NULL: the event is new.
 */
struct fault *event_rules(
    struct arena *, const struct event_in *, const struct event *before);
/*
 * JSON Pointer to the first stage or session that is named and not there, or
 * NULL.
 */
const char *event_unknown(
    struct arena *, const struct event_in *, const struct event *before);

/*
 * Apply the input to an event; if its id is NULL it is new and gets an id, a suffix and
 * a stage. Items missing from a list are removed, and with a stage its sessions.
 */
void event_apply(
    struct arena *, const struct event_in *, int64_t now_us, struct event *);

/* A stage of before that is missing in after although it has channels; or NULL. */
const struct stage *event_stage_in_use(
    const struct event *before, const struct event *after);

#endif
