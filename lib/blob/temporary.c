/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary files, in which files arrive before a store takes them over. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "blob/blob.h"

#define NAME_CHARACTERS                                                                \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"

bool
blob_is_name(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && n < 128 && strspn(name, NAME_CHARACTERS) == n;
}

enum err
blob_failed(const char *doing, int errnum)
{
	bool full = errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG;

	log_error("blob: cannot %s: %s", doing, strerror(errnum));
	return full ? ERR_FULL : ERR_FAILED;
}

static void
remove_temporary(void *path)
{
	if (unlink(path) != 0 && errno != ENOENT)
		log_warn("blob: cannot remove a temporary file: %s", strerror(errno));
}

enum err
blob_sync_folder(const char *path)
{
	return file_sync_folder(path) ? OK : blob_failed("sync a folder", errno);
}

/* A folder that we cannot read is not synced. */
static bool
make_folders(struct arena *mem, const struct conf *c)
{
	const char *tmp = arena_printf(mem, "%s/tmp", c->blob_dir);
	const char *above = arena_printf(mem, "%s/..", c->blob_dir);

	if ((mkdir(c->blob_dir, 0700) != 0 && errno != EEXIST) ||
	    (mkdir(tmp, 0700) != 0 && errno != EEXIST))
		return false;
	return access(above, R_OK) != 0 || blob_sync_folder(above) == OK;
}

static char *
temporary_path(const struct conf *c, struct arena *mem)
{
	unsigned char any[16];

	random_bytes(any, sizeof(any));
	return arena_printf(mem, "%s/tmp/%s", c->blob_dir, hex(mem, any, sizeof(any)));
}

int
blob_temporary(const struct conf *c, struct arena *mem, const char **path, enum err *e)
{
	char *name = temporary_path(c, mem);
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == ENOENT && make_folders(mem, c))
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		*e = blob_failed("make a temporary file", errno);
		return -1;
	}
	arena_defer(mem, remove_temporary, name);
	*path = name;
	return fd;
}

bool
blob_temporary_link(const struct conf *c, struct arena *mem, int folder,
    const char *file, const char **path)
{
	char *name = temporary_path(c, mem);
	int failed = linkat(folder, file, AT_FDCWD, name, 0);

	if (failed != 0 && errno == ENOENT && make_folders(mem, c))
		failed = linkat(folder, file, AT_FDCWD, name, 0);
	if (failed == 0)
		arena_defer(mem, remove_temporary, name);
	*path = name;
	return failed == 0;
}
