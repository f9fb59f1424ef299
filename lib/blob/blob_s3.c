/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bucket of S3 or a compatible service.  Every call of ours has a presigned URL
 * (sigv4.h), so there is one way to sign, whichever client makes the call.  The
 * operator chose the address, so it may be in a private network.
 */
#include "blob/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/xml.h"
#include "blob/sigv4.h"
#include "net/http.h"

#define BYTES_MS 1000                /* lowest rate of a body, bytes per millisecond */
#define CALL_S 300                   /* validity of the signature of our own calls */
#define ANSWER_BYTES 65536           /* longest answer that is not a file */
#define FILE_BYTES ((size_t)1 << 32) /* largest file that is fetched */

/* Returns a presigned URL; call has all members but the URL. */
static const char *
address_of(
    const struct conf *c, struct arena *mem, const char *name, struct sigv4_call *call)
{
	const struct sigv4 v = blob_signer(c);

	call->url = arena_printf(
	    mem, "%s/%s", blob_bucket_url(c, mem), sigv4_encode(mem, name, true));
	return sigv4_url(mem, &v, call);
}

static bool
has_endpoint(const struct conf *c)
{
	if (strstr(c->blob_endpoint, "://") != NULL)
		return true;
	log_error("blob.endpoint is not set to an address");
	return false;
}

/* Returns the result of an answer, and logs S3's error code. */
static enum err
verdict(struct arena *mem, const struct http_call *call, const struct http_answer *a)
{
	struct xml_text told[] = { { "Code", NULL } };
	enum err e = http_verdict(a->status);
	const char *code = "";

	if (e == OK)
		return OK;
	if (xml_read(mem, a->body, a->body_len, told, 1) && told[0].text != NULL)
		code = told[0].text;
	if (a->status == 404 && strcmp(code, "NoSuchBucket") != 0)
		return ERR_NOT_FOUND;
	log_warn("blob: %s %s answers %d %.40s", call->method,
	    http_loggable_url(mem, call->url), a->status, code);
	return e;
}

/* The caller sets the method and the members that differ from call to call. */
static enum err
call_s3(const struct conf *c, struct arena *mem, const char *name,
    struct http_call *call, struct http_answer *a)
{
	struct sigv4_call signing = {
		.method = call->method, .now_us = now_us(), .seconds = CALL_S
	};
	enum err e;

	if (!has_endpoint(c))
		return ERR_UNSUPPORTED;
	call->url = address_of(c, mem, name, &signing);
	call->timeout_ms =
	    (int)(c->engine_timeout_ms + (int64_t)call->body_len / BYTES_MS);
	call->allow_private = true;
	if (call->max_bytes == 0)
		call->max_bytes = ANSWER_BYTES;
	if ((e = http_do(mem, call, a)) != OK)
		return e;
	return verdict(mem, call, a);
}

static enum err
put_file(const struct conf *c, struct arena *mem, int fd, const char *name)
{
	struct http_call call = { .method = "PUT" };
	struct http_answer a;
	struct stat st;
	void *map = NULL;
	enum err e;

	if (fstat(fd, &st) != 0)
		return blob_failed("read a file's size", errno);
	call.body_len = (size_t)st.st_size;
	if (st.st_size > 0 && (map = mmap(NULL, call.body_len, PROT_READ, MAP_PRIVATE,
				   fd, 0)) == MAP_FAILED)
		return blob_failed("map a file", errno);
	call.body = map;
	e = call_s3(c, mem, name, &call, &a);
	if (map != NULL)
		munmap(map, call.body_len);
	return e == ERR_NOT_FOUND ? ERR_REFUSED : e;
}

static enum err
s3_store(const struct conf *c, struct arena *mem, const char *from, const char *name)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	enum err e;

	if (fd < 0)
		return blob_failed("open", errno);
	e = put_file(c, mem, fd, name);
	close(fd);
	return e;
}

/* A file that is being fetched. */
struct fetching {
	int fd, errnum; /* 0: all received bytes were written */
};

static bool
add_piece(void *arg, const void *p, size_t n)
{
	struct fetching *f = arg;

	if (!file_write(f->fd, p, n))
		f->errnum = errno;
	return f->errnum == 0;
}

static enum err
s3_open(const struct conf *c, struct arena *mem, const char *name, struct blob_file *to)
{
	struct fetching f = { .errnum = 0 };
	struct http_call call = {
		.method = "GET", .max_bytes = FILE_BYTES, .take = add_piece, .arg = &f
	};
	struct http_answer a;
	enum err e = OK;

	if ((to->fd = blob_temporary(c, mem, &to->path, &e)) < 0)
		return e;
	f.fd = to->fd;
	if ((e = call_s3(c, mem, name, &call, &a)) == OK && f.errnum != 0)
		e = blob_failed("write", f.errnum);
	if (e == OK && lseek(to->fd, 0, SEEK_SET) != 0)
		e = blob_failed("rewind", errno);
	if (e != OK) {
		close(to->fd);
		return e;
	}
	to->bytes = (int64_t)a.body_len;
	return OK;
}

static enum err
s3_stat(
    const struct conf *c, struct arena *mem, const char *name, struct blob_facts *to)
{
	struct http_call call = { .method = "HEAD" };
	struct http_answer a;
	enum err e;

	if ((e = call_s3(c, mem, name, &call, &a)) == OK)
		*to = (struct blob_facts){ .bytes = a.content_bytes, .etag = a.etag };
	return e;
}

static enum err
s3_remove(const struct conf *c, struct arena *mem, const char *name)
{
	struct http_call call = { .method = "DELETE" };
	struct http_answer a;
	enum err e = call_s3(c, mem, name, &call, &a);

	return e == ERR_NOT_FOUND ? OK : e;
}

static const char *
s3_link(const struct conf *c, struct arena *mem, const char *name,
    const char *mime_type, int64_t now, int64_t seconds)
{
	const struct sigv4_param params[] = {
		{ "response-content-disposition", "attachment" },
		{ "response-content-type", mime_type },
	};
	struct sigv4_call call = {
		.method = "GET",
		.params = params,
		.nparams = 2,
		.now_us = now,
		.seconds = seconds < 1             ? 1
			   : seconds > SIGV4_MAX_S ? SIGV4_MAX_S
						   : seconds,
	};

	return has_endpoint(c) ? address_of(c, mem, name, &call) : NULL;
}

const struct blob_store blob_s3 = { BLOB_S3, s3_store, s3_open, s3_stat, s3_remove,
	s3_link, NULL };

/* ---- where the bucket is: blob.bucket at blob.endpoint, as blob.addressing says ----
 */

struct sigv4
blob_signer(const struct conf *c)
{
	return (struct sigv4){ c->blob_access_key, c->blob_secret_key, c->blob_region };
}

static const char *
host_of(const char *endpoint)
{
	const char *at = strstr(endpoint, "://");

	return at != NULL ? at + 3 : endpoint;
}

/*
 * True if blob.endpoint has its old spelling, with the bucket in it:
 * "https://media.s3.example.org", "https://media.example.org" of a bucket of that
 * name, and "https://s3.example.org/media".
 */
static bool
names_bucket(const struct conf *c)
{
	size_t n = strlen(c->blob_bucket), length = strlen(c->blob_endpoint);
	const char *host = host_of(c->blob_endpoint), *last = strrchr(host, '/');

	if (n == 0 || c->blob_addressing[0] != '\0' || length == 0)
		return false;
	return (strncmp(host, c->blob_bucket, n) == 0 &&
		   strchr("./:", host[n]) != NULL) ||
	       (last != NULL && strcmp(last + 1, c->blob_bucket) == 0);
}

const char *
blob_bucket_url(const struct conf *c, struct arena *mem)
{
	const char *host = host_of(c->blob_endpoint);

	if (strcmp(c->blob_addressing, "own") == 0 || names_bucket(c))
		return c->blob_endpoint;
	if (strcmp(c->blob_addressing, "host") == 0)
		return arena_printf(mem, "%.*s%s.%s", (int)(host - c->blob_endpoint),
		    c->blob_endpoint, c->blob_bucket, host);
	return arena_printf(mem, "%s/%s", c->blob_endpoint, c->blob_bucket);
}

/* ---- is the bucket there ---- */

static const struct {
	const char *code, *why; /* S3's error code; the remedy */
} refusals[] = {
	{ "NoSuchBucket", "There is no such bucket: blob.bucket, or blob.addressing." },
	{ "InvalidBucketName", "The bucket's name is invalid: blob.bucket." },
	{ "MethodNotAllowed", "The address is not a bucket's: blob.addressing." },
	{ "InvalidAccessKeyId", "The access key is unknown: blob.access_key." },
	{ "SignatureDoesNotMatch",
	    "The key is wrong: blob.access_key, blob.secret_key." },
	{ "AccessDenied",
	    "The key may not list the bucket: its policy, or blob.bucket." },
	{ "AuthorizationHeaderMalformed", "The region is wrong: blob.region." },
	{ "AuthorizationQueryParametersError", "The region is wrong: blob.region." },
	{ "PermanentRedirect", "The bucket is elsewhere: blob.endpoint, blob.region." },
	{ "RequestTimeTooSkewed", "The clock of this host is wrong." },
};

static const char *
refusal(struct arena *mem, const char *code, int status)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strcmp(refusals[i].code, code) == 0)
			return refusals[i].why;
	return arena_printf(mem, "The bucket answers %d %.40s.", status, code);
}

/* params: of ListObjectsV2; see sigv4.h for their order. */
static enum err
list_bucket(const struct conf *c, struct arena *mem, const struct sigv4_param *params,
    size_t n, struct http_answer *a)
{
	const struct sigv4 v = blob_signer(c);
	const struct sigv4_call signing = { .method = "GET",
		.url = arena_printf(mem, "%s/", blob_bucket_url(c, mem)),
		.params = params,
		.nparams = n,
		.now_us = now_us(),
		.seconds = CALL_S };
	const struct http_call call = { .method = "GET",
		.url = sigv4_url(mem, &v, &signing),
		.timeout_ms = (int)c->engine_timeout_ms,
		.max_bytes = ANSWER_BYTES,
		.allow_private = true };

	return http_do(mem, &call, a);
}

/* List no keys, because every other request would need an existing key. */
static enum err
list_nothing(const struct conf *c, struct arena *mem, struct http_answer *a)
{
	static const struct sigv4_param params[] = { { "list-type", "2" },
		{ "max-keys", "0" } };

	return list_bucket(c, mem, params, 2, a);
}

const char *
blob_fault(const struct conf *c, struct arena *mem)
{
	struct xml_text told[] = { { "Code", NULL }, { "Name", NULL },
		{ "MaxKeys", NULL } };
	struct http_answer a;

	if (strcmp(c->blob_store, BLOB_S3) != 0)
		return NULL;
	if (list_nothing(c, mem, &a) != OK)
		return "The bucket does not answer: blob.endpoint.";
	if (!xml_read(mem, a.body, a.body_len, told, 3))
		return arena_printf(mem,
		    "The server at blob.endpoint answers %d and is not S3: "
		    "blob.endpoint, "
		    "blob.addressing.",
		    a.status);
	if (a.status != 200)
		return refusal(mem, told[0].text != NULL ? told[0].text : "", a.status);
	if (told[1].text == NULL || told[2].text == NULL ||
	    strcmp(told[1].text, c->blob_bucket) != 0)
		return "Another bucket answers: blob.bucket, or blob.addressing.";
	if (names_bucket(c))
		log_warn("blob.endpoint contains the bucket, which only this release "
			 "still accepts: set it to the address of the service, or set "
			 "blob.addressing = own");
	return NULL;
}

/* ---- clearing a prefix of the bucket ---- */

#define PAGE "100" /* keys: fewer bytes than XML_READ_BYTES */

/* The files below a prefix; newest_us: time of the newest. */
struct found {
	const char *prefix;
	struct buf names; /* const char *: keys */
	size_t n;
	int64_t newest_us;
};

enum { KEY, MODIFIED, TEXTS };

/* Keys outside our prefix are ignored, whatever the bucket returns. */
static void
add_rows(struct found *f, const struct list *rows)
{
	const struct xml_text(*row)[TEXTS] = rows->items;
	int64_t us;

	for (size_t i = 0; i < rows->n; i++) {
		const char *key = row[i][KEY].text, *when = row[i][MODIFIED].text;

		if (key == NULL || strncmp(key, f->prefix, strlen(f->prefix)) != 0)
			continue;
		/* An unreadable time counts as now. */
		if (when == NULL || !time_parse(when, &us))
			us = now_us();
		f->newest_us = us > f->newest_us ? us : f->newest_us;
		buf_put(&f->names, &key, sizeof(key));
		f->n++;
	}
}

/* Get the next page after the last key; *more: another page follows. */
static enum err
list_page(const struct conf *c, struct arena *mem, struct found *f, bool *more)
{
	static const char *const names[] = { "Key", "LastModified" };
	const char *const *keys = (const char *const *)(void *)f->names.p;
	const struct sigv4_param params[] = { { "list-type", "2" },
		{ "max-keys", PAGE }, { "prefix", f->prefix },
		{ "start-after", f->n > 0 ? keys[f->n - 1] : "" } };
	struct xml_text cut[] = { { "IsTruncated", NULL } };
	size_t was = f->n;
	struct http_answer a;
	struct xml_rows found = {
		.element = "Contents", .names = names, .ntexts = TEXTS
	};
	enum err e;

	if ((e = list_bucket(c, mem, params, f->n > 0 ? 4 : 3, &a)) != OK)
		return e;
	if ((e = http_verdict(a.status)) != OK ||
	    !xml_read(mem, a.body, a.body_len, cut, 1) ||
	    !xml_read_rows(mem, a.body, a.body_len, &found)) {
		log_warn("blob: the list of %s answers %d", f->prefix, a.status);
		return e != OK ? e : ERR_REFUSED;
	}
	add_rows(f, &found.rows);
	*more = f->n > was && cut[0].text != NULL && strcmp(cut[0].text, "true") == 0;
	return OK;
}

enum err
blob_bucket_clear(
    const struct conf *c, struct arena *mem, const char *prefix, int64_t before_us)
{
	struct found f = { .prefix = arena_printf(mem, "%s/", prefix),
		.names = { .mem = mem } };
	const char *const *keys;
	bool more = true;
	enum err e = OK;

	if (strcmp(c->blob_store, BLOB_S3) != 0)
		return OK;
	while (e == OK && more && f.n < BLOB_CLEAR_MOST)
		e = list_page(c, mem, &f, &more);
	keys = (const char *const *)(void *)f.names.p;
	for (size_t i = 0; e == OK && f.newest_us < before_us && i < f.n; i++)
		e = s3_remove(c, mem, keys[i]);
	return e;
}
