/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jansson reads.  Its values are copied into the arena, in the order of the text, so
 * that callers need no reference counts.
 */
#include "base/json.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOW (JSON_ALLOW_NUL | JSON_DECODE_ANY)

/* Positions of numbers in the text; jansson keeps only the precision of a double. */
struct source {
	struct arena *mem;
	const char *at, *end; /* NULL: the digits of numbers are not kept */
	int deepest;
};

static struct json *lay(struct source *, const json_t *, int depth);

/*
 * Find the digits of the next number. The text is valid JSON and its values are copied
 * in their order, so the next number in the text is the one that is being copied.
 */
static const char *
next_number(struct source *src)
{
	const char *s = src->at, *from;

	while (s < src->end && *s != '-' && !isdigit((unsigned char)*s))
		if (*s++ == '"') {
			for (; s < src->end && *s != '"'; s++)
				s += *s == '\\';
			s++;
		}
	from = s;
	while (s < src->end && (isalnum((unsigned char)*s) || strchr("+-.", *s)))
		s++;
	src->at = s;
	return arena_dup(src->mem, from, (size_t)(s - from));
}

static bool
lay_object(struct source *src, struct json *to, const json_t *v, int depth)
{
	struct json **tail = &to->kids;
	const char *key;
	json_t *kid;

	to->type = JSON_OBJ;
	to->n = json_object_size(v);
	json_object_foreach((json_t *)(uintptr_t)v, key, kid)
	{
		if ((*tail = lay(src, kid, depth)) == NULL)
			return false;
		(*tail)->key = arena_str(src->mem, key);
		tail = &(*tail)->next;
	}
	return true;
}

static bool
lay_list(struct source *src, struct json *to, const json_t *v, int depth)
{
	struct json **tail = &to->kids;

	to->type = JSON_LIST;
	to->n = json_array_size(v);
	for (size_t i = 0; i < to->n; i++) {
		if ((*tail = lay(src, json_array_get(v, i), depth)) == NULL)
			return false;
		tail = &(*tail)->next;
	}
	return true;
}

static void
lay_value(struct json *to, const json_t *v)
{
	double r = json_number_value(v);

	if (json_is_integer(v) && json_integer_value(v) != INT64_MIN) {
		to->type = JSON_INT;
		to->u.i = json_integer_value(v);
	} else if (r == trunc(r) && fabs(r) < 9007199254740992.0) { /* 2^53 */
		to->type = JSON_INT;
		to->u.i = (int64_t)r;
	} else {
		to->type = JSON_NUMBER;
		to->u.r = r;
	}
}

/*
 * Set a number. If one integer of the text is too large, jansson reads all integers as
 * reals; see load().
 */
static void
lay_number(struct source *src, struct json *to, const json_t *v)
{
	const char *s = to->written = next_number(src);
	long long i;

	errno = 0;
	i = strtoll(s, NULL, 10);
	if (s[strspn(s, "-0123456789")] == '\0' && errno == 0) {
		to->type = JSON_INT;
		to->u.i = i;
	} else {
		to->type = JSON_NUMBER;
		to->u.r = json_real_value(v);
	}
}

static void
lay_scalar(struct source *src, struct json *to, const json_t *v)
{
	if (json_is_string(v)) {
		to->type = JSON_TEXT;
		to->n = json_string_length(v);
		to->u.s = arena_dup(src->mem, json_string_value(v), to->n);
	} else if (json_is_number(v)) {
		if (src->at != NULL)
			lay_number(src, to, v);
		else
			lay_value(to, v);
	} else if (json_is_boolean(v)) {
		to->type = JSON_BOOL;
		to->u.b = json_is_true(v);
	}
}

/* Copy a value; NULL: nested too deep. */
static struct json *
lay(struct source *src, const json_t *v, int depth)
{
	struct json *to = arena_alloc(src->mem, sizeof(*to));

	if (json_is_object(v) || json_is_array(v)) {
		if (depth == src->deepest)
			return NULL;
		if (!(json_is_object(v) ? lay_object : lay_list)(src, to, v, depth + 1))
			return NULL;
	} else
		lay_scalar(src, to, v);
	return to;
}

/*
 * An error message without its subject. jansson counts columns in characters and
 * reports the last character read. If the text ends too early, the fault is at the next
 * character.
 */
static const char *
what_is_wrong(struct arena *mem, const json_error_t *bad)
{
	const char *what = "is not valid JSON";
	int column = bad->column > 0 ? bad->column : 1;

	switch (json_error_code(bad)) {
	case json_error_duplicate_key:
		what = "has an object with two members of the same name";
		break;
	case json_error_null_byte_in_key:
		what = "has the character U+0000 in the name of a member";
		break;
	case json_error_premature_end_of_input:
		what = "is not valid JSON, as it ends too early";
		column = bad->column + 1;
		break;
	default:
		break;
	}
	return arena_printf(mem, "%s: line %d, column %d", what, bad->line, column);
}

static struct source
source_of(struct arena *mem, const char *s, size_t n, int deepest)
{
	s = s != NULL ? s : "";
	return (struct source){ mem, s, s + n, deepest };
}

static json_t *
load(const char *s, size_t n, size_t how, json_error_t *bad)
{
	json_t *v = json_loadb(s, n, how, bad);

	if (v == NULL && json_error_code(bad) == json_error_numeric_overflow)
		v = json_loadb(s, n, how | JSON_DECODE_INT_AS_REAL, bad);
	return v;
}

/* Returns v. */
static const struct json *
lay_all(struct source *src, json_t *v, const char **why)
{
	const struct json *to = lay(src, v, 0);

	if (to == NULL)
		*why = "nests too deep";
	json_decref(v);
	return to;
}

const struct json *
json_read(struct arena *mem, const char *s, size_t n, const char **why)
{
	struct source src = source_of(mem, s, n, JSON_DEPTH);
	json_error_t bad;
	json_t *v = load(src.at, n, HOW | JSON_REJECT_DUPLICATES, &bad);

	if (v != NULL)
		return lay_all(&src, v, why);
	*why = what_is_wrong(mem, &bad);
	return NULL;
}

const struct json *
json_read_last(
    struct arena *mem, const char *s, size_t n, int deepest, const char **why)
{
	struct source src = source_of(mem, s, n, deepest);
	json_error_t bad;
	json_t *v = load(src.at, n, HOW | JSON_REJECT_DUPLICATES, &bad);

	if (v == NULL && json_error_code(&bad) == json_error_duplicate_key) {
		v = load(src.at, n, HOW, &bad);
		src.at = NULL;
	}
	if (v != NULL)
		return lay_all(&src, v, why);
	*why = what_is_wrong(mem, &bad);
	return NULL;
}

const struct json *
json_get(const struct json *obj, const char *key)
{
	const struct json *kid = NULL;

	if (obj != NULL && obj->type == JSON_OBJ)
		for (kid = obj->kids; kid != NULL && strcmp(kid->key, key) != 0;)
			kid = kid->next;
	return kid;
}

const char *
json_get_text(const struct json *obj, const char *key)
{
	const struct json *v = json_get(obj, key);

	return v != NULL && v->type == JSON_TEXT ? v->u.s : NULL;
}

int64_t
json_get_int(const struct json *obj, const char *key, int64_t otherwise)
{
	const struct json *v = json_get(obj, key);

	return v != NULL && v->type == JSON_INT ? v->u.i : otherwise;
}

bool
json_get_bool(const struct json *obj, const char *key)
{
	const struct json *v = json_get(obj, key);

	return v != NULL && v->type == JSON_BOOL && v->u.b;
}

const struct json *
json_get_list(const struct json *obj, const char *key)
{
	const struct json *v = json_get(obj, key);

	return v != NULL && v->type == JSON_LIST ? v : NULL;
}

bool
json_holds_nul(const struct json *v)
{
	if (v->type == JSON_TEXT)
		return strlen(v->u.s) != v->n;
	for (const struct json *kid = v->kids; kid != NULL; kid = kid->next)
		if (json_holds_nul(kid))
			return true;
	return false;
}

static void
write_number(struct json_writer *j, const char *key, const struct json *v)
{
	if (v->written != NULL)
		jw_raw(j, key, v->written);
	else if (v->type == JSON_INT)
		jw_int(j, key, v->u.i);
	else
		jw_real(j, key, v->u.r);
}

void
jw_json(struct json_writer *j, const char *key, const struct json *v)
{
	switch (v != NULL ? v->type : JSON_NONE) {
	case JSON_NONE:
		jw_null(j, key);
		break;
	case JSON_BOOL:
		jw_bool(j, key, v->u.b);
		break;
	case JSON_INT:
	case JSON_NUMBER:
		write_number(j, key, v);
		break;
	case JSON_TEXT:
		jw_textn(j, key, v->u.s, v->n);
		break;
	case JSON_LIST:
	case JSON_OBJ:
		(v->type == JSON_OBJ ? jw_open : jw_list)(j, key);
		for (const struct json *kid = v->kids; kid != NULL; kid = kid->next)
			jw_json(j, kid->key, kid);
		jw_close(j);
		break;
	}
}

const char *
json_text(struct arena *mem, const struct json *v)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_json(&j, NULL, v);
	return buf_text(&b);
}
