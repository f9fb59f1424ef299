/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUSTER_CLUSTER_H
#define CLUSTER_CLUSTER_H

#include <stdint.h>

#include "base/conf.h"
#include "pipeline/thread_call.h"

/*
 * The connection of this node to NATS, which joins the nodes of one installation.
 * Subjects are given without cluster.prefix.  They are words separated by dots, without
 * blanks; those of a subscription may have the wildcards * and >.
 *
 * A message reaches each subscriber at most once.  While the connection is lost,
 * messages are dropped and counted, never kept.  Messages of one sender arrive in the
 * order sent.
 *
 * Each function may be called from any thread and never waits for the network, except
 * cluster_close().
 */
struct cluster;
struct cluster_subscription;

/* Most bytes of a message: the limit of nats-server unless its max_payload is set. */
#define CLUSTER_MESSAGE_MOST 1048576

/* A received message, sent to the mailbox.  Its arena holds all of it. */
struct cluster_message {
	struct thread_call call;
	const char *subject; /* without the prefix */
	const char *reply;   /* for cluster_answer(); NULL: no answer is expected */
	const unsigned char *bytes; /* NULL: cluster_ask() got no answer */
	size_t n;
	void *arg; /* as given to cluster_subscribe() or cluster_ask() */
};

/*
 * Connect in the background, and again whenever the connection is lost.  Messages are
 * sent to the mailbox, also calls of `changed` (NULL: none) after the connection was
 * made or lost.  NULL: cluster.nats is not set, or there is no thread, which is logged.
 * The settings and the mailbox must live until cluster_close().
 */
struct cluster *cluster_open(const struct conf *, struct mailbox *to,
    void (*changed)(struct gateway *, struct thread_call *));
/* Send all queued messages if connected, and end all subscriptions; may take seconds.
   NULL is fine. */
void cluster_close(struct cluster *);
/* NULL is fine. */
bool cluster_is_connected(const struct cluster *);

/* Dropped without a connection, when 8 MB are queued, or when it is too large. */
void cluster_publish(struct cluster *, const char *subject, const void *, size_t n);
/*
 * Ask all subscribers of the subject; the first answer counts.  run gets one struct
 * cluster_message in any case: bytes are NULL if there is no subscriber, no connection,
 * or no answer within CLUSTER_ASK_US.
 */
#define CLUSTER_ASK_US (INT64_C(5) * 1000000)
void cluster_ask(struct cluster *, const char *subject, const void *, size_t n,
    void (*run)(struct gateway *, struct thread_call *), void *arg);
/* Answer the message with this reply. */
void cluster_answer(struct cluster *, const char *reply, const void *, size_t n);

/* run gets each message as a struct cluster_message.  Subscriptions outlast the
   connection. */
struct cluster_subscription *cluster_subscribe(struct cluster *, const char *subject,
    void (*run)(struct gateway *, struct thread_call *), void *arg);
/* After this no message is sent to the mailbox.  Those in it still run. */
void cluster_unsubscribe(struct cluster_subscription *);

/* For health and metrics; counters since the start. */
struct cluster_state {
	bool connected;
	const char *server; /* address of the server; NULL: not connected */
	const char *fault;  /* why it is not connected; NULL: it is */
	int64_t connects;   /* connections made */
	int64_t messages_in, bytes_in, messages_out, bytes_out;
	int64_t dropped; /* messages not sent */
};
/* The texts are in the arena. */
struct cluster_state cluster_state(struct cluster *, struct arena *);
/* The state as JSON: fault or server, and the counters.  NULL gives NULL. */
const char *cluster_report(struct cluster *, struct arena *);

#endif
