/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets and signatures of webhooks, and the times of further tries. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/hash.h"
#include "service/webhook.h"
#include "tests/unit/suite.h"

#define AT_S INT64_C(1795169924)

static struct arena *mem;
static struct conf conf;

static const struct webhook_delivery message = { .message = "m-1",
	.body = "{\"type\":\"webhook.test\"}" };

static void
setup(void)
{
	mem = arena_new();
	conf = (struct conf){ .master = { 7, 8, 9 } };
}

static void
teardown(void)
{
	arena_free(mem);
}

/* Returns the result of a receiver's check of the message with that secret. */
static const char *
expected(const char *secret)
{
	unsigned char sum[SHA256_BYTES];
	const char *text = arena_printf(
	    mem, "%s.%lld.%s", message.message, (long long)AT_S, message.body);
	size_t n;
	const unsigned char *key = base64_read(mem, secret + 6, strlen(secret + 6), &n);

	ck_assert_uint_eq(n, 32);
	hmac(key, n, text, strlen(text), sum);
	return arena_printf(mem, "v1,%s", base64(mem, sum, sizeof(sum)));
}

START_TEST(a_receiver_that_has_the_secret_makes_the_same_signature)
{
	const struct webhook_due w = { .id = "w", .seed = "s" };

	ck_assert_str_eq(webhook_signature(&conf, mem, &w, &message, AT_S),
	    expected(webhook_secret(&conf, mem, "w", "s")));
}
END_TEST

START_TEST(during_rotation_both_secrets_sign)
{
	struct webhook_due w = { .id = "w", .seed = "new", .old_seed = "old" };
	const char *new = expected(webhook_secret(&conf, mem, "w", "new")),
		   *old = expected(webhook_secret(&conf, mem, "w", "old"));

	w.old_until_us = AT_S * S_US + 1;
	ck_assert_str_eq(webhook_signature(&conf, mem, &w, &message, AT_S),
	    arena_printf(mem, "%s %s", new, old));
	w.old_until_us = AT_S * S_US;
	ck_assert_str_eq(webhook_signature(&conf, mem, &w, &message, AT_S), new);
}
END_TEST

START_TEST(secrets_differ_by_webhook_seed_and_key_file)
{
	const char *one = webhook_secret(&conf, mem, "w", "s");

	ck_assert_str_eq(webhook_secret(&conf, mem, "w", "s"), one);
	ck_assert_str_ne(webhook_secret(&conf, mem, "v", "s"), one);
	ck_assert_str_ne(webhook_secret(&conf, mem, "w", "t"), one);
	conf.master[0] ^= 1;
	ck_assert_str_ne(webhook_secret(&conf, mem, "w", "s"), one);
	ck_assert_str_ne(webhook_seed(mem), webhook_seed(mem));
}
END_TEST

/* Returns the seconds between the tries of the contract. */
static const int64_t waits_of[] = { 5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000,
	86400 };

START_TEST(each_wait_is_a_tenth_less_or_more)
{
	int64_t wait = waits_of[_i] * S_US, us, least = INT64_MAX, most = 0;

	for (int i = 0; i < 300; i++) {
		ck_assert(webhook_again(_i + 1, 0, &us));
		least = us < least ? us : least;
		most = us > most ? us : most;
	}
	ck_assert_int_ge(least, wait * 9 / 10);
	ck_assert_int_le(most, wait * 11 / 10);
	ck_assert_int_lt(least, wait * 95 / 100); /* they spread */
	ck_assert_int_gt(most, wait * 105 / 100);
}
END_TEST

START_TEST(the_eleventh_try_is_the_last)
{
	int64_t us;

	ck_assert(webhook_again(10, 0, &us));
	ck_assert(!webhook_again(11, 0, &us));
	ck_assert(!webhook_again(11, 60, &us));
}
END_TEST

START_TEST(what_the_endpoint_asks_for_is_obeyed_up_to_a_day)
{
	int64_t us;

	ck_assert(webhook_again(1, 3600, &us));
	ck_assert_int_eq(us, 3600 * S_US);
	ck_assert(webhook_again(1, 90000, &us));
	ck_assert_int_eq(us, 86400 * S_US);
	ck_assert(webhook_again(10, 1, &us));
	ck_assert_int_ge(us, 86400 * S_US * 9 / 10);
	ck_assert(webhook_again(1, INT64_MAX, &us));
	ck_assert_int_eq(us, 86400 * S_US);
}
END_TEST

static const struct {
	const char *url;
	bool public, private; /* allowed by webhook.allow_private */
} urls[] = {
	{ "https://example.org/hook", true, true },
	{ "https://example.org:8443/hook?a=b#c", true, true },
	{ "http://example.org/", false, true },
	{ "http://127.0.0.1:9/", false, true },
	{ "https://[::1]/", false, true },
	{ "https://[::1/", false, false },
	{ "https://[2606:4700::1111]/", true, true },
	{ "https://169.254.169.254/latest", false, true },
	{ "https://0x7f.1/", false, true },
	{ "https://a@example.org/", false, false },
	{ "https:///hook", false, false },
	{ "ftp://example.org/", false, false },
	{ "example.org", false, false },
	{ "https://example.org/a b", false, false },
	{ "http://example.org:99999/", false, false },
	{ "https://b\xc3\xbc"
	  "cher.example/",
	    false, false },
};

START_TEST(a_url_is_kept_where_it_may_be_called)
{
	conf.webhook_allow_private = false;
	ck_assert_int_eq(
	    webhook_url_fault(&conf, mem, urls[_i].url) == NULL, urls[_i].public);
	conf.webhook_allow_private = true;
	ck_assert_int_eq(
	    webhook_url_fault(&conf, mem, urls[_i].url) == NULL, urls[_i].private);
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("webhook");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_receiver_that_has_the_secret_makes_the_same_signature);
	tcase_add_test(t, during_rotation_both_secrets_sign);
	tcase_add_test(t, secrets_differ_by_webhook_seed_and_key_file);
	tcase_add_loop_test(t, each_wait_is_a_tenth_less_or_more, 0, COUNT(waits_of));
	tcase_add_test(t, the_eleventh_try_is_the_last);
	tcase_add_test(t, what_the_endpoint_asks_for_is_obeyed_up_to_a_day);
	tcase_add_loop_test(t, a_url_is_kept_where_it_may_be_called, 0, COUNT(urls));
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(all_tests());
}
