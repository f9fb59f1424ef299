/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "rtc/ice.h"
#include "tests/unit/suite.h"

static struct arena *mem;

static void
set_up(void)
{
	mem = arena_new();
}

static void
tear_down(void)
{
	arena_free(mem);
}

/* Returns a line for each candidate: "foundation protocol priority address port". */
static const char *
told(const char *listen, const char *address, bool tcp)
{
	const struct ice_addresses at = { listen, address, 8794, tcp };
	struct buf b = { .mem = mem };
	size_t n;
	const struct ice_candidate *c = ice_candidates(mem, &at, &n);

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%u %s %u %s %d\n", c[i].foundation,
		    c[i].tcp ? "tcp" : "udp", c[i].priority, c[i].address, c[i].port);
	return buf_text(&b);
}

START_TEST(an_address_has_a_candidate_for_udp_and_one_for_tcp)
{
	ck_assert_str_eq(told("0.0.0.0", "198.51.100.7", true),
	    "1 udp 2130706431 198.51.100.7 8794\n"
	    "2 tcp 1671430143 198.51.100.7 8794\n");
	ck_assert_str_eq(told("0.0.0.0", "198.51.100.7", false),
	    "1 udp 2130706431 198.51.100.7 8794\n");
}
END_TEST

START_TEST(public_addresses_are_told_first)
{
	ck_assert_str_eq(
	    told("0.0.0.0", "127.0.0.1,10.1.2.3, 198.51.100.7,fd00::1,2001:DB8::7",
		false),
	    "1 udp 2130706431 198.51.100.7 8794\n"
	    "3 udp 2130706175 2001:db8::7 8794\n"
	    "5 udp 2130705919 10.1.2.3 8794\n"
	    "7 udp 2130705663 fd00::1 8794\n"
	    "9 udp 2130705407 127.0.0.1 8794\n");
	ck_assert_str_eq(told("0.0.0.0", "10.1.2.3,198.51.100.7", true),
	    "1 udp 2130706431 198.51.100.7 8794\n"
	    "2 tcp 1671430143 198.51.100.7 8794\n"
	    "3 udp 2130706175 10.1.2.3 8794\n"
	    "4 tcp 1671429887 10.1.2.3 8794\n");
}
END_TEST

START_TEST(addresses_bound_are_told_when_none_are_given)
{
	ck_assert_str_eq(
	    told("127.0.0.1", "", false), "1 udp 2130706431 127.0.0.1 8794\n");
	ck_assert_str_eq(told("127.0.0.1,::1", "", false),
	    "1 udp 2130706431 127.0.0.1 8794\n"
	    "3 udp 2130706175 ::1 8794\n");
}
END_TEST

START_TEST(an_address_given_twice_is_told_once)
{
	ck_assert_str_eq(told("", "2001:db8::7,2001:db8:0::7,2001:db8::7", false),
	    "1 udp 2130706431 2001:db8::7 8794\n");
}
END_TEST

START_TEST(words_that_are_no_addresses_are_not_told)
{
	ck_assert_str_eq(told("",
			     "dragoman.example.org,,1.2.3,198.51.100.7:80, ,"
			     "0000000000000000000000000000000000000000000000001",
			     true),
	    "");
}
END_TEST

START_TEST(many_addresses_are_cut)
{
	struct buf b = { .mem = mem };
	const struct ice_addresses at = { "", NULL, 1, true };
	struct ice_addresses many = at;
	size_t n;

	for (int i = 0; i < 40; i++)
		buf_printf(&b, "10.0.0.%d,", i + 1);
	buf_str(&b, "198.51.100.7");
	many.address = buf_text(&b);
	ck_assert_str_eq(ice_candidates(mem, &many, &n)[0].address, "198.51.100.7");
	ck_assert_uint_eq(n, 32);
}
END_TEST

/* Compares the addresses of this host with the output of its own tools. */
START_TEST(a_wildcard_stands_for_the_addresses_of_interfaces)
{
	const struct ice_addresses at = { "0.0.0.0", "", 8794, false };
	char line[64];
	size_t n, shown = 0;
	const struct ice_candidate *c = ice_candidates(mem, &at, &n);
	FILE *ip = popen("ip -4 -o addr show up scope global 2>/dev/null |"
			 " awk '{ sub(\"/.*\", \"\", $4); print $4 }' | sort -u",
	    "r");

	ck_assert_uint_gt(n, 0);
	ck_assert_ptr_nonnull(ip);
	while (fgets(line, sizeof(line), ip) != NULL) {
		bool found = false;

		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < n; i++)
			found |= strcmp(c[i].address, line) == 0;
		ck_assert_msg(found, "%s", line);
		shown++;
	}
	pclose(ip);
	for (size_t i = 0; i < n; i++) {
		bool loopback = strncmp(c[i].address, "127.", 4) == 0;

		ck_assert_ptr_null(strchr(c[i].address, ':'));
		ck_assert_msg(!loopback || shown == 0, "%s", c[i].address);
	}
}
END_TEST

START_TEST(a_wildcard_of_ipv6_stands_for_addresses_of_ipv6)
{
	const struct ice_addresses at = { "::", "", 8794, false };
	size_t n;
	const struct ice_candidate *c = ice_candidates(mem, &at, &n);

	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_nonnull(strchr(c[i].address, ':'));
		ck_assert_int_ne(strncmp(c[i].address, "fe80", 4), 0);
	}
}
END_TEST

static const struct {
	const char *address;
	bool is_public;
} kinds[] = { { "198.51.100.7", true }, { "9.255.255.255", true },
	{ "10.0.0.1", false }, { "11.0.0.1", true }, { "100.63.255.255", true },
	{ "100.64.0.1", false }, { "100.127.255.255", false }, { "100.128.0.1", true },
	{ "127.8.9.1", false }, { "169.254.1.1", false }, { "172.15.0.1", true },
	{ "172.16.0.1", false }, { "172.31.255.255", false }, { "172.32.0.1", true },
	{ "192.168.255.1", false }, { "192.169.0.1", true }, { "224.0.0.1", false },
	{ "255.255.255.255", false }, { "0.0.0.0", false }, { "2001:db8::1", true },
	{ "3fff::1", true }, { "4000::1", false }, { "::1", false }, { "::", false },
	{ "fe80::1", false }, { "fd12::1", false }, { "ff02::1", false },
	{ "::ffff:198.51.100.7", false }, { "", false },
	{ "dragoman.example.org", false } };

START_TEST(public_addresses_are_told_from_others)
{
	ck_assert_msg(ice_is_public(kinds[_i].address) == kinds[_i].is_public, "%s",
	    kinds[_i].address);
}
END_TEST

START_TEST(credentials_are_random_ice_chars)
{
	struct ice_credentials a, b;
	bool seen[128] = { false };
	int different = 0;

	ice_credentials_new(&a);
	for (int i = 0; i < 200; i++) {
		ice_credentials_new(&b);
		ck_assert_uint_eq(strlen(b.ufrag), 8);
		ck_assert_uint_eq(strlen(b.pwd), 24);
		ck_assert_str_ne(a.ufrag, b.ufrag);
		ck_assert_str_ne(a.pwd, b.pwd);
		for (const char *p = b.pwd; *p != '\0'; p++)
			seen[(unsigned char)*p & 127] = true;
	}
	for (int c = 0; c < 128; c++) {
		bool ice = strchr("+/", c) != NULL || (c >= '0' && c <= '9') ||
			   ((c | 32) >= 'a' && (c | 32) <= 'z');

		ck_assert_msg(!seen[c] || ice, "%c", c);
		different += seen[c];
	}
	ck_assert_int_eq(different, 64);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ice");
	TCase *t = tcase_create("candidates");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, an_address_has_a_candidate_for_udp_and_one_for_tcp);
	tcase_add_test(t, public_addresses_are_told_first);
	tcase_add_test(t, addresses_bound_are_told_when_none_are_given);
	tcase_add_test(t, an_address_given_twice_is_told_once);
	tcase_add_test(t, words_that_are_no_addresses_are_not_told);
	tcase_add_test(t, many_addresses_are_cut);
	tcase_add_test(t, a_wildcard_stands_for_the_addresses_of_interfaces);
	tcase_add_test(t, a_wildcard_of_ipv6_stands_for_addresses_of_ipv6);
	tcase_add_loop_test(t, public_addresses_are_told_from_others, 0, COUNT(kinds));
	tcase_add_test(t, credentials_are_random_ice_chars);
	suite_add_tcase(s, t);
	return unit_run(s);
}
