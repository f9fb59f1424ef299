/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading and writing JSON.
 */
#include <math.h>
#include <signal.h>

#include "base/field.h"
#include "base/json.h"
#include "tests/unit/unit.h"

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

static const struct json *
read_text(const char *text)
{
	const char *why = NULL;
	const struct json *v = json_read(mem, text, strlen(text), &why);

	ck_assert((v == NULL) == (why != NULL));
	return v;
}

static const char *const same[] = { "{}", "[]", "\"\"", "null", "true", "false", "0",
	"-1", "9223372036854775807", "-9223372036854775807", "0.1", "1e+300", "2.5",
	"{\"b\":1,\"a\":2}", "[[],{},[[1]]]", "\"\\u0000\\b\\t\\n\\f\\r\\\"\\\\/\"",
	"\"\\u001f\x7f\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\"",
	"{\"\":{\"\":[{\"\":\"\"}]}}",
	/* numbers are kept as written, beyond the range of double and int64_t */
	"1.0", "-0", "-0.0", "1E2", "1e-400", "0.1000000000000000055",
	"123456789.123456789", "9223372036854775808", "-9223372036854775808",
	"[18446744073709551616,9007199254740993,-0,5.50]",
	"{\"1\":\"2,-3\\\"4\\\\\",\"5\":[true,6,{\"7\":null,\"8\":8.0}],\"9\":90}" };

START_TEST(what_is_read_is_written_the_same)
{
	ck_assert_str_eq(json_text(mem, read_text(same[_i])), same[_i]);
}
END_TEST

START_TEST(the_deepest_that_is_read_can_be_written)
{
	const char *deep =
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]";

	ck_assert_uint_eq(strlen(deep), 2 * JSON_DEPTH);
	ck_assert_str_eq(json_text(mem, read_text(deep)), deep);
	ck_assert_ptr_null(read_text(arena_printf(mem, "[%s]", deep)));
}
END_TEST

static const struct {
	const char *text, *written;
} alike[] = {
	{ " [ 1 , 2 ] \n", "[1,2]" },
	{ " { \"a\\u0031\" : 1.0 , \"\\\\\" :\t2 } ", "{\"a1\":1.0,\"\\\\\":2}" },
	{ "\"\\u00fc\\ud83d\\ude00\\/\"", "\"\xc3\xbc\xf0\x9f\x98\x80/\"" },
};

START_TEST(other_spellings_are_written_in_one)
{
	ck_assert_str_eq(json_text(mem, read_text(alike[_i].text)), alike[_i].written);
}
END_TEST

static const char *const broken[] = { "", " ", "{", "]", "[1,]", "{\"a\"}", "{\"a\":}",
	"{a:1}", "'a'", "01", "+1", ".5", "1.", "NaN", "Infinity", "tru", "\"\\x\"",
	"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\xff\"", "\"\xc0\x80\"",
	"\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"a", "\"\n\"", "1 2", "[] []",
	"{\"a\":1,\"a\":2}", "[{\"a\":1,\"b\":0,\"a\":2}]", "// x\n1", "\xef\xbb\xbf[]",
	"1E400", "{\"a\\u0000\":1}" };

START_TEST(text_that_is_no_json_is_refused)
{
	ck_assert_ptr_null(read_text(broken[_i]));
}
END_TEST

#define NO_JSON "is not valid JSON: "
#define TOO_SHORT "is not valid JSON, as it ends too early: "

static const struct {
	const char *text, *why;
} places[] = {
	{ "", TOO_SHORT "line 1, column 1" },
	{ "\"abc", TOO_SHORT "line 1, column 5" },
	{ "{\n\n", TOO_SHORT "line 3, column 1" },
	{ "\xef\xbb\xbf{}", NO_JSON "line 1, column 1" },
	{ "[1,]", NO_JSON "line 1, column 4" },
	{ "{\n \"a\": x}", NO_JSON "line 2, column 7" },
	{ "{\r\n\"\xc3\xbc\":x}", NO_JSON "line 2, column 5" },
	{ "[1E400,99999999999999999999]", NO_JSON "line 1, column 6" },
	{ "{\"a\":1,\n\"b\":2,\n\"a\":1}",
	    "has an object with two members of the same name: line 3, column 3" },
	{ "{\"a\\u0000\":1}",
	    "has the character U+0000 in the name of a member: line 1, column 10" },
};

START_TEST(a_fault_is_named_with_its_line_and_column)
{
	const char *text = places[_i].text, *why = NULL;

	ck_assert_ptr_null(json_read(mem, text, strlen(text), &why));
	ck_assert_str_eq(why, places[_i].why);
}
END_TEST

START_TEST(nothing_is_no_json)
{
	const char *why = NULL;

	ck_assert_ptr_null(json_read(mem, NULL, 0, &why));
	ck_assert_ptr_nonnull(why);
	why = NULL;
	ck_assert_ptr_null(json_read_last(mem, NULL, 0, 3, &why));
	ck_assert_ptr_nonnull(why);
}
END_TEST

START_TEST(members_are_found_by_name_and_type)
{
	const struct json *v =
	    read_text("{\"t\":\"x\",\"i\":5,\"r\":2.5,\"n\":null,\"l\":[1]}");

	ck_assert_str_eq(json_get_text(v, "t"), "x");
	ck_assert_ptr_null(json_get_text(v, "i"));
	ck_assert_ptr_null(json_get_text(v, "none"));
	ck_assert_ptr_null(json_get(NULL, "t"));
	ck_assert_ptr_null(json_get(json_get(v, "l"), "t"));
	ck_assert(json_get_int(v, "i", 9) == 5 && json_get_int(v, "r", 9) == 9);
	ck_assert(json_get_int(v, "t", 9) == 9 && json_get_int(v, "none", 9) == 9);
	ck_assert_ptr_null(json_get_list(v, "i"));
	ck_assert_ptr_null(json_get_list(v, "none"));
	ck_assert_int_eq(json_get(v, "n")->type, JSON_NONE);
	ck_assert_uint_eq(v->n, 5);
}
END_TEST

START_TEST(an_integer_stays_one_beside_one_that_is_too_large)
{
	const struct json *v = read_text("[9007199254740993,9223372036854775808,-7.0]");

	ck_assert_int_eq(v->kids->type, JSON_INT);
	ck_assert_int_eq(v->kids->u.i, INT64_C(9007199254740993));
	v = v->kids->next;
	ck_assert_int_eq(v->type, JSON_NUMBER);
	ck_assert_double_eq(v->u.r, 9223372036854775808.0);
	ck_assert_int_eq(v->next->type, JSON_NUMBER);
	ck_assert_double_eq(v->next->u.r, -7);
}
END_TEST

START_TEST(a_text_with_a_zero_is_found_at_any_depth)
{
	ck_assert(json_holds_nul(read_text("{\"a\":[1,{\"b\":\"x\\u0000\"}]}")));
	ck_assert(json_holds_nul(read_text("\"\\u0000\"")));
	ck_assert(!json_holds_nul(read_text("{\"a\":[1,{\"b\":\"u0000\"},\"\",{}]}")));
}
END_TEST

START_TEST(a_text_keeps_its_zeroes)
{
	const struct json *v = read_text("\"a\\u0000b\"");

	ck_assert_uint_eq(v->n, 3);
	ck_assert_int_eq(memcmp(v->u.s, "a\0b", 4), 0);
}
END_TEST

/* ---- the writer ---- */

START_TEST(the_writer_places_commas_and_keys)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	jw_open(&j, NULL);
	jw_int(&j, "i", INT64_MAX);
	jw_int(&j, "none", NULL_INT);
	jw_real(&j, "r", 0.1);
	jw_real(&j, "nan", NAN);
	jw_real(&j, "inf", -INFINITY);
	jw_list(&j, "l");
	jw_text(&j, NULL, "a\"b");
	jw_text(&j, NULL, NULL);
	jw_open(&j, NULL);
	jw_close(&j);
	jw_close(&j);
	jw_bool(&j, "k\n", false);
	jw_raw(&j, "raw", "{\"x\":1}");
	jw_raw(&j, "no", NULL);
	jw_close(&j);
	ck_assert_str_eq(buf_text(&b),
	    "{\"i\":9223372036854775807,\"none\":null,\"r\":0.1,\"nan\":null,"
	    "\"inf\":null,\"l\":[\"a\\\"b\",null,{}],\"k\\n\":false,"
	    "\"raw\":{\"x\":1},\"no\":null}");
}
END_TEST

static const struct {
	double r;
	const char *text;
} reals[] = {
	{ 0, "0" },
	{ -0.0, "-0" },
	{ 1, "1" },
	{ -2.5, "-2.5" },
	{ 0.0001, "0.0001" },
	{ 0.00001, "1e-05" },
	{ 100.07, "100.07" },
	{ 3.000001, "3.000001" },
	{ 0.1234567, "0.1234567" },
	{ 999999999.5, "999999999.5" },
	{ 1e9, "1000000000" },
	{ 1e15, "1e+15" },
	{ 0.1 + 0.2, "0.30000000000000004" },
	{ 1.0 / 3, "0.3333333333333333" },
	{ 5e-324, "4.94065645841247e-324" },
};

START_TEST(a_real_is_written_in_its_shortest_form)
{
	struct buf b = { .mem = mem };

	jw_real(&(struct json_writer){ .out = &b }, NULL, reals[_i].r);
	ck_assert_str_eq(buf_text(&b), reals[_i].text);
}
END_TEST

/* Lengths around the size of the copied blocks. */
START_TEST(a_character_is_escaped_wherever_it_stands)
{
	char text[40], escaped[48];

	for (int n = 1; n < (int)sizeof(text); n++)
		for (int at = 0; at < n; at++) {
			struct buf b = { .mem = mem };

			memset(text, 'x', sizeof(text));
			text[at] = at % 2 == 0 ? '\n' : '"';
			snprintf(escaped, sizeof(escaped), "\"%.*s\\%c%.*s\"", at, text,
			    at % 2 == 0 ? 'n' : '"', n - at - 1, text + at + 1);
			jw_textn(
			    &(struct json_writer){ .out = &b }, NULL, text, (size_t)n);
			ck_assert_str_eq(buf_text(&b), escaped);
		}
}
END_TEST

static void
misuse(int how)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	if (how == 0)
		jw_close(&j);
	if (how == 1)
		jw_int(&j, "key", 1);
	jw_open(&j, NULL);
	if (how == 2)
		jw_int(&j, NULL, 1);
	for (int i = 0; how == 3 && i < 70; i++)
		jw_list(&j, i == 0 ? "l" : NULL);
}

/*
 * Texts are checked eight bytes at a time: test each length, and each place in a block.
 */
START_TEST(what_needs_it_is_escaped_wherever_it_stands)
{
	static const struct {
		char c;
		const char *written;
	} special[] = { { '"', "\\\"" }, { '\\', "\\\\" }, { '\n', "\\n" },
		{ 1, "\\u0001" }, { 0x1f, "\\u001f" }, { ' ', " " }, { '!', "!" },
		{ '[', "[" }, { ']', "]" }, { 0x7f, "\x7f" } };

	for (size_t n = 1; n < 35; n++)
		for (size_t at = 0; at < n; at++)
			for (int i = 0; i < COUNT(special); i++) {
				struct buf b = { .mem = mem };
				char *s = arena_alloc(mem, n + 1);

				memset(s, 'x', n);
				s[at] = special[i].c;
				jw_text(&(struct json_writer){ .out = &b }, NULL, s);
				s[at] = '\0';
				ck_assert_str_eq(
				    buf_text(&b), arena_printf(mem, "\"%s%s%s\"", s,
						      special[i].written, s + at + 1));
			}
}
END_TEST

START_TEST(misusing_the_writer_aborts)
{
	misuse(_i);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("json");
	TCase *t = tcase_create("all");
	const char *no_fork = getenv("CK_FORK");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, what_is_read_is_written_the_same, 0, COUNT(same));
	tcase_add_test(t, the_deepest_that_is_read_can_be_written);
	tcase_add_loop_test(t, other_spellings_are_written_in_one, 0, COUNT(alike));
	tcase_add_loop_test(t, text_that_is_no_json_is_refused, 0, COUNT(broken));
	tcase_add_loop_test(
	    t, a_fault_is_named_with_its_line_and_column, 0, COUNT(places));
	tcase_add_test(t, nothing_is_no_json);
	tcase_add_test(t, members_are_found_by_name_and_type);
	tcase_add_test(t, an_integer_stays_one_beside_one_that_is_too_large);
	tcase_add_test(t, a_text_with_a_zero_is_found_at_any_depth);
	tcase_add_test(t, a_text_keeps_its_zeroes);
	tcase_add_test(t, what_needs_it_is_escaped_wherever_it_stands);
	tcase_add_loop_test(t, a_real_is_written_in_its_shortest_form, 0, COUNT(reals));
	tcase_add_test(t, a_character_is_escaped_wherever_it_stands);
	tcase_add_test(t, the_writer_places_commas_and_keys);
	if (no_fork == NULL) /* the signal must hit a process of its own */
		tcase_add_loop_test_raise_signal(
		    t, misusing_the_writer_aborts, SIGABRT, 0, 4);
	suite_add_tcase(s, t);
	return unit_run(s);
}
