/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BLOBS_H
#define TESTS_UNIT_BLOBS_H

/*
 * Shared by the tests of /blobs: an account with two blobs that wait for a file of 10
 * to 100,000 bytes, a form to send one, and answers in XML, JSON or bytes.
 */
#define UNIT_TEST
#include "../../cgi-bin/blobs.c"

#include "base/text.h"
#include "base/xml.h"
#include "unit.h"

#define ACCOUNT "62f746b4-84e6-4ceb-95bd-447e7184d454"
#define OTHER "72f746b4-84e6-4ceb-95bd-447e7184d454"
#define BLOB "ec7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define SAMPLE "fc7ac8ad-1b2b-406b-aae1-2c972399d29d" /* id of VOICE's sample */
#define VOICE "0c7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define MIN 10
#define MAX 100000

/* ---- what is there ---- */

static inline void
blobs_open(void)
{
	static const struct sql *const prepared[] = { account_sql, blob_sql,
		voice_processing_sql, queue_sql, NULL };

	fixture_open("blobs", blob_routes, prepared);
	fixture.app.conf.blob_reserve_bytes = 0;
	fixture.bearer = NULL;
	sql("INSERT INTO accounts (id, name, status, created_us) VALUES"
	    " ('" ACCOUNT "', 'a', 'active', 1), ('" OTHER "', 'b', 'active', 1);"
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, voice,"
	    " min_bytes, max_bytes, created_us) VALUES ('" BLOB "', '" ACCOUNT
	    "', 'upload', 'awaiting', 'audio/wav', 'x.wav', NULL, 10, 100000, 1),"
	    " ('" SAMPLE "', '" ACCOUNT "', 'voice_sample', 'awaiting', 'audio/wav',"
	    " 'x.wav', '" VOICE "', 10, 100000, 1);"
	    "INSERT INTO voices (id, account, created_us, updated_us, name, folded,"
	    " status, lang, hidden, denoise, normalise) VALUES ('" VOICE "', '" ACCOUNT
	    "', 1, 1, 'v', 'v', 'created', 'en', 0, 0, 0);");
}

static int blobs_counted;

static inline int
blobs_count(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	blobs_counted += type == FTW_F;
	return 0;
}

/* Files below blob.dir, temporary ones too. */
static inline int
files(void)
{
	blobs_counted = 0;
	nftw(fixture.app.conf.blob_dir, blobs_count, 16, FTW_PHYS);
	return blobs_counted;
}

static inline int
stored(void)
{
	return number("SELECT stored_bytes FROM accounts WHERE id = '" ACCOUNT "'");
}

static inline int
jobs(void)
{
	return number("SELECT count(*) FROM jobs");
}

static inline struct blob
row(const char *id)
{
	struct blob b;

	ck_assert_int_eq(blob_get(fixture.app.db, fixture.mem, id, &b), OK);
	return b;
}

/* ---- requests ---- */

/* A request; its answer is stored for the checks. */
struct call {
	const char *const *heads;
	const char *body;
	size_t len;
	int status;
	const char *head, *out;
	size_t out_len;
};

static inline const char *
blobs_out(const struct request *rq)
{
	char *s;

	if (rq->file < 0)
		return arena_dup(fixture.mem, rq->out.p, rq->out.len);
	s = arena_alloc(fixture.mem, (size_t)rq->file_bytes + 1);
	ck_assert_int_eq(
	    pread(rq->file, s, (size_t)rq->file_bytes, rq->file_at), rq->file_bytes);
	return s;
}

static inline int
send(struct call *c, const char *method, const char *target)
{
	struct wire w = { c->heads, c->body, c->len };
	struct request rq = { .mem = fixture.wire,
		.app = &fixture.app,
		.conf = &fixture.app.conf,
		.db = fixture.app.db,
		.method = method,
		.target = target,
		.peer = "192.0.2.7",
		.param = wire_param,
		.read = wire_read,
		.wire = &w };

	rq.content_length =
	    c->len > 0 && !wire_param(&rq, "CONTENT_LENGTH") ? -1 : (int64_t)c->len;
	rq.common.mem = rq.head.mem = rq.out.mem = fixture.wire;
	dispatch(&rq);
	buf_put(&rq.common, rq.head.p, rq.head.len);
	c->status = rq.status;
	c->head = arena_dup(fixture.mem, rq.common.p, rq.common.len);
	c->out = blobs_out(&rq);
	c->out_len = rq.file < 0 ? rq.out.len : (size_t)rq.file_bytes;
	arena_reset(fixture.wire);
	return c->status;
}

/* The value of a header of the answer, or NULL. */
static inline const char *
header_of(const struct call *c, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = c->head; *s != '\0'; s = strstr(s, "\r\n") + 2)
		if (strncasecmp(s, name, n) == 0 && strncmp(s + n, ": ", 2) == 0)
			return arena_dup(
			    fixture.mem, s + n + 2, strcspn(s + n + 2, "\r"));
	return NULL;
}

static inline const char *
xml_of(const struct call *c, const char *name)
{
	struct xml_text t = { name, NULL };

	ck_assert_str_eq(header_of(c, "Content-Type"), "application/xml");
	ck_assert(xml_read(fixture.mem, c->out, c->out_len, &t, 1));
	return t.text;
}

/* ---- forms ---- */

struct form {
	struct policy_field f[72];
	size_t n;
	const char *file; /* NULL: the form has no such part */
	size_t bytes;
	const char *file_head;    /* headers of the file's part */
	struct policy_field tail; /* a field after the file */
	bool file_first;
};

static struct form form;

static inline void
grant(const char *blob_id, int64_t now)
{
	const struct upload_want w = { ACCOUNT, blob_id, "i", "audio/wav", MIN, MAX };
	struct upload_form t =
	    upload_form_make(fixture.mem, &fixture.app.conf, &w, now);

	form = (struct form){ .n = FORM_FIELDS,
		.file = "0123456789",
		.bytes = MIN,
		.file_head = "filename=\"x.wav\"\r\nContent-Type: audio/wav" };
	for (int i = 0; i < FORM_FIELDS; i++)
		form.f[i] = (struct policy_field){ policy_names[i], t.form[i] };
}

static inline void
blobs_open_form(void)
{
	blobs_open();
	grant(BLOB, now_us());
}

static inline void
set(const char *name, const char *value)
{
	size_t i = 0;

	while (i < form.n && strcmp(form.f[i].name, name) != 0)
		i++;
	if (value == NULL)
		form.f[i] = form.f[--form.n];
	else {
		form.f[i] = (struct policy_field){ name, value };
		form.n += i == form.n;
	}
}

static inline void
give(size_t bytes)
{
	char *s = arena_alloc(fixture.mem, bytes + 1);

	for (size_t i = 0; i < bytes; i++)
		s[i] = (char)(i * 31 + i / 256);
	form.file = s;
	form.bytes = bytes;
}

static inline void
put_field(struct buf *b, const struct policy_field *f)
{
	buf_printf(b,
	    "--BOUNDARY\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
	    f->name, f->value);
}

static inline void
put_file(struct buf *b)
{
	if (form.file == NULL)
		return;
	buf_printf(b,
	    "--BOUNDARY\r\nContent-Disposition: form-data; name=\"file\"; %s\r\n\r\n",
	    form.file_head);
	buf_put(b, form.file, form.bytes);
	buf_str(b, "\r\n");
}

static inline struct call
make_call(void)
{
	static const char *const heads[] = {
		"Content-Type: multipart/form-data; boundary=BOUNDARY",
		"Content-Length: given", NULL
	};
	struct buf b = { .mem = fixture.mem };

	if (form.file_first)
		put_file(&b);
	for (size_t i = 0; i < form.n; i++)
		put_field(&b, &form.f[i]);
	if (!form.file_first)
		put_file(&b);
	if (form.tail.name != NULL)
		put_field(&b, &form.tail);
	buf_str(&b, "--BOUNDARY--\r\n");
	return (struct call){
		.heads = heads,
		.body = b.p,
		.len = b.len,
	};
}

static inline struct call
post(void)
{
	struct call c = make_call();

	send(&c, "POST", "/blobs");
	return c;
}

#endif
