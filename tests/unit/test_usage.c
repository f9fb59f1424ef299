/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Usage per hour, in both databases, must always equal the ledger's sums. */
#include "tests/unit/ledger_fixture.h"

static const char *account, *event;

/* Each test runs once for each database. */
#define ON_BOTH(name)                                                                  \
	static void name(void);                                                        \
	START_TEST(name##_)                                                            \
	{                                                                              \
		books_open(_i);                                                        \
		account = books_account();                                             \
		event = books_event(account, 1);                                       \
		name();                                                                \
		books_close();                                                         \
	}                                                                              \
	END_TEST                                                                       \
	static void name(void)

static void
use(const char *reference, const char *kind, const char *at, const char *channel,
    int64_t micro, int64_t units)
{
	const struct usage u = { .account = account,
		.event = at,
		.reference = reference,
		.micro = micro,
		.kind = kind,
		.channel = channel,
		.seconds = strcmp(kind, "tts") == 0 ? 0 : units,
		.characters = strcmp(kind, "tts") == 0 ? units : 0 };

	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(ledger_use(db, mem, &u), OK);
	ck_assert_int_eq(db_commit(db), OK);
}

/*
 * Returns "key seconds characters credits|..." of a group, as many as fit in the page.
 */
static const char *
told(const char *group, bool ascending, int64_t from, int64_t to, const char *after)
{
	const struct list_cursor at = { ascending, after != NULL ? 0 : NULL_INT, after,
		10 };
	const struct usage_range of = { account, group, NULL, from, to };
	struct buf b = { .mem = mem };
	const struct usage_sum *s;
	struct list l;

	ck_assert_int_eq(ledger_usage(db, mem, &of, &at, &l), OK);
	s = l.items;
	for (size_t i = 0; i < l.n; i++)
		buf_printf(&b, "%s%s %lld %lld %g", i > 0 ? "|" : "",
		    s[i].key != NULL ? s[i].key : "none", (long long)s[i].seconds,
		    (long long)s[i].characters, s[i].credits);
	return buf_text(&b);
}

ON_BOTH(what_is_used_is_added_up_by_each_group)
{
	char day[TIME_TEXT];

	use("a", "s2s", NULL, NULL, 1000000, 10);
	use("b", "s2s", event, NULL, 500049, 5);
	use("c", "broadcast", event, "c1", 4000000, 10);
	use("d", "broadcast", event, "c2", 2000000, 10);
	use("e", "tts", NULL, NULL, 100000, 100);
	ck_assert_str_eq(told("kind", true, 0, INT64_MAX, NULL),
	    "broadcast 20 0 6|s2s 15 0 1.5|tts 0 100 0.1");
	ck_assert_str_eq(told("kind", false, 0, INT64_MAX, "s2s"), "broadcast 20 0 6");
	ck_assert_str_eq(told("event", true, 0, INT64_MAX, NULL),
	    arena_printf(mem, "none 10 100 1.1|%s 25 0 6.5", event));
	ck_assert_str_eq(told("channel", false, 0, INT64_MAX, NULL),
	    "c2 10 0 2|c1 10 0 4|none 15 100 1.6");
	ck_assert_str_eq(
	    told("channel", true, 0, INT64_MAX, ""), "c1 10 0 4|c2 10 0 2");
	time_text(now_us(), day);
	ck_assert_str_eq(told("day", true, 0, INT64_MAX, NULL),
	    arena_printf(mem, "%.10s 35 100 7.6", day));
	ck_assert_str_eq(told("kind", true, 0, now_us() - 7200 * S_US, NULL), "");
}

ON_BOTH(days_and_hours_are_told_apart)
{
	static const char *const rows[] = { "1795132800000000", "1795136400000000",
		"1795219200000000" }; /* 2026-11-20T00 and T01, 2026-11-21T00 */
	int64_t hour = INT64_C(1795136400000000);

	for (int i = 0; i < COUNT(rows); i++)
		ck_assert_int_eq(
		    db_script(db,
			arena_printf(mem,
			    "INSERT INTO usage_hours VALUES ('%s', %s, 's2s', '', '',"
			    " %d, 0, 1000000)",
			    account, rows[i], i + 1)),
		    OK);
	ck_assert_str_eq(told("day", false, 0, INT64_MAX, NULL),
	    "2026-11-21 3 0 1|2026-11-20 3 0 2");
	ck_assert_str_eq(told("day", true, hour + 59 * S_US, INT64_MAX, NULL),
	    "2026-11-20 2 0 1|2026-11-21 3 0 1");
	ck_assert_str_eq(told("day", true, 0, hour, NULL), "2026-11-20 1 0 1");
	account = books_account();
	ck_assert_str_eq(told("day", true, 0, INT64_MAX, NULL), "");
}

static const char *
migration(void)
{
	FILE *f = popen("grep '^INSERT INTO usage_hours' schema/*_usage.sql", "r");
	char *text = arena_alloc(mem, 4096);

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_gt(fread(text, 1, 4095, f), 0);
	ck_assert_int_eq(pclose(f), 0);
	return text;
}

ON_BOTH(older_entries_are_added_up_when_the_database_is_brought_up_to_date)
{
	static const char *const references[] = { "s2s:x:y:0", "s2s:x:y:1", "stt:x:y:0",
		"broadcast:939ae232-588e-4bce-b71e-d78a1dc02e27:y:0", "mine" };

	for (int i = 0; i < COUNT(references); i++)
		use(references[i], "s2s", i > 2 ? event : NULL, NULL, 1000000, 1);
	ck_assert_int_eq(db_script(db, "DELETE FROM usage_hours"), OK);
	ck_assert_int_eq(db_script(db, migration()), OK);
	ck_assert_str_eq(told("kind", true, 0, INT64_MAX, NULL),
	    "broadcast 0 0 1|other 0 0 1|s2s 0 0 2|stt 0 0 1");
	ck_assert_str_eq(told("channel", false, 0, INT64_MAX, NULL),
	    "939ae232-588e-4bce-b71e-d78a1dc02e27 0 0 1|none 0 0 4");
	ck_assert_str_eq(told("event", true, 0, INT64_MAX, NULL),
	    arena_printf(mem, "none 0 0 3|%s 0 0 2", event));
}

/* If a statement fails, the entry is not stored either. */
ON_BOTH(an_entry_and_its_sum_are_one)
{
	const struct usage u = { .account = account, .reference = "a", .micro = 1 };

	for (int i = 1; i <= 3; i++) {
		ck_assert_int_eq(db_begin(db, DB_ALL), OK);
		db_fault(db, i, ERR_FAILED);
		ck_assert_int_eq(ledger_use(db, mem, &u), ERR_FAILED);
		db_fault(db, 0, OK);
		db_rollback(db);
	}
	ck_assert_str_eq(told("day", true, 0, INT64_MAX, NULL), "");
	ck_assert_int_eq(balance_of(account), 0);
	ck_assert(agrees(account));
}

static Suite *
all_tests(void)
{
	Suite *s = suite_create("usage");
	TCase *t = tcase_create("all");
	int n = books_count();

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, what_is_used_is_added_up_by_each_group_, 0, n);
	tcase_add_loop_test(t, days_and_hours_are_told_apart_, 0, n);
	tcase_add_loop_test(t,
	    older_entries_are_added_up_when_the_database_is_brought_up_to_date_, 0, n);
	tcase_add_loop_test(t, an_entry_and_its_sum_are_one_, 0, n);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
