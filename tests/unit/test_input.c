/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies and queries: refusals by 400, 413, 415 and 422, and accepted input. */
#include "tests/unit/toy.h"

#define DATA(members) "{\"data\":{\"name\":\"Bear\"" members "}}"
#define BEAR DATA("")
#define NO_DATA "The body must be an object with the member data."
#define AT(column) ": line 1, column " column "."
#define NO_JSON(column) "The body is not valid JSON" AT(column)
#define TOO_SHORT(column) "The body is not valid JSON, as it ends too early" AT(column)
#define TWICE(at) "The body has an object with two members of the same name" AT(at)

/* ---- 400: what is no JSON object with data ---- */

static const struct {
	const char *body, *detail;
} unreadable[] = {
	{ "", NO_DATA },
	{ "[]", NO_DATA },
	{ "null", NO_DATA },
	{ "\"data\"", NO_DATA },
	{ "{}", "The body has no member data." },
	{ "{\"Data\":{}}", "The body has no member data." },
	{ "{", TOO_SHORT("2") },
	{ BEAR "x", NO_JSON("25") },
	{ BEAR BEAR, NO_JSON("25") },
	{ "\xef\xbb\xbf" BEAR, NO_JSON("1") }, /* a byte order mark */
	{ "{'data':{}}", NO_JSON("2") },
	{ "{\"data\":{\"name\":\"Bear\",}}", NO_JSON("24") },
	{ "{\"data\":{\"name\":\"\xff\xfe\"}}", NO_JSON("17") },
	{ "{\"data\":{\"name\":\"\xc0\xaf\"}}", NO_JSON("17") },
	{ "{\"data\":{\"name\":\"\xed\xa0\x80\"}}", NO_JSON("17") },
	{ "{\"data\":{\"name\":\"\\ud800\"}}", NO_JSON("24") },
	{ "{\"data\":{\"name\":\"\\udc00x\"}}", NO_JSON("25") },
	{ "{\"data\":{\"name\":\"a\nb\"}}", NO_JSON("18") },
	{ "{\"data\":{\"size\":01}}", NO_JSON("17") },
	{ "{\"data\":{\"size\":NaN}}", NO_JSON("19") },
	{ DATA(",\"name\":\"Bear\""), TWICE("29") },
	{ DATA(",\"home\":{\"city\":\"Bern\",\"city\":\"Bern\"}"), TWICE("51") },
	{ "{\"data\":1,\"data\":1}", TWICE("16") },
	{ DATA(",\"extra\":{\"a\\u0000\":1}"),
	    "The body has the character U+0000 in the name of a member" AT("41") },
};

START_TEST(a_body_that_cannot_be_read_is_400)
{
	struct response a = ask("POST /toys/echo", unreadable[_i].body);

	refused(a, 400, "bad-request");
	is(a, "/errors/0/detail", unreadable[_i].detail);
	is(a, "/errors/0/pointer", "(none)");
}
END_TEST

static const char *
nested(int depth)
{
	struct buf b = { .mem = fixture.mem };

	buf_str(&b, "{\"data\":{\"name\":\"Bear\",\"extra\":");
	for (int i = 2; i < depth; i++)
		buf_str(&b, i == 2 ? "{\"a\":" : "[");
	buf_str(&b, "1");
	for (int i = depth - 1; i >= 2; i--)
		buf_str(&b, i == 2 ? "}" : "]");
	buf_str(&b, "}}");
	return buf_text(&b);
}

START_TEST(nesting_may_be_32_deep_and_no_more)
{
	struct response a = ask("POST /toys/echo", nested(32));

	answered(a, 200);
	a = ask("POST /toys/echo", nested(33));
	refused(a, 400, "bad-request");
	is(a, "/errors/0/detail", "The body nests too deep.");
	a = ask("POST /toys/echo", nested(5000));
	refused(a, 400, "bad-request");
}
END_TEST

static const struct {
	const char *body, *says; /* NULL: a problem */
	int status;
} optional[] = {
	{ "", "none", 200 },
	{ "{}", "none", 200 },
	{ "{\"data\":{}}", "data", 200 },
	{ BEAR, "data", 200 },
	{ "[]", NULL, 400 },
	{ "{\"data\":null}", NULL, 422 },
	{ "{\"data\":{\"size\":0}}", NULL, 422 },
};

START_TEST(a_body_may_be_empty_where_it_is_optional)
{
	struct response a = ask("POST /maybe", optional[_i].body);

	answered(a, optional[_i].status);
	if (optional[_i].says != NULL)
		assert_same_body(a.body, optional[_i].says);
}
END_TEST

/* ---- 413, 415 ---- */

START_TEST(a_body_may_have_a_mebibyte_and_no_more)
{
	size_t most = 1 << 20;
	char *body = arena_alloc(fixture.mem, most + 2);
	struct response a;

	memset(body, ' ', most + 1);
	memcpy(body, BEAR, strlen(BEAR));
	a = ask_bytes("POST /toys/echo", body, most, NULL);
	answered(a, 200);
	a = ask_bytes("POST /toys/echo", body, most + 1, NULL);
	refused(a, 413, "payload-too-large");
	a = ask_bytes("POST /toys/echo", body, most + 1, HEADS("Content-Type: a/b"));
	refused(a, 413, "payload-too-large");
}
END_TEST

START_TEST(an_empty_body_has_no_type)
{
	struct response a =
	    ask_with("POST /toys/echo", "", HEADS("Content-Type: text/plain"));

	refused(a, 400, "bad-request");
	a = ask_with("POST /toys/echo", "", HEADS("Content-Encoding: gzip"));
	refused(a, 400, "bad-request");
}
END_TEST

START_TEST(bodies_are_ignored_where_there_should_be_none)
{
	static const char *const calls[] = { "GET /toys", "HEAD /toys", "POST /bare",
		"DELETE " TOY, "GET " TOY };
	struct response a;

	for (int i = 0; i < COUNT(calls); i++) {
		a = ask_with(calls[i], "}{", HEADS("Content-Type: text/html"));
		answered(a, 200);
	}
	a = ask_with("GET /toys", NULL, HEADS("Upgrade: h2c", "Connection: Upgrade"));
	answered(a, 200);
}
END_TEST

/* ---- 422: every rule of every type ---- */

static const struct {
	const char *body, *faults;
} wrong[] = {
	{ "{\"data\":[]}", "/data: data must be an object." },
	{ "{\"data\":\"x\"}", "/data: data must be an object." },
	{ "{\"data\":null}", "/data: data must be an object." },
	{ "{\"data\":{}}", "/data/name: name is required." },
	{ "{\"data\":{\"name\":null}}", "/data/name: name is required." },
	{ "{\"data\":{\"name\":5}}", "/data/name: name must be a string." },
	{ "{\"data\":{\"name\":\"Bo\"}}",
	    "/data/name: name must have 3 to 8 characters." },
	{ "{\"data\":{\"name\":\"a bear\"}}", "/data/name: name must be one word." },
	{ "{\"data\":{\"name\":\"be\\u0000ar\"}}",
	    "/data/name: name must not hold the character U+0000." },
	{ DATA(",\"colour\":\"Blue\""), "/data/colour: colour is not in the list." },
	{ DATA(",\"colour\":\"red\\u0000\""),
	    "/data/colour: colour is not in the list." },
	{ DATA(",\"colour\":true"), "/data/colour: colour is not in the list." },
	{ DATA(",\"size\":\"5\""),
	    "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"size\":5.5"), "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"size\":0"), "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"size\":101"), "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"size\":1e300"),
	    "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"size\":true"),
	    "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"size\":-9223372036854775808"),
	    "/data/size: size must be an integer from 1 to 100." },
	{ DATA(",\"weight\":\"1\""), "/data/weight: weight must be a number." },
	{ DATA(",\"weight\":10.01"),
	    "/data/weight: weight must be a number from 0 to 10." },
	{ DATA(",\"born\":\"2026-02-29T00:00:00Z\""),
	    "/data/born: born must be an RFC 3339 time." },
	{ DATA(",\"born\":5"), "/data/born: born must be an RFC 3339 time." },
	{ DATA(",\"loud\":1"), "/data/loud: loud must be true or false." },
	{ DATA(",\"loud\":\"true\""), "/data/loud: loud must be true or false." },
	{ DATA(",\"extra\":[]"), "/data/extra: extra must be an object." },
	{ DATA(",\"extra\":{\"a\":[0,{\"b\":\"\\u0000\"}]}"),
	    "/data/extra: extra must not hold the character U+0000." },
	{ DATA(",\"home\":[]"), "/data/home: home must be an object." },
	{ DATA(",\"home\":{\"city\":\"x\"}"),
	    "/data/home/city: city must have 2 to 9 characters." },
	{ DATA(",\"tags\":{}"), "/data/tags: tags must be an array." },
	{ DATA(",\"tags\":[\"a\",\"b\",\"c\",\"d\"]"),
	    "/data/tags: tags must have at most 3 items." },
	{ DATA(",\"tags\":[\"a\",\"\",7]"),
	    "/data/tags/1: item 1 must have 1 to 4 characters.\n"
	    "/data/tags/2: item 2 must be a string." },
	{ DATA(",\"tags\":[null]"), "/data/tags/0: item 0 must be a string." },
	{ DATA(",\"parts\":[{},{\"name\":\"a\",\"count\":0},5]"),
	    "/data/parts/0/name: name is required.\n"
	    "/data/parts/1/count: count must be an integer from 1 to 9.\n"
	    "/data/parts/2: item 2 must be an object." },
	/* all faults at once, in the order of the table */
	{ "{\"data\":{\"tags\":1,\"size\":\"x\",\"name\":1,\"home\":{\"city\":1,"
	  "\"street\":2}}}",
	    "/data/name: name must be a string.\n"
	    "/data/size: size must be an integer from 1 to 100.\n"
	    "/data/home/street: street must be a string.\n"
	    "/data/home/city: city must be a string.\n"
	    "/data/tags: tags must be an array." },
};

START_TEST(a_broken_rule_is_422_at_its_place)
{
	struct response a = ask("POST /toys/echo", wrong[_i].body);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
}
END_TEST

static const struct {
	const char *body, *pointer, *value;
} taken[] = {
	{ DATA(",\"size\":5.0"), "/data/size", "5" },
	{ DATA(",\"size\":1e2"), "/data/size", "100" },
	{ DATA(",\"weight\":3"), "/data/weight", "3" },
	{ DATA(",\"weight\":0.1"), "/data/weight", "0.1" },
	{ DATA(",\"colour\":\"gREEN\""), "/data/colour", "Green" },
	{ DATA(",\"born\":\"2026-11-20T11:18:44.999+01:00\""), "/data/born",
	    "2026-11-20T10:18:44Z" },
	{ DATA(",\"extra\":{\"b\":[1,2.5,null,true,\"\\u0001\\\"\"],\"a\":{}}"),
	    "/data/extra", "{\"b\":[1,2.5,null,true,\"\\u0001\\\"\"],\"a\":{}}" },
	{ DATA(",\"size\":5,\"extra\": { \"a\": [1.0, 9007199254740993, 1e-400, -0,\n"
	       "\"1.0\", 123456789.123456789, 18446744073709551616] }"),
	    "/data/extra",
	    "{\"a\":[1.0,9007199254740993,1e-400,-0,\"1.0\",123456789.123456789,"
	    "18446744073709551616]}" },
	{ DATA(",\"serial\":99,\"unknown\":{}"), "/data/serial", "(none)" },
	{ DATA(""), "/data/boxed", "true" },
	{ DATA(",\"boxed\":false"), "/data/boxed", "false" },
	{ DATA(",\"boxed\":null"), "/data/boxed", "true" },
	{ DATA(",\"size\":null"), "/data/size", "(none)" },
	{ DATA(",\"tags\":[]"), "/data/tags", "[]" },
	{ DATA(",\"tags\":null"), "/data/tags", "[]" },
	{ DATA(",\"parts\":[{\"name\":\"a\",\"count\":2},{\"name\":\"b\"}]"),
	    "/data/parts", "[{\"name\":\"a\",\"count\":2},{\"name\":\"b\"}]" },
	{ "{\"data\":{\"name\":"
	  "\"\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\"},"
	  "\"other\":[]}",
	    "/data/name",
	    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc" },
	{ "{\"data\":{\"name\":\"\\ud83d\\ude00xx\"}}", "/data/name",
	    "\xf0\x9f\x98\x80xx" },
	{ "{\"data\":{\"name\":\" x \\t\"}}", "/errors/0/detail",
	    "name must be one word." },
};

START_TEST(input_that_fits_is_taken_as_it_is)
{
	struct response a = ask("POST /toys/echo", taken[_i].body);

	is(a, taken[_i].pointer, taken[_i].value);
}
END_TEST

START_TEST(a_free_form_object_may_have_16384_bytes)
{
	char *text = arena_alloc(fixture.mem, 16400);
	struct response a;

	memset(text, 'x', 16384 - 8); /* beside {"a":""} */
	a = ask("POST /toys/echo",
	    arena_printf(fixture.mem, DATA(",\"extra\":{\"a\":\"%s\"}"), text));
	answered(a, 200);
	text[16384 - 8] = 'x';
	a = ask("POST /toys/echo",
	    arena_printf(fixture.mem, DATA(",\"extra\":{\"a\":\"%s\"}"), text));
	refused(a, 422, "validation-error");
}
END_TEST

START_TEST(no_more_than_50_faults_are_told)
{
	struct buf b = { .mem = fixture.mem };
	struct response a;

	buf_str(&b, "{\"data\":{\"parts\":[{}");
	for (int i = 0; i < 70; i++)
		buf_str(&b, ",{}");
	buf_str(&b, "]}}");
	a = ask("POST /toys/echo", buf_text(&b));
	is(a, "/errors/0/pointer", "/data/name");
	is(a, "/errors/49/pointer", "/data/parts/48/name");
	is(a, "/errors/50", "(none)");
}
END_TEST

/* ---- Prefer: handling=strict ---- */

START_TEST(strict_handling_refuses_what_is_not_taken)
{
	const char *body = "{\"data\":{\"name\":\"Bear\",\"serial\":1,\"a/b~\":2,"
			   "\"home\":{\"zip\":1},\"extra\":{\"any\":1}},\"x\":1}";
	struct response a = ask("POST /toys/echo", body);

	answered(a, 200);
	ck_assert_ptr_null(head_of(&a, "Preference-Applied"));
	a = ask_with("POST /toys/echo", body, HEADS("Prefer: handling=strict"));
	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), "/data/home/zip: zip is not known.\n"
					"/data/serial: serial cannot be set.\n"
					"/data/a~1b~0: a~1b~0 is not known.");
	ck_assert_pstr_eq(head_of(&a, "Preference-Applied"), "handling=strict");
}
END_TEST

static const struct {
	const char *head;
	bool strict;
} preferences[] = {
	{ "Prefer: handling=strict", true },
	{ "Prefer: respond-async, handling=strict; x", true },
	{ "Prefer: HANDLING=\"strict\"", true },
	{ "Prefer: handling = strict", true },
	{ "Prefer: handling=\"\\strict\";a=\"b\"", true },
	{ "Prefer: ,, wait=\"1, handling=lenient\" , handling=strict", true },
	{ "Prefer: handling=strict, handling=lenient", true },
	{ "Prefer: handling=lenient, handling=strict", false },
	{ "Prefer: xhandling=strictly", false },
	{ "Prefer: handling=strictly", false },
	{ "Prefer: xhandling=strict", false },
	{ "Prefer: wait=\"1, handling=strict\"", false },
	{ "Prefer: wait; handling=strict", false },
	{ "Prefer: \"handling\"=strict", false },
	{ "Prefer: handling", false },
	{ "Prefer: handling;strict", false },
	{ "Prefer: strict", false },
	{ "Prefer: =;=\"", false },
};

START_TEST(a_preference_is_read_whole)
{
	struct response a = ask_with(
	    "POST /toys/echo", DATA(",\"serial\":1"), HEADS(preferences[_i].head));

	answered(a, preferences[_i].strict ? 422 : 200);
	ck_assert_pstr_eq(head_of(&a, "Preference-Applied"),
	    preferences[_i].strict ? "handling=strict" : NULL);
}
END_TEST

/* ---- updates ---- */

static const struct {
	const char *data, *pointer, *value;
} updates[] = {
	{ "{}", "/data",
	    "{\"name\":\"Bear\",\"size\":7,\"loud\":false,\"boxed\":true,"
	    "\"home\":{\"street\":null,\"city\":\"Bern\"},\"tags\":[],\"serial\":42}" },
	{ "{\"size\":8}", "/data/size", "8" },
	{ "{\"size\":8}", "/data/name", "Bear" },
	{ "{\"size\":null}", "/data/size", "(none)" },
	{ "{\"home\":{\"street\":\"Main\"}}", "/data/home",
	    "{\"street\":\"Main\",\"city\":\"Bern\"}" },
	{ "{\"home\":{\"city\":null}}", "/data/home",
	    "{\"street\":null,\"city\":null}" },
	{ "{\"home\":null}", "/data/home", "{\"street\":null,\"city\":null}" },
	{ "{\"serial\":1}", "/data/serial", "42" },
	{ "{\"name\":null}", "/errors/0/detail", "name must not be null." },
	{ "{\"loud\":null}", "/errors/0/detail", "loud must not be null." },
	{ "{\"parts\":[{}]}", "/errors/0/detail", "name is required." },
};

START_TEST(an_update_leaves_what_it_does_not_name)
{
	struct response a = ask(
	    "PATCH " TOY, arena_printf(fixture.mem, "{\"data\":%s}", updates[_i].data));

	is(a, updates[_i].pointer, updates[_i].value);
}
END_TEST

/* ---- queries ---- */

static const struct {
	const char *query, *pointer, *value;
} queries[] = {
	{ "size=5&word=a+b%2Bc&colour=Red&loud=true", "/data",
	    "{\"word\":\"a b+c\",\"colour\":\"Red\",\"size\":5,\"loud\":true}" },
	{ "tags=a&tags=b,c", "/data/tags", "[\"a\",\"b\",\"c\"]" },
	{ "tags=a%2Cb", "/data/tags", "[\"a\",\"b\"]" },
	{ "unknown=1&size=5&&=&x", "/data/size", "5" },
	{ "word=%C3%BC%C3%BC", "/data/word", "\xc3\xbc\xc3\xbc" },
	{ "SIZE=0", "/data", "{\"loud\":false}" },
	{ "size=5&size=5", "/errors/0/parameter", "size" },
	{ "word=ab&word=cd", "/errors/0/parameter", "word" },
	{ "size=", "/errors/0/detail", "size must be an integer from 1 to 100." },
	{ "size", "/errors/0/detail", "size must be an integer from 1 to 100." },
	{ "size=5.0", "/errors/0/detail", "size must be an integer from 1 to 100." },
	{ "size=99999999999999999999", "/errors/0/parameter", "size" },
	{ "size=%35", "/data/size", "5" },
	{ "word=", "/errors/0/parameter", "word" },
	{ "word=%ff%fe", "/errors/0/parameter", "word" },
	{ "word=ab%00cd", "/errors/0/parameter", "word" },
	{ "word=ab%zz", "/errors/0/parameter", "word" },
	{ "loud=yes", "/errors/0/detail", "loud must be true or false." },
	{ "loud=1", "/errors/0/parameter", "loud" },
	{ "colour=red", "/errors/0/detail", "colour is not in the list." },
	{ "tags=", "/errors/0/parameter", "tags" },
	{ "tags=a,,b", "/errors/0/parameter", "tags" },
	{ "tags=toolong,alsotoolong", "/errors/1", "(none)" }, /* one a parameter */
	{ "sort=up&page_size=0&word=a", "/errors/2/parameter", "word" },
};

START_TEST(a_query_is_read_by_its_rules)
{
	struct response a =
	    ask(arena_printf(fixture.mem, "GET /toys?%s", queries[_i].query), NULL);

	answered(a, strncmp(queries[_i].pointer, "/data", 5) == 0 ? 200 : 422);
	is(a, queries[_i].pointer, queries[_i].value);
}
END_TEST

START_TEST(faults_of_body_and_query_are_told_together)
{
	struct response a =
	    ask("POST /judge/" TOY_ID "?size=0&word=a", "{\"data\":{}}");

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), "/data/name: name is required.\n"
					"word: word must have 2 to 100 characters.\n"
					"size: size must be an integer from 1 to 100.");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("input");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_loop_test(t, a_body_that_cannot_be_read_is_400, 0, COUNT(unreadable));
	tcase_add_test(t, nesting_may_be_32_deep_and_no_more);
	tcase_add_loop_test(
	    t, a_body_may_be_empty_where_it_is_optional, 0, COUNT(optional));
	tcase_add_test(t, a_body_may_have_a_mebibyte_and_no_more);
	tcase_add_test(t, an_empty_body_has_no_type);
	tcase_add_test(t, bodies_are_ignored_where_there_should_be_none);
	tcase_add_loop_test(t, a_broken_rule_is_422_at_its_place, 0, COUNT(wrong));
	tcase_add_loop_test(t, input_that_fits_is_taken_as_it_is, 0, COUNT(taken));
	tcase_add_test(t, a_free_form_object_may_have_16384_bytes);
	tcase_add_test(t, no_more_than_50_faults_are_told);
	tcase_add_test(t, strict_handling_refuses_what_is_not_taken);
	tcase_add_loop_test(t, a_preference_is_read_whole, 0, COUNT(preferences));
	tcase_add_loop_test(
	    t, an_update_leaves_what_it_does_not_name, 0, COUNT(updates));
	tcase_add_loop_test(t, a_query_is_read_by_its_rules, 0, COUNT(queries));
	tcase_add_test(t, faults_of_body_and_query_are_told_together);
	suite_add_tcase(s, t);
	return unit_run(s);
}
