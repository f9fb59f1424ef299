/*
 * Field tables beyond what requests show: clearing, writing, and corners.
 */
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

	field_write(&(struct jw){ .out = &b }, NULL, f, thing);
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
	suite_add_tcase(s, t);
	return unit_run(s);
}
