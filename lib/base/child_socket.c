#include "base/child_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_start.h"
#include "base/log.h"

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
	kill(-pid, SIGKILL); /* unreaped, the number is its own */
	kill(pid, SIGKILL);
	got = TEMP_FAILURE_RETRY(waitpid(pid, status, 0));
	close(s->fd);
	*s = (struct child_socket){ .fd = -1 };
	/* What was about to end has its own status, and no signal changes that. */
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
