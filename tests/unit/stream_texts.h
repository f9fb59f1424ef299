/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_STREAM_TEXTS_H
#define TESTS_UNIT_STREAM_TEXTS_H

/* JSON for tests, written with ` in place of each quotation mark. */
#include "protocol/task.h"
#include "tests/unit/unit.h"

static struct arena *mem;

static void
setup(void)
{
	(void)fixture_open, (void)fixture_close;
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static inline const char *
quoted(const char *text)
{
	char *s = arena_str(mem, text);

	for (char *p = s; *p != '\0'; p++)
		if (*p == '`')
			*p = '"';
	return s;
}

static inline const struct json *
tree_of(const char *text)
{
	const char *why, *s = quoted(text);
	const struct json *v = json_read(mem, s, strlen(s), &why);

	ck_assert_msg(v != NULL, "%s: %s", why, s);
	return v;
}

/* The capabilities of these tests' engines. */
static inline bool
texts_knows(void *arg, const char *code)
{
	(void)arg;
	return strcmp(code, "en") == 0 || strcmp(code, "es") == 0 ||
	       strcmp(code, "de") == 0;
}

static inline bool
texts_pairs(void *arg, const char *from, const char *to)
{
	static const char *const pairs[] = { "en es", "en de", "en zh-hans", "es en",
		"es ca", "de pt-br" };
	const char *pair = arena_printf(mem, "%s %s", from, to);

	(void)arg;
	for (int i = 0; i < COUNT(pairs); i++)
		if (strcmp(pair, pairs[i]) == 0)
			return true;
	return false;
}

static const struct task_engines engines = { NULL, texts_knows, texts_pairs, false };

#endif
