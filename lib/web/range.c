/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Parse digits; INT64_MAX if the number is too large, -1 if there are none. */
static int64_t
number(const char **s)
{
	size_t n = strspn(*s, "0123456789");
	int64_t v = n > 18 ? INT64_MAX : strtoll(*s, NULL, 10);

	*s += n;
	return n > 0 ? v : -1;
}

enum range
range_read(const char *s, int64_t bytes, int64_t *first, int64_t *last)
{
	int64_t from, to;

	*first = 0;
	*last = bytes - 1;
	if (s == NULL || strncasecmp(s, "bytes=", 6) != 0 || strchr(s, ',') != NULL)
		return RANGE_NONE;
	s += 6;
	from = number(&s);
	if (*s++ != '-')
		return RANGE_BAD;
	to = number(&s);
	if (*s != '\0')
		return RANGE_BAD;
	if (from < 0) { /* "-N": the last `to` bytes */
		*first = to < bytes ? bytes - to : 0;
		return to > 0 && bytes > 0 ? RANGE_ONE : RANGE_BAD;
	}
	*first = from;
	if (to >= 0 && to < bytes)
		*last = to;
	return from < bytes && (to < 0 || from <= to) ? RANGE_ONE : RANGE_BAD;
}

static const char *
wanted(const struct request *rq, const char *etag)
{
	const char *only_if = rq->param(rq, "HTTP_IF_RANGE");

	if (strcmp(rq->method, "GET") != 0 ||
	    (only_if != NULL && strcmp(only_if, etag) != 0))
		return NULL;
	return rq->param(rq, "HTTP_RANGE");
}

static struct reply
refuse(struct request *rq, int64_t bytes)
{
	struct reply no = problem_at(
	    rq, P_RANGE, NULL, "Range", "The file has %" PRId64 " bytes.", bytes);

	header(rq, "Content-Range", "bytes */%" PRId64, bytes);
	return no;
}

struct reply
range_reply(struct request *rq, int fd, int64_t bytes, const char *etag)
{
	int64_t first, last;
	enum range range = range_read(wanted(rq, etag), bytes, &first, &last);

	if (range == RANGE_BAD)
		return refuse(rq, bytes);
	rq->file = fd;
	rq->file_at = first;
	rq->file_bytes = last - first + 1;
	header(rq, "Accept-Ranges", "bytes");
	header(rq, "ETag", "%s", etag);
	if (range == RANGE_NONE)
		return reply_empty(rq, 200);
	header(rq, "Content-Range", "bytes %" PRId64 "-%" PRId64 "/%" PRId64, first,
	    last, bytes);
	return reply_empty(rq, 206);
}
