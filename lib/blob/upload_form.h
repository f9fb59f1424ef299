/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BLOB_UPLOAD_FORM_H
#define BLOB_UPLOAD_FORM_H

#include "base/conf.h"
#include "base/field.h"
#include "blob/policy.h"

/* The address and form with which a client must send one file. */
struct upload_form {
	const char *url;
	const char *item_id; /* the client's id of the file */
	const char *blob_id;
	const char *form[FORM_FIELDS]; /* values, in the order of the form */
};

extern const struct field upload_form_fields[];

/* The file to be sent. */
struct upload_want {
	const char *account, *blob_id, *item_id, *mime_type;
	int64_t min_bytes, max_bytes; /* both allowed */
};

struct upload_form upload_form_make(
    struct arena *, const struct conf *, const struct upload_want *, int64_t now_us);

/* "u/<account>/<blob>": the key that a form binds. */
const char *upload_form_key(struct arena *, const char *account, const char *blob_id);

#endif
