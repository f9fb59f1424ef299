#ifndef GATEWAY_ENTRY_H
#define GATEWAY_ENTRY_H

#include "gateway/gate.h"
#include "gateway/head.h"

/*
 * What the gateway answers over HTTP: health, the place where WebRTC would be, the
 * pages to speak and to listen with, and the sockets, which are admitted or refused
 * before the upgrade.
 */
extern const struct route entry_routes[];
extern const struct sql *const entry_prepared[];

/*
 * Answer a request.  NULL: *to is the whole answer, to be sent before the
 * connection is closed.  Else the visitor that was admitted, in a letter of its own.
 */
struct visitor *entry_answer(struct gate *, struct arena *, const struct head *,
    const char *peer, struct buf *to);

#endif
