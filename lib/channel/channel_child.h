/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_CHILD_H
#define CHANNEL_CHANNEL_CHILD_H

#include <sys/types.h>

#include "base/child.h"
#include "base/child_clock.h"
#include "session/session.h"

/*
 * A child of a channel, for a stream that comes in or goes out.  It runs until it is
 * stopped; one that ends by itself is followed by another, one that used up its
 * processor time after a pause.  All together are at most broadcast.max_children.  On
 * the event loop.
 */
struct channel_child {
	struct child_socket socket; /* pid 0: none */
	int64_t start_us;           /* monotonic, not before */
	struct child_cpu cpu;       /* of its first process */
	bool told;                  /* it has said something */
	int ended; /* how the one before ended by itself, as waitpid(2) */
};

#define CHANNEL_CHILD_NONE ((struct channel_child){ .socket.fd = -1 })
/* Why none was started for ERR_LIMIT. */
#define CHANNEL_CHILD_CPU_S 10 /* processor time that one may take at once */
#define CHANNEL_CHILD_FULL "This host runs no more streams: broadcast.max_children."

/*
 * Start it, when it is time: what is its program and what it may have, but for argv,
 * which is made of name; cpu_percent of a processor in the long run.  ERR_STALE: not
 * yet, or it runs; ERR_LIMIT: the host is full; else it is tried again later.
 */
enum err channel_child_start(struct gateway *, struct channel_child *, const char *name,
    const struct child *what, int64_t cpu_percent, const char *order) MUST_CHECK;
/* Nothing happens if there is none. */
void channel_child_stop(struct gateway *, struct channel_child *, const char *name);
/* Whether the one before used up its processor time. */
bool channel_child_spent(const struct channel_child *);
/* The next message, of n bytes; 0: none; -1: it has ended, and was stopped. */
ssize_t channel_child_take(
    struct gateway *, struct channel_child *, const char *name, char *to, size_t room);

/* Whether a bit rate differs by so much that it is worth a write; NaN: none. */
bool channel_child_rate_is_far(double, double);

#endif
