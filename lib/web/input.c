/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses the input of a request into typed and checked structs.  All errors are
 * reported together, and handlers only run with valid input.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web/multipart.h"
#include "web/policy.h"

#define BODY_MAX (1024 * 1024) /* bytes */

/* True for a charset that JSON may have; it has no effect (RFC 8259, 11). */
static bool
is_utf8(const char *name, size_t n)
{
	static const char *const names[] = { "utf-8", "utf8", "us-ascii" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (n == strlen(names[i]) && strncasecmp(name, names[i], n) == 0)
			return true;
	return false;
}

/*
 * True for "; charset=utf-8" and the like: after each semicolon a parameter or nothing.
 */
static bool
are_parameters(const char *s)
{
	while (*(s += strspn(s, " \t")) == ';') {
		bool charset, quoted;
		size_t n;

		s += 1 + strspn(s + 1, " \t");
		charset = strncasecmp(s, "charset=", 8) == 0;
		s += strcspn(s, "=;\"");
		s += *s == '=';
		quoted = *s == '"';
		s += quoted;
		n = strcspn(s, quoted ? "\"" : "; \t");
		if ((charset && !is_utf8(s, n)) || (quoted && s[n] != '"'))
			return false;
		s += n + quoted;
	}
	return *s == '\0';
}

/* True for application/json and application/...+json. */
static bool
is_json_type(const char *type)
{
	size_t n = strcspn(type, "; \t");

	return ((n == 16 && strncasecmp(type, "application/json", n) == 0) ||
		   (n > 17 && strncasecmp(type, "application/", 12) == 0 &&
		       strncasecmp(type + n - 5, "+json", 5) == 0)) &&
	       are_parameters(type + n);
}

bool
input_encoded(const struct request *rq)
{
	const char *coding = rq->param(rq, "HTTP_CONTENT_ENCODING");

	return coding != NULL && strcasecmp(coding, "identity") != 0;
}

static bool
type_is_accepted(struct request *rq)
{
	const char *type = rq->param(rq, "CONTENT_TYPE");

	return (type == NULL || type[0] == '\0' || is_json_type(type)) &&
	       !input_encoded(rq);
}

static size_t
read_body(void *rq, void *to, size_t n)
{
	return ((struct request *)rq)->read(rq, to, n);
}

enum err
input_form(struct request *rq, struct multipart **to)
{
	return multipart_open(
	    rq->mem, rq->param(rq, "CONTENT_TYPE"), read_body, rq, to);
}

/* Receive the whole body. False: it is too long. */
static bool
receive_all(struct request *rq)
{
	struct buf b = { .mem = rq->mem };
	size_t n;

	if (rq->content_length > BODY_MAX)
		return false;
	while ((n = rq->read(rq, buf_room(&b, 16384), 16384)) > 0)
		if ((b.len += n) > BODY_MAX)
			return false;
	rq->body_len = b.len;
	rq->body = buf_text(&b);
	return true;
}

bool
input_receive(struct request *rq, struct reply *no)
{
	if (!(rq->route->flags & JSON_BODY))
		return true;
	if (!receive_all(rq))
		*no = problem(
		    rq, P_TOO_LARGE, "The body may have at most %d bytes.", BODY_MAX);
	else if (rq->body_len > 0 && !type_is_accepted(rq))
		*no = problem(rq, P_MEDIA_TYPE,
		    "The body must be application/json in UTF-8, not encoded.");
	else
		return true;
	return false;
}

/* Returns a sentence about the body's error, or NULL. */
static const char *
parse(struct request *rq)
{
	bool optional = (rq->route->flags & OPTIONAL_BODY) != 0;
	const struct json *doc;
	const char *why;

	if (rq->cut)
		return "The body ended before its length.";
	if (rq->body_len == 0)
		return optional ? NULL
				: "The body must be an object with the member data.";
	if ((doc = json_read(rq->mem, rq->body, rq->body_len, &why)) == NULL)
		return arena_printf(rq->mem, "The body %s.", why);
	if (doc->type != JSON_OBJ)
		return "The body must be an object with the member data.";
	rq->data = json_get(doc, "data");
	if (rq->data == NULL && !optional)
		return "The body has no member data.";
	return NULL;
}

bool
input_parse(struct request *rq, struct reply *no)
{
	const char *what = NULL;

	if (rq->route->flags & JSON_BODY)
		what = parse(rq);
	if (what != NULL)
		*no = problem(rq, P_BAD_REQUEST, "%s", what);
	return what == NULL;
}

#define BLANK " \t"

/* Read a token or quoted string (RFC 9110 §5.6) into *word; returns its end. */
static const char *
read_word(struct arena *mem, const char *s, const char **word)
{
	struct buf b = { .mem = mem };
	size_t n;

	if (*s != '"') {
		n = strcspn(s, "=;,\"" BLANK);
		*word = arena_dup(mem, s, n);
		return s + n;
	}
	for (s++; *s != '\0' && *s != '"'; s++) {
		s += *s == '\\' && s[1] != '\0';
		buf_put(&b, s, 1);
	}
	*word = buf_text(&b);
	return s + (*s == '"');
}

/* Read a name and the value after "=", which may be missing: "". */
static const char *
read_pair(struct arena *mem, const char *s, const char **name, const char **value)
{
	*value = "";
	s = read_word(mem, s, name);
	s += strspn(s, BLANK);
	if (*s == '=')
		s = read_word(mem, s + 1 + strspn(s + 1, BLANK), value);
	return s + strspn(s, BLANK);
}

/* RFC 7240: the first of repeated preferences counts. */
static bool
prefers(struct arena *mem, const char *s, const char *name, const char *value)
{
	const char *n, *v, *ignored;

	for (s += strspn(s, "," BLANK); *s != '\0'; s += strspn(s, "," BLANK)) {
		bool token = *s != '"';

		s = read_pair(mem, s, &n, &v);
		if (token && strcasecmp(n, name) == 0)
			return strcasecmp(v, value) == 0;
		while (*s != '\0' && *s != ',') /* skip its parameters */
			s = read_pair(mem, s + 1, &ignored, &ignored);
	}
	return false;
}

static bool
strict(struct request *rq)
{
	const char *prefer = rq->param(rq, "HTTP_PREFER");

	if (prefer == NULL || !prefers(rq->mem, prefer, "handling", "strict"))
		return false;
	buf_str(&rq->common, "Preference-Applied: handling=strict\r\n");
	return true;
}

/* Check all fields. All start as null, which hooks see for fields that could not be
   read. */
static struct fault *
check_fields(struct request *rq)
{
	const struct route *r = rq->route;
	unsigned how = r->flags & PARTIAL ? FIELD_PARTIAL : 0;
	static const struct json nothing = { .type = JSON_OBJ };

	rq->in = arena_alloc(rq->mem, r->body_size);
	if (r->body->name[0] != '\0')
		field_clear(r->body, rq->in);
	if (rq->data == NULL)
		return field_read(rq->mem, r->body, &nothing, "/data", how, rq->in);
	return field_read(rq->mem, r->body, rq->data, "/data",
	    how | (strict(rq) ? FIELD_STRICT : 0), rq->in);
}

static struct fault *
check_body(struct request *rq)
{
	struct fault *first = NULL, **tail = &first;

	if (rq->route->body != NULL)
		first = check_fields(rq);
	while (*tail != NULL)
		tail = &(*tail)->next;
	if (rq->route->rules != NULL)
		*tail = rq->route->rules(rq);
	return rq->route->body != NULL
		   ? fault_order(rq->mem, rq->route->body, "/data", first)
		   : first;
}

/* Convert a query parameter to the field's type: "12" to a number, "true" to a boolean,
   "a,b" to a list. */
static struct json *typed(struct arena *, const struct field *, const struct json *);

static bool
is_integer(const char *s)
{
	size_t n = strlen(s + (*s == '-'));

	return n > 0 && n < 19 && strspn(s + (*s == '-'), "0123456789") == n;
}

static struct json *
typed_scalar(struct arena *mem, const struct field *f, const struct json *v)
{
	struct json *to = arena_alloc(mem, sizeof(*to));

	*to = (struct json){ .type = JSON_TEXT, .u.s = v->u.s, .n = v->n };
	if (f->type == F_INT && is_integer(v->u.s)) {
		to->type = JSON_INT;
		to->u.i = strtoll(v->u.s, NULL, 10);
	} else if (f->type == F_BOOL && strcmp(v->u.s, "true") == 0) {
		to->type = JSON_BOOL;
		to->u.b = true;
	} else if (f->type == F_BOOL && strcmp(v->u.s, "false") == 0) {
		to->type = JSON_BOOL;
		to->u.b = false;
	}
	return to;
}

static void
split(struct arena *mem, struct json *to, struct json ***tail, const struct json *v)
{
	const char *s = v->u.s;

	for (;; s++) {
		size_t n = strcspn(s, ",");
		struct json *item = arena_alloc(mem, sizeof(*item));

		*item = (struct json){
			.type = JSON_TEXT, .u.s = arena_dup(mem, s, n), .n = n
		};
		**tail = item;
		*tail = &item->next;
		to->n++;
		s += n;
		if (*s == '\0')
			return;
	}
}

static struct json *
typed_list(struct arena *mem, const struct json *v)
{
	struct json *to = arena_alloc(mem, sizeof(*to)), **tail = &to->kids;

	to->type = JSON_LIST;
	if (v->type == JSON_TEXT)
		split(mem, to, &tail, v);
	else
		for (v = v->kids; v != NULL; v = v->next)
			split(mem, to, &tail, v);
	return to;
}

static struct json *
typed(struct arena *mem, const struct field *f, const struct json *v)
{
	if (f->type == F_LIST)
		return typed_list(mem, v);
	if (v->type == JSON_TEXT)
		return typed_scalar(mem, f, v);
	return arena_alloc(
	    mem, sizeof(*v)); /* repeated: null is invalid for every field */
}

/* Returns the known parameters as an object with typed values. */
static const struct json *
typed_query(struct request *rq, const struct json *raw)
{
	struct json *obj = arena_alloc(rq->mem, sizeof(*obj)), **tail = &obj->kids;

	obj->type = JSON_OBJ;
	for (const struct field *f = rq->route->query; f->name != NULL; f++) {
		const struct json *v = json_get(raw, f->name);

		if (v == NULL)
			continue;
		*tail = typed(rq->mem, f, v);
		if ((*tail)->type == JSON_NONE)
			(*tail)->type = JSON_LIST;
		(*tail)->key = f->name;
		tail = &(*tail)->next;
		obj->n++;
	}
	return obj;
}

static struct fault *
check_query(struct request *rq, const struct json **given)
{
	*given = query_read(rq);
	rq->query = arena_alloc(rq->mem, rq->route->query_size);
	return field_read(
	    rq->mem, rq->route->query, typed_query(rq, *given), "", 0, rq->query);
}

bool
input_check(struct request *rq, struct reply *no)
{
	struct fault *body = check_body(rq), *query = NULL;
	const struct json *given = NULL;

	if (rq->route->query != NULL)
		query = check_query(rq, &given);
	if (rq->route->token != NULL && !page_read(rq, given, no))
		return false;
	if (body == NULL && query == NULL)
		return true;
	*no = problem_faults(rq, body, query);
	return false;
}

void
input_over(const struct request *rq, void *thing)
{
	if (rq->data != NULL && field_read(rq->mem, rq->route->body, rq->data, "/data",
				    FIELD_PARTIAL, thing) != NULL)
		abort(); /* the text was checked before */
}

bool
input_has(const struct request *rq, const char *name)
{
	return rq->data != NULL && json_get(rq->data, name) != NULL;
}
