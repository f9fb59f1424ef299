/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PROTOCOL_VALIDATION_ERROR_H
#define PROTOCOL_VALIDATION_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/* All validation errors of a client message, each with its JSON path. */
#define VALIDATION_ERRORS_MAX 20

struct validation_error {
	const char *path; /* pipeline.translations.0.target_language; "": the whole */
	const char *loc;  /* the path as JSON: ["pipeline","translations",0,...] */
	const char *msg;  /* "must be between 0.3 and 2.0" */
	const char *type; /* VALIDATION_* */
};

#define VALIDATION_MISSING "missing"
#define VALIDATION_TYPE "type"
#define VALIDATION_RANGE "range"
#define VALIDATION_ENUM "enum"
#define VALIDATION_LENGTH "length"
#define VALIDATION_DUPLICATE "duplicate"
#define VALIDATION_UNSUPPORTED "unsupported"

/* Zero-initialise and set mem.  Errors beyond VALIDATION_ERRORS_MAX are dropped. */
struct validation_errors {
	struct arena *mem;
	size_t n;
	struct validation_error of[VALIDATION_ERRORS_MAX];
};

/*
 * A JSON value and its path: a chain from the value up to the whole message.  The links
 * live on the stack of the functions that walk down the tree.
 */
struct json_path {
	const struct json_path *up; /* NULL: the whole message */
	const char *key;            /* member name; NULL: an element of a list */
	size_t i;                   /* index in a list */
	const struct json *v;       /* NULL: absent, or null */
};

/* The whole message; NULL: no value. */
struct json_path json_path_whole(const struct json *);
/* The member of an object; v is NULL if there is none. */
struct json_path json_path_member(const struct json_path *, const char *key);
/* Element i of a list; the value is given by the caller. */
struct json_path json_path_item(
    const struct json_path *, size_t i, const struct json *);

/*
 * type: VALIDATION_*; fmt: the message, cut after 255 bytes.  Ignored beyond
 * VALIDATION_ERRORS_MAX.
 */
void validation_error_add(struct validation_errors *, const struct json_path *,
    const char *type, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/*
 * True if the value is present and of this type. A value of another type adds an error.
 */
bool validation_error_is(
    struct validation_errors *, const struct json_path *, enum json_type);
/* Returns all errors in one line: "path: msg; path: msg". */
const char *validation_errors_text(struct arena *, const struct validation_errors *);

#endif
