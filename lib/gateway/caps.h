#ifndef GATEWAY_CAPS_H
#define GATEWAY_CAPS_H

#include "gateway/gate.h"
#include "speech/registry.h"

/*
 * What engines can do is asked by an actor, which may wait for them; the sockets'
 * thread looks at what the registry has learnt.
 */
struct caps;

/* For a gate with a pool; the first look is the caller's, before anybody connects. */
struct caps *caps_new(struct gate *);
/*
 * The sockets' thread, often: every CAPS_US the gate's engines are asked anew, every
 * CAPS_SOON_US while one of them has not answered yet.
 */
#define CAPS_US INT64_C(300000000)
#define CAPS_SOON_US INT64_C(30000000)
void caps_turn(struct caps *, int64_t now_us);
/* From any thread: the errand goes to the sockets when these have been asked. */
void caps_ask(struct caps *, struct registry *, struct errand *then);
/* Nobody asks any more. */
void caps_leave(struct caps *);

#endif
