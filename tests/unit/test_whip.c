/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of WHIP and WHEP. The suite whip of tests/e2e has the rest. */
#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "participant/ice_servers.h"
#include "participant/whip.h"
#include "tests/unit/unit.h"

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

START_TEST(links_name_servers_with_credentials)
{
	struct conf c = { .rtc_ice_servers =
			      "stun:stun.example.org, turns:turn.example.org",
		.rtc_turn_secret = "secret" };
	const char *turn = whip_link(&c, mem, "it", 1);

	ck_assert_str_eq(
	    whip_link(&c, mem, "it", 0), "<stun:stun.example.org>; rel=\"ice-server\"");
	ck_assert_ptr_eq(
	    strstr(turn, "<turns:turn.example.org>; rel=\"ice-server\"; username=\""),
	    turn);
	ck_assert_ptr_nonnull(strstr(turn, ":it\"; credential=\""));
	ck_assert_ptr_nonnull(strstr(turn, "; credential-type=\"password\""));
	ck_assert_ptr_null(whip_link(&c, mem, "it", 2));
}
END_TEST

/* The password is the HMAC of a username that begins with the end of its validity. */
START_TEST(credentials_live_as_long_as_the_setting_says)
{
	struct conf c = { .rtc_ice_servers = "turns:turn.example.org",
		.rtc_turn_secret = "secret",
		.rtc_turn_life_s = 600 };
	size_t n;
	const struct signal_ice_server *turn = ice_servers(&c, mem, "it", &n);
	long long left_s = atoll(turn->username) - now_us() / S_US;
	unsigned char mac[SHA1_BYTES];

	ck_assert_uint_eq(n, 1);
	ck_assert(left_s > 590 && left_s <= 600);
	ck_assert_str_eq(strchr(turn->username, ':'), ":it");
	hmac_sha1("secret", 6, turn->username, strlen(turn->username), mac);
	ck_assert_str_eq(turn->credential, base64(mem, mac, sizeof(mac)));
}
END_TEST

START_TEST(there_may_be_no_servers)
{
	struct conf c = { .rtc_ice_servers = "" };

	ck_assert_ptr_null(whip_link(&c, mem, "it", 0));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("whip");
	TCase *t = tcase_create("headers");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, links_name_servers_with_credentials);
	tcase_add_test(t, credentials_live_as_long_as_the_setting_says);
	tcase_add_test(t, there_may_be_no_servers);
	suite_add_tcase(s, t);
	return unit_run(s);
}
