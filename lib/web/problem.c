/*
 * Every way to refuse.  A problem erases what was being said; the dispatcher
 * rolls back what was being done.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web/web.h"

#define JSON "application/json"
#define FLAT "application/problem+json"

/* How closely n bytes of a media range name a type: 3, its major type 2, 1, or 0. */
static int
closeness(const char *range, size_t n, const char *type)
{
	size_t major = strcspn(type, "/") + 1;

	if (n == strlen(type) && strncasecmp(range, type, n) == 0)
		return 3;
	if (n == major + 1 && range[major] == '*' &&
	    strncasecmp(range, type, major) == 0)
		return 2;
	return n == 3 && strncmp(range, "*/*", 3) == 0;
}

/* The weight an Accept header gives a media type (RFC 9110 §12.5.1), or -1. */
static double
weight(const char *accept, const char *type)
{
	double best = -1;
	int rank = 0, is;
	const char *q;
	size_t item;

	for (const char *s = accept; *s != '\0'; s += item) {
		s += strspn(s, ", \t");
		item = strcspn(s, ",");
		if ((is = closeness(s, strcspn(s, ",; \t"), type)) <= rank)
			continue;
		rank = is;
		q = memmem(s, item, "q=", 2);
		best = q != NULL ? strtod(q + 2, NULL) : 1;
	}
	return best;
}

bool
accept_prefers(const char *accept, const char *type, const char *over)
{
	return accept != NULL && weight(accept, type) > weight(accept, over);
}

static void
write_problems(struct jw *j, const struct list *ps)
{
	jw_list(j, "errors");
	for (size_t i = 0; i < ps->n; i++)
		field_write(j, NULL, problem_fields,
		    (const struct problem_told *)ps->items + i);
	jw_close(j);
}

/* At least one problem; all of one status. */
static struct reply
tell(struct request *rq, const struct list *ps)
{
	bool flat = accept_prefers(rq->param(rq, "HTTP_ACCEPT"), FLAT, JSON);
	const struct problem_told *first = ps->items;
	struct jw j = { .out = &rq->out };

	header(rq, "Content-Type", "%s", flat ? FLAT : JSON);
	jw_open(&j, NULL);
	if (flat)
		field_write_into(&j, problem_fields, first);
	else
		jw_bool(&j, "ok", false);
	if (!flat || ps->n > 1)
		write_problems(&j, ps);
	jw_close(&j);
	return reply_empty(rq, (int)first->status);
}

static void
forget(struct request *rq)
{
	rq->head.len = rq->out.len = 0;
	rq->file = -1;
}

/* What some problems say in headers. */
static void
problem_headers(struct request *rq, enum problem p)
{
	if (p == P_BUSY || p == P_IN_PROGRESS)
		header(rq, "Retry-After", "1");
}

static struct reply
problem_with(struct request *rq, enum problem p, const char *pointer,
    const char *parameter, const char *detail)
{
	struct problem_told told;

	forget(rq);
	if (rq->route != NULL && rq->route->problem != NULL)
		return rq->route->problem(rq, p, detail);
	problem_headers(rq, p);
	told = problem_tell(rq->mem, p, rq->conf->server_base_url, rq->id, detail);
	told.pointer = pointer;
	told.parameter = parameter;
	return tell(rq, &(struct list){ &told, 1 });
}

struct reply
problem_at(struct request *rq, enum problem p, const char *pointer,
    const char *parameter, const char *fmt, ...)
{
	char detail[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	return problem_with(rq, p, pointer, parameter, detail);
}

struct reply
problem(struct request *rq, enum problem p, const char *fmt, ...)
{
	char detail[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	return problem_with(rq, p, NULL, NULL, detail);
}

struct reply
problem_faults(struct request *rq, const struct fault *body, const struct fault *query)
{
	struct buf told = { .mem = rq->mem };
	size_t n = 0;

	for (; body != NULL || query != NULL; n++) {
		const struct fault *f = body != NULL ? body : query;
		struct problem_told p = problem_tell(rq->mem, P_VALIDATION,
		    rq->conf->server_base_url, rq->id, f->detail);

		if (body != NULL)
			p.pointer = f->at;
		else
			p.parameter = /* "/mood/0" is about mood */
			    arena_dup(rq->mem, f->at + 1, strcspn(f->at + 1, "/"));
		buf_put(&told, &p, sizeof(p));
		if (body != NULL)
			body = body->next;
		else
			query = query->next;
	}
	forget(rq);
	return tell(rq, &(struct list){ told.p, n });
}

struct reply
problem_err(struct request *rq, enum err e)
{
	static const struct {
		enum problem p;
		const char *detail;
	} is[] = {
		[ERR_NOT_FOUND] = { P_NOT_FOUND, "No such resource." },
		[ERR_STALE] = { P_STALE, "The record has changed meanwhile." },
		[ERR_BUSY] = { P_BUSY, "The database is busy; try again." },
		[ERR_FULL] = { P_DISK_FULL, "The server cannot store more data now." },
		[ERR_UNSUPPORTED] = { P_NO_ENGINE, "No engine can do this." },
		[ERR_REFUSED] = { P_BAD_GATEWAY, "The engine refused." },
		[ERR_TIMEOUT] = { P_GATEWAY_TIMEOUT, "The engine did not answer." },
		[ERR_FAILED] = { P_INTERNAL, "The request could not be completed." },
	};

	if (is[e].detail == NULL)
		e = ERR_FAILED;
	return problem_with(rq, is[e].p, NULL, NULL, is[e].detail);
}
