/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_PLACES_H
#define DB_PLACES_H

#include <stdbool.h>

/*
 * Places for connections to a database server, shared by all processes of a node: a
 * program has as many processes as the web server starts, and each would keep one.  A
 * place is a locked byte of a file, so it is free again when its process dies.
 */

/* Set the file and the number of places for this process; unset: no limit. */
void places_set(const char *path, int most);
/* Take a place and set *fd for places_leave(). False: none was free in time. */
bool places_take(int *fd, int wait_ms);
void places_leave(int *fd);
/* True if another process waits for a place. */
bool places_wanted(void);

#endif
