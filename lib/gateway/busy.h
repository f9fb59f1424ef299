#ifndef GATEWAY_BUSY_H
#define GATEWAY_BUSY_H

#include "gateway/gate.h"

/*
 * Which sessions have an open socket of a kind of which they may have one.  The
 * desk keeps the list, as it is who admits.  Who brought a session of his own, and
 * sockets of which a newer one wins, are not in it.
 */
bool busy_is(const struct gate *, const struct visitor *);
void busy_add(struct gate *, const struct visitor *);
/* He has left, or never came; from the sockets' thread. */
void busy_leave(struct gate *, const struct visitor *);

#endif
