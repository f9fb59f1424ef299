#include "web/range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Digits as a number, the largest if they are too many; -1: none. */
static int64_t
number(const char **s)
{
	size_t n = strspn(*s, "0123456789");
	int64_t v = n > 18 ? INT64_MAX : strtoll(*s, NULL, 10);

	*s += n;
	return n > 0 ? v : -1;
}

bool
range_read(const char *s, int64_t bytes, int64_t *first, int64_t *last)
{
	int64_t from, to;

	*first = 0;
	*last = bytes - 1;
	if (s == NULL || strncasecmp(s, "bytes=", 6) != 0 || strchr(s, ',') != NULL)
		return true;
	s += 6;
	from = number(&s);
	if (*s++ != '-')
		return false;
	to = number(&s);
	if (*s != '\0')
		return false;
	if (from < 0) { /* the last so many */
		*first = to < bytes ? bytes - to : 0;
		return to > 0 && bytes > 0;
	}
	*first = from;
	if (to >= 0 && to < bytes)
		*last = to;
	return from < bytes && (to < 0 || from <= to);
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

	if (!range_read(wanted(rq, etag), bytes, &first, &last)) {
		close(fd);
		return refuse(rq, bytes);
	}
	header(rq, "Accept-Ranges", "bytes");
	header(rq, "ETag", "%s", etag);
	if (wanted(rq, etag) == NULL || last - first + 1 == bytes)
		return reply_file(rq, 200, fd, 0, bytes);
	header(rq, "Content-Range", "bytes %" PRId64 "-%" PRId64 "/%" PRId64, first,
	    last, bytes);
	return reply_file(rq, 206, fd, first, last - first + 1);
}
