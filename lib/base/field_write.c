/*
 * The field tables at work: structs into JSON.
 */
#include "base/field.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static void
write_list(struct json_writer *j, const struct field *f, const struct list *l)
{
	jw_list(j, f->name);
	for (size_t i = 0; i < l->n; i++)
		if (f->of == NULL || f->of->name[0] == '\0')
			jw_text(j, NULL, ((const char *const *)l->items)[i]);
		else
			field_write(
			    j, NULL, f->of, (const char *)l->items + i * f->size);
	jw_close(j);
}

static bool
empty(const struct field *f, const void *at)
{
	switch (f->type) {
	case F_TEXT:
	case F_ENUM:
	case F_JSON:
		return *(const char *const *)at == NULL;
	case F_INT:
	case F_TIME:
		return *(const int64_t *)at == NULL_INT;
	case F_REAL:
		return isnan(*(const double *)at);
	case F_LIST:
		return ((const struct list *)at)->n == 0;
	case F_OBJ:
		return empty(f->of, (const char *)at + f->of->at);
	case F_BOOL:
		break;
	}
	return false;
}

static void
write_one(struct json_writer *j, const struct field *f, const void *at)
{
	char text[TIME_TEXT];

	switch (f->type) {
	case F_TEXT:
	case F_ENUM:
		jw_text(j, f->name, *(const char *const *)at);
		break;
	case F_JSON:
		jw_raw(j, f->name, *(const char *const *)at);
		break;
	case F_INT:
		jw_int(j, f->name, *(const int64_t *)at);
		break;
	case F_TIME:
		jw_text(j, f->name, time_text(*(const int64_t *)at, text));
		break;
	case F_REAL:
		jw_real(j, f->name, *(const double *)at);
		break;
	case F_BOOL:
		jw_bool(j, f->name, *(const bool *)at);
		break;
	case F_LIST:
		write_list(j, f, at);
		break;
	case F_OBJ:
		field_write(j, f->name, f->of, at);
		break;
	}
}

void
field_write_into(struct json_writer *j, const struct field *fs, const void *from)
{
	for (; fs->name != NULL; fs++) {
		const void *at = (const char *)from + fs->at;

		if (fs->flags & F_OUT && !(fs->flags & F_OPT && empty(fs, at)))
			write_one(j, fs, at);
	}
}

void
field_write(
    struct json_writer *j, const char *key, const struct field *fs, const void *from)
{
	jw_open(j, key);
	field_write_into(j, fs, from);
	jw_close(j);
}

bool
field_same(
    struct arena *mem, const struct field *fs, const void *one, const void *other)
{
	struct buf a = { .mem = mem }, b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &a }, NULL, fs, one);
	field_write(&(struct json_writer){ .out = &b }, NULL, fs, other);
	return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

const char *
texts_json(struct arena *mem, const struct list *l)
{
	static const struct field texts = { .type = F_LIST };
	struct buf b = { .mem = mem };

	write_list(&(struct json_writer){ .out = &b }, &texts, l);
	return buf_text(&b);
}
