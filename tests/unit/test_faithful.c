/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names, negations and numbers must survive a translation. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/faithful.h"
#include "pipeline/names.h"
#include "pipeline/negation.h"
#include "pipeline/numbers.h"
#include "tests/adequacy.h"
#include "tests/unit/faithful_cases.h"
#include "tests/unit/suite.h"

static struct arena *mem;

static bool loses_terms; /* behaviour of the engine that translates sentences */

static void
setup(void)
{
	mem = arena_new();
	loses_terms = false;
}

static void
teardown(void)
{
	arena_free(mem);
}

static const struct list no_speakers;

static const char *
offline(const struct faithful_case *c, struct faithful *how)
{
	const struct mt_text t = { .text = c->text,
		.from = c->from,
		.to = strcmp(c->from, "en") == 0 ? "es" : "en" };
	const char *out = "";

	ck_assert_int_eq(
	    faithful_translate(&mt_apertium, &adequacy_at, mem, &t, &out, how), OK);
	return out;
}

/* True if the text contains one of the texts separated by "|". */
static bool
has_one(const char *out, char *alternatives)
{
	char *rest = NULL;

	for (const char *s = strtok_r(alternatives, "|", &rest); s != NULL;
	     s = strtok_r(NULL, "|", &rest))
		if (strcasestr(out, s) != NULL)
			return true;
	return false;
}

static bool
has_all(const char *out, const char *has)
{
	char *parts = arena_str(mem, has != NULL ? has : ""), *rest = NULL;

	for (char *s = strtok_r(parts, "&", &rest); s != NULL;
	     s = strtok_r(NULL, "&", &rest))
		if (!has_one(out, s))
			return false;
	return true;
}

static int
count_kept(const struct faithful_case *cases, size_t n)
{
	struct faithful how = { .speakers = &no_speakers };
	int kept = 0;

	for (size_t i = 0; i < n; i++) {
		const char *out = offline(&cases[i], &how);
		bool is = has_all(out, cases[i].has) && !how.negated;

		kept += is;
		printf("%c %s => %s\n", is ? '+' : '-', cases[i].text, out);
	}
	fflush(stdout);
	return kept;
}

START_TEST(names_stay_offline)
{
	ck_assert_int_ge(count_kept(name_cases, COUNT(name_cases)), 38);
}
END_TEST

START_TEST(negations_stay_offline)
{
	ck_assert_int_eq(
	    count_kept(negation_cases, COUNT(negation_cases)), COUNT(negation_cases));
}
END_TEST

START_TEST(numbers_and_dates_are_right_offline)
{
	ck_assert_int_ge(count_kept(number_cases, COUNT(number_cases)), 58);
}
END_TEST

START_TEST(sentences_that_no_rule_was_written_for_stay_faithful)
{
	ck_assert_int_ge(
	    count_kept(held_names, COUNT(held_names)), COUNT(held_names) - 2);
	ck_assert_int_ge(
	    count_kept(held_numbers, COUNT(held_numbers)), COUNT(held_numbers) - 2);
	ck_assert_int_ge(
	    count_kept(held_negations, COUNT(held_negations)), COUNT(held_negations));
}
END_TEST

/* clang-format off */
static const struct {
	const char *text, *out;
	const char *from; /* NULL: English */
} verb_cases[] = {
	{ "What would you do?", "¿Qué harían?" },
	{ "Last year we won, but this is the last year.",
	  "El año pasado ganamos, pero esto es el último año." },
	{ "The other half of the team is here.", "El otro medio del equipo está aquí." },
	{ "¿Pueden oírme?", "Can you hear me?", "es" },
	{ "Quiero que miren la pantalla.", "I want that you look at the screen.", "es" },
	{ "Miren la pantalla.", "Look at the screen.", "es" },
	{ "Por favor, cierren la puerta.", "Please, close the door.", "es" },
	{ "You cannot please everyone.", "No puedes complacer todo el mundo." },
	{ "Thank you is not enough.", "Gracias no es bastante." },
	{ "We question this.", "Cuestionamos esto." },
	{ "Thank you.", "Gracias." },
	{ "Please use the other door.", "Por favor, usen la otra puerta." },
};

static const struct {
	const char *from, *source, *to, *translation;
	bool differs;
} negations[] = {
	{ "en", "It isn't true.", "es", "Es cierto.", true },
	{ "en", "It isn’t true.", "es", "No es cierto.", false },
	{ "en", "It is true.", "es", "No es cierto.", true },
	{ "en", "You're welcome.", "es", "De nada.", false },
	{ "en", "Not only I came.", "es", "Vine también.", false },
	{ "en", "Notes and knots.", "es", "Notas y nudos.", false },
	{ "fr", "Il n'a rien dit.", "en", "He said it.", true },
	{ "de", "Das ist kein Problem.", "en", "That is a problem.", true },
	{ "it", "Non lo so.", "pt", "Não sei.", false },
	{ "en", "No.", "ja", "はい。", false }, /* no list */
	{ "en", "", "es", "", false },
};

/* None of these contains a number or a date to rewrite. */
static const char *const no_numbers[] = { "We may second that.", "The third may come.",
	"Version 1.2.3 and 10.0.0.1 and 12/5.", "At 10 we go.", "", "1,2,3", "-", "$",
	"The 99th of May is none.", "at 25:00", "Take 5." };
/* clang-format on */

START_TEST(a_phrase_never_stands_for_a_verb)
{
	const struct faithful_case c = { verb_cases[_i].from != NULL ? "es" : "en",
		verb_cases[_i].text, NULL };
	struct faithful how = { .speakers = &no_speakers };

	ck_assert_str_eq(offline(&c, &how), verb_cases[_i].out);
}
END_TEST

START_TEST(a_negation_is_a_word_of_its_language)
{
	ck_assert_int_eq(negation_differs(negations[_i].from, negations[_i].source,
			     negations[_i].to, negations[_i].translation),
	    negations[_i].differs);
}
END_TEST

START_TEST(text_that_is_no_number_is_left_alone)
{
	size_t n;

	numbers_terms(mem, "en", "es", no_numbers[_i], &n);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(a_date_is_written_as_each_language_writes_it)
{
	static const char *const said[][2] = { { "es", "el 1 de mayo de 2024" },
		{ "fr", "le 1er mai 2024" }, { "it", "il 1º maggio 2024" },
		{ "pt", "em 1 de maio de 2024" } };
	size_t n;

	for (size_t i = 0; i < COUNT(said); i++) {
		const struct mt_term *t = numbers_terms(
		    mem, "en-gb", said[i][0], "It was on the 1st of May 2024.", &n);

		ck_assert_uint_eq(n, 1);
		ck_assert_str_eq(t->target, said[i][1]);
	}
	numbers_terms(mem, "de", "es", "Am 1. Mai.", &n);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(speakers_of_the_event_are_names_in_small_letters_too)
{
	const char *names[] = { "Rose Green", "Bath" };
	const struct list speakers = { names, 2 };
	size_t n;
	const struct mt_term *t =
	    names_terms(mem, "de", &speakers, "we took a bath with rose green.", &n);

	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(t->target, "Rose Green");
	ck_assert_uint_eq(t->at, strlen("we took a bath with "));
}
END_TEST

START_TEST(names_that_other_languages_have_are_left_to_the_engine)
{
	static const char *const texts[] = { "We met in London on Monday.",
		"The European Union and the United States agree.",
		"So I think I'm right.", "THE WHOLE TEXT SHOUTS.",
		"The Ministry of Truth pays.", "" };
	size_t n;

	for (size_t i = 0; i < COUNT(texts); i++) {
		names_terms(mem, "en", &no_speakers, texts[i], &n);
		ck_assert_uint_eq(n, 0);
	}
}
END_TEST

START_TEST(a_long_text_of_names_and_numbers_ends)
{
	struct buf b = { .mem = mem };
	size_t n;

	while (b.len < MT_TEXT_BYTES)
		buf_str(&b, "we saw Rose Green at 1,250.5 on May 3rd. ");
	names_terms(mem, "en", &no_speakers, buf_text(&b), &n);
	ck_assert_uint_eq(n, 0); /* too many words */
	numbers_terms(mem, "en", "es", buf_text(&b), &n);
	ck_assert_uint_gt(n, 300);
}
END_TEST

/* ---- an engine that translates sentences ---- */

static int calls;
static const char *answers[4];

static bool
any_pair(const struct engine_at *at, const char *from, const char *to)
{
	(void)at, (void)from, (void)to;
	return true;
}

/* Returns the next answer, with the target after each term. */
static enum err
answer(const struct engine_at *at, struct arena *to, const struct mt_text *t,
    const char **out, bool *guarded)
{
	struct buf b = { .mem = to };

	(void)at;
	buf_str(&b, answers[calls++]);
	for (size_t i = 0; i < t->nterms; i++)
		buf_printf(&b, " %s", t->terms[i].target);
	*out = buf_text(&b);
	*guarded = !loses_terms || t->nterms == 0;
	return OK;
}

static const struct mt_engine by_sentences = { .pairs = any_pair, .translate = answer };

static const struct engine_at anywhere = { .id = "sentences", .timeout_ms = 5000 };

static const char *
by_sentence(const char *to, const char *text, struct faithful *how)
{
	const struct mt_text t = { .text = text, .from = "en", .to = to };
	const char *out = "";

	calls = 0;
	ck_assert_int_eq(
	    faithful_translate(&by_sentences, &anywhere, mem, &t, &out, how), OK);
	return out;
}

START_TEST(an_engine_that_translates_a_name_is_asked_again_with_it)
{
	struct faithful how = { .speakers = &no_speakers };

	answers[0] = "Vive con Rosa Verde.";
	answers[1] = "Vive con";
	ck_assert_str_eq(by_sentence("es", "He lives with Rose Green.", &how),
	    "Vive con Rose Green");
	ck_assert_int_eq(calls, 2);
	answers[0] = "Vive con Rose Green.";
	by_sentence("es", "He lives with Rose Green.", &how);
	ck_assert_int_eq(calls, 1);
	by_sentence("ru", "He lives with Mary Green.", &how);
	ck_assert_int_eq(calls, 1); /* the language inflects names */
}
END_TEST

START_TEST(a_second_answer_without_the_names_does_not_count)
{
	const struct mt_term term = { .at = 0, .len = 2, .target = "Él" };
	const struct mt_text t = { .text = "He lives with Rose Green.",
		.from = "en",
		.to = "es",
		.terms = &term,
		.nterms = 1 };
	struct faithful how = { .speakers = &no_speakers };
	const char *out;

	calls = 0;
	loses_terms = true;
	answers[0] = answers[2] = "Le falta un término.";
	answers[1] = "Vive con Rosa Verde.";
	answers[3] = "Vive con Rosa la Verde.";
	ck_assert_int_eq(
	    faithful_translate(&by_sentences, &anywhere, mem, &t, &out, &how), OK);
	ck_assert_int_eq(calls, 4);
	ck_assert_str_eq(out, "Vive con Rosa Verde.");
	ck_assert(!how.guarded);
}
END_TEST

START_TEST(a_lost_negation_is_reported)
{
	struct faithful how = { .speakers = &no_speakers };

	answers[0] = "Es cierto.";
	ck_assert_str_eq(by_sentence("es", "It isn't true.", &how), "Es cierto.");
	ck_assert(how.negated);
	answers[0] = "No es cierto.";
	by_sentence("es", "It isn't true.", &how);
	ck_assert(!how.negated);
}
END_TEST

START_TEST(a_negation_kept_without_the_glossary_is_reported_as_such)
{
	const struct mt_term term = { .at = 9, .len = 4, .target = "cierto" };
	const struct mt_text t = { .text = "It isn't true.",
		.from = "en",
		.to = "es",
		.terms = &term,
		.nterms = 1 };
	struct faithful how = { .speakers = &no_speakers };
	const char *out;

	calls = 0;
	answers[0] = "Es";
	answers[1] = "No es verdad.";
	ck_assert_int_eq(
	    faithful_translate(&by_sentences, &anywhere, mem, &t, &out, &how), OK);
	ck_assert_str_eq(out, "No es verdad.");
	ck_assert(!how.negated && !how.guarded);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("faithful");
	TCase *tc = tcase_create("faithful");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, names_stay_offline);
	tcase_add_test(tc, negations_stay_offline);
	tcase_add_test(tc, numbers_and_dates_are_right_offline);
	tcase_add_test(tc, sentences_that_no_rule_was_written_for_stay_faithful);
	tcase_add_loop_test(tc, a_phrase_never_stands_for_a_verb, 0, COUNT(verb_cases));
	tcase_add_loop_test(
	    tc, a_negation_is_a_word_of_its_language, 0, COUNT(negations));
	tcase_add_loop_test(
	    tc, text_that_is_no_number_is_left_alone, 0, COUNT(no_numbers));
	tcase_add_test(tc, a_date_is_written_as_each_language_writes_it);
	tcase_add_test(tc, speakers_of_the_event_are_names_in_small_letters_too);
	tcase_add_test(tc, names_that_other_languages_have_are_left_to_the_engine);
	tcase_add_test(tc, a_long_text_of_names_and_numbers_ends);
	tcase_add_test(tc, an_engine_that_translates_a_name_is_asked_again_with_it);
	tcase_add_test(tc, a_second_answer_without_the_names_does_not_count);
	tcase_add_test(tc, a_lost_negation_is_reported);
	tcase_add_test(tc, a_negation_kept_without_the_glossary_is_reported_as_such);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
