/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_DB_THREAD_H
#define SERVER_DB_THREAD_H

#include "gateway/gateway.h"

/*
 * The database thread, the only user of the database.  It accepts connections, reads
 * HTTP heads and answers them, or sends admitted connections to the event loop.  It
 * runs the thread calls of other threads one after the other.
 */
struct db_thread;

/* listen: "127.0.0.1:8790".  NULL: the address cannot be bound; the error is logged. */
struct db_thread *db_thread_open(struct gateway *, const char *listen);
/* Thread function; runs until db_thread_stop().  arg: struct db_thread. */
void *db_thread_run(void *arg);
void db_thread_stop(struct db_thread *); /* call from any thread */

#endif
