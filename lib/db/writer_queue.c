/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/writer_queue.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

/* Number of writes that join the queue first after the database was locked. A process
   that writes alone has no cost. */
#define JOINS 32
#define WAKE (SIGRTMIN + 4) /* interrupts flock(2), which has no timeout */
#define AGAIN_US 10000

struct writer_queue {
	const char *path;
	int fd; /* -1: not opened yet; -2: it cannot be opened */
	bool first;
	int joins; /* see JOINS */
};

struct writer_queue *
writer_queue_new(struct arena *mem, const char *path)
{
	struct writer_queue *q = arena_alloc(mem, sizeof(*q));

	q->path = arena_printf(mem, "%s-queue", path);
	q->fd = path[0] == ':' ? -2 : -1;
	return q;
}

void
writer_queue_close(struct writer_queue *q)
{
	if (q->fd >= 0)
		close(q->fd);
}

bool
writer_queue_is_used(const struct writer_queue *q)
{
	return q->joins > 0;
}

void
writer_queue_note_busy(struct writer_queue *q)
{
	q->joins = JOINS;
}

static void
ignore(int sig)
{
	(void)sig;
}

/* A timer that interrupts this thread at until_us, and then again and again, as it may
   be between two calls at the first time. */
static bool
start_timer(timer_t *timer, int64_t until_us)
{
	struct sigaction act = { .sa_handler = ignore };
	struct sigevent to = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE };
	struct itimerspec at = { .it_interval.tv_nsec = AGAIN_US * 1000,
		.it_value = { until_us / S_US, until_us % S_US * 1000 } };
	sigset_t wake;

	to._sigev_un._tid = gettid();
	sigemptyset(&wake);
	sigaddset(&wake, WAKE);
	if (sigaction(WAKE, &act, NULL) != 0 ||
	    pthread_sigmask(SIG_UNBLOCK, &wake, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &to, timer) != 0)
		return false;
	timer_settime(*timer, TIMER_ABSTIME, &at, NULL);
	return true;
}

/* Wait in the kernel's queue; signals of other kinds do not end the wait. */
static bool
await_turn(int fd, int64_t until_us)
{
	timer_t timer;
	int rc;

	if (!start_timer(&timer, until_us))
		return false;
	do
		rc = flock(fd, LOCK_EX);
	while (rc != 0 && errno == EINTR && monotonic_us() < until_us);
	timer_delete(timer);
	return rc == 0;
}

void
writer_queue_join(struct writer_queue *q, int64_t until_us)
{
	if (q->first || q->fd == -2)
		return;
	if (q->fd == -1 && (q->fd = file_open_lock(q->path)) < 0) {
		q->fd = -2;
		return;
	}
	q->first = flock(q->fd, LOCK_EX | LOCK_NB) == 0;
	if (q->first && q->joins > 0)
		q->joins--;
	if (q->first)
		return;
	q->joins = JOINS;
	q->first = errno == EWOULDBLOCK && await_turn(q->fd, until_us);
}

void
writer_queue_leave(struct writer_queue *q)
{
	if (q->first)
		flock(q->fd, LOCK_UN);
	q->first = false;
}
