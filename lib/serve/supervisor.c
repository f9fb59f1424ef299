/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/supervisor.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "serve/http_process.h"
#include "service/workers.h"

#define PROCESSES_LEAST 4
#define PAUSE_US S_US             /* between two starts of a child */
#define PAUSE_MOST_US (60 * S_US) /* the same, if it ends at once each time */
#define FINISH_S 60               /* until the children are killed */
#define LOOK_US (S_US / 5)        /* between two looks at children that end */

struct child {
	const char *worker; /* name of the program; NULL: a process of http_process.h */
	pid_t pid;          /* 0: it does not run */
	int64_t begun_us, due_us, pause_us;
};

struct supervisor {
	struct arena *mem;
	struct conf conf;
	const struct serve_path *paths;
	int listener;
	pid_t pid;
	struct child *children;
	size_t n;
	sigset_t signals, before;
	int64_t stop_us;   /* monotonic, when SIGTERM came; 0: not yet */
	bool workers_told; /* to stop */
};

/* ---- children ---- */

static _Noreturn void
be_http_process(const struct supervisor *s)
{
	process_end_with(s->pid);
	_exit(http_process_run(s->paths, s->listener));
}

/* As cron does, with its log and its priority. */
static _Noreturn void
be_worker(const struct supervisor *s, const char *name)
{
	const char *run = arena_printf(s->mem, "%s/cron/run", s->conf.prefix);

	process_end_with(s->pid);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	close(s->listener);
	execl(run, run, name, NULL);
	log_error("%s: %s", run, strerror(errno));
	_exit(EXIT_FAILURE);
}

static void
start(struct supervisor *s, struct child *c)
{
	c->begun_us = monotonic_us();
	c->pid = fork();
	if (c->pid == 0 && c->worker != NULL)
		be_worker(s, c->worker);
	if (c->pid == 0)
		be_http_process(s);
	if (c->pid < 0) {
		log_error("no process can be started: %s", strerror(errno));
		c->pid = 0;
		c->due_us = c->begun_us + PAUSE_US;
	}
}

static void
start_due(struct supervisor *s)
{
	int64_t now = monotonic_us();

	for (size_t i = 0; i < s->n && s->stop_us == 0; i++)
		if (s->children[i].pid == 0 && now >= s->children[i].due_us)
			start(s, &s->children[i]);
}

/* Workers end each minute. */
static void
report_end(const struct child *c, int status)
{
	const char *name = c->worker != NULL ? c->worker : "HTTP";

	if (WIFSIGNALED(status))
		log_error("%s: process %ld was ended by signal %d", name, (long)c->pid,
		    WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0 || c->worker == NULL)
		log_warn("%s: process %ld ended with status %d", name, (long)c->pid,
		    WEXITSTATUS(status));
}

/*
 * A child that ends soon after each start is started less and less often; so is a
 * worker that finds the one of cron at work.
 */
static void
ended(const struct supervisor *s, struct child *c, int status)
{
	int64_t now = monotonic_us();

	if (s->stop_us == 0)
		report_end(c, status);
	c->pid = 0;
	c->pause_us = now - c->begun_us > 10 * S_US ? 0 : 2 * c->pause_us + PAUSE_US;
	if (c->pause_us > PAUSE_MOST_US)
		c->pause_us = PAUSE_MOST_US;
	c->due_us = c->pause_us == PAUSE_US ? now : now + c->pause_us;
}

/* Also reaps processes of others, as process 1 of a container does. */
static void
reap(struct supervisor *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < s->n; i++)
			if (s->children[i].pid == pid)
				ended(s, &s->children[i], status);
}

/* False: there is none. sig 0: only look. */
static bool
tell(const struct supervisor *s, bool workers, int sig)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++)
		if (s->children[i].pid > 0 &&
		    (s->children[i].worker != NULL) == workers) {
			kill(s->children[i].pid, sig);
			any = true;
		}
	return any;
}

/* ---- the loop ---- */

static void
stop(struct supervisor *s)
{
	if (s->stop_us != 0)
		return;
	log_info("stopping");
	s->stop_us = monotonic_us();
	close(s->listener);
	tell(s, false, SIGTERM);
}

/* Requests may need the gateway, so it is told last. False: all have ended. */
static bool
stopping(struct supervisor *s)
{
	bool late = monotonic_us() > s->stop_us + FINISH_S * S_US;

	if (late) {
		tell(s, false, SIGKILL);
		tell(s, true, SIGKILL);
	}
	if (tell(s, false, 0))
		return true;
	if (!s->workers_told)
		tell(s, true, SIGTERM);
	s->workers_told = true;
	return tell(s, true, 0);
}

/* Time until a child is to be started; LOOK_US at most while the service stops. */
static int64_t
wait_us(const struct supervisor *s)
{
	int64_t now = monotonic_us(), wait = PAUSE_MOST_US;

	if (s->stop_us != 0)
		return LOOK_US;
	for (size_t i = 0; i < s->n; i++)
		if (s->children[i].pid == 0 && s->children[i].due_us - now < wait)
			wait = s->children[i].due_us - now;
	return wait > 0 ? wait : 0;
}

static void
supervise(struct supervisor *s)
{
	for (;;) {
		int64_t us = wait_us(s);
		const struct timespec wait = { us / S_US, us % S_US * 1000 };
		int sig = sigtimedwait(&s->signals, NULL, &wait);

		reap(s);
		if (sig == SIGTERM || sig == SIGINT)
			stop(s);
		start_due(s);
		if (s->stop_us != 0 && !stopping(s))
			return;
	}
}

/* ---- opening ---- */

static int
open_socket(const struct addrinfo *a)
{
	int on = 1, off = 0;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	close(fd);
	return -1;
}

/* text: ADDRESS:PORT. Returns -1 if it cannot be bound, logged. */
static int
open_listener(struct arena *mem, const char *text)
{
	const struct addrinfo want = { .ai_flags =
					   AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(text, ':');
	size_t n = colon != NULL ? (size_t)(colon - text) : 0;
	struct addrinfo *a;
	int fd;

	if (n > 1 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	if (colon == NULL || getaddrinfo(n > 0 ? arena_dup(mem, text, n) : NULL,
				 colon + 1, &want, &a) != 0) {
		log_error("%s is no ADDRESS:PORT", text);
		return -1;
	}
	if ((fd = open_socket(a)) < 0)
		log_error("%s: %s", text, strerror(errno));
	freeaddrinfo(a);
	return fd;
}

static size_t
processes(const struct conf *c)
{
	long n = c->serve_processes;

	if (n == 0)
		n = 2 * sysconf(_SC_NPROCESSORS_ONLN);
	return n > PROCESSES_LEAST || c->serve_processes > 0 ? (size_t)n
							     : PROCESSES_LEAST;
}

static void
make_children(struct supervisor *s)
{
	size_t http = processes(&s->conf), n = 0;

	while (worker_programs[n].name != NULL)
		n++;
	s->n = http + n;
	s->children = arena_alloc(s->mem, s->n * sizeof(*s->children));
	for (size_t i = 0; i < n; i++)
		s->children[http + i].worker = worker_programs[i].name;
}

static void
block_signals(struct supervisor *s)
{
	sigemptyset(&s->signals);
	sigaddset(&s->signals, SIGTERM);
	sigaddset(&s->signals, SIGINT);
	sigaddset(&s->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &s->signals, &s->before);
}

int
supervisor_run(const struct serve_path *paths, const char *listen)
{
	struct arena *mem = arena_new();
	struct supervisor *s = arena_alloc(mem, sizeof(*s));

	*s = (struct supervisor){ .mem = mem, .paths = paths, .pid = getpid() };
	if (conf_read(mem, &s->conf) != OK || !process_may_write(s->conf.state_dir))
		return EXIT_FAILURE;
	for (const struct serve_path *p = paths; p->path != NULL; p++)
		if (p->program != NULL && p->program->may_start != NULL &&
		    !p->program->may_start())
			return EXIT_FAILURE;
	listen = listen != NULL ? listen : s->conf.serve_listen;
	if ((s->listener = open_listener(mem, listen)) < 0)
		return EXIT_FAILURE;
	make_children(s);
	umask(077);
	block_signals(s);
	log_info("listening at %s", listen);
	supervise(s);
	return EXIT_SUCCESS;
}
