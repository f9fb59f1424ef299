/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "pipeline/glossary.h"
#include "tests/unit/suite.h"

static struct arena *mem;

#define ID1 "11111111-0000-4000-8000-000000000000"
#define ID2 "22222222-0000-4000-8000-000000000000"

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

static struct glossary_index *
make(const struct glossary_task *task, const struct glossary_term *rows, size_t n)
{
	bool truncated;
	struct glossary_index *g = glossary_index_new(mem, task, rows, n, &truncated);

	ck_assert(!truncated);
	return g;
}

/* Adds lines "a" or "a|b" as rows of one glossary. */
static size_t
read_rows(const char *lines, enum glossary_type type, struct glossary_term *to)
{
	char *save, *line = strtok_r(arena_str(mem, lines), "\n", &save);
	size_t n = 0;

	for (; line != NULL; line = strtok_r(NULL, "\n", &save), n++) {
		char *bar = strchr(line, '|');

		if (bar != NULL)
			*bar++ = '\0';
		to[n] = (struct glossary_term){ type, ID1, "auto", "es", line, bar };
	}
	return n;
}

static const struct glossary_target to_es[] = { { .lang = "es" } };
static const struct glossary_task any = {
	.source = "auto", .targets = to_es, .ntargets = 1
};

/* ---- step 1 ---- */

static const struct {
	const char *lang, *terms, *text, *becomes;
} hot[] = {
	/* clang-format off */
	/* distance 0 below 5 letters */
	{ "en", "Cora", "i saw cora there", "i saw Cora there" },
	{ "en", "Cora", "i saw cara there", "i saw cara there" },
	{ "en", "Zoë", "with zoe", "with Zoë" },
	{ "en", "Co\u00adra", "i saw cora there", "i saw Co\u00adra there" },
	/* distance 1 from 5 to 9 letters */
	{ "en", "Praha", "in proha now", "in Praha now" },
	{ "en", "Praha", "in prah now", "in Praha now" },
	{ "en", "Praha", "in prahaa now", "in Praha now" },
	{ "en", "Praha", "in prohi now", "in prohi now" },
	{ "en", "Dragomans", "the dragamans", "the Dragomans" },
	{ "en", "Dragomans", "the dragaman", "the dragaman" },
	/* distance 2 from 10 letters */
	{ "en", "Kubernetes", "use kubernitis here", "use Kubernetes here" },
	{ "en", "Kubernetes", "use kabernitis here", "use kabernitis here" },
	/* the first letter must match, even when other letters may differ */
	{ "en", "Kubernetes", "use cubernetes here", "use cubernetes here" },
	{ "en", "Praha", "in braha", "in braha" },
	/* runs of up to 4 words, compared by their letters */
	{ "en", "PostgreSQL", "our post gress ql base", "our PostgreSQL base" },
	{ "en", "Kubernetes", "cuba and kuber net es", "cuba and Kubernetes" },
	{ "en", "OpenID", "an open-id login", "an OpenID login" },
	{ "en", "abcdefgh", "ab cd ef gh x", "abcdefgh x" },
	{ "en", "abcdefghij", "ab cd ef ghij", "abcdefghij" },
	{ "en", "abcdefghijklmno", "abc def ghi jkl mno", "abc def ghi jkl mno" },
	{ "en", "New York", "in newyork", "in New York" },
	{ "en", "New York", "in new. york", "in new. york" },
	/* a neighbouring word is not included, a missing part is */
	{ "en", "Kubernetes", "kubernetes is fine", "Kubernetes is fine" },
	{ "en", "Kubernetes", "a kubernete s b", "a Kubernetes b" },
	/* the longest run, then the leftmost, then the order of the file */
	{ "en", "York\nNew York", "new york", "New York" },
	{ "en", "New York\nYork Minster Hall", "new york minster hall", "new York Minster Hall" },
	{ "en", "ab cd\ncd ef", "ab cd ef", "ab cd ef" },
	{ "en", "AB CD\nCD EF", "ab cd ef", "AB CD ef" },
	{ "en", "Carlos\nCarlas", "for carlas", "for Carlos" },
	/* written as in the glossary, whatever the case around it */
	{ "en", "iPhone", "IPHONE and Iphone.", "iPhone and iPhone." },
	{ "es", "Núñez", "nunez y Nuñes", "Núñez y Núñez" },
	{ "de", "Straße", "die strasse", "die Straße" },
	{ "de", "Straße", "die strassee", "die Straße" },
	{ "ru", "Дума", "в дума", "в Дума" },
	/* a run consists of whole words */
	{ "en", "Cora", "decoration", "decoration" },
	/* except in writing without blanks between words */
	{ "zh", "翻译", "机器翻译很好", "机器翻译很好" },
	{ "ja", "トーキョー", "これはトーキョウです", "これはトーキョーです" },
	{ "ja-jp", "トーキョー", "これはトーキョーです", "これはトーキョーです" },
	{ "ko", "トーキョー", "これはトーキョウです", "これはトーキョウです" },
	{ "zh", "GPT", "用gpt翻译", "用GPT翻译" },
	{ "en", "C3PO", "see c3po", "see C3PO" },
	{ "en", "...", "see ... there", "see ... there" },
	{ "en", "Cora", "", "" },
	/* clang-format on */
};

START_TEST(recognised_words_become_hot_terms)
{
	struct glossary_term rows[8];
	size_t n = read_rows(hot[_i].terms, GLOSSARY_HOTWORD, rows);
	struct glossary_index *g = make(&any, rows, n);

	ck_assert_str_eq(
	    glossary_hotwords(g, mem, hot[_i].lang, hot[_i].text), hot[_i].becomes);
}
END_TEST

START_TEST(hot_terms_are_hints_in_their_order)
{
	const struct glossary_term rows[] = {
		{ GLOSSARY_HOTWORD, ID1, "auto", NULL, "Zeta", NULL },
		{ GLOSSARY_CORRECTION, ID1, "auto", NULL, "no", "hint" },
		{ GLOSSARY_HOTWORD, ID1, "de", NULL, "Uhr", NULL },
		{ GLOSSARY_HOTWORD, ID2, "en", NULL, "Alpha", NULL },
	};
	struct glossary_index *g = make(&any, rows, COUNT(rows));
	const struct list none = { 0 };
	struct list hints = glossary_hints(g, mem, "en-us", &none);
	const char *const *text = hints.items;

	ck_assert_uint_eq(hints.n, 2);
	ck_assert_str_eq(text[0], "Zeta");
	ck_assert_str_eq(text[1], "Alpha");
	ck_assert_str_eq(glossary_hotwords(g, mem, "en", "uhr alpha"), "uhr Alpha");
	ck_assert_str_eq(glossary_hotwords(g, mem, "de-at", "uhr alpha"), "Uhr alpha");
}
END_TEST

/* Terms of all possible languages, when the spoken language is not known. */
START_TEST(hints_are_those_of_every_candidate)
{
	const struct glossary_term rows[] = {
		{ GLOSSARY_HOTWORD, ID1, "auto", NULL, "Zeta", NULL },
		{ GLOSSARY_HOTWORD, ID1, "de", NULL, "Uhr", NULL },
		{ GLOSSARY_HOTWORD, ID2, "en", NULL, "Alpha", NULL },
		{ GLOSSARY_HOTWORD, ID2, "fr", NULL, "Oui", NULL },
	};
	static const struct {
		const char *candidates[2], *hints;
	} cases[] = {
		{ { NULL }, "Zeta Uhr Alpha Oui" },
		{ { "de-at" }, "Zeta Uhr" },
		{ { "fr", "en" }, "Zeta Alpha Oui" },
		{ { "es" }, "Zeta" },
	};
	struct glossary_index *g = make(&any, rows, COUNT(rows));

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const *c = cases[i].candidates;
		struct list of = { (void *)(uintptr_t)c,
			(size_t)(c[0] != NULL) + (c[1] != NULL) };
		struct list hints = glossary_hints(g, mem, "auto", &of);
		struct buf b = { .mem = mem };

		for (size_t k = 0; k < hints.n; k++)
			buf_printf(&b, "%s%s", k > 0 ? " " : "",
			    ((const char *const *)hints.items)[k]);
		ck_assert_str_eq(buf_text(&b), cases[i].hints);
	}
}
END_TEST

/* ---- step 2 ---- */

static const struct {
	const char *lang, *terms, *text, *becomes;
} heard[] = {
	/* clang-format off */
	{ "en", "gee pee tee|GPT", "use gee pee tee now", "use GPT now" },
	{ "en", "Gee PÉE tee|GPT", "use GEE  pee tee now", "use GPT now" },
	{ "en", "cat|dog", "cat concat cats Cat. (cat)", "dog concat cats dog. (dog)" },
	{ "en", "cats|dogs", "a cat", "a cat" },
	{ "en", "new york|NY\nnew york city|NYC", "new york city", "NYC" },
	{ "en", "a b|1\nb c d|2", "a b c d", "a 2" },
	{ "en", "a b|1\nb c|2", "a b c", "1 c" },
	{ "en", "x|first\nx|second", "x", "first" },
	{ "en", "c++|C plus plus", "in c++ or c", "in C plus plus or c" },
	{ "en", "o'neil|O’Neil", "mr o'neil's", "mr O’Neil's" },
	{ "en", "cat|", "a cat sat", "a  sat" },
	{ "en", " cat |dog", "a cat sat", "a dog sat" },
	{ "en", "machine translation|MT", "machine, translation", "machine, translation" },
	{ "fr", "cafe|bar", "un café ici", "un bar ici" },
	{ "fr", "café|bar", "un cafe\xcc\x81 ici", "un bar ici" },
	{ "de", "strasse|Weg", "die Straße, STRASSE", "die Weg, Weg" },
	{ "ko", "각|A", "각 가", "A 가" },
	{ "ko", "가|A", "각 가", "각 A" },
	{ "zh", "东京|Tokyo", "我在东京塔", "我在Tokyo塔" },
	{ "yue", "东京|Tokyo", "我在东京塔", "我在Tokyo塔" },
	{ "th", "กรุง|K", "ในกรุงเทพ", "ในKเทพ" },
	{ "ja", "東京|T\n東京都|TT", "東京都東京", "TTT" },
	{ "vi", "东京|Tokyo", "我在东京塔", "我在东京塔" },
	/* clang-format on */
};

START_TEST(heard_words_become_written_ones)
{
	struct glossary_term rows[8];
	size_t n = read_rows(heard[_i].terms, GLOSSARY_CORRECTION, rows);
	struct glossary_index *g = make(&any, rows, n);

	ck_assert_str_eq(glossary_correct(g, mem, heard[_i].lang, heard[_i].text),
	    heard[_i].becomes);
}
END_TEST

/* ---- step 3 ---- */

static const struct {
	const char *lang, *terms, *text, *shown; /* [term>target] */
} terms[] = {
	/* clang-format off */
	{ "en", "budget|presupuesto", "The budget is a Budget.", "The [budget>presupuesto] is a [Budget>presupuesto]." },
	{ "en", "budget|p\nbudget plan|plan p", "a budget plan", "a [budget plan>plan p]" },
	{ "en", "a b|1\nb c d|2", "a b c d", "a [b c d>2]" },
	{ "en", "budget|p", "budgets", "budgets" },
	{ "en", "new  york|NY", "New\tYork", "[New\tYork>NY]" },
	{ "fr", "été|verano", "l’Ete.", "l’[Ete>verano]." },
	{ "ja", "翻訳|traducción", "機械翻訳は", "機械[翻訳>traducción]は" },
	{ "en", "x|1\ny|2", "y x,y", "[y>2] [x>1],[y>2]" },
	{ "en", "x|1", "", "" },
	/*
	 * invisible characters are ignored, and Word's apostrophe equals the plain one
	 */
	{ "en", "\ufeffanchor|A", "the anchor is here", "the [anchor>A] is here" },
	{ "en", "light\u00adhouse|F", "the lighthouse is", "the [lighthouse>F] is" },
	{ "en", "har\u200bbour|P", "the harbour", "the [harbour>P]" },
	{ "en", "harbour|P", "the har\u200dbour", "the [har\u200dbour>P]" },
	{ "en", "captain’s log|D", "the captain's log", "the [captain's log>D]" },
	{ "en", "captain's log|D", "the captain’s log", "the [captain’s log>D]" },
	/* clang-format on */
};

static const char *
show(const char *text, const struct mt_term *t, size_t n)
{
	struct buf b = { .mem = mem };
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_ge(t[i].at, at);
		buf_put(&b, text + at, t[i].at - at);
		buf_printf(&b, "[%.*s>%s]", (int)t[i].len, text + t[i].at, t[i].target);
		at = t[i].at + t[i].len;
	}
	buf_str(&b, text + at);
	return buf_text(&b);
}

START_TEST(terms_are_found_for_the_translation)
{
	struct glossary_term rows[8];
	size_t n = read_rows(terms[_i].terms, GLOSSARY_TRANSLATION, rows), found;
	struct glossary_index *g = make(&any, rows, n);
	const struct mt_term *t =
	    glossary_terms(g, mem, terms[_i].lang, "es", terms[_i].text, &found);

	ck_assert_str_eq(show(terms[_i].text, t, found), terms[_i].shown);
}
END_TEST

START_TEST(case_matters_where_the_term_says_so)
{
	static const struct glossary_term rows[] = {
		{ GLOSSARY_TRANSLATION, ID1, "en", "es", "us", "nosotros" },
		{ GLOSSARY_TRANSLATION, ID1, "en", "es", "US", "EE. UU.",
		    .match_case = true },
		{ GLOSSARY_TRANSLATION, ID1, "en", "es", " IT ", "informática",
		    .match_case = true },
		{ GLOSSARY_CORRECTION, ID1, "en", "es", "who", "WHO",
		    .match_case = true },
	};
	const char *text = "Who of us in the US does IT, and it is Us.";
	struct glossary_index *g = make(&any, rows, COUNT(rows));
	size_t n;
	const struct mt_term *t = glossary_terms(g, mem, "en", "es", text, &n);

	ck_assert_str_eq(show(text, t, n),
	    "Who of [us>nosotros] in the [US>EE. UU.] does [IT>informática], "
	    "and it is [Us>nosotros].");
	ck_assert_str_eq(
	    glossary_correct(g, mem, "en", "Who asked who?"), "Who asked WHO?");
}
END_TEST

/* ---- which rows count ---- */

static const struct glossary_term both[] = {
	{ GLOSSARY_TRANSLATION, ID1, "en", "es", "one", "uno" },
	{ GLOSSARY_TRANSLATION, ID2, "en-us", "es-mx", "two", "dos" },
	{ GLOSSARY_TRANSLATION, ID2, "fr", "es", "three", "tres" },
	{ GLOSSARY_TRANSLATION, ID2, "auto", "es", "four", "cuatro" },
	{ GLOSSARY_TRANSLATION, ID2, "auto", "fr", "five", "cinq" },
};

static const struct {
	const char *source, *lang, *target, *shown;
} codes[] = {
	{ "en", "en", "es", "[one>uno] two three [four>cuatro] five" },
	{ "en-gb", "en-gb", "es", "[one>uno] two three [four>cuatro] five" },
	{ "en", "en", "es-mx", "[one>uno] [two>dos] three [four>cuatro] five" },
	{ "fr", "fr", "es", "one two [three>tres] [four>cuatro] five" },
	{ "auto", "fr", "es", "one two [three>tres] [four>cuatro] five" },
	{ "auto", "en-us", "es-mx", "[one>uno] [two>dos] three [four>cuatro] five" },
	{ "en", "en", "fr-ca", "one two three four [five>cinq]" },
	{ "en", "en", "de", "one two three four five" },
};

START_TEST(languages_decide_which_terms_count)
{
	const char *text = "one two three four five";
	const struct glossary_target target = { .lang = codes[_i].target };
	const struct glossary_task task = {
		.source = codes[_i].source, .targets = &target, .ntargets = 1
	};
	struct glossary_index *g = make(&task, both, COUNT(both));
	size_t n;
	const struct mt_term *t =
	    glossary_terms(g, mem, codes[_i].lang, codes[_i].target, text, &n);

	ck_assert_str_eq(show(text, t, n), codes[_i].shown);
}
END_TEST

START_TEST(a_step_uses_the_glossaries_that_it_may)
{
	static const char *const first[] = { ID1 };
	const struct glossary_target targets[] = { { "es",
						       { .ids = first, .nids = 1 } },
		{ "es-mx", { 0 } }, { "es-ar", { .off = true } } };
	const struct glossary_task task = { "en", { .off = true },
		{ .ids = first, .nids = 1 }, targets, 3 };
	const struct glossary_term rows[] = {
		{ GLOSSARY_TRANSLATION, ID1, "en", "es", "one", "uno" },
		{ GLOSSARY_TRANSLATION, ID2, "en", "es", "two", "dos" },
		{ GLOSSARY_CORRECTION, ID1, "en", NULL, "aa", "bb" },
		{ GLOSSARY_CORRECTION, ID2, "en", NULL, "cc", "dd" },
		{ GLOSSARY_HOTWORD, ID1, "en", NULL, "Berlin", NULL },
	};
	struct glossary_index *g = make(&task, rows, COUNT(rows));
	size_t n;

	glossary_terms(g, mem, "en", "es", "one two", &n);
	ck_assert_uint_eq(n, 1);
	glossary_terms(g, mem, "en", "es-mx", "one two", &n);
	ck_assert_uint_eq(n, 2);
	glossary_terms(g, mem, "en", "es-ar", "one two", &n);
	ck_assert_uint_eq(n, 0);
	glossary_terms(g, mem, "en", "no-such", "one two", &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(glossary_correct(g, mem, "en", "aa cc"), "bb cc");
	ck_assert_str_eq(glossary_hotwords(g, mem, "en", "berlin"), "berlin");
	ck_assert_uint_eq(glossary_hints(g, mem, "en", &(struct list){ 0 }).n, 0);
}
END_TEST

/* ---- how many, how fast ---- */

/* Made-up words of 3 to 12 letters, the same in each run. */
static const char *
word(unsigned *seed)
{
	static const char *const parts[] = { "ka", "lo", "mi", "stra", "ten", "u",
		"ber", "nor", "we", "qui", "dal", "po", "shi", "ran", "ge", "fa" };
	struct buf b = { .mem = mem };

	for (int n = 2 + (int)(*seed >> 16) % 3; n-- > 0;) {
		*seed = *seed * 1103515245 + 12345;
		buf_str(&b, parts[*seed >> 16 & 15]);
	}
	return buf_text(&b);
}

static struct glossary_term *
many_rows(enum glossary_type type, size_t n)
{
	struct glossary_term *rows = arena_alloc(mem, n * sizeof(*rows));
	unsigned seed = 1;

	for (size_t i = 0; i < n; i++) {
		const char *a = word(&seed);

		if (i % 3 == 0)
			a = arena_printf(mem, "%s %s", a, word(&seed));
		rows[i] = (struct glossary_term){ type, ID1, "en", "es", a, "put" };
	}
	return rows;
}

static const char *
phrase(unsigned seed, int words)
{
	struct buf b = { .mem = mem };

	while (words-- > 0)
		buf_printf(&b, "%s ", word(&seed));
	return buf_text(&b);
}

START_TEST(rows_beyond_the_limit_are_left_out_and_told)
{
	struct glossary_term *rows =
	    many_rows(GLOSSARY_TRANSLATION, GLOSSARY_ENTRIES + 3);
	bool truncated;
	struct glossary_index *g;
	size_t n;

	rows[7].source = "de"; /* occupies no place */
	rows[GLOSSARY_ENTRIES].a = "the last one";
	rows[GLOSSARY_ENTRIES + 1].a = "one too many";
	rows[GLOSSARY_ENTRIES + 2].source = "de";
	g = glossary_index_new(mem,
	    &(struct glossary_task){ .source = "en", .targets = to_es, .ntargets = 1 },
	    rows, GLOSSARY_ENTRIES + 3, &truncated);
	ck_assert(truncated);
	glossary_terms(g, mem, "en", "es", "the last one", &n);
	ck_assert_uint_eq(n, 1);
	glossary_terms(g, mem, "en", "es", "one too many", &n);
	ck_assert_uint_eq(n, 0);
	rows[GLOSSARY_ENTRIES + 1].source = "de";
	glossary_index_new(mem,
	    &(struct glossary_task){ .source = "en", .targets = to_es, .ntargets = 1 },
	    rows, GLOSSARY_ENTRIES + 3, &truncated);
	ck_assert(!truncated);
}
END_TEST

START_TEST(a_phrase_is_done_in_well_under_a_millisecond)
{
	static const char *const names[] = { "hot", "heard", "translation" };
	struct glossary_term *rows =
	    many_rows((enum glossary_type)_i, GLOSSARY_ENTRIES);
	int64_t start_us = monotonic_us(), made_us;
	struct glossary_index *g = make(&any, rows, GLOSSARY_ENTRIES);
	struct arena *out = arena_new();
	const int rounds = 200;
	double each_us;
	clock_t begun;
	size_t n;

	made_us = monotonic_us() - start_us;
	const char *text = phrase(77, 30);
	begun = clock(); /* processor time, so that other programs do not count */
	for (int i = 0; i < rounds; i++) {
		if (_i == GLOSSARY_HOTWORD)
			glossary_hotwords(g, out, "en", text);
		else if (_i == GLOSSARY_CORRECTION)
			glossary_correct(g, out, "en", text);
		else
			glossary_terms(g, out, "en", "es", text, &n);
		arena_reset(out);
	}
	each_us = (double)(clock() - begun) / CLOCKS_PER_SEC * S_US / rounds;
	printf("%s: %d entries made in %.1f ms, %.0f us for 30 words\n", names[_i],
	    GLOSSARY_ENTRIES, (double)made_us / 1000, each_us);
	arena_free(out);
	ck_assert_double_lt(each_us, 20000); /* generous, for valgrind */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("gloss");
	TCase *tc = tcase_create("gloss");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, recognised_words_become_hot_terms, 0, COUNT(hot));
	tcase_add_test(tc, hot_terms_are_hints_in_their_order);
	tcase_add_test(tc, hints_are_those_of_every_candidate);
	tcase_add_loop_test(tc, heard_words_become_written_ones, 0, COUNT(heard));
	tcase_add_loop_test(tc, terms_are_found_for_the_translation, 0, COUNT(terms));
	tcase_add_test(tc, case_matters_where_the_term_says_so);
	tcase_add_loop_test(tc, languages_decide_which_terms_count, 0, COUNT(codes));
	tcase_add_test(tc, a_step_uses_the_glossaries_that_it_may);
	tcase_add_test(tc, rows_beyond_the_limit_are_left_out_and_told);
	tcase_add_loop_test(tc, a_phrase_is_done_in_well_under_a_millisecond, 0, 3);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
