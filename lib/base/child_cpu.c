#include "base/child_cpu.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/child_clock.h"
#include "base/clock.h"

void
child_cpu_allow(struct child_cpu *c, pid_t pid)
{
	int64_t full_us = c->full_s * S_US, now, used_us;
	struct rlimit to;

	if (c->percent == 0)
		return;
	now = monotonic_us();
	used_us = child_clock_used_us(pid);
	if (c->at_us == 0)
		c->left_us = full_us;
	else
		c->left_us +=
		    (now - c->at_us) * c->percent / 100 - (used_us - c->used_us);
	if (c->left_us > full_us)
		c->left_us = full_us;
	c->at_us = now;
	c->used_us = used_us;
	if (c->left_us < 0 || prlimit(pid, RLIMIT_CPU, NULL, &to) != 0)
		return; /* what it had stays its limit */
	to.rlim_cur = (rlim_t)((used_us + c->left_us) / S_US + 1);
	prlimit(pid, RLIMIT_CPU, &to, NULL);
}

bool
child_cpu_spent(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
}
