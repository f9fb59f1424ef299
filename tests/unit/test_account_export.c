/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The export of an account: it covers every table, and after a failure no export looks
 * complete. Scripts replace the programs here; tests/e2e/case_export.c runs the real
 * ones.
 */
#include <glob.h>

#include "service/account_export.h"
#include "service/cgi_call.h"
#include "service/export_folder.h"
#include "store/account_data.h"
#include "tests/unit/unit.h"

#define FORMAT(...) arena_printf(fixture.mem, __VA_ARGS__)

static const char *dir;

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, NULL };

	fixture_open("dragoman", none, prepared);
	fixture.app.conf.prefix = fixture.dir;
	fixture.app.conf.token_secrets = "k1:first-secret-of-32-characters-at-least";
	dir = FORMAT("%s/export", fixture.dir);
	ck_assert_int_eq(mkdir(FORMAT("%s/cgi-bin", fixture.dir), 0700), 0);
}

static bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Returns the folder that becomes the export; NULL: there is none. */
static const char *
part(void)
{
	glob_t found;
	const char *path = NULL;

	if (glob(FORMAT("%s.part-*", dir), 0, NULL, &found) == 0)
		path = arena_str(fixture.mem, found.gl_pathv[0]);
	globfree(&found);
	return path;
}

static const char *
text_of(const char *path)
{
	struct buf b = { .mem = fixture.mem };
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_msg(f != NULL, "%s", path);
	while ((n = fread(buf_room(&b, 65536), 1, 65536, f)) > 0)
		b.len += n;
	ck_assert_int_eq(fclose(f), 0);
	return buf_text(&b);
}

/* ---- tables ---- */

static bool
is_exported(const char *file)
{
	for (const struct export_route *r = export_routes; r->file != NULL; r++)
		if (strcmp(r->file, file) == 0)
			return true;
	for (const char *const *f = export_files; *f != NULL; f++)
		if (strcmp(*f, file) == 0)
			return true;
	return false;
}

/*
 * Every new table must be listed here, with the file for its rows or the reason why it
 * has none.
 */
START_TEST(every_table_is_in_a_file_or_says_why_not)
{
	for (const struct account_table *t = account_tables; t->name != NULL; t++) {
		ck_assert_msg(
		    (t->exported == NULL) == (t->kept_back != NULL), "%s", t->name);
		ck_assert_msg(t->exported == NULL || is_exported(t->exported),
		    "%s: no export has %s", t->name, t->exported);
		ck_assert_msg(
		    t->how != ACCOUNT_NONE || t->exported == NULL, "%s", t->name);
	}
}
END_TEST

/* ---- programs ---- */

static void
program(const char *name, const char *script)
{
	const char *path = FORMAT("%s/cgi-bin/%s.fcgi", fixture.dir, name);

	unit_write(path, FORMAT("#!/bin/sh\n%s\n", script));
	ck_assert_int_eq(chmod(path, 0700), 0);
}

/* Serves a file with as many bytes as announced. */
static const char *
answering(const char *head, const char *body)
{
	return FORMAT("printf 'Status: %s\\r\\nContent-Length: %zu\\r\\n\\r\\n%s'",
	    head, strlen(body), body);
}

#define EMPTY "{\"data\":[]}"

/* Makes each program answer with an empty list. */
static void
all_programs(void)
{
	for (const struct export_route *r = export_routes; r->file != NULL; r++)
		if (r->program != NULL)
			program(r->program, answering("200 OK", EMPTY));
}

static enum err
export_it(void)
{
	struct export_report r;

	return account_export(
	    fixture.app.db, fixture.mem, &fixture.app.conf, fixture.account, dir, &r);
}

static int
mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

START_TEST(an_export_has_all_files_for_its_owner_alone)
{
	all_programs();
	ck_assert_int_eq(export_it(), OK);
	ck_assert_int_eq(mode_of(dir), 0700);
	for (const struct export_route *r = export_routes; r->file != NULL; r++)
		if (r->of == NULL)
			ck_assert_int_eq(mode_of(FORMAT("%s/%s", dir, r->file)), 0600);
	for (const char *const *f = export_files; *f != NULL; f++)
		ck_assert_int_eq(mode_of(FORMAT("%s/%s", dir, *f)), 0600);
	ck_assert_int_eq(mode_of(FORMAT("%s/manifest.json", dir)), 0600);
	ck_assert_ptr_null(part());
}
END_TEST

static const char *const failures[] = {
	"printf 'Status: 500 No\\r\\nContent-Length: 0\\r\\n\\r\\n'",
	"printf 'Status: 200 OK\\r\\nContent-Length: 99\\r\\n\\r\\n{\"data\":[]}'",
	"printf 'Status: 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}'",
	"printf 'Status: 200 OK\\r\\nContent-Length: 7\\r\\n\\r\\nno json'",
	"printf 'Content-Length: 0\\r\\n\\r\\n'", "exit 1", "kill -9 $$",
	NULL, /* the program is missing */
};

START_TEST(a_program_that_fails_leaves_no_export)
{
	all_programs();
	if (failures[_i] != NULL)
		program("webhooks", failures[_i]); /* the last program */
	else
		ck_assert_int_eq(
		    unlink(FORMAT("%s/cgi-bin/webhooks.fcgi", fixture.dir)), 0);
	ck_assert_int_eq(export_it(), ERR_FAILED);
	ck_assert(!is_there(dir));
	ck_assert_ptr_null(part());
}
END_TEST

START_TEST(a_program_that_says_later_is_asked_again)
{
	all_programs();
	program(
	    "webhooks", FORMAT("if [ -e %s/asked ]; then %s; else : >%s/asked; %s; fi",
			    fixture.dir, answering("200 OK", EMPTY), fixture.dir,
			    answering("429 Later\\r\\nRetry-After: 1", "{}")));
	ck_assert_int_eq(export_it(), OK);
	ck_assert(is_there(FORMAT("%s/asked", fixture.dir)));
}
END_TEST

/* Addresses of next pages begin with the service's path. */
START_TEST(pages_are_followed_to_the_last)
{
	const char *link = FORMAT("200 OK\\r\\nLink: <%s/saas/webhooks?token=x>; "
				  "rel=\"next\"",
	    fixture.app.conf.server_base_url);

	all_programs();
	program("webhooks",
	    FORMAT("case $REQUEST_URI in /saas/webhook/*) %s ;; *token=x) %s ;;"
		   " *) %s ;; esac",
		answering("200 OK", EMPTY),
		answering("200 OK", "{\"data\":[{\"webhook_id\":\"b\"}]}"),
		answering(link, "{\"data\":[{\"webhook_id\":\"a\"}]}")));
	ck_assert_int_eq(export_it(), OK);
	ck_assert_str_eq(text_of(FORMAT("%s/webhooks.json", dir)),
	    "[{\"webhook_id\":\"a\"},\n{\"webhook_id\":\"b\"}]\n");
	ck_assert(is_there(FORMAT("%s/webhooks/a/deliveries.json", dir)));
	ck_assert(is_there(FORMAT("%s/webhooks/b/deliveries.json", dir)));
}
END_TEST

/* The program gets the client's request and the account, and may not write. */
START_TEST(a_program_is_asked_as_a_reader_of_the_account)
{
	struct cgi_answer a;
	const struct cgi_call call = { "echo", "/saas/x?a=b", "token" };
	const char *is = "GET /saas/x?a=b a=b Bearer token 127.0.0.1";

	program("echo",
	    FORMAT(
		"printf 'Status: 200\\r\\nContent-Length: %zu\\r\\n\\r\\n%%s %%s %%s "
		"%%s %%s' \"$REQUEST_METHOD\" \"$REQUEST_URI\" \"$QUERY_STRING\""
		" \"$HTTP_AUTHORIZATION\" \"$REMOTE_ADDR\"",
		strlen(is)));
	ck_assert_int_eq(cgi_call(fixture.mem, &fixture.app.conf, &call, &a), OK);
	ck_assert_str_eq(a.body, is);
}
END_TEST

/* ---- accounts ---- */

START_TEST(an_account_that_cannot_be_asked_is_refused)
{
	all_programs();
	sql("UPDATE accounts SET status = 'suspended'");
	ck_assert_int_eq(export_it(), ERR_REFUSED);
	fixture.account = "nobody";
	ck_assert_int_eq(export_it(), ERR_NOT_FOUND);
	ck_assert(!is_there(dir));
}
END_TEST

START_TEST(a_ledger_of_many_batches_is_whole_and_in_order)
{
	const char *text, *line;
	int lines = 0;

	all_programs();
	sql(FORMAT(
	    "INSERT INTO ledger (id, account, kind, amount_micro, reference, "
	    "created_us) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
	    "FROM n WHERE i < 1700) SELECT 'l' || i, '%s', 'usage', -1500000,"
	    " '=r,' || i, 1000000 * (i / 7) FROM n",
	    fixture.account));
	ck_assert_int_eq(export_it(), OK);
	text = text_of(FORMAT("%s/ledger.csv", dir));
	for (line = text; (line = strstr(line, "\r\n")) != NULL; line += 2)
		lines++;
	ck_assert_int_eq(lines, 1701);
	for (int i = 1; i <= 1700; i++)
		ck_assert_ptr_nonnull(strstr(text, FORMAT(",\"'=r,%d\",\r\n", i)));
	line = strstr(text, "\r\n") + 2;
	ck_assert_int_eq(strncmp(line, "1970-01-01T00:00:00Z,usage,-1.5,", 32), 0);
}
END_TEST

/* ---- the folder ---- */

static void
make_folder(void)
{
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	unit_write(FORMAT("%s/kept", dir), "mine");
}

static void
make_file(void)
{
	unit_write(dir, "mine");
}

/* Makes a link to an empty folder, which the export must not follow. */
static void
make_link(void)
{
	ck_assert_int_eq(mkdir(FORMAT("%s/elsewhere", fixture.dir), 0700), 0);
	ck_assert_int_eq(symlink(FORMAT("%s/elsewhere", fixture.dir), dir), 0);
}

static void
make_dangling_link(void)
{
	ck_assert_int_eq(symlink("/nonexistent", dir), 0);
}

static void (*const takes[])(
    void) = { make_folder, make_file, make_link, make_dangling_link };

START_TEST(what_is_there_is_not_touched)
{
	struct stat before, after;

	all_programs();
	takes[_i]();
	ck_assert_int_eq(lstat(dir, &before), 0);
	ck_assert_int_eq(export_it(), ERR_CONFLICT);
	ck_assert_int_eq(lstat(dir, &after), 0);
	ck_assert_int_eq(before.st_ino, after.st_ino);
	ck_assert_int_eq(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	ck_assert_ptr_null(part());
}
END_TEST

START_TEST(an_empty_folder_is_taken_and_a_slash_behind_it_too)
{
	all_programs();
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	dir = FORMAT("%s/", dir);
	ck_assert_int_eq(export_it(), OK);
	ck_assert_int_eq(mode_of(dir), 0700);
	ck_assert(is_there(FORMAT("%smanifest.json", dir)));
}
END_TEST

static void
no_head(void *arg, struct json_writer *j)
{
	(void)arg, (void)j;
}

START_TEST(no_link_is_followed)
{
	struct export_folder *f;
	struct export_file e;

	ck_assert_int_eq(export_folder_begin(fixture.mem, dir, &f), OK);
	unit_write(FORMAT("%s/outside", fixture.dir), "mine");
	ck_assert_int_eq(
	    symlink(FORMAT("%s/outside", fixture.dir), FORMAT("%s/a", part())), 0);
	ck_assert_int_eq(export_file_begin(f, "a", &e), ERR_FAILED);
	ck_assert_int_eq(export_file_begin(f, "b/c/d", &e), OK);
	ck_assert_int_eq(export_file_put(&e, "text", 4), OK);
	ck_assert_int_eq(export_file_end(&e), OK);
	ck_assert(!is_there(dir));
	export_folder_drop(f);
	ck_assert_ptr_null(part());
	ck_assert_str_eq(text_of(FORMAT("%s/outside", fixture.dir)), "mine");
}
END_TEST

START_TEST(a_manifest_tells_each_file_and_its_hash)
{
	struct export_folder *f;
	struct export_file e;
	int64_t files;

	ck_assert_int_eq(export_folder_begin(fixture.mem, dir, &f), OK);
	ck_assert_int_eq(export_file_begin(f, "b/c", &e), OK);
	ck_assert_int_eq(export_file_put(&e, "te", 2), OK);
	ck_assert_int_eq(export_file_put(&e, "xt", 2), OK);
	ck_assert_int_eq(export_file_end(&e), OK);
	ck_assert_int_eq(export_folder_end(f, no_head, NULL, &files), OK);
	export_folder_drop(f);
	ck_assert_int_eq(files, 1);
	ck_assert_str_eq(text_of(FORMAT("%s/b/c", dir)), "text");
	ck_assert_str_eq(text_of(FORMAT("%s/manifest.json", dir)),
	    FORMAT("{\"files\":[{\"path\":\"b/c\",\"bytes\":4,\"sha256\":\"%s\"}]}\n",
		hash_hex(fixture.mem, "text", 4)));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("account_export");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, every_table_is_in_a_file_or_says_why_not);
	tcase_add_test(t, an_export_has_all_files_for_its_owner_alone);
	tcase_add_loop_test(
	    t, a_program_that_fails_leaves_no_export, 0, COUNT(failures));
	tcase_add_test(t, a_program_that_says_later_is_asked_again);
	tcase_add_test(t, pages_are_followed_to_the_last);
	tcase_add_test(t, a_program_is_asked_as_a_reader_of_the_account);
	tcase_add_test(t, an_account_that_cannot_be_asked_is_refused);
	tcase_add_test(t, a_ledger_of_many_batches_is_whole_and_in_order);
	tcase_add_loop_test(t, what_is_there_is_not_touched, 0, COUNT(takes));
	tcase_add_test(t, an_empty_folder_is_taken_and_a_slash_behind_it_too);
	tcase_add_test(t, no_link_is_followed);
	tcase_add_test(t, a_manifest_tells_each_file_and_its_hash);
	suite_add_tcase(s, t);
	return unit_run(s);
}
