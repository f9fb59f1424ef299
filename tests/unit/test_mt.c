/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translation: the test engine, code that all engines share, translation in two steps.
 */
#include "tests/unit/mt_fixture.h"

/* ---- the engine for tests, and what all have in common ---- */

static const struct {
	const char *from, *to, *text, *out;
} scripted[] = {
	/* clang-format off */
	{ "en", "ja", "hello world", "[ja] hello world" },
	{ "en", "es-mx", "Hello.", "[es-mx] Hello." },
	{ "en", "es", "a [budget>presupuesto] b", "[es] a presupuesto b" },
	{ "en", "es", "[one>uno][two>dos]", "[es] unodos" },
	{ "en", "es", "a\nb\x01" "0\x02", "[es] a b 0" },
	/* a term that opens a capitalised sentence is capitalised */
	{ "en", "es", "[Budget>presupuesto] b", "[es] Presupuesto b" },
	{ "en", "es", "[budget>presupuesto] b", "[es] presupuesto b" },
	{ "en", "es", "The [budget>presupuesto] b", "[es] The presupuesto b" },
	{ "en", "es", "“[Ice>élan]” b", "[es] “Élan” b" },
	{ "en", "es", "Hi. [Ice>hielo]! [Ice>hielo]", "[es] Hi. Hielo! Hielo" },
	{ "en", "de", "[Ice>ǆ] b", "[de] ǅ b" },
	{ "en", "ja", "[Ice>氷] b", "[ja] 氷 b" },
	/* languages with the same base: only terms are changed */
	{ "en", "en-gb", "hello [color>colour]", "hello colour" },
	{ "zh-hant", "zh-hans", "你好", "你好" },
	/* nothing to translate */
	{ "en", "es", "", "" },
	{ "en", "es", "  ", "" },
	/* clang-format on */
};

START_TEST(the_script_tells_what_it_was_asked)
{
	const char *out;

	ck_assert_int_eq(
	    translate(at("script", ""),
		read_text(scripted[_i].from, scripted[_i].to, scripted[_i].text), &out),
	    OK);
	ck_assert(guarded);
	ck_assert_str_eq(out, scripted[_i].out);
}
END_TEST

START_TEST(the_script_fails_and_dawdles_on_demand)
{
	struct engine_at where = at("script", "");
	struct mt_text slow = { .text = "a slow-mt", .from = "en", .to = "es" };
	struct mt_text fault = { .text = "Fault-mt.", .from = "en", .to = "es" };
	int64_t start_us = monotonic_us();
	const char *out;

	ck_assert_int_eq(translate(where, fault, &out), ERR_FAILED);
	slow.timeout_ms = 100;
	ck_assert_int_eq(translate(where, slow, &out), ERR_TIMEOUT);
	ck_assert_int_lt(monotonic_us() - start_us, SLOW_US);
	where.timeout_ms = 6000;
	slow.timeout_ms = 0;
	start_us = monotonic_us();
	ck_assert_int_eq(translate(where, slow, &out), OK);
	ck_assert_int_ge(monotonic_us() - start_us, SLOW_US);
	ck_assert_str_eq(out, "[es] a slow-mt");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_refused)
{
	char *text = arena_alloc(mem, MT_TEXT_BYTES + 2);
	const char *out;
	struct mt_text t = { .text = text, .from = "en", .to = "es" };

	memset(text, 'a', MT_TEXT_BYTES + 1);
	ck_assert_int_eq(translate(at("script", ""), t, &out), ERR_LIMIT);
	text[MT_TEXT_BYTES] = '\0';
	ck_assert_int_eq(translate(at("script", ""), t, &out), OK);
}
END_TEST

static const struct {
	const char *languages, *from, *to;
	bool has;
} narrowed[] = {
	{ NULL, "en", "ja", true },
	{ "en es", "en", "es", true },
	{ "en es", "en-us", "es-mx", true },
	{ "en es-mx", "en", "es-mx", true },
	{ "en es-mx", "en", "es", false },
	{ "en es", "en", "fr", false },
	{ "en es", "fr", "es", false },
	{ "en es", "fr", "fr-ca", true },
	{ "", "en", "es", false },
};

START_TEST(the_settings_may_narrow_the_languages)
{
	struct engine_at where = at("script", "");
	struct mt_text t = { "x", narrowed[_i].from, narrowed[_i].to, NULL, 0, 0 };
	const char *out;

	where.languages = narrowed[_i].languages;
	ck_assert_int_eq(mt_pairs(&mt_script, &where, t.from, t.to), narrowed[_i].has);
	ck_assert_int_eq(
	    translate(where, t, &out), narrowed[_i].has ? OK : ERR_UNSUPPORTED);
}
END_TEST

START_TEST(any_pair_is_listed_by_those_that_take_any)
{
	struct engine_at where = at("script", "");
	struct list pairs;
	const struct mt_pair *p;

	ck_assert_int_eq(mt_script.list(&where, mem, &pairs), OK);
	ck_assert_uint_gt(pairs.n, 3000);
	p = pairs.items;
	for (size_t i = 0; i < pairs.n; i++) {
		ck_assert_str_ne(p[i].from, "auto");
		ck_assert(strcmp(p[i].from, p[i].to) != 0);
	}
}
END_TEST

/* ---- in two steps ---- */

static struct engine_at
pivoting(void)
{
	struct engine_at where = at("libretranslate", "");

	where.pivot = true;
	return where;
}

START_TEST(two_pairs_lead_where_none_does)
{
	struct engine_at where = pivoting(), direct = at("libretranslate", "");

	ck_assert(!mt_pairs(&mt_libretranslate, &direct, "es", "no"));
	ck_assert(mt_pairs(&mt_libretranslate, &where, "es", "no"));
	ck_assert(mt_pairs(&mt_libretranslate, &where, "es-mx", "pt-br"));
	ck_assert(!mt_pairs(&mt_libretranslate, &where, "es", "fr"));
	ck_assert(!mt_pairs(&mt_libretranslate, &where, "no", "es"));
	where.languages = "es no"; /* but not for English */
	ck_assert(!mt_pairs(&mt_libretranslate, &where, "es", "no"));
}
END_TEST

static const struct {
	const char *text, *out;
	bool guarded;
} journeys[] = {
	/* clang-format off */
	{ "Hola a todos.", "<nb> <en> Hola a todos.", true },
	{ "la [casa grande>stort hus] es [azul>blå] aquí",
	  "<nb> <en> la stort hus es blå aquí", true },
	{ "La [x>é] es [y>ø].", "<nb> <en> La é es ø.", true },
	/* lost at the first step, or at the second */
	{ "drop-en la [casa>hus]", "<nb> <en> drop-en la casa", false },
	{ "drop-nb la [casa>hus]", "<nb> <en> drop-nb la casa", false },
	/* clang-format on */
};

START_TEST(terms_go_through_both_steps)
{
	const char *out;

	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", journeys[_i].text), &out), OK);
	ck_assert_str_eq(out, journeys[_i].out);
	ck_assert_int_eq(guarded, journeys[_i].guarded);
}
END_TEST

START_TEST(either_step_may_fail)
{
	const char *out;

	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", "fail-en x"), &out), ERR_BUSY);
	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", "fail-nb x"), &out), ERR_BUSY);
	ck_assert_int_eq(
	    translate(pivoting(), read_text("es", "no", "fail-de x"), &out), OK);
}
END_TEST

/* Each of the two steps takes 400 ms. */
START_TEST(both_steps_have_the_time_together)
{
	struct mt_text t = read_text("es", "no", "wait");
	int64_t start_us;
	const char *out;

	ck_assert_int_eq(translate(pivoting(), t, &out), OK);
	t.timeout_ms = 600;
	start_us = monotonic_us();
	ck_assert_int_eq(translate(pivoting(), t, &out), ERR_TIMEOUT); /* not 800 */
	ck_assert_int_lt(monotonic_us() - start_us, 5 * S_US);
}
END_TEST

START_TEST(a_libretranslate_server_that_is_away_has_no_pairs)
{
	struct engine_at where = at("libretranslate", "/status-503");

	ck_assert(!mt_pairs(&mt_libretranslate, &where, "en", "es"));
	ck_assert(mt_pairs(&mt_libretranslate, &where, "en", "en-gb"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt");
	TCase *tc = tcase_create("mt");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, the_script_tells_what_it_was_asked, 0, COUNT(scripted));
	tcase_add_test(tc, the_script_fails_and_dawdles_on_demand);
	tcase_add_test(tc, a_text_that_is_too_long_is_refused);
	tcase_add_loop_test(
	    tc, the_settings_may_narrow_the_languages, 0, COUNT(narrowed));
	tcase_add_test(tc, any_pair_is_listed_by_those_that_take_any);
	tcase_add_test(tc, two_pairs_lead_where_none_does);
	tcase_add_loop_test(tc, terms_go_through_both_steps, 0, COUNT(journeys));
	tcase_add_test(tc, either_step_may_fail);
	tcase_add_test(tc, both_steps_have_the_time_together);
	tcase_add_test(tc, a_libretranslate_server_that_is_away_has_no_pairs);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
