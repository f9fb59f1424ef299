/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	apertium_ask() -> questions, in order -> thread of the mode -> pipeline
 *	      ^                                        |
 *	      +------------- answer, or error ---------+
 *
 * A caller whose time is over abandons its question. The thread still reads the answer
 * to its end, so that the next answer belongs to the next question, and frees the
 * question. A question that is abandoned before the programs begin with it is not
 * asked.
 */
#include "speech/mt_apertium_line.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "speech/mt_apertium_mode.h"

#define MODES_MAX 512
#define NAME_BYTES 24
#define STACK_BYTES (256 * 1024)
#define MEMORY_BYTES ((size_t)512 << 20) /* address space of a process */
#define ANSWER_BYTES (16 * MT_TEXT_BYTES)
/* Processor time until the first answer. The programs read their dictionaries with the
   first sentence, which takes four seconds for the largest. */
#define START_CPU_MS 30000
#define FIRST "1."
/* longest wait of a caller for its turn, and for its answer */
#define PATIENCE_US (25 * S_US)
#define AGAIN_US (S_US / 10) /* between two checks whether the answer is wanted */

struct question {
	struct question *next;
	struct arena *mem;
	const char *text; /* NULL: only warm the programs */
	int cpu_ms;
	void (*warmed)(void *); /* NULL: a caller waits for the answer */
	void *arg;
	/* Guarded by the mode's lock: */
	int users; /* number of owners: the caller and the thread */
	bool done;
	enum err how;
	int64_t begun_us; /* when the programs got it; 0: not yet */
	/* For the thread only until done: */
	struct buf answer;
};

/* A mode that was used; it is never freed. */
struct mode {
	char name[NAME_BYTES];
	pthread_mutex_t lock;      /* guards the next five members */
	pthread_cond_t work, done; /* a question was added; a question was answered */
	struct question *first, **last; /* questions that wait */
	struct question *now;    /* the question that is being answered; NULL: none */
	bool runs;               /* its thread runs */
	struct child_pipe *pipe; /* for the thread only, like the following members */
	unsigned asked;
};

static struct mode modes[MODES_MAX];
static size_t nmodes;
static pthread_mutex_t modes_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- questions; all functions need the mode's lock ---- */

static void
leave(struct question *q)
{
	if (--q->users == 0)
		arena_free(q->mem);
}

static void
finish(struct mode *m, struct question *q, enum err how)
{
	if (q->done)
		return;
	q->how = how;
	q->done = true;
	if (q->warmed != NULL)
		q->warmed(q->arg);
	pthread_cond_broadcast(&m->done);
}

/* Take the next question whose caller still waits. */
static struct question *
take_question(struct mode *m)
{
	struct question *q;

	for (;;) {
		while ((q = m->first) == NULL)
			pthread_cond_wait(&m->work, &m->lock);
		if ((m->first = q->next) == NULL)
			m->last = &m->first;
		if (!q->done)
			return q;
		leave(q);
	}
}

/* Report that callers must not wait for programs that are stopped. */
static void
report_stopped(void *arg)
{
	struct mode *m = arg;

	pthread_mutex_lock(&m->lock);
	if (m->now != NULL && !m->now->done)
		log_warn("apertium: %s: its programs are stopped", m->name);
	if (m->now != NULL)
		finish(m, m->now, ERR_TIMEOUT);
	for (struct question *q = m->first; q != NULL; q = q->next)
		finish(m, q, ERR_TIMEOUT);
	pthread_mutex_unlock(&m->lock);
}

/* ---- the thread ---- */

/*
 * Send the text and read the answer. The text ends with a numbered blank: when a
 * program dies, the programs after it end the partial text as if it were whole, and
 * only the missing blank shows it. Without a blank, a full stop at the end would be
 * lost, too.
 */
static enum err
converse(struct mode *m, const char *text, int cpu_ms, struct buf *answer)
{
	const char *blank = arena_printf(answer->mem, "[%u]", ++m->asked);
	const char *in = arena_printf(answer->mem, "%s%s", text, blank);
	enum err e = child_pipe_ask(m->pipe, &(const struct child_ask){ .in = in,
						 .n = strlen(in),
						 .out = answer,
						 .max = ANSWER_BYTES,
						 .cpu_ms = cpu_ms,
						 .stopped = report_stopped,
						 .arg = m });

	if (e == OK && strstr(buf_text(answer), blank) != NULL)
		return OK;
	if (e == OK)
		log_warn("apertium: %s: the answer is incomplete", m->name);
	return e == ERR_TIMEOUT ? e : ERR_FAILED;
}

static void
stop_pipe(struct mode *m)
{
	child_pipe_stop(m->pipe);
	m->pipe = NULL;
}

static enum err
start_pipe(struct mode *m, struct arena *mem)
{
	struct child_pipe_plan plan = { .memory_bytes = MEMORY_BYTES };
	struct buf answer = { .mem = mem };
	enum err e = apertium_stages(mem, m->name, &plan);

	if (e != OK)
		return e;
	if ((m->pipe = child_pipe_start(&plan)) == NULL)
		return ERR_FAILED;
	return converse(m, FIRST, START_CPU_MS, &answer);
}

/* Start the programs and warm them up, unless they run. */
static enum err
be_ready(struct mode *m)
{
	struct arena *mem;
	enum err e;

	if (m->pipe != NULL && !child_pipe_dead(m->pipe))
		return OK;
	stop_pipe(m);
	mem = arena_new();
	if ((e = start_pipe(m, mem)) != OK) {
		log_warn("apertium: %s: does not start", m->name);
		stop_pipe(m);
	}
	arena_free(mem);
	return e;
}

/* Begin with a question. False: its caller did not wait for the programs to start. */
static bool
begin(struct mode *m, struct question *q)
{
	bool wanted;

	pthread_mutex_lock(&m->lock);
	if ((wanted = !q->done && q->text != NULL))
		q->begun_us = monotonic_us();
	pthread_mutex_unlock(&m->lock);
	return wanted;
}

/* Answer a question. A pipeline that a sentence has killed is restarted before the next
   sentence. */
static void
answer(struct mode *m, struct question *q)
{
	enum err e = be_ready(m);

	if (e == OK && begin(m, q))
		e = converse(m, q->text, q->cpu_ms, &q->answer);
	pthread_mutex_lock(&m->lock);
	finish(m, q, e);
	m->now = NULL;
	pthread_mutex_unlock(&m->lock);
	if (e != OK && m->pipe != NULL) {
		stop_pipe(m);
		(void)be_ready(m);
	}
}

static void *
serve(void *arg)
{
	struct mode *m = arg;
	struct question *q;

	pthread_mutex_lock(&m->lock);
	for (;;) {
		m->now = q = take_question(m);
		pthread_mutex_unlock(&m->lock);
		answer(m, q);
		pthread_mutex_lock(&m->lock);
		leave(q);
	}
	return NULL;
}

/* Start a thread with all signals blocked: other threads handle them. */
static bool
start_thread(struct mode *m)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int e;

	if (m->runs)
		return true;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&thread, &attr, serve, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (e != 0)
		log_error("apertium: %s: thread: %s", m->name, strerror(e));
	return m->runs = e == 0;
}

/* ---- modes ---- */

static void
mode_init(struct mode *m, const char *name)
{
	memcpy(m->name, name, strlen(name) + 1);
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->work, NULL);
	pthread_cond_init(&m->done, NULL);
	m->last = &m->first;
}

static struct mode *
find_mode(const char *name)
{
	size_t i = 0;

	pthread_mutex_lock(&modes_lock);
	while (i < nmodes && strcmp(modes[i].name, name) != 0)
		i++;
	if (i == nmodes && i < MODES_MAX && strlen(name) < NAME_BYTES)
		mode_init(&modes[nmodes++], name);
	pthread_mutex_unlock(&modes_lock);
	return i < nmodes ? &modes[i] : NULL;
}

/* Add a question to the mode. False: it has no thread, and the question is unchanged.
 */
static bool
enqueue(struct mode *m, struct question *q)
{
	if (!start_thread(m))
		return false;
	q->users++;
	*m->last = q;
	m->last = &q->next;
	pthread_cond_signal(&m->work);
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

/* Wait for the answer. The lock is held, except while it waits. */
static enum err
await_answer(
    struct mode *m, const struct question *q, const struct apertium_sentence *s)
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
			log_warn("apertium: %s: %s", m->name,
			    q->begun_us > 0 ? "no answer in time" : "no turn in time");
			return ERR_TIMEOUT;
		}
		t = soon(until_us);
		pthread_cond_clockwait(&m->done, &m->lock, CLOCK_MONOTONIC, &t);
	}
	return q->how;
}

enum err
apertium_ask(const struct apertium_sentence *s, struct buf *to)
{
	struct mode *m = find_mode(s->mode);
	struct question *q;
	enum err e = ERR_FAILED;

	if (m == NULL)
		return ERR_UNSUPPORTED;
	q = question_new(s->text, s->cpu_ms);
	q->users = 1;
	pthread_mutex_lock(&m->lock);
	if (enqueue(m, q))
		e = await_answer(m, q, s);
	if (e == OK)
		buf_put(to, q->answer.p, q->answer.len);
	else
		q->done = true; /* done, or abandoned */
	leave(q);
	pthread_mutex_unlock(&m->lock);
	return e;
}

void
apertium_warm(const char *mode, void (*warmed)(void *), void *arg)
{
	struct mode *m = find_mode(mode);
	struct question *q = question_new(NULL, 0);
	bool queued = false;

	q->warmed = warmed;
	q->arg = arg;
	if (m != NULL) {
		pthread_mutex_lock(&m->lock);
		queued = enqueue(m, q);
		pthread_mutex_unlock(&m->lock);
	}
	if (!queued) {
		arena_free(q->mem);
		warmed(arg);
	}
}
