/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A child reads from and writes to memory files, not pipes. So we need not pass
 * data while it runs, and it cannot block us or raise SIGPIPE. RLIMIT_FSIZE limits its
 * output. The output is copied once, into a block of its size.
 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child_files.h"
#include "base/child_start.h"
#include "base/file.h"
#include "base/log.h"

#define FDS_MAX 64       /* a child's open descriptors */
#define CANNOT_RUN 127   /* exit status of a child that could not become the program */
#define SECCOMP_FILTER 2 /* SECCOMP_MODE_FILTER of linux/seccomp.h */

struct child_sandbox_parts
child_sandbox_parts(void)
{
	return (struct child_sandbox_parts){
		.landlock = child_files_known(),
		/* The kernel reads the filter only if it supports filters. */
		.seccomp =
		    prctl(PR_SET_SECCOMP, SECCOMP_FILTER, NULL) < 0 && errno == EFAULT,
	};
}

/*
 * Everything from here to become() runs between fork(2) and execve(2), possibly beside
 * other threads: system calls only, no malloc, no log.
 */
static void
limit(int what, rlim_t soft, rlim_t hard)
{
	struct rlimit now;

	if (getrlimit(what, &now) < 0)
		_exit(CANNOT_RUN);
	now.rlim_max = hard < now.rlim_max ? hard : now.rlim_max;
	now.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
	if (setrlimit(what, &now) < 0)
		_exit(CANNOT_RUN);
}

static void
limit_all(const struct child *c)
{
	rlim_t cpu_s = (rlim_t)c->timeout_ms / 1000 + 1;

#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer reserves terabytes of addresses */
	limit(RLIMIT_AS, c->memory_bytes, c->memory_bytes);
#endif
	if (c->timeout_ms > 0)
		limit(RLIMIT_CPU, cpu_s, cpu_s + 1); /* SIGXCPU, then SIGKILL */
	limit(RLIMIT_FSIZE, c->out_bytes, c->out_bytes);
	limit(RLIMIT_NOFILE, FDS_MAX, RLIM_INFINITY);
	limit(RLIMIT_CORE, 0, 0);
}

/* Make the descriptors 0, 1, 2 and perhaps 3, from any numbers. */
static void
set_descriptors(const int fds[NFDS])
{
	int high[NFDS], n = fds[EXTRA] > 0 ? NFDS : EXTRA;

	for (int i = 0; i < n; i++)
		if ((high[i] = fcntl(fds[i], F_DUPFD, NFDS)) < 0)
			_exit(CANNOT_RUN);
	for (int i = 0; i < n; i++)
		if (dup2(high[i], i) < 0)
			_exit(CANNOT_RUN);
	if (close_range((unsigned)n, ~0U, 0) < 0) /* a kernel before 5.9 */
		for (int fd = n; fd < 4096; fd++)
			close(fd);
}

/* execve(2) keeps ignored signals and the mask, but not the handlers. */
static void
forget_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		sigaction(s, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

struct origin {
	pid_t parent, group;
	int rules; /* rule set for files; -1: this kernel has no Landlock */
};

static noreturn void
become(const struct child *c, char *const *argv, const int fds[NFDS],
    const struct origin *from)
{
	static char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C.UTF-8";
	static char *const env[] = { path, locale, NULL };

	setpgid(0, from->group);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != from->parent)
		_exit(CANNOT_RUN); /* the parent died before the call above */
	forget_signals();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    (from->rules >= 0 && !child_files_enter(from->rules)))
		_exit(CANNOT_RUN);
	set_descriptors(fds);
	limit_all(c);
	execve(argv[0], argv, env);
	_exit(CANNOT_RUN);
}

/* Log, once per process, the restrictions that this kernel lacks. */
static void
log_lacks(void)
{
	const struct child_sandbox_parts has = child_sandbox_parts();

	if (!has.landlock)
		log_warn("this kernel has no Landlock: child processes may open every "
			 "file that this user may");
	if (!has.seccomp)
		log_warn("this kernel has no seccomp filters: child processes may make "
			 "every system call");
}

/* Block signals, so that none of our handlers runs in the child. */
pid_t
child_start(const struct child *c, char *const *argv, const int fds[NFDS], pid_t group)
{
	static pthread_once_t logged = PTHREAD_ONCE_INIT;
	struct origin from = { getpid(), group, -1 };
	pid_t pid;
	sigset_t all, old;

	pthread_once(&logged, log_lacks);
	if (child_files_run(argv[0], c, &from.rules) != OK)
		return -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	/*
	 * vfork: the child uses our memory until execve(2). Copying the page tables of
	 * a gateway with many recognisers would take longer than speaking a sentence.
	 */
	if ((pid = vfork()) == 0)
		become(c, argv, fds, &from);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (from.rules >= 0)
		close(from.rules);
	return pid;
}

static int64_t
uptime_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* True if the child ended within its time.  It is not reaped yet. */
static bool
ends_within(pid_t pid, int timeout_ms)
{
	struct pollfd p = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	int64_t left, end = uptime_ms() + timeout_ms;
	bool ended;

	for (;;) {
		siginfo_t si = { .si_pid = 0 };

		ended =
		    waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    si.si_pid == pid;
		if (ended || (left = end - uptime_ms()) <= 0)
			break;
		poll(&p, 1, p.fd < 0 && left > 10 ? 10 : (int)left);
	}
	if (p.fd >= 0)
		close(p.fd);
	return ended;
}

/* Log the reason, with the beginning of the child's standard error. */
static enum err
complain(const struct child *c, int fd, const char *what, int n, enum err e)
{
	char text[256];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	for (char *s = text; *s != '\0'; s++)
		if (*s < ' ' || *s > '~')
			*s = ' ';
	log_error("%s: %s %d: %s", c->argv[0], what, n, text);
	return e;
}

static enum err
judge(const struct child *c, int fd, int status, struct child_end *end)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	end->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (end->status == 0)
		return OK;
	if (end->status > 0)
		return complain(c, fd, "exit status", end->status,
		    end->status == CANNOT_RUN ? ERR_FAILED : OK);
	return complain(c, fd, "signal", sig,
	    sig == SIGXCPU   ? ERR_TIMEOUT
	    : sig == SIGXFSZ ? ERR_LIMIT
			     : ERR_FAILED);
}

static enum err
run(const struct child *c, char *const *argv, const int fds[NFDS],
    struct child_end *end)
{
	pid_t pid = child_start(c, argv, fds, 0);
	bool in_time;
	int status;

	if (pid < 0) {
		log_error("vfork: %s", strerror(errno));
		return ERR_FAILED;
	}
	in_time = ends_within(pid, c->timeout_ms);
	kill(-pid,
	    /* kill the whole group; its number stays valid until the child is reaped */
	    SIGKILL);
	kill(pid, SIGKILL);
	/* another thread has reaped it */
	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) != pid)
		return complain(c, fds[ERR], "lost", pid, ERR_FAILED);
	if (!in_time)
		return complain(c, fds[ERR], "killed for its timeout_ms", c->timeout_ms,
		    ERR_TIMEOUT);
	return judge(c, fds[ERR], status, end);
}

static enum err
collect(int fd, struct arena *mem, struct child_end *end)
{
	struct stat st;
	ssize_t did;

	if (fstat(fd, &st) < 0)
		return ERR_FAILED;
	end->out = arena_alloc(mem, (size_t)st.st_size + 1);
	while (end->out_len < (size_t)st.st_size) {
		did = pread(fd, end->out + end->out_len,
		    (size_t)st.st_size - end->out_len, (off_t)end->out_len);
		if (did <= 0)
			return ERR_FAILED;
		end->out_len += (size_t)did;
	}
	return OK;
}

static bool
open_files(const struct child *c, int fds[NFDS])
{
	bool ours = c->in_fd <= 0;

	fds[EXTRA] = c->fd;
	fds[OUT] = memfd_create("out", MFD_CLOEXEC);
	fds[ERR] = memfd_create("err", MFD_CLOEXEC);
	fds[IN] = ours ? memfd_create("in", MFD_CLOEXEC) : c->in_fd;
	if (fds[OUT] < 0 || fds[ERR] < 0 || fds[IN] < 0 ||
	    (ours && (!file_write(fds[IN], c->in, c->in_len) ||
			 lseek(fds[IN], 0, SEEK_SET) != 0))) {
		log_error("%s: memory file: %s", c->argv[0], strerror(errno));
		return false;
	}
	return true;
}

static void
close_files(const struct child *c, const int fds[NFDS])
{
	if (c->in_fd <= 0 && fds[IN] >= 0)
		close(fds[IN]);
	if (fds[OUT] >= 0)
		close(fds[OUT]);
	if (fds[ERR] >= 0)
		close(fds[ERR]);
}

char *const *
child_argv(struct arena *mem, const char *const *argv)
{
	char **copy;
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	copy = arena_alloc(mem, (n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = arena_str(mem, argv[i]);
	return copy;
}

enum err
child_run(const struct child *c, struct arena *mem, struct child_end *end)
{
	char *const *argv = child_argv(mem, c->argv);
	enum err e = ERR_FAILED;
	int fds[NFDS];

	*end = (struct child_end){ .status = -1 };
	if (open_files(c, fds) && (e = run(c, argv, fds, end)) == OK)
		e = collect(fds[OUT], mem, end);
	close_files(c, fds);
	return e;
}

/* ---- a program that stays and talks over a socket ---- */

static enum err
start(const struct child *c, int type, struct child_socket *to)
{
	struct arena *mem = arena_new();
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), ends[2] = { -1, -1 };
	pid_t pid = -1;

	*to = (struct child_socket){ .fd = -1 };
	if (null >= 0 && socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) == 0) {
		const int fds[NFDS] = { ends[1], ends[1], null, -1 };

		pid = child_start(c, child_argv(mem, c->argv), fds, 0);
	}
	if (pid < 0)
		log_error("%s: %s", c->argv[0], strerror(errno));
	else
		*to = (struct child_socket){ pid, ends[0] };
	if (pid < 0 && ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	if (null >= 0)
		close(null);
	arena_free(mem);
	return pid < 0 ? ERR_FAILED : OK;
}

enum err
child_socket_start(const struct child *c, struct child_socket *to)
{
	return start(c, SOCK_STREAM, to);
}

enum err
child_socket_start_packets(const struct child *c, struct child_socket *to)
{
	enum err e = start(c, SOCK_SEQPACKET, to);

	if (e == OK && fcntl(to->fd, F_SETFL, O_NONBLOCK) != 0) {
		child_socket_stop(to, c->argv[0]);
		e = ERR_FAILED;
	}
	return e;
}

bool
child_socket_reap(struct child_socket *s, int *status)
{
	siginfo_t si = { .si_pid = 0 };
	pid_t pid = s->pid, got;

	if (pid <= 0)
		return false;
	waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT);
	kill(-pid, SIGKILL); /* the number stays valid until it is reaped */
	kill(pid, SIGKILL);
	got = TEMP_FAILURE_RETRY(waitpid(pid, status, 0));
	close(s->fd);
	*s = (struct child_socket){ .fd = -1 };
	/* A child that has ended keeps its own status. */
	return got == pid && (si.si_pid == pid || !WIFSIGNALED(*status) ||
				 WTERMSIG(*status) != SIGKILL);
}

void
child_socket_log(const char *name, int status)
{
	log_warn("%s: ended by %s %d", name,
	    WIFSIGNALED(status) ? "signal" : "itself, status",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void
child_socket_stop(struct child_socket *s, const char *name)
{
	int status;

	if (child_socket_reap(s, &status))
		child_socket_log(name, status);
}
