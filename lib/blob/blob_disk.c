/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files below a directory, spread over 256 folders by the first two characters of their
 * names:
 *
 *	<blob.dir>/ec/ec7ac8ad-1b2b-406b-aae1-2c972399d29d-5f3a91c0
 *	<blob.dir>/tmp/...
 *
 * A file gets its name by rename(2), whole and synced, so a file is there completely or
 * not at all.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "blob/blob.h"
#include "blob/mirror.h"

static const char *
path_of(const struct conf *c, struct arena *mem, const char *name)
{
	return arena_printf(mem, "%s/%.2s/%s", c->blob_dir, name, name);
}

/*
 * Sync both folders: another process may have made the inner one and not synced it
 * yet.
 */
static enum err
disk_store(const struct conf *c, struct arena *mem, const char *from, const char *name)
{
	const char *folder = arena_printf(mem, "%s/%.2s", c->blob_dir, name);
	enum err e;

	assert(blob_is_name(name));
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return blob_failed("make a folder", errno);
	if (rename(from, path_of(c, mem, name)) != 0)
		return blob_failed("rename", errno);
	if ((e = blob_sync_folder(folder)) != OK ||
	    (e = blob_sync_folder(c->blob_dir)) != OK)
		unlink(path_of(c, mem, name));
	return e;
}

static enum err
disk_open(
    const struct conf *c, struct arena *mem, const char *name, struct blob_file *to)
{
	struct stat st;

	if (!blob_is_name(name))
		return ERR_NOT_FOUND;
	to->path = path_of(c, mem, name);
	to->fd = open(to->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (to->fd < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : blob_failed("open", errno);
	if (fstat(to->fd, &st) == 0) {
		to->bytes = st.st_size;
		return OK;
	}
	close(to->fd);
	return blob_failed("read a file's size", errno);
}

static enum err
disk_stat(
    const struct conf *c, struct arena *mem, const char *name, struct blob_facts *to)
{
	struct stat st;

	if (!blob_is_name(name))
		return ERR_NOT_FOUND;
	if (lstat(path_of(c, mem, name), &st) != 0)
		return errno == ENOENT ? ERR_NOT_FOUND
				       : blob_failed("look at a file", errno);
	*to = (struct blob_facts){ .bytes = st.st_size };
	return OK;
}

static enum err
disk_remove(const struct conf *c, struct arena *mem, const char *name)
{
	int hold, errnum = 0;
	enum err e;

	if (!blob_is_name(name))
		return OK;
	if ((e = mirror_let(c, mem, &hold)) != OK)
		return e;
	if (unlink(path_of(c, mem, name)) != 0)
		errnum = errno;
	if (hold >= 0)
		close(hold);
	return errnum == 0 || errnum == ENOENT ? OK : blob_failed("remove", errnum);
}

#define LOST_US (7 * 86400 * S_US)

struct sweeping {
	int lost; /* folder for strays */
	int64_t before_us;
	bool (*is_stray)(void *arg, const char *name);
	void *arg;
	int64_t removed;
};

static void
sweep_file(struct sweeping *s, int folder, const char *name)
{
	struct stat st;

	if (!blob_is_name(name) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode) || st.st_mtime * S_US >= s->before_us ||
	    !s->is_stray(s->arg, name))
		return;
	s->removed += renameat(folder, name, s->lost, name) == 0;
}

static enum err
sweep_folder(struct sweeping *s, const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *f;

	if (d == NULL)
		return errno == ENOENT ? OK : blob_failed("list a folder", errno);
	while ((f = readdir(d)) != NULL)
		sweep_file(s, dirfd(d), f->d_name);
	closedir(d);
	return OK;
}

/* Delete strays older than a week. */
static void
empty_lost(int lost, int64_t before_us)
{
	DIR *d = fdopendir(dup(lost));
	const struct dirent *f;
	struct stat st;

	while (d != NULL && (f = readdir(d)) != NULL)
		if (fstatat(lost, f->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_ctime * S_US < before_us - LOST_US)
			unlinkat(lost, f->d_name, 0);
	if (d != NULL)
		closedir(d);
}

/*
 * Strays are moved, not removed, because with the wrong database, or an older copy,
 * every file is a stray.
 */
static enum err
disk_sweep(const struct conf *c, struct arena *mem, int64_t before_us,
    bool (*is_stray)(void *arg, const char *name), void *arg, int64_t *removed)
{
	const char *lost = arena_printf(mem, "%s/lost", c->blob_dir);
	struct sweeping s = { -1, before_us, is_stray, arg, 0 };
	enum err e = OK;
	int hold;

	if (mkdir(lost, 0700) != 0 && errno != EEXIST)
		return errno == ENOENT
			   ? OK /* nothing was ever stored */
			   : blob_failed("make the folder of strays", errno);
	if ((s.lost = open(lost, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return blob_failed("open the folder of strays", errno);
	if (mirror_let(c, mem, &hold) != OK) { /* the next sweep removes it */
		close(s.lost);
		return OK;
	}
	for (int i = 0; i < 256 && e == OK; i++)
		e = sweep_folder(&s, arena_printf(mem, "%s/%02x", c->blob_dir, i));
	empty_lost(s.lost, before_us);
	if (hold >= 0)
		close(hold);
	close(s.lost);
	*removed += s.removed;
	return e;
}

const struct blob_store blob_disk = { "disk", disk_store, disk_open, disk_stat,
	disk_remove, NULL, disk_sweep };
