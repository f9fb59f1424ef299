/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A preloaded library that records a process's changes to files below $RECORD_ROOT, in
 * $RECORD_LOG.  One process at a time writes there, so the log's order is the disk's.
 */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the log ---- */

/* False: the path is not below the watched folder. */
static bool
below(const char *path, char to[RECORD_PATH])
{
	const char *root = getenv("RECORD_ROOT");
	size_t n = root != NULL ? strlen(root) : 0;

	if (n == 0 || strncmp(path, root, n) != 0 ||
	    (path[n] != '/' && path[n] != '\0'))
		return false;
	return snprintf(to, RECORD_PATH, "%s", path + n + (path[n] == '/')) <
	       RECORD_PATH;
}

/* The current name of an open file; false: it was deleted. */
static bool
name_of(int fd, char to[RECORD_PATH])
{
	char link[40], path[4096];
	static const char gone[] = " (deleted)";
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	if (strlen(path) > strlen(gone) &&
	    strcmp(path + strlen(path) - strlen(gone), gone) == 0)
		return false;
	return below(path, to);
}

/* The folder is found by its descriptor, because its entries may already be deleted. */
static bool
name_at(int dir, const char *path, char to[RECORD_PATH])
{
	char folder[RECORD_PATH], real[4096], whole[8192];
	const char *base = strrchr(path, '/');

	if (path[0] != '/' && dir != AT_FDCWD) {
		int n;

		if (!name_of(dir, folder))
			return false;
		n = snprintf(whole, sizeof(whole), "%s/%s", folder, path);
		return n < RECORD_PATH && memcpy(to, whole, (size_t)n + 1) != NULL;
	}
	if (base == NULL || path[0] != '/')
		return false;
	snprintf(whole, sizeof(whole), "%.*s", (int)(base - path), path);
	if (realpath(whole, real) == NULL)
		return false;
	snprintf(whole, sizeof(whole), "%s%s", real, base);
	return below(whole, to);
}

static void
note(struct record *t, const void *bytes)
{
	const char *log = getenv("RECORD_LOG");
	struct iovec parts[] = { { t, sizeof(*t) },
		{ (void *)(uintptr_t)bytes, (size_t)t->bytes } };
	int was = errno, fd;

	fd = log == NULL ? -1
			 : (int)syscall(SYS_openat, AT_FDCWD, log,
			       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || writev(fd, parts, 2) != (ssize_t)sizeof(*t) + (ssize_t)t->bytes) {
		static const char sorry[] =
		    "recorder: what was done cannot be recorded\n";

		syscall(SYS_write, 2, sorry, sizeof(sorry) - 1);
		abort(); /* a log with a gap would prove nothing */
	}
	close(fd);
	errno = was;
}

static void
note_fd(enum tap_op op, int fd, int64_t at, const void *bytes, int64_t n)
{
	struct record t = { .op = op, .at = at, .bytes = n };

	if (name_of(fd, t.path))
		note(&t, bytes);
}

static void
note_path(enum tap_op op, int dir, const char *path)
{
	struct record t = { .op = op };

	if (name_at(dir, path, t.path))
		note(&t, "");
}

static void
note_two(enum tap_op op, int dir, const char *path, int to_dir, const char *to)
{
	struct record t = { .op = op };
	bool from = name_at(dir, path, t.path), into = name_at(to_dir, to, t.to);

	if (from && into)
		note(&t, "");
}

/* ---- what is opened ---- */

static int
opened(int dir, const char *path, int flags, mode_t mode)
{
	bool there = faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	int fd = (int)syscall(SYS_openat, dir, path, flags | O_LARGEFILE, mode);

	if (fd >= 0 && (flags & O_CREAT) && !there)
		note_fd(RECORD_CREATE, fd, 0, "", 0);
	else if (fd >= 0 && (flags & O_TRUNC))
		note_fd(RECORD_TRUNCATE, fd, 0, "", 0);
	return fd;
}

static mode_t
mode_in(int flags, va_list more)
{
	return (flags & O_CREAT) ? (mode_t)va_arg(more, int) : 0;
}

/* OPEN(name, the folder for relative paths, the parameters before flags) */
#define OPEN(name, dir, ...)                                                           \
	int name(__VA_ARGS__, int flags, ...)                                          \
	{                                                                              \
		va_list more;                                                          \
		mode_t mode;                                                           \
                                                                                       \
		va_start(more, flags);                                                 \
		mode = mode_in(flags, more);                                           \
		va_end(more);                                                          \
		return opened(dir, path, flags, mode);                                 \
	}

OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, dir, int dir, const char *path)
OPEN(openat64, dir, int dir, const char *path)

/* ---- what is written ---- */

ssize_t
write(int fd, const void *p, size_t n)
{
	ssize_t done = syscall(SYS_write, fd, p, n);

	if (done > 0)
		note_fd(RECORD_WRITE, fd, lseek(fd, 0, SEEK_CUR) - done, p, done);
	return done;
}

#define PWRITE(name)                                                                   \
	ssize_t name(int fd, const void *p, size_t n, off_t at)                        \
	{                                                                              \
		ssize_t done = syscall(SYS_pwrite64, fd, p, n, at);                    \
                                                                                       \
		if (done > 0)                                                          \
			note_fd(RECORD_WRITE, fd, at, p, done);                        \
		return done;                                                           \
	}
#define TRUNCATE(name)                                                                 \
	int name(int fd, off_t size)                                                   \
	{                                                                              \
		int rc = (int)syscall(SYS_ftruncate, fd, size);                        \
                                                                                       \
		if (rc == 0)                                                           \
			note_fd(RECORD_TRUNCATE, fd, size, "", 0);                     \
		return rc;                                                             \
	}
#define SYNC(name, number)                                                             \
	int name(int fd)                                                               \
	{                                                                              \
		int rc = (int)syscall(number, fd);                                     \
                                                                                       \
		if (rc == 0)                                                           \
			note_fd(RECORD_SYNC, fd, 0, "", 0);                            \
		return rc;                                                             \
	}

PWRITE(pwrite)
PWRITE(pwrite64)
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)
SYNC(fsync, SYS_fsync)
SYNC(fdatasync, SYS_fdatasync)

/* ---- what is named ---- */

int
rename(const char *path, const char *to)
{
	return renameat(AT_FDCWD, path, AT_FDCWD, to);
}

int
renameat(int dir, const char *path, int to_dir, const char *to)
{
	int rc = (int)syscall(SYS_renameat2, dir, path, to_dir, to, 0);

	if (rc == 0)
		note_two(RECORD_RENAME, dir, path, to_dir, to);
	return rc;
}

int
link(const char *path, const char *to)
{
	int rc = (int)syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, to, 0);

	if (rc == 0)
		note_two(RECORD_LINK, AT_FDCWD, path, AT_FDCWD, to);
	return rc;
}

int
unlinkat(int dir, const char *path, int flags)
{
	int rc = (int)syscall(SYS_unlinkat, dir, path, flags);

	if (rc == 0)
		note_path(RECORD_UNLINK, dir, path);
	return rc;
}

int
unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

int
mkdir(const char *path, mode_t mode)
{
	int rc = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);

	if (rc == 0)
		note_path(RECORD_MKDIR, AT_FDCWD, path);
	return rc;
}
