/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks of addresses, by which every rate limit counts. */
#include "base/network.h"
#include "tests/unit/toy.h"

static const struct {
	const char *address, *network;
} networks[] = {
	{ "192.0.2.7", "192.0.2.7" },
	{ "127.0.0.1", "127.0.0.1" },
	{ "::ffff:192.0.2.7", "192.0.2.7" },
	{ "::FFFF:c000:207", "192.0.2.7" },
	{ "2001:db8:1:2::1", "2001:db8:1:2::/64" },
	{ "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64" },
	{ "2001:db8:1:3::1", "2001:db8:1:3::/64" },
	{ "2001:db8::1", "2001:db8::/64" },
	{ "fe80::1%eth0", "fe80::/64" },
	{ "::1", "::/64" },
	{ "192.0.2", "192.0.2" },
	{ "2001:db8:1:2::1:", "2001:db8:1:2::1:" },
	{ "unknown", "unknown" },
	{ "", "" },
};

START_TEST(an_address_counts_by_itself_and_an_ipv6_one_by_its_64_bits)
{
	ck_assert_str_eq(
	    network_of(fixture.mem, networks[_i].address), networks[_i].network);
}
END_TEST

static int
fail_from(const char *peer)
{
	fixture.peer = peer;
	fixture.bearer = "Bearer guess";
	return ask("GET /toys", NULL).status;
}

START_TEST(failures_of_one_customer_count_together)
{
	fixture.app.conf.rate_auth_failures_per_min = 3;
	ck_assert_int_eq(fail_from("2001:db8:1:2::1"), 401);
	ck_assert_int_eq(fail_from("2001:db8:1:2::2"), 401);
	ck_assert_int_eq(fail_from("2001:db8:1:2:3:4:5:6"), 401);
	ck_assert_int_eq(fail_from("2001:db8:1:2::7"), 429);
	ck_assert_int_eq(fail_from("2001:db8:1:3::1"), 401);
	ck_assert_int_eq(fail_from("192.0.2.1"), 401);
	ck_assert_int_eq(fail_from("192.0.2.2"), 401);
}
END_TEST

static int
look_from(const char *peer)
{
	fixture.peer = peer;
	return ask("GET /public", NULL).status;
}

START_TEST(the_public_rate_of_one_customer_is_one)
{
	fixture.app.conf.rate_public_per_min = 2;
	ck_assert_int_eq(look_from("2001:db8:1:2::1"), 200);
	ck_assert_int_eq(look_from("2001:db8:1:2::2"), 200);
	ck_assert_int_eq(look_from("2001:db8:1:2::3"), 429);
	ck_assert_int_eq(look_from("2001:db8:1:4::3"), 200);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("network");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, toy_setup, fixture_close);
	tcase_add_loop_test(t,
	    an_address_counts_by_itself_and_an_ipv6_one_by_its_64_bits, 0,
	    COUNT(networks));
	tcase_add_test(t, failures_of_one_customer_count_together);
	tcase_add_test(t, the_public_rate_of_one_customer_is_one);
	suite_add_tcase(s, t);
	return unit_run(s);
}
