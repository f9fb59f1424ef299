/* Backups: what is copied, what may be removed meanwhile, what is put back. */
#include "blob/blob.h"
#include "blob/mirror.h"
#include "service/backup.h"
#include "store/blobs.h"
#include "store/schema.h"
#include "tests/unit/unit.h"

#define ID "ec7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define FILE_A ID "-0123abcd"
#define FILE_B ID "-89abcdef"

static struct arena *mem;
static const char *dir, *copy;
static struct conf conf;
static struct db *db;

static struct db *
database(const char *name)
{
	struct db *d;
	int applied;

	ck_assert_int_eq(
	    db_open(&d, arena_printf(mem, "sqlite:%s/%s", dir, name), 0, true), OK);
	ck_assert_int_eq(schema_migrate(d, mem, "schema", &applied), OK);
	return d;
}

static void
setup(void)
{
	(void)fixture;
	mem = arena_new();
	dir = unit_folder(mem);
	copy = arena_printf(mem, "%s/copy", dir);
	conf = (struct conf){ .blob_store = "disk",
		.blob_dir = arena_printf(mem, "%s/blobs", dir),
		.state_dir = dir };
	ck_assert_int_eq(mkdir(copy, 0700), 0);
	unit_write(arena_printf(mem, "%s/secret.key", dir), "the key");
	db = database("one.db");
}

static void
teardown(void)
{
	db_close(db);
	unit_folder_drop(dir);
	arena_free(mem);
}

static void
keep(const char *id, const char *file)
{
	struct blob b = { .id = id,
		.kind = "upload",
		.state = "stored",
		.mime_type = "audio/wav",
		.filename = "a.wav",
		.max_bytes = 9,
		.file = file,
		.bytes = 5,
		.sha256 = "x",
		.created_us = 1,
		.stored_us = 1 };
	struct blob_facts facts;
	struct blob_in *in;

	ck_assert_int_eq(blob_begin(&conf, mem, 0, &in), OK);
	ck_assert_int_eq(blob_put(in, "hello", 5), OK);
	ck_assert_int_eq(blob_end(in, file, &facts), OK);
	ck_assert_int_eq(blob_add(db, &b), OK);
}

static struct backup_report
backup(void)
{
	struct arena *now = arena_new();
	struct backup_report r;

	ck_assert_int_eq(backup_make(db, now, &conf, copy, &r), OK);
	arena_free(now);
	return r;
}

static bool
is_there(const char *folder, const char *file)
{
	struct stat st;

	return stat(arena_printf(mem, "%s/%.2s/%s", folder, file, file), &st) == 0 &&
	       st.st_size == 5;
}

static bool
is_copied(const char *file)
{
	return is_there(arena_printf(mem, "%s/blobs", copy), file);
}

START_TEST(a_folder_becomes_a_newer_backup)
{
	struct backup_report r;

	keep("a", FILE_A);
	r = backup();
	ck_assert(r.files == 1 && r.copied == 1 && r.missing == 0 && is_copied(FILE_A));
	keep("b", FILE_B);
	ck_assert_int_eq(db_script(db, "DELETE FROM blobs WHERE id = 'a'"), OK);
	ck_assert(is_copied(FILE_A));
	r = backup();
	ck_assert(r.files == 1 && r.copied == 1 && r.removed == 1);
	ck_assert(is_copied(FILE_B) && !is_copied(FILE_A));
}
END_TEST

START_TEST(a_file_that_is_nowhere_is_told)
{
	keep("a", FILE_A);
	ck_assert_int_eq(blob_remove(&conf, mem, FILE_A), OK);
	ck_assert_int_eq(backup().missing, 1);
}
END_TEST

START_TEST(nothing_is_removed_while_one_is_made)
{
	struct arena *now = arena_new();
	struct backup_report r;

	keep("a", FILE_A);
	r = backup();
	ck_assert_int_eq(r.files, 1);
	ck_assert_int_eq(mirror_hold(&conf, now), OK);
	ck_assert_int_eq(blob_remove(&conf, mem, FILE_A), ERR_BUSY);
	ck_assert(is_there(conf.blob_dir, FILE_A));
	arena_free(now);
	ck_assert_int_eq(blob_remove(&conf, mem, FILE_A), OK);
	ck_assert(!is_there(conf.blob_dir, FILE_A));
}
END_TEST

START_TEST(what_is_put_back_is_what_was_there)
{
	const char *old = conf.blob_dir;
	struct backup_report r;
	int64_t n;
	bool new_key;

	keep("a", FILE_A);
	r = backup();
	db_close(db);
	db = database("two.db");
	conf.blob_dir = arena_printf(mem, "%s/again", dir);
	ck_assert_int_eq(backup_put_back(db, mem, &conf, copy, &r, &new_key), OK);
	ck_assert(r.files == 1 && r.missing == 0 && !new_key);
	ck_assert(is_there(conf.blob_dir, FILE_A) && is_there(old, FILE_A));
	ck_assert_int_eq(blob_has_file(db, FILE_A, &n), OK);
	ck_assert_int_eq(n, 1);
}
END_TEST

START_TEST(a_copy_of_a_newer_program_changes_nothing)
{
	struct backup_report r;
	bool new_key;

	keep("a", FILE_A);
	ck_assert_int_eq(
	    db_script(db, "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1)"),
	    OK);
	r = backup();
	db_close(db);
	db = database("two.db");
	conf.blob_dir = arena_printf(mem, "%s/again", dir);
	ck_assert_int_eq(
	    backup_put_back(db, mem, &conf, copy, &r, &new_key), ERR_REFUSED);
	ck_assert(!is_there(conf.blob_dir, FILE_A));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("backup");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_folder_becomes_a_newer_backup);
	tcase_add_test(t, a_file_that_is_nowhere_is_told);
	tcase_add_test(t, nothing_is_removed_while_one_is_made);
	tcase_add_test(t, what_is_put_back_is_what_was_there);
	tcase_add_test(t, a_copy_of_a_newer_program_changes_nothing);
	suite_add_tcase(s, t);
	return unit_run(s);
}
