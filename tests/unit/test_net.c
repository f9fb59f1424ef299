#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "net/address.h"
#include "net/http.h"
#include "tests/engine-server.h"

static struct engine_server server;
static struct arena *mem;
static struct http_answer a;

#define COUNT(t) (int)(sizeof(t) / sizeof((t)[0]))

static void
start(void)
{
	server = engine_server_start();
}

static void
stop(void)
{
	engine_server_stop(&server);
}

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	http_close();
	arena_free(mem);
}

static const char *
url(const char *path)
{
	return arena_printf(mem, "http://127.0.0.1:%d%s", server.port, path);
}

/* A call to our server, to be changed before it is made. */
static struct http_call
get(const char *path)
{
	return (struct http_call){
		.method = "GET",
		.url = url(path),
		.timeout_ms = 5000,
		.max_bytes = 1 << 20,
		.allow_private = true,
	};
}

static enum err
do_get(const char *path)
{
	struct http_call call = get(path);

	return http_do(mem, &call, &a);
}

/* How many connections our server has accepted; asking takes none. */
static int
connections(void)
{
	const char *why;

	ck_assert_int_eq(do_get("/count"), OK);
	return (int)json_get_real(
	    json_read(mem, a.body, a.body_len, &why), "connections", -1);
}

static const char *const public_ips[] = { "1.1.1.1", "9.255.255.255", "11.0.0.0",
	"100.63.255.255", "100.128.0.0", "169.253.255.255", "172.15.255.255",
	"172.32.0.0", "192.167.255.255", "198.17.255.255", "198.20.0.0",
	"223.255.255.255", "64:ff9b::8.8.8.8", "2001:200::1", "2606:4700:4700::1111",
	"3fff:1000::1" };

static const char *const special_ips[] = { "0.0.0.0", "0.1.2.3", "10.0.0.0",
	"10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
	"127.255.255.254", "169.254.169.254", "172.16.0.0", "172.31.255.255",
	"192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
	"198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255",
	"240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1",
	"::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1",
	"2001::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "4000::1",
	"fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1" };

static bool
is_public(const char *ip)
{
	int family = strchr(ip, ':') != NULL ? AF_INET6 : AF_INET;
	struct in6_addr raw;

	ck_assert_int_eq(inet_pton(family, ip, &raw), 1);
	ck_assert(!address_is_public(AF_UNIX, &raw));
	return address_is_public(family, &raw);
}

START_TEST(public_addresses_are_told_from_the_rest)
{
	for (int i = 0; i < COUNT(public_ips); i++)
		ck_assert_msg(is_public(public_ips[i]), "%s", public_ips[i]);
	for (int i = 0; i < COUNT(special_ips); i++)
		ck_assert_msg(!is_public(special_ips[i]), "%s", special_ips[i]);
}
END_TEST

static const char *const forbidden_hosts[] = { "127.0.0.1", "127.1", "2130706433",
	"0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "localhost", "LOCALHOST",
	"x.localhost", "user:secret@127.0.0.1", "example.org@127.0.0.1", "0.0.0.0", "0",
	"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
	"[64:ff9b::7f00:1]", "[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[ff02::1]",
	"[2002:7f00:1::1]", "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1",
	"169.254.169.254", "0xa9fea9fe", "224.0.0.1", "255.255.255.255" };

START_TEST(a_private_address_is_refused_however_it_is_written)
{
	int before = connections();
	struct http_call call = get("/echo");

	http_close();
	call.allow_private = false;
	call.url =
	    arena_printf(mem, "http://%s:%d/echo", forbidden_hosts[_i], server.port);
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_REFUSED);
	ck_assert_int_eq(connections(), before + 1); /* the one that asks */
}
END_TEST

static const char *const forbidden_urls[] = { "", "127.0.0.1", "example.org/", "//a/",
	"file:///etc/passwd", "ftp://192.0.2.1/", "gopher://127.0.0.1/",
	"dict://127.0.0.1/", "scp://a/b", "smb://a/b", "telnet://127.0.0.1",
	"ldap://127.0.0.1", "javascript:alert(1)", "http://", "http://[::1",
	"http://a b/", "http://127.0.0.1:99999/", "http://a\r\nX: y/" };

START_TEST(other_schemes_and_broken_urls_are_refused)
{
	struct http_call call = get("/");

	call.url = forbidden_urls[_i];
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_REFUSED);
}
END_TEST

START_TEST(a_kept_connection_is_not_lent_to_a_call_that_may_do_less)
{
	int before = connections();
	struct http_call call = get("/echo");

	call.allow_private = false;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_REFUSED);
	ck_assert_int_eq(do_get("/echo"), OK);
	ck_assert_int_le(connections(), before + 1);
}
END_TEST

START_TEST(calls_in_a_row_share_a_connection)
{
	int before = connections();

	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(do_get("/bytes/10"), OK);
	ck_assert_int_eq(connections(), before);
}
END_TEST

START_TEST(a_call_of_its_own_takes_a_new_connection)
{
	int before = connections();
	struct http_call call = get("/lost/echo");

	call.method = "POST";
	call.once = true;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_TIMEOUT);
	ck_assert_int_eq(connections(), before + 1);
}
END_TEST

START_TEST(a_forked_child_leaves_the_connections_of_its_parent_alone)
{
	int before = connections(), status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(do_get("/echo") == OK && connections() == before + 1 ? 0 : 1);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(connections(), before + 1);
}
END_TEST

START_TEST(a_redirect_is_an_answer_and_not_followed)
{
	ck_assert_int_eq(do_get("/redirect/echo"), OK);
	ck_assert_int_eq(a.status, 302);
	ck_assert_int_eq(http_verdict(a.status), ERR_REFUSED);
	ck_assert_uint_eq(a.body_len, 0);
}
END_TEST

static const struct {
	int status;
	enum err e;
} verdicts[] = { { 200, OK }, { 201, OK }, { 204, OK }, { 299, OK },
	{ 300, ERR_REFUSED }, { 304, ERR_REFUSED }, { 400, ERR_REFUSED },
	{ 401, ERR_REFUSED }, { 404, ERR_REFUSED }, { 408, ERR_BUSY },
	{ 409, ERR_REFUSED }, { 422, ERR_REFUSED }, { 429, ERR_BUSY },
	{ 499, ERR_REFUSED }, { 500, ERR_BUSY }, { 503, ERR_BUSY },
	{ 0, ERR_REFUSED } };

START_TEST(a_status_has_its_verdict)
{
	ck_assert_int_eq(http_verdict(verdicts[_i].status), verdicts[_i].e);
}
END_TEST

START_TEST(an_answer_of_any_status_is_told_whole)
{
	ck_assert_int_eq(do_get("/status-429"), OK);
	ck_assert_int_eq(a.status, 429);
	ck_assert_int_eq(a.retry_after_s, 7);
	ck_assert_str_eq(a.content_type, "application/json");
	ck_assert_str_eq(a.etag, "\"abc\"");
	ck_assert_ptr_nonnull(strstr(a.body, "asked for"));
	ck_assert_uint_eq(a.body_len, strlen(a.body));
	ck_assert_int_eq(a.content_bytes, (int64_t)a.body_len);
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

START_TEST(an_answer_may_be_as_large_as_allowed_and_no_larger)
{
	struct http_call call = get("/bytes/100000");

	call.max_bytes = 100000;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_uint_eq(a.body_len, 100000);
	call.max_bytes = 99999;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_REFUSED);
	ck_assert_int_eq(do_get("/flood/"), ERR_REFUSED);
}
END_TEST

static const char *const slow[] = { "/silent/", "/drip/" };

START_TEST(the_deadline_holds)
{
	int64_t began = monotonic_us(), took_ms;
	struct http_call call = get(slow[_i]);

	call.timeout_ms = 300;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_TIMEOUT);
	took_ms = (monotonic_us() - began) / 1000;
	ck_assert_int_ge(took_ms, 290);
	ck_assert_int_le(took_ms, 1500);
}
END_TEST

static const struct {
	const char *url; /* "/...": of our server */
	enum err e;
} broken[] = {
	{ "/cut/", ERR_TIMEOUT },
	{ "/lost/", OK },
	{ "/garbage/", ERR_REFUSED },
	{ "/headers/", ERR_REFUSED },
	{ "http://127.0.0.1:1/", ERR_TIMEOUT },
	{ "http://no-such-host.invalid/", ERR_TIMEOUT },
};

START_TEST(a_broken_call_says_whether_another_try_is_worth_it)
{
	struct http_call call = get(broken[_i].url);

	if (*broken[_i].url != '/')
		call.url = broken[_i].url;
	ck_assert_int_eq(http_do(mem, &call, &a), broken[_i].e);
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
	char name[] = "/tmp/test_net.XXXXXX";
	const struct http_part parts[] = {
		{ .name = "text", .data = "a\"b", .len = 3 },
		{ .name = "bytes",
		    .data = "\0\1",
		    .len = 2,
		    .filename = "b.bin",
		    .mime_type = "audio/wav" },
		{ .name = "file", .path = name, .filename = "e\"x\r\ne" },
	};
	struct http_call call = get("/echo");
	int fd = mkstemp(name);

	ck_assert_int_eq(write(fd, "on disk", 7), 7);
	close(fd);

	call.method = "POST";
	call.parts = parts;
	call.nparts = 3;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	unlink(name);
	ck_assert_ptr_nonnull(strstr(a.body, "Content-Type: multipart/form-data"));
	ck_assert_ptr_nonnull(strstr(a.body, "; name=\"text\"\r\n\r\na\"b\r\n--"));
	ck_assert_ptr_nonnull(strstr(a.body, "name=\"bytes\"; filename=\"b.bin\"\r\n"
					     "Content-Type: audio/wav\r\n\r\n"));
	ck_assert_ptr_nonnull(memmem(a.body, a.body_len, "e%22x%0D%0Ae", 12));
	ck_assert_ptr_nonnull(memmem(a.body, a.body_len, "\r\n\r\non disk\r\n--", 15));
}
END_TEST

START_TEST(a_file_that_is_not_there_is_our_fault)
{
	const struct http_part part = { .name = "file", .path = "/nonexistent" };
	struct http_call call = get("/echo");

	call.method = "POST";
	call.parts = &part;
	call.nparts = 1;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_FAILED);
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

START_TEST(a_sink_takes_what_was_asked_for_and_no_error_pages)
{
	char name[] = "/tmp/test_net.XXXXXX";
	struct http_call call = get("/bytes/100000");

	call.sink = mkstemp(name);
	ck_assert_int_gt(call.sink, 0);
	unlink(name);
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_uint_eq(a.body_len, 100000);
	ck_assert_str_eq(a.body, "");
	call.url = url("/status-404");
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	ck_assert_ptr_nonnull(strstr(a.body, "asked for"));
	ck_assert_int_eq(lseek(call.sink, 0, SEEK_END), 100000);
	close(call.sink);
}
END_TEST

START_TEST(a_full_sink_is_our_fault)
{
	struct http_call call = get("/bytes/100000");

	call.sink = open("/dev/full", O_WRONLY);
	ck_assert_int_gt(call.sink, 0);
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_FAILED);
	close(call.sink);
}
END_TEST

START_TEST(the_environment_has_no_say)
{
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
	ck_assert_int_eq(do_get("/echo"), OK);
	ck_assert_int_eq(a.status, 200);
	ck_assert_ptr_null(strcasestr(a.body, "Cookie"));
}
END_TEST

static const struct {
	const char *url, *shown;
} shown[] = {
	{ "https://api.example.org/v1/x?key=secret#f",
	    "https://api.example.org:443/v1/x" },
	{ "http://user:secret@host:8080/a", "http://host:8080/a" },
	{ "http://user:sec?ret@host/a", "(no URL)" },
	{ "http://user:sec/ret@host/a", "(no URL)" },
	{ "http://us:er:s@cret@host/a", "(no URL)" },
	{ "secret", "(no URL)" },
	{ "", "(no URL)" },
};

START_TEST(logs_show_no_secret_of_a_url)
{
	ck_assert_str_eq(http_shown(mem, shown[_i].url), shown[_i].shown);
}
END_TEST

/* The value of a header that our server got. */
static const char *
got(const char *name)
{
	const char *p = strcasestr(a.body, arena_printf(mem, "\r\n%s: ", name));

	ck_assert_msg(p != NULL, "%s", name);
	p += strlen(name) + 4;
	return arena_dup(mem, p, strcspn(p, "\r"));
}

/* What SigV4 signs, put together from what arrived. */
static const char *
canonical(const char *method, const char *path, const char *query, const char *names,
    const char *payload)
{
	struct buf b = { .mem = mem };
	char *save, *list = arena_str(mem, names);

	buf_printf(&b, "%s\n%s\n%s\n", method, path, query);
	for (char *n = strtok_r(list, ";", &save); n; n = strtok_r(NULL, ";", &save))
		buf_printf(&b, "%s:%s\n", n, got(n));
	buf_printf(&b, "\n%s\n%s", names, hash_hex(mem, payload, strlen(payload)));
	return buf_text(&b);
}

static const char *
signature(const char *request)
{
	const char *date = got("X-Amz-Date"), *day = arena_dup(mem, date, 8), *text;
	const char *const steps[] = { day, "eu-west-1", "s3", "aws4_request" };
	unsigned char k[SHA256_BYTES];

	text =
	    arena_printf(mem, "AWS4-HMAC-SHA256\n%s\n%s/eu-west-1/s3/aws4_request\n%s",
		date, day, hash_hex(mem, request, strlen(request)));
	hmac("AWS4se:cret", 11, steps[0], 8, k);
	for (int i = 1; i < 4; i++)
		hmac(k, sizeof(k), steps[i], strlen(steps[i]), k);
	hmac(k, sizeof(k), text, strlen(text), k);
	return hex(mem, k, sizeof(k));
}

static const struct {
	const char *method, *path, *query, *body;
} signed_calls[] = {
	{ "GET", "/echo", "", "" },
	{ "GET", "/echo", "prefix=a&x=1", "" },
	{ "PUT", "/echo", "", "some bytes" },
	{ "POST", "/echo", "", "some more" },
	{ "DELETE", "/echo", "", "" },
};

START_TEST(a_signature_is_what_amazon_would_compute)
{
	const struct http_sign sign = { "eu-west-1", "s3", "AK:ID", "se:cret" };
	const char *method = signed_calls[_i].method, *query = signed_calls[_i].query;
	const char *body = signed_calls[_i].body, *auth, *names;
	struct http_call call = get("/echo");

	call.method = method;
	if (*query != '\0')
		call.url = url(arena_printf(mem, "/echo?%s", query));
	call.body = *body != '\0' ? body : NULL;
	call.body_len = strlen(body);
	call.sign = &sign;
	ck_assert_int_eq(http_do(mem, &call, &a), OK);
	auth = got("Authorization");
	ck_assert_ptr_nonnull(strstr(auth, "Credential=AK:ID/"));
	names = strstr(auth, "SignedHeaders=") + 14;
	names = arena_dup(mem, names, strcspn(names, ","));
	ck_assert_str_eq(strstr(auth, "Signature=") + 10,
	    signature(canonical(method, "/echo", query, names, body)));
}
END_TEST

static void
refusals(TCase *t)
{
	tcase_add_test(t, public_addresses_are_told_from_the_rest);
	tcase_add_loop_test(t, a_private_address_is_refused_however_it_is_written, 0,
	    COUNT(forbidden_hosts));
	tcase_add_loop_test(
	    t, other_schemes_and_broken_urls_are_refused, 0, COUNT(forbidden_urls));
	tcase_add_test(t, a_kept_connection_is_not_lent_to_a_call_that_may_do_less);
	tcase_add_test(t, a_redirect_is_an_answer_and_not_followed);
	tcase_add_test(t, an_answer_may_be_as_large_as_allowed_and_no_larger);
	tcase_add_test(t, a_header_cannot_smuggle_another);
	tcase_add_test(t, the_environment_has_no_say);
	tcase_add_loop_test(t, logs_show_no_secret_of_a_url, 0, COUNT(shown));
	tcase_add_loop_test(t, the_deadline_holds, 0, COUNT(slow));
	tcase_add_loop_test(
	    t, a_broken_call_says_whether_another_try_is_worth_it, 0, COUNT(broken));
}

static void
calls(TCase *t)
{
	tcase_add_test(t, calls_in_a_row_share_a_connection);
	tcase_add_test(t, a_call_of_its_own_takes_a_new_connection);
	tcase_add_test(t, a_forked_child_leaves_the_connections_of_its_parent_alone);
	tcase_add_loop_test(t, a_status_has_its_verdict, 0, COUNT(verdicts));
	tcase_add_test(t, an_answer_of_any_status_is_told_whole);
	tcase_add_test(t, a_head_has_a_length_and_no_body);
	tcase_add_test(t, bytes_and_headers_go_out_as_given);
	tcase_add_test(t, a_large_body_goes_out_whole);
	tcase_add_test(t, an_empty_post_has_a_length);
	tcase_add_test(t, a_form_carries_texts_and_files);
	tcase_add_test(t, a_file_that_is_not_there_is_our_fault);
	tcase_add_test(t, a_sink_takes_what_was_asked_for_and_no_error_pages);
	tcase_add_test(t, a_full_sink_is_our_fault);
	tcase_add_loop_test(
	    t, a_signature_is_what_amazon_would_compute, 0, COUNT(signed_calls));
}

int
main(void)
{
	Suite *s = suite_create("net");
	TCase *t = tcase_create("all");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_unchecked_fixture(t, start, stop);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	refusals(t);
	calls(t);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
