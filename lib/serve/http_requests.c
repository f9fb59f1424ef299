/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "serve/hls_files.h"
#include "serve/http_process_internal.h"
#include "web/chunked_body.h"

#define BODY_BYTES 65536   /* longest body in memory */
#define FRAMING_BYTES 4096 /* read of chunks at a time, beside the body */
#define BODY_S 10          /* for a body, and */
#define BODY_RATE 2000     /* bytes of it that extend this by a second */

static bool
is_last(const struct http_process *p, const struct http_head *h)
{
	return p->leave_us != 0 || http_head_lists(h, "Connection", "close") ||
	       http_head_get(h, "Transfer-Encoding") != NULL ||
	       (!h->has_chunks && !http_head_lists(h, "Connection", "keep-alive"));
}

/* The request is read. */
static void
answer(struct http_process *p, struct http_connection *k, const struct http_head *h,
    const char *body, size_t n)
{
	struct asked asked = { .head = h,
		.path = k->path,
		.peer = k->peer,
		.body = body,
		.body_bytes = n,
		.closes = is_last(p, h) };
	struct answer a;

	k->closes = asked.closes;
	a = programs_answer(p->programs, p->mem, &asked);
	p->served_us = monotonic_us();
	http_answer(p, k, &a);
}

/* ---- bodies ---- */

/* In place of a body's length: it comes in chunks. */
enum { LENGTH_UNKNOWN = -1 };

/* True if the body is complete. A malformed or too long one is refused. */
static bool
has_all(struct http_process *p, struct http_connection *k, ssize_t n)
{
	size_t bytes = k->chunks == NULL ? (size_t)n
					 : chunked_body_decode(
					       k->chunks, k->input + k->got, (size_t)n);

	k->got += bytes;
	k->until_us += (int64_t)bytes * S_US / BODY_RATE;
	if (k->chunks == NULL)
		return k->got == k->wanted;
	if (k->chunks->state == CHUNKS_BAD)
		http_refuse(p, k, NULL, 400);
	else if (k->got > k->wanted)
		http_refuse(p, k, NULL, 413);
	else
		return k->chunks->state == CHUNKS_DONE;
	return false;
}

void
http_read_body(struct http_process *p, struct http_connection *k)
{
	size_t room = k->wanted - k->got + (k->chunks != NULL ? FRAMING_BYTES : 0);
	ssize_t n = recv(k->fd, k->input + k->got, room, 0);
	struct http_head h;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		http_drop(p, k);
		return;
	}
	if (has_all(p, k, n) && http_head_read(p->mem, k->input, k->head_bytes, &h)) {
		struct arena *mem = k->body_mem;

		k->body_mem = NULL;
		answer(p, k, &h, k->input + k->head_bytes, k->got - k->head_bytes);
		arena_free(mem);
	}
}

/* n: bytes of the body, or LENGTH_UNKNOWN. */
static void
begin_body(struct http_process *p, struct http_connection *k, const struct http_head *h,
    int64_t n)
{
	size_t most = n == LENGTH_UNKNOWN ? BODY_BYTES : (size_t)n;

	k->body_mem = arena_new();
	k->got = k->head_bytes;
	k->wanted = k->head_bytes + most;
	k->input = arena_alloc(k->body_mem, k->wanted + FRAMING_BYTES);
	k->chunks = NULL;
	if (n == LENGTH_UNKNOWN)
		k->chunks = arena_alloc(k->body_mem, sizeof(*k->chunks));
	if (!http_read_head(p, k, k->input))
		return;
	k->state = BODY;
	k->until_us = monotonic_us() + BODY_S * S_US;
	http_continue(k, h);
	http_read_body(p, k);
}

/* ---- heads ---- */

/* The length of the body, LENGTH_UNKNOWN, or a negative status: the body has another
   coding, or the request is malformed (RFC 9112, 3.2 and 6.3). */
static int64_t
length_of(const struct http_head *h)
{
	const char *s = http_head_get(h, "Content-Length");
	const char *host = http_head_get(h, "Host");
	const char *coding = http_head_get(h, "Transfer-Encoding");
	size_t n = s != NULL ? strlen(s) : 0;

	if ((h->has_chunks && host == NULL) ||
	    (host != NULL && strpbrk(host, " \t/?#,") != NULL) ||
	    (coding != NULL && (s != NULL || !h->has_chunks)))
		return -400;
	if (coding != NULL)
		return strcasecmp(coding, "chunked") == 0 ? LENGTH_UNKNOWN : -501;
	if (s == NULL)
		return 0;
	return n > 0 && n < 16 && strspn(s, "0123456789") == n ? strtoll(s, NULL, 10)
							       : -400;
}

static bool
needs_child(const struct serve_path *path, int64_t n)
{
	if (n == LENGTH_UNKNOWN)
		n = path->body_bytes;
	return path->how == SERVE_CHILD || (path->how == SERVE_UPLOAD && n > 0) ||
	       n > BODY_BYTES;
}

static bool
is_for_gateway(const struct serve_path *path, const char *target)
{
	return path->program == NULL ||
	       (path->program == &hls_files_program && hls_files_must_wait(target));
}

/* A whole head has come, but is not read. */
static void
begin(struct http_process *p, struct http_connection *k)
{
	const char *target;
	struct http_head h;
	bool passes;
	int64_t n;

	arena_reset(p->mem);
	k->partial = false;
	n = http_head_read(p->mem, p->head, k->head_bytes, &h) ? length_of(&h) : -400;
	if (n < LENGTH_UNKNOWN) {
		http_refuse(p, k, NULL, (int)-n);
		return;
	}
	target = target_below(programs_conf(p->programs), h.target);
	k->path = serve_path_find(p->mem, p->paths, target);
	passes = is_for_gateway(k->path, target);
	if (n > k->path->body_bytes)
		http_refuse(p, k, &h, 413);
	else if (passes && n == LENGTH_UNKNOWN)
		http_refuse(p, k, &h, 411); /* the gateway reads no chunks */
	else if (passes) {
		if (n > 0)
			http_continue(k, &h);
		http_pass(p, k);
	} else if (needs_child(k->path, n))
		http_pass_to_child(p, k, &h);
	else if (n != 0)
		begin_body(p, k, &h, n);
	else if (http_read_head(p, k, p->head))
		answer(p, k, &h, NULL, 0);
}

void
http_find_request(struct http_process *p, struct http_connection *k, bool ended)
{
	ssize_t n = recv(k->fd, p->head, HTTP_HEAD_BYTES, MSG_PEEK);

	if (n < 0 && errno == EAGAIN)
		return;
	if (k->partial)
		http_await_more(k, 0);
	k->head_bytes = n > 0 ? http_head_length(p->head, (size_t)n) : 0;
	k->is_head = n >= 5 && memcmp(p->head, "HEAD ", 5) == 0;
	if (n >= 2 && memcmp(p->head, "\r\n", 2) == 0)
		recv(k->fd, p->head, 2, 0); /* a client's habit, RFC 9112, 2.2 */
	else if (k->head_bytes > 0)
		begin(p, k);
	else if (n > 0 && *p->head != '\r' && !isalpha((unsigned char)*p->head))
		http_refuse(p, k, NULL, 400); /* TLS */
	else if (n == HTTP_HEAD_BYTES)
		http_refuse(p, k, NULL, 431);
	else if (n <= 0 || ended)
		http_drop(p, k);
	else {
		if (!k->partial)
			k->until_us = monotonic_us() + HEAD_S * S_US;
		k->partial = true;
		http_await_more(k, (int)n);
	}
}
