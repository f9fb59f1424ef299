/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_THREAD_CALL_H
#define PIPELINE_THREAD_CALL_H

#include "base/actor.h"

struct gateway;

/*
 * A message that carries the function to run on the receiving thread: the event loop or
 * the database thread.  run() owns the message and must free it or send it on.
 */
struct thread_call {
	struct actor_message message;
	void (*run)(struct gateway *, struct thread_call *);
};

/* A new call; type begins with a struct thread_call. */
#define THREAD_CALL(type) ((type *)actor_message_new(sizeof(type)))

#endif
