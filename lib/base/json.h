/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json_writer.h"

/* Nouns: jw. */

/* A JSON value that was read; it lives in an arena and is never changed. */
enum json_type {
	JSON_NONE,
	JSON_BOOL,
	JSON_INT,
	JSON_NUMBER, /* with a point or an exponent, or too large for an int64_t */
	JSON_TEXT,
	JSON_LIST,
	JSON_OBJ
};

struct json {
	struct json *next; /* the next one, in the order of the text */
	struct json *kids; /* members of a LIST or OBJ */
	size_t n;          /* kids, or bytes of a TEXT */
	enum json_type type;
	const char *key;     /* name inside an object, else NULL */
	const char *written; /* the digits of an INT or NUMBER; NULL: not kept */
	union {
		bool b;
		int64_t i;
		double r;
		const char *s; /* UTF-8, terminated by a NUL; may contain NULs */
	} u;
};

#define JSON_DEPTH 32 /* levels of nesting that are read */

/*
 * Read one value. NULL if the text is not JSON, has a duplicate member, a lone
 * surrogate, text after the value, or nests too deep; *why is then a predicate such as
 * "is not valid JSON: line 1, column 7". If n is 0, the address may be NULL.
 */
const struct json *json_read(struct arena *, const char *, size_t n, const char **why);
/*
 * As json_read(), with at most this many levels. If several members have one name, the
 * last is used; numbers are then stored as values, not as digits.
 */
const struct json *json_read_last(
    struct arena *, const char *, size_t n, int deepest, const char **why);
const struct json *json_get(const struct json *, const char *key); /* or NULL */
/* Returns the text of a member; NULL: it is absent or not a text. */
const char *json_get_text(const struct json *, const char *key);
/* Returns the integer of a member; `otherwise` if it is absent or not an integer. */
int64_t json_get_int(const struct json *, const char *key, int64_t otherwise);
/* True if the member is true. */
bool json_get_bool(const struct json *, const char *key);
/* Returns a member that is a list; NULL: it is absent or not a list. */
const struct json *json_get_list(const struct json *, const char *key);
/* True if U+0000 is in one of its texts, at any depth. */
bool json_holds_nul(const struct json *);
/*
 * Write a value without white space, and with the digits of numbers as they were read.
 * NULL: null.
 */
void jw_json(struct json_writer *, const char *key, const struct json *);
const char *json_text(struct arena *, const struct json *);

#endif
