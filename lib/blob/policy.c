/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The policy is read before its signature is checked, only to find the credential that
 * signed it.  So a form whose credential field was changed violates a condition, not
 * the signature.
 */
#include "blob/policy.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"

/* A form being checked. */
struct form {
	struct arena *mem;
	const struct sigv4 *v;
	const struct policy_field *fields;
	size_t n;
	bool *bound;               /* field by field: a condition names it */
	const struct json *policy; /* NULL: the policy is not valid JSON */
	struct policy_bound *to;
};

/* The index of the field; n if it was not posted. */
static size_t
find(const struct form *f, const char *name)
{
	size_t i = 0;

	while (i < f->n && strcasecmp(f->fields[i].name, name) != 0)
		i++;
	return i;
}

static const char *
value(const struct form *f, int which) /* NULL: not posted */
{
	size_t i = find(f, policy_names[which]);

	return i < f->n ? f->fields[i].value : NULL;
}

static bool
is_ignored(const char *name)
{
	return strncasecmp(name, "x-ignore-", 9) == 0;
}

static bool
needs_no_condition(const char *name)
{
	return is_ignored(name) || strcasecmp(name, "file") == 0 ||
	       strcasecmp(name, policy_names[FORM_POLICY]) == 0 ||
	       strcasecmp(name, policy_names[FORM_SIGNATURE]) == 0;
}

/* True if JSON holds a text without NULs: no field's value can have them. */
static bool
is_text(const struct json *v)
{
	return v != NULL && v->type == JSON_TEXT && strlen(v->u.s) == v->n;
}

/* A field that was not posted counts as empty. */
static bool
meets(struct form *f, const char *name, const struct json *wanted, bool only_start)
{
	size_t i = find(f, name);
	const char *got = i < f->n ? f->fields[i].value : "";

	if (!is_text(wanted))
		return false;
	if (i < f->n)
		f->bound[i] = true;
	return only_start ? strncmp(got, wanted->u.s, wanted->n) == 0
			  : strcmp(got, wanted->u.s) == 0;
}

static bool
narrow_range(struct policy_bound *to, const struct json *min, const struct json *max)
{
	if (min->type != JSON_INT || max->type != JSON_INT)
		return false;
	if (min->u.i > to->min_bytes)
		to->min_bytes = min->u.i;
	if (max->u.i < to->max_bytes)
		to->max_bytes = max->u.i;
	return true;
}

/* ["eq", "$name", "value"] and similar conditions. */
static bool
list_holds(struct form *f, const struct json *list)
{
	const struct json *op = list->kids, *name, *arg;

	if (list->n != 3 || !is_text(op))
		return false;
	name = op->next;
	arg = name->next;
	if (strcasecmp(op->u.s, "content-length-range") == 0)
		return narrow_range(f->to, name, arg);
	if (!is_text(name) || name->u.s[0] != '$')
		return false;
	if (strcasecmp(op->u.s, "eq") == 0)
		return meets(f, name->u.s + 1, arg, false);
	return strcasecmp(op->u.s, "starts-with") == 0 &&
	       meets(f, name->u.s + 1, arg, true);
}

static bool
condition_holds(struct form *f, const struct json *c)
{
	if (c->type == JSON_LIST)
		return list_holds(f, c);
	if (c->type != JSON_OBJ || c->n == 0)
		return false;
	for (const struct json *kid = c->kids; kid != NULL; kid = kid->next)
		if (!meets(f, kid->key, kid, false))
			return false;
	return true;
}

static bool
is_current(const struct json *policy, int64_t now)
{
	const char *until = json_get_text(policy, "expiration");
	int64_t until_us;

	return until != NULL && time_parse(until, &until_us) && now < until_us;
}

static bool
conditions_hold(struct form *f)
{
	const struct json *all = json_get_list(f->policy, "conditions");

	if (all == NULL)
		return false;
	for (const struct json *c = all->kids; c != NULL; c = c->next)
		if (!condition_holds(f, c))
			return false;
	for (size_t i = 0; i < f->n; i++)
		if (!f->bound[i] && !needs_no_condition(f->fields[i].name))
			return false;
	return true;
}

static const struct json *
read_policy(struct arena *mem, const char *encoded)
{
	const char *why;
	unsigned char *text;
	size_t n;

	if ((text = base64_read(mem, encoded, strlen(encoded), &n)) == NULL)
		return NULL;
	return json_read(mem, (const char *)text, n, &why);
}

/* The credential that the policy names, or the posted one. */
static const char *
signed_under(const struct form *f)
{
	const struct json *all = json_get(f->policy, "conditions");
	const char *name = policy_names[FORM_CREDENTIAL];

	for (const struct json *c = all != NULL ? all->kids : NULL; c != NULL;
	     c = c->next)
		if (c->type == JSON_OBJ && c->n == 1 && is_text(c->kids) &&
		    strcasecmp(c->kids->key, name) == 0)
			return c->kids->u.s;
	return value(f, FORM_CREDENTIAL);
}

static bool
is_our_key(const struct form *f, const char *credential)
{
	size_t n = strlen(f->v->access_key);

	return strncmp(credential, f->v->access_key, n) == 0 && credential[n] == '/';
}

static bool
is_signed(const struct form *f, const char *policy, const char *signature)
{
	const char *under = signed_under(f), *good;

	if (under == NULL || !is_our_key(f, under))
		return false;
	good = sigv4_sign(f->mem, f->v, under + strlen(f->v->access_key) + 1, policy);
	return strlen(signature) == strlen(good) &&
	       same_bytes(signature, good, strlen(good));
}

static bool
is_doubled(const struct form *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!is_ignored(f->fields[i].name) && find(f, f->fields[i].name) != i)
			return true;
	return false;
}

static int
bound_status(const char *text)
{
	if (text != NULL && (strcmp(text, "200") == 0 || strcmp(text, "201") == 0))
		return text[2] == '0' ? 200 : 201;
	return 204;
}

enum policy_verdict
policy_check(struct arena *mem, const struct sigv4 *v,
    const struct policy_field *fields, size_t n, int64_t now, struct policy_bound *to)
{
	struct form f = { .mem = mem, .v = v, .fields = fields, .n = n, .to = to };
	const char *policy = value(&f, FORM_POLICY);
	const char *signature = value(&f, FORM_SIGNATURE);
	const char *credential = value(&f, FORM_CREDENTIAL);

	*to = (struct policy_bound){ .max_bytes = INT64_MAX };
	if (policy == NULL)
		return signature == NULL ? POLICY_NONE : POLICY_DENIED;
	if (signature == NULL || is_doubled(&f))
		return POLICY_ARGUMENT;
	if (credential != NULL && !is_our_key(&f, credential))
		return POLICY_KEY;
	f.bound = arena_alloc(mem, n * sizeof(*f.bound));
	f.policy = read_policy(mem, policy);
	if (!is_signed(&f, policy, signature))
		return POLICY_SIGNATURE;
	if (!is_current(f.policy, now) || !conditions_hold(&f) ||
	    (to->key = value(&f, FORM_KEY)) == NULL)
		return POLICY_DENIED;
	to->status = bound_status(value(&f, FORM_STATUS));
	return POLICY_GOOD;
}

/* ---- making a form ---- */

#define FIELD(field, name) name,
const char *const policy_names[FORM_FIELDS] = { POLICY_FIELDS };

static const char *
write_policy(struct arena *mem, const struct policy_grant *g,
    const struct policy_field fields[FORM_FIELDS])
{
	static const int exact[] = { FORM_STATUS, FORM_BUCKET, FORM_ALGORITHM,
		FORM_CREDENTIAL, FORM_DATE, FORM_KEY };
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	char until[TIME_TEXT];

	jw_open(&j, NULL);
	jw_text(&j, "expiration", time_text(g->now_us + g->valid_s * S_US, until));
	jw_list(&j, "conditions");
	jw_list(&j, NULL);
	jw_text(&j, NULL, "content-length-range");
	jw_int(&j, NULL, g->min_bytes);
	jw_int(&j, NULL, g->max_bytes);
	jw_close(&j);
	jw_list(&j, NULL);
	jw_text(&j, NULL, "eq");
	jw_text(&j, NULL, "$Content-Type");
	jw_text(&j, NULL, g->mime_type);
	jw_close(&j);
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		jw_open(&j, NULL);
		jw_text(&j, fields[exact[i]].name, fields[exact[i]].value);
		jw_close(&j);
	}
	jw_close(&j);
	jw_close(&j);
	return buf_text(&b);
}

void
policy_form(struct arena *mem, const struct sigv4 *v, const struct policy_grant *g,
    struct policy_field fields[FORM_FIELDS])
{
	char stamp[SIGV4_STAMP];
	const char *text;

	sigv4_stamp(g->now_us, stamp);
	for (int i = 0; i < FORM_FIELDS; i++)
		fields[i].name = policy_names[i];
	fields[FORM_KEY].value = g->key;
	fields[FORM_CONTENT_TYPE].value = g->mime_type;
	fields[FORM_STATUS].value = "201";
	fields[FORM_BUCKET].value = g->bucket;
	fields[FORM_ALGORITHM].value = SIGV4_ALGORITHM;
	fields[FORM_CREDENTIAL].value = sigv4_credential(mem, v, stamp);
	fields[FORM_DATE].value = arena_str(mem, stamp);
	text = write_policy(mem, g, fields);
	fields[FORM_POLICY].value = base64(mem, text, strlen(text));
	fields[FORM_SIGNATURE].value =
	    sigv4_sign(mem, v, stamp, fields[FORM_POLICY].value);
}
