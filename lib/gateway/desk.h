#ifndef GATEWAY_DESK_H
#define GATEWAY_DESK_H

#include "gateway/gate.h"

/*
 * The thread at the entrance.  It takes connections, reads the heads of their
 * requests and answers them, or sends who is admitted to the sockets; and it runs
 * the errands of others, one after the other: it alone uses the database.
 */
struct desk;

/* listen: "127.0.0.1:8790".  NULL: the address cannot be had, it was logged. */
struct desk *desk_open(struct gate *, const char *listen);
/* The whole life of the thread, until desk_stop(); arg is the desk. */
void *desk_run(void *arg);
void desk_stop(struct desk *); /* from any thread */

#endif
