#ifndef SERVER_CAPABILITY_PROBE_H
#define SERVER_CAPABILITY_PROBE_H

#include "server/gateway.h"
#include "speech/registry.h"

/*
 * What engines can do is asked by an actor, which may wait for them; the sockets'
 * thread looks at what the registry has learnt.
 */
struct capability_probe;

/* For a gate with a pool; the first look is the caller's, before anybody connects. */
struct capability_probe *capability_probe_new(struct gateway *);
/*
 * The event loop, often: every CAPABILITY_PROBE_US the gateway's engines are asked
 * anew, every CAPABILITY_PROBE_SOON_US while one of them has not answered yet.
 */
#define CAPABILITY_PROBE_US INT64_C(300000000)
#define CAPABILITY_PROBE_SOON_US INT64_C(30000000)
void capability_probe_tick(struct capability_probe *, int64_t now_us);
/* From any thread: the call goes to the sockets when these have been asked. */
void capability_probe_ask(
    struct capability_probe *, struct registry *, struct thread_call *then);
/* Nobody asks any more. */
void capability_probe_leave(struct capability_probe *);

#endif
