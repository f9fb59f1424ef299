/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The deletion of an account: it covers every table, and every step can be repeated. */
#include "service/account_delete.h"
#include "tests/unit/ledger_fixture.h"

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, account_data_sql,
		NULL };

	fixture_open("dragoman", none, prepared);
}

#define FORMAT(...) arena_printf(fixture.mem, __VA_ARGS__)

/* ---- tables ---- */

/*
 * Every new table must be listed here, with the way in which an account's rows leave
 * it.
 */
START_TEST(every_table_of_the_schema_is_known)
{
	struct buf b = { .mem = fixture.mem };

	for (const struct account_table *t = account_tables; t->name != NULL; t++)
		buf_printf(&b, "%s\n", t->name);
	ck_assert_str_eq(
	    sql("SELECT name FROM sqlite_master WHERE type = 'table' AND"
		" name NOT LIKE 'sqlite%' AND (name NOT LIKE 'event_terms%'"
		" OR name = 'event_terms') ORDER BY name"),
	    buf_text(&b));
}
END_TEST

START_TEST(a_table_with_an_account_is_of_accounts)
{
	int with = 0;

	for (const struct account_table *t = account_tables; t->name != NULL; t++) {
		bool has = number(FORMAT("SELECT count(*) FROM pragma_table_info('%s')"
					 " WHERE name = 'account'",
			       t->name)) > 0;

		ck_assert_msg(!has || t->how != ACCOUNT_NONE, "%s", t->name);
		with += has;
	}
	ck_assert_int_ge(with, 14);
}
END_TEST

START_TEST(rows_that_are_removed_here_have_a_statement)
{
	for (const struct account_table *t = account_tables; t->name != NULL; t++) {
		const char *name = FORMAT("account_data.%s", t->name);
		const struct sql *s = account_data_sql;

		while (s->name != NULL && strcmp(s->name, name) != 0)
			s++;
		if (t->how == ACCOUNT_ROWS && strcmp(t->name, "accounts") != 0)
			ck_assert_msg(s->name != NULL, "%s", t->name);
	}
}
END_TEST

/* ---- all of it ---- */

static void
fill(const char *account)
{
	const char *a = account;

	sql(FORMAT(
	    "INSERT INTO voices (id, account, created_us, updated_us, name, folded,"
	    " status, lang, hidden, denoise, normalise, external_voice)"
	    " VALUES ('v%s', '%s', 1, 1, 'n', 'n', 'ready', 'en', 0, 0, 0, 'x%s');"
	    "INSERT INTO tts_samples SELECT 'b%s', 'v%s', '%s', 1, 'own_provider', "
	    "'wav',"
	    " 'pcm', 1, 'audio/wav', 'c', 'en', 'm', 'f';"
	    "INSERT INTO favorites VALUES ('%s', 'v%s');"
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, "
	    "min_bytes,"
	    " max_bytes, file, bytes, created_us) VALUES ('b%s', '%s', 'tts_sample',"
	    " 'stored', 'm', 'f', 1, 2, 'file', 2, 1), ('w%s', '%s', 'upload',"
	    " 'awaiting', 'm', 'f', 1, 2, NULL, NULL, 1);",
	    a, a, a, a, a, a, a, a, a, a, a, a));
	sql(FORMAT(
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name, "
	    "enabled,"
	    " type, source_lang, status, entries) VALUES ('g%s', '%s', 1, 1, 'n', 1,"
	    " 'asr_hot', 'en', 'ready', 1);"
	    "INSERT INTO glossary_terms VALUES ('g%s', 'a');"
	    "INSERT INTO sessions (id, account, created_us, updated_us, expires_us,"
	    " counted_us, tokens_us, ttl_us, intent, room) VALUES ('s%s', '%s', 1, 1, "
	    "1,"
	    " 1, 1, 1, 'api', 'r%s');"
	    "INSERT INTO answers VALUES ('%s', 'o', 'r', 'k', 'h', 200, '', '', 1);"
	    "INSERT INTO usage_hours VALUES ('%s', 0, 's2s', '', '', 1, 0, 1);"
	    "INSERT INTO ledger (id, account, kind, amount_micro, reference, "
	    "created_us)"
	    " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
	    " 1200) SELECT 'l' || i || '%s', '%s', 'usage', -1, 'r' || i || '%s', 1 "
	    "FROM"
	    " n;",
	    a, a, a, a, a, a, a, a, a, a, a));
	sql(FORMAT(
	    "INSERT INTO events (id, created_us, account, updated_us, title, type,"
	    " start_us, end_us, recurring, languages, listener_mode, room_suffix,"
	    " agenda) VALUES ('e%s', 1, '%s', 1, 'Summit', 'online', 1, 2, 0, '[]',"
	    " 'auto', 'k3v9q2xa', '[]');"
	    "INSERT INTO event_stats (event) VALUES ('e%s');"
	    "INSERT INTO jobs (id, kind, account, ref, state, due_us, created_us)"
	    " VALUES ('j%s', 'glossary.import', '%s', 'g%s', 'dead', 1, 1)",
	    a, a, a, a, a, a));
}

/* Does the work of the workers and of the janitor meanwhile. */
static void
others_work(void)
{
	sql("DELETE FROM jobs WHERE state <> 'dead'");
	sql("DELETE FROM blobs WHERE state = 'gone'");
}

static enum err
step(bool *left)
{
	struct account_thing a;
	enum err e = account_data_next(fixture.app.db, fixture.wire, now_us(), "", &a);

	*left = e == OK;
	return e == OK ? account_delete_step(
			     fixture.app.db, fixture.wire, &fixture.app.conf, &a, left)
		       : e;
}

START_TEST(nothing_bears_the_account_afterwards_and_others_keep_theirs)
{
	const char *other = fixture_account(), *kept;
	bool left = true;
	int steps = 0;

	fill(other);
	fixture_key(other, "*");
	kept = everything();
	fill(fixture.account);
	ck_assert_int_eq(account_data_begin(fixture.app.db, fixture.account), OK);
	ck_assert_int_eq(
	    account_data_begin(fixture.app.db, fixture.account), ERR_NOT_FOUND);
	ck_assert_int_eq(account_set_status(fixture.app.db, fixture.account, "active"),
	    ERR_NOT_FOUND);
	for (; left; steps++) {
		ck_assert_int_lt(steps, 20);
		ck_assert_int_eq(step(&left), OK);
		if (steps == 3)
			ck_assert(left); /* workers delete jobs and files */
		if (steps >= 3)
			others_work();
	}
	ck_assert_int_ge(steps, 4);
	ck_assert_ptr_null(strstr(everything(), fixture.account));
	ck_assert_int_eq(
	    number(FORMAT("SELECT count(*) FROM ledger WHERE account = '%s'", other)),
	    1200);
	ck_assert_int_eq(
	    number(FORMAT("SELECT count(*) FROM blobs WHERE account = '%s'", other)),
	    2);
	ck_assert_ptr_nonnull(strstr(kept, other));
	ck_assert_int_eq(step(&left), ERR_NOT_FOUND);
}
END_TEST

/*
 * Simulates a kill at each step: its unfinished work is rolled back, and the next run
 * continues.
 */
START_TEST(a_step_that_is_cut_off_is_done_again)
{
	bool left = true;

	fill(fixture.account);
	ck_assert_int_eq(account_data_begin(fixture.app.db, fixture.account), OK);
	for (int i = 2; i < 40; i++) {
		const char *before = everything();
		enum err e;

		db_fault(fixture.app.db, i % 17 + 2, ERR_BUSY);
		e = step(&left);
		db_fault(fixture.app.db, 0, OK);
		if (e != OK && i % 17 < 5) /* in the first transaction */
			ck_assert_str_eq(everything(), before);
		ck_assert(!db_writing(fixture.app.db));
	}
	for (int i = 0; left && i < 20; i++) {
		others_work();
		ck_assert_int_eq(step(&left), OK);
	}
	ck_assert_ptr_null(strstr(everything(), fixture.account));
}
END_TEST

/* An unfinished job delays the deletion for 20 hours. */
START_TEST(what_is_never_done_is_given_up)
{
	bool left = true;

	fill(fixture.account);
	ck_assert_int_eq(account_data_begin(fixture.app.db, fixture.account), OK);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(step(&left), OK);
	sql("DELETE FROM blobs WHERE state = 'gone'");
	ck_assert_int_eq(step(&left), OK);
	ck_assert(left);
	sql("UPDATE accounts SET deleting_us = deleting_us - 73000000000");
	ck_assert_int_eq(step(&left), OK);
	ck_assert(!left);
	ck_assert_ptr_null(strstr(everything(), fixture.account));
}
END_TEST

/* ---- the ledger, over both databases ---- */

START_TEST(entries_go_with_their_account_alone)
{
	const char *account, *other;
	struct account gone;
	int64_t n;

	books_open(_i);
	account = books_account();
	other = books_account();
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(db_begin(db, DB_ALL), OK);
		ck_assert_int_eq(
		    ledger_add(db, mem, i ? other : account, "grant", 5, i ? "a" : "b"),
		    OK);
		ck_assert_int_eq(db_commit(db), OK);
	}
	ck_assert_int_ne(account_data_remove(db, account, 10, &n), OK);
	ck_assert_int_eq(balance_of(account), 5);
	ck_assert(agrees(account));
	ck_assert_int_eq(account_data_begin(db, account), OK);
	ck_assert_int_eq(account_data_remove(db, account, 10, &n), OK);
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(account_data_left(db, account), ERR_NOT_FOUND);
	ck_assert_int_eq(
	    /* the rows of the other account are unchanged */
	    account_data_end(db, other), OK);
	ck_assert_int_eq(account_data_end(db, account), OK);
	ck_assert(agrees(other));
	ck_assert_int_eq(account_get(db, mem, account, &gone), ERR_NOT_FOUND);
	books_close();
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("account_delete");
	TCase *t = tcase_create("all"), *both = tcase_create("both");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_table_of_the_schema_is_known);
	tcase_add_test(t, a_table_with_an_account_is_of_accounts);
	tcase_add_test(t, rows_that_are_removed_here_have_a_statement);
	tcase_add_test(t, nothing_bears_the_account_afterwards_and_others_keep_theirs);
	tcase_add_test(t, a_step_that_is_cut_off_is_done_again);
	tcase_add_test(t, what_is_never_done_is_given_up);
	suite_add_tcase(s, t);
	tcase_set_timeout(both, 60);
	tcase_add_loop_test(
	    both, entries_go_with_their_account_alone, 0, books_count());
	suite_add_tcase(s, both);
	return s;
}

int
main(void)
{
	return books_run(all_tests) != 0;
}
