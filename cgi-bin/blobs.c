/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /blobs: receives files by signed forms, as S3 does, and serves them by signed links
 * or to their owner.
 *
 * A file that arrives is written to a temporary file, synced and renamed to a new name.
 * Only then the row is changed and committed, and the answer is 201. The file that it
 * replaces is removed last.
 */
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/xml.h"
#include "blob/blob.h"
#include "blob/signed_url.h"
#include "blob/upload_form.h"
#include "service/upload.h"
#include "store/blobs.h"
#include "store/voices.h"
#include "web/multipart.h"
#include "web/policy.h"
#include "web/range.h"
#include "web/s3.h"
#include "web/upload_slot.h"
#include "work/queue.h"

/* ---- arrival ---- */

struct upload {
	struct request *rq;
	struct multipart *form;
	struct policy_field fields[MULTIPART_PARTS]; /* fields that precede the file */
	size_t n;
	bool at_file;
	struct policy_bound bound;
	struct blob blob;
	int64_t capacity; /* storage of the account; 0: no limit */
	struct upload_slot *slot;
	struct blob_in *in;
	struct blob_facts facts;
};

static enum s3
framing(enum err e)
{
	return e == OK ? S3_OK : e == ERR_LIMIT ? S3_TOO_MUCH : S3_MALFORMED;
}

static enum s3
open_form(struct upload *u)
{
	struct request *rq = u->rq;
	enum err e;

	/*
	 * Web servers hide a chunked body; their configuration sets DRAGOMAN_CHUNKED.
	 */
	if (rq->content_length < 0 || rq->param(rq, "CONTENT_LENGTH") == NULL ||
	    rq->param(rq, "DRAGOMAN_CHUNKED") != NULL)
		return S3_LENGTH;
	if ((e = upload_slot_acquire(rq->mem, rq->conf->state_dir, &u->slot)) != OK)
		return s3_meaning(e);
	return framing(input_form(rq, &u->form));
}

static enum s3
read_fields(struct upload *u)
{
	struct multipart_part part;
	enum err e;
	size_t n;

	while ((e = multipart_next(u->form, &part)) == OK) {
		struct policy_field *f = &u->fields[u->n];

		if ((u->at_file = strcasecmp(part.name, "file") == 0))
			return S3_OK;
		f->name = part.name;
		if ((e = multipart_text(u->form, &f->value, &n)) != OK)
			break;
		if (strlen(f->value) != n)
			return S3_MALFORMED;
		u->n++;
	}
	return e == ERR_NOT_FOUND ? S3_OK : framing(e);
}

/* True if a field of the form follows the file. */
static bool
fields_follow(struct upload *u)
{
	struct multipart_part part;

	while (multipart_next(u->form, &part) == OK)
		for (int i = 0; i < FORM_FIELDS; i++)
			if (strcasecmp(part.name, policy_names[i]) == 0)
				return true;
	return false;
}

static enum s3
check_form(struct upload *u)
{
	static const enum s3 means[] = {
		[POLICY_GOOD] = S3_OK,
		[POLICY_NONE] = S3_DENIED,
		[POLICY_DENIED] = S3_DENIED,
		[POLICY_KEY] = S3_KEY,
		[POLICY_SIGNATURE] = S3_SIGNATURE,
		[POLICY_ARGUMENT] = S3_ARGUMENT,
	};
	const struct sigv4 signer = blob_signer(u->rq->conf);
	enum policy_verdict v =
	    policy_check(u->rq->mem, &signer, u->fields, u->n, now_us(), &u->bound);

	if (means[v] == S3_DENIED && u->at_file && fields_follow(u))
		return S3_ARGUMENT;
	if (v == POLICY_GOOD && !u->at_file)
		return S3_TOO_SMALL;
	return means[v];
}

/* Get the blob that the key names, and how much its account may store. */
static enum s3
find_blob(struct upload *u)
{
	const struct request *rq = u->rq;
	const char *key = u->bound.key, *slash = strrchr(key, '/');
	const char *id = slash != NULL ? id_read(rq->mem, slash + 1) : NULL;
	struct caller owner;
	enum err e;

	if (id == NULL)
		return S3_DENIED;
	if ((e = blob_get(rq->db, rq->mem, id, &u->blob)) != OK)
		return s3_meaning(e);
	if (u->blob.account == NULL ||
	    strcmp(upload_form_key(rq->mem, u->blob.account, id), key) != 0)
		return S3_DENIED;
	e = caller_by_account(rq->db, rq->mem, rq->conf, u->blob.account, &owner);
	if (e != OK)
		return s3_meaning(e);
	u->capacity = owner.plan.storage_bytes;
	return strcmp(u->blob.state, "awaiting") == 0 ||
		       strcmp(u->blob.state, "stored") == 0
		   ? S3_OK
		   : S3_ABORTED;
}

static enum s3
receive_file(struct upload *u)
{
	struct request *rq = u->rq;
	int64_t bytes = 0, expected = rq->content_length;
	const char *p;
	enum err e;
	size_t n;

	if (expected > u->bound.max_bytes)
		expected = u->bound.max_bytes;
	if ((e = upload_slot_expect(u->slot, rq->conf->blob_dir, expected)) != OK ||
	    (e = blob_begin(rq->conf, rq->mem, expected, &u->in)) != OK)
		return s3_meaning(e);
	while ((e = multipart_bytes(u->form, &p, &n)) == OK && n > 0) {
		if ((bytes += (int64_t)n) > u->bound.max_bytes)
			return S3_TOO_LARGE;
		if ((e = blob_put(u->in, p, n)) != OK)
			return s3_meaning(e);
	}
	return e == OK && bytes < u->bound.min_bytes ? S3_TOO_SMALL : framing(e);
}

/* Ignore the rest after the file, but require that it is complete. */
static enum s3
end_form(struct upload *u)
{
	struct multipart_part part;
	char rest[256];
	enum err e;

	while ((e = multipart_next(u->form, &part)) == OK)
		;
	if (e != ERR_NOT_FOUND)
		return framing(e);
	while (u->rq->read(u->rq, rest, sizeof(rest)) > 0)
		;
	return u->rq->cut ? S3_MALFORMED : S3_OK;
}

static enum s3
store_file(struct upload *u)
{
	const struct request *rq = u->rq;
	const char *file = blob_name(rq->mem, u->blob.id);
	enum err e = blob_end(u->in, file, &u->facts);

	if (e == OK)
		e = upload_received_record(rq->db, rq->mem, rq->conf,
		    &(const struct upload_received){ u->blob.id, u->blob.account, file,
			u->facts.bytes, u->facts.sha256, u->capacity, true });
	return s3_meaning(e);
}

static struct reply
reply_arrival(const struct upload *u)
{
	struct request *rq = u->rq;
	const char *etag = arena_printf(rq->mem, "\"%s\"", u->facts.sha256);
	const char *place =
	    arena_printf(rq->mem, "%s/blobs/%s", rq->conf->server_base_url, u->blob.id);
	const struct xml_text told[] = {
		{ "Location", place },
		{ "Bucket", rq->conf->blob_bucket },
		{ "Key", u->bound.key },
		{ "ETag", etag },
	};

	header(rq, "ETag", "%s", etag);
	if (u->bound.status != 200) /* Apache answers 200 with a redirect to it */
		header(rq, "Location", "%s", place);
	if (u->bound.status != 201)
		return reply_empty(rq, u->bound.status);
	return reply_text(
	    rq, 201, "application/xml", xml_write(rq->mem, "PostResponse", told, 4));
}

static struct reply
add_file(struct request *rq)
{
	struct upload *u = arena_alloc(rq->mem, sizeof(*u));
	enum s3 no;

	u->rq = rq;
	if ((no = open_form(u)) != S3_OK || (no = read_fields(u)) != S3_OK ||
	    (no = check_form(u)) != S3_OK || (no = find_blob(u)) != S3_OK ||
	    (no = receive_file(u)) != S3_OK || (no = end_form(u)) != S3_OK ||
	    (no = store_file(u)) != S3_OK)
		return s3_refuse(rq, no);
	return reply_arrival(u);
}

/* ---- reading ---- */

struct link_in {
	const char *expires, *signature;
};

/* clang-format off */
static const struct field	 link_fields[] = FIELDS(
	{ "expires",   F_TEXT, MEMBER(link_in, expires),   .flags = F_IO | F_OPT },
	{ "signature", F_TEXT, MEMBER(link_in, signature), .flags = F_IO | F_OPT }
);
/* clang-format on */

/* The file may just have been replaced: then read the row again for its new name. */
static enum err
open_file(struct request *rq, struct blob *b, struct blob_file *f)
{
	const char *was = b->file;
	enum err e = blob_open(rq->conf, rq->mem, b->file, f);

	if (e != ERR_NOT_FOUND)
		return e;
	if ((e = blob_get(rq->db, rq->mem, b->id, b)) != OK)
		return e;
	if (b->file != NULL && strcmp(b->file, was) != 0)
		return blob_open(rq->conf, rq->mem, b->file, f);
	log_error("blob %s: its file is missing", b->id);
	return ERR_FAILED;
}

/* The name of a file is never used twice, so it serves as an entity tag. */
static const char *
etag_of(const struct request *rq, const struct blob *b)
{
	return arena_printf(rq->mem, "\"%s\"", b->sha256 != NULL ? b->sha256 : b->file);
}

/* left_s: seconds for which the link is still valid; 0: the owner asks. */
static struct reply
send_blob(struct request *rq, struct blob *b, int64_t left_s)
{
	const char *etag = etag_of(rq, b), *elsewhere;
	struct blob_file f;
	enum err e;

	elsewhere = blob_link(rq->conf, rq->mem, b->file, b->mime_type, now_us(),
	    left_s > 0 ? left_s : rq->conf->blob_url_s);
	rq->cache = arena_printf(rq->mem, "private, max-age=%lld", (long long)left_s);
	if (elsewhere != NULL) {
		header(rq, "Location", "%s", elsewhere);
		return reply_empty(rq, 307);
	}
	if (etag_known(rq, etag)) {
		header(rq, "ETag", "%s", etag);
		return reply_empty(rq, 304);
	}
	if ((e = open_file(rq, b, &f)) != OK)
		return problem_err(rq, e);
	header(rq, "Content-Type", "%s", b->mime_type);
	header(rq, "Content-Disposition", "attachment");
	header(rq, "Content-Security-Policy", "sandbox");
	return range_reply(rq, f.fd, f.bytes, etag_of(rq, b));
}

static struct reply
get_own(struct request *rq)
{
	struct reply no;
	struct blob b;
	enum err e;

	if (!auth_pass(rq, "uploads:write", &no))
		return no;
	e = blob_own(rq->db, rq->mem, rq->who->account, rq->args[0], &b);
	return e != OK ? problem_err(rq, e) : send_blob(rq, &b, 0);
}

/* A blob without an account is public; links of a suspended account are refused. */
static bool
owner_is_active(struct request *rq, const struct blob *b, struct reply *no)
{
	int64_t balance_micro;
	enum err e = b->account != NULL
			 ? account_active(rq->db, b->account, &balance_micro)
			 : OK;

	if (e == ERR_NOT_FOUND)
		*no = problem(rq, P_LINK_INVALID, "The link is wrong or has expired.");
	else if (e != OK)
		*no = problem_err(rq, e);
	return e == OK;
}

static struct reply
get_blob(struct request *rq)
{
	const struct link_in *in = rq->query;
	struct reply no;
	struct blob b;
	int64_t left;
	enum err e;

	if (in->expires == NULL && in->signature == NULL)
		return get_own(rq);
	if (!auth_public(rq, &no))
		return no;
	left = signed_url_left(
	    rq->conf, rq->mem, rq->args[0], in->expires, in->signature, now_us());
	if (left == 0)
		return problem(rq, P_LINK_INVALID, "The link is wrong or has expired.");
	e = blob_get(rq->db, rq->mem, rq->args[0], &b);
	if (e == OK && !blob_has_bytes(&b))
		e = ERR_NOT_FOUND;
	if (e == OK && !owner_is_active(rq, &b, &no))
		return no;
	return e != OK ? problem_err(rq, e) : send_blob(rq, &b, left);
}

/* ---- removing ---- */

static enum err
find_own(struct request *rq)
{
	rq->it = arena_alloc(rq->mem, sizeof(struct blob));
	return blob_own(rq->db, rq->mem, rq->who->account, rq->args[0], rq->it);
}

static struct reply
drop_blob(struct request *rq)
{
	const struct blob *b = rq->it;
	enum err e;

	if (strcmp(b->kind, "upload") != 0)
		return problem(rq, P_BLOB_IN_USE, "A %s needs this file.",
		    strcmp(b->kind, "recording") == 0 ? "recording" : "voice");
	if ((e = blob_drop(rq->db, b)) != OK)
		return problem_err(rq, e == ERR_STALE ? ERR_BUSY : e);
	return reply_null(rq, 200);
}

/* clang-format off */
const struct route	 blob_routes[] = {
	{ "POST",   "/blobs", add_file, NULL, RAW_BODY | UNLIMITED, .problem = s3_problem,
	  .summary = "Send a file with a signed form, as to S3", .status = 201,
	  .also = "200 204 400 403 409 411 500 503 507" },
	{ "GET",    "/blobs/{blob_id}", get_blob, NULL, UNLIMITED,
	  QUERY(link_fields, struct link_in), .summary = "Read a file", .shape = A_FILE,
	  .also = "206 304 307 401 403 404 416 429" },
	{ "DELETE", "/blobs/{blob_id}", drop_blob, "uploads:write", LOCKED, find_own,
	  .called = MEMBER(blob, filename), .summary = "Delete an uploaded file", .also = "409" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("blobs", blob_routes, account_sql, blob_sql, voice_processing_sql, queue_sql)
