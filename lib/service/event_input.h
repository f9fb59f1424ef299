/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_EVENT_INPUT_H
#define SERVICE_EVENT_INPUT_H

#include "store/events.h"

/* A stored event as its owner's input; the lists are empty and count as not given. */
struct event_in event_as_input(struct arena *, const struct event *);

/*
 * Check rules that concern several fields; null members are skipped. before: the stored
 * event; NULL: the event is new.
 */
struct fault *event_rules(
    struct arena *, const struct event_in *, const struct event *before);
/*
 * JSON Pointer to the first stage or session that is named but does not exist, or NULL.
 */
const char *event_unknown(
    struct arena *, const struct event_in *, const struct event *before);

/*
 * Apply the input to an event; if its id is NULL it is new and gets an id, a suffix and
 * a stage. Items missing from a list are removed, and with a stage its sessions.
 */
void event_apply(
    struct arena *, const struct event_in *, int64_t now_us, struct event *);

/*
 * The input that makes a copy of a stored event: with its stages and agenda under new
 * ids, moved to start_us, and without its access code.
 */
struct event_in event_as_copy(
    struct arena *, const struct event *, const char *title, int64_t start_us);

/* A stage of before that is missing in after although it has channels; or NULL. */
const struct stage *event_stage_in_use(
    const struct event *before, const struct event *after);

#endif
