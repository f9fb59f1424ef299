/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of share/ as the program system sends them: plain or compressed, each with its
 * own ETag.
 */
#define UNIT_TEST
#include "cgi-bin/system.c"

#include <fcntl.h>
#include <sys/stat.h>

#include "tests/unit/unit.h"

static const struct sql *const tables[] = { account_sql, blob_sql, channel_sql,
	node_sql, queue_sql, schema_sql, session_sql, NULL };

static void
write_file(const char *name, const char *text)
{
	FILE *f = fopen(arena_printf(fixture.mem, "%s/%s", fixture.dir, name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static void
written_at(const char *name, time_t at_s)
{
	const struct timespec at[2] = { { at_s, 0 }, { at_s, 0 } };

	ck_assert_int_eq(
	    utimensat(
		AT_FDCWD, arena_printf(fixture.mem, "%s/%s", fixture.dir, name), at, 0),
	    0);
}

static void
setup(void)
{
	fixture_open("system", system_routes, tables);
	fixture.app.conf.share_dir = fixture.dir;
	write_file("openapi.json", "{\"openapi\": \"3.1.0\"}");
	write_file("openapi.json.gz", "smaller");
	written_at("openapi.json", 1000);
	written_at("openapi.json.gz", 1000);
}

static struct response
get(const char *accept, const char *had)
{
	const char *heads[] = { accept, had, NULL };

	return ask_bytes("GET /openapi.json", NULL, 0,
	    accept == NULL && had != NULL ? heads + 1 : heads);
}

static const struct {
	const char *accept;
	bool takes;
} headers[] = {
	{ NULL, false },
	{ "", false },
	{ "gzip", true },
	{ "GZIP", true },
	{ "gzip, deflate, br, zstd", true },
	{ "deflate,gzip;q=0.5", true },
	{ "gzip;q=0", false },
	{ "gzip ; q=0.000", false },
	{ "gzip;q=0.001", true },
	{ "br, *", true },
	{ "br, *;q=0", false },
	{ "gzip;q=0, *", false },
	{ "*;q=0, gzip", true },
	{ "x-gzip2, deflate", false },
	{ "identity", false },
	{ ",,;;q", false },
};

START_TEST(a_client_says_whether_it_takes_gzip)
{
	ck_assert_int_eq(share_accepts_gzip(headers[_i].accept), headers[_i].takes);
}
END_TEST

START_TEST(a_client_gets_the_variant_that_it_takes)
{
	struct response plain = get(NULL, NULL),
			small = get("Accept-Encoding: gzip", NULL);

	answered(plain, 200);
	answered(small, 200);
	ck_assert_pstr_eq(head_of(&plain, "Content-Encoding"), NULL);
	ck_assert_pstr_eq(head_of(&small, "Content-Encoding"), "gzip");
	ck_assert_pstr_eq(head_of(&plain, "Vary"), "Accept-Encoding");
	ck_assert_pstr_eq(head_of(&small, "Vary"), "Accept-Encoding");
	ck_assert_pstr_eq(head_of(&small, "Content-Type"), "application/json");
	ck_assert_str_ne(head_of(&plain, "ETag"), head_of(&small, "ETag"));
}
END_TEST

START_TEST(a_version_that_the_client_has_is_not_sent_again)
{
	struct response small = get("Accept-Encoding: gzip", NULL);
	const char *had =
	    arena_printf(fixture.mem, "If-None-Match: %s", head_of(&small, "ETag"));

	answered(get("Accept-Encoding: gzip", had), 304);
	answered(get(NULL, had), 200); /* another ETag */
	write_file("openapi.json", "{\"openapi\": \"3.1.1\"}");
	written_at("openapi.json", 2000);
	write_file("openapi.json.gz", "smaller");
	written_at("openapi.json.gz", 2000);
	answered(get("Accept-Encoding: gzip", had), 200);
}
END_TEST

/* An installation that was interrupted between the two files. */
START_TEST(a_variant_of_an_earlier_file_is_not_sent)
{
	struct response a;

	written_at("openapi.json", 1001);
	a = get("Accept-Encoding: gzip", NULL);
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "Content-Encoding"), NULL);
}
END_TEST

START_TEST(a_file_without_a_variant_is_sent_as_it_is)
{
	struct response a;

	unlink(arena_printf(fixture.mem, "%s/openapi.json.gz", fixture.dir));
	a = get("Accept-Encoding: gzip", NULL);
	answered(a, 200);
	ck_assert_pstr_eq(head_of(&a, "Content-Encoding"), NULL);
}
END_TEST

static void
page_is(const char *text)
{
	struct response a = ask("GET /", NULL);

	answered(a, 200);
	ck_assert_str_eq(a.body, text);
}

START_TEST(a_service_without_an_account_names_the_command_to_make_one)
{
	struct response a;

	ck_assert_int_eq(
	    mkdir(arena_printf(fixture.mem, "%s/web", fixture.dir), 0700), 0);
	write_file("web/table",
	    "v1\n/ home.html text/html\n/first first.html text/html\n"
	    "/console/ console.html text/html\n");
	write_file("web/home.html", "home");
	write_file("web/first.html", "first");
	write_file("web/console.html", "console");
	sql("DELETE FROM accounts");
	page_is("first");
	a = ask("GET /console/", NULL);
	ck_assert_int_eq(a.status, 307);
	ck_assert_pstr_eq(head_of(&a, "Location"), "../");
	ck_assert_int_eq(ask("GET /first", NULL).status, 404);
	sql("INSERT INTO accounts (id, name, status, created_us)"
	    " VALUES ('a', 'A', 'active', 0)");
	page_is("home");
	ck_assert_str_eq(ask("GET /console/", NULL).body, "console");
	sql("DELETE FROM accounts"); /* such as by account delete */
	page_is("home");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("share");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(t, a_client_says_whether_it_takes_gzip, 0, COUNT(headers));
	tcase_add_test(t, a_client_gets_the_variant_that_it_takes);
	tcase_add_test(t, a_version_that_the_client_has_is_not_sent_again);
	tcase_add_test(t, a_variant_of_an_earlier_file_is_not_sent);
	tcase_add_test(t, a_file_without_a_variant_is_sent_as_it_is);
	tcase_add_test(t, a_service_without_an_account_names_the_command_to_make_one);
	suite_add_tcase(s, t);
	return unit_run(s);
}
