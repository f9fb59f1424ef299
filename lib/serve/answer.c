/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request as the programs have it behind a web server, and their answer on the wire.
 */
#include "serve/answer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

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
	struct answer a = { .bytes.mem = rq->mem, .file = -1 };

	reply_begin_head(&a.bytes, rq, closes ? "close" : "keep-alive");
	if (reply_end_head(&a.bytes, rq))
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
	struct request rq = { .conf = &all->first.conf,
		.param = no_param,
		.status = status,
		.common.mem = mem };
	struct answer a = { .bytes.mem = mem,
		.file = open(path, O_RDONLY | O_CLOEXEC) };
	struct stat st;

	if (a.file >= 0 && fstat(a.file, &st) == 0)
		a.left = st.st_size;
	cors_headers(&rq);
	reply_begin_head(&a.bytes, &rq, "close");
	buf_printf(&a.bytes,
	    "%sX-Content-Type-Options: nosniff\r\n"
	    "Cache-Control: no-store\r\nContent-Type: application/%s\r\n"
	    "Content-Length: %lld\r\n\r\n",
	    status == 503 ? "Retry-After: 1\r\n" : "", blobs ? "xml" : "json",
	    (long long)a.left);
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
