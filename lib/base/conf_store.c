/*
 * Settings of the store of files that cannot be right.
 */
#include <string.h>

#include "base/conf_parts.h"
#include "base/log.h"

static bool
is_one_of(const char *text, const char *const *words)
{
	while (*words != NULL && strcmp(*words, text) != 0)
		words++;
	return *words != NULL;
}

static const char *
wrong_endpoint(const struct conf *c)
{
	const char *host = strstr(c->blob_endpoint, "://");

	if (strncmp(c->blob_endpoint, "http://", 7) != 0 &&
	    strncmp(c->blob_endpoint, "https://", 8) != 0)
		return "must be the address of an S3 service, http or https";
	if (host[3] == '\0' || strpbrk(host, "?# ") != NULL ||
	    host[strlen(host) - 1] == '/')
		return "must be an address without query, and without a slash at its "
		       "end";
	if (strcmp(c->blob_addressing, "host") == 0 && strchr(host + 3, '/') != NULL)
		return "must have no path where blob.addressing is host";
	return NULL;
}

/* Buckets of old may have names that new ones may not. */
static bool
is_bucket(const char *name)
{
	size_t n = strlen(name);

	return n >= 3 && n <= 255 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789.-_") == n;
}

bool
conf_store_good(const struct conf *c)
{
	static const char *const stores[] = { "disk", "s3", NULL };
	static const char *const ways[] = { "", "path", "host", "own", NULL };
	const char *why = NULL, *name = "blob.endpoint";

	if (!is_one_of(c->blob_store, stores)) {
		name = "blob.store";
		why = "must be disk or s3";
	} else if (!is_one_of(c->blob_addressing, ways)) {
		name = "blob.addressing";
		why = "must be path, host or own";
	} else if (!is_bucket(c->blob_bucket)) {
		name = "blob.bucket";
		why = "must be the name of a bucket: 3 to 255 letters, digits and .-_";
	} else if (strcmp(c->blob_store, "s3") == 0)
		why = wrong_endpoint(c);
	if (why != NULL)
		log_error("%s %s", name, why);
	return why == NULL;
}
