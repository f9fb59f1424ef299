/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /saas/glossary: lists of terms, each imported from one file: CSV, or a workbook.
 *
 * Faults of the body must be reported before those of the glossary. So a file is
 * received before the glossary is read, and without the write lock.
 */
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/text.h"
#include "blob/blob.h"
#include "service/terms.h"
#include "service/xlsx.h"
#include "store/glossaries.h"
#include "store/idempotent_responses.h"
#include "web/multipart.h"
#include "web/web.h"
#include "work/queue.h"

#define FILE_BYTES 1000000
#define CSV "text/csv; charset=utf-8"

static const struct field page_fields[] = FIELDS(PAGE_FIELDS);

static struct reply
reply_glossary(struct request *rq, struct glossary *g)
{
	glossary_fill_view(rq->mem, g, rq->conf->server_base_url);
	return reply_one(rq, 200, glossary_fields, g, g->version);
}

/* ---- one glossary ---- */

static enum err
find_glossary(struct request *rq)
{
	struct glossary *g = rq->it = arena_alloc(rq->mem, sizeof(*g));
	enum err e = glossary_get(rq->db, rq->mem, rq->who->account, rq->args[0], g);

	rq->version = g->version;
	return e;
}

static struct reply
get_glossary(struct request *rq)
{
	return reply_glossary(rq, rq->it);
}

/* A type and a target that are each valid are also checked together. */
static struct fault *
target_rules(struct request *rq)
{
	const struct glossary *in = rq->in;
	const struct json *given =
	    rq->data != NULL ? json_get(rq->data, "target_lang") : NULL;
	bool wrong = given != NULL && given->type != JSON_NONE && in->target == NULL;
	const char *what =
	    in->type != NULL && !wrong ? glossary_target_fault(in) : NULL;

	return what != NULL ? fault_add(rq->mem, NULL, "/data/target_lang", "%s", what)
			    : NULL;
}

static struct glossary
new_glossary(struct request *rq)
{
	struct glossary g = *(const struct glossary *)rq->in;

	g.id = id_new(rq->mem);
	g.account = rq->who->account;
	g.status = "none";
	g.created_us = g.updated_us = now_us();
	g.fault_lines = "";
	g.version = 1;
	return g;
}

static struct reply
add_glossary(struct request *rq)
{
	struct glossary g = new_glossary(rq);
	struct reply no;
	enum err e;

	if ((e = db_begin(rq->db, rq->who->account)) != OK)
		return problem_err(rq, e);
	if (!problem_within_limit(rq, rq->who->plan.glossaries, glossary_count,
		P_GLOSSARY_LIMIT, "glossaries", &no))
		return no;
	if ((e = glossary_add(rq->db, &g)) != OK)
		return problem_err(rq, e);
	return reply_glossary(rq, &g);
}

static struct reply
edit_glossary(struct request *rq)
{
	struct glossary *g = rq->it, before = *g;
	enum err e;

	input_over(rq, g);
	if (!field_same(rq->mem, glossary_fields, g, &before) &&
	    (e = glossary_put(rq->db, g)) != OK)
		return problem_err(rq, e);
	return reply_glossary(rq, g);
}

static struct reply
drop_glossary(struct request *rq)
{
	enum err e = glossary_drop(rq->db, rq->it);

	return e != OK ? problem_err(rq, e) : reply_null(rq, 200);
}

/* ---- list ---- */

static struct reply
list_glossaries(struct request *rq)
{
	const struct page *p = rq->query;
	const struct list_cursor from = { page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
	struct list l;
	enum err e = glossary_list(rq->db, rq->mem, rq->who->account, &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	for (size_t i = 0; i < l.n; i++)
		glossary_fill_view(
		    rq->mem, (struct glossary *)l.items + i, rq->conf->server_base_url);
	return reply_page(rq, glossary_fields, l, ITEM(glossary, created_us, id));
}

/* ---- receiving a file ---- */

struct upload {
	/* error while the file was received, with the members as and why */
	bool refused;
	enum problem as;
	const char *why;
	int files;
	const char *field; /* form field with the last file; NULL: text */
	int64_t bytes;     /* length of the first file */
	bool headed;       /* true if its first row is a header */
	bool workbook;     /* true if it is a workbook, with these rows as CSV */
	struct buf csv;
	bool kept; /* the file is stored by in */
	struct blob_in *in;
	enum err stored; /* the result so far */
	struct glossary glossary;
};

/* Always false, so the caller can return it. */
static bool
refuse(struct upload *u, enum problem p, const char *why)
{
	u->refused = true;
	u->as = p;
	u->why = why;
	return false;
}

static bool
broken(struct upload *u, enum err e)
{
	if (e == ERR_UNSUPPORTED)
		return refuse(u, P_MEDIA_TYPE,
		    "The body must be multipart/form-data, not encoded.");
	if (e == ERR_LIMIT)
		return refuse(u, P_TOO_LARGE, "The form has too many or long fields.");
	return refuse(
	    u, P_BAD_REQUEST, "The body is not complete multipart/form-data.");
}

static bool
is_one_of(const char *type, const char *const *types)
{
	for (; type != NULL && *types != NULL; types++)
		if (strcmp(type, *types) == 0)
			return true;
	return type == NULL;
}

/* Types that clients send for files of any content; the second is Excel's on Windows
   for CSV. */
#define ANY_CONTENT "application/octet-stream", "application/vnd.ms-excel"

/* Content types that clients send for CSV and workbooks. */
static bool
is_accepted(const struct multipart_part *p)
{
	static const char *const types[] = { "text/csv", "application/csv",
		"text/plain", XLSX_TYPE, ANY_CONTENT, NULL };

	return is_one_of(p->type, types) && !p->more &&
	       (p->header == NULL || strcmp(p->header, "present") == 0 ||
		   strcmp(p->header, "absent") == 0) &&
	       (p->charset == NULL || strcmp(p->charset, "utf-8") == 0 ||
		   strcmp(p->charset, "utf8") == 0 ||
		   strcmp(p->charset, "us-ascii") == 0);
}

/* Compare the type of a file with its first bytes. */
static bool
check_content(
    struct upload *u, const struct multipart_part *part, const char *p, size_t n)
{
	static const char *const types[] = { XLSX_TYPE, ANY_CONTENT, NULL };
	bool may = is_one_of(part->type, types);
	bool zip = n >= 4 && memcmp(p, "PK\x03\x04", 4) == 0;
	bool old = n >= 4 && memcmp(p, "\xd0\xcf\x11\xe0", 4) == 0;

	if ((zip || old) && !may)
		return refuse(u, P_MEDIA_TYPE,
		    "Glossary format must be CSV, not a workbook: save it as CSV "
		    "UTF-8.");
	if (old)
		return refuse(u, P_MEDIA_TYPE,
		    "The workbook has a password or an old format: save it as XLSX "
		    "without one.");
	if (!zip && part->type != NULL && strcmp(part->type, XLSX_TYPE) == 0)
		return refuse(u, P_MEDIA_TYPE, "The file is no workbook (XLSX).");
	u->workbook = zip;
	return true;
}

/* Read the rows of a workbook, so that a client learns at once if it cannot be read. */
static bool
read_workbook(struct request *rq, struct upload *u, const struct buf *file)
{
	const char *why;
	enum err e = xlsx_csv(rq->mem, file->p, file->len, &u->csv, &why);

	return e == OK || refuse(u, e == ERR_LIMIT ? P_TOO_LARGE : P_MEDIA_TYPE, why);
}

static bool
receive_bytes(struct request *rq, struct upload *u, struct multipart *form,
    const char *p, size_t n)
{
	struct buf file = { .mem = rq->mem };
	int64_t bytes = 0;
	enum err e = OK;

	for (; e == OK && n > 0; e = multipart_bytes(form, &p, &n)) {
		if ((bytes += (int64_t)n) > FILE_BYTES)
			return refuse(u, P_TOO_LARGE,
			    arena_printf(rq->mem, "The file may have at most %d bytes.",
				FILE_BYTES));
		if (u->workbook && u->files == 1)
			buf_put(&file, p, n);
		if (u->in != NULL && u->files == 1 && u->stored == OK)
			u->stored = blob_put(u->in, p, n);
	}
	if (u->files == 1)
		u->bytes = bytes;
	if (e != OK)
		return broken(u, e);
	return file.len == 0 || read_workbook(rq, u, &file);
}

static bool
receive_file(struct request *rq, struct upload *u, struct multipart *form,
    const struct multipart_part *part)
{
	const char *p;
	enum err e;
	size_t n;

	if ((e = multipart_bytes(form, &p, &n)) != OK)
		return broken(u, e);
	if (n == 0 && part->filename[0] == '\0')
		return true; /* the form's file field was left empty */
	if (++u->files == 1) {
		if (n > 0 && !check_content(u, part, p, n))
			return false;
		if (u->kept)
			u->stored = blob_begin(rq->conf, rq->mem, 0, &u->in);
	}
	return receive_bytes(rq, u, form, p, n);
}

static bool
receive_form(struct request *rq, struct upload *u)
{
	struct multipart_part part;
	struct multipart *form;
	enum err e;

	e = input_encoded(rq) ? ERR_UNSUPPORTED : input_form(rq, &form);
	if (e != OK)
		return broken(u, e);
	while ((e = multipart_next(form, &part)) == OK) {
		if (part.filename == NULL)
			continue;
		if (!is_accepted(&part))
			return refuse(u, P_MEDIA_TYPE,
			    arena_printf(rq->mem, "Glossary format must be CSV, not %s",
				part.type != NULL &&
					text_valid(part.type, strlen(part.type))
				    ? part.type
				    : "that"));
		if (!multipart_decode(form, &part))
			return refuse(u, P_MEDIA_TYPE,
			    "The file has a Content-Transfer-Encoding that is "
			    "unknown.");
		u->headed |= part.header != NULL && strcmp(part.header, "present") == 0;
		u->field = text_valid(part.name, strlen(part.name)) ? part.name : NULL;
		if (!receive_file(rq, u, form, &part))
			return false;
	}
	return e == ERR_NOT_FOUND || broken(u, e);
}

static struct upload *
begin_upload(struct request *rq)
{
	struct upload *u = rq->it = arena_alloc(rq->mem, sizeof(*u));

	u->csv.mem = rq->mem;
	return u;
}

static enum err
find_for_upload(struct request *rq)
{
	struct upload *u = begin_upload(rq);

	u->kept = true;
	if (!receive_form(rq, u))
		return OK; /* admit_upload() reports it */
	return glossary_get(
	    rq->db, rq->mem, rq->who->account, rq->args[0], &u->glossary);
}

static bool
admit_upload(struct request *rq, struct reply *no)
{
	const struct upload *u = rq->it;

	if (u->refused)
		*no = problem(rq, u->as, "%s", u->why);
	return !u->refused;
}

/* The answer to a form without exactly one file that has content; *no is set then. */
static bool
has_one_file(struct request *rq, const struct upload *u, struct reply *no)
{
	if (u->files != 1)
		*no =
		    problem_at(rq, P_VALIDATION, NULL, u->files > 0 ? u->field : "file",
			"The form must have exactly one file.");
	else if (u->bytes == 0)
		*no = problem_at(
		    rq, P_VALIDATION, NULL, u->field, "The file must not be empty.");
	return u->files == 1 && u->bytes > 0;
}

static struct reply
already_uploaded(struct request *rq)
{
	return problem(rq, P_GLOSSARY_UPLOADED, "Glossary file was already uploaded");
}

/* The answer to an error of the file store, which may be a remote one. */
static struct reply
store_problem(struct request *rq, enum err e)
{
	if (e == ERR_TIMEOUT)
		return problem(
		    rq, P_BUSY, "The store of files does not answer; try again.");
	if (e == ERR_REFUSED || e == ERR_NOT_FOUND)
		e = ERR_FAILED;
	return problem_err(rq, e);
}

static const char *
file_name(struct request *rq, const struct glossary *g, bool workbook)
{
	return arena_printf(
	    rq->mem, "glossary-%s.%s", g->id, workbook ? "xlsx" : "csv");
}

static enum err
record(struct request *rq, struct upload *u, const char *id, const char *file,
    const struct blob_facts *facts)
{
	struct glossary *g = &u->glossary;
	int64_t now = now_us();
	struct blob b = { .id = id,
		.account = g->account,
		.kind = "glossary",
		.state = "checked",
		.mime_type = arena_printf(rq->mem, "%s%s",
		    u->workbook ? XLSX_TYPE : CSV, u->headed ? TERMS_HEADED : ""),
		.filename = file_name(rq, g, u->workbook),
		.min_bytes = 1,
		.max_bytes = FILE_BYTES,
		.file = file,
		.bytes = u->bytes,
		.sha256 = facts->sha256,
		.created_us = now,
		.stored_us = now };
	enum err e;

	if ((e = db_begin(rq->db, g->account)) != OK ||
	    (e = glossary_get(rq->db, rq->mem, g->account, g->id, g)) != OK ||
	    (e = glossary_receive(rq->db, g, &b)) != OK)
		return e;
	return queue_add(rq->db, rq->mem, "glossary.import", g->account, g->id);
}

/* Delete the glossary with all its rows and bytes. */
static struct reply
undo(struct request *rq, const char *file, enum err e)
{
	enum err gone;

	db_rollback(rq->db);
	if ((gone = blob_remove(rq->conf, rq->mem, file)) != OK)
		log_warn("cannot remove %s: %s", file, err_name(gone));
	return e == ERR_CONFLICT ? already_uploaded(rq) : problem_err(rq, e);
}

static struct reply
store_file(struct request *rq, struct upload *u)
{
	const char *id = id_new(rq->mem), *file = blob_name(rq->mem, id);
	struct blob_facts facts;
	enum err e = u->stored;

	if (e != OK || (e = blob_end(u->in, file, &facts)) != OK)
		return store_problem(rq, e);
	if ((e = record(rq, u, id, file, &facts)) != OK)
		return undo(rq, file, e);
	return reply_glossary(rq, &u->glossary);
}

static struct reply
add_file(struct request *rq)
{
	struct upload *u = rq->it;
	struct reply no;

	if (!has_one_file(rq, u, &no))
		return no;
	if (!glossary_accepts_file(&u->glossary))
		return already_uploaded(rq);
	return store_file(rq, u);
}

/* ---- the rows of a workbook ---- */

static struct reply
get_rows(struct request *rq)
{
	struct upload *u = begin_upload(rq);
	struct reply no;

	receive_form(rq, u); /* admit_upload() reports a failure */
	if (!admit_upload(rq, &no) || !has_one_file(rq, u, &no))
		return no;
	if (!u->workbook)
		return problem(rq, P_MEDIA_TYPE, "The file is no workbook (XLSX).");
	return reply_text(rq, 200, CSV, buf_text(&u->csv));
}

/* ---- download ---- */

static const char *
etag_of(const struct request *rq, const struct blob *b)
{
	return arena_printf(rq->mem, "\"%s\"", b->sha256);
}

/*
 * The file may just have been replaced: then read the row again. It is not opened if
 * the client has it already.
 */
static enum err
open_file(struct request *rq, struct glossary *g, struct blob *b, struct blob_file *f)
{
	const char *was = NULL;
	enum err e;

	for (;;) {
		if (g->blob == NULL)
			return ERR_NOT_FOUND;
		e = blob_get(rq->db, rq->mem, g->blob, b);
		if (e == OK && !etag_known(rq, etag_of(rq, b)))
			e = blob_open(rq->conf, rq->mem, b->file, f);
		if (e != ERR_NOT_FOUND)
			return e;
		if (was != NULL && strcmp(was, g->blob) == 0)
			break;
		was = g->blob;
		e = glossary_get(rq->db, rq->mem, g->account, g->id, g);
		if (e != OK)
			return e;
	}
	log_error("glossary %s: its file is missing", g->id);
	return ERR_FAILED;
}

static struct reply
get_file(struct request *rq)
{
	struct glossary *g = rq->it;
	struct blob_file f;
	const char *etag;
	bool workbook;
	struct blob b;
	enum err e;

	if ((e = open_file(rq, g, &b, &f)) == ERR_NOT_FOUND)
		return problem_err(rq, e);
	if (e != OK)
		return store_problem(rq, e);
	etag = etag_of(rq, &b);
	header(rq, "ETag", "%s", etag);
	if (etag_known(rq, etag))
		return reply_empty(rq, 304);
	workbook = strncmp(b.mime_type, XLSX_TYPE, strlen(XLSX_TYPE)) == 0;
	header(rq, "Content-Type", "%s", workbook ? XLSX_TYPE : CSV);
	header(rq, "Content-Disposition", "attachment; filename=\"%s\"",
	    file_name(rq, g, workbook));
	return reply_file(rq, 200, f.fd, 0, f.bytes);
}

/* clang-format off */
#define GLOSSARY "/saas/glossary/{glossary_id}"

const struct route	 glossary_routes[] = {
	{ "POST",   "/saas/glossary", add_glossary, "glossaries:write", JSON_BODY | IDEMPOTENT,
	  BODY(glossary_add_fields, struct glossary), .rules = target_rules,
	  .summary = "Make a glossary", .shape = A_ONE, .out = glossary_fields },
	{ "GET",    GLOSSARY, get_glossary, "glossaries:read", 0, find_glossary,
	  .summary = "Read one glossary", .shape = A_ONE, .out = glossary_fields, .also = "304" },
	{ "POST",   GLOSSARY, edit_glossary, "glossaries:write",
	  JSON_BODY | PARTIAL | IF_MATCH | LOCKED, find_glossary,
	  BODY(glossary_edit_fields, struct glossary), .summary = "Change a glossary",
	  .shape = A_ONE, .out = glossary_fields },
	{ "DELETE", GLOSSARY, drop_glossary, "glossaries:write", IF_MATCH | LOCKED, find_glossary,
	  .called = MEMBER(glossary, name), .summary = "Delete a glossary with its terms" },
	{ "POST",   GLOSSARY "/upload", add_file, "glossaries:write", RAW_BODY, find_for_upload,
	  admit_upload, .summary = "Upload the glossary's file, as multipart/form-data",
	  .shape = A_ONE, .out = glossary_fields, .also = "400 409 413 415 422 507" },
	{ "GET",    GLOSSARY "/upload", get_file, "glossaries:read", 0, find_glossary,
	  .summary = "Read the file as it was uploaded", .shape = A_FILE, .also = "304" },
	{ "POST",   "/saas/glossaries/rows", get_rows, "glossaries:write", RAW_BODY,
	  .summary = "Read the rows of a workbook, without storing it",
	  .shape = A_FILE, .also = "400 413 415 422" },
	{ "GET",    "/saas/glossaries", list_glossaries, "glossaries:read",
	  QUERY(page_fields, struct page), .token = "token", .summary = "List own glossaries",
	  .shape = A_PAGE, .out = glossary_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("glossaries", glossary_routes, account_sql, idempotent_response_sql, blob_sql,
    glossary_sql, queue_sql)
