/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/export_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

struct export_folder {
	struct arena *mem;
	const char *dir, *part;
	int fd;          /* descriptor of part */
	struct buf list; /* lines of the manifest */
	struct json_writer j;
	int64_t files;
	bool ended;
};

static enum err
failed(const char *what)
{
	log_error("export: %s: %s", what, strerror(errno));
	return errno == ENOSPC || errno == EDQUOT ? ERR_FULL : ERR_FAILED;
}

/* ---- the folder ---- */

/* True if rename(2) can replace dir: it does not exist or is an empty folder. */
static bool
is_free(const char *dir)
{
	struct stat st;
	DIR *d;
	int n = 0;

	if (lstat(dir, &st) != 0)
		return errno == ENOENT;
	if (!S_ISDIR(st.st_mode) || (d = opendir(dir)) == NULL)
		return false;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n == 2; /* the entries . and .. */
}

enum err
export_folder_begin(struct arena *mem, const char *dir, struct export_folder **to)
{
	struct export_folder *f = arena_alloc(mem, sizeof(*f));
	size_t n = strlen(dir);
	char *part;

	while (n > 1 && dir[n - 1] == '/')
		n--;
	*f = (struct export_folder){ .mem = mem, .dir = arena_dup(mem, dir, n) };
	if (!is_free(f->dir))
		return ERR_CONFLICT;
	part = arena_printf(mem, "%s.part-XXXXXX", f->dir);
	if (mkdtemp(part) == NULL)
		return failed(part);
	f->part = part;
	if ((f->fd = open(part, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return failed(part);
	f->list.mem = mem;
	f->j.out = &f->list;
	jw_list(&f->j, NULL);
	*to = f;
	return OK;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void
export_folder_drop(struct export_folder *f)
{
	close(f->fd);
	if (!f->ended)
		nftw(f->part, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- a file ---- */

static bool
make_folders(struct export_folder *f, const char *name)
{
	for (const char *end = name; (end = strchr(end, '/')) != NULL; end++) {
		const char *folder = arena_dup(f->mem, name, (size_t)(end - name));

		if (mkdirat(f->fd, folder, 0700) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

enum err
export_file_begin(struct export_folder *f, const char *name, struct export_file *to)
{
	struct arena *mem = arena_new();

	*to = (struct export_file){ .folder = f,
		.mem = mem,
		.name = arena_str(mem, name),
		.sum = sha256_new(mem),
		.fd = -1 };
	if (make_folders(f, name))
		to->fd = openat(f->fd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to->fd >= 0)
		return OK;
	export_file_drop(to);
	return failed(name);
}

enum err
export_file_put(struct export_file *e, const void *p, size_t n)
{
	if (!file_write(e->fd, p, n))
		return failed(e->name);
	sha256_put(e->sum, p, n);
	e->bytes += (int64_t)n;
	return OK;
}

enum err
export_file_end(struct export_file *e)
{
	struct export_folder *f = e->folder;

	jw_open(&f->j, NULL);
	jw_text(&f->j, "path", e->name);
	jw_int(&f->j, "bytes", e->bytes);
	jw_text(&f->j, "sha256", sha256_hex(e->mem, e->sum));
	jw_close(&f->j);
	f->files++;
	export_file_drop(e);
	return OK;
}

void
export_file_drop(struct export_file *e)
{
	int errnum = errno;

	if (e->fd >= 0)
		close(e->fd);
	arena_free(e->mem);
	*e = (struct export_file){ .fd = -1 };
	errno = errnum;
}

/* ---- the end ---- */

static enum err
put_manifest(struct export_folder *f, const struct buf *text)
{
	struct export_file e;
	enum err err;

	if ((err = export_file_begin(f, "manifest.json", &e)) != OK)
		return err;
	err = export_file_put(&e, text->p, text->len);
	export_file_drop(&e);
	return err;
}

enum err
export_folder_end(struct export_folder *f,
    void (*head)(void *arg, struct json_writer *), void *arg, int64_t *files)
{
	struct buf text = { .mem = f->mem };
	struct json_writer j = { .out = &text };
	enum err e;

	jw_close(&f->j);
	jw_open(&j, NULL);
	head(arg, &j);
	jw_raw(&j, "files", buf_text(&f->list));
	jw_close(&j);
	buf_str(&text, "\n");
	if (syncfs(f->fd) != 0)
		return failed(f->part);
	if ((e = put_manifest(f, &text)) != OK)
		return e;
	if (syncfs(f->fd) != 0 || rename(f->part, f->dir) != 0)
		return failed(f->dir);
	f->ended = true;
	*files = f->files;
	return syncfs(f->fd) == 0 ? OK : failed(f->dir);
}
