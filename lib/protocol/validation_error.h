#ifndef PROTOCOL_VALIDATION_ERROR_H
#define PROTOCOL_VALIDATION_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

/*
 * What is wrong with a message of a client, all of it at once, each with the
 * place where it is.
 */
#define VALIDATION_ERRORS_MAX 20

struct validation_error {
	const char *path; /* pipeline.translations.0.target_language; "": everything */
	const char *loc;  /* the same as JSON: ["pipeline","translations",0,...] */
	const char *msg;  /* "must be between 0.3 and 2.0" */
	const char *type; /* one of FLAW_* */
};

#define VALIDATION_MISSING "missing"
#define VALIDATION_TYPE "type"
#define VALIDATION_RANGE "range"
#define VALIDATION_ENUM "enum"
#define VALIDATION_LENGTH "length"
#define VALIDATION_DUPLICATE "duplicate"
#define VALIDATION_UNSUPPORTED "unsupported"

/* Zero-initialise and set mem.  Of very many flaws the first are kept. */
struct validation_errors {
	struct arena *mem;
	size_t n;
	struct validation_error of[VALIDATION_ERRORS_MAX];
};

/*
 * A value and where it is: a chain of these goes from it to the whole.  They
 * stand on the stack of the functions that walk down the tree.
 */
struct json_path {
	const struct json_path *up; /* NULL: this is the whole */
	const char *key;            /* its name in an object; NULL: in a list */
	size_t i;                   /* its number in a list */
	const struct json *v;       /* NULL: absent, or null */
};

/* Where a value is: the whole of a message, which no path names; NULL: it has none. */
struct json_path json_path_whole(const struct json *);
/* The member of an object; of anything else there is none. */
struct json_path json_path_member(const struct json_path *, const char *key);
/* The i-th of a list, which is v. */
struct json_path json_path_item(
    const struct json_path *, size_t i, const struct json *);

/*
 * type: a FLAW_ literal; fmt: what is wrong, cut behind 255 bytes.  Beyond
 * VALIDATION_ERRORS_MAX nothing is added.
 */
void validation_error_add(struct validation_errors *, const struct json_path *,
    const char *type, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Whether it is there and of the type; there, but of another: a flaw. */
bool validation_error_is(
    struct validation_errors *, const struct json_path *, enum json_type);
/* "path: msg; path: msg": all of them in a line. */
const char *validation_errors_text(struct arena *, const struct validation_errors *);

#endif
