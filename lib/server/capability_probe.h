/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_CAPABILITY_PROBE_H
#define SERVER_CAPABILITY_PROBE_H

#include "gateway/gateway.h"
#include "speech/registry.h"

/*
 * Asks the engines for their capabilities.  An actor does the blocking calls; the event
 * loop reads the result from the registry.
 */
struct capability_probe;

/* Make the probe of a gateway with a pool. The caller makes the first probe, at start.
 */
struct capability_probe *capability_probe_new(struct gateway *);
/*
 * Called by the event loop.  The engines are asked again every
 * CAPABILITY_PROBE_US, or every CAPABILITY_PROBE_SOON_US while one of them has not
 * answered yet.
 */
#define CAPABILITY_PROBE_US INT64_C(300000000)
#define CAPABILITY_PROBE_SOON_US INT64_C(30000000)
void capability_probe_tick(struct capability_probe *, int64_t now_us);
/* The monotonic time from which capability_probe_tick() has something to do. */
int64_t capability_probe_due_us(const struct capability_probe *);
/*
 * Ask these engines now.  From any thread; `then` (or NULL) is afterwards sent to the
 * event loop.
 */
void capability_probe_ask(
    struct capability_probe *, struct registry *, struct thread_call *then);
/* The last call: ends the actor. */
void capability_probe_leave(struct capability_probe *);

#endif
