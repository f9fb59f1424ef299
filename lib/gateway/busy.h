#ifndef GATEWAY_BUSY_H
#define GATEWAY_BUSY_H

#include "gateway/gate.h"

/*
 * How many sockets are held, by whom, and whether one more may be.  The desk keeps
 * count, as it admits.
 *
 *	STT, TTS   one of each kind for a session; a key brings a session of its own
 *	S2S        what may not write: 2 for a listener_id; stream.max_listeners for a
 *	           channel or session; nine tenths of stream.max_connections in all,
 *	           so that speakers still get in; and when a channel or the gateway is
 *	           80 % full, a tenth of its places for one address (IPv6: /64)
 */
enum busy { BUSY_NOT, BUSY_IN_USE, BUSY_FULL };

/* Not BUSY_NOT: *why is a sentence that says what there is too much of. */
enum busy busy_is(const struct gate *, const struct visitor *, const char **why);
void busy_add(struct gate *, struct visitor *);
/* It has left, or never came; from the sockets' thread. */
void busy_leave(struct gate *, const struct visitor *);

#endif
