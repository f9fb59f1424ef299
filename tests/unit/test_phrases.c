/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in phrases, and the quality of conference texts translated with them. */
#include <check.h>

#include "pipeline/phrases.h"
#include "pipeline/phrases_list.h"
#include "tests/adequacy.h"
#include "tests/unit/suite.h"

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

static const struct engine_at script = {
	.id = "script", .kind = "script", .timeout_ms = 5000
};

/* Translates with "house" as a term of the task, if the text has it. */
static const char *
translated(const struct mt_engine *e, const struct engine_at *at, const char *to,
    const char *text)
{
	const char *house = strstr(text, "next house"), *out;
	const struct mt_term term = { (size_t)(house != NULL ? house - text : 0), 10,
		"CASA" };
	const struct mt_text t = { .text = text,
		.from = "en-gb",
		.to = to,
		.terms = &term,
		.nterms = house != NULL };
	bool guarded;

	ck_assert_int_eq(phrases_translate(e, at, mem, &t, &out, &guarded), OK);
	ck_assert(guarded);
	return out;
}

/* clang-format off */
static const struct {
	const char *text, *out;
} cases[] = {
	{ "Please!", "¡Por favor!" },
	{ "The speaker is here, please.", "El ponente es aquí, por favor." },
	{ "Two speakers are here.", "Dos ponentes son aquí." },
	{ "The house is big, thank you very much.", "La casa es grande, muchas gracias." },
	{ "THANK YOU.", "Gracias." },
	{ "This is displeasing.", "Esto está desagradando." },
	/* terms of the task take precedence */
	{ "The next house is big.", "La CASA es grande." },
};
/* clang-format on */

START_TEST(phrases_are_terms_below_those_of_the_task)
{
	ck_assert_str_eq(translated(&mt_apertium, &adequacy_at, "es", cases[_i].text),
	    cases[_i].out);
}
END_TEST

START_TEST(a_phrase_that_touches_a_term_is_left_out)
{
	const struct mt_term term = { 5, 9, "mano a mano" };
	const struct mt_text t = { .text = "Next slide now, thank you.",
		.from = "en",
		.to = "es",
		.terms = &term, /* "slide now" */
		.nterms = 1 };
	const char *out;
	bool guarded;

	ck_assert_int_eq(
	    phrases_translate(&mt_apertium, &adequacy_at, mem, &t, &out, &guarded), OK);
	ck_assert_str_eq(out, "Mano a mano próxima, gracias.");
}
END_TEST

/* clang-format off */
static const struct {
	const char *from, *to, *text, *out;
} sentences[] = {
	{ "en", "pt", "Thank you.", "Obrigado." },
	{ "en-gb", "es-mx", "thank you", "gracias" },
	{ "en", "es", "Thank you very much! Any questions?", "¡Muchas gracias! ¿Alguna pregunta?" },
	{ "en", "es", "Good morning, everyone.", "Buenos días a todos." },
	{ "en", "fr", "THANK YOU...", "Merci..." },
	{ "pt", "en", "Muito obrigado.", "Thank you very much." },
	{ "es", "pt", "¡Muchas gracias!", "Muito obrigado!" },
	{ "it", "en", "Va bene. Grazie.", "[en] Va bene. Thank you." },
	{ "en", "es", "Thank you. We begin. Now. Welcome!", "Gracias. [es] We begin. Now. ¡Bienvenidos!" },
	{ "en", "fr", "Yes.", "Oui." },
	/* sentences, parts of them, and languages that the engine knows better */
	{ "en", "es", "Thank you for.", NULL },
	{ "en", "es", "The speaker is here, please.", NULL },
	{ "en", "es", "Slides.", NULL },
	{ "en", "de", "Thank you.", NULL },
	{ "en", "es", "...", NULL },
};
/* clang-format on */

START_TEST(sentences_of_the_list_do_not_reach_an_engine_of_sentences)
{
	const struct mt_text t = { .text = sentences[_i].text,
		.from = sentences[_i].from,
		.to = sentences[_i].to };
	const char *out, *want = sentences[_i].out;
	bool guarded = false;

	ck_assert_int_eq(
	    phrases_translate(&mt_script, &script, mem, &t, &out, &guarded), OK);
	ck_assert(guarded);
	ck_assert_str_eq(
	    out, want != NULL ? want : arena_printf(mem, "[%s] %s", t.to, t.text));
}
END_TEST

START_TEST(terms_of_the_task_stand_above_the_list_of_sentences)
{
	const struct mt_term term = { 11, 9, "MERCI" };
	const struct mt_text t = { .text = "Thank you. Thank you.",
		.from = "en",
		.to = "fr",
		.terms = &term,
		.nterms = 1 };
	const char *out;
	bool guarded;

	ck_assert_int_eq(
	    phrases_translate(&mt_script, &script, mem, &t, &out, &guarded), OK);
	ck_assert_str_eq(out, "Merci. [fr] MERCI.");
}
END_TEST

START_TEST(each_phrase_is_there_once_and_in_spanish)
{
	for (const struct phrase *p = phrases_list; p->in[PHRASE_EN] != NULL; p++) {
		ck_assert_ptr_nonnull(p->in[PHRASE_ES]);
		for (int i = 0; i < PHRASE_LANGUAGES; i++)
			ck_assert(p->in[i] == NULL || *p->in[i] != '\0');
		for (const struct phrase *q = phrases_list; q < p; q++)
			ck_assert_str_ne(q->in[PHRASE_EN], p->in[PHRASE_EN]);
	}
}
END_TEST

/*
 * The limits are the results at the time when the lists were judged, with a margin for
 * other versions of the data.
 */
START_TEST(conferences_come_out_well_enough)
{
	struct adequacy_counts c = { 0 };

	judge_sentences(mem, &c, false);
	judge_terms(mem, &c, false);
	ck_assert_int_ge(c.good, 40);
	ck_assert_int_ge(c.good + c.understood, 50);
	ck_assert_int_eq(c.small_i, 0);
	ck_assert_int_eq(c.uninverted, 0);
	ck_assert_int_eq(c.lost, 0);
	ck_assert_int_le(c.stray, 2);
	ck_assert_int_le(c.article, 5);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("phrases");
	TCase *tc = tcase_create("phrases");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
	    tc, phrases_are_terms_below_those_of_the_task, 0, COUNT(cases));
	tcase_add_test(tc, a_phrase_that_touches_a_term_is_left_out);
	tcase_add_loop_test(tc,
	    sentences_of_the_list_do_not_reach_an_engine_of_sentences, 0,
	    COUNT(sentences));
	tcase_add_test(tc, terms_of_the_task_stand_above_the_list_of_sentences);
	tcase_add_test(tc, each_phrase_is_there_once_and_in_spanish);
	tcase_add_test(tc, conferences_come_out_well_enough);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
