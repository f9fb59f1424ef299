/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_LISTENER_COUNT_H
#define GATEWAY_LISTENER_COUNT_H

#include "gateway/gateway.h"

/*
 * Carries listener counts from the event loop, which counts, to the database thread,
 * which writes them with the heartbeat when they have changed, and once a minute.
 */
struct listener_count {
	struct thread_call call; /* its run() is listener_count_receive() */
	struct list rows;        /* struct listening, in its arena */
};

/* Store the latest count. Runs on the database thread and takes the call. */
void listener_count_receive(struct gateway *, struct thread_call *);
/* True if there are counts to write. */
bool listener_count_is_due(const struct gateway *, int64_t now_us);
/* Write them in the caller's transaction, and record that it was committed. */
enum err listener_count_write(struct gateway *, int64_t now_us) MUST_CHECK;
void listener_count_written(struct gateway *, int64_t now_us);

#endif
