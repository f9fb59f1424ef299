/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes JSON by a table of rules.  A member that was sent is written as
 * sent, any other from the struct.
 */
#include "protocol/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/lang.h"
#include "base/text.h"

/* ---- reading ---- */

static void
read_int(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    int64_t *to)
{
	const struct json *v = at->v;
	int64_t i;

	if (v->type == JSON_INT) {
		i = v->u.i;
	} else if (v->type == JSON_NUMBER && v->u.r == trunc(v->u.r)) {
		i = fabs(v->u.r) < 9007199254740992.0 ? (int64_t)v->u.r : INT64_MAX;
	} else {
		validation_error_add(f, at, VALIDATION_TYPE, "must be an integer");
		return;
	}
	if (i >= (int64_t)r->min && i <= (int64_t)r->max)
		*to = i;
	else if (r->min == r->max)
		validation_error_add(f, at, VALIDATION_RANGE, "must be %.0f", r->min);
	else
		validation_error_add(f, at, VALIDATION_RANGE,
		    "must be between %.0f and %.0f", r->min, r->max);
}

static void
read_real(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    double *to)
{
	const struct json *v = at->v;
	double d;

	if (v->type != JSON_INT && v->type != JSON_NUMBER) {
		validation_error_add(f, at, VALIDATION_TYPE, "must be a number");
		return;
	}
	d = v->type == JSON_INT ? (double)v->u.i : v->u.r;
	if (d >= r->min && d <= r->max)
		*to = d;
	else
		validation_error_add(f, at, VALIDATION_RANGE,
		    "must be between %.1f and %.1f", r->min, r->max);
}

static const char *
name_list(struct arena *mem, const char *const *names)
{
	struct buf b = { .mem = mem };

	for (const char *const *name = names; *name != NULL; name++)
		buf_printf(&b, "%s%s", name == names ? "" : ", ", *name);
	return buf_text(&b);
}

static int
find_name(const char *const *names, const char *s)
{
	for (int i = 0; names != NULL && names[i] != NULL; i++)
		if (strcmp(names[i], s) == 0)
			return i;
	return -1;
}

static void
read_enum(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    int *to)
{
	int i;

	if (!validation_error_is(f, at, JSON_TEXT))
		return;
	if ((i = find_name(r->names, at->v->u.s)) >= 0)
		*to = i;
	else
		validation_error_add(f, at, VALIDATION_ENUM, "must be %s%s",
		    r->names[1] != NULL ? "one of " : "", name_list(f->mem, r->names));
}

static void
read_text(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    const char **to)
{
	double n;

	if (!validation_error_is(f, at, JSON_TEXT))
		return;
	n = (double)text_length(at->v->u.s);
	if (r->max == 0 || (n >= r->min && n <= r->max))
		*to = at->v->u.s;
	else
		validation_error_add(f, at, VALIDATION_LENGTH,
		    "must have %.0f to %.0f characters", r->min, r->max);
}

static void
read_code(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    struct language_code *to)
{
	const char *code;

	if (!validation_error_is(f, at, JSON_TEXT))
		return;
	code = lang_fold(f->mem, at->v->u.s);
	if (language_code_known(code) || find_name(r->names, code) >= 0)
		*to = (struct language_code){ at->v->u.s, code };
	else
		validation_error_add(f, at, VALIDATION_ENUM,
		    "must be a language code%s%s",
		    r->names != NULL ? " or one of " : "",
		    r->names != NULL ? name_list(f->mem, r->names) : "");
}

static void
read_id(struct validation_errors *f, const struct json_path *at, const char **to)
{
	const char *id;

	if (!validation_error_is(f, at, JSON_TEXT))
		return;
	if ((id = id_read(f->mem, at->v->u.s)) != NULL)
		*to = id;
	else
		validation_error_add(f, at, VALIDATION_TYPE, "must be a uuid");
}

static void
read_item(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    const char **to)
{
	if (r->type == RULE_IDS)
		read_id(f, at, to);
	else if (r->type == RULE_TEXTS)
		read_text(f, r, at, to);
	else if (validation_error_is(f, at, JSON_TEXT))
		*to = lang_fold(f->mem, at->v->u.s);
}

static void
read_list(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    struct list *to)
{
	const char **items;
	struct json_path item;
	size_t i = 0;

	if (!validation_error_is(f, at, JSON_LIST))
		return;
	items = arena_alloc(f->mem, (at->v->n + 1) * sizeof(*items));
	for (const struct json *v = at->v->kids; v != NULL; v = v->next, i++) {
		item = json_path_item(at, i, v);
		read_item(f, r, &item, &items[i]);
	}
	*to = (struct list){ items, i };
}

static void
read_one(struct validation_errors *f, const struct rule *r, const struct json_path *at,
    void *to)
{
	void *field = (char *)to + r->at;

	switch (r->type) {
	case RULE_BOOL:
		if (validation_error_is(f, at, JSON_BOOL))
			*(bool *)field = at->v->u.b;
		break;
	case RULE_INT:
		read_int(f, r, at, field);
		break;
	case RULE_REAL:
		read_real(f, r, at, field);
		break;
	case RULE_ENUM:
		read_enum(f, r, at, field);
		break;
	case RULE_TEXT:
		read_text(f, r, at, field);
		break;
	case RULE_CODE:
		read_code(f, r, at, field);
		break;
	case RULE_TEXTS:
	case RULE_CODES:
	case RULE_IDS:
		read_list(f, r, at, field);
		break;
	case RULE_PATH:
	case RULE_OBJ:
	case RULE_OWN:
		break;
	}
}

void
rules_read(struct validation_errors *f, const struct rule *rules,
    const struct json_path *at, void *to)
{
	for (const struct rule *r = rules; r->name != NULL; r++) {
		struct json_path kid = json_path_member(at, r->name);

		if (kid.v == NULL && (r->flags & RULE_REQUIRED) != 0)
			validation_error_add(
			    f, &kid, VALIDATION_MISSING, "is required");
		else if (r->type == RULE_OWN && r->read != NULL)
			r->read(f, &kid, to);
		else if (r->type == RULE_OBJ &&
			 (kid.v == NULL || validation_error_is(f, &kid, JSON_OBJ)))
			rules_read(f, r->of, &kid, to);
		else if (kid.v != NULL)
			read_one(f, r, &kid, to);
	}
}

/* ---- writing ---- */

static void
write_texts(struct json_writer *j, const char *key, const struct list *texts)
{
	const char *const *text = texts->items;

	jw_list(j, key);
	for (size_t i = 0; i < texts->n; i++)
		jw_text(j, NULL, text[i]);
	jw_close(j);
}

/* Write a member that the client did not send. */
static void
write_default(struct json_writer *j, const struct rule *r, const void *from)
{
	const void *field = (const char *)from + r->at;

	switch (r->type) {
	case RULE_BOOL:
		jw_bool(j, r->name, *(const bool *)field);
		break;
	case RULE_INT:
		if (*(const int64_t *)field != 0)
			jw_int(j, r->name, *(const int64_t *)field);
		break;
	case RULE_REAL:
		jw_real(j, r->name, *(const double *)field);
		break;
	case RULE_ENUM:
		jw_text(j, r->name, r->names[*(const int *)field]);
		break;
	case RULE_TEXT:
		jw_text(j, r->name, *(const char *const *)field);
		break;
	case RULE_CODE:
		jw_text(j, r->name, ((const struct language_code *)field)->said);
		break;
	case RULE_TEXTS:
	case RULE_CODES:
	case RULE_IDS:
		write_texts(j, r->name, field);
		break;
	case RULE_PATH:
	case RULE_OBJ:
	case RULE_OWN:
		break;
	}
}

static const struct rule *
find_rule(const struct rule *r, const char *name)
{
	while (r->name != NULL && strcmp(r->name, name) != 0)
		r++;
	return r->name != NULL ? r : NULL;
}

static bool
was_sent(const struct rule *r, const struct json *v)
{
	return v != NULL && (v->type != JSON_NONE || (r->flags & RULE_NULLABLE) != 0);
}

static void
write_sent(struct json_writer *j, const struct rule *r, const struct json *sent,
    const void *from, bool hidden)
{
	if (r == NULL)
		jw_json(j, sent->key, sent);
	else if (!was_sent(r, sent))
		return;
	else if (r->type == RULE_OBJ)
		rules_write_object(j, r->name, r->of, sent, from, hidden);
	else if (r->type == RULE_OWN && sent->type != JSON_NONE)
		r->write(j, r->name, sent, from, hidden);
	else
		jw_json(j, r->name, sent);
}

void
rules_write(struct json_writer *j, const struct rule *rules, const struct json *sent,
    const void *from, bool hidden)
{
	if (sent != NULL)
		for (const struct json *v = sent->kids; v != NULL; v = v->next)
			write_sent(j, find_rule(rules, v->key), v, from, hidden);
	if (!hidden)
		return;
	for (const struct rule *r = rules; r->name != NULL; r++) {
		if (was_sent(r, json_get(sent, r->name)))
			continue;
		if (r->type == RULE_OBJ)
			rules_write_object(j, r->name, r->of, NULL, from, hidden);
		else if (r->type == RULE_OWN)
			r->write(j, r->name, NULL, from, hidden);
		else
			write_default(j, r, from);
	}
}

void
rules_write_object(struct json_writer *j, const char *key, const struct rule *rules,
    const struct json *sent, const void *from, bool hidden)
{
	jw_open(j, key);
	rules_write(j, rules, sent, from, hidden);
	jw_close(j);
}

/* ---- JSON Schema (2020-12), for /asyncapi.json ---- */

static void
write_type(struct json_writer *j, const char *type, bool null)
{
	if (!null) {
		jw_text(j, "type", type);
		return;
	}
	jw_list(j, "type");
	jw_text(j, NULL, type);
	jw_text(j, NULL, "null");
	jw_close(j);
}

static void
write_limits(
    struct json_writer *j, const struct rule *r, const char *least, const char *most)
{
	if (r->max <= 0)
		return;
	jw_real(j, least, r->min);
	jw_real(j, most, r->max);
}

static void
write_names(struct json_writer *j, const struct rule *r, bool null)
{
	write_type(j, "string", null);
	jw_list(j, "enum");
	for (const char *const *name = r->names; *name != NULL; name++)
		jw_text(j, NULL, *name);
	if (null)
		jw_null(j, NULL);
	jw_close(j);
}

static void
write_text(struct json_writer *j, const struct rule *r, bool null)
{
	write_type(j, "string", null);
	write_limits(j, r, "minLength", "maxLength");
}

static void
write_strings(struct json_writer *j, const struct rule *r, bool null)
{
	write_type(j, "array", null);
	jw_open(j, "items");
	write_text(j, r, false);
	if (r->type == RULE_IDS)
		jw_text(j, "format", "uuid");
	jw_close(j);
}

static void
write_scalar(struct json_writer *j, const struct rule *r, bool null)
{
	switch (r->type) {
	case RULE_BOOL:
		write_type(j, "boolean", null);
		break;
	case RULE_INT:
	case RULE_REAL:
		write_type(j, r->type == RULE_INT ? "integer" : "number", null);
		write_limits(j, r, "minimum", "maximum");
		break;
	case RULE_ENUM:
		write_names(j, r, null);
		break;
	case RULE_TEXT:
	case RULE_CODE:
		write_text(j, r, null);
		break;
	case RULE_PATH:
		write_type(j, "array", null);
		jw_raw(j, "items", "{\"type\":[\"string\",\"integer\"]}");
		break;
	default:
		write_strings(j, r, null);
	}
}

/* A client must send an object if it must send one of its members. */
static bool
is_always(const struct rule *r, bool sent)
{
	if (sent)
		return (r->flags & RULE_OPTIONAL) == 0;
	if ((r->flags & RULE_REQUIRED) != 0 || r->type != RULE_OBJ)
		return (r->flags & RULE_REQUIRED) != 0;
	for (const struct rule *of = r->of; of->name != NULL; of++)
		if (is_always(of, sent))
			return true;
	return false;
}

static void write_object(struct json_writer *, const struct rule *, const struct json *,
    bool sent, bool null);

static void
write_rule(
    struct json_writer *j, const struct rule *r, const struct json *defaults, bool sent)
{
	const struct json *v = rules_default(defaults, r->name);
	bool null = (r->flags & RULE_NULLABLE) != 0 || (!sent && !is_always(r, sent));

	jw_open(j, strcmp(r->name, RULE_ANY) == 0 ? "additionalProperties" : r->name);
	if (r->of == NULL)
		write_scalar(j, r, null);
	else if ((r->flags & RULE_LIST) != 0) {
		write_type(j, "array", null);
		write_limits(j, r, "minItems", "maxItems");
		jw_open(j, "items");
		write_object(j, r->of, v, sent, false);
		jw_close(j);
	} else
		write_object(j, r->of, v, sent, null);
	jw_text(j, "description", r->help);
	if (v != NULL && v->type != JSON_OBJ && !is_always(r, sent))
		jw_json(j, "default", v);
	jw_close(j);
}

static void
write_object(struct json_writer *j, const struct rule *rules,
    const struct json *defaults, bool sent, bool null)
{
	const struct rule *r;

	write_type(j, "object", null);
	jw_open(j, "properties");
	for (r = rules; r->name != NULL; r++)
		if (r->help != NULL && strcmp(r->name, RULE_ANY) != 0)
			write_rule(j, r, defaults, sent);
	jw_close(j);
	jw_list(j, "required");
	for (r = rules; r->name != NULL; r++)
		if (is_always(r, sent) && strcmp(r->name, RULE_ANY) != 0)
			jw_text(j, NULL, r->name);
	jw_close(j);
	for (r = rules; r->name != NULL; r++)
		if (strcmp(r->name, RULE_ANY) == 0)
			write_rule(j, r, defaults, sent);
}

const struct json *
rules_default(const struct json *v, const char *name)
{
	while (v != NULL && v->type == JSON_LIST)
		v = v->kids;
	if (v == NULL || v->type != JSON_OBJ)
		return NULL;
	return strcmp(name, RULE_ANY) == 0 ? v->kids : json_get(v, name);
}

void
rules_schema(struct json_writer *j, const char *key, const struct rule *rules,
    const struct json *defaults, bool sent)
{
	jw_open(j, key);
	write_object(j, rules, defaults, sent, false);
	jw_close(j);
}
