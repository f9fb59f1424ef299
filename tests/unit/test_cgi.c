/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of cgi-bin/ under plain CGI: one process for each request, over pipes. */
#include "tests/unit/unit.h"

#define PADDING 100000 /* more than a pipe delivers at once */
#define TERMS                                                                          \
	"\"name\":\"Terms\",\"glossary_type\":\"translation\","                        \
	"\"source_lang\":\"en\",\"target_lang\":\"de\""

static void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, NULL };

	fixture_open("glossaries", none, prepared);
}

/* Returns the program's standard output for this request. */
static const char *
cgi(const char *method, const char *path, const char *key, const char *body)
{
	const char *file = arena_printf(fixture.mem, "%s/body", fixture.dir);
	const char *build = getenv("BUILD");
	char *said = arena_alloc(fixture.mem, 1 << 16);
	FILE *f;

	unit_write(file, body);
	f = popen(arena_printf(fixture.mem,
		      "cat %s | env -i DRAGOMAN_CONF=%s GATEWAY_INTERFACE=CGI/1.1 "
		      "SERVER_PROTOCOL=HTTP/1.1 REMOTE_ADDR=192.0.2.7 HTTP_HOST=x "
		      "HTTPS=on REQUEST_METHOD=%s REQUEST_URI=%s "
		      "CONTENT_TYPE=application/json CONTENT_LENGTH=%d "
		      "HTTP_AUTHORIZATION='%s' %s/cgi-bin/glossaries.fcgi",
		      file, getenv("DRAGOMAN_CONF"), method, path, (int)strlen(body),
		      key, build != NULL ? build : "build"),
	    "r");
	ck_assert_ptr_nonnull(f);
	said[fread(said, 1, (1 << 16) - 1, f)] = '\0';
	ck_assert_int_eq(pclose(f), 0);
	return said;
}

/* Returns the body after the head, with the length of Content-Length. */
static const char *
body_of(const char *answer)
{
	const char *length = strstr(answer, "\r\nContent-Length: ");
	const char *body = strstr(answer, "\r\n\r\n");

	ck_assert_msg(length != NULL && body != NULL, "%s", answer);
	ck_assert_int_eq(atoi(length + 18), (int)strlen(body + 4));
	return body + 4;
}

START_TEST(a_program_answers_one_request_and_ends)
{
	const char *answer = cgi("GET", "/saas/glossaries", fixture.bearer, "");

	ck_assert_msg(strncmp(answer, "Status: 200\r\n", 13) == 0, "%s", answer);
	ck_assert_int_eq(*body_of(answer), '{');
	answer = cgi("GET", "/saas/glossaries", "Bearer none", "");
	ck_assert_msg(strncmp(answer, "Status: 401\r\n", 13) == 0, "%s", answer);
	body_of(answer);
}
END_TEST

START_TEST(a_body_is_read_from_standard_input_to_its_end)
{
	const char *answer = cgi("POST", "/saas/glossary", fixture.bearer,
	    arena_printf(fixture.mem, "{\"data\":{" TERMS "}%*s}", PADDING, ""));

	ck_assert_msg(strncmp(answer, "Status: 200\r\n", 13) == 0, "%s", answer);
	ck_assert_ptr_nonnull(strstr(body_of(answer), "\"Terms\""));
}
END_TEST

/* A column is missing until the database is migrated. */
START_TEST(a_database_of_another_schema_is_answered_503)
{
	const char *answer;

	sql("ALTER TABLE glossaries RENAME COLUMN name TO title");
	answer = cgi("GET", "/saas/glossaries", fixture.bearer, "");
	ck_assert_msg(strncmp(answer, "Status: 503\r\n", 13) == 0, "%s", answer);
	body_of(answer);
	sql("ALTER TABLE glossaries RENAME COLUMN title TO name");
	answer = cgi("GET", "/saas/glossaries", fixture.bearer, "");
	ck_assert_msg(strncmp(answer, "Status: 200\r\n", 13) == 0, "%s", answer);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("cgi");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_set_timeout(t, 30);
	tcase_add_test(t, a_program_answers_one_request_and_ends);
	tcase_add_test(t, a_body_is_read_from_standard_input_to_its_end);
	tcase_add_test(t, a_database_of_another_schema_is_answered_503);
	suite_add_tcase(s, t);
	return unit_run(s);
}
