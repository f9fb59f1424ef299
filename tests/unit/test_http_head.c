/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/unit/suite.h"
#include "web/http_head.h"

static struct arena *mem;
static struct http_head h;

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static bool
reads(const char *s)
{
	size_t n = http_head_length(s, strlen(s));

	return n > 0 && http_head_read(mem, s, n, &h);
}

START_TEST(a_head_ends_with_an_empty_line)
{
	ck_assert_uint_eq(http_head_length("GET / HTTP/1.1\r\n", 16), 0);
	ck_assert_uint_eq(http_head_length("GET / HTTP/1.1\r\n\r", 17), 0);
	ck_assert_uint_eq(http_head_length("GET / HTTP/1.1\r\n\r\nbody", 22), 18);
	ck_assert_uint_eq(http_head_length("GET / HTTP/1.1\n\n", 16), 0);
	ck_assert_uint_eq(http_head_length("", 0), 0);
}
END_TEST

START_TEST(line_and_headers_are_told)
{
	ck_assert(reads("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-One:  two words \t\r\n"
			"clientid:abc\r\n\r\n"));
	ck_assert_str_eq(h.method, "GET");
	ck_assert_str_eq(h.target, "/a/b?c=d");
	ck_assert_uint_eq(h.n, 3);
	ck_assert_str_eq(http_head_get(&h, "x-one"), "two words");
	ck_assert_str_eq(http_head_get_cgi(&h, "HTTP_X_ONE"), "two words");
	ck_assert_str_eq(http_head_get_cgi(&h, "HTTP_CLIENTID"), "abc");
	ck_assert_ptr_null(http_head_get(&h, "X-On"));
	ck_assert_ptr_null(http_head_get_cgi(&h, "HTTP_X_ONE_"));
	ck_assert_ptr_null(http_head_get_cgi(&h, "REMOTE_ADDR"));
	ck_assert_uint_eq(h.line_bytes, strlen("GET /a/b?c=d HTTP/1.1"));
	ck_assert_uint_eq(h.header_bytes,
	    strlen("Host: x\r\nX-One:  two words \t\r\nclientid:abc\r\n"));
}
END_TEST

static const char *const broken[] = {
	"\r\n\r\n",
	"GET /\r\n\r\n",
	"GET  / HTTP/1.1\r\n\r\n",
	"GET / HTTP/2.0\r\n\r\n",
	"GET / HTTP/1.10\r\n\r\n",
	"GET / HTTP/1.x\r\n\r\n",
	"GET x HTTP/1.1\r\n\r\n",
	"G T / HTTP/1.1\r\n\r\n",
	"G\x01T / HTTP/1.1\r\n\r\n",
	" / HTTP/1.1\r\n\r\n",
	"GET /\x7f HTTP/1.1\r\n\r\n",
	"GET / HTTP/1.1\r\nno colon\r\n\r\n",
	"GET / HTTP/1.1\r\n: no name\r\n\r\n",
	"GET / HTTP/1.1\r\nName : value\r\n\r\n",
	"GET / HTTP/1.1\r\n folded: line\r\n\r\n",
	"GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
	"GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
	"GET / HTTP/1.1\r\nA: \x01\r\n\r\n",
};

START_TEST(bytes_that_are_no_head_are_refused)
{
	ck_assert_msg(!reads(broken[_i]), "%s", broken[_i]);
}
END_TEST

START_TEST(a_zero_byte_is_no_part_of_a_head)
{
	static const char s[] = "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n";

	ck_assert(!http_head_read(mem, s, sizeof(s) - 1, &h));
}
END_TEST

START_TEST(a_hundred_headers_are_enough)
{
	struct buf b = { .mem = mem };

	buf_str(&b, "GET / HTTP/1.1\r\n");
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "A%d: b\r\n", i);
	ck_assert(reads(arena_printf(mem, "%s\r\n", buf_text(&b))));
	ck_assert_uint_eq(h.n, 100);
	ck_assert(!reads(arena_printf(mem, "%sA1: b\r\n\r\n", buf_text(&b))));
}
END_TEST

START_TEST(a_list_of_words_is_searched_in_any_case)
{
	ck_assert(reads("GET / HTTP/1.1\r\nConnection: keep-alive,\tUpgrade\r\n\r\n"));
	ck_assert(http_head_lists(&h, "connection", "upgrade"));
	ck_assert(http_head_lists(&h, "connection", "KEEP-ALIVE"));
	ck_assert(!http_head_lists(&h, "connection", "keep"));
	ck_assert(!http_head_lists(&h, "connection", "upgraded"));
	ck_assert(!http_head_lists(&h, "upgrade", "upgrade"));
}
END_TEST

/* clang-format off */
static const struct {
	const char *peer, *via, *proxies, *client;
} peers[] = {
	{ "192.0.2.1",  NULL,                     "",                    "192.0.2.1" },
	{ "127.0.0.1",  "192.0.2.1",              "",                    "192.0.2.1" },
	{ "127.0.0.1",  "127.0.0.1, 192.0.2.1",   "",                    "192.0.2.1" },
	{ "192.0.2.1",  "192.0.2.2",              "",                    "192.0.2.1" },
	{ "172.18.0.2", "192.0.2.1",              "10.0.0.1",            "172.18.0.2" },
	{ "172.18.0.2", "192.0.2.1",              "10.0.0.1, 172.18.*",  "192.0.2.1" },
	{ "172.18.0.2", "192.0.2.1, 172.18.0.33", "172.18.*",            "192.0.2.1" },
	{ "172.180.0.2", "192.0.2.1",             "172.18.0.2,172.18.*", "172.180.0.2" },
	{ "10.0.0.10",  "192.0.2.1",              "10.0.0.1",            "10.0.0.10" },
	{ "10.0.0.1",   "192.0.2.1",              "10.0.0.1",            "192.0.2.1" },
};
/* clang-format on */

START_TEST(the_client_is_what_the_first_trusted_proxy_says)
{
	const char *via = peers[_i].via;

	ck_assert(reads(via != NULL
			    ? arena_printf(mem,
				  "GET / HTTP/1.1\r\nX-Forwarded-For: %s\r\n\r\n", via)
			    : "GET / HTTP/1.1\r\n\r\n"));
	ck_assert_str_eq(http_head_peer(mem, &h, peers[_i].peer, peers[_i].proxies),
	    peers[_i].client);
}
END_TEST

/* haproxy adds a line of its own after those of the client. */
START_TEST(lines_of_one_name_are_one_list)
{
	ck_assert(reads(
	    "GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.9\r\nConnection: a\r\n"
	    "x-forwarded-for: 192.0.2.1, 192.0.2.2\r\nconnection: CLOSE\r\n\r\n"));
	ck_assert_uint_eq(h.n, 2);
	ck_assert_str_eq(
	    http_head_get(&h, "X-Forwarded-For"), "192.0.2.9, 192.0.2.1, 192.0.2.2");
	ck_assert_str_eq(http_head_peer(mem, &h, "127.0.0.1", ""), "192.0.2.2");
	ck_assert(http_head_lists(&h, "Connection", "close"));
}
END_TEST

/* Proxies that remove or set a header do not know its other spelling. */
START_TEST(a_name_with_an_underscore_is_no_cgi_name)
{
	ck_assert(reads("GET / HTTP/1.1\r\nIf_Match: a\r\nIf-Match: b\r\n\r\n"));
	ck_assert_str_eq(http_head_get_cgi(&h, "HTTP_IF_MATCH"), "b");
}
END_TEST

START_TEST(the_absolute_form_of_a_target_loses_its_host)
{
	ck_assert(reads("GET HTTP://x:80/a?b=http://y/ HTTP/1.1\r\n\r\n"));
	ck_assert_str_eq(h.target, "/a?b=http://y/");
	ck_assert(!reads("GET http://x HTTP/1.1\r\n\r\n"));
	ck_assert(!reads("GET ftp://x/ HTTP/1.1\r\n\r\n"));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("gateway_head");
	TCase *t = tcase_create("head");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_head_ends_with_an_empty_line);
	tcase_add_test(t, line_and_headers_are_told);
	tcase_add_loop_test(
	    t, bytes_that_are_no_head_are_refused, 0, sizeof(broken) / sizeof(*broken));
	tcase_add_test(t, a_zero_byte_is_no_part_of_a_head);
	tcase_add_test(t, a_hundred_headers_are_enough);
	tcase_add_test(t, a_list_of_words_is_searched_in_any_case);
	tcase_add_loop_test(
	    t, the_client_is_what_the_first_trusted_proxy_says, 0, COUNT(peers));
	tcase_add_test(t, lines_of_one_name_are_one_list);
	tcase_add_test(t, a_name_with_an_underscore_is_no_cgi_name);
	tcase_add_test(t, the_absolute_form_of_a_target_loses_its_host);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
