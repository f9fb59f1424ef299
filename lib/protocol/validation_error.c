/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/validation_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct json_path
json_path_whole(const struct json *v)
{
	return (struct json_path){ .v = v };
}

struct json_path
json_path_member(const struct json_path *up, const char *key)
{
	const struct json *v = json_get(up->v, key);

	return (struct json_path){ up, key, 0,
		v != NULL && v->type != JSON_NONE ? v : NULL };
}

struct json_path
json_path_item(const struct json_path *up, size_t i, const struct json *v)
{
	return (struct json_path){ up, NULL, i, v };
}

static void
put_path(struct buf *b, const struct json_path *at)
{
	if (at->up == NULL)
		return;
	put_path(b, at->up);
	if (b->len > 0)
		buf_str(b, ".");
	if (at->key != NULL)
		buf_str(b, at->key);
	else
		buf_printf(b, "%zu", at->i);
}

static void
put_loc(struct json_writer *j, const struct json_path *at)
{
	if (at->up == NULL)
		return;
	put_loc(j, at->up);
	if (at->key != NULL)
		jw_text(j, NULL, at->key);
	else
		jw_int(j, NULL, (int64_t)at->i);
}

static const char *
loc_text(struct arena *mem, const struct json_path *at)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_list(&j, NULL);
	put_loc(&j, at);
	jw_close(&j);
	return buf_text(&b);
}

void
validation_error_add(struct validation_errors *f, const struct json_path *at,
    const char *type, const char *fmt, ...)
{
	struct buf path = { .mem = f->mem };
	char msg[256];
	va_list ap;

	if (f->n == VALIDATION_ERRORS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	put_path(&path, at);
	f->of[f->n++] = (struct validation_error){ buf_text(&path),
		loc_text(f->mem, at), arena_str(f->mem, msg), type };
}

static const char *
type_name(enum json_type type)
{
	static const char *const names[] = { [JSON_BOOL] = "true or false",
		[JSON_INT] = "an integer",
		[JSON_NUMBER] = "a number",
		[JSON_TEXT] = "a string",
		[JSON_LIST] = "an array",
		[JSON_OBJ] = "an object" };

	return names[type];
}

bool
validation_error_is(
    struct validation_errors *f, const struct json_path *at, enum json_type type)
{
	const struct json *v = at->v;

	if (v == NULL)
		return false;
	if (v->type == type && (type != JSON_TEXT || strlen(v->u.s) == v->n))
		return true;
	validation_error_add(f, at, VALIDATION_TYPE, "must be %s", type_name(type));
	return false;
}

const char *
validation_errors_text(struct arena *mem, const struct validation_errors *f)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < f->n; i++) {
		if (i > 0)
			buf_str(&b, "; ");
		if (f->of[i].path[0] != '\0')
			buf_printf(&b, "%s: ", f->of[i].path);
		buf_str(&b, f->of[i].msg);
	}
	return buf_text(&b);
}
