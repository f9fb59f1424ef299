/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terms of the search index for events. */
#include "base/grams.h"

#include "tests/unit/unit.h"

#define OWNER "11111111-1111-4111-8111-0123456789ab"
#define OTHER "22222222-2222-4222-8222-ba9876543210"

static struct arena *mem;

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

static const char *
grams_of(const char *owner, const char *text, bool all)
{
	struct buf b = { .mem = mem };

	grams_put(&b, owner, text, all);
	return buf_text(&b);
}

/* clang-format off */
static const struct {
	const char *text, *all, *longest; /* terms of the account "o" */
} texts[] = {
	{ "",             "",                       "" },
	{ " \t\n a \r\v", "",                       "" },
	{ "ab",           "oab",                    "oab" },
	{ "abc",          "oabc oab obc",           "oabc" },
	{ "abcd",         "oabc obcd oab obc ocd",  "oabc obcd" },
	{ "ab\ncd e",     "oab ocd",                "oab ocd" },
	{ "会議",         "o会議",                  "o会議" },
	{ "ñab",          "oñab oña oab",           "oñab" },
	{ "0%",           "o0\xee\x80\xa5",         "o0\xee\x80\xa5" }, /* U+E025 */
	{ "\"-",          "o\xee\x80\xa2\xee\x80\xad", "o\xee\x80\xa2\xee\x80\xad" },
};

static const struct {
	const char *words, *parts;
} words[] = {
	{ "",                      "" },
	{ "a b c",                 "" },
	{ "ab",                    "ab" },
	{ "abc",                   "abc" },
	{ "abcd x 会議",           "abc bcd 会議" },
	{ "conference",            "con fer ren nce" },
	{ "100%",                  "100 00%" },
	{ "ab cd ef gh ij kl mn op qr st", "ab cd ef gh ij kl mn op" },
};
/* clang-format on */

START_TEST(a_text_has_every_two_and_three_characters_of_its_words)
{
	ck_assert_str_eq(grams_of("o", texts[_i].text, true), texts[_i].all);
	ck_assert_str_eq(grams_of("o", texts[_i].text, false), texts[_i].longest);
}
END_TEST

START_TEST(a_few_parts_spread_over_a_word_look_for_it)
{
	ck_assert_str_eq(grams_parts(mem, "conference ab", 2), "con nce ab");
	ck_assert_str_eq(grams_parts(mem, words[_i].words, 4), words[_i].parts);
}
END_TEST

/* Every searched term must be among the stored terms. */
START_TEST(every_term_of_a_search_is_one_of_the_text)
{
	const char *kept =
	    arena_printf(mem, " %s ", grams_of(OWNER, words[_i].words, true));
	const char *asked =
	    grams_of(OWNER, grams_parts(mem, words[_i].words, 4), false);

	for (size_t n; *asked != '\0'; asked += n + (asked[n] == ' ')) {
		n = strcspn(asked, " ");
		ck_assert_ptr_nonnull(
		    strstr(kept, arena_printf(mem, " %.*s ", (int)n, asked)));
	}
}
END_TEST

START_TEST(the_terms_of_two_owners_differ)
{
	ck_assert_str_eq(grams_of(OWNER, "abc", false), "0123456789ababc");
	ck_assert_str_eq(grams_of(OTHER, "abc", false), "ba9876543210abc");
	ck_assert_str_eq(grams_of("a-b", "abc", false), "a\xee\x80\xad"
							"babc");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("grams");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_text_has_every_two_and_three_characters_of_its_words, 0, COUNT(texts));
	tcase_add_loop_test(
	    t, a_few_parts_spread_over_a_word_look_for_it, 0, COUNT(words));
	tcase_add_loop_test(
	    t, every_term_of_a_search_is_one_of_the_text, 0, COUNT(words));
	tcase_add_test(t, the_terms_of_two_owners_differ);
	suite_add_tcase(s, t);
	return unit_run(s);
}
