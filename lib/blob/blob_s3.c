/*
 * A bucket of S3 or its kin; bucket.c knows where it is.  Every call of ours is a
 * presigned one (sigv4.h): one signature to get right, whichever client makes the call.
 * The operator named the place, so it may be in a private network.
 */
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
#include "blob/blob.h"
#include "blob/sigv4.h"
#include "net/http.h"

#define BYTES_MS 1000                /* of a body, that are sent in a millisecond */
#define CALL_S 300                   /* that a call of our own is signed for */
#define ANSWER_BYTES 65536           /* of an answer that is no file */
#define FILE_BYTES ((size_t)1 << 32) /* of a file that is fetched */

/* Presigned; call says everything but the URL. */
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

/* What an answer means, with S3's own word for it in the log. */
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
	    http_shown(mem, call->url), a->status, code);
	return e;
}

/* The call says method, and what differs from one call to another. */
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
s3_keep(const struct conf *c, struct arena *mem, const char *from, const char *name)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	enum err e;

	if (fd < 0)
		return blob_failed("open", errno);
	e = put_file(c, mem, fd, name);
	close(fd);
	return e;
}

/* A file that is fetched. */
struct fetching {
	int fd, errnum; /* 0: all that came was written */
};

static bool
keep_piece(void *arg, const void *p, size_t n)
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
		.method = "GET", .max_bytes = FILE_BYTES, .take = keep_piece, .arg = &f
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
s3_look(
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

const struct blob_store blob_s3 = { BLOB_S3, s3_keep, s3_open, s3_look, s3_remove,
	s3_link, NULL };
