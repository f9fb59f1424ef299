#ifndef STORE_TARGETS_H
#define STORE_TARGETS_H

#include "base/field.h"

/* The fields of an S3 POST form, in the order they are shown. */
struct upload_form {
	const char *key, *content_type, *success_action_status, *bucket;
	const char *algorithm, *credential, *date, *policy, *signature;
};

/* Where and how to send one file. */
struct upload_target {
	const char *url;
	const char *item_id;
	const char *blob_id;
	struct upload_form form;
};

extern const struct field form_fields[], target_fields[];

#endif
