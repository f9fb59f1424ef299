/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Error answers.  A problem discards the answer so far; the dispatcher rolls back the
 * transaction.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"

#include "web/web.h"

#define JSON "application/json"
#define FLAT "application/problem+json"
#define PROBLEMS_MAX 50 /* most problems reported at once */

/* Returns how closely a media range of n bytes matches a type: 3: exactly, 2: its major
   type, 1: any, 0: not. */
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

/* The q value of a media range of n bytes. */
static double
quality(const char *range, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (range[i] == ';') {
			i += 1 + strspn(range + i + 1, " \t");
			if (i < n && strncasecmp(range + i, "q=", 2) == 0)
				return strtod(range + i + 2, NULL);
			i--;
		}
	return 1;
}

/* The weight of a media type in an Accept header (RFC 9110 §12.5.1), or -1. */
static double
weight(const char *accept, const char *type)
{
	double best = -1;
	int rank = 0, is;
	size_t item;

	for (const char *s = accept; *s != '\0'; s += item) {
		s += strspn(s, ", \t");
		item = strcspn(s, ",");
		if ((is = closeness(s, strcspn(s, ",; \t"), type)) <= rank)
			continue;
		rank = is;
		best = quality(s, item);
	}
	return best;
}

bool
accept_prefers(const char *accept, const char *type, const char *over)
{
	return accept != NULL && weight(accept, type) > weight(accept, over);
}

/* Answer with problems: at least one, all with the same status. */
static struct reply
answer_with(struct request *rq, const struct list *ps)
{
	bool flat = accept_prefers(rq->param(rq, "HTTP_ACCEPT"), FLAT, JSON);
	const struct problem_document *first = ps->items;
	struct json_writer j = { .out = &rq->out };

	header(rq, "Content-Type", "%s", flat ? FLAT : JSON);
	header(rq, "Vary", "Accept");
	jw_open(&j, NULL);
	if (flat)
		field_write_into(&j, problem_fields, first);
	else
		jw_bool(&j, "ok", false);
	if (!flat || ps->n > 1) {
		jw_list(&j, "errors");
		for (size_t i = 0; i < ps->n; i++)
			field_write(&j, NULL, problem_fields, first + i);
		jw_close(&j);
	}
	jw_close(&j);
	return reply_empty(rq, (int)first->status);
}

static void
discard_answer(struct request *rq)
{
	rq->head.len = rq->out.len = 0;
	rq->file = -1;
}

static struct reply
problem_with(struct request *rq, enum problem p, const char *pointer,
    const char *parameter, const char *detail)
{
	struct problem_document told;

	discard_answer(rq);
	rq->slug = problem_kinds[p].slug;
	if (rq->route != NULL && rq->route->problem != NULL)
		return rq->route->problem(rq, p, detail);
	if (p == P_BUSY || p == P_IN_PROGRESS)
		header(rq, "Retry-After", "1");
	told = problem_describe(rq->mem, p, rq->conf->server_base_url, rq->id, detail);
	told.pointer = pointer;
	told.parameter = parameter;
	return answer_with(rq, &(struct list){ &told, 1 });
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

bool
problem_within_limit(struct request *rq, int64_t most,
    enum err (*count)(struct db *, const char *account, int64_t *), enum problem p,
    const char *nouns, struct reply *no)
{
	int64_t n = 0;
	enum err e = OK;

	if (most > 0)
		e = count(rq->db, rq->who->account, &n);
	if (e != OK)
		*no = problem_err(rq, e);
	else if (most > 0 && n >= most)
		*no =
		    problem(rq, p, "The plan allows %lld %s.", (long long)most, nouns);
	else
		return true;
	return false;
}

/* Returns the parameter that a fault belongs to: mood for "/mood/0". */
static const char *
parameter_of(struct request *rq, const struct fault *f)
{
	return arena_dup(rq->mem, f->at + 1, strcspn(f->at + 1, "/"));
}

static void
add_fault(struct request *rq, struct buf *told, const struct fault *f, bool in_body)
{
	struct problem_document p = problem_describe(
	    rq->mem, P_VALIDATION, rq->conf->server_base_url, rq->id, f->detail);
	size_t n = told->len / sizeof(p);
	const struct problem_document *last =
	    n > 0 ? (const struct problem_document *)told->p + n - 1 : NULL;

	if (in_body)
		p.pointer = f->at;
	else
		p.parameter = parameter_of(rq, f);
	if (n == PROBLEMS_MAX || (!in_body && last != NULL && last->parameter != NULL &&
				     strcmp(last->parameter, p.parameter) == 0))
		return; /* one fault per parameter */
	buf_put(told, &p, sizeof(p));
}

struct reply
problem_faults(struct request *rq, const struct fault *body, const struct fault *query)
{
	struct buf told = { .mem = rq->mem };

	for (; body != NULL; body = body->next)
		add_fault(rq, &told, body, true);
	for (; query != NULL; query = query->next)
		add_fault(rq, &told, query, false);
	discard_answer(rq);
	rq->slug = problem_kinds[P_VALIDATION].slug;
	return answer_with(
	    rq, &(struct list){ told.p, told.len / sizeof(struct problem_document) });
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

	if (is[e].detail == NULL) {
		log_error("unexpected error: %s", err_name(e));
		e = ERR_FAILED;
	}
	return problem_with(rq, is[e].p, NULL, NULL, is[e].detail);
}
