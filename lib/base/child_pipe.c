/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A separate thread starts the programs of a pipeline, because they die with the thread
 * that started them. Then it waits for the first one to end, kills the others and reaps
 * all:
 *
 *	starting --> running --> dead
 *
 * Until the state is `dead`, which the lock protects, no program is reaped. So the
 * group's number stays valid, and any thread can kill the group.
 */
#include "base/child_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_clock.h"
#include "base/child_start.h"
#include "base/clock.h"
#include "base/log.h"

#define STACK_BYTES (128 * 1024)
#define READ_BYTES 4096
#define UNASKED "it wrote a line that was not asked for"

enum state { STARTING, RUNNING, DEAD };

struct child_pipe {
	struct arena *mem;
	const char *name;
	char *const *argv[CHILD_STAGES];
	size_t n;
	size_t memory_bytes;
	const char *const *reads;
	char end;                /* the byte after a question, and after an answer */
	pid_t pid[CHILD_STAGES]; /* process ids; the first is also the group's number */
	int to, from;            /* our ends */
	pthread_t nurse;
	pthread_mutex_t lock; /* guards state and wanted */
	pthread_cond_t changed;
	enum state state;
	bool wanted; /* true unless we stopped or killed it */
};

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Start the i-th stage, which reads from fds[IN]. That is replaced by the descriptor
 * from which its output can be read.
 */
static bool
start_stage(struct child_pipe *p, size_t i, int fds[NFDS])
{
	const struct child limits = { .memory_bytes = p->memory_bytes,
		.reads = p->reads };
	int between[2];

	if (pipe2(between, O_CLOEXEC) < 0)
		return false;
	fds[OUT] = between[1];
	p->pid[i] = child_start(&limits, p->argv[i], fds, p->pid[0]);
	close_fd(&fds[OUT]);
	close_fd(&fds[IN]);
	fds[IN] = between[0];
	if (p->pid[i] < 0)
		return false;
	/* the child also does this, but perhaps too late */
	setpgid(p->pid[i], p->pid[0]);
	return true;
}

/* Start the stages; return the number of those that were started. */
static size_t
start_stages(struct child_pipe *p)
{
	int fds[NFDS] = { -1, -1, open("/dev/null", O_WRONLY | O_CLOEXEC), -1 };
	int ends[2] = { -1, -1 };
	size_t i = 0;

	/* A socket: sending to it raises no SIGPIPE. */
	if (fds[ERR] >= 0 &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
		p->to = ends[0];
		fds[IN] = ends[1];
		while (i < p->n && start_stage(p, i, fds))
			i++;
	}
	if (i == p->n)
		p->from = fds[IN];
	else {
		log_error("%s: stage %zu: %s", p->name, i, strerror(errno));
		close_fd(&fds[IN]);
	}
	close_fd(&fds[ERR]);
	return i;
}

static void
set_state(struct child_pipe *p, enum state state)
{
	pthread_mutex_lock(&p->lock);
	p->state = state;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* Stages that we killed, or whose neighbour ended, are not logged. */
static void
reap_stages(struct child_pipe *p, size_t n)
{
	int status;

	for (size_t i = 0; i < n; i++) {
		TEMP_FAILURE_RETRY(waitpid(p->pid[i], &status, 0));
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
			log_warn("%s: stage %zu, %s: signal %d", p->name, i,
			    p->argv[i][0], WTERMSIG(status));
		else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
			log_warn("%s: stage %zu, %s: exit status %d", p->name, i,
			    p->argv[i][0], WEXITSTATUS(status));
	}
}

static void *
nurse(void *arg)
{
	struct child_pipe *p = arg;
	size_t n = start_stages(p);
	siginfo_t si;

	if (n == p->n) {
		set_state(p, RUNNING);
		TEMP_FAILURE_RETRY(
		    waitid(P_PGID, (id_t)p->pid[0], &si, WEXITED | WNOWAIT));
	}
	pthread_mutex_lock(&p->lock);
	if (n > 0)
		kill(-p->pid[0], SIGKILL);
	p->state = DEAD;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	reap_stages(p, n);
	return NULL;
}

static void
kill_stages(struct child_pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->wanted = false;
	if (p->state == RUNNING)
		kill(-p->pid[0], SIGKILL);
	pthread_mutex_unlock(&p->lock);
}

/* Start a thread with all signals blocked, as other threads handle them. */
static bool
start_nurse(struct child_pipe *p)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int e;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&p->nurse, &attr, nurse, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (e != 0)
		log_error("%s: thread: %s", p->name, strerror(e));
	return e == 0;
}

static void
free_pipe(struct child_pipe *p)
{
	close_fd(&p->to);
	close_fd(&p->from);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	arena_free(p->mem);
}

struct child_pipe *
child_pipe_start(const struct child_pipe_plan *plan)
{
	struct arena *mem = arena_new();
	struct child_pipe *p = arena_alloc(mem, sizeof(*p));
	bool runs;

	*p = (struct child_pipe){ .mem = mem,
		.name = arena_str(mem, plan->name),
		.n = plan->n < CHILD_STAGES ? plan->n : CHILD_STAGES,
		.memory_bytes = plan->memory_bytes,
		.reads = plan->reads != NULL
			     ? (const char *const *)child_argv(mem, plan->reads)
			     : NULL,
		.end = plan->lines ? '\n' : '\0',
		.to = -1,
		.from = -1,
		.wanted = true };
	for (size_t i = 0; i < p->n; i++)
		p->argv[i] = child_argv(mem, plan->stage[i]);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	if (!start_nurse(p)) {
		free_pipe(p);
		return NULL;
	}
	pthread_mutex_lock(&p->lock);
	while (p->state == STARTING)
		pthread_cond_wait(&p->changed, &p->lock);
	runs = p->from >= 0;
	pthread_mutex_unlock(&p->lock);
	if (runs)
		return p;
	child_pipe_stop(p);
	return NULL;
}

bool
child_pipe_dead(struct child_pipe *p)
{
	bool dead;

	pthread_mutex_lock(&p->lock);
	dead = p->state == DEAD || !p->wanted;
	pthread_mutex_unlock(&p->lock);
	return dead;
}

/* The question and the answer, transferred a piece at a time. */
struct talk {
	const struct child_ask *ask;
	const char *in;
	size_t left;     /* bytes left of in, including the end after it */
	size_t most;     /* bytes that ask->out may grow to */
	bool over;       /* the end has arrived */
	const char *why; /* why it failed */
	struct child_clock clock;
};

static enum err
send_some(struct child_pipe *p, struct talk *t)
{
	ssize_t did = send(p->to, t->in, t->left, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (did < 0)
		return errno == EAGAIN || errno == EINTR ? OK : ERR_FAILED;
	t->in += did;
	t->left -= (size_t)did;
	return OK;
}

static enum err
read_some(struct child_pipe *p, struct talk *t)
{
	struct buf *out = t->ask->out;
	char *to = buf_room(out, READ_BYTES), *end;
	ssize_t did = read(p->from, to, READ_BYTES);

	if (did <= 0)
		return did < 0 && errno == EINTR ? OK : ERR_FAILED;
	end = memchr(to, p->end, (size_t)did);
	t->over = end != NULL;
	out->len += t->over ? (size_t)(end - to) : (size_t)did;
	if (t->over && p->end == '\n' && end + 1 < to + did) {
		t->why = UNASKED;
		return ERR_FAILED;
	}
	return out->len <= t->most ? OK : ERR_LIMIT;
}

/* Check that no output is waiting before a question is sent. */
static enum err
check_silence(struct child_pipe *p, struct talk *t)
{
	struct pollfd there = { .fd = p->from, .events = POLLIN };

	if (p->end != '\n' || t->left == 0 || poll(&there, 1, 0) <= 0 ||
	    (there.revents & POLLIN) == 0)
		return OK;
	t->why = UNASKED;
	return ERR_FAILED;
}

static enum err
exchange(struct child_pipe *p, struct talk *t)
{
	struct pollfd fds[2] = { { .fd = p->from, .events = POLLIN },
		{ .fd = t->left > 0 ? p->to : -1, .events = POLLOUT } };
	enum err e = OK;

	if (poll(fds, 2, child_clock_wait_ms(&t->clock)) <= 0)
		return OK;
	if (fds[1].revents != 0)
		e = send_some(p, t);
	if (e == OK && fds[0].revents != 0)
		e = read_some(p, t);
	return e;
}

/*
 * A dead child's pid may belong to another process. So once a child is dead, only its
 * pipe shows the state.
 */
static enum child_pace
check_pace(struct child_pipe *p, struct child_clock *c)
{
	enum child_pace pace = CHILD_WORKS;

	pthread_mutex_lock(&p->lock);
	if (p->state == RUNNING)
		pace = child_clock_check(c);
	pthread_mutex_unlock(&p->lock);
	return pace;
}

static enum err
judge(struct child_pipe *p, struct talk *t)
{
	switch (check_pace(p, &t->clock)) {
	case CHILD_SPENT:
		t->why = "no answer within its processor time";
		return ERR_TIMEOUT;
	case CHILD_ASLEEP:
		t->why = "no answer, and all stages sleep";
		return ERR_TIMEOUT;
	case CHILD_STOPPED:
		if (t->ask->stopped != NULL)
			t->ask->stopped(t->ask->arg);
		return OK;
	default:
		return OK;
	}
}

static enum err
talk(struct child_pipe *p, struct talk *t)
{
	enum err e = OK;

	while (e == OK && !t->over)
		if ((e = exchange(p, t)) == OK && !t->over)
			e = judge(p, t);
	return e;
}

/* The question and the NUL that ends it. */
static const char *
question(const struct child_pipe *p, const struct child_ask *ask, size_t *n)
{
	char *in = arena_dup(ask->out->mem, ask->in, ask->n);

	in[ask->n] = p->end;
	*n = ask->n + 1;
	return in;
}

enum err
child_pipe_ask(struct child_pipe *p, const struct child_ask *ask)
{
	struct talk t = { .ask = ask, .most = ask->out->len + ask->max };
	enum err e;

	if (ask->in != NULL)
		t.in = question(p, ask, &t.left);
	child_clock_begin(&t.clock, p->pid, p->n, ask->cpu_ms);
	if ((e = check_silence(p, &t)) == OK && (e = talk(p, &t)) == OK)
		return OK;
	log_warn("%s: %s, killed", p->name,
	    t.why != NULL    ? t.why
	    : e == ERR_LIMIT ? "the answer is too long"
	    : p->n == 1      ? "it has ended"
			     : "a stage has ended");
	kill_stages(p);
	return e;
}

void
child_pipe_stop(struct child_pipe *p)
{
	if (p == NULL)
		return;
	kill_stages(p);
	pthread_join(p->nurse, NULL);
	free_pipe(p);
}

int64_t
child_pipe_used_us(const struct child_pipe *p)
{
	int64_t us = 0;

	for (size_t i = 0; i < p->n; i++)
		us += child_clock_used_us(p->pid[i]);
	return us;
}
