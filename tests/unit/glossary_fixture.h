/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_GLOSSARY_FIXTURE_H
#define TESTS_UNIT_GLOSSARY_FIXTURE_H

/* The program of glossaries in a fixture.  A test defines UNIT_TEST first. */
#include "tests/unit/unit.h"

#include "cgi-bin/glossaries.c"

#define MADE_US (INT64_C(1795169924) * S_US) /* 2026-11-20T10:18:44Z */

static inline void
glossary_fixture(void)
{
	static const struct sql *const prepared[] = { account_sql,
		idempotent_response_sql, blob_sql, glossary_sql, queue_sql, NULL };

	fixture_open("glossaries", glossary_routes, prepared);
	fixture.app.conf.blob_reserve_bytes = 0;
}

static inline const char *
put_glossary(const char *account, const char *name, int64_t created_us)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name, "
	    "enabled,"
	    " type, source_lang, target_lang) VALUES ('%s', '%s', %lld, %lld, '%s', 1,"
	    " 'translation', 'en', 'de')",
	    id, account, (long long)created_us, (long long)created_us, name));
	return id;
}

static inline void
set_glossary(const char *id, const char *to)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE glossaries SET %s WHERE id = '%s'", to, id));
}

static inline struct response
on(const char *method, const char *id, const char *body)
{
	return ask(arena_printf(fixture.mem, "%s /saas/glossary/%s", method, id), body);
}

/* ---- files ---- */

#define FORM_TYPE "Content-Type: multipart/form-data; boundary=B"

/* "--B" and the headers of a part; each further line brings its own line end. */
#define PART(disposition, lines)                                                       \
	"--B\r\nContent-Disposition: form-data; " disposition "\r\n" lines "\r\n"
#define CSV_LINE "Content-Type: text/csv\r\n"
#define FILE_PART PART("name=\"file\"; filename=\"terms.csv\"", CSV_LINE)
#define FORM_END "\r\n--B--\r\n"

static inline struct response
upload_bytes(const char *id, const char *body, size_t n)
{
	return ask_bytes(arena_printf(fixture.mem, "POST /saas/glossary/%s/upload", id),
	    body, n, HEADS(FORM_TYPE));
}

/* Returns a complete form with that file. */
static inline struct response
upload(const char *id, const char *file)
{
	const char *body = arena_printf(fixture.mem, FILE_PART "%s" FORM_END, file);

	return upload_bytes(id, body, strlen(body));
}

static int files_counted;

static inline int
files_count(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	files_counted += type == FTW_F;
	return 0;
}

/* Files below blob.dir, temporary ones too. */
static inline int
files(void)
{
	files_counted = 0;
	nftw(fixture.app.conf.blob_dir, files_count, 16, FTW_PHYS);
	return files_counted;
}

/* Returns the glossary's file as clients get it. */
static inline struct response
download(const char *id, const char *const *heads)
{
	struct wire w = { heads, NULL, 0 };
	struct request rq = { .mem = fixture.wire,
		.app = &fixture.app,
		.conf = &fixture.app.conf,
		.db = fixture.app.db,
		.method = "GET",
		.target = arena_printf(fixture.mem, "/saas/glossary/%s/upload", id),
		.peer = "192.0.2.7",
		.param = wire_param,
		.read = wire_read,
		.wire = &w };
	struct response a = { .status = 0 };
	const char *why;
	char *body;

	rq.common.mem = rq.head.mem = rq.out.mem = fixture.wire;
	dispatch(&rq);
	buf_put(&rq.common, rq.head.p, rq.head.len);
	a.status = rq.status;
	a.head = arena_dup(fixture.mem, rq.common.p, rq.common.len);
	if (rq.file >= 0) {
		a.body = body = arena_alloc(fixture.mem, (size_t)rq.file_bytes + 1);
		ck_assert_int_eq(
		    pread(rq.file, body, (size_t)rq.file_bytes, rq.file_at),
		    rq.file_bytes);
	} else {
		a.body = arena_dup(fixture.mem, rq.out.p, rq.out.len);
		a.json = json_read(fixture.mem, rq.out.p, rq.out.len, &why);
	}
	arena_reset(fixture.wire);
	answer_check(&a, rq.target);
	return a;
}

#endif
