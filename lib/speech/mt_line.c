/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	mt_line_ask() -> questions, in order -> thread of the line -> programs
 *	      ^                                        |
 *	      +------------- answer, or error ---------+
 *
 * A caller whose time is over abandons its question. The thread still reads the answer
 * to its end, so that the next answer belongs to the next question, and frees the
 * question. A question that is abandoned before the programs begin with it is not
 * asked.
 */
#include "speech/mt_line.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

#define LINES_MAX 512
#define STACK_BYTES (256 * 1024)
/* longest wait of a caller for its turn and its answer */
#define PATIENCE_US (25 * S_US)
#define AGAIN_US (S_US / 10) /* time between two checks that it is wanted */

struct question {
	struct question *next;
	struct arena *mem;
	const char *text; /* NULL: only warm the programs */
	int cpu_ms;
	void (*warmed)(void *); /* NULL: a caller waits for the answer */
	void *arg;
	/* Members guarded by the line's lock: */
	int users; /* number of owners: the caller and the thread */
	bool done;
	enum err how;
	int64_t begun_us; /* time when the programs got the question; 0: not yet */
	/* Members used by the thread only, until done: */
	struct buf answer;
};

/* The state of a line; it is never freed. */
struct line {
	const struct mt_line_kind *kind;
	pthread_mutex_t lock; /* guards the next five members */
	/* signals that a question came; that one was answered */
	pthread_cond_t work, done;
	struct question *first, **last; /* that wait */
	/* the question that is being answered; NULL: none */
	struct question *now;
	bool runs;                        /* the line's thread is running */
	struct mt_line_programs programs; /* used by the thread, except key and name */
};

static struct line lines[LINES_MAX];
static size_t nlines;
static struct arena *lines_mem; /* arena of keys and names */
static pthread_mutex_t lines_lock = PTHREAD_MUTEX_INITIALIZER;

static void
warn(const struct line *l, const char *what)
{
	log_warn("%s %s: %s", l->kind->label, l->programs.name, what);
}

/* ---- questions; all functions need the line's lock ---- */

static void
leave(struct question *q)
{
	if (--q->users == 0)
		arena_free(q->mem);
}

static void
finish(struct line *l, struct question *q, enum err how)
{
	if (q->done)
		return;
	q->how = how;
	q->done = true;
	if (q->warmed != NULL)
		q->warmed(q->arg);
	pthread_cond_broadcast(&l->done);
}

/* Wait for a question. False: none came for so long that the programs must be ended. */
static bool
await_question(struct line *l)
{
	int64_t until_us = monotonic_us() + l->kind->idle_us;
	const struct timespec t = { until_us / S_US, until_us % S_US * 1000 };
	int e = 0;

	while (l->first == NULL && e != ETIMEDOUT)
		if (l->kind->idle_us == 0 || l->programs.pipe == NULL)
			pthread_cond_wait(&l->work, &l->lock);
		else
			e = pthread_cond_clockwait(
			    &l->work, &l->lock, CLOCK_MONOTONIC, &t);
	return l->first != NULL;
}

/* Take the next question whose caller still waits; NULL: none came for a long time. */
static struct question *
take_question(struct line *l)
{
	struct question *q;

	while (await_question(l)) {
		q = l->first;
		if ((l->first = q->next) == NULL)
			l->last = &l->first;
		if (!q->done)
			return q;
		leave(q);
	}
	return NULL;
}

/* Report that callers must not wait, because the programs are stopped. */
static void
report_stopped(void *arg)
{
	struct line *l = arg;

	pthread_mutex_lock(&l->lock);
	if (l->now != NULL && !l->now->done)
		warn(l, "its programs are stopped");
	if (l->now != NULL)
		finish(l, l->now, ERR_TIMEOUT);
	for (struct question *q = l->first; q != NULL; q = q->next)
		finish(l, q, ERR_TIMEOUT);
	pthread_mutex_unlock(&l->lock);
}

/* ---- the thread ---- */

enum err
mt_line_exchange(struct mt_line_programs *p, const char *in, size_t most, int cpu_ms,
    struct buf *answer)
{
	struct line *l =
	    (struct line *)(void *)((char *)p - offsetof(struct line, programs));

	return child_pipe_ask(p->pipe, &(const struct child_ask){ .in = in,
					   .n = in != NULL ? strlen(in) : 0,
					   .out = answer,
					   .max = most,
					   .cpu_ms = cpu_ms,
					   .stopped = report_stopped,
					   .arg = l });
}

static void
stop_programs(struct line *l)
{
	child_pipe_stop(l->programs.pipe);
	l->programs.pipe = NULL;
}

static enum err
start_programs(struct line *l, struct arena *mem)
{
	struct child_pipe_plan plan = { .name = l->programs.name };
	enum err e = l->kind->plan(mem, l->programs.key, &plan);

	if (e != OK)
		return e;
	if ((l->programs.pipe = child_pipe_start(&plan)) == NULL)
		return ERR_FAILED;
	return l->kind->begin(&l->programs, mem);
}

/* Start the programs unless they are running. */
static enum err
be_ready(struct line *l)
{
	struct arena *mem;
	enum err e;

	if (l->programs.pipe != NULL && !child_pipe_dead(l->programs.pipe))
		return OK;
	stop_programs(l);
	mem = arena_new();
	if ((e = start_programs(l, mem)) != OK) {
		warn(l, "does not start");
		stop_programs(l);
	}
	arena_free(mem);
	return e;
}

/* Begin with a question. False: its caller did not wait for the programs to start. */
static bool
begin(struct line *l, struct question *q)
{
	bool wanted;

	pthread_mutex_lock(&l->lock);
	if ((wanted = !q->done && q->text != NULL))
		q->begun_us = monotonic_us();
	pthread_mutex_unlock(&l->lock);
	return wanted;
}

/* Answer a question. Programs that a sentence has killed are restarted before the next
   sentence. */
static void
answer(struct line *l, struct question *q)
{
	enum err e = be_ready(l);

	if (e == OK && begin(l, q))
		e = l->kind->ask(&l->programs, q->text, q->cpu_ms, &q->answer);
	pthread_mutex_lock(&l->lock);
	finish(l, q, e);
	l->now = NULL;
	pthread_mutex_unlock(&l->lock);
	if (e != OK && l->programs.pipe != NULL) {
		stop_programs(l);
		(void)be_ready(l);
	}
}

static void *
serve(void *arg)
{
	struct line *l = arg;
	struct question *q;

	pthread_mutex_lock(&l->lock);
	for (;;) {
		l->now = q = take_question(l);
		pthread_mutex_unlock(&l->lock);
		if (q != NULL)
			answer(l, q);
		else
			stop_programs(l);
		pthread_mutex_lock(&l->lock);
		if (q != NULL)
			leave(q);
	}
	return NULL;
}

/* Start the thread with all signals blocked, because other threads handle them. */
static bool
start_thread(struct line *l)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int e;

	if (l->runs)
		return true;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&thread, &attr, serve, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (e != 0)
		log_error(
		    "%s %s: thread: %s", l->kind->label, l->programs.name, strerror(e));
	return l->runs = e == 0;
}

/* ---- lines ---- */

/* Initialise a line, whose name is the first word of the key. */
static void
line_init(struct line *l, const struct mt_line_kind *kind, const char *key)
{
	if (lines_mem == NULL)
		lines_mem = arena_new();
	l->kind = kind;
	l->programs.key = arena_str(lines_mem, key);
	l->programs.name = arena_dup(lines_mem, key, strcspn(key, " "));
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->done, NULL);
	l->last = &l->first;
}

/* Find or add the line of a key. NULL: there are too many lines. */
static struct line *
find_line(const struct mt_line_kind *kind, const char *key)
{
	size_t i = 0;

	pthread_mutex_lock(&lines_lock);
	while (i < nlines &&
	       (lines[i].kind != kind || strcmp(lines[i].programs.key, key) != 0))
		i++;
	if (i == nlines && i < LINES_MAX)
		line_init(&lines[nlines++], kind, key);
	pthread_mutex_unlock(&lines_lock);
	return i < LINES_MAX ? &lines[i] : NULL;
}

/* Add a question. False: the line has no thread, and the question was not changed. */
static bool
enqueue(struct line *l, struct question *q)
{
	if (!start_thread(l))
		return false;
	q->users++;
	*l->last = q;
	l->last = &q->next;
	pthread_cond_signal(&l->work);
	return true;
}

/* ---- callers ---- */

static struct question *
question_new(const char *text, int cpu_ms)
{
	struct arena *mem = arena_new();
	struct question *q = arena_alloc(mem, sizeof(*q));

	*q = (struct question){ .mem = mem,
		.text = arena_str(mem, text),
		.cpu_ms = cpu_ms,
		.answer = { .mem = mem } };
	return q;
}

static struct timespec
soon(int64_t until_us)
{
	int64_t us = monotonic_us() + AGAIN_US;

	us = until_us < us ? until_us : us;
	return (struct timespec){ us / S_US, us % S_US * 1000 };
}

/* Wait for the answer. Called with the lock held, which is released while it waits. */
static enum err
await_answer(struct line *l, const struct question *q, const struct mt_line_sentence *s)
{
	int64_t since_us = monotonic_us(), until_us;
	int64_t own_us = s->timeout_ms > 0 ? s->timeout_ms * 1000 : PATIENCE_US;
	struct timespec t;

	while (!q->done) {
		until_us =
		    q->begun_us > 0 ? q->begun_us + own_us : since_us + PATIENCE_US;
		if (s->unwanted != NULL && s->unwanted(s->arg))
			return ERR_REFUSED;
		if (monotonic_us() >= until_us) {
			warn(l,
			    q->begun_us > 0 ? "no answer in time" : "no turn in time");
			return ERR_TIMEOUT;
		}
		t = soon(until_us);
		pthread_cond_clockwait(&l->done, &l->lock, CLOCK_MONOTONIC, &t);
	}
	return q->how;
}

enum err
mt_line_ask(
    const struct mt_line_kind *kind, const struct mt_line_sentence *s, struct buf *to)
{
	struct line *l = find_line(kind, s->key);
	struct question *q;
	enum err e = ERR_FAILED;

	if (l == NULL)
		return ERR_UNSUPPORTED;
	q = question_new(s->text, s->cpu_ms);
	q->users = 1;
	pthread_mutex_lock(&l->lock);
	if (enqueue(l, q))
		e = await_answer(l, q, s);
	if (e == OK)
		buf_put(to, q->answer.p, q->answer.len);
	else
		q->done = true; /* the answer came, or the question was abandoned */
	leave(q);
	pthread_mutex_unlock(&l->lock);
	return e;
}

void
mt_line_warm(
    const struct mt_line_kind *kind, const char *key, void (*warmed)(void *), void *arg)
{
	struct line *l = find_line(kind, key);
	struct question *q = question_new(NULL, 0);
	bool queued = false;

	q->warmed = warmed;
	q->arg = arg;
	if (l != NULL) {
		pthread_mutex_lock(&l->lock);
		queued = enqueue(l, q);
		pthread_mutex_unlock(&l->lock);
	}
	if (!queued) {
		arena_free(q->mem);
		warmed(arg);
	}
}

int64_t
mt_line_used_us(void)
{
	int64_t us = 0;

	pthread_mutex_lock(&lines_lock);
	for (size_t i = 0; i < nlines; i++)
		if (lines[i].programs.pipe != NULL)
			us += child_pipe_used_us(lines[i].programs.pipe);
	pthread_mutex_unlock(&lines_lock);
	return us;
}
