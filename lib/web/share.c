/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/share.h"

#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define BLANK " \t"

/* True if the parameters of a coding refuse it: q is 0. */
static bool
is_refused(const char *s, size_t n)
{
	const char *end = s + n;

	for (; s < end && *s != ';'; s++)
		;
	while (s < end && strchr("; \t", *s) != NULL)
		s++;
	if (end - s < 3 || strncasecmp(s, "q=0", 3) != 0)
		return false;
	for (s += 3; s < end && strchr(".0" BLANK, *s) != NULL; s++)
		;
	return s == end;
}

/* RFC 9110 §12.5.3: "*" stands for codings that the list does not name. */
bool
share_accepts_gzip(const char *s)
{
	bool any = false;

	while (s != NULL && *s != '\0') {
		size_t n, name;

		s += strspn(s, "," BLANK);
		n = strcspn(s, ",");
		name = strcspn(s, ";," BLANK);
		if (name == 4 && strncasecmp(s, "gzip", 4) == 0)
			return !is_refused(s, n);
		if (name == 1 && *s == '*')
			any = !is_refused(s, n);
		s += n;
	}
	return any;
}

static int64_t
written_us(const struct stat *st)
{
	return st->st_mtim.tv_sec * S_US + st->st_mtim.tv_nsec / 1000;
}

static const char *
path_of(struct request *rq, const char *name)
{
	return arena_printf(rq->mem, "%s/%s", rq->conf->share_dir, name);
}

bool
share_has(struct request *rq, const char *name)
{
	return access(path_of(rq, name), R_OK) == 0;
}

/* A variant older than the file was made from an earlier version. */
const char *
share_variant(struct request *rq, const char *name)
{
	const char *variant = arena_printf(rq->mem, "%s.gz", name);
	struct stat of, plain;

	if (share_accepts_gzip(rq->param(rq, "HTTP_ACCEPT_ENCODING")) &&
	    stat(path_of(rq, variant), &of) == 0 &&
	    stat(path_of(rq, name), &plain) == 0 &&
	    written_us(&of) >= written_us(&plain))
		return variant;
	return name;
}

/* Returns the descriptor, or -1. */
static int
open_file(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st) == 0)
		return fd;
	close(fd);
	return -1;
}

struct reply
share_reply(struct request *rq, const char *name, const char *type)
{
	const char *variant = share_variant(rq, name), *etag;
	struct stat st;
	int fd = open_file(path_of(rq, variant), &st);

	if (fd < 0) {
		log_error("cannot read %s", path_of(rq, variant));
		return problem_err(rq, ERR_FAILED);
	}
	/* Files are replaced as a whole and never changed, so size and time identify
	   the content. */
	etag = arena_printf(rq->mem, "\"%llx-%llx%s\"", (unsigned long long)st.st_size,
	    (unsigned long long)written_us(&st), variant != name ? "-gz" : "");
	rq->cache = "public, max-age=300";
	header(rq, "ETag", "%s", etag);
	header(rq, "Vary", "Accept-Encoding");
	if (etag_known(rq, etag)) {
		close(fd);
		return reply_empty(rq, 304);
	}
	header(rq, "Content-Type", "%s", type);
	if (variant != name)
		header(rq, "Content-Encoding", "gzip");
	return reply_file(rq, 200, fd, 0, st.st_size);
}
