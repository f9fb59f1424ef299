/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two modes of Apertium in sequence, if apertium-spa-cat is installed. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "speech/engine.h"
#include "tests/unit/children.h"
#include "tests/unit/suite.h"
#include "tests/unit/warm.h"

static struct arena *mem;
static bool guarded;
static const struct engine_at here = { .id = "apertium",
	.kind = "apertium",
	.model = "eng-spa spa-cat",
	.timeout_ms = 3000,
	.pivot = true };

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

static bool
is_installed(void)
{
	bool is = mt_apertium.pairs(&here, "es", "ca");

	if (!is)
		fputs("apertium-spa-cat is not installed\n", stderr);
	return is;
}

/*
 * Returns the Catalan translation. `target` is the term for the word, if that is not
 * empty.
 */
static const char *
catalan(const char *text, const char *word, const char *target)
{
	struct mt_term term = { 0, strlen(word), target };
	struct mt_text t = {
		.text = text, .from = "en-gb", .to = "ca", .terms = &term
	};
	const char *out;

	t.nterms = *word != '\0';
	if (t.nterms == 1)
		term.at = (size_t)(strstr(text, word) - text);
	ck_assert_int_eq(
	    mt_translate(&mt_apertium, &here, mem, &t, &out, &guarded), OK);
	return out;
}

START_TEST(english_reaches_catalan_through_spanish)
{
	if (!is_installed())
		return;
	ck_assert(mt_pairs(&mt_apertium, &here, "en", "ca"));
	ck_assert_str_eq(catalan("The house is big.", "", ""), "La casa és gran.");
	ck_assert_str_eq(catalan("Good morning.", "", ""), "Bon dia.");
}
END_TEST

static const struct {
	const char *text, *word, *target, *part;
} terms[] = {
	/* An article may move with the term: the second mode marks it, too. */
	{ "The budgets of the big project are very small.", "budgets", "Pressu Postos",
	    "Pressu Postos del projecte gran són molt petits." },
	{ "Budgets are small.", "Budgets", "tal qual", "Tal qual són petits." },
	{ "The big house is here.", "big house", "Torre Alta", "Torre Alta és aquí." },
};

START_TEST(terms_reach_it_too)
{
	const char *out;

	if (!is_installed())
		return;
	out = catalan(terms[_i].text, terms[_i].word, terms[_i].target);
	ck_assert_msg(strstr(out, terms[_i].part) != NULL, "%s", out);
	ck_assert(guarded);
}
END_TEST

START_TEST(both_modes_are_warmed)
{
	int n;

	if (!is_installed())
		return;
	warm(&here, "en", "ca");
	ck_assert_int_gt(n = count_children(), 0);
	catalan("The house is big.", "", "");
	ck_assert_int_eq(count_children(), n); /* the sentence starts no program */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mt_pivot");
	TCase *tc = tcase_create("mt_pivot");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_test(tc, english_reaches_catalan_through_spanish);
	tcase_add_loop_test(
	    tc, terms_reach_it_too, 0, sizeof(terms) / sizeof(terms[0]));
	tcase_add_test(tc, both_modes_are_warmed);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
