/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions of cluster_ask() that have no answer yet. */
#include "cluster/cluster_internal.h"

#include "base/clock.h"

uint64_t
question_add(
    struct cluster *c, void (*run)(struct gateway *, struct thread_call *), void *arg)
{
	struct question *q = ACTOR_MESSAGE(struct question), **at;
	uint64_t number;

	q->message.call.run = run;
	q->message.arg = arg;
	q->message.subject = "";
	q->due_us = monotonic_us() + CLUSTER_ASK_US;
	pthread_mutex_lock(&c->lock);
	number = q->number = ++c->asked;
	for (at = &c->questions; *at != NULL; at = &(*at)->next)
		;
	*at = q;
	pthread_mutex_unlock(&c->lock);
	return number;
}

struct question *
question_take(struct cluster *c, uint64_t number)
{
	struct question **at = &c->questions, *q;

	pthread_mutex_lock(&c->lock);
	while ((q = *at) != NULL && q->number != number)
		at = &q->next;
	if (q != NULL)
		*at = q->next;
	pthread_mutex_unlock(&c->lock);
	return q;
}

int64_t
question_end_late(struct cluster *c)
{
	int64_t now = monotonic_us(), due_us = INT64_MAX;
	struct question *q;

	pthread_mutex_lock(&c->lock);
	while ((q = c->questions) != NULL && q->due_us <= now) {
		c->questions = q->next;
		mailbox_send(c->to, &q->message.call.message);
	}
	if (q != NULL)
		due_us = q->due_us;
	pthread_mutex_unlock(&c->lock);
	return due_us;
}
