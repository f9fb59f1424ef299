/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capitals and punctuation of a recognizer's text, and of translations by rules. */
#include <check.h>

#include "base/buf.h"
#include "speech/sentence.h"
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
	const char *lang, *text, *out;
} sources[] = {
	/* the "I" and names, also in partial texts */
	{ "en", "i think i'm ready", "I think I'm ready" },
	{ "en", "so i've", "so I've" },
	{ "en", "good morning every", "good morning every" },
	{ "en", "on monday in spain", "on Monday in Spain" },
	{ "en-us", "I hope i'll see mr smith.", "I hope I'll see Mr smith." },
	{ "en", "Spain's budget is small.", "Spain's budget is small." },
	{ "en", "It may be march or may.", "It may be march or may." },
	/* one stop */
	{ "en", "Letter x..", "Letter X." },
	{ "en", "The u. s. is large.", "The U S is large." },
	{ "en", "We meet at ten a.m..", "We meet at ten a.m." },
	{ "en", "That is all .", "That is all." },
	{ "en", "the session starts.", "The session starts." },
	/* questions */
	{ "en", "What time does the session start.", "What time does the session start?" },
	{ "en", "What we need is time.", "What we need is time." },
	{ "en", "What is important is that we agree.", "What is important is that we agree." },
	{ "en", "What's the next step.", "What's the next step?" },
	{ "en", "What's important is the budget.", "What's important is the budget." },
	{ "en", "How many people are here.", "How many people are here?" },
	{ "en", "How many of you have a badge.", "How many of you have a badge?" },
	{ "en", "How many people work here.", "How many people work here?" },
	{ "en", "How to begin.", "How to begin." },
	{ "en", "How about tomorrow.", "How about tomorrow?" },
	{ "en", "Who wants to speak.", "Who wants to speak?" },
	{ "en", "Who we are.", "Who we are." },
	{ "en", "Where is the microphone.", "Where is the microphone?" },
	{ "en", "When we started it was cold.", "When we started it was cold." },
	{ "en", "When everything is ready we start.", "When everything is ready we start." },
	{ "en", "Which slide is next.", "Which slide is next?" },
	{ "en", "Which is why we came.", "Which is why we came." },
	{ "en", "Can everybody hear me.", "Can everybody hear me?" },
	{ "en", "Can be seen here.", "Can be seen here." },
	{ "en", "Do you have a question.", "Do you have a question?" },
	{ "en", "Do not touch it.", "Do not touch it." },
	{ "en", "Do sit down.", "Do sit down." },
	{ "en", "Don't touch it.", "Don't touch it." },
	{ "en", "Don't you agree.", "Don't you agree?" },
	{ "en", "Have a seat.", "Have a seat." },
	{ "en", "Have you seen it.", "Have you seen it?" },
	{ "en", "Is very important.", "Is very important." },
	{ "en", "Is lunch included.", "Is lunch included?" },
	{ "en", "May i begin.", "May I begin?" },
	{ "en", "So are there any problems.", "So are there any problems?" },
	{ "en", "Any questions.", "Any questions?" },
	{ "en", "Anybody else.", "Anybody else?" },
	{ "en", "Any of these is good for our work.", "Any of these is good for our work." },
	{ "en", "Is", "Is" },
	{ "en", "Is.", "Is." },
	{ "en", "What.", "What." },
	/* commas */
	{ "en", "Yes i agree.", "Yes, I agree." },
	{ "en", "Yes.", "Yes." },
	{ "en", "No problem.", "No problem." },
	{ "en", "No i don't.", "No, I don't." },
	{ "en", "Well done.", "Well done." },
	{ "en", "Well i think so.", "Well, I think so." },
	{ "en", "Good morning everyone.", "Good morning, everyone." },
	{ "en", "Good morning ladies and gentlemen welcome to spain.",
	  "Good morning, ladies and gentlemen, welcome to Spain." },
	{ "en", "Thank you everyone for coming.", "Thank you, everyone, for coming." },
	{ "en", "First of all we look at the budget.", "First of all, we look at the budget." },
	{ "en", "Can you repeat that please.", "Can you repeat that, please?" },
	{ "en", "Yes please.", "Yes, please." },
	{ "en", "It is late isn't it.", "It is late, isn't it?" },
	{ "en", "The room is small but we have time.", "The room is small, but we have time." },
	{ "en", "I agree but it's late.", "I agree, but it's late." },
	{ "en", "Small but good.", "Small but good." },
	/* texts that have marks or capitals are not changed, nor are other languages */
	{ "en", "We saw Anna. can you hear me.", "We saw Anna. can you hear me." },
	{ "en", "i think, therefore i am.", "i think, therefore i am." },
	{ "en", "is it? i", "is it? i" },
	{ "es", "i", "i" },
	{ "en", "", "" },
	{ "en", "  ", "  " },
	{ "en", ".", "." },
	{ "en", "..", "." },
	{ "en", "été i été.", "été I été." },
};

static const struct {
	const char *to, *source, *text, *out;
} targets[] = {
	/* questions and exclamations */
	{ "es", "What time is it?", "Qué hora es?", "¿Qué hora es?" },
	{ "es-mx", "What time is it?", "qué hora es?", "¿Qué hora es?" },
	{ "es", "Yes. Is it? No!", "Sí. Es? No!", "Sí. ¿Es? ¡No!" },
	{ "es", "Is it?!", "Es?!", "¿Es?!" },
	{ "es", "Is it?", "¿Es?", "¿Es?" },
	{ "es", "\"Is it?\"", "\"Es?\"", "\"¿Es?\"" },
	{ "es", "?", "?", "?" },
	{ "es", "Is X here?", "\x01" "0\x02 es aquí?", "¿\x01" "0\x02 es aquí?" },
	{ "pt", "What is it?", "¿O que é?", "O que é?" },
	{ "it", "Is it?", "È?", "È?" },
	{ "fr", "Is it here: yes or no?", "Est-ce ici: oui ou non?",
	  "Est-ce ici\u00a0: oui ou non\u202f?" },
	{ "fr", "At 10:30!", "À 10:30 !", "À 10:30\u202f!" },
	/* capitals */
	{ "es", "The water is cold.", "EL agua es fría.", "El agua es fría." },
	{ "es", "We drink the water.", "Bebemos EL agua.", "Bebemos el agua." },
	{ "es", "Thank you for it.", "Gracias Para ello.", "Gracias para ello." },
	{ "es", "I think I see it.", "pienso que Lo veo.", "Pienso que lo veo." },
	{ "es", "The NATO says so.", "LA OTAN lo dice.", "LA OTAN lo dice." },
	{ "es", "We saw Anna.", "Vimos a Anna.", "Vimos a Anna." },
	{ "es", "Maria's house is big.", "La casa de Maria es grande.",
	  "La casa de Maria es grande." },
	{ "es", "the house", "la Casa", "la casa" },
	{ "es", "Él.", "Él ÉL.", "Él él." },
	{ "de", "The house is big.", "Das Haus ist groß.", "Das Haus ist groß." },
	{ "en", "El lunes.", "On Monday.", "On Monday." },
	{ "es", "It is. It is.", "es. es.", "Es. Es." },
	{ "es", "It is 3.5 m.", "es 3.5 m.", "Es 3.5 m." },
	/* blanks and doubled words */
	{ "es", "We  have it .", "  Lo  tenemos .", "Lo tenemos." },
	{ "es", "I see that it is.", "Veo que que es.", "Veo que es." },
	{ "es", "He did it very, very well.", "Lo hizo muy muy bien.", "Lo hizo muy muy bien." },
	{ "es", "It is. It is.", "Lo de. De ello.", "Lo de. De ello." },
	{ "es", "A of B.", "A de \x01" "0\x02 de.", "A de \x01" "0\x02 de." },
	{ "es", "", "", "" },
	{ "es", "X", "\x01" "0", "\x01" "0" },
};
/* clang-format on */

START_TEST(bare_texts_get_capitals_and_marks)
{
	ck_assert_str_eq(
	    sentence_source(mem, sources[_i].lang, sources[_i].text), sources[_i].out);
}
END_TEST

/* A glossary may come between the two steps, and a text may come twice. */
START_TEST(restored_texts_stay)
{
	ck_assert_str_eq(
	    sentence_source(mem, sources[_i].lang, sources[_i].out), sources[_i].out);
}
END_TEST

/* clang-format off */
static const struct {
	const char *lang, *heard;
	bool open;
} phrases[] = {
	/* engines that write neither marks nor capitals */
	{ "en", "We want to talk about the.", true },
	{ "en", "We want to talk about the budget.", false },
	{ "en", "we agreed on the budget and", true },
	{ "en", "the budget of", true },
	{ "en", "We have decided that we should.", true },
	{ "en", "Yes we can.", false },
	{ "en", "What is it for.", false },
	{ "en", "Please let us move on.", false },
	{ "en", "the", false },
	{ "es", "queremos hablar del", true },
	{ "es", "queremos hablar del presupuesto", false },
	{ "fr", "nous voulons parler de", true },
	{ "pl", "chcemy mówić o", false },
	/* and those that do */
	{ "en", "We want to talk about the budget,", true },
	{ "en", "First, we want to talk about", true },
	{ "en", "First, we want to talk about...", true },
	{ "en", "And then we\u2026", true },
	{ "en", "Today we talk about money", true },
	{ "en", "Today, we talk about money.", false },
	{ "en", "He said \"no.\"", false },
	{ "en", "What is it for?", false },
	{ "en", "First, we want to talk about the.", true },
	{ "de", "Heute reden wir über das Geld und", true },
	{ "zh", "我们今天谈谈预算，", true },
	{ "zh", "我们今天谈谈预算", false },
	{ "en", "", false },
};

static const struct {
	const char *lang, *first, *second, *out;
} halves[] = {
	{ "en", "We want to talk about the.", "New budget of the year.", "We want to talk about the new budget of the year." },
	{ "en", "We met in.", "Paris last year.", "We met in Paris last year." },
	{ "en", "We want to talk about the...", "The new budget, and more.", "We want to talk about the the new budget, and more." },
	{ "en", "We saw,", "Berlin, the capital.", "We saw, Berlin, the capital." },
	{ "en", "He said that", "I'm late.", "He said that I'm late." },
	{ "de", "Wir reden über das", "Geld und mehr.", "Wir reden über das Geld und mehr." },
	{ "es", "Hablamos de", "El presupuesto.", "Hablamos de el presupuesto." },
	{ "ja", "今日は、", "予算です。", "今日は、予算です。" },
};
/* clang-format on */

START_TEST(a_phrase_that_ends_within_a_sentence_is_open)
{
	const char *lang = phrases[_i].lang, *heard = phrases[_i].heard;

	ck_assert_int_eq(
	    sentence_is_open(mem, lang, heard, sentence_source(mem, lang, heard)),
	    phrases[_i].open);
}
END_TEST

START_TEST(halves_of_a_sentence_are_joined)
{
	ck_assert_str_eq(
	    sentence_join(mem, halves[_i].lang, halves[_i].first, halves[_i].second),
	    halves[_i].out);
}
END_TEST

START_TEST(translations_get_the_marks_of_their_language)
{
	const struct sentence_pair t = { targets[_i].source, targets[_i].to,
		targets[_i].text };

	ck_assert_str_eq(sentence_target(mem, &t), targets[_i].out);
}
END_TEST

START_TEST(a_text_of_too_many_words_stays)
{
	struct buf b = { .mem = mem };

	for (int i = 0; i < 600; i++)
		buf_str(&b, "i ");
	ck_assert_str_eq(sentence_source(mem, "en", buf_text(&b)), buf_text(&b));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sentence");
	TCase *tc = tcase_create("sentence");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, bare_texts_get_capitals_and_marks, 0, COUNT(sources));
	tcase_add_loop_test(tc, restored_texts_stay, 0, COUNT(sources));
	tcase_add_loop_test(
	    tc, translations_get_the_marks_of_their_language, 0, COUNT(targets));
	tcase_add_test(tc, a_text_of_too_many_words_stays);
	tcase_add_loop_test(
	    tc, a_phrase_that_ends_within_a_sentence_is_open, 0, COUNT(phrases));
	tcase_add_loop_test(tc, halves_of_a_sentence_are_joined, 0, COUNT(halves));
	suite_add_tcase(s, tc);
	return unit_run(s);
}
