#ifndef GATEWAY_POOL_H
#define GATEWAY_POOL_H

#include "base/arena.h"

/*
 * Actors and the threads that work for them.  An actor has a mailbox; letters are
 * read in the order in which they came, by one thread at a time, so what belongs
 * to an actor needs no lock.  An actor that has read a letter goes behind those
 * that wait, so nobody keeps a thread for himself.
 */
struct pool;
struct actor;

/* The head of whatever is sent; it lives in mem, which the reader frees. */
struct letter {
	struct letter *next;
	struct arena *mem;
};

/*
 * A letter of that type, zeroed, in an arena of its own, which has room for so many
 * bytes and is as small as that: say what will go with it.
 */
#define LETTER(type) ((type *)letter_new(sizeof(type)))
struct letter *letter_new(size_t bytes);

/* So many threads, or as many of them as the system allows. */
struct pool *pool_start(int threads);
/* After all actors have gone. */
void pool_stop(struct pool *);

/*
 * read: one letter, which it must free or pass on.  gone: after the last letter;
 * frees what self is.  Both run on threads of the pool.
 */
struct actor *actor_new(struct pool *, void *self,
    void (*read)(void *, struct letter *), void (*gone)(void *));
/* From any thread; not after actor_leave(). */
void actor_send(struct actor *, struct letter *);
/* No letter comes any more.  What is there is still read. */
void actor_leave(struct actor *);

/*
 * Letters for a thread that is in no pool, to be taken out all at once; wake is
 * called by the sender, after the first of them came.
 */
struct mailbox;
struct mailbox *mailbox_new(struct arena *, void (*wake)(void *), void *arg);
void mailbox_send(struct mailbox *, struct letter *);
/* In the order in which they came; NULL: none. */
struct letter *mailbox_take(struct mailbox *);

#endif
