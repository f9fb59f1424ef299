/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Successful answers.  The body is built in memory and sent at the end, so a handler
 * may change its mind until it returns.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "web/web.h"

void
header(struct request *rq, const char *name, const char *fmt, ...)
{
	size_t start;
	va_list ap;

	buf_str(&rq->head, name);
	buf_str(&rq->head, ": ");
	start = rq->head.len;
	va_start(ap, fmt);
	buf_vprintf(&rq->head, fmt, ap);
	va_end(ap);
	buf_text(&rq->head);
	rq->head.len =
	    start + strcspn(rq->head.p + start, "\r\n"); /* no header injection */
	buf_str(&rq->head, "\r\n");
}

struct reply
reply_empty(struct request *rq, int status)
{
	rq->status = status;
	return (struct reply){ status };
}

struct json_writer
reply_open(struct request *rq)
{
	struct json_writer j = { .out = &rq->out };

	jw_open(&j, NULL);
	jw_bool(&j, "ok", true);
	return j;
}

struct reply
reply_close(struct request *rq, struct json_writer *j, int status)
{
	jw_close(j);
	buf_str(&rq->head, "Content-Type: application/json\r\n");
	return reply_empty(rq, status);
}

struct reply
reply_null(struct request *rq, int status)
{
	struct json_writer j = reply_open(rq);

	jw_null(&j, "data");
	return reply_close(rq, &j, status);
}

/* Returns the length of the entity tag at s, W/"..." or "..."; of other text up to a
   comma. */
static size_t
tag_bytes(const char *s)
{
	size_t n = strncmp(s, "W/", 2) == 0 ? 2 : 0;

	if (s[n] != '"')
		return strcspn(s, ",");
	n += 1 + strcspn(s + n + 1, "\"");
	return n + (s[n] == '"');
}

/* True if the n bytes at s are the tag, possibly changed by a compressing proxy: nginx
   marks it as weak, filters of Apache and others append the coding. */
static bool
same_tag(const char *s, size_t n, const char *tag)
{
	static const char *const codings[] = { "", "-gzip", "-br", "-zstd", ";gzip" };
	size_t weak = n > 2 && strncmp(s, "W/", 2) == 0 ? 2 : 0, own, more;

	s += weak;
	n -= weak;
	tag += strncmp(tag, "W/", 2) == 0 ? 2 : 0;
	own = strlen(tag) - 1;
	for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
		more = strlen(codings[i]);
		if (n == own + more + 1 && s[n - 1] == '"' &&
		    strncmp(s, tag, own) == 0 &&
		    strncmp(s + own, codings[i], more) == 0)
			return true;
	}
	return false;
}

bool
etag_listed(const char *list, const char *tag)
{
	size_t n;

	if (strcmp(list, "*") == 0)
		return true;
	for (const char *s = list; *s != '\0'; s += n) {
		s += strspn(s, " \t,");
		n = tag_bytes(s);
		if (same_tag(s, n, tag))
			return true;
	}
	return false;
}

bool
etag_known(const struct request *rq, const char *tag)
{
	const char *has = rq->param(rq, "HTTP_IF_NONE_MATCH");
	bool reading = !strcmp(rq->method, "GET") || !strcmp(rq->method, "HEAD");

	return reading && has != NULL && etag_listed(has, tag);
}

struct reply
reply_one(struct request *rq, int status, const struct field *f, const void *thing,
    int64_t version)
{
	struct buf tag = { .mem = rq->mem };
	struct json_writer j;

	if (version > 0) {
		buf_str(&tag, "\"v");
		buf_int(&tag, version);
		buf_str(&tag, "\"");
		header(rq, "ETag", "%s", buf_text(&tag));
		if (etag_known(rq, tag.p))
			return reply_empty(rq, 304);
	}
	j = reply_open(rq);
	field_write(&j, "data", f, thing);
	return reply_close(rq, &j, status);
}

struct reply
reply_text(struct request *rq, int status, const char *type, const char *body)
{
	header(rq, "Content-Type", "%s", type);
	buf_str(&rq->out, body);
	return reply_empty(rq, status);
}

static void
close_file(void *fd)
{
	close((int)(intptr_t)fd);
}

struct reply
reply_file(struct request *rq, int status, int fd, off_t at, off_t bytes)
{
	arena_defer(rq->mem, close_file, (void *)(intptr_t)fd);
	rq->file = fd;
	rq->file_at = at;
	rq->file_bytes = bytes;
	return reply_empty(rq, status);
}

/* ---- on the wire ---- */

void
reply_begin_head(struct buf *to, const struct request *rq, const char *connection)
{
	char date[TIME_TEXT];

	buf_room(to, 1024);
	buf_str(to, connection != NULL ? "HTTP/1.1 " : "Status: ");
	buf_int(to, rq->status);
	if (connection != NULL) {
		buf_str(to, " \r\nDate: ");
		buf_str(to, time_http(now_us(), date));
		buf_str(to, "\r\nConnection: ");
		buf_str(to, connection);
	}
	buf_str(to, "\r\n");
	buf_put(to, rq->common.p, rq->common.len);
	buf_put(to, rq->head.p, rq->head.len);
}

bool
reply_end_head(struct buf *to, const struct request *rq)
{
	bool bare = rq->status == 204 || rq->status == 304;

	if (!bare) {
		buf_str(to, "Content-Length: ");
		buf_int(to, rq->file >= 0 ? rq->file_bytes : (int64_t)rq->out.len);
		buf_str(to, "\r\n");
	}
	buf_str(to, "\r\n");
	return !bare && strcmp(rq->method, "HEAD") != 0;
}
