/*
 * JSON Schema (2020-12) of what tables of rules describe, for /asyncapi.json.
 */
#include <string.h>

#include "protocol/rule.h"

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

/* Of a client an object is required where a member of it is. */
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
