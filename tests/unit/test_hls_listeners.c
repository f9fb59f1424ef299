/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listeners by HLS, which report from time to time. */
#include "tests/unit/suite.h"

#include <string.h>

#include "base/clock.h"
#include "gateway/hls_listeners.h"

#define MOST 3 /* most listeners of a network */

static struct arena *mem;
static struct hls_listeners *listeners;
static int64_t now;

static void
setup(void)
{
	mem = arena_new();
	listeners = hls_listeners_new(mem);
	now = INT64_C(1767225600) * S_US;
}

static void
teardown(void)
{
	now += 1000000 * S_US;
	hls_listeners_expire(listeners, now);
	arena_free(mem);
}

static int64_t
report(const char *listener, const char *language, const char *network)
{
	const struct listening is = { "event", "channel", language, 0 };

	return hls_listeners_add(listeners, &is, listener, network, MOST, now);
}

/* Returns the number of a language, added to two by sockets in Spanish. */
static int64_t
counted(const char *language)
{
	struct listening sockets = { "event", "channel", "es", 2 };
	struct list all =
	    hls_listeners_counts(listeners, mem, &(const struct list){ &sockets, 1 });
	const struct listening *one = all.items;
	int64_t n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += strcmp(one[i].language, language) == 0 ? one[i].listeners : 0;
	ck_assert_int_eq(sockets.listeners, 2);
	return n;
}

START_TEST(they_are_counted_beside_sockets)
{
	ck_assert_int_eq(report("a", "es", "192.0.2.1"), HLS_LISTENERS_S);
	report("b", "de", "192.0.2.1");
	report("a", "es", "192.0.2.1"); /* again */
	ck_assert(hls_listeners_expire(listeners, now));
	ck_assert_int_eq(counted("es"), 3);
	ck_assert_int_eq(counted("de"), 1);
	ck_assert(!hls_listeners_expire(listeners, now));
	report("a", "de", "192.0.2.1"); /* another language */
	ck_assert(hls_listeners_expire(listeners, now));
	ck_assert_int_eq(counted("es"), 2);
	ck_assert_int_eq(counted("de"), 2);
}
END_TEST

START_TEST(silent_ones_are_forgotten)
{
	report("a", "es", "192.0.2.1");
	now += (HLS_LISTENERS_S + 10) * S_US; /* a report is missing */
	hls_listeners_expire(listeners, now);
	ck_assert_int_eq(counted("es"), 3);
	report("a", "es", "192.0.2.1");
	now += (HLS_LISTENERS_S + 10) * S_US;
	hls_listeners_expire(listeners, now);
	ck_assert_int_eq(counted("es"), 3);
	now += (HLS_LISTENERS_S + 10) * S_US;
	ck_assert(hls_listeners_expire(listeners, now));
	ck_assert_int_eq(counted("es"), 2);
}
END_TEST

START_TEST(a_network_has_only_so_many)
{
	for (int i = 0; i < MOST + 2; i++)
		report(arena_printf(mem, "l%d", i), "es", "192.0.2.1");
	ck_assert_int_eq(counted("es"), 2 + MOST);
	report("other", "es", "192.0.2.2");
	ck_assert_int_eq(counted("es"), 2 + MOST + 1);
	now += 1000 * S_US; /* all are gone */
	hls_listeners_expire(listeners, now);
	report("l9", "es", "192.0.2.1");
	ck_assert_int_eq(counted("es"), 3);
}
END_TEST

START_TEST(many_report_less_often)
{
	int64_t next_s = 0;

	for (int i = 0; i < HLS_LISTENERS_MOST; i++)
		next_s = report(arena_printf(mem, "l%d", i), "es",
		    arena_printf(mem, "192.0.2.%d", i));
	ck_assert_int_eq(counted("es"), 2 + HLS_LISTENERS_MOST);
	ck_assert_int_ge(next_s, 100);
	ck_assert_int_le(HLS_LISTENERS_MOST / next_s, 1000);
	ck_assert_int_eq(report("late", "es", "198.51.100.1"), 3600);
	ck_assert_int_eq(counted("es"), 2 + HLS_LISTENERS_MOST);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("hls_listeners");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, they_are_counted_beside_sockets);
	tcase_add_test(t, silent_ones_are_forgotten);
	tcase_add_test(t, a_network_has_only_so_many);
	tcase_add_test(t, many_report_less_often);
	suite_add_tcase(s, t);
	return unit_run(s);
}
