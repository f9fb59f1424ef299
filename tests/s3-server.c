/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plays a bucket of S3 on 127.0.0.1 for the tests.
 *
 *     s3-server [SECRET [new]]      of access key AK, region us-east-1
 *
 * Simulates the bucket "media" with path-style addresses; there is no other bucket, and
 * objects only exist below it.  Prints its port and serves one connection after another
 * until standard input closes.  Objects are stored in memory with the Content-Type and
 * Cache-Control of their PUT.  PUT, GET, HEAD and DELETE must be presigned; POST to the
 * bucket takes a form whose policy names it.  Both signatures are computed
 * independently of lib/blob/.  A key that begins with "fault-503" or the like gets that
 * status, "fault-bucket" a missing bucket.  new: the bucket must be created first, by a
 * PUT with a signature in its head; ?cors= sets which pages may read answers, ?policy=
 * the prefix below which everyone may read.
 */
#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "http-server.h"

#define REQUEST_BYTES ((size_t)32 << 20)
#define OBJECTS 512
#define BUCKET "media"

struct request {
	struct arena *mem;
	int fd;
	const char *method, *path, *bucket, *key, *query;
	const char *head;
	const char *body;
	size_t body_len;
};

static struct object {
	/* key NULL: free entry; cache NULL: no Cache-Control */
	char *key, *type, *cache, *p;
	size_t n;
	int64_t put_us;
} objects[OBJECTS];

static const char *secret = "secret";
static bool is_made = true; /* the bucket */
static char *origin;        /* origins whose pages may read answers; NULL: none */
static int64_t older_us;    /* time by which objects claim to be older */
static char *public;        /* prefix below which everyone may read; NULL: none */

static struct object *
find(const char *key)
{
	for (struct object *o = objects; o < objects + OBJECTS; o++)
		if (o->key != NULL && strcmp(o->key, key) == 0)
			return o;
	return NULL;
}

static void
drop(struct object *o)
{
	if (o == NULL)
		return;
	free(o->key);
	free(o->type);
	free(o->cache);
	free(o->p);
	*o = (struct object){ 0 };
}

static void
keep(const char *key, const char *type, const char *cache, const char *p, size_t n)
{
	struct object *o = objects;

	drop(find(key));
	while (o->key != NULL)
		if (++o == objects + OBJECTS)
			abort();
	*o = (struct object){ strdup(key), strdup(type),
		cache != NULL ? strdup(cache) : NULL, malloc(n + 1), n,
		now_us() - older_us };
	memcpy(o->p, p, n);
}

static void
reply_cached(struct request *rq, int status, const char *type, const char *cache,
    const char *p, size_t n)
{
	struct buf b = { .mem = rq->mem };

	buf_printf(&b,
	    "HTTP/1.1 %d Whatever\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
	    "ETag: \"%s\"\r\nConnection: close\r\n",
	    status, type, n, hash_hex(rq->mem, p, n));
	if (cache != NULL)
		buf_printf(&b, "Cache-Control: %s\r\n", cache);
	if (origin != NULL)
		buf_printf(&b, "Access-Control-Allow-Origin: %s\r\n", origin);
	buf_str(&b, "\r\n");
	if (strcmp(rq->method, "HEAD") != 0)
		buf_put(&b, p, n);
	send_all(rq->fd, b.p, b.len);
}

static void
reply(struct request *rq, int status, const char *type, const char *p, size_t n)
{
	reply_cached(rq, status, type, NULL, p, n);
}

static void
refuse(struct request *rq, int status, const char *code)
{
	const char *xml = arena_printf(rq->mem,
	    "<?xml version=\"1.0\"?>\n<Error><Code>%s</Code><Message>No</Message>"
	    "<RequestId>1</RequestId></Error>",
	    code);

	reply(rq, status, "application/xml", xml, strlen(xml));
}

/* The last two steps of "Signature Calculations for the Authorization Header". */
static const char *
signature(struct arena *mem, const char *day, const char *text)
{
	const char *const steps[] = { day, "us-east-1", "s3", "aws4_request", text };
	const char *start = arena_printf(mem, "AWS4%s", secret);
	unsigned char key[SHA256_BYTES];
	size_t n = strlen(start);

	for (int i = 0; i < 5; i++) {
		unsigned char next[SHA256_BYTES];

		hmac(i == 0 ? (const void *)start : key, n, steps[i], strlen(steps[i]),
		    next);
		memcpy(key, next, n = sizeof(key));
	}
	return hex(mem, key, sizeof(key));
}

/* A parameter's raw value in the query, "" when it is absent. */
static const char *
param(struct request *rq, const char *name)
{
	const char *p = strstr(rq->query, name);

	if (p == NULL || p[strlen(name)] != '=')
		return "";
	p += strlen(name) + 1;
	return arena_dup(rq->mem, p, strcspn(p, "&"));
}

/* The query must be sorted, with the signature at its end. */
static bool
is_presigned(struct request *rq)
{
	const char *last = strstr(rq->query, "&X-Amz-Signature=");
	const char *date = param(rq, "X-Amz-Date"), *request, *text;
	const char *day = arena_dup(rq->mem, date, strnlen(date, 8));

	if (last == NULL || strcmp(param(rq, "X-Amz-SignedHeaders"), "host") != 0 ||
	    strcmp(param(rq, "X-Amz-Credential"),
		arena_printf(
		    rq->mem, "AK%%2F%s%%2Fus-east-1%%2Fs3%%2Faws4_request", day)) != 0)
		return false;
	request = arena_printf(rq->mem,
	    "%s\n%s\n%.*s\nhost:%s\n\nhost\nUNSIGNED-PAYLOAD", rq->method, rq->path,
	    (int)(last - rq->query), rq->query, header_of(rq->mem, rq->head, "Host"));
	text = arena_printf(rq->mem,
	    "AWS4-HMAC-SHA256\n%s\n%s/us-east-1/s3/aws4_request\n%s", date, day,
	    hash_hex(rq->mem, request, strlen(request)));
	return strcmp(signature(rq->mem, day, text), last + 17) == 0;
}

/* Returns the text between a mark and one of these characters; "" if there is none. */
static const char *
between(struct request *rq, const char *text, const char *mark, const char *until)
{
	const char *p = text != NULL ? strstr(text, mark) : NULL;

	if (p == NULL)
		return "";
	p += strlen(mark);
	return arena_dup(rq->mem, p, strcspn(p, until));
}

/* The hash of the body must be named and signed, as radosgw requires it. */
static bool
names_body(struct request *rq, const char *hash, const char *names)
{
	return hash != NULL && strstr(names, "x-amz-content-sha256") != NULL &&
	       (strcmp(hash, "UNSIGNED-PAYLOAD") == 0 ||
		   strcmp(hash, hash_hex(rq->mem, rq->body, rq->body_len)) == 0);
}

/* True when the signature in the head is right for the named headers and the body. */
static bool
is_signed(struct request *rq)
{
	const char *auth = header_of(rq->mem, rq->head, "Authorization"), *text;
	const char *date = header_of(rq->mem, rq->head, "X-Amz-Date");
	const char *hash = header_of(rq->mem, rq->head, "X-Amz-Content-Sha256");
	const char *names = between(rq, auth, "SignedHeaders=", ",");
	const char *day = between(rq, auth, "Credential=AK/", "/");
	char *rest = arena_str(rq->mem, names), *name;
	struct buf b = { .mem = rq->mem };

	if (date == NULL || !names_body(rq, hash, names))
		return false;
	buf_printf(&b, "%s\n%s\n%s\n", rq->method, rq->path, rq->query);
	while ((name = strsep(&rest, ";")) != NULL) {
		const char *value = header_of(rq->mem, rq->head, name);

		buf_printf(&b, "%s:%s\n", name, value != NULL ? value : "");
	}
	buf_printf(&b, "\n%s\n%s", names, hash);
	text = arena_printf(rq->mem,
	    "AWS4-HMAC-SHA256\n%s\n%s/us-east-1/s3/aws4_request\n%s", date, day,
	    hash_hex(rq->mem, buf_text(&b), b.len));
	return strcmp(signature(rq->mem, day, text),
		   between(rq, auth, "Signature=", ", ")) == 0;
}

/* Create the bucket, or set whose pages may read its answers and what everyone may
   read. */
static void
put_bucket(struct request *rq)
{
	const char *sites = between(rq, rq->body, "<AllowedOrigin>", "<");
	const char *read = between(rq, rq->body, "\"arn:aws:s3:::" BUCKET "/", "*\"");

	if (!is_signed(rq))
		refuse(rq, 403, "SignatureDoesNotMatch");
	else if (*rq->query != '\0' && !is_made)
		refuse(rq, 404, "NoSuchBucket");
	else if (strcmp(rq->query, "policy=") == 0 &&
		 (*read == '\0' || strstr(rq->body, "\"s3:GetObject\"") == NULL))
		refuse(rq, 400, "MalformedPolicy");
	else if (strcmp(rq->query, "cors=") == 0 && *sites == '\0')
		refuse(rq, 400, "MalformedXML");
	else {
		if (*sites != '\0')
			origin = strdup(sites);
		if (*read != '\0')
		public = strdup(read);
		is_made = true;
		reply(rq, 200, "application/xml", "", 0);
	}
}

/* A part of a form: its bytes, or NULL. */
static const char *
part(struct request *rq, const char *name, size_t *n)
{
	const char *mark = arena_printf(rq->mem, " name=\"%s\"", name);
	const char *end = rq->body + rq->body_len, *p, *q;
	size_t boundary = strcspn(rq->body, "\r");

	mark = arena_str(rq->mem, mark);
	if ((p = memmem(rq->body, rq->body_len, mark, strlen(mark))) == NULL ||
	    (p = memmem(p, (size_t)(end - p), "\r\n\r\n", 4)) == NULL ||
	    (q = memmem(p, (size_t)(end - p),
		 arena_printf(rq->mem, "\r\n%.*s", (int)boundary, rq->body),
		 boundary + 2)) == NULL)
		return NULL;
	*n = (size_t)(q - p) - 4;
	return arena_dup(rq->mem, p + 4, *n);
}

/* The condition with the bucket, which S3 compares with the bucket of the address. */
static bool
names_bucket(struct request *rq, const char *policy)
{
	size_t n;
	const unsigned char *text = base64_read(rq->mem, policy, strlen(policy), &n);

	return text != NULL && memmem(text, n, "{\"bucket\":\"" BUCKET "\"}",
				   strlen("{\"bucket\":\"" BUCKET "\"}")) != NULL;
}

static void
post_form(struct request *rq)
{
	size_t n;
	const char *policy = part(rq, "Policy", &n), *date = part(rq, "X-Amz-Date", &n);
	const char *sig = part(rq, "X-Amz-Signature", &n), *key = part(rq, "key", &n);
	const char *type = part(rq, "Content-Type", &n), *file = part(rq, "file", &n);
	const char *xml;

	if (!policy || !date || !sig || !key || !type || !file || strlen(date) < 8)
		refuse(rq, 400, "InvalidArgument");
	else if (strcmp(sig, signature(rq->mem, arena_dup(rq->mem, date, 8), policy)))
		refuse(rq, 403, "SignatureDoesNotMatch");
	else if (!names_bucket(rq, policy))
		refuse(rq, 403, "AccessDenied");
	else {
		keep(key, type, NULL, file, n);
		xml = arena_printf(
		    rq->mem, "<PostResponse><Key>%s</Key></PostResponse>", key);
		reply(rq, 201, "application/xml", xml, strlen(xml));
	}
}

static int
compare_keys(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	if (x->key == NULL || y->key == NULL)
		return (x->key == NULL) - (y->key == NULL);
	return strcmp(x->key, y->key);
}

/* Decodes a parameter; only "/" is percent-encoded here. */
static const char *
plain_param(struct request *rq, const char *name)
{
	char *s = arena_str(rq->mem, param(rq, name)), *to = s;

	for (const char *p = s; *p != '\0'; p++)
		if (strncmp(p, "%2F", 3) == 0) {
			*to++ = '/';
			p += 2;
		} else
			*to++ = *p;
	*to = '\0';
	return s;
}

/* ListObjectsV2: up to n keys below a prefix, in order, after a key. */
static void
list_bucket(struct request *rq)
{
	const char *prefix = plain_param(rq, "prefix"), *xml;
	const char *after = plain_param(rq, "start-after");
	int most = atoi(param(rq, "max-keys")), n = 0;
	struct buf b = { .mem = rq->mem };
	char when[TIME_TEXT];
	bool more = false;

	qsort(objects, OBJECTS, sizeof(*objects), compare_keys);
	for (struct object *o = objects; o < objects + OBJECTS && o->key; o++) {
		if (most == 0 || strncmp(o->key, prefix, strlen(prefix)) != 0 ||
		    strcmp(o->key, after) <= 0)
			continue;
		if ((more = n == most))
			break;
		buf_printf(&b,
		    "<Contents><Key>%s</Key><LastModified>%s</LastModified>"
		    "<Size>%zu</Size></Contents>",
		    o->key, time_text(o->put_us, when), o->n);
		n++;
	}
	xml = arena_printf(rq->mem,
	    "<?xml version=\"1.0\"?>\n<ListBucketResult "
	    "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>" BUCKET
	    "</Name><Prefix>%s</Prefix><KeyCount>%d</KeyCount><MaxKeys>%d</MaxKeys>"
	    "<IsTruncated>%s</IsTruncated>%s</ListBucketResult>",
	    prefix, n, most, more ? "true" : "false", buf_text(&b));
	reply(rq, 200, "application/xml", xml, strlen(xml));
}

/* True if the bucket's policy lets anyone read the object. */
static bool
is_public(struct request *rq)
{
	bool reads = strcmp(rq->method, "GET") == 0 || strcmp(rq->method, "HEAD") == 0;

	return reads && public != NULL && *rq->key != '\0' &&
	       strncmp(rq->key, public, strlen(public)) == 0;
}

static void
put_object(struct request *rq)
{
	const char *type = header_of(rq->mem, rq->head, "Content-Type");

	keep(rq->key, type != NULL ? type : "binary/octet-stream",
	    header_of(rq->mem, rq->head, "Cache-Control"), rq->body, rq->body_len);
	reply(rq, 200, "text/plain", "", 0);
}

static void
answer(struct request *rq)
{
	struct object *o = find(rq->key);

	if (*rq->bucket == '\0')
		/* the address of the service itself */
		refuse(rq, 405, "MethodNotAllowed");
	else if (strcmp(rq->method, "PUT") == 0 && *rq->key == '\0' &&
		 strcmp(rq->bucket, BUCKET) == 0 &&
		 header_of(rq->mem, rq->head, "Authorization") != NULL)
		put_bucket(rq);
	else if (strcmp(rq->method, "POST") != 0 && !is_presigned(rq) && !is_public(rq))
		refuse(rq, 403, "SignatureDoesNotMatch");
	else if (!is_made || strcmp(rq->bucket, BUCKET) != 0)
		refuse(rq, 404, "NoSuchBucket");
	else if (strcmp(rq->method, "POST") == 0 && *rq->key == '\0')
		post_form(rq);
	else if (strcmp(rq->method, "GET") == 0 && *rq->key == '\0')
		list_bucket(rq);
	else if (*rq->key == '\0' || strcmp(rq->method, "POST") == 0)
		refuse(rq, 405, "MethodNotAllowed");
	else if (strcmp(rq->key, "fault-bucket") == 0)
		refuse(rq, 404, "NoSuchBucket");
	else if (strncmp(rq->key, "fault-", 6) == 0)
		refuse(rq, atoi(rq->key + 6), "AsWasAskedFor");
	else if (strcmp(rq->method, "PUT") == 0)
		put_object(rq);
	else if (strcmp(rq->method, "DELETE") == 0) {
		drop(o);
		reply(rq, 204, "text/plain", "", 0);
	} else if (o == NULL)
		refuse(rq, 404, "NoSuchKey");
	else
		reply_cached(rq, 200, o->type, o->cache, o->p, o->n);
}

static bool
read_request(struct request *rq)
{
	struct http_message m = { 0 };

	if (!receive(rq->fd, rq->mem, REQUEST_BYTES, &m))
		return false;
	rq->head = m.head;
	rq->method = m.method;
	rq->path = strsep(&m.target, "?");
	rq->bucket = arena_dup(rq->mem, rq->path + 1, strcspn(rq->path + 1, "/"));
	rq->key = rq->path + 1 + strlen(rq->bucket);
	rq->key += *rq->key == '/';
	rq->query = m.target != NULL ? m.target : "";
	rq->body = m.body;
	rq->body_len = m.body_len;
	return true;
}

/* Serves until `stop` closes. */
static void
serve(int listener, int stop)
{
	struct pollfd fds[2] = { { .fd = stop, .events = POLLIN },
		{ .fd = listener, .events = POLLIN } };
	char c;

	while (poll(fds, 2, -1) > 0) {
		struct request rq = { .mem = arena_new() };

		if (fds[0].revents != 0 && read(stop, &c, 1) <= 0)
			_exit(0);
		if (fds[1].revents != 0 &&
		    (rq.fd = accept(listener, NULL, NULL)) >= 0) {
			if (read_request(&rq))
				answer(&rq);
			close(rq.fd);
		}
		arena_free(rq.mem);
	}
}

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	int port = 0, listener = listen_on(&port);

	if (argc > 1)
		secret = argv[1];
	is_made = argc < 3;
	printf("%d\n", port);
	fflush(stdout);
	serve(listener, STDIN_FILENO);
	return 1;
}
#endif
