#ifndef TESTS_LIVEKIT_HTTP_H
#define TESTS_LIVEKIT_HTTP_H

/*
 * What livekit-server reads and writes: requests of HTTP/1.1, and the errors of
 * Twirp.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/json.h"

#define REQUEST_BYTES (1 << 20)

struct request {
	struct arena *mem;
	int fd;
	const char *method, *path;
	const char *fault; /* what stood in front of the path; "" */
	const char *head;  /* request line and headers */
	const char *body;
	size_t body_len;
	bool mute;              /* do it, but do not answer */
	const struct json *in;  /* the body */
	const struct json *may; /* grants; NULL: no token came */
};

/* ---- answers; false ends the connection ---- */

static inline bool
send_all(int fd, const void *p, size_t n)
{
	const char *s = p;

	for (ssize_t some; n > 0; s += some, n -= (size_t)some)
		if ((some = send(fd, s, n, MSG_NOSIGNAL)) <= 0)
			return false;
	return true;
}

static inline bool
reply(struct request *rq, int status, const char *type, const char *text)
{
	const char *whole = arena_printf(rq->mem,
	    "HTTP/1.1 %d Whatever\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s",
	    status, type, strlen(text), text);

	return !rq->mute && send_all(rq->fd, whole, strlen(whole));
}

/* clang-format off */
static const struct {
	const char *code;
	int status;
} codes[] = { /* the rest is 500 */
	{ "canceled", 408 },          { "invalid_argument", 400 }, { "malformed", 400 },
	{ "deadline_exceeded", 408 }, { "not_found", 404 },        { "bad_route", 404 },
	{ "already_exists", 409 },    { "permission_denied", 403 },
	{ "unauthenticated", 401 },   { "resource_exhausted", 429 },
	{ "failed_precondition", 412 }, { "aborted", 409 },        { "unimplemented", 501 },
	{ "unavailable", 503 },
};
/* clang-format on */

/* Twirp Wire Protocol v7, "Error Codes". */
static inline bool
refuse(struct request *rq, const char *code, const char *msg)
{
	struct buf b = { .mem = rq->mem };
	struct jw j = { .out = &b };
	int status = 500;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(codes[i].code, code) == 0)
			status = codes[i].status;
	jw_open(&j, NULL);
	jw_text(&j, "code", code);
	jw_text(&j, "msg", msg);
	jw_close(&j);
	return reply(rq, status, "application/json", buf_text(&b));
}

/* ---- requests ---- */

static inline const char *
header(struct request *rq, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = rq->head; (p = strstr(p, "\r\n")) != NULL;) {
		p += 2;
		if (strncasecmp(p, name, n) == 0 && p[n] == ':') {
			p += n + 1 + strspn(p + n + 1, " ");
			return arena_dup(rq->mem, p, strcspn(p, "\r"));
		}
	}
	return NULL;
}

/* "/FAULT" in front of the path; one of another method is dropped. */
static void
take_fault(struct request *rq)
{
	const char *rest = strchr(rq->path + 1, '/'), *method = strrchr(rq->path, '/');
	char *fault, *only;

	rq->fault = "";
	if (rest == NULL || strncmp(rq->path, "/twirp/", 7) == 0)
		return;
	fault = arena_dup(rq->mem, rq->path + 1, (size_t)(rest - rq->path) - 1);
	if ((only = strchr(fault, '-')) != NULL)
		*only++ = '\0';
	if (only == NULL || strcmp(only, method + 1) == 0)
		rq->fault = fault;
	rq->path = rest;
}

static inline bool
read_request(struct request *rq)
{
	struct buf in = { .mem = rq->mem };
	size_t head = 0, need = 1;
	const char *end, *length;
	char *save;

	while (in.len < need) {
		ssize_t n = recv(rq->fd, buf_room(&in, 65536), 65536, 0);

		if (n <= 0 || (in.len += (size_t)n) > REQUEST_BYTES)
			return false;
		need = in.len + 1;
		if ((end = memmem(in.p, in.len, "\r\n\r\n", 4)) == NULL)
			continue;
		head = (size_t)(end - in.p) + 4;
		rq->head = arena_dup(rq->mem, in.p, head - 2);
		length = header(rq, "Content-Length");
		rq->body_len = length != NULL ? strtoul(length, NULL, 10) : 0;
		need = head + rq->body_len;
	}
	rq->body = in.p + head;
	rq->method = strtok_r(arena_str(rq->mem, rq->head), " ", &save);
	if ((rq->path = strtok_r(NULL, " ", &save)) == NULL || *rq->path != '/')
		return false;
	take_fault(rq);
	return true;
}

#endif
