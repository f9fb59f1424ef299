/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool
file_read(const char *path, struct buf *to)
{
	FILE *f = fopen(path, "re");
	bool good;
	size_t n;

	if (f == NULL)
		return false;
	while ((n = fread(buf_room(to, 4096), 1, 4096, f)) > 0)
		to->len += n;
	good = ferror(f) == 0;
	fclose(f);
	return good;
}

bool
file_write(int fd, const void *p, size_t n)
{
	const char *s = p;
	ssize_t did;

	for (; n > 0; s += did, n -= (size_t)did)
		if ((did = TEMP_FAILURE_RETRY(write(fd, s, n))) < 0)
			return false;
	return true;
}

/* Close it without changing errno. */
static void
close_quietly(int fd)
{
	int errnum = errno;

	close(fd);
	errno = errnum;
}

bool
file_sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool synced = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close_quietly(fd);
	return synced;
}

/* If root creates the file, give it to the owner of the folder. */
static void
match_owner(int fd, const char *path)
{
	char folder[PATH_MAX];
	struct stat st;

	snprintf(folder, sizeof(folder), "%s", path);
	if (geteuid() == 0 && stat(dirname(folder), &st) == 0 &&
	    fchown(fd, st.st_uid, st.st_gid) != 0)
		return; /* the owner gets the error when it takes the lock */
}

int
file_open_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		match_owner(fd, path);
	return fd;
}

int
file_lock(const char *path, int how)
{
	int fd = file_open_lock(path);

	if (fd < 0 || TEMP_FAILURE_RETRY(flock(fd, how)) == 0)
		return fd;
	close_quietly(fd);
	return -1;
}
