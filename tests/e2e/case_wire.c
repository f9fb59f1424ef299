/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests as no library would send them.  Every answer, of the web server or of a
 * program, is in our envelope, and the service continues.
 */
#include <string.h>

#include "base/buf.h"
#include "cases.h"

static struct account me;

static void
before(void)
{
	me = account_new("wire");
}

static struct bytes
bytes_of(const char *s)
{
	return (struct bytes){ s, strlen(s) };
}

/* A request line and further header lines, each with its line end. */
static struct answer
send_lines(const char *line, const char *more)
{
	return raw(bytes_of(text("%s\r\n%s\r\nAuthorization: Bearer %s\r\n"
				 "Connection: close\r\n%s\r\n",
	    line, host_line(), me.api_key, more)));
}

/* Every error is in the envelope, with the status of the answer. */
static void
expect_envelope(const struct answer *a, const char *what)
{
	json_t *p = at(a->json, "errors.0");
	const char *type = text_at(p, "type"), *slug = strrchr(type, '/') + 1;

	ck_assert_msg(p != NULL, "%s: %s", what, shown(a));
	expect_problem(a, a->status, slug);
	if (header_of(a, "X-Request-Id") == NULL)
		ck_assert_str_eq(text_at(p, "instance"),
		    "urn:uuid:00000000-0000-0000-0000-000000000000");
}

/* ---- how long ---- */

static const char *
long_path(size_t line) /* bytes of the whole request line */
{
	size_t n = line - strlen("GET /saas/voice/limits? HTTP/1.1");

	return text("GET /saas/voice/limits?%.*s HTTP/1.1", (int)n,
	    same_bytes_of('x', n + 1).p);
}

START_TEST(a_request_line_has_8192_bytes_at_most)
{
	struct answer a = send_lines(long_path(8192), "");

	EXPECT(a, 200);
	a = send_lines(long_path(8193), "");
	expect_problem(&a, 414, "uri-too-long");
	a = send_lines(long_path(12000), "");
	expect_problem(&a, 414, "uri-too-long");
}
END_TEST

static const char *
many_headers(int n, int bytes)
{
	struct buf b = { .mem = memory() };

	for (int i = 0; i < n; i++)
		buf_printf(&b, "X-Pad-%d: %.*s\r\n", i, bytes,
		    same_bytes_of('h', (size_t)bytes + 1).p);
	return buf_text(&b);
}

START_TEST(headers_have_16384_bytes_at_most)
{
	struct answer a =
	    send_lines("GET /saas/voice/limits HTTP/1.1", many_headers(15, 1000));

	EXPECT(a, 200);
	a = send_lines("GET /saas/voice/limits HTTP/1.1", many_headers(17, 1000));
	expect_problem(&a, 431, "headers-too-large");
	a = send_lines("GET /saas/voice/limits HTTP/1.1", many_headers(1, 17000));
	expect_problem(&a, 431, "headers-too-large");
	a = send_lines("GET /saas/voice/limits HTTP/1.1", many_headers(60, 1000));
	expect_problem(&a, 431, "headers-too-large");
}
END_TEST

START_TEST(a_body_beyond_all_bounds_is_refused_before_it_comes)
{
	struct answer a = send_lines("POST /saas/voice/clone HTTP/1.1",
	    "Content-Type: application/json\r\nContent-Length: 99999999999\r\n");

	expect_problem(&a, 413, "payload-too-large");
	a = send_lines("POST /blobs HTTP/1.1",
	    "Content-Type: multipart/form-data; boundary=x\r\n"
	    "Content-Length: 99999999999\r\n");
	ck_assert_int_eq(a.status, a.json != NULL ? 413 : a.status);
	ck_assert_msg(a.status == 413 || a.status == 400, "%s", shown(&a));
	if (a.json == NULL)
		expect_s3(&a, a.status, "EntityTooLarge");
}
END_TEST

/* ---- paths ---- */

/* clang-format off */
static const struct {
	const char *line, *more;
	int status;
} paths[] = {
	{ "GET /saas/voice/limits HTTP/1.0",     "", 200 },
	{ "GET /saas/voice/limits HTTP/1.1",     "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n", 200 },
	{ "GET /saas/voice/%6Cimits HTTP/1.1",   "", 200 },
	{ "GET /saas/voice/limits? HTTP/1.1",    "", 200 },
	{ "GET /saas/voice/limits?a=%zz HTTP/1.1", "", 200 },
	{ "GET /saas%2Fvoice/limits HTTP/1.1",   "", 404 },
	{ "GET /saas/voice/m/a%2Fb HTTP/1.1",    "", 404 },
	{ "GET /saas/voice%2Flimits HTTP/1.1",   "", 404 },
	{ "GET /saas/voice/%256Cimits HTTP/1.1", "", 404 },
	{ "GET //saas/voice/limits HTTP/1.1",    "", 404 },
	{ "GET /saas//voice/limits HTTP/1.1",    "", 404 },
	{ "GET /saas/voice/limits/ HTTP/1.1",    "", 404 },
	{ "GET /.dragoman-error HTTP/1.1",       "", 404 },
	{ "GET /saas/voice/limits HTTP/1.1",     "Content-Length: 5\r\n\r\nhello", 200 },
	{ "DELETE /saas/voice HTTP/1.1",         "Content-Type: application/json\r\n", 200 },
	{ "DELETE /saas/voice HTTP/1.1",         "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", 200 },
	{ "OPTIONS /saas/voice HTTP/1.1",        "", 204 },
};
/* clang-format on */

START_TEST(a_path_is_read_as_it_was_sent)
{
	struct answer a = send_lines(paths[_i].line, paths[_i].more);

	ck_assert_msg(a.status == paths[_i].status, "%s: wanted %d, got %s",
	    paths[_i].line, paths[_i].status, shown(&a));
	if (a.status >= 400)
		expect_envelope(&a, paths[_i].line);
}
END_TEST

/* Servers handle these differently, but never with a success. */
/* clang-format off */
static const struct {
	const char *line, *more;
} odd[] = {
	{ "GET /saas/voice/../voice/limits HTTP/1.1x", "" },
	{ "GET /saas/voice/%00 HTTP/1.1",        "" },
	{ "GET /saas/voice/limits%00 HTTP/1.1",  "" },
	{ "GET /%zz HTTP/1.1",                   "" },
	{ "GET /saas/voice/\xff\xfe HTTP/1.1",   "" },
	{ "GET /..%2f..%2fetc/passwd HTTP/1.1",  "" },
	{ "GET /../../etc/passwd HTTP/1.1",      "" },
	{ "GET saas/voice HTTP/1.1",             "" },
	{ "GET /saas/voice/limits HTTP/1.1 x",   "" },
	{ "BREW /saas/voice/limits HTTP/1.1",    "" },
	{ "PATCH /saas/voice/limits HTTP/1.1",   "" },
	{ "TRACE /saas/voice/limits HTTP/1.1",   "" },
	{ "PROPFIND /saas/voice/limits HTTP/1.1", "" },
	{ "GET /saas/voice/limits HTTP/1.1",     "Bad Header: x\r\n" },
	{ "GET /saas/voice/limits HTTP/1.1",     "Content-Length: -1\r\n" },
	{ "GET /saas/voice/limits HTTP/1.1",     "Content-Length: ten\r\n" },
	{ "POST /saas/voice/clone HTTP/1.1",     "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!" },
	{ "POST /saas/voice/clone HTTP/1.1",     "Transfer-Encoding: gzip\r\n" },
	{ "POST /saas/voice/clone HTTP/1.1",     "Transfer-Encoding: chunked\r\n\r\nzz\r\n" },
	{ "POST /saas/voice/clone HTTP/1.1",     "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" },
	{ "POST /saas/voice/clone HTTP/1.1",     "Expect: a miracle\r\nContent-Length: 2\r\n\r\n{}" },
	{ "GET /saas/voice/limits HTTP/1.1",     "Host: another\r\n" },
};
/* clang-format on */

START_TEST(an_odd_request_is_refused_in_the_envelope)
{
	struct answer a = send_lines(odd[_i].line, odd[_i].more);

	ck_assert_msg(
	    a.status >= 400 && a.status < 506, "%s: %s", odd[_i].line, shown(&a));
	expect_envelope(&a, odd[_i].line);
}
END_TEST

START_TEST(a_client_that_waits_for_100_is_told_to_go_on)
{
	static const char body[] = "{\"data\":[{\"filename\":\"a.wav\","
				   "\"mime_type\":\"audio/wav\"}]}";
	struct answer a = send_lines("POST /saas/upload HTTP/1.1",
	    text("Expect: 100-continue\r\nContent-Type: application/json\r\n"
		 "Content-Length: %zu\r\n\r\n%s",
		strlen(body), body));

	ck_assert_msg(a.status == 200 || (a.status == 100 && strstr(a.head, " 200 ")),
	    "%s", shown(&a));
}
END_TEST

START_TEST(a_chunked_body_of_json_is_read)
{
	static const char body[] = "{\"data\":[{\"filename\":\"a.wav\","
				   "\"mime_type\":\"audio/wav\"}]}";
	struct answer a = send_lines("POST /saas/upload HTTP/1.1",
	    text("Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n"
		 "\r\n5\r\n%.5s\r\n%zx\r\n%s\r\n0\r\n\r\n",
		body, strlen(body) - 5, body + 5));

	EXPECT(a, 200);
}
END_TEST

/* Some libraries send all JSON in this way. lighttpd takes 64 KiB, see lighttpd.conf.
 */
START_TEST(a_long_chunked_body_of_json_is_read)
{
	struct buf b = { .mem = memory() };
	const char *server;
	struct answer a;

	buf_str(
	    &b, "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n");
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "800\r\n%2048s\r\n", "");
	buf_printf(&b,
	    "3c\r\n{\"data\":[{\"filename\":\"a.wav\",\"mime_type\":\"audio/wav\"}]}"
	    "     \r\n0\r\n\r\n");
	a = send_lines("POST /saas/upload HTTP/1.1", buf_text(&b));
	server = header_of(&a, "Server");
	if (server != NULL && strstr(server, "lighttpd") != NULL)
		expect_problem(&a, 413, "payload-too-large");
	else
		EXPECT(a, 200);
}
END_TEST

START_TEST(a_chunked_body_that_is_too_long_is_refused)
{
	struct buf b = { .mem = memory() };
	struct answer a;

	buf_str(
	    &b, "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n");
	buf_printf(&b, "250000\r\n%2424832s\r\n0\r\n\r\n", "");
	a = send_lines("POST /saas/upload HTTP/1.1", buf_text(&b));
	expect_problem(&a, 413, "payload-too-large");
}
END_TEST

/* After silence, noise and half requests the next request must be served. */
START_TEST(noise_on_the_line_does_no_harm)
{
	struct answer a;

	raw_and_cut(bytes_of(""));
	raw_and_cut(bytes_of("GET"));
	raw_and_cut(bytes_of("\x16\x03\x01\x02\x01\x01")); /* TLS */
	raw_and_cut(bytes_of(text("POST /saas/voice/clone HTTP/1.1\r\n%s\r\n"
				  "Content-Length: 100\r\n\r\nhalf",
	    host_line())));
	raw_and_cut(wav_of(50000));
	a = ASK(.path = "/saas/voice/limits", .as = &me);
	EXPECT(a, 200);
}
END_TEST

Suite *
wire_suite(void)
{
	TCase *t;
	Suite *s = suite_of("wire", before, &t);

	tcase_add_test(t, a_request_line_has_8192_bytes_at_most);
	tcase_add_test(t, headers_have_16384_bytes_at_most);
	tcase_add_test(t, a_body_beyond_all_bounds_is_refused_before_it_comes);
	tcase_add_loop_test(t, a_path_is_read_as_it_was_sent, 0, ROWS(paths));
	tcase_add_loop_test(t, an_odd_request_is_refused_in_the_envelope, 0, ROWS(odd));
	tcase_add_test(t, a_client_that_waits_for_100_is_told_to_go_on);
	tcase_add_test(t, a_chunked_body_of_json_is_read);
	tcase_add_test(t, a_long_chunked_body_of_json_is_read);
	tcase_add_test(t, a_chunked_body_that_is_too_long_is_refused);
	tcase_add_test(t, noise_on_the_line_does_no_harm);
	return s;
}
