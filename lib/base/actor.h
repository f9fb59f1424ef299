/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ACTOR_H
#define BASE_ACTOR_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Actors and the threads that run them.  An actor reads the messages of its mailbox in
 * the order sent, on one thread at a time, so the data of an actor needs no lock.
 * After each message the actor goes to the end of the run queue, so no actor keeps a
 * thread for itself.
 */
struct pool;
struct actor;

/* The head of every message.  The message lives in mem; the receiver frees mem. */
struct actor_message {
	struct actor_message *next;
	struct arena *mem;
};

/*
 * A zeroed message of that type, in its own arena.  bytes must include the data that is
 * allocated with the message: the arena is no larger.
 */
#define ACTOR_MESSAGE(type) ((type *)actor_message_new(sizeof(type)))
struct actor_message *actor_message_new(size_t bytes);

/*
 * Starts the threads, or as many as the system allows.  thread_end, or NULL, is called
 * by each thread before it ends.
 */
struct pool *pool_start(int threads, void (*thread_end)(void));
/* Call it after all actors are gone. */
void pool_stop(struct pool *);

/*
 * read: handles one message and frees it or passes it on.  gone: called after the last
 * message; frees self.  Both run on threads of the pool.
 */
struct actor *actor_new(struct pool *, void *self,
    void (*read)(void *, struct actor_message *), void (*gone)(void *));
/* Send a message, from any thread, but not after actor_leave(). */
void actor_send(struct actor *, struct actor_message *);
/* The actor ends. No message may be sent after this; queued messages are still read. */
void actor_leave(struct actor *);

/*
 * A mailbox for a thread outside the pool, which takes all messages at once.  The
 * sender calls wake after the first message into an empty mailbox.
 */
struct mailbox;
struct mailbox *mailbox_new(struct arena *, void (*wake)(void *), void *arg);
void mailbox_send(struct mailbox *, struct actor_message *);
/* Take all messages, in the order sent; NULL: none. */
struct actor_message *mailbox_drain(struct mailbox *);

/* Wakes a thread that waits for descriptors with poll(2): an eventfd(2). */
struct wakeup {
	int fd; /* readable from wakeup_wake() to wakeup_drain() */
};

/* False: there are no descriptors; see errno. */
bool wakeup_open(struct wakeup *) MUST_CHECK;
void wakeup_close(struct wakeup *);
/* Call it from any thread. Takes a struct wakeup, as mailbox_new() requires. */
void wakeup_wake(void *);
/* Reset: the thread has handled the wake-up. */
void wakeup_drain(struct wakeup *);
/*
 * Wait until the thread is woken, fd is readable, or timeout_ms have passed (-1: no
 * limit).  Resets the wake-up.  True if fd is readable or broken.
 */
bool wakeup_wait(struct wakeup *, int fd, int timeout_ms);

#endif
