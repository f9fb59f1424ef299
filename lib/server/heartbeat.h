/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_HEARTBEAT_H
#define SERVER_HEARTBEAT_H

#include "gateway/gateway.h"

/*
 * On the database thread: every five seconds this node writes to the database that its
 * gateway is alive, its public URL and its load.  A node whose key file, store or
 * bucket differs from the other nodes reports the highest load, so it gets no new
 * sessions.
 */
void heartbeat(struct gateway *, struct arena *);
/* The monotonic time of the next one. */
int64_t heartbeat_due_us(const struct gateway *);

#endif
