/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The database interface: values are stored and read unchanged, transactions work, and
 * faults are reported.
 */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "tests/unit/unit.h"

enum { PUT, GET, ALL, TWICE, NONE, SUM, CHANGE };

struct thing {
	const char *id;
	int64_t i;
	double r;
	const char *t, *again, *told;
};

#define AT(m) offsetof(struct thing, m)
static const struct field fields[] = { { "id", F_TEXT, AT(id) }, { "i", F_INT, AT(i) },
	{ "r", F_REAL, AT(r) }, { "t", F_TEXT, AT(t) }, FIELDS_END };
#define ID                                                                             \
	{                                                                              \
		"thing_id", F_TEXT, AT(id), .flags = F_ADD, .column = "id"             \
	}
#define TITLE                                                                          \
	{                                                                              \
		"title", F_TEXT, AT(t), .flags = F_KEPT, .column = "t"                 \
	}
/* Two members for one column, and one that is in no row. */
static const struct field stored[] = { ID, TITLE,
	{ "amount", F_INT, AT(i), .flags = F_ADD, .column = "i" },
	{ "again", F_TEXT, AT(again), .column = "t" },
	{ "half", F_REAL, AT(r), .column = "r / 2 AS half" },
	{ "told", F_TEXT, AT(told), .column = NO_COLUMN }, FIELDS_END };
static const struct field misspelt[] = { ID,
	{ "title", F_TEXT, AT(t), .column = "titel" }, FIELDS_END };

/* Clients may set the title, but no statement stores it. */
static const struct field lost[] = { ID,
	{ "title", F_TEXT, AT(t), .flags = F_IO, .column = "t" }, FIELDS_END };

static const struct sql things[] = {
	[PUT] = { "thing.put", "INSERT INTO things VALUES ($1, $2, $3, $4)", NULL },
	[GET] = { "thing.get",
	    "SELECT id, i, r, t, b FROM things, (SELECT 1 AS b)"
	    " WHERE id = $1",
	    NULL },
	[ALL] = { "thing.all", "SELECT t, r, id, i FROM things ORDER BY id",
	    ROWS_OF(fields, struct thing) },
	/* by name: SQLite numbers $n by first appearance */
	[TWICE] = { "thing.twice", "SELECT $2, $1, $2", NULL },
	[NONE] = { "thing.none", "SELECT id FROM things WHERE id = 'none'", NULL },
	[SUM] = { "thing.sum", "SELECT sum(i) FROM things", NULL },
	[CHANGE] = { "thing.change", "UPDATE things SET i = $2 WHERE id = $1", NULL },
	{ NULL, NULL, NULL },
};

static const struct sql broken[] = { { "broken", "SELECT nothing FROM nowhere", NULL },
	{ NULL, NULL, NULL } };

/* Each row is refused, with the column's name. */
static const struct {
	struct sql of[2];
	const char *column;
	enum err is;
} misfits[] = {
	{ { { "forgotten", "SELECT id, i, t FROM things",
	      ROWS_OF(fields, struct thing) } },
	    "forgotten: it has no column r,", ERR_REFUSED },
	{ { { "unused", "SELECT id, i, r, t, 1 AS more FROM things",
	      ROWS_OF(fields, struct thing) } },
	    "unused: its table has no column more", ERR_REFUSED },
	{ { { "renamed", "SELECT id, i AS j, r, t FROM things",
	      ROWS_OF(fields, struct thing) } },
	    "renamed: it has no column i,", ERR_REFUSED },
	{ { { "misspelt", "SELECT {*} FROM things", ROWS_OF(misspelt, struct thing) } },
	    "no such column: titel", ERR_FAILED },
	{ { { "unknown", "UPDATE things SET t = :text", .from = stored } },
	    "unknown: its table has no column text", ERR_REFUSED },
	{ { { "lost", "INSERT INTO things ({names}) VALUES ({values})",
	      .from = lost } },
	    "lost: t is accepted but not stored", ERR_REFUSED },
	{ { { "untold", "UPDATE things SET t = :told", .from = stored } },
	    "untold: its table has no column told", ERR_REFUSED },
};

static const struct sql by_name[] = {
	{ "add", "INSERT INTO things ({names}, r) VALUES ({values}, $1)",
	    .from = stored },
	{ "put", "UPDATE things SET {changes} WHERE id = :id AND t <> ':no $9'",
	    .from = stored },
	{ "get", "SELECT {x.*} FROM things x WHERE x.id = $1",
	    ROWS_OF(stored, struct thing) },
	{ NULL, NULL, NULL },
};

static struct arena *mem;
static const char *dir, *url;
static struct db *db;

static struct db *
another(int busy_ms)
{
	struct db *d;

	ck_assert_int_eq(db_open(&d, url, busy_ms, true), OK);
	return d;
}

static void
setup(void)
{
	mem = arena_new();
	dir = unit_folder(mem);
	url = arena_printf(mem, "sqlite:%s/test.db", dir);
	db = another(0);
	ck_assert_int_eq(
	    db_script(db, "CREATE TABLE things (id TEXT PRIMARY KEY, i INTEGER,"
			  " r REAL, t TEXT NOT NULL)"),
	    OK);
	ck_assert_int_eq(db_prepare(db, things), OK);
}

static void
teardown(void)
{
	ck_assert(db_idle(db));
	db_close(db);
	unit_folder_drop(dir);
	arena_free(mem);
}

static enum err
put_thing(struct db *d, const char *id, int64_t i, double r, const char *t)
{
	return db_exec(d, &things[PUT], ARGS(TEXT(id), INT(i), REAL(r), TEXT(t)), NULL);
}

static int64_t
sum(void)
{
	int64_t n;

	ck_assert_int_eq(db_number(db, &things[SUM], ARGS(), &n), OK);
	return n;
}

START_TEST(what_is_bound_comes_back)
{
	struct rows rs;

	ck_assert_int_eq(put_thing(db, "a", INT64_MAX, 0.1, "\xc3\xbc'\"\\"), OK);
	rs = db_query(db, &things[GET], ARGS(TEXT("a")));
	ck_assert(db_next(&rs));
	ck_assert_str_eq(row_text(&rs, 0, mem), "a");
	ck_assert_int_eq(row_int(&rs, 1), INT64_MAX);
	ck_assert(row_real(&rs, 2) == 0.1);
	ck_assert_str_eq(row_text(&rs, 3, mem), "\xc3\xbc'\"\\");
	ck_assert(row_bool(&rs, 4));
	ck_assert(!db_next(&rs));
	ck_assert_int_eq(db_done(&rs), OK);
}
END_TEST

START_TEST(null_goes_in_and_out)
{
	struct rows rs;

	ck_assert_int_eq(put_thing(db, "a", NULL_INT, NAN, ""), OK);
	rs = db_query(db, &things[GET], ARGS(TEXT("a")));
	ck_assert(db_next(&rs));
	ck_assert_int_eq(row_int(&rs, 1), NULL_INT);
	ck_assert(isnan(row_real(&rs, 2)));
	ck_assert_str_eq(row_text(&rs, 3, mem), "");
	ck_assert_int_eq(db_done(&rs), OK);
	ck_assert_int_eq(put_thing(db, "b", 1, 1, NULL), ERR_CONFLICT);
	ck_assert_int_eq(sum(), 0); /* a column with only NULL */
}
END_TEST

START_TEST(parameters_are_bound_by_their_number)
{
	struct rows rs = db_query(db, &things[TWICE], ARGS(TEXT("one"), TEXT("two")));

	ck_assert(db_next(&rs));
	ck_assert_str_eq(row_text(&rs, 0, mem), "two");
	ck_assert_str_eq(row_text(&rs, 1, mem), "one");
	ck_assert_str_eq(row_text(&rs, 2, mem), "two");
	ck_assert_int_eq(db_done(&rs), OK);
}
END_TEST

START_TEST(rows_are_laid_over_structs)
{
	struct list l;

	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(put_thing(db, arena_printf(mem, "%03d", i),
				     i == 5 ? NULL_INT : i, i / 2.0, "t"),
		    OK);
	ck_assert_int_eq(db_list(db, &things[ALL], ARGS(), mem, &l), OK);
	ck_assert_uint_eq(l.n, 100);
	for (int i = 0; i < 100; i++) {
		const struct thing *t = (const struct thing *)l.items + i;

		ck_assert_str_eq(t->id, arena_printf(mem, "%03d", i));
		ck_assert_int_eq(t->i, i == 5 ? NULL_INT : i);
		ck_assert(t->r == i / 2.0);
	}
}
END_TEST

START_TEST(no_row_is_an_answer)
{
	struct rows rs = db_query(db, &things[NONE], ARGS());

	ck_assert(!db_next(&rs));
	ck_assert_int_eq(db_done_one(&rs), ERR_NOT_FOUND);
	ck_assert_int_eq(
	    db_change(db, &things[CHANGE], ARGS(TEXT("none"), INT(1)), ERR_STALE),
	    ERR_STALE);
	ck_assert_int_eq(put_thing(db, "a", 1, 1, ""), OK);
	ck_assert_int_eq(
	    db_change(db, &things[CHANGE], ARGS(TEXT("a"), INT(1)), ERR_STALE),
	    OK); /* writing the same value counts as a change, too */
}
END_TEST

START_TEST(a_cursor_left_early_is_closed)
{
	struct rows rs;

	ck_assert_int_eq(put_thing(db, "a", 1, 1, ""), OK);
	ck_assert_int_eq(put_thing(db, "b", 1, 1, ""), OK);
	rs = db_query(db, &things[ALL], ARGS());
	ck_assert(db_next(&rs));
	ck_assert(!db_idle(db));
	ck_assert_int_eq(db_done(&rs), OK);
	ck_assert(db_idle(db));
}
END_TEST

START_TEST(a_transaction_is_all_or_nothing)
{
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert(db_writing(db) && !db_idle(db));
	ck_assert_int_eq(put_thing(db, "a", 5, 1, ""), OK);
	db_rollback(db);
	ck_assert_int_eq(sum(), 0);
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(put_thing(db, "a", 5, 1, ""), OK);
	ck_assert_int_eq(put_thing(db, "a", 5, 1, ""), ERR_CONFLICT);
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert(!db_writing(db));
	db_rollback(db); /* nothing happens */
	ck_assert_int_eq(sum(), 5);
}
END_TEST

START_TEST(a_second_writer_is_told_to_come_back)
{
	struct db *other = another(50);
	int64_t then = monotonic_us();

	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(db_begin(other, DB_ALL), ERR_BUSY);
	ck_assert_int_ge(monotonic_us() - then, 40000);
	ck_assert_int_eq(db_busy_count(other), 1);
	ck_assert(db_idle(other));
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(db_begin(other, DB_ALL), OK);
	db_rollback(other);
	db_close(other);
}
END_TEST

START_TEST(a_writer_that_does_not_wait_is_told_at_once)
{
	struct db *other = another(600000);

	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	for (int i = 1; i <= 3; i++) {
		ck_assert_int_eq(db_try_begin(other, DB_ALL), ERR_BUSY);
		ck_assert_int_eq(db_busy_count(other), i);
		ck_assert(db_idle(other));
	}
	ck_assert_int_eq(db_commit(db), OK);
	ck_assert_int_eq(db_try_begin(other, DB_ALL), OK);
	ck_assert(db_writing(other));
	ck_assert_int_eq(put_thing(other, "a", 5, 1, ""), OK);
	ck_assert_int_eq(db_try_begin(db, DB_ALL), ERR_BUSY);
	ck_assert_int_eq(db_commit(other), OK);
	ck_assert_int_eq(sum(), 5);
	db_fault(other, 1, ERR_FULL);
	ck_assert_int_eq(db_try_begin(other, DB_ALL), ERR_FULL);
	db_close(other);
}
END_TEST

START_TEST(a_connection_that_did_not_wait_waits_the_next_time)
{
	struct db *other = another(50);
	int64_t then;

	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(db_try_begin(other, DB_ALL), ERR_BUSY);
	then = monotonic_us();
	ck_assert_int_eq(put_thing(other, "a", 1, 1, ""), ERR_BUSY);
	ck_assert_int_ge(monotonic_us() - then, 40000);
	db_rollback(db);
	db_close(other);
}
END_TEST

START_TEST(the_pulse_beats_when_another_connection_wrote)
{
	struct db *other = another(50);
	int64_t pulse = db_pulse(db, 1);

	ck_assert_int_eq(db_pulse(db, 1), pulse);
	ck_assert_int_eq(put_thing(other, "a", 1, 1, ""), OK);
	ck_assert_int_ne(db_pulse(db, 1), pulse);
	db_close(other);
}
END_TEST

START_TEST(a_wrong_statement_fails_the_start)
{
	ck_assert_int_eq(db_prepare(db, broken), ERR_FAILED);
}
END_TEST

START_TEST(a_table_that_does_not_fit_its_statement_fails_the_start_by_name)
{
	int out = open(arena_printf(mem, "%s/log", dir), O_CREAT | O_RDWR, 0600);
	int was = dup(STDERR_FILENO);
	char log[1000] = "";

	dup2(out, STDERR_FILENO);
	ck_assert_int_eq(db_prepare(db, misfits[_i].of), misfits[_i].is);
	dup2(was, STDERR_FILENO);
	ck_assert_int_gt(pread(out, log, sizeof(log) - 1, 0), 0);
	ck_assert_msg(strstr(log, misfits[_i].column) != NULL, "%s", log);
	ck_assert(db_idle(db));
}
END_TEST

START_TEST(columns_go_by_their_names)
{
	struct thing to = { .told = "gone" };
	const struct thing a = { "a", 7, 1, "first", "no", "no" },
			   b = { "a", 8, 1, "second", "no", "no" };

	ck_assert_int_eq(db_prepare(db, by_name), OK);
	ck_assert_int_eq(db_save(db, &by_name[0], &a, ARGS(REAL(5)), ERR_CONFLICT), OK);
	ck_assert_int_eq(db_save(db, &by_name[1], &b, ARGS(), ERR_STALE), OK);
	ck_assert_int_eq(db_one(db, &by_name[2], ARGS(TEXT("a")), mem, &to), OK);
	ck_assert_str_eq(to.id, "a");
	ck_assert_int_eq(to.i, 7); /* written only on insertion */
	ck_assert_str_eq(to.t, "second");
	ck_assert_str_eq(to.again, "second");
	ck_assert(to.r == 2.5);
	ck_assert_ptr_null(to.told);
	ck_assert_int_eq(
	    db_one(db, &by_name[2], ARGS(TEXT("b")), mem, &to), ERR_NOT_FOUND);
}
END_TEST

static const struct field secret_fields[] = { ID,
	{ "title", F_TEXT, AT(t), .flags = F_KEPT | F_SEALED, .column = "t" },
	FIELDS_END };
static const struct sql secrets[] = {
	{ "secret.add", "INSERT INTO things ({names}) VALUES ({values})",
	    .from = secret_fields },
	{ "secret.put", "UPDATE things SET {changes} WHERE id = :id",
	    .from = secret_fields },
	{ "secret.get", "SELECT {*} FROM things WHERE id = $1",
	    ROWS_OF(secret_fields, struct thing) },
	{ "secret.kept", "SELECT count(*) FROM things WHERE instr(t, $1) > 0" },
	{ NULL, NULL, NULL },
};

START_TEST(a_sealed_column_is_encrypted_and_reads_as_it_was_written)
{
	static const char *const texts[] = { "hush", "", "\303\244 \"quoted\"" };
	struct conf ours = { .master = { 1 } }, others = { .master = { 2 } };
	struct thing to = { .id = "a", .t = "hush" };
	int64_t n;

	db_seal(db, &ours);
	ck_assert_int_eq(db_save(db, &secrets[0], &to, ARGS(), ERR_STALE), OK);
	for (int i = 0; i < COUNT(texts); i++) {
		to = (struct thing){ .id = "a", .t = texts[i] };
		ck_assert_int_eq(db_save(db, &secrets[1], &to, ARGS(), ERR_STALE), OK);
		ck_assert_int_eq(
		    db_one(db, &secrets[2], ARGS(TEXT("a")), mem, &to), OK);
		ck_assert_str_eq(to.t, texts[i]);
		if (texts[i][0] != '\0') {
			ck_assert_int_eq(
			    db_number(db, &secrets[3], ARGS(TEXT(texts[i])), &n), OK);
			ck_assert_int_eq(n, 0);
		}
	}
	db_seal(db, &others);
	ck_assert_int_eq(db_one(db, &secrets[2], ARGS(TEXT("a")), mem, &to), OK);
	ck_assert_uint_gt(strlen(to.t), 40);
	ck_assert_int_eq(db_script(db, "UPDATE things SET t = 'in clear'"), OK);
	ck_assert_int_eq(db_one(db, &secrets[2], ARGS(TEXT("a")), mem, &to), OK);
	ck_assert_str_eq(to.t, "in clear");
}
END_TEST

static bool
is_private(const char *path)
{
	struct stat st;

	ck_assert_msg(stat(path, &st) == 0, "%s", path);
	return (st.st_mode & 0777) == 0600;
}

START_TEST(files_are_their_owners_alone_whatever_the_umask_is)
{
	static const char *const suffixes[] = { "", "-wal", "-shm" };
	const char *path = arena_printf(mem, "%s/private.db", dir);
	const char *copies[] = { arena_printf(mem, "%s/new.db", dir),
		arena_printf(mem, "%s/old.db", dir) };
	mode_t was = umask(0);

	unit_write(copies[1], "");
	for (int old = 0; old < 2; old++) {
		struct db *d;

		ck_assert_int_eq(
		    db_open(&d, arena_printf(mem, "sqlite:%s", path), 0, true), OK);
		ck_assert_int_eq(db_script(d, old ? "INSERT INTO t VALUES (1)"
						  : "CREATE TABLE t (x INTEGER)"),
		    OK);
		for (int i = 0; i < COUNT(suffixes); i++)
			ck_assert(
			    is_private(arena_printf(mem, "%s%s", path, suffixes[i])));
		for (int i = 0; i < COUNT(copies); i++) {
			ck_assert_int_eq(db_backup(d, copies[i]), OK);
			ck_assert(is_private(copies[i]));
			ck_assert_int_eq(chmod(copies[i], 0644), 0);
		}
		db_close(d);
		ck_assert_int_eq(chmod(path, 0644), 0);
	}
	umask(was);
}
END_TEST

START_TEST(a_wrong_address_is_refused)
{
	struct db *d;

	ck_assert_int_eq(db_open(&d, "mysql://x", 0, false), ERR_REFUSED);
	ck_assert_int_ne(db_open(&d, "sqlite:/nowhere/at/all", 0, true), OK);
	ck_assert_int_ne(db_open(&d, arena_printf(mem, "%s.none", url), 0, false), OK);
	db_close(NULL);
}
END_TEST

START_TEST(a_fault_strikes_the_statement_it_was_set_for)
{
	db_fault(db, 2, ERR_FULL);
	ck_assert_int_eq(put_thing(db, "a", 1, 1, ""), OK);
	ck_assert_int_eq(put_thing(db, "b", 1, 1, ""), ERR_FULL);
	ck_assert_int_eq(put_thing(db, "b", 1, 1, ""), OK);
	ck_assert_int_eq(sum(), 2);
}
END_TEST

START_TEST(a_copy_has_what_was_committed)
{
	const char *path = arena_printf(mem, "%s/copy.db", dir);
	struct db *copy;

	ck_assert_int_eq(put_thing(db, "a", 7, 1, ""), OK);
	ck_assert_int_eq(db_backup(db, path), OK);
	ck_assert_int_eq(
	    db_open(&copy, arena_printf(mem, "sqlite:%s", path), 0, false), OK);
	ck_assert_int_eq(put_thing(copy, "a", 7, 1, ""), ERR_CONFLICT);
	db_close(copy);
	ck_assert_int_eq(put_thing(db, "b", 1, 1, ""), OK);
	ck_assert_int_eq(db_restore(db, path), OK);
	ck_assert_int_eq(sum(), 7);
	unit_write(path, "this is no database at all, it is a text");
	ck_assert_int_eq(db_restore(db, path), ERR_REFUSED);
	unit_write(path, ""); /* files of a backup that was interrupted */
	ck_assert_int_eq(db_restore(db, path), ERR_REFUSED);
	ck_assert_int_eq(sum(), 7);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("db");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_bound_comes_back);
	tcase_add_test(t, null_goes_in_and_out);
	tcase_add_test(t, parameters_are_bound_by_their_number);
	tcase_add_test(t, rows_are_laid_over_structs);
	tcase_add_test(t, no_row_is_an_answer);
	tcase_add_test(t, a_cursor_left_early_is_closed);
	tcase_add_test(t, a_transaction_is_all_or_nothing);
	tcase_add_test(t, a_second_writer_is_told_to_come_back);
	tcase_add_test(t, a_writer_that_does_not_wait_is_told_at_once);
	tcase_add_test(t, a_connection_that_did_not_wait_waits_the_next_time);
	tcase_add_test(t, the_pulse_beats_when_another_connection_wrote);
	tcase_add_test(t, a_wrong_statement_fails_the_start);
	tcase_add_loop_test(t,
	    a_table_that_does_not_fit_its_statement_fails_the_start_by_name, 0,
	    COUNT(misfits));
	tcase_add_test(t, columns_go_by_their_names);
	tcase_add_test(t, a_sealed_column_is_encrypted_and_reads_as_it_was_written);
	tcase_add_test(t, files_are_their_owners_alone_whatever_the_umask_is);
	tcase_add_test(t, a_wrong_address_is_refused);
	tcase_add_test(t, a_fault_strikes_the_statement_it_was_set_for);
	tcase_add_test(t, a_copy_has_what_was_committed);
	suite_add_tcase(s, t);
	return unit_run(s);
}
