/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
