/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingest.h"

#include <check.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ingest-server.h"

const char *
ingest_begin(void)
{
	ingest_open();
	return arena_printf(ingest.mem, "http://127.0.0.1:%d/closedcaption?cid=%s",
	    ingest.port, INGEST_KEY);
}

int
ingest_total(void)
{
	return ingest_count();
}

const char *
ingest_text(int n)
{
	return ingest.texts[n];
}

int
ingest_gaps(void)
{
	return (int)ingest.gaps;
}

const char *
ingest_refused(void)
{
	return ingest.refused;
}

void
ingest_answers(int status)
{
	ingest.status = status;
}

pid_t
sender_start(const char *command)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	setpgid(pid, pid);
	return pid;
}

void
sender_stop(pid_t sender)
{
	kill(-sender, SIGKILL);
	waitpid(sender, NULL, 0);
}
