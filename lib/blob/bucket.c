/*
 * Where the bucket is: blob.bucket at blob.endpoint, as blob.addressing says; and
 * whether it is there, and ours.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/xml.h"
#include "blob/bucket_internal.h"
#include "blob/sigv4.h"

struct sigv4
blob_signer(const struct conf *c)
{
	return (struct sigv4){ c->blob_access_key, c->blob_secret_key, c->blob_region };
}

#define CALL_S 300
#define ANSWER_BYTES 65536

static const char *
host_of(const char *endpoint)
{
	const char *at = strstr(endpoint, "://");

	return at != NULL ? at + 3 : endpoint;
}

/*
 * Whether blob.endpoint is spelt as it was once, with the bucket in it:
 * "https://media.s3.example.org", "https://media.example.org" of a bucket of that name,
 * and "https://s3.example.org/media".
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

/* ---- is it there ---- */

static const struct {
	const char *code, *why; /* S3's word for it; what to do */
} refusals[] = {
	{ "NoSuchBucket", "There is no such bucket: blob.bucket, or blob.addressing." },
	{ "InvalidBucketName", "That is no bucket's name: blob.bucket." },
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

enum err
blob_bucket_list(const struct conf *c, struct arena *mem,
    const struct sigv4_param *params, size_t n, struct http_answer *a)
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

/* Asks for the first of no keys: nothing else needs no key that is there. */
static enum err
list_nothing(const struct conf *c, struct arena *mem, struct http_answer *a)
{
	static const struct sigv4_param params[] = { { "list-type", "2" },
		{ "max-keys", "0" } };

	return blob_bucket_list(c, mem, params, 2, a);
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
		    "What answers %d at blob.endpoint is no S3: blob.endpoint, "
		    "blob.addressing.",
		    a.status);
	if (a.status != 200)
		return refusal(mem, told[0].text != NULL ? told[0].text : "", a.status);
	if (told[1].text == NULL || told[2].text == NULL ||
	    strcmp(told[1].text, c->blob_bucket) != 0)
		return "Another bucket answers: blob.bucket, or blob.addressing.";
	if (names_bucket(c))
		log_warn("blob.endpoint names the bucket, which is read for one more "
			 "release: it is to be the service's address alone, or "
			 "blob.addressing = own");
	return NULL;
}
