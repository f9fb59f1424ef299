/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/actor.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"

#define ROUNDING 64 /* allocation overhead in a message's arena */

/* First in, first out. */
struct message_list {
	struct actor_message *first, *last;
};

struct actor {
	struct arena *mem;
	struct pool *pool;
	struct actor *next; /* in the run queue */
	struct message_list box;
	bool waiting; /* true while it is in the run queue, or running */
	bool leaving; /* actor_leave() was called */
	void *self;   /* argument of the callbacks */
	void (*read)(void *, struct actor_message *);
	void (*gone)(void *);
};

struct pool {
	struct arena *mem;
	pthread_mutex_t lock; /* guards the run queue and all actor mailboxes */
	pthread_cond_t work;
	struct actor *first, *last; /* run queue: actors with something to do */
	bool stopping;
	int nthreads;
	pthread_t *threads;
	void (*thread_end)(void); /* or NULL */
};

struct mailbox {
	pthread_mutex_t lock;
	struct message_list box;
	void (*wake)(void *);
	void *arg;
};

struct actor_message *
actor_message_new(size_t bytes)
{
	struct arena *mem = arena_small(bytes + ROUNDING);
	struct actor_message *l = arena_alloc(mem, bytes);

	l->mem = mem;
	return l;
}

static void
append(struct message_list *to, struct actor_message *l)
{
	l->next = NULL;
	if (to->first == NULL)
		to->first = l;
	else
		to->last->next = l;
	to->last = l;
}

/* ---- actors ---- */

static void
line_up(struct pool *p, struct actor *a)
{
	a->waiting = true;
	a->next = NULL;
	if (p->first == NULL)
		p->first = a;
	else
		p->last->next = a;
	p->last = a;
	pthread_cond_signal(&p->work);
}

static struct actor *
next_in_line(struct pool *p)
{
	struct actor *a;

	while (p->first == NULL && !p->stopping)
		pthread_cond_wait(&p->work, &p->lock);
	if ((a = p->first) != NULL)
		p->first = a->next;
	return a;
}

static void
bury(struct actor *a)
{
	a->gone(a->self);
	arena_free(a->mem);
}

/* Handle one message.  Called with the lock held; unlocked while the actor runs. */
static void
let_work(struct pool *p, struct actor *a)
{
	struct actor_message *l = a->box.first;

	if (l != NULL)
		a->box.first = l->next;
	pthread_mutex_unlock(&p->lock);
	if (l != NULL)
		a->read(a->self, l);
	pthread_mutex_lock(&p->lock);
	if (a->box.first != NULL) {
		line_up(p, a);
	} else if (a->leaving) {
		pthread_mutex_unlock(&p->lock);
		bury(a);
		pthread_mutex_lock(&p->lock);
	} else {
		a->waiting = false;
	}
}

static void *
serve(void *arg)
{
	struct pool *p = arg;
	struct actor *a;

	pthread_setname_np(pthread_self(), "actors");
	pthread_mutex_lock(&p->lock);
	while ((a = next_in_line(p)) != NULL)
		let_work(p, a);
	pthread_mutex_unlock(&p->lock);
	if (p->thread_end != NULL)
		p->thread_end();
	return NULL;
}

struct pool *
pool_start(int threads, void (*thread_end)(void))
{
	struct arena *mem = arena_new();
	struct pool *p = arena_alloc(mem, sizeof(*p));

	p->mem = mem;
	p->thread_end = thread_end;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	p->threads = arena_alloc(mem, (size_t)threads * sizeof(*p->threads));
	while (p->nthreads < threads &&
	       pthread_create(&p->threads[p->nthreads], NULL, serve, p) == 0)
		p->nthreads++;
	if (p->nthreads == 0)
		abort();
	if (p->nthreads < threads)
		log_warn(
		    "only %d of %d threads could be started", p->nthreads, threads);
	return p;
}

void
pool_stop(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (int i = 0; i < p->nthreads; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	arena_free(p->mem);
}

struct actor *
actor_new(struct pool *p, void *self, void (*read)(void *, struct actor_message *),
    void (*gone)(void *))
{
	struct arena *mem = arena_new();
	struct actor *a = arena_alloc(mem, sizeof(*a));

	*a = (struct actor){
		.mem = mem, .pool = p, .self = self, .read = read, .gone = gone
	};
	return a;
}

void
actor_send(struct actor *a, struct actor_message *l)
{
	pthread_mutex_lock(&a->pool->lock);
	assert(!a->leaving);
	append(&a->box, l);
	if (!a->waiting)
		line_up(a->pool, a);
	pthread_mutex_unlock(&a->pool->lock);
}

void
actor_leave(struct actor *a)
{
	struct pool *p = a->pool;

	pthread_mutex_lock(&p->lock);
	a->leaving = true;
	if (!a->waiting)
		line_up(p, a);
	pthread_mutex_unlock(&p->lock);
}

/* ---- mailboxes ---- */

static void
drop_box(void *arg)
{
	struct mailbox *b = arg;
	struct actor_message *l;

	while ((l = b->box.first) != NULL) {
		b->box.first = l->next;
		arena_free(l->mem);
	}
	pthread_mutex_destroy(&b->lock);
}

struct mailbox *
mailbox_new(struct arena *mem, void (*wake)(void *), void *arg)
{
	struct mailbox *b = arena_alloc(mem, sizeof(*b));

	*b = (struct mailbox){ .wake = wake, .arg = arg };
	pthread_mutex_init(&b->lock, NULL);
	arena_defer(mem, drop_box, b);
	return b;
}

void
mailbox_send(struct mailbox *b, struct actor_message *l)
{
	bool first;

	pthread_mutex_lock(&b->lock);
	first = b->box.first == NULL;
	append(&b->box, l);
	pthread_mutex_unlock(&b->lock);
	if (first)
		b->wake(b->arg);
}

struct actor_message *
mailbox_drain(struct mailbox *b)
{
	struct actor_message *all;

	pthread_mutex_lock(&b->lock);
	all = b->box.first;
	b->box.first = NULL;
	pthread_mutex_unlock(&b->lock);
	return all;
}

/* ---- wakeups ---- */

bool
wakeup_open(struct wakeup *w)
{
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return w->fd >= 0;
}

void
wakeup_close(struct wakeup *w)
{
	close(w->fd);
}

void
wakeup_wake(void *arg)
{
	const struct wakeup *w = arg;
	uint64_t one = 1;

	if (write(w->fd, &one, sizeof(one)) < 0)
		log_error("a thread cannot be woken: %s", strerror(errno));
}

/* An error only means that no wake-up was pending. */
void
wakeup_drain(struct wakeup *w)
{
	uint64_t count;

	if (read(w->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		log_error("a wakeup cannot be read: %s", strerror(errno));
}

bool
wakeup_wait(struct wakeup *w, int fd, int timeout_ms)
{
	struct pollfd p[] = { { .fd = w->fd, .events = POLLIN },
		{ .fd = fd, .events = POLLIN } };

	if (poll(p, 2, timeout_ms) < 0 && errno != EINTR)
		abort();
	if (p[0].revents != 0)
		wakeup_drain(w);
	return p[1].revents != 0;
}
