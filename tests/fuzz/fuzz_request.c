/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole requests: "METHOD TARGET", header lines, an empty line, a body. For any
 * request, each line of the answer's head must be a header, no text of the request may
 * add a line, and the body must be valid JSON.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "web/range.h"
#include "web/web.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define FILE_BYTES 1000

struct thing {
	const char *name;
	int64_t size;
};

struct want {
	struct page page;
	const char *search;
};

/* clang-format off */
static const struct field	 thing_fields[] = {
	{ "name", F_TEXT, offsetof(struct thing, name), 1, 20, F_IO },
	{ "size", F_INT, offsetof(struct thing, size), 0, 99, F_IO | F_OPT },
	FIELDS_END,
};
static const struct field	 want_fields[] = {
	PAGE_FIELDS,
	{ "search", F_TEXT, offsetof(struct want, search), 1, 20, F_IO | F_OPT },
	FIELDS_END,
};
/* clang-format on */

static struct reply
get_file(struct request *rq)
{
	struct reply rep = range_reply(rq, 0, FILE_BYTES, "\"abc\"");

	if (rep.status < 400 && (rq->file_at < 0 || rq->file_bytes < 0 ||
				    rq->file_at + rq->file_bytes > FILE_BYTES ||
				    (rep.status == 206 && rq->file_bytes == 0)))
		abort();
	return rep;
}

static enum err
find(struct request *rq)
{
	rq->version = 3;
	return OK;
}

static struct reply
edit(struct request *rq)
{
	struct thing t = { "a", 1 };

	input_over(rq, &t);
	if (t.name == NULL || (t.size != NULL_INT && (t.size < 0 || t.size > 99)))
		abort();
	return reply_one(rq, 200, thing_fields, &t, 3);
}

static struct reply
add(struct request *rq)
{
	header(rq, "Location", "/things/%s", ((struct thing *)rq->in)->name);
	return reply_one(rq, 201, thing_fields, rq->in, 1);
}

static struct reply
list(struct request *rq)
{
	static struct thing things[101] = { { "a", 1 } };
	const struct want *w = rq->query;
	struct list all = { things, (size_t)page_limit(&w->page) + 1 };

	if (all.n < 2 || all.n > 101)
		abort();
	for (int i = 0; i < 101; i++)
		things[i] = things[0];
	return reply_page(rq, thing_fields, all, ITEM(thing, size, name));
}

/* clang-format off */
static const struct route	 routes[] = {
	{ "GET",   "/things", list, NULL, UNLIMITED | NO_DB, QUERY(want_fields, struct want),
	  .token = "next", .shape = A_PAGE, .out = thing_fields },
	{ "POST",  "/things", add, NULL, UNLIMITED | NO_DB | JSON_BODY,
	  BODY(thing_fields, struct thing) },
	{ "PATCH", "/things/{thing_id}", edit, NULL,
	  UNLIMITED | NO_DB | JSON_BODY | PARTIAL | IF_MATCH, find,
	  BODY(thing_fields, struct thing) },
	{ "GET",   "/things/{thing_id}", edit, NULL, UNLIMITED | NO_DB, find },
	{ "GET",   "/files/{name}", get_file, NULL, UNLIMITED | NO_DB, .shape = A_FILE },
	{ "GET",   "/closed", add, "x:read" },
	ROUTES_END,
};
/* clang-format on */

/* ---- the wire ---- */

struct wire {
	const char *lines[32]; /* "HTTP_X=value" */
	size_t n;
	const char *body;
	size_t left;
};

static const char *
param(const struct request *rq, const char *name)
{
	const struct wire *w = rq->wire;
	size_t n = strlen(name);

	for (size_t i = 0; i < w->n; i++)
		if (strncmp(w->lines[i], name, n) == 0 && w->lines[i][n] == '=')
			return w->lines[i] + n + 1;
	return NULL;
}

static size_t
read_some(struct request *rq, void *to, size_t n)
{
	struct wire *w = rq->wire;

	n = n < w->left ? n : w->left;
	memcpy(to, w->body, n);
	w->body += n;
	w->left -= n;
	return n;
}

/* "If-Match: x" becomes HTTP_IF_MATCH, as web servers pass it. */
static const char *
variable(struct arena *mem, char *line)
{
	size_t n = strcspn(line, ":");
	const char *value = line[n] == ':' ? line + n + 1 : "";
	bool type = strncasecmp(line, "content-type", n) == 0 && n == 12;

	for (size_t i = 0; i < n; i++)
		line[i] = line[i] == '-' ? '_' : (char)toupper((unsigned char)line[i]);
	value += strspn(value, " \t");
	return arena_printf(mem, "%s%.*s=%s", type ? "" : "HTTP_", (int)n, line, value);
}

static void
read_lines(struct arena *mem, char *s, struct wire *w)
{
	size_t n;

	for (; *s != '\0' && *s != '\n'; s += n + (s[n] != '\0')) {
		n = strcspn(s, "\n");
		if (w->n < 32)
			w->lines[w->n++] = variable(mem, arena_dup(mem, s, n));
	}
	w->body = *s == '\n' ? s + 1 : s;
	w->left = strlen(w->body);
}

/* ---- the answer ---- */

static void
check_head(const struct buf *b)
{
	for (size_t i = 0, n; i < b->len; i += n + 2) {
		const char *s = b->p + i, *colon = memchr(s, ':', b->len - i);

		for (n = 0; i + n < b->len && s[n] != '\r'; n++)
			if (s[n] == '\n' || s[n] == '\0')
				abort();
		if (i + n + 2 > b->len || s[n + 1] != '\n' || colon == NULL ||
		    colon == s || colon > s + n)
			abort();
	}
}

static void
check(const struct request *rq)
{
	const char *why;

	if (rq->status < 200 || rq->status > 503)
		abort();
	check_head(&rq->common);
	check_head(&rq->head);
	if (rq->out.len > 0 && json_read(rq->mem, rq->out.p, rq->out.len, &why) == NULL)
		abort();
	if (rq->status >= 400 && rq->file >= 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct app app = { .name = "fuzz", .routes = routes };
	struct wire w = { .n = 0 };
	char *text = arena_dup(mem, (const char *)data, size);
	size_t line = strcspn(text, "\n"), method = strcspn(text, " \n");
	struct request rq = { .mem = mem, .app = &app, .conf = &app.conf };

	app.conf.server_base_url = "https://speech.example.org";
	app.conf.cors_origins = size % 2 ? "*" : "https://a.example https://b.example";
	app.conf.deprecation_sunset = "2027-12-31";
	rq.method = arena_dup(mem, text, method);
	rq.target =
	    method < line ? arena_dup(mem, text + method + 1, line - method - 1) : "/";
	read_lines(mem, text + line + (text[line] == '\n'), &w);
	rq.wire = &w;
	rq.param = param;
	rq.read = read_some;
	rq.peer = "192.0.2.1";
	rq.content_length = (int64_t)w.left;
	rq.common.mem = rq.head.mem = rq.out.mem = mem;
	dispatch(&rq);
	check(&rq);
	arena_free(mem);
	return 0;
}
