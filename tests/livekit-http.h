#ifndef TESTS_LIVEKIT_HTTP_H
#define TESTS_LIVEKIT_HTTP_H

/*
 * What livekit-server reads and writes: requests of HTTP/1.1, and the errors of
 * Twirp.
 */
#include "base/json.h"
#include "http-server.h"

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
	struct json_writer j = { .out = &b };
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
	return header_of(rq->mem, rq->head, name);
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
	struct message m = { 0 };

	if (!receive(rq->fd, rq->mem, REQUEST_BYTES, &m))
		return false;
	rq->head = m.head;
	rq->method = m.method;
	rq->path = m.target;
	rq->body = m.body;
	rq->body_len = m.body_len;
	take_fault(rq);
	return true;
}

#endif
