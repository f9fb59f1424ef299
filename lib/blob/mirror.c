/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blob/mirror.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "blob/blob.h"

#define PIECE 65536

/* ---- the right to remove ---- */

static const char *
lock_path(const struct conf *c, struct arena *mem)
{
	return arena_printf(mem, "%s/backup.lock", c->state_dir);
}

static void
close_fd(void *fd)
{
	close(*(int *)fd);
}

enum err
mirror_hold(const struct conf *c, struct arena *mem)
{
	int *fd = arena_alloc(mem, sizeof(*fd));

	if ((*fd = file_lock(lock_path(c, mem), LOCK_EX)) < 0)
		return blob_failed("take the lock of backups", errno);
	arena_defer(mem, close_fd, fd);
	return OK;
}

enum err
mirror_let(const struct conf *c, struct arena *mem, int *fd)
{
	*fd = open(lock_path(c, mem), O_RDWR | O_CLOEXEC);
	if (*fd < 0)
		return errno == ENOENT ? OK
				       : blob_failed("open the lock of backups", errno);
	if (flock(*fd, LOCK_SH | LOCK_NB) == 0)
		return OK;
	close(*fd);
	return ERR_BUSY;
}

/* ---- one file ---- */

static enum err
copy_bytes(int from, int to)
{
	char piece[PIECE];
	ssize_t n;

	while ((n = read(from, piece, sizeof(piece))) > 0)
		if (!file_write(to, piece, (size_t)n))
			return blob_failed("write a copy", errno);
	if (n < 0)
		return blob_failed("read what is copied", errno);
	return fsync(to) == 0 ? OK : blob_failed("sync a copy", errno);
}

static enum err
copy_over(int in, const char *new, const char *to)
{
	int out = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	enum err e;

	if (out < 0)
		return blob_failed("make a copy", errno);
	e = copy_bytes(in, out);
	if (close(out) != 0 && e == OK)
		e = blob_failed("write a copy", errno);
	if (e == OK && rename(new, to) != 0)
		e = blob_failed("name a copy", errno);
	if (e != OK)
		unlink(new);
	return e;
}

enum err
mirror_copy(struct arena *mem, const char *from, const char *to)
{
	/* Refuse links, and pipes, whose opening would block. */
	int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	enum err e;

	if (in < 0)
		return errno == ENOENT ? ERR_NOT_FOUND
				       : blob_failed("open what is copied", errno);
	if (fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
		log_error("%s: is not a file", from);
		close(in);
		return ERR_REFUSED;
	}
	e = copy_over(in, arena_printf(mem, "%s.new", to), to);
	close(in);
	return e;
}

static bool
has_size(const char *path, int64_t bytes)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == bytes;
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

enum err
mirror_file(struct arena *mem, const char *const from_to[2], const char *name,
    int64_t bytes, enum mirror_how how, bool *made)
{
	const char *from = arena_printf(mem, "%s/%.2s/%s", from_to[0], name, name);
	const char *folder = arena_printf(mem, "%s/%.2s", from_to[1], name);
	const char *to = arena_printf(mem, "%s/%s", folder, name);
	enum err e;

	*made = false;
	if (!blob_is_name(name) || is_link(from_to[0]) ||
	    is_link(arena_printf(mem, "%s/%.2s", from_to[0], name))) {
		log_error("%s: is not a name of our files, or is behind a link", name);
		return ERR_REFUSED;
	}
	if ((*made = !has_size(to, bytes)) == false)
		return OK;
	if (!has_size(from, bytes))
		return ERR_NOT_FOUND;
	if ((mkdir(from_to[1], 0700) != 0 && errno != EEXIST) ||
	    (mkdir(folder, 0700) != 0 && errno != EEXIST))
		return blob_failed("make a folder", errno);
	unlink(to);
	if ((how == MIRROR_COPY || link(from, to) != 0) &&
	    (e = mirror_copy(mem, from, to)) != OK)
		return e;
	return blob_sync_folder(folder);
}

/* ---- what is left over ---- */

static enum err
prune_folder(const char *path, bool (*is_wanted)(void *arg, const char *name),
    void *arg, int64_t *removed)
{
	DIR *d = opendir(path);
	const struct dirent *f;

	if (d == NULL)
		return errno == ENOENT ? OK : blob_failed("list a folder", errno);
	while ((f = readdir(d)) != NULL)
		if (f->d_name[0] != '.' && !is_wanted(arg, f->d_name))
			*removed += unlinkat(dirfd(d), f->d_name, 0) == 0;
	closedir(d);
	return OK;
}

enum err
mirror_prune(struct arena *mem, const char *folder,
    bool (*is_wanted)(void *arg, const char *name), void *arg, int64_t *removed)
{
	enum err e = OK;

	*removed = 0;
	for (int i = 0; i < 256 && e == OK; i++)
		e = prune_folder(
		    arena_printf(mem, "%s/%02x", folder, i), is_wanted, arg, removed);
	return e;
}
