/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translation over one engine or two, chosen by measured quality. */
#include <check.h>

#include "pipeline/route.h"
#include "speech/registry_internal.h"
#include "tests/unit/registry_fixture.h"
#include "tests/unit/suite.h"

/* Script engines in place of kinds that have measured figures.  `apertium`: its
   languages. */
static void
engines_of(const char *apertium, const char *settings)
{
	ck_assert_int_eq(
	    make(arena_printf(mem,
		"[speech]\nasr = script\nmt = apertium firefox hbs\ntts = script\n%s"
		"[engine.apertium]\nkind = script\nlanguages = %s\n"
		"[engine.firefox]\nkind = script\nlanguages = en pt\n"
		"[engine.hbs]\nkind = script\nlanguages = en hr\n",
		settings, apertium)),
	    OK);
	reg->list[LIST_MT].e[0].at.kind = reg->list[LIST_MT].e[2].at.kind = "apertium";
	reg->list[LIST_MT].e[1].at.kind = "process";
}

static void
engines(const char *settings)
{
	engines_of("en es pt", settings);
}

/* No engine has English to Spanish alone. */
static void
engines_in_steps(void)
{
	engines_of("es pt", "");
}

/* Returns "firefox-pt-apertium firefox": each route in its order. */
static const char *
ways(const char *from, const char *to, const char *model)
{
	struct registry_want w = want(model, NULL);
	struct registry_way way;
	struct buf b = { .mem = mem };

	while (registry_way(reg, from, to, &w, &way)) {
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", id(way.engine));
		if (way.second != NULL)
			buf_printf(&b, "-%s-%s", way.via, id(way.second));
	}
	return buf_text(&b);
}

static const struct language_pair *
pair_of(const struct languages *l, const char *from, const char *to)
{
	const struct language_pair *p = l->pairs.items;

	for (size_t i = 0; i < l->pairs.n; i++)
		if (strcmp(p[i].source, from) == 0 && strcmp(p[i].target, to) == 0)
			return &p[i];
	return NULL;
}

START_TEST(the_best_measured_way_comes_first)
{
	engines("");
	ck_assert_str_eq(ways("en", "es", NULL), "apertium firefox-pt-apertium");
	/* the second engine was not measured, so the order of the list decides */
	ck_assert_str_eq(ways("en", "pt", NULL), "apertium firefox");
	ck_assert_str_eq(ways("es", "en", NULL), "apertium");
	ck_assert_str_eq(ways("en-gb", "es-mx", NULL), "apertium firefox-pt-apertium");
	engines_in_steps();
	ck_assert_str_eq(ways("en", "es", NULL), "firefox-pt-apertium");
}
END_TEST

START_TEST(the_engine_that_is_wanted_stays_first)
{
	engines("");
	ck_assert_str_eq(ways("en", "es", "apertium"), "apertium firefox-pt-apertium");
	ck_assert_str_eq(ways("en", "pt", "firefox"), "firefox apertium");
}
END_TEST

START_TEST(the_order_of_the_list_counts_where_the_operator_says_so)
{
	engines("best_first = no\n");
	ck_assert_str_eq(ways("en", "es", NULL), "apertium");
	engines("best_first = no\npivot = yes\n");
	ck_assert_str_eq(ways("en", "es", NULL), "apertium firefox-pt-apertium");
}
END_TEST

START_TEST(a_useless_pair_is_offered_only_where_the_operator_insists)
{
	struct languages l;

	engines("");
	ck_assert(!registry_pairs(reg, "en", "hr"));
	ck_assert_str_eq(ways("en", "hr", NULL), "");
	l = registry_languages(reg, mem);
	ck_assert_ptr_null(pair_of(&l, "en", "hr"));
	engines("any_quality = yes\n");
	ck_assert(registry_pairs(reg, "en", "hr"));
	l = registry_languages(reg, mem);
	ck_assert_str_eq(pair_of(&l, "en", "hr")->engine, "hbs");
	ck_assert_ptr_null(pair_of(&l, "en", "hr")->quality);
}
END_TEST

START_TEST(the_languages_say_how_good_a_pair_is)
{
	const struct language_pair *p;
	struct languages l;

	engines("");
	l = registry_languages(reg, mem);
	p = pair_of(&l, "en", "es");
	ck_assert_str_eq(p->engine, "apertium");
	ck_assert_ptr_null(p->via);
	ck_assert_str_eq(p->quality, "good");
	ck_assert_str_eq(pair_of(&l, "es", "en")->quality, "fair");
	engines_in_steps();
	l = registry_languages(reg, mem);
	p = pair_of(&l, "en", "es");
	ck_assert_str_eq(p->engine, "firefox");
	ck_assert_str_eq(p->via, "pt");
	ck_assert_str_eq(p->second, "apertium");
	ck_assert_str_eq(p->quality, "fair");
	ck_assert_str_eq(p->measure, "60 sentences of talks");
	p = pair_of(&l, "es", "pt");
	ck_assert_str_eq(p->engine, "apertium");
	ck_assert_ptr_null(p->second);
	ck_assert_ptr_null(p->quality);
	ck_assert_ptr_null(pair_of(&l, "es", "es-mx")->engine);
}
END_TEST

START_TEST(a_paused_engine_leaves_the_ways_without_it)
{
	struct registry_call call = { .from = "en", .to = "pt", .how = ERR_FAILED };

	engines_in_steps();
	call.engine = &reg->list[LIST_MT].e[1];
	for (int i = 0; i < 5; i++)
		registry_report(reg, &call, now);
	ck_assert_str_eq(ways("en", "es", NULL), "");
	now += 31 * S_US;
	ck_assert_str_eq(ways("en", "es", NULL), "firefox-pt-apertium");
}
END_TEST

START_TEST(two_engines_are_a_way_where_none_has_the_pair)
{
	static const char list[] = "[speech]\nasr = script\nmt = a b\ntts = script\n%s"
				   "[engine.a]\nkind = script\nlanguages = es en\n"
				   "[engine.b]\nkind = script\nlanguages = en fr\n";

	ck_assert_int_eq(make(arena_printf(mem, list, "")), OK);
	ck_assert_str_eq(ways("es", "fr", NULL), "");
	ck_assert_int_eq(make(arena_printf(mem, list, "pivot = yes\n")), OK);
	ck_assert_str_eq(ways("es", "fr", NULL), "a-en-b");
	ck_assert_str_eq(ways("es", "en", NULL), "a");
	ck_assert_str_eq(ways("es", "de", NULL), "");
	ck_assert(registry_pairs(reg, "es", "fr"));
}
END_TEST

START_TEST(terms_and_names_go_through_both_engines)
{
	const struct mt_term term = { .at = 15, .len = 5, .target = "crédito" };
	const struct mt_text t = { .text = "We pay for the fault of it.",
		.from = "en",
		.to = "es",
		.terms = &term,
		.nterms = 1 };
	const struct list nobody = { 0 };
	struct faithful how = { .speakers = &nobody };
	struct registry_want w = want(NULL, NULL);
	struct registry_way way;
	const char *out = "";

	engines_in_steps();
	ck_assert(registry_way(reg, "en", "es", &w, &way));
	ck_assert_int_eq(route_translate(reg, &way, mem, &t, &out, &how), OK);
	ck_assert_str_eq(out, "[es] [pt] We pay for the crédito of it.");
	ck_assert(how.guarded && !how.negated);
}
END_TEST

START_TEST(a_step_that_fails_is_a_way_that_fails)
{
	const struct mt_text t = { .text = "We fault-mt.", .from = "en", .to = "es" };
	const struct list nobody = { 0 };
	struct faithful how = { .speakers = &nobody };
	struct registry_want w = want(NULL, NULL);
	struct registry_way way;
	const char *out = "";

	engines_in_steps();
	ck_assert(registry_way(reg, "en", "es", &w, &way));
	ck_assert_int_ne(route_translate(reg, &way, mem, &t, &out, &how), OK);
}
END_TEST

static const struct {
	const char *kind, *id, *from, *to;
	enum mt_grade grade;
} grades[] = {
	{ "process", "firefox-en-pt", "en", "pt-br", MT_GOOD },
	{ "process", "own", "en", "pt", MT_UNMEASURED },
	{ "apertium", "apertium", "en", "es", MT_GOOD },
	{ "apertium", "apertium", "es", "en", MT_FAIR },
	{ "apertium", "apertium", "hr", "en", MT_USELESS },
	{ "apertium", "apertium", "es", "ca", MT_UNMEASURED },
};

START_TEST(a_pair_has_its_grade)
{
	const struct engine_at at = { .kind = grades[_i].kind, .id = grades[_i].id };
	struct mt_quality q = mt_quality(&at, grades[_i].from, grades[_i].to);

	ck_assert_int_eq(mt_grade(&q), grades[_i].grade);
	ck_assert((q.measure == NULL) == (grades[_i].grade == MT_UNMEASURED));
}
END_TEST

START_TEST(two_measured_steps_have_the_product)
{
	const struct engine_at firefox = { .kind = "process", .id = "firefox" };
	struct mt_quality q = mt_quality_of_two(&firefox, "pt", "en", &firefox, "pt");

	ck_assert_double_eq_tol(q.usable, 0.9 * 0.9, 0.001);
	ck_assert_double_eq_tol(q.good, 44.0 / 60 * 37 / 60, 0.001);
	ck_assert_str_eq(q.measure, "both steps measured");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("registry_ways");
	TCase *t = tcase_create("ways");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_best_measured_way_comes_first);
	tcase_add_test(t, the_engine_that_is_wanted_stays_first);
	tcase_add_test(t, the_order_of_the_list_counts_where_the_operator_says_so);
	tcase_add_test(t, a_useless_pair_is_offered_only_where_the_operator_insists);
	tcase_add_test(t, the_languages_say_how_good_a_pair_is);
	tcase_add_test(t, a_paused_engine_leaves_the_ways_without_it);
	tcase_add_test(t, two_engines_are_a_way_where_none_has_the_pair);
	tcase_add_test(t, terms_and_names_go_through_both_engines);
	tcase_add_test(t, a_step_that_fails_is_a_way_that_fails);
	tcase_add_loop_test(t, a_pair_has_its_grade, 0, COUNT(grades));
	tcase_add_test(t, two_measured_steps_have_the_product);
	suite_add_tcase(s, t);
	return unit_run(s);
}
