/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of glossaries, page by page.
 */
#define UNIT_TEST
#include "tests/unit/glossary_fixture.h"

static const char *
names(const struct response *a)
{
	struct buf b = { .mem = fixture.mem };
	const struct json *v = json_get(json_get(a->json, "data"), "items");

	for (v = v != NULL ? v->kids : NULL; v != NULL; v = v->next)
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", json_get_text(v, "name"));
	return buf_text(&b);
}

static const struct {
	const char *query, *pages; /* names, one page after another */
} lists[] = {
	{ "", "Four Three Two One" },
	{ "?sort=desc", "Four Three Two One" },
	{ "?sort=asc", "One Two Three Four" },
	{ "?page_size=3", "Four Three Two/One" },
	{ "?page_size=4", "Four Three Two One" },
	{ "?page_size=1&sort=asc", "One/Two/Three/Four" },
};

START_TEST(a_list_goes_page_by_page_by_creation)
{
	const char *call =
	    arena_printf(fixture.mem, "GET /saas/glossaries%s", lists[_i].query);
	struct buf pages = { .mem = fixture.mem };
	struct response a;

	put_glossary(fixture.account, "One", 1);
	put_glossary(fixture.account, "Two", 2);
	put_glossary(fixture_account(), "Theirs", 2);
	put_glossary(fixture.account, "Three", 3);
	put_glossary(fixture.account, "Four", 4);
	for (const char *next = ""; strcmp(next, "null") != 0;) {
		a = ask(call, NULL);
		answered(a, 200);
		buf_printf(&pages, "%s%s", pages.len > 0 ? "/" : "", names(&a));
		next = said(&a, "/data/next");
		call = arena_printf(fixture.mem, "GET /saas/glossaries?token=%s", next);
	}
	ck_assert_str_eq(buf_text(&pages), lists[_i].pages);
}
END_TEST

START_TEST(items_of_a_list_are_whole_records)
{
	const char *id = put_glossary(fixture.account, "One", 1);
	struct response a, one;

	set_glossary(id, "faults = '1' || char(9, 9) || 'csv-no-entries' || char(9) ||"
			 " 'The file has no rows.' || char(10)");
	a = ask("GET /saas/glossaries", NULL);
	one = on("GET", id, NULL);
	is(a, "/data/items/0", said(&one, "/data"));
	is(a, "/data/count", "1");
	is(a, "/data/page_size", "10");
	is(a, "/data/items/0/entries_errors/0/problem/error_code", "100227");
}
END_TEST

static const struct {
	const char *query;
	int status;
	const char *faults;
} bad_lists[] = {
	{ "?page_size=0", 422,
	    "page_size: page_size must be an integer from 1 to 100." },
	{ "?sort=up&page_size=101", 422,
	    "sort: sort is not in the list.\n"
	    "page_size: page_size must be an integer from 1 to 100." },
	{ "?token=", 400, "token: token is not valid." },
	{ "?token=x&sort=asc", 400,
	    "token: token must not be combined with sort or page_size." },
};

START_TEST(a_bad_query_is_refused)
{
	struct response a = ask(
	    arena_printf(fixture.mem, "GET /saas/glossaries%s", bad_lists[_i].query),
	    NULL);

	answered(a, bad_lists[_i].status);
	ck_assert_str_eq(faults_of(&a), bad_lists[_i].faults);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("glossary lists");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, glossary_fixture, fixture_close);
	tcase_add_loop_test(t, a_list_goes_page_by_page_by_creation, 0, COUNT(lists));
	tcase_add_test(t, items_of_a_list_are_whole_records);
	tcase_add_loop_test(t, a_bad_query_is_refused, 0, COUNT(bad_lists));
	suite_add_tcase(s, t);
	return unit_run(s);
}
