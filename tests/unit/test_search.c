/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches in many events, and lists by a status, with each database. */
#include "store/event_search.h"
#include "tests/unit/ledger_fixture.h"

/* Nine thousand events in several blocks of the index; every third is of another
   account. */
#define FILL                                                                           \
	"INSERT INTO accounts (id, name, status, created_us)"                          \
	" VALUES ('mine', 'mine', 'active', 1), ('theirs', 'theirs', 'active', 1);\n"  \
	"INSERT INTO events (seq, created_us, id, account, updated_us, title, type,"   \
	" start_us, end_us, recurring, languages, listener_mode, room_suffix, agenda)" \
	" WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n"            \
	" WHERE i < 9000) SELECT i + 10000, i, 'e' || i,"                              \
	" CASE i % 3 WHEN 0 THEN 'theirs' ELSE 'mine' END, i, 'many ' || i"            \
	" || CASE i % 4 WHEN 0 THEN ' left' WHEN 2 THEN ' right' ELSE '' END"          \
	" || CASE i % 7 WHEN 1 THEN ' \xe4\xbc\x9a\xe8\xad\xb0' ELSE '' END"           \
	" || CASE i % 3 WHEN 0 THEN ' theirs' ELSE '' END"                             \
	" || CASE i WHEN 1 THEN ' needle' ELSE '' END,"                                \
	" 'online', 1, 2, 0, '[]', 'off', 'x', '[]' FROM n;\n"                         \
	"INSERT INTO event_texts (rowid, folded, account) SELECT seq, title, account"  \
	" FROM events;\n"                                                              \
	"INSERT INTO event_terms (rowid, terms) -- sqlite\n"                           \
	"SELECT rowid, grams(account, folded, 1) FROM event_texts -- sqlite\n"

static void
open_filled(int which)
{
	books_open(which);
	ck_assert_int_eq(db_script(db, FILL), OK);
}

static const struct {
	const char *q;
	size_t found;
} searches[] = { { "many", 6000 }, { "y", 6000 }, { "left", 1500 }, { "left right", 0 },
	{ "right many", 1500 }, { "needle", 1 }, { "needl", 1 }, { "needles", 0 },
	{ "8999", 1 }, { "\xe4\xbc\x9a\xe8\xad\xb0", 858 }, { "\xe8\xad\xb0", 858 },
	{ "\xe8\xad\xb0\xe4\xbc\x9a", 0 }, { "qj", 0 }, { "%_", 0 }, { "theirs", 0 },
	{ "absent", 0 }, { "left 1", 395 }, { "left y", 1500 } };

START_TEST(the_pages_of_a_search_have_each_event_once)
{
	open_filled(_i);
	for (int i = 0; i < COUNT(searches); i++) {
		struct event_query q = { INT64_MAX, 10000, NULL, searches[i].q };
		struct buf found = { .mem = mem };
		const int64_t *seq;

		while (q.before != INT64_MIN)
			ck_assert_int_eq(
			    event_search(db, "mine", &q, &found, &q.before), OK);
		ck_assert_msg(found.len == searches[i].found * sizeof(*seq), "%s: %zu",
		    searches[i].q, found.len / sizeof(*seq));
		seq = (const int64_t *)(const void *)found.p;
		for (size_t n = 1; n < searches[i].found; n++)
			ck_assert_int_lt(seq[n], seq[n - 1]);
	}
	books_close();
}
END_TEST

static const struct {
	const char *status;
	size_t listed;
} statuses[] = { { NULL, 6000 }, { "finished", 1668 }, { "live", 0 },
	{ "setup_required", 4327 }, { "ready", 5 } };

/* Few of many open events have a status, and some are not marked as finished. */
START_TEST(the_pages_of_a_status_have_each_event_once)
{
	open_filled(_i);
	ck_assert_int_eq(
	    db_script(db,
		"UPDATE events SET finished_us = 3 WHERE created_us <= 1000;"
		"UPDATE events SET end_us = 9000000000000000, channels_ready"
		" = CASE created_us % 1000 WHEN 1 THEN 1 ELSE 0 END"
		" WHERE created_us > 1000 AND created_us <> 7000"
		" AND created_us % 4 <> 2 OR created_us BETWEEN 3000 AND 5000"),
	    OK);
	for (int i = 0; i < COUNT(statuses); i++) {
		struct event_query q = { NULL_INT, 20, statuses[i].status, NULL };
		struct event_page page = { .rest = 0 };
		size_t n = 0;

		for (; page.rest != INT64_MIN; q.before = page.rest) {
			ck_assert_int_eq(event_list(db, mem, "mine", &q, &page), OK);
			n += page.events.n;
			if (page.events.n == 20)
				page.rest = ((struct event *)page.events.items)[19].seq;
		}
		ck_assert_msg(
		    n == statuses[i].listed, "%s: %zu", statuses[i].status, n);
	}
	books_close();
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("search");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(
	    t, the_pages_of_a_search_have_each_event_once, 0, books_count());
	tcase_add_loop_test(
	    t, the_pages_of_a_status_have_each_event_once, 0, books_count());
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
