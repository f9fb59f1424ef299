/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/hls_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hls_file.h"
#include "web/range.h"

static void
close_file(void *fd)
{
	close(*(int *)fd);
}

/* Files that change are replaced, so size and time identify the content. */
static const char *
etag_of(struct request *rq, const struct stat *st)
{
	return arena_printf(rq->mem, "\"%llx-%llx%09lx\"",
	    (unsigned long long)st->st_size, (unsigned long long)st->st_mtim.tv_sec,
	    st->st_mtim.tv_nsec);
}

static struct reply
get_file(struct request *rq)
{
	const struct hls_file *k = hls_file_at(rq->args[0], rq->args[1]);
	int *fd = arena_alloc(rq->mem, sizeof(*fd));
	const char *etag;
	char date[TIME_TEXT];
	struct stat st;

	*fd = k == NULL ? -1
			: open(arena_printf(rq->mem, "%s/%s/%s", rq->conf->hls_dir,
				   rq->args[0], rq->args[1]),
			      O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return problem(rq, P_NOT_FOUND, "No such resource.");
	arena_defer(rq->mem, close_file, fd);
	if (fstat(*fd, &st) != 0)
		return problem_err(rq, ERR_FAILED);
	rq->cache = k->cache;
	etag = etag_of(rq, &st);
	header(rq, "Last-Modified", "%s", time_http(st.st_mtim.tv_sec * S_US, date));
	if (etag_known(rq, etag)) {
		header(rq, "ETag", "%s", etag);
		return reply_empty(rq, 304);
	}
	header(rq, "Content-Type", "%s", k->type);
	return range_reply(rq, *fd, st.st_size, etag);
}

static const struct route routes[] = {
	{ "GET", "/hls/{stream}/{name}", get_file, NULL, UNLIMITED | NO_DB },
	ROUTES_END,
};
static const struct sql *const prepared[] = { NULL };

const struct program hls_files_program = { "hls", routes, prepared };

/* True for a name that ends as "p12.m4s". */
static bool
is_part(const char *name, size_t n)
{
	size_t end = n >= 4 && memcmp(name + n - 4, ".m4s", 4) == 0 ? n - 4 : 0;
	size_t at = end;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < end && at > 0 && name[at - 1] == 'p';
}

bool
hls_files_must_wait(const char *target)
{
	size_t n = strcspn(target, "?");
	const char *q = target + n;

	if (is_part(target, n))
		return true;
	if (n < 5 || memcmp(q - 5, ".m3u8", 5) != 0)
		return false;
	for (; *q != '\0'; q += strcspn(q, "&"))
		if (strncmp(++q, "_HLS_", 5) == 0)
			return true;
	return false;
}
