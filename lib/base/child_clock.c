/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/child_clock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

int64_t
child_clock_used_us(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return t.tv_sec * S_US + t.tv_nsec / 1000;
}

static int64_t
used_by_all(const struct child_clock *c)
{
	int64_t us = 0;

	for (size_t i = 0; i < c->n; i++)
		us += child_clock_used_us(c->pid[i]);
	return us;
}

/*
 * The state letter, which follows the name, see proc(5). The name may contain any
 * character. S: asleep.
 */
static char
state_of(pid_t pid)
{
	char path[32], text[256], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return 'S';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end != NULL && end[1] == ' ' ? end[2] : 'S';
}

/* True if one of the processes runs, or waits for a processor. */
static bool
is_ready(const struct child_clock *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (state_of(c->pid[i]) == 'R')
			return true;
	return false;
}

/* The state of children that have used no processor time for a long time. */
static enum child_pace
judge_idle(const struct child_clock *c)
{
	bool sleep = true;

	for (size_t i = 0; i < c->n; i++) {
		char state = state_of(c->pid[i]);

		if (state == 'R')
			return CHILD_WORKS; /* the process waits for a processor */
		sleep = sleep && state == 'S';
	}
	return sleep ? CHILD_ASLEEP : CHILD_STOPPED;
}

void
child_clock_begin(struct child_clock *c, const pid_t *pid, size_t n, int most_ms)
{
	*c = (struct child_clock){ .pid = pid, .n = n, .most_ms = most_ms };
	c->began_us = c->used_us = used_by_all(c);
	c->tick_us = monotonic_us() + CHILD_TICK_MS * INT64_C(1000);
}

int
child_clock_wait_ms(const struct child_clock *c)
{
	int64_t left_us = c->tick_us - monotonic_us();

	return left_us > 0 ? (int)(left_us / 1000) + 1 : 1;
}

enum child_pace
child_clock_check(struct child_clock *c)
{
	int64_t now = monotonic_us(), used_us;

	if (now < c->tick_us)
		return CHILD_WORKS;
	c->tick_us = now + CHILD_TICK_MS * INT64_C(1000);
	if (is_ready(c))
		c->ready_us += CHILD_TICK_MS * INT64_C(1000);
	used_us = used_by_all(c);
	c->idle = used_us > c->used_us ? 0 : c->idle + 1;
	c->used_us = used_us;
	if ((used_us - c->began_us) / 1000 >= c->most_ms)
		return CHILD_SPENT;
	if (c->idle < CHILD_IDLE_MS / CHILD_TICK_MS)
		return CHILD_WORKS;
	return judge_idle(c);
}

/* ---- the limit of a child that stays ---- */

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
		return; /* the previous limit stays */
	to.rlim_cur = (rlim_t)((used_us + c->left_us) / S_US + 1);
	prlimit(pid, RLIMIT_CPU, &to, NULL);
}

bool
child_cpu_spent(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
}
