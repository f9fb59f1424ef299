#ifndef SERVER_HEARTBEAT_H
#define SERVER_HEARTBEAT_H

#include "server/gateway.h"

/*
 * On the database thread: every five seconds this node tells the others over the
 * database that its gateway is alive, where clients reach it and how much it has to do.
 * A node whose key file, store or bucket is not that of the others tells nothing, so
 * that it is given nothing.
 */
void heartbeat(struct gateway *, struct arena *);

#endif
