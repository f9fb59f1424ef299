/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/libarchive.h"
#include "base/log.h"

#define PIECE 65536 /* bytes of a file copied at a time */

/* ---- writing ---- */

struct zip_writer {
	struct archive *to;
	enum err failed;
};

/* Record the first failure. */
static void
fail(struct zip_writer *w, int error, const char *why)
{
	bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;

	if (w->failed != OK)
		return;
	log_error("zip: %s", why != NULL ? why : strerror(error));
	w->failed = full ? ERR_FULL : ERR_FAILED;
}

static void
check(struct zip_writer *w, bool done)
{
	if (!done)
		fail(w, archive_errno(w->to), archive_error_string(w->to));
}

struct zip_writer *
zip_writer_new(struct arena *mem, int fd)
{
	struct zip_writer *w = arena_alloc(mem, sizeof(*w));

	if ((w->to = archive_write_new()) == NULL)
		abort();
	check(w, archive_write_set_format_zip(w->to) == ARCHIVE_OK &&
		     archive_write_set_bytes_in_last_block(w->to, 1) == ARCHIVE_OK &&
		     archive_write_open_fd(w->to, fd) == ARCHIVE_OK);
	return w;
}

static void
begin_entry(struct zip_writer *w, const char *name, int64_t n)
{
	struct archive_entry *e = archive_entry_new();

	if (e == NULL)
		abort();
	archive_entry_set_pathname(e, name);
	archive_entry_set_size(e, n);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0644);
	check(w, archive_write_header(w->to, e) == ARCHIVE_OK);
	archive_entry_free(e);
}

static void
put(struct zip_writer *w, const void *p, size_t n)
{
	if (w->failed == OK)
		check(w, archive_write_data(w->to, p, n) == (la_ssize_t)n);
}

void
zip_add(struct zip_writer *w, const char *name, const void *p, size_t n)
{
	begin_entry(w, name, (int64_t)n);
	put(w, p, n);
}

void
zip_add_file(struct zip_writer *w, const char *name, int fd, int64_t n)
{
	char piece[PIECE];
	ssize_t got = 1;

	begin_entry(w, name, n);
	for (int64_t at = 0; at < n && got > 0 && w->failed == OK; at += got) {
		size_t most = n - at < PIECE ? (size_t)(n - at) : PIECE;

		if ((got = pread(fd, piece, most, at)) > 0)
			put(w, piece, (size_t)got);
		else
			fail(w, got < 0 ? errno : EIO, NULL);
	}
}

enum err
zip_writer_end(struct zip_writer *w)
{
	check(w, archive_write_close(w->to) == ARCHIVE_OK);
	archive_write_free(w->to);
	return w->failed;
}

/* ---- reading ---- */

struct zip_reader {
	const char *p;
	size_t n;
	size_t left; /* bytes that may still be unpacked */
};

static struct archive *
open_archive(const struct zip_reader *z)
{
	struct archive *a = archive_read_new();

	if (a == NULL)
		abort();
	if (archive_read_support_format_zip_seekable(a) == ARCHIVE_OK &&
	    archive_read_open_memory(a, z->p, z->n) == ARCHIVE_OK)
		return a;
	archive_read_free(a);
	return NULL;
}

/* Add up the sizes that the entries state. */
static enum err
check_entries(struct archive *a, size_t most)
{
	struct archive_entry *e;
	int end, entries = 0;
	int64_t size;

	while ((end = archive_read_next_header(a, &e)) == ARCHIVE_OK) {
		size = archive_entry_size(e);
		if (archive_entry_is_encrypted(e) || size < 0 ||
		    ++entries > ZIP_ENTRIES)
			return ERR_REFUSED;
		if ((uint64_t)size > most)
			return ERR_LIMIT;
		most -= (size_t)size;
	}
	return end == ARCHIVE_EOF ? OK : ERR_REFUSED;
}

enum err
zip_reader_new(
    struct arena *mem, const char *p, size_t n, size_t most, struct zip_reader **to)
{
	struct zip_reader *z = *to = arena_alloc(mem, sizeof(*z));
	struct archive *a;
	enum err e;

	*z = (struct zip_reader){ p, n, most };
	if ((a = open_archive(z)) == NULL)
		return ERR_REFUSED;
	e = check_entries(a, most);
	archive_read_free(a);
	return e;
}

/* The entry of this name, or NULL. */
static struct archive_entry *
find_entry(struct archive *a, const char *name)
{
	struct archive_entry *e;
	const char *found;

	while (archive_read_next_header(a, &e) == ARCHIVE_OK)
		if ((found = archive_entry_pathname_utf8(e)) != NULL &&
		    strcasecmp(found, name) == 0)
			return e;
	return NULL;
}

/* Other methods of compression can need gigabytes for one entry. */
static bool
is_simple(struct archive *a)
{
	const char *method = archive_format_name(a);

	return method != NULL && (strstr(method, "(deflation)") != NULL ||
				     strstr(method, "(uncompressed)") != NULL);
}

static enum err
read_entry(struct zip_reader *z, struct archive *a, size_t size, struct buf *to)
{
	la_ssize_t n;

	buf_room(to, size + PIECE);
	while ((n = archive_read_data(a, buf_room(to, PIECE), PIECE)) > 0) {
		if ((size_t)n > z->left)
			return ERR_LIMIT;
		z->left -= (size_t)n;
		to->len += (size_t)n;
	}
	return n < 0 ? ERR_REFUSED : OK;
}

enum err
zip_read(struct zip_reader *z, const char *name, struct buf *to)
{
	struct archive *a = open_archive(z);
	struct archive_entry *found;
	enum err e = ERR_NOT_FOUND;

	if (a == NULL)
		return ERR_REFUSED;
	if ((found = find_entry(a, name)) != NULL)
		e = !is_simple(a)
			? ERR_REFUSED
			: read_entry(z, a, (size_t)archive_entry_size(found), to);
	archive_read_free(a);
	return e;
}
