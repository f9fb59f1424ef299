/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request as the programs have it behind a web server, and their answer on the wire.
 */
#include "serve/answer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "web/policy.h"

struct programs {
	const struct serve_path *paths;
	struct app first; /* has the statements of all */
	struct app *apps; /* one for each path */
};

/* ---- requests ---- */

/* request.wire */
struct wire {
	const struct asked *asked;
	size_t read;
};

static const char *
param(const struct request *rq, const char *name)
{
	const struct http_head *h = ((struct wire *)rq->wire)->asked->head;

	if (strcmp(name, "CONTENT_TYPE") == 0)
		return http_head_get(h, "Content-Type");
	if (strcmp(name, "CONTENT_LENGTH") == 0)
		return http_head_get(h, "Content-Length");
	return http_head_get_cgi(h, name);
}

static size_t
read_body(struct request *rq, void *to, size_t n)
{
	struct wire *w = rq->wire;
	size_t left = w->asked->body_bytes - w->read;

	if (n > left)
		n = left;
	if (n > 0)
		memcpy(to, w->asked->body + w->read, n);
	w->read += n;
	return n;
}

/* ---- answers ---- */

static void
begin(struct arena *mem, int status, bool closes, struct answer *a)
{
	char date[TIME_TEXT];

	*a = (struct answer){ .bytes.mem = mem, .file = -1 };
	buf_room(&a->bytes, 1024);
	buf_str(&a->bytes, "HTTP/1.1 ");
	buf_int(&a->bytes, status);
	buf_str(&a->bytes, " \r\nDate: ");
	buf_str(&a->bytes, time_http(now_us(), date));
	buf_str(&a->bytes,
	    closes ? "\r\nConnection: close\r\n" : "\r\nConnection: keep-alive\r\n");
}

static void
put_length(struct buf *to, int64_t bytes)
{
	buf_str(to, "Content-Length: ");
	buf_int(to, bytes);
	buf_str(to, "\r\n");
}

/* The file is closed with the request; the answer has a descriptor of its own. */
static void
put_body(const struct request *rq, struct answer *a)
{
	if (rq->file < 0) {
		buf_put(&a->bytes, rq->out.p, rq->out.len);
		return;
	}
	a->file = fcntl(rq->file, F_DUPFD_CLOEXEC, 0);
	a->at = rq->file_at;
	a->left = rq->file_bytes;
}

static struct answer
answer_of(const struct request *rq, bool closes)
{
	bool bare = rq->status == 204 || rq->status == 304;
	struct answer a;

	begin(rq->mem, rq->status, closes, &a);
	buf_put(&a.bytes, rq->common.p, rq->common.len);
	buf_put(&a.bytes, rq->head.p, rq->head.len);
	if (!bare)
		put_length(
		    &a.bytes, rq->file >= 0 ? rq->file_bytes : (int64_t)rq->out.len);
	buf_str(&a.bytes, "\r\n");
	if (!bare && strcmp(rq->method, "HEAD") != 0)
		put_body(rq, &a);
	return a;
}

struct answer
programs_answer(struct programs *all, struct arena *mem, const struct asked *asked)
{
	struct app *app = &all->apps[asked->path - all->paths];
	struct wire w = { .asked = asked };
	struct request rq = { .mem = mem,
		.app = app,
		.conf = &app->conf,
		.method = asked->head->method,
		.target = target_below(&app->conf, asked->head->target),
		.peer = http_head_peer(
		    mem, asked->head, asked->peer, app->conf.serve_proxies),
		.content_length = (int64_t)asked->body_bytes,
		.line_bytes = asked->head->line_bytes,
		.header_bytes = asked->head->header_bytes,
		.param = param,
		.read = read_body,
		.wire = &w,
		.common.mem = mem,
		.head.mem = mem,
		.out.mem = mem };

	if (all->first.db == NULL && app_connect(&all->first) != OK)
		log_error("cannot open the database now");
	rq.db = app->db = all->first.db;
	dispatch(&rq);
	return answer_of(&rq, asked->closes);
}

static const char *
no_param(const struct request *rq, const char *name)
{
	(void)rq, (void)name;
	return NULL;
}

struct answer
programs_refuse(
    struct programs *all, struct arena *mem, int status, bool blobs, bool is_head)
{
	const char *path = arena_printf(mem, "%s/errors/%s%d.html",
	    all->first.conf.share_dir, blobs ? "blobs/" : "", status);
	struct request rq = {
		.conf = &all->first.conf, .param = no_param, .common.mem = mem
	};
	struct stat st = { 0 };
	struct answer a;

	begin(mem, status, true, &a);
	a.file = open(path, O_RDONLY | O_CLOEXEC);
	if (a.file >= 0 && fstat(a.file, &st) == 0)
		a.left = st.st_size;
	cors_headers(&rq);
	buf_put(&a.bytes, rq.common.p, rq.common.len);
	buf_printf(&a.bytes,
	    "%sX-Content-Type-Options: nosniff\r\n"
	    "Cache-Control: no-store\r\nContent-Type: application/%s\r\n",
	    status == 503 ? "Retry-After: 1\r\n" : "", blobs ? "xml" : "json");
	put_length(&a.bytes, a.left);
	buf_str(&a.bytes, "\r\n");
	if (is_head)
		a.left = 0;
	return a;
}

/* ---- opening ---- */

/* The tables of statements of all programs. */
static const struct sql *const *
all_statements(struct arena *mem, const struct serve_path *paths)
{
	struct buf to = { .mem = mem };
	const struct sql *end = NULL;

	for (const struct serve_path *p = paths; p->path != NULL; p++)
		for (int i = 0; p->program != NULL && p->program->prepared[i] != NULL;
		     i++)
			buf_put(&to, &p->program->prepared[i], sizeof(end));
	buf_put(&to, &end, sizeof(end));
	return (const struct sql *const *)(const void *)to.p;
}

enum err
programs_open(struct arena *mem, const struct serve_path *paths, struct programs **to)
{
	struct programs *all = arena_alloc(mem, sizeof(*all));
	static const struct route none[] = { ROUTES_END };
	const struct program first = { "serve", none, all_statements(mem, paths) };
	size_t n = 0;
	enum err e;

	*to = all;
	all->paths = paths;
	if ((e = app_open(
		 &all->first, mem, first.name, first.routes, first.prepared)) != OK)
		return e;
	while (paths[n].path != NULL)
		n++;
	all->apps = arena_alloc(mem, (n + 1) * sizeof(*all->apps));
	for (size_t i = 0; i < n; i++)
		if (paths[i].program != NULL)
			app_add(&all->apps[i], mem, &all->first, paths[i].program);
	return OK;
}

const struct conf *
programs_conf(const struct programs *all)
{
	return &all->first.conf;
}

void
programs_rest(struct programs *all)
{
	if (all->first.db != NULL && db_is_server(all->first.db))
		db_rest(all->first.db, true);
}
