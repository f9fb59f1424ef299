/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DB_WRITER_QUEUE_H
#define DB_WRITER_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* Nouns: writers. */

/*
 * A queue of the processes that write to one SQLite database, by flock(2) on the file
 * PATH-queue.  It orders programs that would otherwise sleep and try again; SQLite's
 * own lock alone protects the data.  The kernel removes a killed process from the
 * queue.
 */
struct writer_queue;

struct writer_queue *writer_queue_new(struct arena *, const char *path);
void writer_queue_close(struct writer_queue *);

/* True if others wrote at the same time not long ago: then join before you write. */
bool writer_queue_is_used(const struct writer_queue *);
/*
 * Wait until this is the first process of the queue, at the latest until until_us of
 * monotonic_us().  Without a queue, as in a folder that is not writable, it returns at
 * once.
 */
void writer_queue_join(struct writer_queue *, int64_t until_us);
/* Report that the database was locked: the next writes join the queue first. */
void writer_queue_note_busy(struct writer_queue *);
/* Leave it, if this process is in it. */
void writer_queue_leave(struct writer_queue *);

#endif
