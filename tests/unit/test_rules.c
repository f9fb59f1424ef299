/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules over several fields: the input of their hooks, and the order of their faults
 * among those of the fields.
 */
#include "tests/unit/toy.h"

#define DATA(members) "{\"data\":{\"name\":\"Bear\"" members "}}"

static struct fault *
find_even(struct request *rq, struct fault *f, const struct list *parts, const char *at)
{
	const struct toy_part *p = parts->items;

	for (size_t i = 0; i < parts->n; i++)
		if (p[i].count != NULL_INT && p[i].count % 2 == 0)
			f = fault_add(rq->mem, f,
			    arena_printf(rq->mem, "%s/%zu/count", at, i),
			    "It is even.");
	return f;
}

static struct fault *
toy_rules(struct request *rq)
{
	const struct toy *t = rq->in;
	struct fault *f = find_even(rq, NULL, &t->parts, "/data/parts");

	if (t->size != NULL_INT && t->size % 2 == 0)
		f = fault_add(rq->mem, f, "/data/size", "It is even.");
	if (input_has(rq, "name") && t->name == NULL)
		f = fault_add(rq->mem, f, "/data/name", "It is wrong.");
	return f;
}

static struct fault *
part_rules(struct request *rq)
{
	return find_even(rq, NULL, rq->in, "/data");
}

/* clang-format off */
static const struct field	 part_list[] = {
	{ "", F_LIST, 0, 1, 20, F_IO, .of = toy_part_fields, .size = sizeof(struct toy_part) },
	FIELDS_END,
};
static const struct route	 ruled_routes[] = {
	{ "POST", "/toys", toy_echo, "toys:read", JSON_BODY, TOY_BODY, .rules = toy_rules },
	{ "POST", "/parts", toy_done, "toys:read", JSON_BODY, BODY(part_list, struct list),
	  .rules = part_rules },
	ROUTES_END,
};
/* clang-format on */

static void
ruled_setup(void)
{
	static const struct sql *const prepared[] = { account_sql, queue_sql, NULL };

	fixture_open("ruled", ruled_routes, prepared);
}

static const struct {
	const char *call, *body, *faults;
} ruled[] = {
	{ "POST /toys", "{\"data\":null}", "/data: data must be an object." },
	{ "POST /toys", "{\"data\":1}", "/data: data must be an object." },
	{ "POST /toys", "{\"data\":[]}", "/data: data must be an object." },
	{ "POST /parts", "{\"data\":{}}", "/data: data must be an array." },
	{ "POST /toys", DATA(",\"size\":2"), "/data/size: It is even." },
	{ "POST /toys", "{\"data\":{\"tags\":1,\"size\":2,\"name\":5}}",
	    "/data/name: name must be a string.\n"
	    "/data/size: It is even.\n"
	    "/data/tags: tags must be an array." },
	{ "POST /toys", "{\"data\":{\"size\":102,\"name\":\"Bo\"}}",
	    "/data/name: name must have 3 to 8 characters.\n"
	    "/data/size: size must be an integer from 1 to 100." },
	{ "POST /toys",
	    DATA(",\"parts\":[{\"name\":\"a\",\"count\":2},{\"count\":4},5,"
		 "{\"name\":\"\"}]"),
	    "/data/parts/0/count: It is even.\n"
	    "/data/parts/1/name: name is required.\n"
	    "/data/parts/1/count: It is even.\n"
	    "/data/parts/2: item 2 must be an object.\n"
	    "/data/parts/3/name: name must have 1 to 5 characters." },
	{ "POST /parts", "{\"data\":[{\"name\":\"a\",\"count\":2},{\"count\":4},5]}",
	    "/data/0/count: It is even.\n"
	    "/data/1/name: name is required.\n"
	    "/data/1/count: It is even.\n"
	    "/data/2: item 2 must be an object." },
};

START_TEST(faults_of_rules_stand_among_those_of_fields)
{
	struct response a = ask(ruled[_i].call, ruled[_i].body);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), ruled[_i].faults);
}
END_TEST

START_TEST(the_first_50_of_fields_and_rules_are_told)
{
	struct buf b = { .mem = fixture.mem };
	struct response a;

	buf_str(&b, "{\"data\":{\"name\":\"Bear\",\"size\":2,\"parts\":[{}");
	for (int i = 1; i < 70; i++)
		buf_str(&b, i % 2 == 0 ? ",{}" : ",{\"name\":\"a\",\"count\":2}");
	buf_str(&b, "]}}");
	a = ask("POST /toys", buf_text(&b));
	is(a, "/errors/0/pointer", "/data/size");
	for (int i = 0; i < 49; i++)
		is(a, arena_printf(fixture.mem, "/errors/%d/pointer", i + 1),
		    arena_printf(fixture.mem, "/data/parts/%d/%s", i,
			i % 2 == 0 ? "name" : "count"));
	is(a, "/errors/50", "(none)");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("rules");
	TCase *t = tcase_create("all");

	(void)toy_setup;
	tcase_add_checked_fixture(t, ruled_setup, fixture_close);
	tcase_add_loop_test(
	    t, faults_of_rules_stand_among_those_of_fields, 0, COUNT(ruled));
	tcase_add_test(t, the_first_50_of_fields_and_rules_are_told);
	suite_add_tcase(s, t);
	return unit_run(s);
}
