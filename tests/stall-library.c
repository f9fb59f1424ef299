/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A preloaded library that blocks a thread of a program: while the file STALL/media
 * exists, poll(2) and epoll_wait(2) do not return in the thread of that name, even if
 * they were called before; while STALL/main exists, in the first thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static int
is_stalled(void)
{
	char path[4096], name[32] = "main";
	const char *dir = getenv("STALL");

	if (gettid() != getpid() &&
	    pthread_getname_np(pthread_self(), name, sizeof(name)) != 0)
		return 0;
	if (dir == NULL ||
	    snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return 0;
	return access(path, F_OK) == 0;
}

static void
stand_still(void)
{
	int was = errno;

	while (is_stalled())
		usleep(10000);
	errno = was;
}

int
poll(struct pollfd *fds, nfds_t n, int timeout)
{
	static int (*real)(struct pollfd *, nfds_t, int);
	int result;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "poll");
	result = real(fds, n, timeout);
	stand_still();
	return result;
}

int
epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	static int (*real)(int, struct epoll_event *, int, int);
	int result;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "epoll_wait");
	result = real(fd, events, n, timeout);
	stand_still();
	return result;
}
