/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BLOB_SIGV4_H
#define BLOB_SIGV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/*
 * AWS Signature Version 4 for S3; no network.  Sources: "Amazon S3 API Reference":
 * "Authenticating Requests: Using Query Parameters" and "Authenticating Requests:
 * Browser-Based Uploads Using POST"; their worked examples are in
 * tests/unit/test_policy.c.
 */
#define SIGV4_ALGORITHM "AWS4-HMAC-SHA256"
#define SIGV4_STAMP 17     /* bytes of "20261120T101844Z" with its NUL */
#define SIGV4_MAX_S 604800 /* S3's longest validity of a URL, 7 days */

struct sigv4 {
	const char *access_key;
	const char *secret;
	const char *region; /* "us-east-1" */
};

/* "20261120T101844Z" in to; its first 8 characters are the day. */
void sigv4_stamp(int64_t us, char to[SIGV4_STAMP]);

/* "<access key>/<day>/<region>/s3/aws4_request" */
const char *sigv4_credential(struct arena *, const struct sigv4 *, const char *stamp);

/*
 * Returns 64 hex digits: the text, signed with the key of that day, the first 8 digits
 * of stamp.
 */
const char *sigv4_sign(
    struct arena *, const struct sigv4 *, const char *stamp, const char *text);

/* A query parameter, not yet percent-encoded. */
struct sigv4_param {
	const char *name, *value;
};

/* One call to S3. */
struct sigv4_call {
	const char *method;
	/* address of the object: scheme and host as they will be sent, path
	   percent-encoded, no query */
	const char *url;
	const struct sigv4_param
	    *params;    /* further parameters, in the order of their names */
	size_t nparams; /* parameters that come after "X-Amz-...": "response-..." */
	int64_t now_us;
	int64_t seconds; /* validity of the URL, 1 to SIGV4_MAX_S */
};

/* Presign a call: the URL allows its holder to make it. */
const char *sigv4_url(struct arena *, const struct sigv4 *, const struct sigv4_call *);

/* Percent-encode all but A-Z a-z 0-9 - . _ ~, and '/' if slash is true. */
const char *sigv4_encode(struct arena *, const char *, bool slash);

#endif
