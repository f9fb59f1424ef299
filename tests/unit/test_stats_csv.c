/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The export of an event's statistics, as its organiser gets it. */
#define UNIT_TEST
#include "tests/unit/stats_rows.h"

#include "cgi-bin/events.c"

static const char *event;

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		stats_sql, NULL };

	fixture_open("events", event_routes, prepared);
	event = put_event(fixture.account, "Autumn summit", 1);
}

static struct response export(const char *query)
{
	return ask(arena_printf(fixture.mem, "GET /saas/v2/event/%s/stats/export%s",
		       event, query),
	    NULL);
}

START_TEST(the_export_is_a_file_of_languages)
{
	struct response a;

	put_heard(event, "original", 6);
	put_heard(event, "de", 40);
	put_heard(event, "es-mx", 6);
	a = export("");
	answered(a, 200);
	ck_assert_str_eq(
	    a.body, "language,participants\r\nde,40\r\nes-mx,6\r\noriginal,6\r\n");
	ck_assert_pstr_eq(head_of(&a, "Content-Type"), "text/csv; charset=utf-8");
	ck_assert_pstr_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(
		fixture.mem, "attachment; filename=\"event-%s-stats.csv\"", event));
	ck_assert_pstr_eq(
	    head_of(&a, "ETag"), arena_printf(fixture.mem, "\"%s\"",
				     hash_hex(fixture.mem, a.body, strlen(a.body))));
}
END_TEST

START_TEST(the_file_has_the_events_id_however_it_was_asked_for)
{
	char *upper = arena_str(fixture.mem, event);
	struct response a;

	for (char *s = upper; *s != '\0'; s++)
		*s = (char)toupper((unsigned char)*s);
	a = ask(arena_printf(fixture.mem, "GET /saas/v2/event/%s/stats/export", upper),
	    NULL);
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "Content-Disposition"),
	    arena_printf(
		fixture.mem, "attachment; filename=\"event-%s-stats.csv\"", event));
}
END_TEST

START_TEST(an_export_without_listeners_is_its_header)
{
	struct response a = export("");

	answered(a, 200);
	assert_same_body(a.body, "language,participants\r\n");
}
END_TEST

START_TEST(an_export_made_while_none_is_kept_is_not_kept)
{
	const char *before;

	put_heard(event, "de", 1);
	before = everything();
	export("");
	ck_assert_str_eq(everything(), before);
}
END_TEST

START_TEST(an_export_is_what_a_worker_wrote_last)
{
	struct response a;

	put_heard(event, "de", 3);
	set_stats(event, "csv = 'language,participants' || char(13, 10) || 'de,1' ||"
			 " char(13, 10), changed_us = 1");
	a = export("");
	assert_same_body(a.body, "language,participants\r\nde,1\r\n");
}
END_TEST

/* No language has such a code, but the file must be safe for spreadsheets. */
static const struct {
	const char *language, *cell;
} cells[] = {
	{ "=1+1", "'=1+1" },
	{ "+1", "'+1" },
	{ "-1", "'-1" },
	{ "@sum", "'@sum" },
	{ "\tx", "'\tx" },
	{ "\rx", "\"'\rx\"" },
	{ "a,b", "\"a,b\"" },
	{ "a\"b", "\"a\"\"b\"" },
	{ "a\nb", "\"a\nb\"" },
	{ "=a,b", "\"'=a,b\"" },
	{ "a=b", "a=b" },
};

START_TEST(no_cell_of_the_export_is_a_formula)
{
	struct response a;

	put_heard(event, cells[_i].language, 1);
	a = export("");
	ck_assert_str_eq(
	    a.body, arena_printf(fixture.mem, "language,participants\r\n%s,1\r\n",
			cells[_i].cell));
}
END_TEST

static const struct {
	const char *query;
	int status;
} formats_asked[] = {
	{ "", 200 },
	{ "?format=csv", 200 },
	{ "?other=xml", 200 },
	{ "?format=CSV", 422 },
	{ "?format=xlsx", 422 },
	{ "?format=", 422 },
	{ "?format", 422 },
	{ "?format=csv&format=csv", 422 },
	{ "?format=csv%00", 422 },
};

START_TEST(csv_is_the_only_format)
{
	struct response a = export(formats_asked[_i].query);

	if (formats_asked[_i].status == 200) {
		answered(a, 200);
		return;
	}
	refused(a, 422, "validation-error");
	is(a, "/errors/0/parameter", "format");
	is(a, "/errors/1", "(none)");
}
END_TEST

static const struct {
	const char *sent; /* $: the file's ETag */
	int status;
} tags[] = {
	{ "If-None-Match: $", 304 },
	{ "If-None-Match: W/$", 304 },
	{ "If-None-Match: \"other\", $", 304 },
	{ "If-None-Match: *", 304 },
	{ "If-None-Match: \"other\"", 200 },
};

START_TEST(a_client_that_has_the_file_is_not_sent_it_again)
{
	struct response a = export("");
	const char *tag = head_of(&a, "ETag"), *at = strchr(tags[_i].sent, '$');
	const char *call =
	    arena_printf(fixture.mem, "GET /saas/v2/event/%s/stats/export", event);
	const char *sent = at == NULL
			       ? tags[_i].sent
			       : arena_printf(fixture.mem, "%.*s%s",
				     (int)(at - tags[_i].sent), tags[_i].sent, tag);

	a = ask_with(call, NULL, HEADS(sent));
	answered(a, tags[_i].status);
	ck_assert_pstr_eq(head_of(&a, "ETag"), tag);
	ck_assert_int_eq(a.body[0] == '\0', tags[_i].status == 304);
	put_heard(event, "de", 1);
	a = ask_with(
	    call, NULL, HEADS(arena_printf(fixture.mem, "If-None-Match: %s", tag)));
	answered(a, 200);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stats csv");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, the_export_is_a_file_of_languages);
	tcase_add_test(t, the_file_has_the_events_id_however_it_was_asked_for);
	tcase_add_test(t, an_export_without_listeners_is_its_header);
	tcase_add_test(t, an_export_made_while_none_is_kept_is_not_kept);
	tcase_add_test(t, an_export_is_what_a_worker_wrote_last);
	tcase_add_loop_test(t, no_cell_of_the_export_is_a_formula, 0, COUNT(cells));
	tcase_add_loop_test(t, csv_is_the_only_format, 0, COUNT(formats_asked));
	tcase_add_loop_test(
	    t, a_client_that_has_the_file_is_not_sent_it_again, 0, COUNT(tags));
	suite_add_tcase(s, t);
	return unit_run(s);
}
