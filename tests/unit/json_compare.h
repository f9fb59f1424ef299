/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_JSON_COMPARE_H
#define TESTS_UNIT_JSON_COMPARE_H

/* Compares bodies member by member: a failure names the member and both values. */
#include <check.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"

static const char *json_difference(
    struct arena *, const struct json *is, const struct json *wanted, const char *at);

static inline const char *
json_written(struct arena *mem, const struct json *v)
{
	struct buf b = { .mem = mem };

	if (v == NULL)
		return "nothing";
	jw_json(&(struct json_writer){ .out = &b }, NULL, v);
	return buf_text(&b);
}

static inline const char *
json_members(
    struct arena *mem, const struct json *is, const struct json *wanted, const char *at)
{
	const char *difference;

	for (const struct json *m = wanted->kids; m != NULL; m = m->next)
		if ((difference = json_difference(mem, json_get(is, m->key), m,
			 arena_printf(mem, "%s/%s", at, m->key))) != NULL)
			return difference;
	for (const struct json *m = is->kids; m != NULL; m = m->next)
		if (json_get(wanted, m->key) == NULL)
			return arena_printf(mem, "%s/%s is %s, not nothing", at, m->key,
			    json_written(mem, m));
	return NULL;
}

static inline const char *
json_items(
    struct arena *mem, const struct json *is, const struct json *wanted, const char *at)
{
	const struct json *a = is->kids, *b = wanted->kids;
	const char *difference;

	for (int i = 0; a != NULL || b != NULL; i++) {
		difference =
		    json_difference(mem, a, b, arena_printf(mem, "%s/%d", at, i));
		if (difference != NULL)
			return difference;
		a = a->next;
		b = b->next;
	}
	return NULL;
}

/*
 * Returns the first difference as a sentence; NULL: there is none. at: a JSON Pointer.
 */
static inline const char *
json_difference(
    struct arena *mem, const struct json *is, const struct json *wanted, const char *at)
{
	const char *a = json_written(mem, is), *b = json_written(mem, wanted);

	if (is != NULL && wanted != NULL && is->type == wanted->type) {
		if (is->type == JSON_OBJ)
			return json_members(mem, is, wanted, at);
		if (is->type == JSON_LIST)
			return json_items(mem, is, wanted, at);
	}
	return strcmp(a, b) == 0 ? NULL
				 : arena_printf(mem, "%s is %s, not %s", at, a, b);
}

/* Compares texts that are not JSON. */
static inline void
assert_same_body(const char *is, const char *wanted)
{
	struct arena *mem = arena_new();
	const char *why, *difference = NULL;
	const struct json *a = json_read(mem, is, strlen(is), &why);
	const struct json *b = json_read(mem, wanted, strlen(wanted), &why);

	if (a == NULL || b == NULL)
		ck_assert_str_eq(is, wanted);
	else
		difference = json_difference(mem, a, b, "");
	ck_assert_msg(difference == NULL, "%s", difference);
	arena_free(mem);
}

#endif
