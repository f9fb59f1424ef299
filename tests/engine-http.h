/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ENGINE_HTTP_H
#define TESTS_ENGINE_HTTP_H

/* Requests to engine-server.c, and its answers. */
#include "base/clock.h"
#include "base/json.h"
#include "http-server.h"

#define REQUEST_BYTES (16 << 20)

struct request {
	struct arena *mem;
	int fd;
	const char *method, *path, *query;
	const char *rest; /* rest of the path after the route */
	const char *head; /* request line and headers */
	const char *body;
	size_t body_len;
	int breaks;     /* a WebSocket: 1: break the first one, 2: break each */
	bool mute;      /* execute the request, but do not answer */
	int64_t due_us; /* time before which no answer is sent; monotonic_us() */
};

static void
wait_until(int64_t due_us)
{
	int64_t left_us = due_us - monotonic_us();

	if (left_us > 0)
		usleep((useconds_t)left_us);
}

/* False, here and below, ends the connection. */
static bool
reply(struct request *rq, int status, const char *type, const void *p, size_t n)
{
	const char *head = arena_printf(rq->mem,
	    "HTTP/1.1 %d Whatever\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
	    "ETag: \"abc\"\r\n%s\r\n",
	    status, type, n, status == 429 ? "Retry-After: 7\r\n" : "");

	wait_until(rq->due_us);
	if (rq->mute || !send_all(rq->fd, head, strlen(head)))
		return false;
	return strcmp(rq->method, "HEAD") == 0 || send_all(rq->fd, p, n);
}

static bool
reply_json(struct request *rq, int status, const char *json)
{
	return reply(rq, status, "application/json", json, strlen(json));
}

/* Sends an error in the form of both providers. */
static bool
reply_error(struct request *rq, int status, const char *why)
{
	return reply_json(rq, status,
	    arena_printf(rq->mem,
		"{\"error\":{\"message\":\"%s\"},\"detail\":{\"status\":\"%s\"}}", why,
		why));
}

static const char *
header(struct request *rq, const char *name)
{
	return header_of(rq->mem, rq->head, name);
}

/* A part of a multipart body; "" when it is absent. */
static const char *
part(struct request *rq, const char *name)
{
	const char *mark = arena_printf(rq->mem, "; name=\"%s\"", name);
	const char *end = rq->body + rq->body_len, *p, *q;

	if ((p = memmem(rq->body, rq->body_len, mark, strlen(mark))) == NULL ||
	    (p = memmem(p, (size_t)(end - p), "\r\n\r\n", 4)) == NULL ||
	    (q = memmem(p, (size_t)(end - p), "\r\n------", 8)) == NULL)
		return "";
	return arena_dup(rq->mem, p + 4, (size_t)(q - p) - 4);
}

static const char *
member(struct request *rq, const char *name)
{
	const char *why; /* not asked */

	return json_get_text(json_read(rq->mem, rq->body, rq->body_len, &why), name);
}

/* Answers of models called "scripted": for recognition, and for chat. */
static char scripted_hear[1024], scripted_chat[1024];

/* Sends a JSON object with a text. */
static const char *
object_of(struct request *rq, const char *name, const char *value)
{
	struct buf b = { .mem = rq->mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_text(&j, name, value);
	jw_close(&j);
	return buf_text(&b);
}

static bool
read_request(struct request *rq)
{
	struct http_message m = { 0 };

	if (!receive(rq->fd, rq->mem, REQUEST_BYTES, &m))
		return false;
	rq->head = m.head;
	rq->method = m.method;
	rq->query = m.target + strcspn(m.target, "?");
	rq->path = arena_dup(rq->mem, m.target, (size_t)(rq->query - m.target));
	rq->body = m.body;
	rq->body_len = m.body_len;
	return true;
}

#endif
