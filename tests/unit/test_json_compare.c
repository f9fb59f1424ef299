/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of bodies in tests: by member, with the difference as a sentence. */
#include "tests/unit/suite.h"

#include "tests/unit/json_compare.h"

static const struct {
	const char *is, *wanted, *difference; /* NULL: none */
} bodies[] = {
	{ "{\"a\":1,\"b\":[true]}", "{\"b\":[true],\"a\":1}", NULL },
	{ "{\"a\":1}", "{\"a\":2}", "/a is 1, not 2" },
	{ "{\"a\":{\"b\":\"x\"}}", "{\"a\":{\"b\":null}}", "/a/b is \"x\", not null" },
	{ "{}", "{\"a\":1}", "/a is nothing, not 1" },
	{ "{\"a\":1}", "{}", "/a is 1, not nothing" },
	{ "[1,2]", "[1]", "/1 is 2, not nothing" },
	{ "[1]", "[1,{\"a\":2}]", "/1 is nothing, not {\"a\":2}" },
	{ "{\"a\":1}", "[1]", " is {\"a\":1}, not [1]" },
};

START_TEST(the_first_difference_is_named)
{
	struct arena *mem = arena_new();
	const char *why, *is = bodies[_i].is, *wanted = bodies[_i].wanted;
	const char *difference =
	    json_difference(mem, json_read(mem, is, strlen(is), &why),
		json_read(mem, wanted, strlen(wanted), &why), "");

	ck_assert_pstr_eq(difference, bodies[_i].difference);
	arena_free(mem);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("json_compare");
	TCase *t = tcase_create("json_compare");

	tcase_add_loop_test(t, the_first_difference_is_named, 0,
	    (int)(sizeof(bodies) / sizeof(bodies[0])));
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
