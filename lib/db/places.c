/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte i of the file is place i; a process that waits shares the byte after the last.
 */
#include "db/places.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define PAUSE_US 5000

static struct {
	char path[4096];
	int most; /* 0: no limit */
} places;

void
places_set(const char *path, int most)
{
	snprintf(places.path, sizeof(places.path), "%s", path);
	places.most = most;
}

static bool
lock(int fd, int byte, short type)
{
	struct flock l = { .l_type = type, .l_start = byte, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

static int
open_file(void)
{
	int fd = open(places.path, O_RDWR | O_CREAT | O_CLOEXEC, 0660);

	if (fd < 0)
		log_error("%s: cannot open it", places.path);
	return fd;
}

/* Begin at a place that differs between processes. */
static bool
lock_any(int fd)
{
	for (int i = 0; i < places.most; i++)
		if (lock(fd, (getpid() + i) % places.most, F_WRLCK))
			return true;
	return false;
}

bool
places_take(int *fd, int wait_ms)
{
	int64_t until_us = monotonic_us() + wait_ms * INT64_C(1000);
	bool taken;

	*fd = -1;
	if (places.most == 0)
		return true;
	if ((*fd = open_file()) < 0)
		return false;
	if (!(taken = lock_any(*fd))) {
		lock(*fd, places.most, F_RDLCK);
		while (!(taken = lock_any(*fd)) && monotonic_us() < until_us)
			usleep(PAUSE_US);
		lock(*fd, places.most, F_UNLCK);
	}
	if (!taken)
		places_leave(fd);
	return taken;
}

void
places_leave(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool
places_wanted(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_start = places.most, .l_len = 1 };
	int fd = places.most > 0 ? open_file() : -1;
	bool wanted;

	if (fd < 0)
		return false;
	wanted = fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
	close(fd);
	return wanted;
}
