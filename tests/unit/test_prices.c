/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prices and usage, as clients read them. */
#define UNIT_TEST
#include "cgi-bin/balance.c"

#include "tests/unit/unit.h"

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, ledger_sql, NULL };

	fixture_open("balance", balance_routes, prepared);
}

START_TEST(prices_are_those_that_are_set)
{
	struct response a;

	fixture.app.conf.price_tts_micro = 1500001;
	a = ask("GET /payments/v2/prices", NULL);
	answered(a, 200);
	is(a, "/data",
	    "{\"s2s\":30,\"captions\":10,\"stt\":2,\"broadcast\":80,\"tts\":1.500001,"
	    "\"usd_per_credit\":1}");
}
END_TEST

#define USAGE "GET /payments/v2/usage"

static void
use(const char *account, int day, const char *kind, int seconds)
{
	sql(arena_printf(fixture.mem,
	    "INSERT INTO usage_hours VALUES ('%s', 1794268800000000 + 86400000000 * %d,"
	    " '%s', '', '', %d, 0, 1000000)",
	    account, day, kind, seconds));
}

START_TEST(usage_comes_in_pages_from_the_last_day_on)
{
	const char *next;
	struct response a;

	use(fixture_account(), 0, "s2s", 99);
	for (int day = 0; day < 5; day++)
		use(fixture.account, day, day < 3 ? "s2s" : "stt", day + 1);
	a = ask(USAGE "?page_size=3&from=2026-11-11T00:00:00Z", NULL);
	answered(a, 200);
	is(a, "/data/count", "3");
	is(a, "/data/items/0",
	    "{\"group\":\"day\",\"key\":\"2026-11-14\",\"seconds\":5,\"characters\":0,"
	    "\"credits\":1}");
	next = arena_str(fixture.mem, said(&a, "/data/next"));
	a = ask(arena_printf(fixture.mem, USAGE "?token=%s", next), NULL);
	answered(a, 200);
	is(a, "/data/count", "1");
	is(a, "/data/items/0/key", "2026-11-11");
	is(a, "/data/next", "null");
	a = ask(arena_printf(
		    fixture.mem, USAGE "?token=%s&from=2026-11-20T00:00:00Z", next),
	    NULL);
	refused(a, 400, "invalid-page-token");
	a = ask(USAGE "?group=kind&sort=asc&page_size=1", NULL);
	is(a, "/data/items/0/key", "s2s");
	is(a, "/data/items/0/seconds", "6");
	next = arena_str(fixture.mem, said(&a, "/data/next"));
	a = ask(arena_printf(fixture.mem, USAGE "?token=%s", next), NULL);
	is(a, "/data/items/0/key", "stt");
	is(a, "/data/next", "null");
	a = ask(USAGE "?group=channel", NULL);
	is(a, "/data/items/0/key", "null");
}
END_TEST

START_TEST(usage_of_one_kind_comes_by_day)
{
	struct response a;
	const char *next;

	use(fixture.account, 0, "s2s", 5);
	use(fixture.account, 0, "stt", 7);
	use(fixture.account, 1, "stt", 3);
	use(fixture.account, 2, "s2s", 1);
	a = ask(USAGE "?kind=stt&page_size=1", NULL);
	answered(a, 200);
	is(a, "/data/items/0/key", "2026-11-11");
	is(a, "/data/items/0/seconds", "3");
	next = arena_str(fixture.mem, said(&a, "/data/next"));
	a = ask(arena_printf(fixture.mem, USAGE "?token=%s", next), NULL);
	is(a, "/data/count", "1");
	is(a, "/data/items/0/seconds", "7");
	is(a, "/data/next", "null");
	a = ask(USAGE "?kind=tts", NULL);
	is(a, "/data/count", "0");
}
END_TEST

static const char *const wrong_usage[] = { "?group=week", "?kind=all",
	"?from=yesterday", "?from=2026-11-21T00:00:00Z&to=2026-11-21T00:00:00Z",
	"?to=1960-01-01T00:00:00Z", "?from=2999-01-01T00:00:00Z", "?page_size=101",
	"?group=day&group=kind" };

START_TEST(a_wrong_range_of_usage_is_told)
{
	struct response a =
	    ask(arena_printf(fixture.mem, USAGE "%s", wrong_usage[_i]), NULL);

	refused(a, 422, "validation-error");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("prices");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, prices_are_those_that_are_set);
	tcase_add_test(t, usage_comes_in_pages_from_the_last_day_on);
	tcase_add_test(t, usage_of_one_kind_comes_by_day);
	tcase_add_loop_test(t, a_wrong_range_of_usage_is_told, 0, COUNT(wrong_usage));
	suite_add_tcase(s, t);
	return unit_run(s);
}
