#include "stream/flaw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct spot
spot_whole(const struct json *v)
{
	return (struct spot){ .v = v };
}

struct spot
spot_member(const struct spot *up, const char *key)
{
	const struct json *v = json_get(up->v, key);

	return (
	    struct spot){ up, key, 0, v != NULL && v->type != JSON_NONE ? v : NULL };
}

struct spot
spot_item(const struct spot *up, size_t i, const struct json *v)
{
	return (struct spot){ up, NULL, i, v };
}

static void
put_path(struct buf *b, const struct spot *at)
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
put_loc(struct jw *j, const struct spot *at)
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
loc_text(struct arena *mem, const struct spot *at)
{
	struct buf b = { .mem = mem };
	struct jw j = { .out = &b };

	jw_list(&j, NULL);
	put_loc(&j, at);
	jw_close(&j);
	return buf_text(&b);
}

void
flaw_add(struct flaws *f, const struct spot *at, const char *type, const char *fmt, ...)
{
	struct buf path = { .mem = f->mem };
	char msg[256];
	va_list ap;

	if (f->n == FLAWS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	put_path(&path, at);
	f->of[f->n++] = (struct flaw){ buf_text(&path), loc_text(f->mem, at),
		arena_str(f->mem, msg), type };
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
flaw_is(struct flaws *f, const struct spot *at, enum json_type type)
{
	const struct json *v = at->v;

	if (v == NULL)
		return false;
	if (v->type == type && (type != JSON_TEXT || strlen(v->u.s) == v->n))
		return true;
	flaw_add(f, at, FLAW_TYPE, "must be %s", type_name(type));
	return false;
}

const char *
flaws_text(struct arena *mem, const struct flaws *f)
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
