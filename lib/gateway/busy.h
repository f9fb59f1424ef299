#ifndef GATEWAY_BUSY_H
#define GATEWAY_BUSY_H

#include "gateway/gate.h"

/*
 * How many sockets of a kind a session or channel has, where that has a limit: one
 * for STT and TTS each, unless who came brought a session of his own; so many who only
 * listen.  The desk keeps count, as it is who admits.
 */
bool busy_is(const struct gate *, const struct visitor *);
void busy_add(struct gate *, const struct visitor *);
/* He has left, or never came; from the sockets' thread. */
void busy_leave(struct gate *, const struct visitor *);

#endif
