/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads answers, and checks the form of every problem. */
#include <stdlib.h>
#include <string.h>

#include "client.h"

json_t *
at(const json_t *j, const char *path)
{
	const char *s = path;
	json_t *v = NULL;

	for (size_t n; j != NULL && *s != '\0'; s += n + (s[n] == '.'), j = v) {
		n = strcspn(s, ".");
		v = json_is_array(j) ? json_array_get(j, (size_t)strtoul(s, NULL, 10))
				     : json_object_get(j, arena_dup(memory(), s, n));
	}
	return j != NULL ? v : NULL;
}

static json_t *
must(const json_t *j, const char *path, bool good, const char *what)
{
	ck_assert_msg(good, "no %s %s in %s", what, path,
	    j != NULL ? json_dumps(j, JSON_COMPACT) : "no JSON");
	return at(j, path);
}

const char *
text_at(const json_t *j, const char *path)
{
	return json_string_value(must(j, path, json_is_string(at(j, path)), "text"));
}

json_int_t
int_at(const json_t *j, const char *path)
{
	return json_integer_value(
	    must(j, path, json_is_integer(at(j, path)), "integer"));
}

size_t
count_at(const json_t *j, const char *path)
{
	return json_array_size(must(j, path, json_is_array(at(j, path)), "list"));
}

const char *
shown(const struct answer *a)
{
	return text("%d\n%.1200s%.1600s", a->status, a->head, a->body);
}

static const char *const members[] = { "type", "status", "title", "detail", "instance",
	"error_code", "pointer", "parameter" };

/* Members in the contract's order, the last two optional. */
static void
expect_members(const struct answer *a, json_t *problem)
{
	const char *key;
	json_t *value;
	size_t i = 0;

	json_object_foreach(problem, key, value)
	{
		while (i < 8 && strcmp(members[i], key) != 0)
			i++;
		ck_assert_msg(i < 8, "%s is not in its place: %s", key, shown(a));
		i++;
	}
	for (i = 0; i < 6; i++)
		ck_assert_msg(json_object_get(problem, members[i]) != NULL, "no %s: %s",
		    members[i], shown(a));
}

void
expect_problem(const struct answer *a, int status, const char *slug)
{
	const char *id = header_of(a, "X-Request-Id");
	json_t *p = at(a->json, "errors.0");

	EXPECT(*a, status);
	ck_assert_msg(p != NULL, "no problem: %s", shown(a));
	ck_assert_str_eq(header_of(a, "Content-Type"), "application/json");
	ck_assert_msg(json_is_false(at(a->json, "ok")), "%s", shown(a));
	expect_members(a, p);
	ck_assert_str_eq(
	    text_at(p, "type"), text("%s/problems/%s", instance()->base_url, slug));
	ck_assert_int_eq(int_at(p, "status"), status);
	ck_assert_int_ge(strlen(text_at(p, "title")), 5);
	ck_assert_int_ge(strlen(text_at(p, "detail")), 5);
	ck_assert_str_eq(text_at(p, "instance"),
	    text("urn:uuid:%s",
		id != NULL ? id : "00000000-0000-0000-0000-000000000000"));
	ck_assert_str_eq(header_of(a, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(header_of(a, "X-Content-Type-Options"), "nosniff");
	ck_assert_str_eq(header_of(a, "Cache-Control"), "no-store");
}

void
expect_s3(const struct answer *a, int status, const char *code)
{
	const char *type = header_of(a, "Content-Type");

	EXPECT(*a, status);
	ck_assert_msg(
	    type != NULL && strcmp(type, "application/xml") == 0, "%s", shown(a));
	ck_assert_msg(strstr(a->body, text("<Error><Code>%s</Code><Message>", code)),
	    "wanted %s, got %s", code, shown(a));
	ck_assert_msg(strstr(a->body, "</Message><RequestId>") != NULL &&
			  strstr(a->body, "</RequestId></Error>") != NULL,
	    "%s", shown(a));
}
