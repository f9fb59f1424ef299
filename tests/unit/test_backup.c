/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backups: copying, removals during the copy, and restoring. */
#include <dirent.h>

#include "blob/blob.h"
#include "blob/mirror.h"
#include "db/db.c" /* for a driver without copies */
#include "service/backup.h"
#include "service/cli_installation.h"
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
		.share_dir = ".",
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

static int
command(int (*run)(struct cli *))
{
	struct cli c = { .mem = mem, .db = db, .yes = true, .arg = copy, .conf = conf };

	c.conf.db_url = "postgresql://127.0.0.1:1/x";
	return run(&c);
}

START_TEST(nothing_is_copied_over_postgresql)
{
	static struct db_driver other; /* until teardown() */
	const char *key = arena_printf(mem, "%s/secret.key", dir);
	struct stat st;

	keep("a", FILE_A);
	backup();
	unit_write(key, "mine");
	other = db_sqlite;
	db->is = &other;
	other.check = db_pg.check;
	other.restore = db_pg.restore;
	ck_assert_int_eq(command(cli_restore), EXIT_FAILURE);
	ck_assert_int_eq(command(cli_backup), EXIT_FAILURE);
	ck_assert(stat(key, &st) == 0 && st.st_size == (off_t)strlen("mine"));
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
	    db_script(
		db, "INSERT INTO schema_versions VALUES (9999, 'later.sql', 1, 9999)"),
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

/* Objects that an attacker could have put into the copy of the database. */
static const char *const strange[] = {
	"CREATE TRIGGER t AFTER INSERT ON jobs BEGIN DELETE FROM accounts; END",
	"CREATE VIEW v AS SELECT * FROM credentials",
	"CREATE TABLE more (x)",
	"ALTER TABLE accounts ADD COLUMN more TEXT",
	"DROP INDEX answers_expiry",
	"UPDATE blobs SET file = '../../gateway'",
	"UPDATE blobs SET file = 'a/../../gateway'",
	"UPDATE blobs SET file = '..'",
};

START_TEST(a_copy_with_something_of_another_changes_nothing)
{
	const char *old;
	struct backup_report r;
	struct db *theirs;
	bool new_key;

	keep("a", FILE_A);
	backup();
	ck_assert_int_eq(
	    db_open(
		&theirs, arena_printf(mem, "sqlite:%s/dragoman.db", copy), 0, false),
	    OK);
	ck_assert_int_eq(db_script(theirs, strange[_i]), OK);
	db_close(theirs);
	unit_write(arena_printf(mem, "%s/gateway", dir), "hello");
	db_close(db);
	db = database("two.db");
	old = conf.blob_dir;
	conf.blob_dir = arena_printf(mem, "%s/again/blobs", dir);
	mkdir(arena_printf(mem, "%s/again", dir), 0700);
	ck_assert_int_eq(
	    backup_put_back(db, mem, &conf, copy, &r, &new_key), ERR_REFUSED);
	ck_assert_int_eq(blob_has_file(db, FILE_A, &r.files), OK);
	ck_assert_int_eq(r.files, 0);
	ck_assert_int_ne(access(arena_printf(mem, "%s/again/gateway", dir), F_OK), 0);
	conf.blob_dir = old;
}
END_TEST

/* The record of the last backup's disk, because a test cannot unmount a disk. */
static const char *
disk_note(void)
{
	DIR *d = opendir(dir);
	const struct dirent *f;
	const char *found = NULL;

	while ((f = readdir(d)) != NULL)
		if (strncmp(f->d_name, "backup-", 7) == 0)
			found = arena_printf(mem, "%s/%s", dir, f->d_name);
	closedir(d);
	ck_assert_ptr_nonnull(found);
	return found;
}

START_TEST(a_disk_that_is_not_mounted_is_noticed)
{
	const char *copied = arena_printf(mem, "%s/dragoman.db", copy);

	ck_assert(!backup_disk_gone(mem, &conf, copy));
	backup();
	ck_assert_int_eq(unlink(copied), 0);
	ck_assert(!backup_disk_gone(mem, &conf, copy)); /* moved away */
	unit_write(disk_note(), "1\n");
	ck_assert(backup_disk_gone(mem, &conf, copy));
	backup();
	ck_assert(!backup_disk_gone(mem, &conf, copy));
	unit_write(disk_note(), "1\n");
	/* the file system has another number now */
	ck_assert(!backup_disk_gone(mem, &conf, copy));
}
END_TEST

START_TEST(links_of_a_copy_are_not_followed_and_its_modes_not_taken)
{
	const char *path;
	struct arena *now = arena_new(), *later = arena_new();
	struct backup_report r;
	struct stat st;
	bool new_key;

	keep("a", FILE_A);
	backup();
	path = arena_printf(mem, "%s/blobs/%.2s/%s", copy, FILE_A, FILE_A);
	ck_assert_int_eq(chmod(path, 0755), 0);
	conf.blob_dir = arena_printf(mem, "%s/again", dir);
	ck_assert_int_eq(backup_put_back(db, now, &conf, copy, &r, &new_key), OK);
	arena_free(now);
	path = arena_printf(mem, "%s/%.2s/%s", conf.blob_dir, FILE_A, FILE_A);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(st.st_nlink, 1);
	conf.blob_dir = arena_printf(mem, "%s/once-more", dir);
	path = arena_printf(mem, "%s/blobs", copy);
	ck_assert_int_eq(rename(path, arena_printf(mem, "%s/else", dir)), 0);
	ck_assert_int_eq(symlink(arena_printf(mem, "%s/else", dir), path), 0);
	ck_assert_int_eq(
	    backup_put_back(db, later, &conf, copy, &r, &new_key), ERR_REFUSED);
	arena_free(later);
	unlink(path);
}
END_TEST

static void
link_migration(int version, const char *folder)
{
	const char *file = arena_printf(mem, "%04d", version);
	char here[4096];
	const struct dirent *d;
	DIR *all = opendir("schema");

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	while ((d = readdir(all)) != NULL)
		if (strncmp(d->d_name, file, 4) == 0)
			ck_assert_int_eq(
			    symlink(arena_printf(mem, "%s/schema/%s", here, d->d_name),
				arena_printf(mem, "%s/%s", folder, d->d_name)),
			    0);
	closedir(all);
}

START_TEST(a_copy_of_each_older_version_is_taken)
{
	struct db *older;
	const char *path = arena_printf(mem, "%s/older.db", dir);
	const char *folder = arena_printf(mem, "%s/until", dir);
	int applied;

	ck_assert_int_eq(
	    db_open(&older, arena_printf(mem, "sqlite:%s", path), 0, true), OK);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	for (int i = 1; i <= SCHEMA_VERSION; i++) {
		link_migration(i, folder);
		ck_assert_int_eq(schema_migrate(older, mem, folder, &applied), OK);
		ck_assert_int_eq(applied, 1);
		ck_assert_int_eq(backup_check_copy(mem, &conf, path), OK);
	}
	db_close(older);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("backup");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_folder_becomes_a_newer_backup);
	tcase_add_test(t, nothing_is_copied_over_postgresql);
	tcase_add_test(t, a_file_that_is_nowhere_is_told);
	tcase_add_test(t, nothing_is_removed_while_one_is_made);
	tcase_add_test(t, what_is_put_back_is_what_was_there);
	tcase_add_test(t, a_copy_of_a_newer_program_changes_nothing);
	tcase_add_loop_test(
	    t, a_copy_with_something_of_another_changes_nothing, 0, COUNT(strange));
	tcase_add_test(t, a_disk_that_is_not_mounted_is_noticed);
	tcase_add_test(t, links_of_a_copy_are_not_followed_and_its_modes_not_taken);
	tcase_add_test(t, a_copy_of_each_older_version_is_taken);
	suite_add_tcase(s, t);
	return unit_run(s);
}
