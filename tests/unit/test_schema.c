/* Which version a database has, and bringing it up to date. */
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
	tcase_add_test(t, a_database_of_a_newer_program_is_refused);
	suite_add_tcase(s, t);
	return unit_run(s);
}
