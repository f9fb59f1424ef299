/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The balance as clients read it, and the arithmetic of prices in whole micro-credits.
 */
#define UNIT_TEST
#include "cgi-bin/balance.c"

#include "tests/unit/unit.h"

#define NEW "GET /payments/v2/balance"
#define OLD "GET /billing/balance"

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, ledger_sql, NULL };

	fixture_open("balance", balance_routes, prepared);
}

static void
set_balance(int64_t micro)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE accounts SET balance_micro = %lld", (long long)micro));
}

/* ---- the two routes ---- */

static const struct {
	int64_t micro;
	const char *usd_per_credit, *price_s2s; /* NULL: the price in the settings */
	const char *credits, *usd, *minutes;
} balances[] = {
	{ 0, NULL, NULL, "0", "0", "0.00" },
	{ 120 * MICRO, NULL, NULL, "120", "120", "240.00" },
	{ 1000 * MICRO, NULL, NULL, "1000", "1000", "2000.00" },
	/* small balances: amounts are rounded, minutes are always rounded down */
	{ 1, NULL, NULL, "0", "0", "0.00" },
	{ 49, NULL, NULL, "0", "0", "0.00" },
	{ 50, NULL, NULL, "0.0001", "0", "0.00" },
	{ 4999, NULL, NULL, "0.005", "0", "0.00" },
	{ 5000, NULL, NULL, "0.005", "0.01", "0.01" },
	{ 9999, NULL, NULL, "0.01", "0.01", "0.01" },
	{ 999991667, NULL, NULL, "999.9917", "999.99", "1999.98" },
	{ 100000, NULL, NULL, "0.1", "0.1", "0.20" },
	{ 300000, NULL, NULL, "0.3", "0.3", "0.60" },
	/* a debt */
	{ -1, NULL, NULL, "0", "0", "0.00" },
	{ -50, NULL, NULL, "-0.0001", "0", "0.00" },
	{ -4999, NULL, NULL, "-0.005", "0", "0.00" },
	{ -5000, NULL, NULL, "-0.005", "-0.01", "0.00" },
	{ -12345678, NULL, NULL, "-12.3457", "-12.35", "0.00" },
	{ -500 * MICRO, NULL, NULL, "-500", "-500", "0.00" },
	/* huge */
	{ 9000000000 * MICRO, NULL, NULL, "9000000000", "9000000000",
	    "18000000000.00" },
	{ 9000000000 * MICRO - 1, NULL, NULL, "9000000000", "9000000000",
	    "17999999999.99" },
	{ 8999999999999950, NULL, NULL, "9000000000", "9000000000", "17999999999.99" },
	{ 8999999999999949, NULL, NULL, "8999999999.9999", "9000000000",
	    "17999999999.99" },
	{ -9000000000 * MICRO, NULL, NULL, "-9000000000", "-9000000000", "0.00" },
	{ 9000000000 * MICRO, "999999999.999999", "0.000001", "9000000000",
	    "9999999999999.99", "999999999999.99" },
	{ -9000000000 * MICRO, "999999999.999999", NULL, "-9000000000",
	    "-9999999999999.99", "0.00" },
	/* other prices */
	{ 120 * MICRO, "0.85", "30", "120", "102", "240.00" },
	{ 1, "999999999.999999", "0.000001", "0", "1000", "60.00" },
	{ 1234567, "0.333333", "7", "1.2346", "0.41", "10.58" },
	{ 3 * MICRO, "0.005", NULL, "3", "0.02", "6.00" },
	{ 3 * MICRO, "0.004999", NULL, "3", "0.01", "6.00" },
	{ -3 * MICRO, "0.005", NULL, "-3", "-0.02", "0.00" },
	{ 100 * MICRO, "0", "999999999.999999", "100", "0", "0.00" },
	/* a price of 0: the largest number of minutes, but a debt remains a debt */
	{ 1, NULL, "0", "0", "0", "999999999999.99" },
	{ 0, NULL, "0", "0", "0", "0.00" },
	{ -1, NULL, "0", "0", "0", "0.00" },
};

/* Sets a price as dragoman.conf does. */
static void
set_price(const char *name, const char *value, int64_t *to)
{
	if (value != NULL)
		ck_assert_msg(credits_read(value, to), "%s", name);
}

START_TEST(a_balance_is_told_exactly)
{
	struct response a;

	set_price(
	    "usd", balances[_i].usd_per_credit, &fixture.app.conf.billing_usd_micro);
	set_price("s2s", balances[_i].price_s2s, &fixture.app.conf.price_s2s_micro);
	set_balance(balances[_i].micro);
	a = ask(NEW, NULL);
	answered(a, 200);
	is(a, "/data/credits", balances[_i].credits);
	is(a, "/data/usd_equivalent", balances[_i].usd);
	ck_assert_ptr_null(head_of(&a, "Deprecation"));
	a = ask(OLD, NULL);
	answered(a, 200);
	is(a, "/data/minutes_left", balances[_i].minutes);
	ck_assert_ptr_nonnull(strstr(a.body, ":\"")); /* a text */
}
END_TEST

START_TEST(each_account_reads_its_own)
{
	const char *mine = fixture.account, *other = fixture_account();
	struct response a;

	sql(arena_printf(fixture.mem,
	    "UPDATE accounts SET balance_micro = 7000000 WHERE id = '%s'", other));
	a = ask(NEW, NULL);
	is(a, "/data/credits", "0");
	fixture.bearer = fixture_bearer(other, "balance:read");
	a = ask(NEW, NULL);
	is(a, "/data/credits", "7");
	fixture.bearer = fixture_bearer(mine, "balance:read");
	a = ask(OLD, NULL);
	is(a, "/data/minutes_left", "0.00");
}
END_TEST

static void
expect_deprecated(const struct response *a)
{
	ck_assert_pstr_eq(head_of(a, "Deprecation"), "@1767225600");
	ck_assert_pstr_eq(head_of(a, "Sunset"), "Fri, 31 Dec 2027 23:59:59 GMT");
	ck_assert_pstr_eq(head_of(a, "Link"),
	    "<https://speech.example.org/payments/v2/balance>;"
	    " rel=\"successor-version\"");
}

static const char *const calls[] = { NEW, OLD };

START_TEST(either_credential_suffices)
{
	const char *id = fixture_credential(fixture.account, "pair", "*", "a secret");
	const char *pair[] = { arena_printf(fixture.mem, "ClientID: %s", id),
		"ClientSecret: a secret", NULL };
	struct response a = ask(calls[_i], NULL);

	answered(a, 200);
	a = ask_with(calls[_i], NULL, pair);
	answered(a, 200);
	fixture.bearer = NULL;
	a = ask_with(calls[_i], NULL, pair);
	answered(a, 200);
	pair[1] = "ClientSecret: another";
	a = ask_with(calls[_i], NULL, pair);
	refused(a, 401, "unauthorized");
	pair[1] = NULL;
	a = ask_with(calls[_i], NULL, pair);
	refused(a, 401, "unauthorized");
	fixture.bearer = fixture_bearer(fixture_account(), "*");
	pair[1] = "ClientSecret: a secret";
	a = ask_with(calls[_i], NULL, pair); /* two accounts */
	refused(a, 401, "unauthorized");
}
END_TEST

START_TEST(the_scope_is_needed)
{
	struct response a;

	fixture.bearer = fixture_bearer(fixture.account, "sessions:write voices:read");
	a = ask(calls[_i], NULL);
	refused(a, 403, "insufficient-scope");
	ck_assert_ptr_nonnull(
	    strstr(head_of(&a, "WWW-Authenticate"), "scope=\"balance:read\""));
	fixture.bearer = fixture_bearer(fixture.account, "balance:read");
	a = ask(calls[_i], NULL);
	answered(a, 200);
}
END_TEST

START_TEST(the_old_route_says_so_whatever_it_answers)
{
	struct response a = ask(OLD, NULL);

	answered(a, 200);
	expect_deprecated(&a);
	a = ask("HEAD /billing/balance", NULL);
	answered(a, 200);
	expect_deprecated(&a);
	db_fault(fixture.app.db, 2, ERR_BUSY);
	a = ask(OLD, NULL);
	refused(a, 503, "service-busy");
	expect_deprecated(&a);
	fixture.bearer = fixture_bearer(fixture.account, "voices:read");
	a = ask(OLD, NULL);
	refused(a, 403, "insufficient-scope");
	expect_deprecated(&a);
	fixture.bearer = NULL;
	a = ask(OLD, NULL);
	refused(a, 401, "unauthorized");
	expect_deprecated(&a);
	a = ask("POST /billing/balance", NULL);
	refused(a, 405, "method-not-allowed");
	expect_deprecated(&a);
}
END_TEST

START_TEST(a_busy_database_is_told)
{
	struct response a;
	int n = 0;

	do {
		db_fault(fixture.app.db, ++n, ERR_BUSY);
		a = ask(calls[_i], NULL);
		db_fault(fixture.app.db, 0, OK);
		ck_assert(a.status == 200 || a.status == 503);
	} while (a.status != 200);
	ck_assert_int_eq(n, 3); /* queries: the credential, the balance */
}
END_TEST

START_TEST(reading_writes_nothing)
{
	const char *before = everything();
	struct response a = ask(calls[_i], NULL);

	answered(a, 200);
	ck_assert_str_eq(everything(), before);
}
END_TEST

/* ---- prices ---- */

static const struct {
	enum metered what;
	int64_t price; /* micro-credits; -1: the price in the settings */
	int64_t from, to;
	int64_t micro;
} prices[] = {
	/* a started second counts as a second */
	{ METER_S2S, -1, 0, 0, 0 },
	{ METER_S2S, -1, 0, 1, 8333 },
	{ METER_S2S, -1, 0, S_US, 8333 },
	{ METER_S2S, -1, 0, S_US + 1, 16666 },
	{ METER_S2S, -1, 0, 3 * S_US, 25000 },
	{ METER_S2S, -1, 0, 10 * S_US, 83333 },
	{ METER_S2S, -1, 0, 3600 * S_US, 30 * MICRO },
	{ METER_S2S, -1, 0, 3600 * S_US + 1, 30 * MICRO + 8333 },
	{ METER_CAPTIONS, -1, 0, 3600 * S_US, 10 * MICRO },
	{ METER_STT, -1, 0, 3600 * S_US, 2 * MICRO },
	{ METER_STT, -1, 0, S_US, 555 },
	{ METER_BROADCAST, -1, 0, 3600 * S_US, 80 * MICRO },
	{ METER_BROADCAST, -1, 0, 90 * 60 * S_US, 120 * MICRO },
	{ METER_TTS, -1, 0, 1, 1000 },
	{ METER_TTS, -1, 0, 1000, MICRO },
	{ METER_TTS, -1, 0, 1234567, 1234567000 },
	{ METER_TTS, 400000, 0, 7, 2800 },
	{ METER_TTS, 1500, 0, 1, 1 },
	{ METER_TTS, 1500, 0, 3, 4 },
	/* an interval costs the difference that it adds */
	{ METER_S2S, -1, 10 * S_US, 20 * S_US, 83333 },
	{ METER_S2S, -1, 20 * S_US, 30 * S_US, 83334 },
	{ METER_S2S, -1, 10 * S_US, 10 * S_US + 1, 8333 },
	{ METER_S2S, -1, 10 * S_US + 1, 11 * S_US, 0 }, /* already paid */
	{ METER_TTS, 1500, 1, 2, 2 },
	{ METER_S2S, -1, 5, 5, 0 },
	{ METER_S2S, -1, 9 * S_US, 5 * S_US, 0 },
	/* every price above 0 must be paid */
	{ METER_S2S, 1, 0, 1, 1 },
	{ METER_S2S, 1, 0, 3600 * S_US, 1 },
	{ METER_S2S, 1, 0, 7200 * S_US, 2 },
	{ METER_TTS, 1, 0, 1, 1 },
	{ METER_S2S, 0, 0, 3600 * S_US, 0 },
	{ METER_TTS, 0, 0, 1000, 0 },
	/* no overflow */
	{ METER_TTS, 999999999999999, 0, INT64_MAX, LEDGER_ENTRY_MOST },
	{ METER_S2S, 999999999999999, 0, INT64_MAX, LEDGER_ENTRY_MOST },
	{ METER_S2S, 999999999999999, 0, 3600 * S_US, 999999999999999 },
	{ METER_S2S, 1, 0, INT64_MAX, 277777777 },
};

static int64_t
price_at(int i, int64_t from, int64_t to)
{
	struct conf *c = &fixture.app.conf;
	int64_t *const price[] = { &c->price_s2s_micro, &c->price_captions_micro,
		&c->price_stt_micro, &c->price_broadcast_micro, &c->price_tts_micro };

	if (prices[i].price >= 0)
		*price[prices[i].what] = prices[i].price;
	return price_micro(c, prices[i].what, from, to);
}

START_TEST(a_price_is_exact)
{
	ck_assert_int_eq(
	    price_at(_i, prices[_i].from, prices[_i].to), prices[_i].micro);
}
END_TEST

/* Any division into intervals costs together the price of all seconds. */
START_TEST(stretches_cost_what_their_interval_costs)
{
	static const int64_t tables[] = { -1, 0, 1, 3599, 3600, 3601, 999999999999999 };
	struct conf *c = &fixture.app.conf;
	uint32_t dice;

	for (int k = 0; k < COUNT(tables); k++) {
		int64_t at = 0, sum = 0, more, s;

		if (tables[k] >= 0)
			c->price_s2s_micro = tables[k];
		for (int i = 0; i < 500; i++, at += more) {
			random_bytes(&dice, sizeof(dice));
			more = dice % (20 * S_US);
			s = price_micro(c, METER_S2S, at, at + more);
			ck_assert_int_ge(s, 0);
			sum += s;
		}
		ck_assert_int_eq(sum, price_micro(c, METER_S2S, 0, at));
		s = (at + S_US - 1) / S_US;
		ck_assert(
		    c->price_s2s_micro < 3600 ||
		    (long double)sum * 3600 <= (long double)s * c->price_s2s_micro);
		ck_assert(c->price_s2s_micro == 0 || sum > 0);
	}
}
END_TEST

/* ---- decimals ---- */

static const struct {
	const char *text;
	int64_t micro;
	const char *shortest; /* NULL: not a number */
} decimals[] = {
	{ "0", 0, "0" },
	{ "-0", 0, "0" },
	{ "1", MICRO, "1" },
	{ "100", 100 * MICRO, "100" },
	{ "0.1", 100000, "0.1" },
	{ "0.10", 100000, "0.1" },
	{ "-0.000001", -1, "-0.000001" },
	{ "12.345678", 12345678, "12.345678" },
	{ "999999999.999999", 999999999999999, "999999999.999999" },
	{ "-999999999.999999", -999999999999999, "-999999999.999999" },
	{ "007", 7 * MICRO, "7" },
	{ "0.1234567", 0, NULL },
	{ "1000000000", 0, NULL },
	{ "", 0, NULL },
	{ "-", 0, NULL },
	{ "--1", 0, NULL },
	{ "+1", 0, NULL },
	{ ".5", 0, NULL },
	{ "5.", 0, NULL },
	{ "1e3", 0, NULL },
	{ " 1", 0, NULL },
	{ "1 ", 0, NULL },
	{ "1,5", 0, NULL },
	{ "1.2.3", 0, NULL },
	{ "0x10", 0, NULL },
	{ "nan", 0, NULL },
};

START_TEST(decimals_are_read_and_written_exactly)
{
	int64_t micro = 77;

	ck_assert_int_eq(
	    credits_read(decimals[_i].text, &micro), decimals[_i].shortest != NULL);
	if (decimals[_i].shortest == NULL)
		return;
	ck_assert_int_eq(micro, decimals[_i].micro);
	ck_assert_str_eq(credits_text(fixture.mem, micro), decimals[_i].shortest);
}
END_TEST

static const int64_t quotients[][3] = { { 0, 100, 0 }, { 49, 100, 0 }, { 50, 100, 1 },
	{ 149, 100, 1 }, { 150, 100, 2 }, { -49, 100, 0 }, { -50, 100, -1 },
	{ -150, 100, -2 }, { 1, 3, 0 }, { 2, 3, 1 }, { -2, 3, -1 }, { 7, 1, 7 },
	{ INT64_MAX, 1, INT64_MAX }, { INT64_MAX, INT64_MAX, 1 },
	{ INT64_MAX / 2, INT64_MAX, 0 }, { INT64_MAX / 2 + 1, INT64_MAX, 1 } };

START_TEST(a_quotient_is_the_nearest)
{
	const int64_t *q = quotients[_i];

	ck_assert_int_eq(credits_round(q[0], q[1]), q[2]);
}
END_TEST

START_TEST(the_longest_numbers_can_be_written)
{
	ck_assert_str_eq(credits_text(fixture.mem, INT64_MAX), "9223372036854.775807");
	ck_assert_str_eq(credits_text(fixture.mem, INT64_MIN), "-9223372036854.775808");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("balance");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_loop_test(t, a_balance_is_told_exactly, 0, COUNT(balances));
	tcase_add_test(t, each_account_reads_its_own);
	tcase_add_loop_test(t, either_credential_suffices, 0, COUNT(calls));
	tcase_add_loop_test(t, the_scope_is_needed, 0, COUNT(calls));
	tcase_add_test(t, the_old_route_says_so_whatever_it_answers);
	tcase_add_loop_test(t, a_busy_database_is_told, 0, COUNT(calls));
	tcase_add_loop_test(t, reading_writes_nothing, 0, COUNT(calls));
	tcase_add_loop_test(t, a_price_is_exact, 0, COUNT(prices));
	tcase_add_test(t, stretches_cost_what_their_interval_costs);
	tcase_add_loop_test(
	    t, decimals_are_read_and_written_exactly, 0, COUNT(decimals));
	tcase_add_loop_test(t, a_quotient_is_the_nearest, 0, COUNT(quotients));
	tcase_add_test(t, the_longest_numbers_can_be_written);
	suite_add_tcase(s, t);
	return unit_run(s);
}
