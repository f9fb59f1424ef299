/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/libarchive.h"

#define BLOCK 65536

struct unpacking {
	struct arena *mem;
	const char *folder;
	int64_t left; /* bytes that may still be written */
	const char *why;
};

static bool
fail(struct unpacking *u, const char *what, const char *reason)
{
	u->why = arena_printf(u->mem, "%s: %s", what, reason);
	return false;
}

/* Create the folders in a name below the target folder. */
static bool
make_folders(struct unpacking *u, char *path)
{
	for (char *cut = path + strlen(u->folder) + 1; (cut = strchr(cut, '/')) != NULL;
	     cut++) {
		*cut = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			return fail(u, path, strerror(errno));
		*cut = '/';
	}
	return true;
}

/* Open a file for appending; -1: failed. */
static int
open_target(struct unpacking *u, const char *name)
{
	char *path = arena_printf(u->mem, "%s/%s", u->folder, name);
	int fd;

	if (!make_folders(u, path))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		fail(u, path, strerror(errno));
	return fd;
}

/* The name of an entry below the target folder; NULL if the part does not list it. */
static const char *
target_of(struct arena *mem, const struct json *take, const char *entry)
{
	for (const struct json *v = take->kids; v != NULL; v = v->next->next) {
		size_t n = strlen(v->u.s);
		bool below = n > 0 && v->u.s[n - 1] == '*';

		if (!below && strcmp(v->u.s, entry) == 0)
			return v->next->u.s;
		if (below && strncmp(v->u.s, entry, n - 1) == 0)
			return arena_printf(mem, "%s%s", v->next->u.s, entry + n - 1);
	}
	return NULL;
}

static bool
write_entry(struct unpacking *u, struct archive *a, const char *name)
{
	char block[BLOCK];
	la_ssize_t n = 0;
	int fd;

	if (strstr(name, "..") != NULL || *name == '/')
		return fail(u, name, "the archive has a name that leads elsewhere");
	if ((fd = open_target(u, name)) < 0)
		return false;
	while (u->why == NULL && (n = archive_read_data(a, block, BLOCK)) > 0) {
		if ((u->left -= n) < 0)
			fail(u, name, "is larger than the catalogue says");
		else if (!file_write(fd, block, (size_t)n))
			fail(u, name, strerror(errno));
	}
	if (n < 0)
		fail(u, name, archive_error_string(a));
	if (fsync(fd) != 0 && u->why == NULL)
		fail(u, name, strerror(errno));
	close(fd);
	return u->why == NULL;
}

static bool
read_entries(struct unpacking *u, struct archive *a, const struct json *take)
{
	struct archive_entry *e;
	size_t found = 0;
	int end;

	while ((end = archive_read_next_header(a, &e)) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname_utf8(e), *to;

		if (name == NULL || archive_entry_filetype(e) != AE_IFREG ||
		    (to = target_of(u->mem, take, name)) == NULL)
			continue;
		found++;
		if (!write_entry(u, a, to))
			return false;
	}
	if (end != ARCHIVE_EOF)
		return fail(u, "it is not an archive that can be read",
		    archive_error_string(a));
	return found >= take->n / 2 || fail(u, "the archive is of another version",
					   "it lacks a file that the catalogue names");
}

static bool
read_archive(struct unpacking *u, const char *file, const struct json *take)
{
	struct archive *a = archive_read_new();
	bool good = false;

	if (a == NULL)
		return fail(u, file, "out of memory");
	archive_read_support_filter_all(a);
	archive_read_support_format_tar(a);
	archive_read_support_format_zip(a);
	if (archive_read_open_filename(a, file, BLOCK) != ARCHIVE_OK)
		fail(u, "it is not an archive that can be read",
		    archive_error_string(a));
	else
		good = read_entries(u, a, take);
	archive_read_free(a);
	return good;
}

/* A file that gzip has compressed. */
static bool
read_compressed(struct unpacking *u, const char *file, const char *name)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	bool good = false;

	if (a == NULL)
		return fail(u, file, "out of memory");
	archive_read_support_filter_gzip(a);
	archive_read_support_format_raw(a);
	if (archive_read_open_filename(a, file, BLOCK) != ARCHIVE_OK ||
	    archive_read_next_header(a, &e) != ARCHIVE_OK)
		fail(u, "it cannot be unpacked", archive_error_string(a));
	else if (archive_filter_code(a, 0) != ARCHIVE_FILTER_GZIP)
		fail(u, name, "it is not a file of gzip");
	else
		good = write_entry(u, a, name);
	archive_read_free(a);
	return good;
}

static bool
put_file(struct unpacking *u, const char *file, const char *name)
{
	char *to = arena_printf(u->mem, "%s/%s", u->folder, name);

	return make_folders(u, to) &&
	       (rename(file, to) == 0 || fail(u, to, strerror(errno)));
}

bool
unpack(struct arena *mem, const char *file, const struct model_part *part,
    const char *folder, int64_t most_bytes, const char **why)
{
	struct unpacking u = { .mem = mem, .folder = folder, .left = most_bytes };
	const char *what = part->take->kids->u.s;
	const char *name = part->take->kids->next->u.s;
	bool good;

	if (*what == '\0')
		good = put_file(&u, file, name);
	else if (strcmp(what, ".gz") == 0)
		good = read_compressed(&u, file, name);
	else
		good = read_archive(&u, file, part->take);
	*why = u.why;
	return good;
}
