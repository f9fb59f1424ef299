/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refusals, time limits and connections of the HTTP client. */
#include <arpa/inet.h>
#include <pthread.h>

#include "base/clock.h"
#include "net/address.h"
#include "tests/unit/http_fixture.h"

static int
connections(void)
{
	return engine_server_count(&server, mem, "connections");
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
	/* the child that sends the request */
	ck_assert_int_eq(connections(), before + 1);
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

static void *
call_thrice(void *arg)
{
	struct arena *own = arena_new();
	struct http_call call = *(const struct http_call *)arg;
	struct http_answer answer;

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(http_do(own, &call, &answer), OK);
	arena_free(own);
	return NULL;
}

START_TEST(calls_of_other_threads_share_it)
{
	int before = connections();
	struct http_call call = get("/bytes/10");
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(pthread_create(&thread, NULL, call_thrice, &call), 0);
		pthread_join(thread, NULL);
	}
	ck_assert_int_eq(connections(), before);
}
END_TEST

static bool
third_time(void *asked)
{
	return ++*(int *)asked == 3;
}

START_TEST(an_unwanted_call_ends_long_before_its_time)
{
	struct http_call call = get("/silent/");
	int64_t since_us = monotonic_us();
	int asked = 0;

	call.timeout_ms = 50000;
	call.unwanted = third_time;
	call.arg = &asked;
	ck_assert_int_eq(http_do(mem, &call, &a), ERR_BUSY);
	ck_assert_int_eq(asked, 3);
	ck_assert_int_lt(monotonic_us() - since_us, 25 * S_US);
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
	ck_assert_int_le(took_ms, 5000);
}
END_TEST

static const struct {
	const char *url; /* "/...": a path of our server */
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
	ck_assert_str_eq(http_loggable_url(mem, shown[_i].url), shown[_i].shown);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("net");
	TCase *t = http_case();

	tcase_add_test(t, public_addresses_are_told_from_the_rest);
	tcase_add_test(t, a_kept_connection_is_not_lent_to_a_call_that_may_do_less);
	tcase_add_test(t, calls_in_a_row_share_a_connection);
	tcase_add_test(t, calls_of_other_threads_share_it);
	tcase_add_test(t, an_unwanted_call_ends_long_before_its_time);
	tcase_add_test(t, a_call_of_its_own_takes_a_new_connection);
	tcase_add_test(t, a_forked_child_leaves_the_connections_of_its_parent_alone);
	tcase_add_test(t, a_redirect_is_an_answer_and_not_followed);
	tcase_add_test(t, an_answer_may_be_as_large_as_allowed_and_no_larger);
	tcase_add_test(t, the_environment_has_no_say);
	tcase_add_loop_test(t, a_private_address_is_refused_however_it_is_written, 0,
	    COUNT(forbidden_hosts));
	tcase_add_loop_test(
	    t, other_schemes_and_broken_urls_are_refused, 0, COUNT(forbidden_urls));
	tcase_add_loop_test(t, a_status_has_its_verdict, 0, COUNT(verdicts));
	tcase_add_loop_test(t, the_deadline_holds, 0, COUNT(slow));
	tcase_add_loop_test(
	    t, a_broken_call_says_whether_another_try_is_worth_it, 0, COUNT(broken));
	tcase_add_loop_test(t, logs_show_no_secret_of_a_url, 0, COUNT(shown));
	suite_add_tcase(s, t);
	return unit_run(s);
}
