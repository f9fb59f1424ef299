/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives files, for all stores: writes a temporary file, hashes and syncs it, and
 * gives it to the store.
 */
#include "blob/blob.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/log.h"

struct blob_in {
	const struct conf *conf;
	struct arena *mem;
	const char *path; /* path of the temporary file */
	int fd;           /* -1: ended or aborted */
	int64_t bytes;
	int64_t sent; /* bytes of the file for which writing to the disk has begun */
	struct sha256 *hash;
};

#define SEND_BYTES (1024 * 1024)
#define PIECE_BYTES 65536

static const struct blob_store *
store_of(const struct conf *c)
{
	static const struct blob_store *const stores[] = { &blob_disk, &blob_s3 };

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++)
		if (strcmp(stores[i]->name, c->blob_store) == 0)
			return stores[i];
	log_error("blob.store: there is no store \"%s\"", c->blob_store);
	return NULL;
}

const char *
blob_name(struct arena *mem, const char *blob_id)
{
	unsigned char any[4];

	random_bytes(any, sizeof(any));
	return arena_printf(mem, "%s-%s", blob_id, hex(mem, any, sizeof(any)));
}

static bool
has_room(const struct conf *c, const struct statvfs *at, int64_t more)
{
	uint64_t need = (uint64_t)c->blob_reserve_bytes + (uint64_t)more;

	return (uint64_t)at->f_bavail * at->f_frsize >= need;
}

/* OK if the disk keeps its reserve with so many more bytes. */
static enum err
leaves_reserve(const struct conf *c, const struct statvfs *at, int64_t more)
{
	if (has_room(c, at, more))
		return OK;
	log_error("blob: the disk is at its reserve");
	return ERR_FULL;
}

static enum err
check_reserve(const struct conf *c, int fd, int64_t more)
{
	struct statvfs at;

	if (fstatvfs(fd, &at) != 0)
		return blob_failed("see how full the disk is", errno);
	return leaves_reserve(c, &at, more);
}

enum err
blob_room(const struct conf *c, int64_t bytes)
{
	struct statvfs at;

	if (strcmp(c->blob_store, blob_disk.name) != 0)
		return OK;
	if (statvfs(c->blob_dir, &at) != 0)
		return errno == ENOENT ? OK
				       : blob_failed("see how full the disk is", errno);
	return leaves_reserve(c, &at, bytes);
}

bool
blob_disk_full(const struct conf *c)
{
	struct statvfs at;

	return statvfs(c->blob_dir, &at) == 0 && !has_room(c, &at, 0);
}

static void
abort_in(void *in)
{
	blob_abort(in);
}

enum err
blob_begin(const struct conf *c, struct arena *mem, int64_t expected_bytes,
    struct blob_in **to)
{
	struct blob_in *in = arena_alloc(mem, sizeof(*in));
	enum err e = OK;

	*in = (struct blob_in){ .conf = c, .mem = mem, .hash = sha256_new(mem) };
	if ((in->fd = blob_temporary(c, mem, &in->path, &e)) < 0)
		return e;
	arena_defer(mem, abort_in, in);
	if ((e = check_reserve(c, in->fd, expected_bytes)) != OK)
		blob_abort(in);
	*to = in;
	return e;
}

/*
 * Start writing to the disk while more bytes arrive, so that the final sync is short.
 */
static void
send_ahead(struct blob_in *in)
{
	if (in->bytes - in->sent < SEND_BYTES)
		return;
	sync_file_range(in->fd, in->sent, in->bytes - in->sent, SYNC_FILE_RANGE_WRITE);
	in->sent = in->bytes;
}

enum err
blob_put(struct blob_in *in, const void *p, size_t n)
{
	enum err e;

	assert(in->fd >= 0);
	e = check_reserve(in->conf, in->fd, (int64_t)n);
	if (e == OK && !file_write(in->fd, p, n))
		e = blob_failed("write", errno);
	if (e != OK) {
		blob_abort(in);
		return e;
	}
	sha256_put(in->hash, p, n);
	in->bytes += (int64_t)n;
	send_ahead(in);
	return OK;
}

/* Sync all written bytes. */
static enum err
settle(struct blob_in *in)
{
	bool synced = fsync(in->fd) == 0;
	int errnum = errno;

	if (close(in->fd) != 0 && synced) {
		synced = false;
		errnum = errno;
	}
	in->fd = -1;
	return synced ? OK : blob_failed("sync", errnum);
}

enum err
blob_end(struct blob_in *in, const char *name, struct blob_facts *to)
{
	const struct blob_store *s = store_of(in->conf);
	enum err e;

	assert(in->fd >= 0);
	*to = (struct blob_facts){ .bytes = in->bytes,
		.sha256 = sha256_hex(in->mem, in->hash) };
	if ((e = settle(in)) == OK)
		e = s == NULL ? ERR_UNSUPPORTED
			      : s->store(in->conf, in->mem, in->path, name);
	return e;
}

void
blob_abort(struct blob_in *in)
{
	if (in->fd < 0)
		return;
	close(in->fd);
	in->fd = -1;
	unlink(in->path);
}

/* ---- files that are there already ---- */

static enum err
copy_file(const struct conf *c, struct arena *mem, int fd, const char *name,
    struct blob_facts *to)
{
	char *piece = arena_alloc(mem, PIECE_BYTES);
	struct blob_in *in;
	ssize_t n = 0;
	enum err e = blob_begin(c, mem, to->bytes, &in);

	while (e == OK && (n = read(fd, piece, PIECE_BYTES)) > 0)
		e = blob_put(in, piece, (size_t)n);
	if (e != OK)
		return e;
	if (n == 0)
		return blob_end(in, name, to);
	e = blob_failed("read a file", errno);
	blob_abort(in);
	return e;
}

/*
 * The sweep removes old files without a row, so give the file a new time, as a copy
 * has.
 */
static enum err
store_linked(
    const struct conf *c, struct arena *mem, const char *path, const char *name)
{
	const struct blob_store *s = store_of(c);

	if (s == NULL)
		return ERR_UNSUPPORTED;
	if (utimensat(AT_FDCWD, path, NULL, 0) != 0)
		return blob_failed("set the time of a file", errno);
	return s->store(c, mem, path, name);
}

enum err
blob_adopt(const struct conf *c, struct arena *mem, int folder, const char *file,
    const char *name, struct blob_facts *to)
{
	int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	const char *path;
	struct stat st;
	enum err e;

	if (fd < 0 || fstat(fd, &st) != 0 || fsync(fd) != 0)
		e = blob_failed("read a file", errno);
	else {
		*to = (struct blob_facts){ .bytes = st.st_size };
		e = blob_temporary_link(c, mem, folder, file, &path)
			? store_linked(c, mem, path, name)
			: copy_file(c, mem, fd, name, to);
	}
	if (fd >= 0)
		close(fd);
	return e;
}

/* ---- reading ---- */

static void
close_file(void *fd)
{
	close((int)(intptr_t)fd);
}

enum err
blob_open(
    const struct conf *c, struct arena *mem, const char *name, struct blob_file *to)
{
	const struct blob_store *s = store_of(c);
	enum err e = s == NULL ? ERR_UNSUPPORTED : s->open(c, mem, name, to);

	if (e == OK)
		arena_defer(mem, close_file, (void *)(intptr_t)to->fd);
	return e;
}

enum err
blob_stat(
    const struct conf *c, struct arena *mem, const char *name, struct blob_facts *to)
{
	const struct blob_store *s = store_of(c);

	return s == NULL ? ERR_UNSUPPORTED : s->stat(c, mem, name, to);
}

enum err
blob_remove(const struct conf *c, struct arena *mem, const char *name)
{
	const struct blob_store *s = store_of(c);

	return s == NULL ? ERR_UNSUPPORTED : s->remove(c, mem, name);
}

const char *
blob_link(const struct conf *c, struct arena *mem, const char *name,
    const char *mime_type, int64_t now, int64_t seconds)
{
	const struct blob_store *s = store_of(c);

	if (s == NULL || s->link == NULL)
		return NULL;
	return s->link(c, mem, name, mime_type, now, seconds);
}

static int64_t
sweep_temporary(const struct conf *c, struct arena *mem, int64_t before_us)
{
	DIR *d = opendir(arena_printf(mem, "%s/tmp", c->blob_dir));
	const struct dirent *f;
	int64_t n = 0;
	struct stat st;

	while (d != NULL && (f = readdir(d)) != NULL)
		if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime * S_US < before_us)
			n += unlinkat(dirfd(d), f->d_name, 0) == 0;
	if (d != NULL)
		closedir(d);
	return n;
}

enum err
blob_sweep(const struct conf *c, struct arena *mem, int64_t before_us,
    bool (*is_stray)(void *arg, const char *name), void *arg, int64_t *removed)
{
	const struct blob_store *s = store_of(c);

	*removed = sweep_temporary(c, mem, before_us);
	if (s == NULL)
		return ERR_UNSUPPORTED;
	if (s->sweep == NULL)
		return OK;
	return s->sweep(c, mem, before_us, is_stray, arg, removed);
}

/*
 * ---- which store it is ----
 *
 * Hosts that share a folder find the same file store.id in it, whatever its path or
 * mount point is called; a host whose folder is not mounted does not.
 */

#define ID_LENGTH 36

/* Read the store's id; "": the file is missing or incomplete. */
static enum err
read_id(struct arena *mem, const char *path, const char **id)
{
	char text[ID_LENGTH + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	*id = "";
	if (fd < 0)
		return errno == ENOENT ? OK : blob_failed("open store.id", errno);
	n = read(fd, text, ID_LENGTH);
	close(fd);
	if (n == ID_LENGTH && id_check(text) == NULL)
		*id = arena_str(mem, text);
	return OK;
}

/*
 * Create the id file. It gets its name only when complete. If another process was
 * faster, its file stays.
 */
static enum err
make_id(const struct conf *c, struct arena *mem, const char *path)
{
	const char *id = id_new(mem), *new;
	enum err e = OK;
	int fd = blob_temporary(c, mem, &new, &e);

	if (fd < 0)
		return e;
	if (write(fd, id, ID_LENGTH) != ID_LENGTH || fsync(fd) != 0)
		e = blob_failed("write store.id", errno);
	close(fd);
	if (e == OK && link(new, path) != 0 && errno != EEXIST)
		e = blob_failed("make store.id", errno);
	return e == OK ? blob_sync_folder(c->blob_dir) : e;
}

enum err
blob_identity(const struct conf *c, struct arena *mem, bool make, const char **id)
{
	const char *path = arena_printf(mem, "%s/store.id", c->blob_dir);
	enum err e;

	if (strcmp(c->blob_store, blob_disk.name) != 0) {
		*id = blob_bucket_url(c, mem);
		return OK;
	}
	if ((e = read_id(mem, path, id)) != OK || **id != '\0' || !make)
		return e;
	if ((e = make_id(c, mem, path)) != OK)
		return e;
	return read_id(mem, path, id);
}
