#include "egress/disk_sync.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOGETHER 64 /* requests that one sync answers */

static bool
is_wanted(const struct disk_sync *d, int fd)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->files[i] == fd)
			return true;
	return false;
}

/* The gateway learns of the end of this one's parent by its descriptors. */
static void
close_others(const struct disk_sync *d, int from)
{
	long n = sysconf(_SC_OPEN_MAX);

	for (int fd = 0; fd < n; fd++)
		if (fd != from && !is_wanted(d, fd))
			close(fd);
}

static int
sync_all(const struct disk_sync *d)
{
	int error = 0;

	for (size_t i = 0; i < d->n; i++)
		if (fsync(d->files[i]) != 0)
			error = errno;
	return error;
}

static _Noreturn void
serve(const struct disk_sync *d, int from)
{
	char asked[TOGETHER];
	unsigned char error;
	ssize_t n;

	setsid(); /* what kills the parent leaves it alone */
	close_others(d, from);
	do {
		n = recv(from, asked, sizeof(asked), 0);
		error = (unsigned char)sync_all(d);
		if (error != 0)
			(void)!send(from, &error, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n > 0);
	_exit(EXIT_SUCCESS);
}

bool
disk_sync_begin(struct disk_sync *d)
{
	int ends[2];
	pid_t pid;

	d->fd = -1;
	signal(SIGCHLD, SIG_IGN); /* it is not waited for */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	if ((pid = fork()) == 0)
		serve(d, ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		d->fd = ends[0];
	return pid > 0;
}

static bool
ask(const struct disk_sync *d)
{
	return send(d->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 || errno == EAGAIN;
}

void
disk_sync_now(struct disk_sync *d)
{
	if (ask(d))
		return;
	disk_sync_end(d);
	if (disk_sync_begin(d))
		ask(d);
}

int
disk_sync_error(struct disk_sync *d)
{
	unsigned char error = 0;

	return recv(d->fd, &error, 1, MSG_DONTWAIT) == 1 ? error : 0;
}

void
disk_sync_end(struct disk_sync *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}
