#ifndef BASE_ACTOR_H
#define BASE_ACTOR_H

#include "base/arena.h"

/*
 * Actors and the threads that work for them.  An actor has a mailbox; messages are
 * read in the order in which they came, by one thread at a time, so what belongs
 * to an actor needs no lock.  An actor that has read a message goes behind those
 * that wait, so nobody keeps a thread for himself.
 */
struct pool;
struct actor;

/* The head of whatever is sent; it lives in mem, which the reader frees. */
struct actor_message {
	struct actor_message *next;
	struct arena *mem;
};

/*
 * A message of that type, zeroed, in an arena of its own, which has room for so many
 * bytes and is as small as that: say what will go with it.
 */
#define ACTOR_MESSAGE(type) ((type *)actor_message_new(sizeof(type)))
struct actor_message *actor_message_new(size_t bytes);

/*
 * So many threads, or as many of them as the system allows.  thread_end, or NULL, is
 * called by each thread before it ends.
 */
struct pool *pool_start(int threads, void (*thread_end)(void));
/* After all actors have gone. */
void pool_stop(struct pool *);

/*
 * read: one message, which it must free or pass on.  gone: after the last message;
 * frees what self is.  Both run on threads of the pool.
 */
struct actor *actor_new(struct pool *, void *self,
    void (*read)(void *, struct actor_message *), void (*gone)(void *));
/* From any thread; not after actor_leave(). */
void actor_send(struct actor *, struct actor_message *);
/* No message comes any more.  What is there is still read. */
void actor_leave(struct actor *);

/*
 * Messages for a thread that is in no pool, to be taken out all at once; wake is
 * called by the sender, after the first of them came.
 */
struct mailbox;
struct mailbox *mailbox_new(struct arena *, void (*wake)(void *), void *arg);
void mailbox_send(struct mailbox *, struct actor_message *);
/* In the order in which they came; NULL: none. */
struct actor_message *mailbox_take(struct mailbox *);

#endif
