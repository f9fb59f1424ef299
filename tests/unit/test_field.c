/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Field tables: clearing, writing, and special cases that requests do not show. */
#include <math.h>

#include "tests/unit/toy.h"

static struct arena *mem;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static const char *
written(const struct field *f, const void *thing)
{
	struct buf b = { .mem = mem };

	field_write(&(struct json_writer){ .out = &b }, NULL, f, thing);
	return buf_text(&b);
}

static const struct json *
parsed(const char *text)
{
	const char *why = "";
	const struct json *v = json_read(mem, text, strlen(text), &why);

	ck_assert_msg(v != NULL, "%s: %s", text, why);
	return v;
}

START_TEST(a_cleared_thing_is_null_false_and_empty)
{
	struct toy t;

	memset(&t, 0xff, sizeof(t));
	field_clear(toy_fields, &t);
	ck_assert(t.name == NULL && t.colour == NULL && t.extra == NULL);
	ck_assert(t.size == NULL_INT && t.born_us == NULL_INT && isnan(t.weight));
	ck_assert(!t.loud && t.boxed);
	ck_assert(t.home.street == NULL && t.home.city == NULL);
	ck_assert(t.tags.n == 0 && t.parts.n == 0);
	ck_assert_str_eq(written(toy_fields, &t),
	    "{\"name\":null,\"loud\":false,\"boxed\":true,\"home\":{\"street\":null,"
	    "\"city\":null},\"tags\":[]}");
}
END_TEST

static const struct {
	const char *in, *out; /* NULL: the same */
} rounds[] = {
	{ "{\"name\":\"Bear\",\"colour\":\"Red\",\"size\":1,\"weight\":0.5,"
	  "\"born\":\"2026-11-20T10:18:44Z\",\"loud\":true,\"boxed\":false,"
	  "\"extra\":{\"a\":[1]},\"home\":{\"street\":\"Main\",\"city\":\"Bern\"},"
	  "\"tags\":[\"a\",\"b\"],\"parts\":[{\"name\":\"p\",\"count\":9},"
	  "{\"name\":\"q\"}]}",
	    NULL },
	{ "{\"tags\":[\"x\"],\"name\":\"Bear\",\"weight\":10,\"colour\":\"RED\"}",
	    "{\"name\":\"Bear\",\"colour\":\"Red\",\"weight\":10,\"loud\":false,"
	    "\"boxed\":true,\"home\":{\"street\":null,\"city\":null},\"tags\":[\"x\"]"
	    "}" },
};

START_TEST(what_is_read_is_written_in_the_order_of_the_table)
{
	struct toy t;

	ck_assert_ptr_null(
	    field_read(mem, toy_fields, parsed(rounds[_i].in), "", 0, &t));
	ck_assert_str_eq(written(toy_fields, &t),
	    rounds[_i].out != NULL ? rounds[_i].out : rounds[_i].in);
}
END_TEST

START_TEST(an_object_with_opt_is_left_out_by_its_first_field)
{
	static const struct field outer[] = {
		{ "home", F_OBJ, offsetof(struct toy, home), .flags = F_OUT | F_OPT,
		    .of = toy_home_fields },
		FIELDS_END
	};
	struct toy t = { .home = { NULL, "Bern" } };

	ck_assert_str_eq(written(outer, &t), "{}");
	t.home.street = "Main";
	ck_assert_str_eq(
	    written(outer, &t), "{\"home\":{\"street\":\"Main\",\"city\":\"Bern\"}}");
}
END_TEST

START_TEST(a_list_of_texts_needs_no_table)
{
	static const struct field list[] = { { "", F_LIST, 0, 0, 3, F_IO },
		FIELDS_END };
	static const struct field named[] = { { "l", F_LIST, 0, 0, 0, F_OUT },
		FIELDS_END };
	struct list l;
	struct fault *f;

	ck_assert_ptr_null(
	    field_read(mem, list, parsed("[\"a\",\"\"]"), "/data", 0, &l));
	ck_assert_str_eq(written(named, &l), "{\"l\":[\"a\",\"\"]}");
	f = field_read(mem, list, parsed("[1,\"a\",null]"), "/data", 0, &l);
	ck_assert_str_eq(f->at, "/data/0");
	ck_assert_str_eq(f->next->at, "/data/2");
	ck_assert_ptr_null(f->next->next);
	f = field_read(mem, list, parsed("[0,1,2,3]"), "/data", 0, &l);
	ck_assert_str_eq(f->detail, "data must have at most 3 items.");
}
END_TEST

START_TEST(an_empty_list_can_be_too_short)
{
	static const struct field list[] = {
		{ "l", F_LIST, 0, 2, 2, F_IO | F_REQUIRED }, FIELDS_END
	};
	struct list l;
	struct fault *f = field_read(mem, list, parsed("{\"l\":[]}"), "", 0, &l);

	ck_assert_str_eq(f->detail, "l must have exactly 2 items.");
	f = field_read(mem, list, parsed("{}"), "", 0, &l);
	ck_assert_str_eq(f->detail, "l is required.");
	ck_assert_ptr_null(field_read(mem, list, parsed("{}"), "", FIELD_PARTIAL, &l));
}
END_TEST

START_TEST(a_fault_leaves_the_rest_of_the_thing_in_order)
{
	struct toy t;
	struct fault *f = field_read(mem, toy_fields,
	    parsed("{\"name\":\"Bear\",\"size\":\"x\",\"tags\":[\"a\",5]}"), "", 0, &t);

	ck_assert_str_eq(f->at, "/size");
	ck_assert_str_eq(f->next->at, "/tags/1");
	ck_assert_ptr_null(f->next->next);
	ck_assert_str_eq(t.name, "Bear");
}
END_TEST

START_TEST(strict_faults_stand_in_the_order_of_the_table_too)
{
	static const struct field table[] = {
		{ "id", F_TEXT, offsetof(struct toy, maker), .flags = F_OUT },
		{ "name", F_TEXT, offsetof(struct toy, name), .flags = F_IO },
		FIELDS_END,
	};
	struct toy t;
	struct fault *f = field_read(mem, table,
	    parsed("{\"x\":1,\"name\":5,\"id\":\"a\"}"), "", FIELD_STRICT, &t);

	ck_assert_str_eq(f->detail, "id cannot be set.");
	ck_assert_str_eq(f->next->detail, "name must be a string.");
	ck_assert_str_eq(f->next->next->detail, "x is not known.");
	ck_assert_ptr_null(f->next->next->next);
	ck_assert(t.maker == NULL && t.name == NULL);
}
END_TEST

START_TEST(what_is_wrong_is_null_afterwards)
{
	struct toy t;
	const struct toy_part *part;

	ck_assert_ptr_nonnull(field_read(mem, toy_fields,
	    parsed("{\"name\":\"Bo\",\"size\":101,\"weight\":11,\"loud\":5,\"boxed\":"
		   "\"no\",\"born\":\"9999-12-31T23:59:59-01:00\",\"parts\":[7,"
		   "{\"name\":\"too long\",\"count\":10}]}"),
	    "", 0, &t));
	ck_assert(t.name == NULL && t.size == NULL_INT && t.born_us == NULL_INT);
	ck_assert(isnan(t.weight) && !t.loud && t.boxed);
	ck_assert_uint_eq(t.parts.n, 2);
	part = t.parts.items;
	for (int i = 0; i < 2; i++)
		ck_assert(part[i].name == NULL && part[i].count == NULL_INT);
}
END_TEST

/* ---- the order of faults ---- */

static const struct {
	const char *mixed, *ordered;
} orders[] = {
	{ "", "" },
	{ "/d/size /d/name /d/home /d", "/d /d/name /d/size /d/home" },
	{ "/d/tags/10 /d/tags/9 /d/tags /d/tags/0",
	    "/d/tags /d/tags/0 /d/tags/9 /d/tags/10" },
	{ "/d/parts/1/name /d/parts/0/count /d/parts/0/name /d/parts/1 /d/serial",
	    "/d/parts/0/name /d/parts/0/count /d/parts/1 /d/parts/1/name /d/serial" },
	{ "/d/z /d/home/city /d/home/y /d/home/street /d/a",
	    "/d/home/street /d/home/city /d/home/y /d/z /d/a" },
	{ "/d/extra/b/1 /d/extra/a/0 /d/name", "/d/name /d/extra/b/1 /d/extra/a/0" },
	{ "/d/size/=2 /d/name /d/size /d/name /d/name", "/d/name /d/size /d/size/=2" },
	{ "/d/homes /d/hom /d/home", "/d/home /d/homes /d/hom" },
};

START_TEST(faults_are_told_in_the_order_of_the_table_each_place_once)
{
	struct fault *f = NULL;
	struct buf b = { .mem = mem };
	char *s = arena_str(mem, orders[_i].mixed), *save;
	int n = 0;

	for (s = strtok_r(s, " ", &save); s != NULL; s = strtok_r(NULL, " ", &save))
		f = fault_add(mem, f, s, "%d", n++);
	for (f = fault_order(mem, toy_fields, "/d", f); f != NULL; f = f->next)
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", f->at);
	ck_assert_str_eq(buf_text(&b), orders[_i].ordered);
}
END_TEST

START_TEST(of_two_faults_of_one_place_the_first_stays)
{
	struct fault *f = fault_add(mem, NULL, "/name", "first");

	f = fault_add(mem, f, "/colour", "between");
	f = fault_add(mem, f, "/name", "second");
	f = fault_order(mem, toy_fields, "", f);
	ck_assert_str_eq(f->detail, "first");
	ck_assert_str_eq(f->next->detail, "between");
	ck_assert_ptr_null(f->next->next);
}
END_TEST

static const struct {
	const char *json, *texts; /* a line each */
} arrays[] = {
	{ NULL, "" },
	{ "[]", "" },
	{ "[\"\"]", "\n" },
	{ "[\"en\",\"pt-br\"]", "en\npt-br\n" },
	{ " [ \"en\" , \"es\" ] ", "en\nes\n" },
	{ "[\"a\\\"b\",\"c\\\\\"]", "a\"b\nc\\\n" },
	{ "[\"a]\",\"[,\"]", "a]\n[,\n" },
	{ "[\"en\",]", "" },
	{ "[\"en\"\"es\"]", "" },
	{ "[\"en\"", "" },
	{ "[\"en", "" },
	{ "[\"en\"]x", "" },
	{ "", "" },
	{ "{\"en\":1}", "" },
};

START_TEST(texts_are_read_from_an_array_and_from_nothing_else)
{
	const struct list l = texts_read(mem, arrays[_i].json);
	struct buf b = { .mem = mem };

	for (size_t i = 0; i < l.n; i++)
		buf_printf(&b, "%s\n", ((const char *const *)l.items)[i]);
	ck_assert_str_eq(buf_text(&b), arrays[_i].texts);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("field");
	TCase *t = tcase_create("all");

	(void)toy_setup, (void)toy_routes;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_cleared_thing_is_null_false_and_empty);
	tcase_add_loop_test(
	    t, what_is_read_is_written_in_the_order_of_the_table, 0, COUNT(rounds));
	tcase_add_test(t, an_object_with_opt_is_left_out_by_its_first_field);
	tcase_add_test(t, a_list_of_texts_needs_no_table);
	tcase_add_test(t, an_empty_list_can_be_too_short);
	tcase_add_test(t, a_fault_leaves_the_rest_of_the_thing_in_order);
	tcase_add_test(t, strict_faults_stand_in_the_order_of_the_table_too);
	tcase_add_test(t, what_is_wrong_is_null_afterwards);
	tcase_add_loop_test(t,
	    faults_are_told_in_the_order_of_the_table_each_place_once, 0,
	    COUNT(orders));
	tcase_add_test(t, of_two_faults_of_one_place_the_first_stays);
	tcase_add_loop_test(
	    t, texts_are_read_from_an_array_and_from_nothing_else, 0, COUNT(arrays));
	suite_add_tcase(s, t);
	return unit_run(s);
}
