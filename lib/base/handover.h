/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_HANDOVER_H
#define BASE_HANDOVER_H

/* Open connections on their way from one process to another of the same user. */

/* The gateway's socket, in state.dir. */
#define HANDOVER_GATEWAY "gateway.socket"

/* Returns a socket that receives at this path, or -1, logged. It never waits. */
int handover_open(const char *path);
/* Returns the next connection, which belongs to the caller; -1: none waits. */
int handover_receive(int socket);

enum handover {
	HANDOVER_SENT, /* the caller closes its descriptor */
	HANDOVER_FULL, /* the receiver has not taken earlier ones yet */
	HANDOVER_GONE  /* nothing receives at the path */
};

/* Send a connection. It never waits. */
enum handover handover_send(const char *path, int fd);

#endif
