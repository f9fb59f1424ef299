/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The input of an engine that translates word by word, and the changes to its answer.
 */
#include <check.h>
#include <string.h>

#include "base/buf.h"
#include "pipeline/repair.h"
#include "pipeline/rewrite.h"
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

/* clang-format off */
static const struct {
	const char *from, *text, *out;
} rewrites[] = {
	{ "en", "Twenty five people and thirty-one dogs.", "Twenty-five people and thirty-one dogs." },
	{ "en", "One hundred and twenty students passed.", "120 students passed." },
	{ "en", "We sold two thousand five hundred.", "We sold 2500." },
	{ "en", "It costs ninety-nine thousand three hundred.", "It costs 99,300." },
	{ "en", "In nineteen ninety-five and twenty twenty four.", "In 1995 and 2024." },
	{ "en", "Three and a half million euros.", "3.5 million euros." },
	{ "en", "Two hundred pages, and one and two.", "Two hundred pages, and one and two." },
	{ "en", "See you at two o'clock or at two.", "See you at 2:00 or at 2:00." },
	{ "en", "The train leaves at six.", "The train does leave at 6:00." },
	{ "en", "I know how the new system works.", "I know how the new system does work." },
	{ "en", "This matters.", "This does matter." },
	{ "en", "The bus stops in the city are dirty.", "The bus stops in the city are dirty." },
	{ "en", "The test results show that it is true.", "The test results show that it is true." },
	{ "en", "The city's needs grow.", "The city's needs grow." },
	{ "en", "The plans of the company.", "The plans of the company." },
	{ "en", "We waited for two days and for a bus.", "We waited during two days and for a bus." },
	{ "en", "They don't have any time, any more.", "They don't have time, any more." },
	{ "en", "Do you have any questions?", "Do you have any questions?" },
	{ "en", "I used to think so.", "I was thinking so." },
	{ "en", "They used to run, we are used to run.", "They were running, we are used to run." },
	{ "en", "It used to be a school.", "It was a school." },
	{ "es", "Ciento cincuenta voluntarios.", "150 voluntarios." },
	{ "es", "Dos mil quinientos euros.", "2500 euros." },
	{ "es", "Treinta y siete y tres.", "37 y tres." },
	{ "es", "Dos millones y medio de euros.", "2,5 millones de euros." },
	{ "es", "Nos vemos a las dos.", "Nos vemos a las 2:00." },
	{ "es", "A las nueve y media de la noche.", "A las 9:30 de la noche." },
	{ "es", "Es a la una menos cuarto.", "Es a la 12:45." },
	{ "es", "Ayudó a las dos mujeres.", "Ayudó a las dos mujeres." },
	{ "de", "Zwanzig one hundred and twenty.", "Zwanzig one hundred and twenty." },
	{ "en", "", "" },
};

static const struct {
	const char *from, *source, *to, *text, *out;
} repairs[] = {
	{ "en", "The doctor told me that.", "es", "El doctor me dije aquello.", "El doctor me dijo eso." },
	{ "en", "They surprised us.", "es", "Nos sorprendimos.", "Nos sorprendieron." },
	{ "en", "I told myself that.", "es", "Me dije aquello.", "Me dije eso." },
	{ "en", "I bought me a car.", "es", "Me compré un coche.", "Me compré un coche." },
	{ "en", "He bought me a car.", "es", "Me compré un coche.", "Me compró un coche." },
	{ "en", "I have nothing.", "es", "Tengo nada.", "No tengo nada." },
	{ "en", "He lives with nobody.", "es", "Vive con nadie.", "Vive con nadie." },
	{ "en", "I do not have anything.", "es", "No tengo nada.", "No tengo nada." },
	{ "en", "We work.", "es", "Obramos.", "Trabajamos." },
	{ "en", "A work of art.", "es", "Una obra de arte.", "Una obra de arte." },
	{ "en", "It shows the way.", "es", "Asoma la manera.", "Muestra la manera." },
	{ "en", "He looks out.", "es", "Asoma.", "Asoma." },
	{ "en", "From May 3rd to May 5th.", "es", "De el 3 de mayo a el 5 de mayo.", "Del 3 de mayo al 5 de mayo." },
	{ "en", "I read it in El Pais.", "es", "Lo leí en el diario de El País.", "Lo leí en el diario de El País." },
	{ "en", "Neither of them.", "es", "Ninguno de les.", "Ninguno de ellos." },
	{ "en", "The 19th century.", "es", "El siglo xix.", "El siglo XIX." },
	{ "es", "¿Pueden verlo?", "en", "They can see it?", "Can they see it?" },
	{ "es", "¿Dónde está la sala?", "en", "Where it is the room?", "Where is the room?" },
	{ "es", "¿Tienen una sala?", "en", "They have a room?", "They have a room?" },
	{ "es", "¿Puedo ir?", "en", "I can go?", "Can I go?" },
	{ "es", "Pueden verlo.", "en", "They can see it.", "They can see it." },
	{ "es", "Me preguntó algo.", "en", "It asked me something.", "He asked me something." },
	{ "es", "Funciona.", "en", "It works.", "It works." },
	{ "es", "Hola.", "fr", "de el", "de el" },
	{ "en", "", "es", "", "" },
};
/* clang-format on */

START_TEST(the_text_is_rewritten)
{
	struct mt_text t = { .text = rewrites[_i].text, .from = rewrites[_i].from };

	rewrite_text(mem, &t);
	ck_assert_str_eq(t.text, rewrites[_i].out);
}
END_TEST

START_TEST(the_answer_is_repaired)
{
	ck_assert_str_eq(repair(mem, repairs[_i].from, repairs[_i].source,
			     repairs[_i].to, repairs[_i].text),
	    repairs[_i].out);
}
END_TEST

START_TEST(terms_stay_where_they_are)
{
	const char *text = "One hundred and ten people use the hundred and ten cards.";
	const struct mt_term terms[] = { { .at = 20, .len = 6, .target = "gente" },
		{ .at = 35, .len = 21, .target = "tarjetas" } };
	struct mt_text t = { .text = text, .from = "en", .terms = terms, .nterms = 2 };

	rewrite_text(mem, &t);
	ck_assert_str_eq(t.text, "110 people use the hundred and ten cards.");
	ck_assert_int_eq(strncmp(t.text + t.terms[0].at, "people", 6), 0);
	ck_assert_int_eq(strncmp(t.text + t.terms[1].at, "hundred", 7), 0);
}
END_TEST

START_TEST(small_words_become_terms)
{
	size_t n;
	const struct mt_term *t = rewrite_terms(
	    mem, "en", "es", "About ten people don't know anything about it.", &n);

	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(t[0].target, "nada");
	ck_assert_str_eq(t[1].target, "sobre");
	t = rewrite_terms(mem, "es", "en", "Una mesa dura, que dura dos horas.", &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(t->target, "lasts");
	rewrite_terms(mem, "en", "de", "We know nothing about it.", &n);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(a_text_of_too_many_words_stays_as_it_is)
{
	struct mt_text t = { .from = "en" };
	struct buf b = { .mem = mem };
	size_t n;

	while (b.len < MT_TEXT_BYTES)
		buf_str(&b, "twenty five ");
	t.text = buf_text(&b);
	rewrite_text(mem, &t);
	ck_assert_ptr_eq(t.text, b.p);
	rewrite_terms(mem, "en", "es", t.text, &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_ptr_eq(repair(mem, "en", t.text, "es", t.text), t.text);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("rewrite");
	TCase *tc = tcase_create("rewrite");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, the_text_is_rewritten, 0, COUNT(rewrites));
	tcase_add_loop_test(tc, the_answer_is_repaired, 0, COUNT(repairs));
	tcase_add_test(tc, terms_stay_where_they_are);
	tcase_add_test(tc, small_words_become_terms);
	tcase_add_test(tc, a_text_of_too_many_words_stays_as_it_is);
	suite_add_tcase(s, tc);
	return unit_run(s);
}
