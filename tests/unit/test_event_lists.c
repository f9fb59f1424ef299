/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists of events: pages, statuses and the search in title and description.
 */
#define UNIT_TEST
#include "cgi-bin/events.c"

#include "tests/unit/event_rows.h"

#define LIST "GET /saas/v2/events"

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql, stage_sql,
		NULL };

	fixture_open("events", event_routes, prepared);
}

/* Returns the titles of a list, separated by |. */
static const char *
titles(const struct response *a)
{
	const struct json *v = json_get(a->json, "data");
	struct buf b = { .mem = fixture.mem };

	for (v = v != NULL ? v->kids : NULL; v != NULL; v = v->next)
		buf_printf(&b, "%s%s", b.len > 0 ? "|" : "", json_get_text(v, "title"));
	return buf_text(&b);
}

static struct response
search(const char *q)
{
	return ask(arena_printf(fixture.mem, LIST "?q=%s", q), NULL);
}

/* Adds an event with a description. */
static const char *
put_described(const char *title, const char *description, int64_t created_us)
{
	const char *id = put_event(fixture.account, title, created_us);
	long long seq = created_us;

	set_event(id, arena_printf(fixture.mem, "description = '%s'", description));
	sql(arena_printf(fixture.mem,
	    "INSERT INTO event_terms (event_terms, rowid, terms) SELECT 'delete', "
	    "rowid,"
	    " grams(account, folded, 1) FROM event_texts WHERE rowid = %lld;"
	    "UPDATE event_texts SET folded = '%s' WHERE rowid = %lld;"
	    "INSERT INTO event_terms (rowid, terms) SELECT rowid,"
	    " grams(account, folded, 1) FROM event_texts WHERE rowid = %lld",
	    seq,
	    text_fold(
		fixture.mem, arena_printf(fixture.mem, "%s\n%s", title, description)),
	    seq, seq));
	return id;
}

/* ---- pages ---- */

START_TEST(an_empty_list_has_no_next_page)
{
	struct response a = ask(LIST, NULL);

	answered(a, 200);
	assert_same_body(a.body, "{\"ok\":true,\"data\":[],\"pagination_token\":null}");
}
END_TEST

START_TEST(a_page_has_twenty_events_newest_first_with_their_stages)
{
	const char *token, *last = NULL;
	struct response a;

	for (int i = 1; i <= 41; i++)
		last = put_event(
		    fixture.account, arena_printf(fixture.mem, "Event %02d", i), i);
	put_stage(last, "North");
	put_event(fixture_account(), "Theirs", 100);
	a = ask(LIST, NULL);
	is(a, "/data/0/title", "Event 41");
	is(a, "/data/0/stages/0/name", "North");
	is(a, "/data/19/title", "Event 22");
	is(a, "/data/20", "(none)");
	token = said(&a, "/pagination_token");
	ck_assert_pstr_eq(head_of(&a, "Link"),
	    arena_printf(fixture.mem,
		"<%s/saas/v2/events?pagination_token=%s>; rel=\"next\"", fixture.base,
		token));
	/* deleted and new events shift nothing */
	sql("DELETE FROM events WHERE seq = 22");
	put_event(fixture.account, "New", 1000);
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token), NULL);
	is(a, "/data/0/title", "Event 21");
	is(a, "/data/19/title", "Event 02");
	token = said(&a, "/pagination_token");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token), NULL);
	ck_assert_str_eq(titles(&a), "Event 01");
	is(a, "/pagination_token", "null");
	ck_assert_ptr_null(head_of(&a, "Link"));
}
END_TEST

START_TEST(a_full_last_page_has_no_next_one)
{
	struct response a;

	for (int i = 1; i <= 20; i++)
		put_event(fixture.account, "Event", i);
	a = ask(LIST, NULL);
	is(a, "/data/19/title", "Event");
	is(a, "/pagination_token", "null");
}
END_TEST

START_TEST(a_token_carries_its_filters_and_takes_no_others)
{
	const char *token;
	struct response a;

	for (int i = 1; i <= 21; i++)
		put_event(fixture.account, "Forum", i);
	put_event(fixture.account, "Other", 30);
	a = ask(LIST "?q=forum&status=setup_required", NULL);
	is(a, "/data/0/title", "Forum");
	token = said(&a, "/pagination_token");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token), NULL);
	ck_assert_str_eq(titles(&a), "Forum");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s&q=forum", token),
	    NULL);
	ck_assert_str_eq(titles(&a), "Forum");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s&q=other", token),
	    NULL);
	refused(a, 400, "invalid-page-token");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%sx", token), NULL);
	refused(a, 400, "invalid-page-token");
	a = ask(LIST "?pagination_token=", NULL);
	refused(a, 400, "invalid-page-token");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token), NULL);
	refused(a, 400, "invalid-page-token");
}
END_TEST

static const struct {
	const char *query, *faults;
} wrong[] = {
	{ "status=over", "status: status is not in the list." },
	{ "status=", "status: status is not in the list." },
	{ "q=", "q: q must have 1 to 200 characters." },
	{ "q=a&q=b", "q: q must be a string." },
};

START_TEST(a_query_that_breaks_a_rule_is_422)
{
	struct response a =
	    ask(arena_printf(fixture.mem, LIST "?%s", wrong[_i].query), NULL);

	refused(a, 422, "validation-error");
	ck_assert_str_eq(faults_of(&a), wrong[_i].faults);
}
END_TEST

START_TEST(the_longest_search_of_the_widest_letters_still_has_a_next_page)
{
	struct buf q = { .mem = fixture.mem }, title = { .mem = fixture.mem };
	struct response a;

	for (int i = 0; i < 200; i++) {
		buf_str(&q, "%F0%9F%8E%99");
		buf_str(&title, "\xf0\x9f\x8e\x99");
	}
	for (int i = 1; i <= 21; i++)
		put_described("Forum", buf_text(&title), i);
	a = search(buf_text(&q));
	is(a, "/data/19/title", "Forum");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s",
		    said(&a, "/pagination_token")),
	    NULL);
	answered(a, 200);
	ck_assert_str_eq(titles(&a), "Forum");
}
END_TEST

/* ---- search ---- */

static const struct {
	const char *q, *found;
} searches[] = {
	{ "munchen", "M\xc3\xbcnchen" },
	{ "M%C3%9CNCH", "M\xc3\xbcnchner Gespr\xc3\xa4"
			"che|M\xc3\xbcnchen" },
	{ "gesprache", "M\xc3\xbcnchner Gespr\xc3\xa4"
		       "che" },
	{ "che+m%C3%BCn", "M\xc3\xbcnchner Gespr\xc3\xa4"
			  "che|M\xc3\xbcnchen" },
	{ "strasse", "Stra\xc3\x9f"
		     "e" },
	{ "STRA%C3%9FE", "Stra\xc3\x9f"
			 "e" },
	{ "%E4%BC%9A%E8%AD%B0", "\xe5\x9b\xbd\xe9\x9a\x9b\xe4\xbc\x9a\xe8\xad\xb0" },
	{ "%E4%BC%9A", "\xe5\x9b\xbd\xe9\x9a\x9b\xe4\xbc\x9a\xe8\xad\xb0" },
	{ "%E5%9B%BD%E9%9A%9B%E4%BC%9A%E8%AD%B0",
	    "\xe5\x9b\xbd\xe9\x9a\x9b\xe4\xbc\x9a\xe8\xad\xb0" },
	{ "100%25", "100% sure" },
	{ "0%25+s", "100% sure" },
	{ "e_t", "one_two" },
	{ "1%25s", "" },
	{ "%22a%22", "Say \"a\" \\ b" },
	{ "%5C", "Say \"a\" \\ b" },
	{ "%22a%22+%5C+say", "Say \"a\" \\ b" },
	{ "beer", "M\xc3\xbcnchen" },
	{ "beer+m%C3%BCnchen", "M\xc3\xbcnchen" },
	{ "beer+wine", "" },
	{ "++beer%09%E3%80%80M%C3%BCnchen++", "M\xc3\xbcnchen" },
	{ "bee+eer+ee+munchen", "M\xc3\xbcnchen" },
	{ "AND", "Sound and light" },
	{ "sound+NOT", "" },
	{ "sound*", "" },
	{ "nothing", "" },
};

static void
put_searched(void)
{
	put_event(fixture.account, "100% sure", 1);
	put_event(fixture.account, "one_two", 2);

	put_described("onextwo", "", 11);
	put_event(fixture.account, "Say \"a\" \\ b", 3);
	put_event(fixture.account,
	    "Stra\xc3\x9f"
	    "e",
	    4);
	put_event(
	    fixture.account, "\xe5\x9b\xbd\xe9\x9a\x9b\xe4\xbc\x9a\xe8\xad\xb0", 5);
	put_described("M\xc3\xbcnchen", "Beer", 6);
	put_event(fixture.account, "Sound and light", 7);
	put_event(fixture.account,
	    "M\xc3\xbcnchner Gespr\xc3\xa4"
	    "che",
	    8);
	put_event(fixture_account(), "M\xc3\xbcnchen, theirs", 9);
}

START_TEST(each_word_is_found_in_title_or_description)
{
	struct response a;

	put_searched();
	a = search(searches[_i].q);
	answered(a, 200);
	ck_assert_str_eq(titles(&a), searches[_i].found);
}
END_TEST

/* Adds enough events for the index to be used. */
static void
put_many(const char *account, int from, int n)
{
	sql(arena_printf(fixture.mem,
	    "BEGIN; WITH RECURSIVE n(i) AS (VALUES (%d) UNION ALL SELECT i + 1 FROM n"
	    " WHERE i < %d) INSERT INTO events (seq, created_us, id, account, "
	    "updated_us,"
	    " title, type, start_us, end_us, recurring, languages, listener_mode,"
	    " room_suffix, agenda) SELECT i, i, 'e' || i, '%s', i, 'Many ' || i, "
	    "'online',"
	    " 1, 2, 0, '[]', 'off', 'x', '[]' FROM n; INSERT INTO event_texts (rowid,"
	    " folded, account) SELECT seq, 'many ' || seq, account FROM events WHERE"
	    " seq BETWEEN %d AND %d; INSERT INTO event_terms (rowid, terms) SELECT "
	    "rowid,"
	    " grams(account, folded, 1) FROM event_texts WHERE rowid BETWEEN %d AND %d;"
	    " COMMIT",
	    from, from + n - 1, account, from, from + n - 1, from, from + n - 1));
}

START_TEST(the_index_finds_what_reading_finds)
{
	struct response a;

	put_many(fixture.account, 20, 1000);
	put_searched();
	a = search(searches[_i].q);
	answered(a, 200);
	ck_assert_str_eq(titles(&a), searches[_i].found);
}
END_TEST

START_TEST(a_search_among_many_goes_on_page_by_page)
{
	const char *token;
	struct response a;

	put_many(fixture.account, 20, 5000);
	put_many(fixture_account(), 100000, 100);
	a = search("many+99"); /* 99, 199, ... and 990 to 999 */
	is(a, "/data/0/title", "Many 4999");
	is(a, "/data/19/title", "Many 3999");
	token = said(&a, "/pagination_token");
	a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token), NULL);
	is(a, "/data/0/title", "Many 3998");
	/* words too short for the index are still found */
	a = search("1+ny");
	is(a, "/data/0/title", "Many 5019");
	a = search("zz+many");
	ck_assert_str_eq(titles(&a), "");
}
END_TEST

/* A search over a million events stops early; its token says where to continue. */
START_TEST(a_search_that_finds_little_ends_and_goes_on)
{
	static const char *const status[] = { "", "&status=upcoming" };
	const char *titles_found = "", *token;
	struct response a;
	int pages = 0;

	put_event(fixture.account, "The needle, old", 1);
	put_many(fixture.account, 20, 12000);
	set_event(
	    put_event(fixture.account, "The needle, new", 20000), "channels_ready = 1");
	sql("UPDATE events SET channels_ready = 1 WHERE seq = 1");
	a = ask(arena_printf(fixture.mem, LIST "?q=e%s", status[_i]), NULL);
	for (;; pages++) {
		answered(a, 200);
		titles_found =
		    arena_printf(fixture.mem, "%s%s;", titles_found, titles(&a));
		token = said(&a, "/pagination_token");
		if (strcmp(token, "null") == 0)
			break;
		ck_assert_ptr_nonnull(head_of(&a, "Link"));
		a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token),
		    NULL);
	}
	ck_assert_int_ge(pages, 2);
	ck_assert_int_eq(strncmp(titles_found, "The needle, new;;", 17), 0);
	ck_assert_ptr_nonnull(strstr(titles_found, ";The needle, old;"));
	ck_assert_uint_eq(
	    strlen(titles_found), 2 * strlen("The needle, new") + pages + 1);
}
END_TEST

/* A status that few of many events have is searched for in a part of them. */
START_TEST(a_status_of_few_events_is_found_page_by_page)
{
	struct buf found = { .mem = fixture.mem };
	const char *token;
	struct response a;

	put_many(fixture.account, 20, 9000);
	sql("UPDATE events SET end_us = 9000000000000000;" /* the last of a part, too */
	    "UPDATE events SET channels_ready = 1 WHERE seq IN (20, 5020)");
	a = ask(LIST "?status=ready", NULL);
	for (;;) {
		buf_printf(&found, "%s;", titles(&a));
		token = said(&a, "/pagination_token");
		if (strcmp(token, "null") == 0)
			break;
		a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s", token),
		    NULL);
	}
	ck_assert_str_eq(buf_text(&found), "Many 5020;;Many 20;");
}
END_TEST

/* Returns the number of events for each term of the index, as "term events" lines. */
static const char *
terms(const char *like)
{
	return sql(arena_printf(fixture.mem,
	    "CREATE VIRTUAL TABLE temp.v USING fts5vocab (main, event_terms, row);"
	    "SELECT term, doc FROM v WHERE term LIKE '%s' ORDER BY term",
	    like));
}

/* A search must not even read terms of other accounts. */
START_TEST(accounts_share_no_term_of_the_index)
{
	const char *other = fixture_account();

	for (int i = 1; i <= 3; i++)
		put_event(other, "Wort", i);
	put_event(fixture.account, "Wort", 10);
	ck_assert_str_eq(terms("%ort"), arena_printf(fixture.mem,
					    strcmp(other + 27, fixture.account + 27) < 0
						? "%1$s000ort|3\n%2$s000ort|1\n"
						: "%2$s000ort|1\n%1$s000ort|3\n",
					    other + 27, fixture.account + 27));
}
END_TEST

/* A search walks the events of its terms, and those of no other. */
START_TEST(no_term_of_the_index_has_more_events_than_a_block)
{
	struct response a;

	put_many(fixture.account, 20, 20000);
	put_event(fixture.account, "The needle, old", 1);
	ck_assert_int_le(number("CREATE VIRTUAL TABLE temp.v USING fts5vocab (main,"
				" event_terms, row); SELECT max(doc) FROM v"),
	    1 << 14);
	a = search("needle+old");
	while (strcmp(titles(&a), "") == 0)
		a = ask(arena_printf(fixture.mem, LIST "?pagination_token=%s",
			    said(&a, "/pagination_token")),
		    NULL);
	ck_assert_str_eq(titles(&a), "The needle, old");
}
END_TEST

START_TEST(the_index_follows_an_event_until_it_is_gone)
{
	static const char body[] =
	    "{\"data\":{\"title\":\"Xylo\",\"description\":\"quartz\","
	    "\"event_type\":\"online\",\"utc_start_dt\":\"2030-01-01T10:00:00Z\","
	    "\"utc_end_dt\":\"2030-01-01T11:00:00Z\"}}";
	struct response a = ask("POST /saas/v2/event", body);
	const char *id;

	answered(a, 201);
	id = said(&a, "/data/event_id");
	ck_assert_ptr_nonnull(strstr(terms("%xyl"), "|1\n"));
	a = ask(arena_printf(fixture.mem, "PATCH /saas/v2/event/%s", id),
	    "{\"data\":{\"title\":\"Zebra\"}}");
	answered(a, 200);
	ck_assert_str_eq(terms("%xyl"), "");
	ck_assert_ptr_nonnull(strstr(terms("%zeb"), "|1\n"));
	ck_assert_ptr_nonnull(strstr(terms("%qua"), "|1\n"));
	a = ask(arena_printf(fixture.mem, "DELETE /saas/v2/event/%s", id), NULL);
	ck_assert_str_eq(terms("%"), "");
}
END_TEST

START_TEST(finished_events_are_those_a_worker_noticed_and_those_he_did_not)
{
	struct response a;

	for (int i = 1; i <= 25; i++)
		set_event(
		    put_event(fixture.account, arena_printf(fixture.mem, "%d", i), i),
		    i % 5 == 0   ? "start_us = 1, end_us = 2"
		    : i % 5 == 1 ? "channels_active = 1, finished_us = 5"
				 : "start_us = 1, end_us = 2, finished_us = 2");
	put_event(fixture.account, "open", 30);
	a = ask(LIST "?status=finished", NULL);
	ck_assert_str_eq(
	    titles(&a), "25|24|23|22|20|19|18|17|15|14|13|12|10|9|8|7|5|4|3|2");
	is(a, "/pagination_token", "null");
	a = ask(LIST "?status=live", NULL);
	ck_assert_str_eq(titles(&a), "21|16|11|6|1");
}
END_TEST

START_TEST(a_search_follows_what_is_changed)
{
	const char *id = put_event(fixture.account, "Before", 1);
	struct response a =
	    ask(arena_printf(fixture.mem, "PATCH /saas/v2/event/%s", id),
		"{\"data\":{\"title\":\"After\"}}");

	answered(a, 200);
	a = search("before");
	ck_assert_str_eq(titles(&a), "");
	a = search("after");
	ck_assert_str_eq(titles(&a), "After");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("event lists");
	TCase *t = tcase_create("lists");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, an_empty_list_has_no_next_page);
	tcase_add_test(t, a_page_has_twenty_events_newest_first_with_their_stages);
	tcase_add_test(t, a_full_last_page_has_no_next_one);
	tcase_add_test(t, a_token_carries_its_filters_and_takes_no_others);
	tcase_add_loop_test(t, a_query_that_breaks_a_rule_is_422, 0, COUNT(wrong));
	tcase_add_test(
	    t, the_longest_search_of_the_widest_letters_still_has_a_next_page);
	tcase_add_loop_test(
	    t, each_word_is_found_in_title_or_description, 0, COUNT(searches));
	tcase_add_loop_test(t, the_index_finds_what_reading_finds, 0, COUNT(searches));
	tcase_add_test(t, a_search_among_many_goes_on_page_by_page);
	tcase_add_loop_test(t, a_search_that_finds_little_ends_and_goes_on, 0, 2);
	tcase_add_test(t, a_status_of_few_events_is_found_page_by_page);
	tcase_add_test(t, accounts_share_no_term_of_the_index);
	tcase_add_test(t, no_term_of_the_index_has_more_events_than_a_block);
	tcase_add_test(t, the_index_follows_an_event_until_it_is_gone);
	tcase_add_test(
	    t, finished_events_are_those_a_worker_noticed_and_those_he_did_not);
	tcase_add_test(t, a_search_follows_what_is_changed);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
