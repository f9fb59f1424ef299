/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Percent encoding and query strings, by uriparser.  The rules are those of RFC 3986
 * and of the form encoding ("+" is a space).
 */
#include <string.h>
#include <uriparser/Uri.h>

#include "base/text.h"
#include "web/web.h"

const char *
percent_decode(struct arena *mem, const char *s, size_t n)
{
	char *to = arena_dup(mem, s, n);
	const char *end;

	for (const char *p = to; (p = strchr(p, '%')) != NULL; p++)
		if (strspn(p + 1, "0123456789abcdefABCDEF") < 2)
			return NULL;
	end = uriUnescapeInPlaceExA(to, URI_FALSE, URI_BR_DONT_TOUCH);
	if (strlen(to) != (size_t)(end - to) || !text_valid(to, strlen(to)))
		return NULL;
	return to;
}

/* Decode a name or value of a query; NULL: it is not valid text. */
static const char *
form_decode(struct arena *mem, const char *s, size_t n)
{
	char *plain = arena_dup(mem, s, n);

	for (char *plus = plain; (plus = strchr(plus, '+')) != NULL; plus++)
		*plus = ' ';
	return percent_decode(mem, plain, n);
}

/* Invalid text becomes U+0000, which no field accepts. */
static struct json *
text_value(struct arena *mem, const char *s)
{
	struct json *v = arena_alloc(mem, sizeof(*v));

	*v = (struct json){ .type = JSON_TEXT,
		.u.s = s != NULL ? s : "",
		.n = s != NULL ? strlen(s) : 1 };
	return v;
}

static struct json *
member(struct json *obj, const char *key)
{
	struct json *v = obj->kids;

	while (v != NULL && strcmp(v->key, key) != 0)
		v = v->next;
	return v;
}

static void
append(struct json *to, struct json *kid)
{
	struct json **tail = &to->kids;

	while (*tail != NULL)
		tail = &(*tail)->next;
	*tail = kid;
	to->n++;
}

/* Add a value. A second value of the same name makes a list. */
static void
add_value(struct arena *mem, struct json *obj, const char *key, struct json *value)
{
	struct json *old = member(obj, key), *first;

	if (old == NULL) {
		value->key = key;
		append(obj, value);
		return;
	}
	if (old->type == JSON_TEXT) {
		first = arena_alloc(mem, sizeof(*first));
		*first =
		    (struct json){ .type = JSON_TEXT, .u.s = old->u.s, .n = old->n };
		*old =
		    (struct json){ .type = JSON_LIST, .key = key, .next = old->next };
		append(old, first);
	}
	append(old, value);
}

const struct json *
query_read(struct request *rq)
{
	struct json *obj = arena_alloc(rq->mem, sizeof(*obj));
	const char *s = rq->target + strcspn(rq->target, "?"), *name, *value;
	size_t n;

	obj->type = JSON_OBJ;
	while (*s != '\0') {
		s++;
		n = strcspn(s, "=&");
		name = form_decode(rq->mem, s, n);
		s += n;
		n = strcspn(s, "&");
		value = n > 0 ? form_decode(rq->mem, s + 1, n - 1) : "";
		s += n;
		if (name != NULL && name[0] != '\0')
			add_value(rq->mem, obj, name, text_value(rq->mem, value));
	}
	return obj;
}
