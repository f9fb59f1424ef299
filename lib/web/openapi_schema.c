/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON Schema (2020-12, as in OpenAPI 3.1) of the structs that field tables describe.
 */
#include "web/openapi_schema.h"

/* The times that time_parse() accepts, as far as a pattern can describe them. */
#define TIME_PATTERN                                                                   \
	"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]"                      \
	"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"                                \
	"([.][0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$"

static void
limits(
    struct json_writer *j, const struct field *f, const char *least, const char *most)
{
	if (f->min == 0 && f->max == 0)
		return;
	jw_int(j, least, f->min);
	if (f->max < INT64_MAX)
		jw_int(j, most, f->max);
}

static void
type(struct json_writer *j, const char *is, bool null)
{
	if (!null) {
		jw_text(j, "type", is);
		return;
	}
	jw_list(j, "type");
	jw_text(j, NULL, is);
	jw_text(j, NULL, "null");
	jw_close(j);
}

/* Write the names of a field. With F_NOCASE clients may send them in any case. */
static void
names(struct json_writer *j, const struct field *f, enum schema_side side, bool null)
{
	type(j, "string", null);
	jw_list(j, "enum");
	for (size_t i = 0; f->names[i] != NULL; i++)
		jw_text(j, NULL, f->names[i]);
	if (null)
		jw_null(j, NULL);
	jw_close(j);
	if (side != SCHEMA_OUT && f->flags & F_NOCASE)
		jw_bool(j, "x-any-case", true);
}

static void
write_bool(
    struct json_writer *j, const struct field *f, enum schema_side side, bool null)
{
	if (side != SCHEMA_OUT && f->flags & F_LOOSE)
		jw_raw(j, "anyOf",
		    null ? "[{\"type\":[\"boolean\",\"null\"]},"
			   "{\"enum\":[\"true\",\"false\"],\"type\":\"string\"}]"
			 : "[{\"type\":\"boolean\"},"
			   "{\"enum\":[\"true\",\"false\"],\"type\":\"string\"}]");
	else
		type(j, "boolean", null);
	if (side == SCHEMA_NEW && !(f->flags & F_REQUIRED))
		jw_bool(j, "default", (f->flags & F_TRUE) != 0);
}

/* Items are complete, even in an update. */
static void
write_items(struct json_writer *j, const struct field *f, enum schema_side side)
{
	if (side == SCHEMA_EDIT)
		side = SCHEMA_NEW;
	if (f->of == NULL)
		jw_raw(j, "items", "{\"type\":\"string\"}");
	else if (f->of->name[0] == '\0')
		schema_field(j, "items", f->of, side);
	else
		schema_object(j, "items", f->of, side, false);
}

static void
write_plain(
    struct json_writer *j, const struct field *f, enum schema_side side, bool null)
{
	switch (f->type) {
	case F_TEXT:
		type(j, "string", null);
		limits(j, f, "minLength", "maxLength");
		break;
	case F_ENUM:
		names(j, f, side, null);
		break;
	case F_TIME:
		type(j, "string", null);
		if (side == SCHEMA_OUT)
			jw_text(j, "format", "date-time");
		else
			jw_text(j, "pattern", TIME_PATTERN);
		break;
	case F_INT:
		type(j, "integer", null);
		limits(j, f, "minimum", "maximum");
		break;
	case F_REAL:
		type(j, "number", null);
		limits(j, f, "minimum", "maximum");
		break;
	case F_BOOL:
		write_bool(j, f, side, null);
		break;
	case F_LIST:
		type(j, "array", null);
		limits(j, f, "minItems", "maxItems");
		write_items(j, f, side);
		break;
	case F_JSON: /* the texts may override this */
		type(j, "object", null);
		jw_bool(j, "additionalProperties", true);
		break;
	case F_OBJ:
		type(j, "object", null);
		break;
	}
}

/* An item of a list is never null; elsewhere null may stand for an absent value. */
static bool
nullable(const struct field *f, enum schema_side side)
{
	if (f->flags & F_NULLABLE)
		return side != SCHEMA_OUT || !(f->flags & F_OPT);
	return side == SCHEMA_NEW && f->name[0] != '\0' && !(f->flags & F_REQUIRED);
}

void
schema_field(struct json_writer *j, const char *key, const struct field *f,
    enum schema_side side)
{
	if (f->type == F_OBJ) {
		schema_object(j, key, f->of, side, nullable(f, side));
		return;
	}
	jw_open(j, key);
	write_plain(j, f, side, nullable(f, side));
	if (f->help != NULL)
		jw_text(j, "description", f->help);
	jw_close(j);
}

static bool
shown(const struct field *f, enum schema_side side)
{
	return (f->flags & (side == SCHEMA_OUT ? F_OUT : F_IN)) != 0;
}

static bool
always(const struct field *f, enum schema_side side)
{
	return side == SCHEMA_OUT ? !(f->flags & F_OPT)
				  : side == SCHEMA_NEW && f->flags & F_REQUIRED;
}

void
schema_object(struct json_writer *j, const char *key, const struct field *fs,
    enum schema_side side, bool null)
{
	const struct field *f;

	jw_open(j, key);
	type(j, "object", null);
	jw_open(j, "properties");
	for (f = fs; f->name != NULL; f++)
		if (shown(f, side))
			schema_field(j, f->name, f, side);
	jw_close(j);
	jw_list(j, "required");
	for (f = fs; f->name != NULL; f++)
		if (shown(f, side) && always(f, side))
			jw_text(j, NULL, f->name);
	jw_close(j);
	jw_close(j);
}
