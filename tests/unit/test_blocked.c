/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocked words: texts that are masked, texts that are not, and their speech. */
#include <check.h>
#include <string.h>

#include "pipeline/blocked.h"
#include "tests/unit/suite.h"

#define M BLOCKED_MARK

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

static const char *
mask(const char *word, const char *text)
{
	const struct list words = { &word, 1 };

	return blocked_mask(blocked_new(mem, &words), mem, text);
}

static const struct {
	const char *word, *text, *masked;
} cases[] = {
	/* whole words, whatever is beside them */
	{ "ass", "An ass, a class, an ass-et.", "An " M ", a class, an " M "-et." },
	{ "fool", "fool", M },
	{ "fool", "(fool) \"fool\" fool's l'fool fool_",
	    "(" M ") \"" M "\" " M "'s l'" M " " M "_" },
	{ "fool", "foolish tomfool fool2", "foolish tomfool fool2" },
	{ "fool", "Fool!fool?FOOL", M "!" M "?" M },
	{ "fool", "#fool @fool", "#" M " @" M },
	/* case and accents */
	{ "idiota", "IDIOTA ìdiota", M " " M },
	{ "groß", "GROSS gross", M " " M },
	{ "cafe", "café cafe\314\201 CAFÉ", M " " M " " M },
	{ "café", "cafe", M },
	{ "μωρός", "ΜΩΡΟΣ", M },
	/* an accent after the last letter goes with it */
	{ "tonto", "tonto\314\200!", M "!" },
	/* invisible characters, wide letters and ligatures hide nothing */
	{ "fool", "fo\342\200\213ol f\302\255ool fool\342\200\215.",
	    M " " M " " M "." },
	{ "fool", "ｆｏｏｌ", M },
	{ "fiasco", "ﬁasco", M },
	/* entries of several words */
	{ "son of a gun", "A Son-of a\302\240 gun.", "A " M "." },
	{ "son of a gun", "son of gun, son of a gunner",
	    "son of gun, son of a gunner" },
	{ "son of a gun", "son, of a gun", "son, of a gun" },
	{ " fool ", "a fool", "a " M },
	/* scripts without blanks; vowel signs are no accents */
	{ "笨蛋", "你是笨蛋。", "你是" M "。" },
	{ "fool", "你fool好 class", "你" M "好 class" },
	{ "कल", "कुल", "कुल" },
	{ "कल", "कल .", M " ." },
	{ "дурак", "ДУРАК, дураки", M ", дураки" },
	/* right to left, with and without vowel points */
	{ "حمار", "ح\331\220مار", M },
	/* apostrophes of both kinds */
	{ "can't", "I can’t", "I " M },
	/* nothing to do */
	{ "fool", "", "" },
	{ "fool", "...", "..." },
};

START_TEST(whole_words_are_masked)
{
	const char *is = mask(cases[_i].word, cases[_i].text);

	ck_assert_str_eq(is, cases[_i].masked);
}
END_TEST

START_TEST(the_longest_of_several_words_wins)
{
	const char *all[] = { "gun", "son of a gun", "son" };
	const struct list words = { all, 3 };
	const struct blocked *b = blocked_new(mem, &words);

	ck_assert_str_eq(blocked_mask(b, mem, "The son of a gun has a gun, son"),
	    "The " M " has a " M ", " M);
}
END_TEST

START_TEST(without_words_nothing_changes)
{
	const struct list none = { 0 };
	const char *blank[] = { "  " };
	const struct list blanks = { blank, 1 };
	const char *text = "a  fool";

	ck_assert_ptr_null(blocked_new(mem, &none));
	ck_assert_ptr_eq(blocked_mask(NULL, mem, text), text);
	ck_assert_ptr_eq(blocked_mask(blocked_new(mem, &blanks), mem, text), text);
}
END_TEST

START_TEST(masks_are_not_spoken)
{
	ck_assert_str_eq(blocked_spoken(mem, "You " M " man."), "You man.");
	ck_assert_str_eq(blocked_spoken(mem, M " and " M), "and ");
	ck_assert_str_eq(blocked_spoken(mem, M ", " M "!"), "");
	ck_assert_str_eq(blocked_spoken(mem, "No mask."), "No mask.");
}
END_TEST

START_TEST(translations_keep_masks_between_the_terms)
{
	struct mt_term term = { .at = 12, .len = 3, .target = "Uno" };
	struct mt_text t = { .text = M " is "
				       "One"
				       " " M,
		.terms = &term,
		.nterms = 1 };

	term.at = strlen(M " is ");
	blocked_keep(mem, &t);
	ck_assert_uint_eq(t.nterms, 3);
	ck_assert_uint_eq(t.terms[0].at, 0);
	ck_assert_str_eq(t.terms[1].target, "Uno");
	ck_assert_uint_eq(t.terms[2].at, strlen(M " is One "));
	ck_assert_str_eq(t.terms[2].target, M);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("blocked");
	TCase *c = tcase_create("words");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, whole_words_are_masked, 0, COUNT(cases));
	tcase_add_test(c, the_longest_of_several_words_wins);
	tcase_add_test(c, without_words_nothing_changes);
	tcase_add_test(c, masks_are_not_spoken);
	tcase_add_test(c, translations_keep_masks_between_the_terms);
	suite_add_tcase(s, c);
	return unit_run(s);
}
