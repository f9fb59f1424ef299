/* Which version a database has, and bringing it up to date. */
#include <dirent.h>
#include <unistd.h>

#include "store/glossaries.h"
#include "store/schema.h"
#include "tests/unit/unit.h"

static struct arena *mem;
static const char *dir;
static struct db *db;

static void
setup(void)
{
	int applied;

	(void)fixture;
	mem = arena_new();
	dir = unit_folder(mem);
	ck_assert_int_eq(
	    db_open(&db, arena_printf(mem, "sqlite:%s/test.db", dir), 0, true), OK);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, SCHEMA_VERSION);
}

static void
teardown(void)
{
	db_close(db);
	unit_folder_drop(dir);
	arena_free(mem);
}

static int64_t
version(void)
{
	int64_t v;

	ck_assert_int_eq(schema_version(db, &v), OK);
	return v;
}

START_TEST(what_is_up_to_date_is_left_as_it_is)
{
	int applied;

	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, 0);
	ck_assert_int_eq(version(), SCHEMA_VERSION);
}
END_TEST

/* A folder with the first n files of schema/. */
static const char *
first_files(int n)
{
	const char *to = arena_printf(mem, "%s/first", dir);
	char *here = realpath("schema", NULL);
	struct dirent **files;
	int all = scandir(here, &files, NULL, alphasort), taken = 0;

	ck_assert_int_eq(mkdir(to, 0700), 0);
	for (int i = 0; i < all; free(files[i++]))
		if (files[i]->d_name[0] == '0' && taken++ < n)
			ck_assert_int_eq(
			    symlink(arena_printf(mem, "%s/%s", here, files[i]->d_name),
				arena_printf(mem, "%s/%s", to, files[i]->d_name)),
			    0);
	free(files);
	free(here);
	return to;
}

START_TEST(terms_stored_as_csv_are_read_after_migrating)
{
	const struct glossary_row *row;
	struct list l;
	int applied;

	db_close(db);
	ck_assert_int_eq(
	    db_open(&db, arena_printf(mem, "sqlite:%s/old.db", dir), 0, true), OK);
	ck_assert_int_eq(schema_migrate(db, mem, first_files(7), &applied), OK);
	ck_assert_int_eq(
	    db_script(db,
		"INSERT INTO accounts (id, name, status, created_us)"
		" VALUES ('a', 'A', 'active', 1);"
		"INSERT INTO glossaries (id, account, created_us, updated_us, name,"
		" enabled, type, source_lang, target_lang, status) VALUES"
		" ('g', 'a', 1, 1, 'g', 1, 'translation', 'en', 'de', 'ready'),"
		" ('h', 'a', 2, 2, 'h', 1, 'asr_hot', 'en', NULL, 'ready');"
		"INSERT INTO glossary_terms (glossary, csv) VALUES"
		" ('g', 'one,eins\n\"a \"\"b\"\", c\",\"d\ne\"\n'),"
		" ('h', 'hot\n')"),
	    OK);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(applied, SCHEMA_VERSION - 7);
	ck_assert_int_eq(glossary_used(db, mem, "a", 100, &l), OK);
	ck_assert_uint_eq(l.n, 3);
	row = l.items;
	ck_assert_str_eq(row[0].replacement, "eins");
	ck_assert_str_eq(row[1].term, "a \"b\", c");
	ck_assert_str_eq(row[1].replacement, "d\ne");
	ck_assert_str_eq(row[1].target, "de");
	ck_assert_str_eq(row[2].term, "hot");
	ck_assert_ptr_null(row[2].replacement);
	ck_assert_str_eq(row[2].type, "asr_hot");
}
END_TEST

/* Those of an event that is public now stay open, those of others are not. */
START_TEST(lines_kept_before_migrating_are_public_where_their_event_is)
{
	static const struct sql public_lines = { "public_lines",
		"SELECT sum(id) FROM transcript_lines WHERE public = 1" };
	int64_t ids;
	int applied;

	db_close(db);
	ck_assert_int_eq(
	    db_open(&db, arena_printf(mem, "sqlite:%s/old.db", dir), 0, true), OK);
	ck_assert_int_eq(schema_migrate(db, mem, first_files(17), &applied), OK);
	ck_assert_int_eq(
	    db_script(db,
		"INSERT INTO accounts (id, name, status, created_us)"
		" VALUES ('a', 'A', 'active', 1);"
		"INSERT INTO events (seq, id, account, created_us, updated_us, title,"
		" type, start_us, end_us, recurring, languages, listener_mode,"
		" room_suffix, agenda, transcript) SELECT column1, column2, 'a', 1, 1,"
		" 'Forum', 'online', 1, 2, 0, '[]', 'off', 'x', '[]', column3 FROM"
		" (VALUES (1, 'open', 'public'), (2, 'closed', 'organizer'));"
		"INSERT INTO transcript_lines (id, account, channel, event, segment,"
		" part, language, original, text, start_us, end_us) SELECT column1,"
		" 'a', 'c', column2, column1, 0, 'en', 1, 'Hello', 1, 2 FROM"
		" (VALUES (1, 'open'), (2, 'closed'), (3, NULL))"),
	    OK);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), OK);
	ck_assert_int_eq(db_number(db, &public_lines, ARGS(), &ids), OK);
	ck_assert_int_eq(ids, 1);
}
END_TEST

START_TEST(a_database_of_a_newer_program_is_refused)
{
	int64_t v;
	int applied;

	ck_assert_int_eq(
	    db_script(db, "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1)"),
	    OK);
	ck_assert_int_eq(schema_known(db, &v), ERR_REFUSED);
	ck_assert_int_eq(schema_migrate(db, mem, "schema", &applied), ERR_REFUSED);
	ck_assert_int_eq(applied, 0);
	ck_assert_int_eq(version(), 9999);
	ck_assert(db_idle(db));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("schema");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, what_is_up_to_date_is_left_as_it_is);
	tcase_add_test(t, terms_stored_as_csv_are_read_after_migrating);
	tcase_add_test(t, lines_kept_before_migrating_are_public_where_their_event_is);
	tcase_add_test(t, a_database_of_a_newer_program_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
