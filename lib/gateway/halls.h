#ifndef GATEWAY_HALLS_H
#define GATEWAY_HALLS_H

#include "gateway/gate.h"

/*
 * Halls are rooms of channels whose speakers come by a media server, so that nobody
 * opens a socket: each ready channel of an account that can pay has one, by its row,
 * with the studio at its broadcast.
 */

/* On the desk, as often as one likes: every 4 s the rows are read. */
void halls_look(struct gate *);

#endif
