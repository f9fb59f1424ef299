/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CHANNEL_CHANNEL_CHILD_H
#define CHANNEL_CHANNEL_CHILD_H

#include <sys/types.h>

#include "base/child.h"
#include "base/child_clock.h"
#include "session/session.h"

/*
 * A process for a stream of a channel, incoming or outgoing. It runs until it is
 * stopped. If it ends by itself, another process is started; after a pause if the first
 * one used up its processor time. A gateway runs at most broadcast.max_children.
 * Event loop only.
 */
struct channel_child {
	struct child_socket socket; /* pid 0: none */
	int64_t start_us;           /* earliest next start, monotonic */
	/* processor time of the child's first process, without those that it starts */
	struct child_cpu cpu;
	bool told; /* the child has sent a message */
	int ended; /* status of the last child that ended by itself, as of waitpid(2) */
};

#define CHANNEL_CHILD_NONE ((struct channel_child){ .socket.fd = -1 })
#define CHANNEL_CHILD_CPU_S 10 /* processor time that a child may use at once */
/* The error of a channel after ERR_LIMIT. */
#define CHANNEL_CHILD_FULL "This host runs no more streams: broadcast.max_children."

/*
 * Start the process if it is due. `what` has its rights and limits; argv is made from
 * name. cpu_percent: the share of a processor that it may use in the long run.
 * ERR_STALE: it is not due, or already runs. ERR_LIMIT: the host runs the most
 * children. After other errors it is tried again later.
 */
enum err channel_child_start(struct gateway *, struct channel_child *, const char *name,
    const struct child *what, int64_t cpu_percent, const char *order) MUST_CHECK;
/* Stop it; does nothing if none runs. */
void channel_child_stop(struct gateway *, struct channel_child *, const char *name);
/* True if the last process used up its processor time. */
bool channel_child_spent(const struct channel_child *);
/*
 * Receive the next message, of n bytes; 0: none; -1: the process ended and was reaped.
 */
ssize_t channel_child_receive(
    struct gateway *, struct channel_child *, const char *name, char *to, size_t room);

/*
 * True if two bit rates differ so much that the new one must be stored; NaN: no rate.
 */
bool channel_child_rate_is_far(double, double);

#endif
