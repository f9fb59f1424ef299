/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BLOB_POLICY_H
#define BLOB_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "blob/sigv4.h"

/*
 * S3 POST policies: a form that lets a browser upload one file, signed by us and
 * checked by S3 or by ourselves.  Source: "Amazon S3 API Reference", "Browser-Based
 * Uploads Using POST", "Creating a POST Policy".  No clock, files or network.
 */
struct policy_field {
	const char *name;
	const char *value; /* UTF-8 */
};

/* The upload that a form allows. */
struct policy_grant {
	const char *bucket;
	const char *key; /* name of the object */
	const char *mime_type;
	int64_t min_bytes, max_bytes; /* limits of the file's size, both allowed */
	int64_t now_us;
	int64_t valid_s;
};

/* Fields in the order of the contract's example; Policy and signature come last. */
#define POLICY_FIELDS                                                                  \
	FIELD(FORM_KEY, "key")                                                         \
	FIELD(FORM_CONTENT_TYPE, "Content-Type")                                       \
	FIELD(FORM_STATUS, "success_action_status")                                    \
	FIELD(FORM_BUCKET, "bucket")                                                   \
	FIELD(FORM_ALGORITHM, "X-Amz-Algorithm")                                       \
	FIELD(FORM_CREDENTIAL, "X-Amz-Credential")                                     \
	FIELD(FORM_DATE, "X-Amz-Date")                                                 \
	FIELD(FORM_POLICY, "Policy")                                                   \
	FIELD(FORM_SIGNATURE, "X-Amz-Signature")

#define FIELD(field, name) field,
enum { POLICY_FIELDS FORM_FIELDS };
#undef FIELD

extern const char *const policy_names[FORM_FIELDS];

/* The fields a client must post before `file`.  They live in the arena. */
void policy_form(struct arena *, const struct sigv4 *, const struct policy_grant *,
    struct policy_field[FORM_FIELDS]);

/* The result of a check, and S3's error for it. */
enum policy_verdict {
	POLICY_GOOD,
	POLICY_NONE,   /* AccessDenied: no policy at all */
	POLICY_DENIED, /* AccessDenied: expired, a condition unmet, a field unbound */
	POLICY_KEY,    /* InvalidAccessKeyId */
	POLICY_SIGNATURE, /* SignatureDoesNotMatch */
	POLICY_ARGUMENT,  /* InvalidArgument: no signature, or a field given twice */
};

/* The conditions of a valid form. */
struct policy_bound {
	const char *key;
	int64_t min_bytes,
	    max_bytes; /* 0 and INT64_MAX if there is no such condition */
	int status;    /* 200, 201 or 204 */
};

/*
 * Check the fields that came before `file`, names in any case.  Texts in *to are
 * borrowed from the fields.  Every field except x-ignore-*, file, Policy and
 * X-Amz-Signature needs a condition (eq, starts-with or an exact match).
 */
enum policy_verdict policy_check(struct arena *, const struct sigv4 *,
    const struct policy_field *, size_t n, int64_t now_us, struct policy_bound *to);

#endif
