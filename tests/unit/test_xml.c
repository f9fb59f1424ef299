/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <string.h>

#include "base/xml.h"
#include "tests/unit/suite.h"

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

START_TEST(xml_is_written_with_its_own_characters_escaped)
{
	const struct xml_text texts[] = {
		{ "Code", "A&B" },
		{ "Message", "<\"\x01\xef\xbf\xbe\xc3\xbc" },
		{ "Empty", "" },
	};

	ck_assert_str_eq(xml_write(mem, "Error", texts, 3),
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>A&amp;B</Code>"
	    "<Message>&lt;&quot;?\?\?\?\xc3\xbc</Message><Empty></Empty></Error>\n");
}
END_TEST

static const struct {
	const char *xml;
	bool whole;
	const char *code, *key; /* NULL: not there */
} documents[] = {
	{ "<Error><Code>NoSuchKey</Code><Key>a</Key></Error>", true, "NoSuchKey", "a" },
	{ "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error xmlns=\"urn:x\">\n"
	  " <Code>N&amp;&#65;<![CDATA[<x>]]></Code>\n</Error>\n",
	    true, "N&A<x>", NULL },
	{ "<Error><a><Code>deep</Code></a><Code>1</Code><Code>2</Code></Error>", true,
	    "1", NULL },
	{ "<Error><Code>a<b>c</b>d</Code></Error>", true, "ad", NULL },
	{ "<Error><Code/></Error>", true, "", NULL },
	{ "<Code>root</Code>", true, NULL, NULL },
	{ "<Error><Code>cut", false, NULL, NULL },
	{ "<Error><Code>a</Code>", false, "a", NULL },
	{ "", false, NULL, NULL },
	{ "{\"Code\":1}", false, NULL, NULL },
	{ "<!DOCTYPE Error><Error><Code>a</Code></Error>", false, NULL, NULL },
	{ "<!DOCTYPE Error SYSTEM \"file:///etc/passwd\"><Error><Code>a</Code></Error>",
	    false, NULL, NULL },
	{ "<!DOCTYPE e [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
	  "<e><Code>&x;</Code></e>",
	    false, NULL, NULL },
	{ "<!DOCTYPE e [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
	  "<e><Code>&b;</Code></e>",
	    false, NULL, NULL },
	{ "<e><Code>&undefined;</Code></e>", false, "", NULL },
};

START_TEST(xml_of_strangers)
{
	struct xml_text got[] = { { "Code", "old" }, { "Key", "old" } };

	ck_assert(xml_read(mem, documents[_i].xml, strlen(documents[_i].xml), got, 2) ==
		  documents[_i].whole);
	if (documents[_i].whole) {
		ck_assert_pstr_eq(got[0].text, documents[_i].code);
		ck_assert_pstr_eq(got[1].text, documents[_i].key);
	}
}
END_TEST

START_TEST(rows_of_a_list_are_read)
{
	const char *const names[] = { "Key", "Size" };
	const char *xml =
	    "<List><Name>n</Name><Key>no row</Key>"
	    "<Row><Size>1</Size><Key>a</Key><Key>b</Key></Row><Row/>"
	    "<Row><Deep><Key>no</Key></Deep><Key>c&amp;</Key></Row></List>";
	const struct xml_text(*rows)[2];
	struct xml_rows l = { "Row", names, 2 };

	ck_assert(xml_read_rows(mem, xml, strlen(xml), &l));
	ck_assert_uint_eq(l.rows.n, 3);
	rows = l.rows.items;
	ck_assert_str_eq(rows[0][0].text, "a");
	ck_assert_str_eq(rows[0][1].text, "1");
	ck_assert_ptr_null(rows[1][0].text);
	ck_assert_str_eq(rows[2][0].text, "c&");
	ck_assert_ptr_null(rows[2][1].text);
	ck_assert(!xml_read_rows(mem, xml, strlen(xml) - 1, &l));
	ck_assert_uint_eq(l.rows.n, 0);
}
END_TEST

START_TEST(xml_that_is_too_long)
{
	char *s = arena_alloc(mem, XML_READ_BYTES + 2);
	struct xml_text got = { "Code", NULL };

	memset(s, ' ', XML_READ_BYTES + 1);
	memcpy(s, "<e><Code>1</Code></e>", 21);
	ck_assert(xml_read(mem, s, XML_READ_BYTES, &got, 1));
	ck_assert(!xml_read(mem, s, XML_READ_BYTES + 1, &got, 1));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("xml");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, xml_is_written_with_its_own_characters_escaped);
	tcase_add_loop_test(
	    t, xml_of_strangers, 0, (int)(sizeof(documents) / sizeof(documents[0])));
	tcase_add_test(t, rows_of_a_list_are_read);
	tcase_add_test(t, xml_that_is_too_long);
	suite_add_tcase(s, t);
	return unit_run(s);
}
