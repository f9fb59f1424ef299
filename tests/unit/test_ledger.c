/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger in both databases: entries, their effects, and that entries never change.
 */
#include "service/credential_issue.h"
#include "tests/unit/ledger_fixture.h"

static const char *account, *event;

/* Each test runs once for each database. */
#define ON_BOTH(name)                                                                  \
	static void name(int which);                                                   \
	START_TEST(name##_)                                                            \
	{                                                                              \
		books_open(_i);                                                        \
		account = books_account();                                             \
		event = books_event(account, 1);                                       \
		name(_i);                                                              \
		books_close();                                                         \
	}                                                                              \
	END_TEST                                                                       \
	static void name(int which)

enum { USED, STREAMED, ACTIVE, FORGET, BLAME, LOSE, REPLACE, SQL_END };

/* clang-format off */
static const struct sql	 statements[] = {
	[USED] = { "used", "SELECT used_micro FROM event_stats WHERE event = $1", NULL },
	[STREAMED] = { "streamed", "SELECT streamed_us FROM event_stats WHERE event = $1", NULL },
	[ACTIVE] = { "active", "SELECT active_us FROM event_stats WHERE event = $1", NULL },
	[FORGET] = { "forget", "UPDATE ledger SET amount_micro = 0 WHERE account = $1", NULL },
	[BLAME] = { "blame", "UPDATE ledger SET reference = 'x' WHERE account = $1", NULL },
	[LOSE] = { "lose", "DELETE FROM ledger WHERE account = $1", NULL },
	[REPLACE] = { "replace",
	    "INSERT OR REPLACE INTO ledger (id, account, kind, amount_micro, reference, created_us)"
	    " SELECT 'x', account, kind, 0, reference, 1 FROM ledger WHERE account = $1",
	    "INSERT INTO ledger (id, account, kind, amount_micro, reference, created_us)"
	    " SELECT 'x', account, kind, 0, reference, 1 FROM ledger WHERE account = $1" },
	[SQL_END] = { NULL, NULL, NULL },
};
/* clang-format on */

static enum err
add(const char *kind, int64_t micro, const char *reference)
{
	enum err e = db_begin(db, DB_ALL);

	if (e == OK)
		e = ledger_add(db, mem, account, kind, micro, reference);
	return kept(e);
}

static enum err
use(const struct usage *u)
{
	enum err e = db_begin(db, DB_ALL);

	if (e == OK)
		e = ledger_use(db, mem, u);
	return kept(e);
}

#define USE(...) use(&(const struct usage){ .account = account, __VA_ARGS__ })
#define is_ok(call) ck_assert_int_eq(call, OK)
#define counted(what) books_number(&statements[what], event)

static int64_t
entries(void)
{
	struct ledger_sums sums;

	is_ok(ledger_check(db, mem, account, &sums));
	ck_assert_msg(sums.agree, "%s, but %s", sums.credits, sums.of_entries);
	return sums.entries;
}

/* ---- what is booked ---- */

ON_BOTH(what_is_booked_moves_the_balance)
{
	struct ledger_entry *newest;
	struct list l;

	(void)which;
	is_ok(add("grant", 1000 * MICRO, "a"));
	is_ok(USE(.reference = "b", .micro = 8333));
	is_ok(add("correction", -1, "c"));
	is_ok(USE(.reference = "d", .micro = 0));
	ck_assert_int_eq(balance_of(account), 1000 * MICRO - 8334);
	ck_assert_int_eq(entries(), 4);
	is_ok(ledger_list(db, mem, account, 3, &l));
	ck_assert_int_eq((int)l.n, 3);
	newest = l.items;
	ck_assert_str_eq(newest[0].reference, "d");
	ck_assert_str_eq(newest[1].credits, "-0.000001");
	ck_assert_str_eq(newest[2].kind, "usage");
	ck_assert_str_eq(newest[2].credits, "-0.008333");
	ck_assert_ptr_null(newest[2].event);
}

ON_BOTH(what_is_used_may_make_a_debt)
{
	(void)which;
	is_ok(add("grant", 5, "a"));
	is_ok(USE(.reference = "b", .micro = 7));
	ck_assert_int_eq(balance_of(account), -2);
	ck_assert_int_eq(entries(), 2);
}

ON_BOTH(a_reference_is_booked_once_and_the_transaction_stays_good)
{
	(void)which;
	is_ok(add("grant", 10, "a"));
	is_ok(db_begin(db, DB_ALL));
	ck_assert_int_eq(ledger_add(db, mem, account, "grant", 10, "a"), ERR_CONFLICT);
	ck_assert_int_eq(
	    ledger_add(db, mem, books_account(), "grant", 10, "a"), ERR_CONFLICT);
	ck_assert_int_eq(ledger_use(db, mem,
			     &(struct usage){ .account = account,
				 .event = event,
				 .reference = "a",
				 .micro = 3,
				 .streamed_us = 4,
				 .active_us = 5 }),
	    ERR_CONFLICT);
	is_ok(ledger_add(db, mem, account, "grant", 20, "b"));
	is_ok(db_commit(db));
	ck_assert_int_eq(balance_of(account), 30);
	ck_assert_int_eq(entries(), 2);
	ck_assert_int_eq(counted(USED), 0);
	ck_assert_int_eq(counted(STREAMED), 0);
}

ON_BOTH(an_unknown_account_is_not_found)
{
	struct ledger_sums sums;

	(void)which;
	account = ID_NIL;
	ck_assert_int_eq(add("grant", 10, "a"), ERR_NOT_FOUND);
	ck_assert_int_eq(USE(.reference = "a", .micro = 1), ERR_NOT_FOUND);
	ck_assert_int_eq(ledger_check(db, mem, account, &sums), ERR_NOT_FOUND);
}

ON_BOTH(no_entry_and_no_balance_passes_its_bound)
{
	static const int64_t signs[] = { 1, -1 };

	(void)which;
	for (int s = 0; s < COUNT(signs); s++) {
		int64_t most = signs[s] * LEDGER_ENTRY_MOST, one = signs[s];

		account = books_account();
		ck_assert_int_eq(add("grant", most + one, "x"), ERR_REFUSED);
		for (int i = 0; i < 9; i++)
			is_ok(add("grant", most, id_new(mem)));
		ck_assert_int_eq(balance_of(account), signs[s] * LEDGER_BALANCE_MOST);
		ck_assert_int_eq(add("grant", one, "x"), ERR_REFUSED);
		ck_assert_int_eq(add("grant", most, "x"), ERR_REFUSED);
		ck_assert_int_eq(entries(), 9);
		is_ok(add("correction", -one, id_new(mem)));
	}
}

ON_BOTH(an_account_begins_with_what_the_setting_grants)
{
	static const int64_t starts[] = { 0, 1000, LEDGER_ENTRY_MOST / MICRO,
		LEDGER_ENTRY_MOST / MICRO + 1, INT64_MAX };
	struct conf conf = { 0 };
	struct issue_want all = { 0 };
	struct issued is;
	enum err e;

	(void)which;
	for (int i = 0; i < COUNT(starts); i++) {
		conf.plan_starting_credits = starts[i];
		is_ok(db_begin(db, DB_ALL));
		e = kept(
		    credential_issue_account(db, mem, &conf, "An account", &all, &is));
		account = is.user_id;
		ck_assert_int_eq(e, i < 3 ? OK : ERR_REFUSED);
		if (e != OK)
			continue;
		ck_assert_int_eq(balance_of(account), starts[i] * MICRO);
		ck_assert_int_eq(entries(), 1);
	}
}

/* ---- what it counts as ---- */

ON_BOTH(use_is_counted_in_its_event)
{
	struct ledger_entry *newest;
	struct list l;

	(void)which;
	is_ok(USE(.event = event, .reference = "a", .micro = 5, .streamed_us = 10,
	    .active_us = 300));
	is_ok(USE(.event = event, .reference = "b", .micro = 7, .streamed_us = 0,
	    .active_us = 200));
	is_ok(USE(.reference = "c", .micro = 100));
	ck_assert_int_eq(counted(USED), 12);
	ck_assert_int_eq(counted(STREAMED), 10);
	ck_assert_int_eq(counted(ACTIVE), 300);
	ck_assert_int_eq(balance_of(account), -112);
	is_ok(ledger_list(db, mem, account, 9, &l));
	newest = l.items;
	ck_assert_str_eq(newest[1].event, event);
}

ON_BOTH(nothing_is_counted_of_a_foreign_or_missing_event)
{
	(void)which;
	account = books_account();
	is_ok(USE(.event = event, .reference = "a", .micro = 5, .streamed_us = 10,
	    .active_us = 300));
	is_ok(USE(.event = ID_NIL, .reference = "b", .micro = 5));
	ck_assert_int_eq(counted(USED), 0);
	ck_assert_int_eq(balance_of(account), -10);
	ck_assert_int_eq(entries(), 2);
}

/* Adds an event that ended long ago. */
static void
freeze(struct stats *now)
{
	struct event ev;

	is_ok(db_begin(db, DB_ALL));
	is_ok(stats_freeze(
	    db, mem, &(struct stats_due){ .event = event, .account = account }));
	is_ok(db_commit(db));
	is_ok(event_get(db, mem, account, event, &ev));
	is_ok(stats_get(db, mem, &ev, now));
}

ON_BOTH(final_statistics_wait_for_the_last_use)
{
	int64_t lately = now_us() - STATS_WAIT_US + 5 * S_US;
	struct stats s;

	(void)which;
	is_ok(db_script(db, "UPDATE event_stats SET noticed_us = 5;"
			    "UPDATE events SET finished_us = 5"));
	is_ok(USE(.event = event, .reference = "a", .micro = 1500000,
	    .streamed_us = 90 * S_US, .active_us = lately));
	freeze(&s);
	ck_assert_ptr_null(s.snapshot);
	ck_assert(s.credits == 1.5 && s.minutes == 1.5);
	is_ok(db_script(db, "UPDATE event_stats SET active_us = 6"));
	freeze(&s);
	ck_assert_ptr_nonnull(s.snapshot);
	ck_assert_ptr_nonnull(strstr(s.snapshot, "\"credits_used\":1.5,"));
	is_ok(USE(.event = event, .reference = "b", .micro = 1500000));
	freeze(&s);
	ck_assert_ptr_nonnull(strstr(s.snapshot, "\"credits_used\":1.5,"));
	ck_assert_int_eq(balance_of(account), -3 * MICRO);
}

/* ---- all or nothing ---- */

ON_BOTH(a_failure_anywhere_leaves_nothing_half_done)
{
	const struct usage u = { account, event, "a", 5, 6, 7 };
	int n = 0;
	enum err e;

	(void)which;
	do {
		db_fault(db, ++n, ERR_BUSY);
		e = use(&u);
		db_fault(db, 0, OK);
		ck_assert(e == OK || e == ERR_BUSY);
		ck_assert_int_eq(entries(), e == OK);
		ck_assert_int_eq(counted(USED), e == OK ? 5 : 0);
		ck_assert_int_eq(balance_of(account), e == OK ? -5 : 0);
	} while (e != OK);
	ck_assert_int_ge(n, 5); /* statements: begin, add, move, count, commit */
}

/* ---- nothing is ever changed ---- */

static void
expect_refused(int which)
{
	enum err e = db_exec(db, &statements[which], ARGS(TEXT(account)), NULL);

	ck_assert_msg(e == ERR_CONFLICT, "%s: %s", statements[which].name, err_name(e));
	ck_assert_int_eq(entries(), 2);
	ck_assert_int_eq(balance_of(account), 8);
}

static void
expect_append_only(int which)
{
	for (int i = FORGET; i <= REPLACE; i++)
		expect_refused(i);
	if (which == POSTGRES)
		ck_assert_int_ne(db_script(db, "TRUNCATE ledger"), OK);
	ck_assert_int_eq(entries(), 2);
}

ON_BOTH(the_database_refuses_to_change_an_entry)
{
	is_ok(add("grant", 10, "a"));
	is_ok(USE(.reference = "b", .micro = 2));
	expect_append_only(which);
}

START_TEST(a_restored_copy_is_append_only_too)
{
	const char *copy;

	books_open(SQLITE);
	account = books_account();
	copy = arena_printf(mem, "%s/copy.db", books.dir);
	is_ok(add("grant", 10, "a"));
	is_ok(USE(.reference = "b", .micro = 2));
	is_ok(db_backup(db, copy));
	is_ok(USE(.reference = "c", .micro = 2));
	is_ok(db_restore(db, copy));
	expect_append_only(SQLITE);
	is_ok(USE(.reference = "c", .micro = 2));
	ck_assert_int_eq(entries(), 3);
	books_close();
}
END_TEST

/* ---- an installation from before ---- */

static void
copy_schema(const char *dir, const char *name)
{
	const char *call = arena_printf(mem, "cp schema/%s_*.sql %s", name, dir);

	ck_assert_int_eq(system(call), 0);
}

ON_BOTH(a_balance_begins_as_the_sum_of_what_is_there)
{
	const char *dir = unit_folder(mem);
	int applied;

	db_close(db);
	books_clear(which);
	copy_schema(dir, "0001");
	copy_schema(dir, "0002");
	is_ok(schema_migrate(db, mem, dir, &applied));
	ck_assert_int_eq(applied, 2);
	is_ok(db_script(db,
	    "INSERT INTO accounts (id, name, status, created_us) VALUES"
	    " ('a', 'A', 'active', 1), ('b', 'B', 'active', 1);"
	    "INSERT INTO ledger (id, account, kind, amount_micro, reference,"
	    " created_us) VALUES ('1', 'a', 'grant', 1000000000, 'x', 1),"
	    " ('2', 'a', 'usage', -8333, 'y', 2)"));
	is_ok(schema_migrate(db, mem, "schema", &applied));
	ck_assert_int_ge(applied, 1);
	ck_assert_int_eq(balance_of("a"), 1000000000 - 8333);
	ck_assert_int_eq(balance_of("b"), 0);
	unit_folder_drop(dir);
}

static Suite *
all_tests(void)
{
	Suite *s = suite_create("ledger");
	TCase *t = tcase_create("all");
	int n = books_count();

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, what_is_booked_moves_the_balance_, 0, n);
	tcase_add_loop_test(t, what_is_used_may_make_a_debt_, 0, n);
	tcase_add_loop_test(
	    t, a_reference_is_booked_once_and_the_transaction_stays_good_, 0, n);
	tcase_add_loop_test(t, an_unknown_account_is_not_found_, 0, n);
	tcase_add_loop_test(t, no_entry_and_no_balance_passes_its_bound_, 0, n);
	tcase_add_loop_test(t, an_account_begins_with_what_the_setting_grants_, 0, n);
	tcase_add_loop_test(t, use_is_counted_in_its_event_, 0, n);
	tcase_add_loop_test(t, nothing_is_counted_of_a_foreign_or_missing_event_, 0, n);
	tcase_add_loop_test(t, final_statistics_wait_for_the_last_use_, 0, n);
	tcase_add_loop_test(t, a_failure_anywhere_leaves_nothing_half_done_, 0, n);
	tcase_add_loop_test(t, the_database_refuses_to_change_an_entry_, 0, n);
	tcase_add_test(t, a_restored_copy_is_append_only_too);
	tcase_add_loop_test(t, a_balance_begins_as_the_sum_of_what_is_there_, 0, n);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
