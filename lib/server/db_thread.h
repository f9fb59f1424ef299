#ifndef SERVER_DB_THREAD_H
#define SERVER_DB_THREAD_H

#include "server/gateway.h"

/*
 * The thread at the entrance.  It takes connections, reads the heads of their
 * requests and answers them, or sends who is admitted to the sockets; and it runs
 * the calls of others, one after the other: it alone uses the database.
 */
struct db_thread;

/* listen: "127.0.0.1:8790".  NULL: the address cannot be had, it was logged. */
struct db_thread *db_thread_open(struct gateway *, const char *listen);
/* The whole life of the thread, until db_thread_stop(); arg is the database thread. */
void *db_thread_run(void *arg);
void db_thread_stop(struct db_thread *); /* from any thread */

#endif
