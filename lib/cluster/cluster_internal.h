/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUSTER_CLUSTER_INTERNAL_H
#define CLUSTER_CLUSTER_INTERNAL_H

/* Shared by cluster.c, which callers use, and connection.c, the thread that connects.
 */
#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cluster/cluster.h"

struct cluster_subscription {
	struct cluster_subscription *next;
	struct arena *mem;
	struct cluster *cluster;
	const char *subject;                                 /* with the prefix */
	void (*run)(struct gateway *, struct thread_call *); /* NULL: of answers */
	void *arg;
	bool ended; /* guarded by cluster.lock */
	/* one for cluster.subscriptions, one for each subscription of the library that
	   may still call us */
	atomic_int refs;
	natsSubscription *at; /* NULL: there is no connection */
};

/* A question without an answer yet, and the message that reports that none came. */
struct question {
	struct cluster_message message;
	struct question *next;
	uint64_t number;
	int64_t due_us;
};

#define QUEUED_MOST (8 * 1048576) /* bytes of commands that wait */

struct cluster {
	struct arena *mem;
	const struct conf *conf;
	struct mailbox *to;
	void (*changed)(struct gateway *, struct thread_call *);
	const char *inbox; /* subject of answers, with the prefix; a number follows */
	struct wakeup wakeup;
	struct mailbox *commands;
	atomic_size_t queued; /* bytes in commands */
	atomic_bool connected, stopping;
	atomic_bool closed; /* the library has closed the connection */
	atomic_int served;  /* subscriptions for which the library may still call us */
	atomic_llong connects, messages_in, bytes_in, messages_out, bytes_out, dropped;
	atomic_llong warned_us; /* monotonic, last warning about a message */
	pthread_mutex_t lock; /* guards the next lines, and `ended` of subscriptions */
	struct question *questions; /* in the order asked */
	uint64_t asked;
	char server[256], fault[256];
	/* The thread: */
	pthread_t thread;
	natsConnection *connection; /* NULL: none */
	natsStatus broken;          /* why another one must be made; NATS_OK: not */
	struct cluster_subscription *subscriptions;
	int64_t due_us; /* next attempt to connect */
};

/* For the thread. */
struct command {
	struct actor_message message;
	enum { PUBLISH, SUBSCRIBE, UNSUBSCRIBE } kind;
	struct cluster_subscription *subscription;
	const char *subject, *reply; /* with the prefix; no reply: NULL */
	const void *bytes;
	size_t n, size; /* bytes of the message, of the command */
};

/* Add a question; returns its number. */
uint64_t question_add(
    struct cluster *, void (*run)(struct gateway *, struct thread_call *), void *arg);
/* Remove and return the question of that number; NULL: it was answered, or is late. */
struct question *question_take(struct cluster *, uint64_t number);
/* Report that late questions got no answer; returns when the next one is late. */
int64_t question_end_late(struct cluster *);

/* Give up a reference; the last one frees the subscription. */
void connection_release(struct cluster_subscription *);
/* The thread; takes a struct cluster, returns when it is stopping. */
void *connection_run(void *);

#endif
