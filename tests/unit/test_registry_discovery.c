/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Language pairs of engines that must be asked for them. */
#include "tests/engine-server.h"
#include "tests/unit/registry_fixture.h"

static struct engine_server server;

static void
open_fixture(void)
{
	setup();
	server = engine_server_start();
}

static void
close_fixture(void)
{
	engine_server_stop(&server);
	teardown();
}

static void
make_libre(const char *fault)
{
	ck_assert_int_eq(make(arena_printf(mem,
			     "[speech]\nasr = script\nmt = libre\ntts = script\n"
			     "[engine.libre]\nkind = libretranslate\n"
			     "url = http://127.0.0.1:%d%s\nkey = test-key\n"
			     "timeout_ms = 2000\n",
			     server.port, fault)),
	    OK);
}

static int64_t
ms_since(int64_t us)
{
	return (monotonic_us() - us) / 1000;
}

START_TEST(discovery_waits_for_a_silent_server_and_requests_do_not)
{
	struct registry_want w = want(NULL, NULL);
	int64_t at_us = monotonic_us();

	make_libre("/silent");
	ck_assert(!registry_discover(reg));
	ck_assert_int_ge(ms_since(at_us), 1900);
	at_us = monotonic_us();
	for (int i = 0; i < 20; i++)
		ck_assert(!registry_pairs(reg, "en", "es"));
	ck_assert_str_eq(id(registry_mt(reg, "en", "es", &w)), "(none)");
	/* sequential requests would take twice as long */
	ck_assert_int_lt(ms_since(at_us), 1900);
}
END_TEST

START_TEST(before_anybody_learns_engines_are_asked)
{
	make_libre("");
	ck_assert(registry_pairs(reg, "en-gb", "es"));
	ck_assert(registry_pairs(reg, "es", "en"));
	ck_assert(!registry_pairs(reg, "es", "fr"));
}
END_TEST

/* The learnt pairs equal the engine's answers, code by code. */
START_TEST(what_was_learnt_is_what_it_has)
{
	static const struct {
		const char *from, *to;
		bool has;
	} pairs[] = {
		/* clang-format off */
		{ "en", "es", true },       { "es", "en", true },
		{ "es-mx", "en-gb", true }, { "en_US", "ES-ar", true },
		{ "en", "zh", true },       { "en", "zh-hans", true },
		{ "en", "zh-hant", true },  { "en", "no", true },
		{ "en", "pt-br", true },    { "en", "pt", false },
		{ "es", "zh", false },      { "en", "en-gb", true },
		{ "fr", "en", false },
		/* clang-format on */
	};

	make_libre("");
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < COUNT(pairs); i++)
			ck_assert_msg(registry_pairs(reg, pairs[i].from, pairs[i].to) ==
					  pairs[i].has,
			    "%s-%s", pairs[i].from, pairs[i].to);
		ck_assert(registry_discover(reg));
	}
}
END_TEST

START_TEST(what_was_learnt_stays_when_the_server_goes)
{
	make_libre("");
	ck_assert(registry_discover(reg));
	engine_server_stop(&server);
	ck_assert(registry_discover(reg));
	ck_assert(registry_pairs(reg, "en", "es"));
	server = engine_server_start();
}
END_TEST

START_TEST(a_server_that_is_away_is_told_as_having_nothing)
{
	struct languages l;

	make_libre("/status-503");
	l = registry_languages(reg, mem);
	for (size_t i = 0; i < l.pairs.n; i++)
		ck_assert_ptr_null(((struct language_pair *)l.pairs.items)[i].engine);
	ck_assert_uint_gt(l.pairs.n, 0);
}
END_TEST

static const struct language_pair *
pair_of(const struct languages *l, const char *from, const char *to)
{
	const struct language_pair *p = l->pairs.items;

	for (size_t i = 0; i < l->pairs.n; i++)
		if (strcmp(p[i].source, from) == 0 && strcmp(p[i].target, to) == 0)
			return &p[i];
	return NULL;
}

static const char *
pivots(const char *value)
{
	return arena_printf(mem,
	    "[speech]\nasr = script\nmt = libre\ntts = script\npivot = %s\n"
	    "[engine.libre]\nkind = libretranslate\n"
	    "url = http://127.0.0.1:%d\nkey = test-key\n",
	    value, server.port);
}

START_TEST(pairs_of_two_steps_are_told_with_what_lies_between)
{
	struct registry_want w = want(NULL, NULL);
	struct languages l;

	ck_assert_int_eq(make(pivots("on")), OK);
	ck_assert(registry_pairs(reg, "es", "no"));
	l = registry_languages(reg, mem);
	ck_assert_str_eq(pair_of(&l, "es", "no")->via, "en");
	ck_assert_str_eq(pair_of(&l, "es", "no")->engine, "libre");
	ck_assert_str_eq(pair_of(&l, "es-mx", "pt-br")->via, "en");
	ck_assert_ptr_null(pair_of(&l, "es", "en")->via);
	ck_assert_ptr_null(pair_of(&l, "es", "es-mx")->via);
	ck_assert_ptr_null(pair_of(&l, "es", "fr"));
	ck_assert(registry_pairs(reg, "es", "no"));
	ck_assert_str_eq(id(registry_mt(reg, "es", "no", &w)), "libre");
}
END_TEST

START_TEST(without_the_setting_there_are_no_two_steps)
{
	struct languages l;

	ck_assert_int_eq(make(pivots("off")), OK);
	l = registry_languages(reg, mem);
	ck_assert_ptr_null(pair_of(&l, "es", "no"));
	ck_assert(!registry_pairs(reg, "es", "no"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("registry_discover");
	TCase *t = tcase_create("learn");

	tcase_set_timeout(t, 30);
	tcase_add_checked_fixture(t, open_fixture, close_fixture);
	tcase_add_test(t, discovery_waits_for_a_silent_server_and_requests_do_not);
	tcase_add_test(t, before_anybody_learns_engines_are_asked);
	tcase_add_test(t, what_was_learnt_is_what_it_has);
	tcase_add_test(t, what_was_learnt_stays_when_the_server_goes);
	tcase_add_test(t, a_server_that_is_away_is_told_as_having_nothing);
	tcase_add_test(t, pairs_of_two_steps_are_told_with_what_lies_between);
	tcase_add_test(t, without_the_setting_there_are_no_two_steps);
	suite_add_tcase(s, t);
	return unit_run(s);
}
