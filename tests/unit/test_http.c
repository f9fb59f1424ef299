/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of the HTTP client, and its reading of answers. */
#include "tests/unit/http_fixture.h"

START_TEST(an_answer_of_any_status_is_told_whole)
{
	ck_assert_int_eq(do_get("/status-429"), OK);
	ck_assert_int_eq(a.status, 429);
	ck_assert_str_eq(a.content_type, "application/json");
	ck_assert_str_eq(a.etag, "\"abc\"");
	ck_assert_ptr_nonnull(strstr(a.body, "asked for"));
	ck_assert_uint_eq(a.body_len, strlen(a.body));
	ck_assert_int_eq(a.content_bytes, (int64_t)a.body_len);
}
END_TEST

START_TEST(a_folded_etag_counts_as_none)
{
	ck_assert_int_eq(do_get("/folded/"), OK);
	ck_assert_int_eq(a.status, 200);
	ck_assert_str_eq(a.content_type, "audio/wav");
	ck_assert_pstr_eq(a.etag, NULL);
	ck_assert_str_eq(a.body, "abc");
}
END_TEST

START_TEST(a_head_has_a_length_and_no_body)
{
	struct http_call call = get("/bytes/5000000");

	call.method = "HEAD";
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_int_eq(a.content_bytes, 5000000);
	ck_assert_uint_eq(a.body_len, 0);
	ck_assert_str_eq(a.body, "");
}
END_TEST

START_TEST(bytes_and_headers_go_out_as_given)
{
	const char *const headers[] = { "X-One: 1", "content-type: audio/x-test",
		NULL };
	struct http_call call = get("/echo?q=1");

	call.method = "PUT";
	call.headers = headers;
	call.body = "a\0b\r\n";
	call.body_len = 5;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_ptr_nonnull(strstr(a.body, "PUT /echo?q=1 HTTP/1.1\r\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "\r\nX-One: 1\r\n"));
	ck_assert_ptr_nonnull(strstr(a.body, "\r\ncontent-type: audio/x-test\r\n"));
	ck_assert_ptr_null(strstr(a.body, "Content-Type"));
	ck_assert_ptr_null(strstr(a.body, "Expect"));
	ck_assert_int_eq(memcmp(a.body + a.body_len - 5, "a\0b\r\n", 5), 0);
}
END_TEST

static bool
sends_cookie(const char *path, struct http_cookies *cookies)
{
	struct http_call call = get(path);

	call.cookies = cookies;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	return strstr(a.body, "\r\nCookie: a=b\r\n") != NULL;
}

START_TEST(cookies_stay_with_their_calls)
{
	struct http_cookies *these = http_cookies_new(), *others = http_cookies_new();

	ck_assert(!sends_cookie("/cookie/", NULL));
	ck_assert(!sends_cookie("/echo", NULL));
	ck_assert(!sends_cookie("/echo", these));
	ck_assert(!sends_cookie("/cookie/", these));
	ck_assert(sends_cookie("/echo", these));
	ck_assert(!sends_cookie("/echo", NULL));
	ck_assert(!sends_cookie("/echo", others));
	ck_assert(sends_cookie("/echo", these));
	http_cookies_free(these);
	http_cookies_free(others);
	ck_assert(!sends_cookie("/echo", NULL));
}
END_TEST

START_TEST(a_large_body_goes_out_whole)
{
	struct http_call call = get("/echo");

	call.method = "POST";
	call.body_len = 3 << 20;
	call.body = arena_alloc(mem, call.body_len);
	call.max_bytes = 4 << 20;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_uint_gt(a.body_len, call.body_len);
	ck_assert_ptr_nonnull(strstr(a.body, "Content-Type: application/octet-stream"));
	ck_assert_ptr_null(strcasestr(a.body, "Expect"));
}
END_TEST

START_TEST(an_empty_post_has_a_length)
{
	struct http_call call = get("/echo");

	call.method = "POST";
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_ptr_nonnull(strstr(a.body, "Content-Length: 0\r\n"));
}
END_TEST

START_TEST(a_form_carries_texts_and_files)
{
	const struct http_part parts[] = {
		{ .name = "text", .data = "a\"b", .len = 3 },
		{ .name = "bytes",
		    .data = "\0\1",
		    .len = 2,
		    .filename = "b.bin",
		    .mime_type = "audio/wav" },
		{ .name = "file", .data = "", .filename = "e\"x\r\ne" },
	};
	struct http_call call = get("/echo");

	call.method = "POST";
	call.parts = parts;
	call.nparts = 3;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_ptr_nonnull(strstr(a.body, "Content-Type: multipart/form-data"));
	ck_assert_ptr_nonnull(strstr(a.body, "; name=\"text\"\r\n\r\na\"b\r\n--"));
	ck_assert_ptr_nonnull(strstr(a.body, "name=\"bytes\"; filename=\"b.bin\"\r\n"
					     "Content-Type: audio/wav\r\n\r\n"));
	ck_assert_ptr_nonnull(memmem(a.body, a.body_len, "e%22x%0D%0Ae", 12));
}
END_TEST

START_TEST(a_header_cannot_smuggle_another)
{
	const char *const headers[] = { "X-Key: a\r\nX-Evil: b", NULL };
	struct http_call call = get("/echo");

	call.headers = headers;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_REFUSED);
}
END_TEST

static bool
take(void *so_far, const void *p, size_t n)
{
	buf_put(so_far, p, n);
	return true;
}

START_TEST(a_taker_gets_what_was_asked_for_and_no_error_pages)
{
	struct http_call call = get("/bytes/100000");
	struct buf taken = { .mem = mem };

	call.take = take;
	call.arg = &taken;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_uint_eq(a.body_len, 100000);
	ck_assert_str_eq(a.body, "");
	call.url = get("/status-404").url;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_ptr_nonnull(strstr(a.body, "asked for"));
	ck_assert_uint_eq(taken.len, 100000);
}
END_TEST

static bool
take_one(void *pieces, const void *p, size_t n)
{
	(void)p, (void)n;
	++*(int *)pieces;
	return false;
}

START_TEST(a_call_ends_when_no_more_is_wanted)
{
	struct http_call call = get("/bytes/5000000");
	int pieces = 0;

	call.take = take_one;
	call.arg = &pieces;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_int_eq(a.status, 200);
	ck_assert_int_eq(pieces, 1);
}
END_TEST

START_TEST(an_answer_that_is_too_large_is_refused_or_cut)
{
	struct http_call call = get("/bytes/100000");
	const char *why = NULL;

	call.max_bytes = 99999;
	call.why = &why;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_REFUSED);
	ck_assert_str_eq(why, "the answer is too large");
	call.cut = true;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_int_eq(a.status, 200);
	ck_assert_uint_eq(a.body_len, 99999);
}
END_TEST

START_TEST(an_answer_says_when_to_come_again)
{
	ck_assert_int_eq(do_get("/status-429"), OK);
	ck_assert_int_eq(a.retry_after_s, 7);
	ck_assert_int_eq(do_get("/status-404"), OK);
	ck_assert_int_eq(a.retry_after_s, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("http");
	TCase *t = http_case();

	tcase_add_test(t, an_answer_of_any_status_is_told_whole);
	tcase_add_test(t, an_answer_that_is_too_large_is_refused_or_cut);
	tcase_add_test(t, an_answer_says_when_to_come_again);
	tcase_add_test(t, a_folded_etag_counts_as_none);
	tcase_add_test(t, a_head_has_a_length_and_no_body);
	tcase_add_test(t, bytes_and_headers_go_out_as_given);
	tcase_add_test(t, cookies_stay_with_their_calls);
	tcase_add_test(t, a_large_body_goes_out_whole);
	tcase_add_test(t, an_empty_post_has_a_length);
	tcase_add_test(t, a_form_carries_texts_and_files);
	tcase_add_test(t, a_header_cannot_smuggle_another);
	tcase_add_test(t, a_taker_gets_what_was_asked_for_and_no_error_pages);
	tcase_add_test(t, a_call_ends_when_no_more_is_wanted);
	suite_add_tcase(s, t);
	return unit_run(s);
}
