/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs between English and Spanish. */
#include <check.h>

#include "pipeline/faithful.h"
#include "pipeline/spanish_phrase.h"
#include "pipeline/verb_table.h"
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

/* clang-format off */
static const struct {
	const char *verb;
	int tense, person;
	const char *form;
} forms[] = {
	{ "hablar", ES_PRESENT, ES_1P, "hablamos" },
	{ "pensar", ES_PRESENT, ES_3S, "piensa" },
	{ "pensar", ES_PRESENT, ES_1P, "pensamos" },
	{ "pedir", ES_PRETERITE, ES_3P, "pidieron" },
	{ "dormir", ES_SUBJUNCTIVE, ES_1P, "durmamos" },
	{ "buscar", ES_PRETERITE, ES_1S, "busqué" },
	{ "llegar", ES_SUBJUNCTIVE, ES_3S, "llegue" },
	{ "empezar", ES_SUBJUNCTIVE, ES_3P, "empiecen" },
	{ "conocer", ES_PRESENT, ES_1S, "conozco" },
	{ "elegir", ES_PRESENT, ES_1S, "elijo" },
	{ "producir", ES_PRETERITE, ES_3P, "produjeron" },
	{ "construir", ES_PRESENT, ES_3P, "construyen" },
	{ "leer", ES_PRETERITE, ES_3S, "leyó" },
	{ "mantener", ES_FUTURE, ES_3S, "mantendrá" },
	{ "hacer", ES_PRETERITE, ES_3S, "hizo" },
	{ "poder", ES_CONDITIONAL, ES_3P, "podrían" },
	{ "ir", ES_PAST_SUBJUNCTIVE, ES_1P, "fuéramos" },
	{ "enviar", ES_PRESENT, ES_3S, "envía" },
	{ "ver", ES_PARTICIPLE, 0, "visto" },
	{ "decir", ES_GERUND, 0, "diciendo" },
	{ "ir", ES_PARTICIPLE, 0, "ido" },
};

static const struct {
	const char *from, *text, *out;
} sentences[] = {
	{ "en", "My daughter asked me where the rubbish goes.", "Mi hija me preguntó donde la basura va." },
	{ "en", "I would like to begin with a short story.", "Quisiera empezar por una historia corta." },
	{ "en", "What did we learn?", "¿Qué aprendimos?" },
	{ "en", "Can this work in a bigger city?", "¿Puede funcionar esto en una ciudad más grande?" },
	{ "en", "You can't, because they are tired.", "No pueden, porque están cansados." },
	{ "en", "Please look at the picture on the left.", "Por favor, miren el cuadro a la izquierda." },
	{ "en", "I want you to be curious.", "Quiero que sean curiosos." },
	{ "en", "Have you ever tried to open it?", "¿Han intentado abrirlo alguna vez?" },
	{ "en", "On Saturdays people bring things that no longer work.", "Los sábados las personas traen cosas que ya no funcionan." },
	{ "en", "People do not throw things away.", "Las personas no tiran cosas." },
	{ "en", "That is why the law has to change.", "Por eso la ley tiene que cambiar." },
	{ "en", "We show them how to do it.", "Les mostramos cómo hacerlo." },
	{ "en", "Before I finish, I must thank my brother.", "Antes de que termine, debo agradecer a mi hermano." },
	{ "en", "Could someone please switch off the projector?", "¿Podría apagar alguien el proyector?" },
	{ "en", "Turn it off.", "Apáguenlo." },
	{ "en", "Where is it?", "¿Dónde está?" },
	{ "en", "It doesn't matter how old you are.", "No importa cuántos años tienen." },
	{ "en", "How much weight can the crane lift?", "¿Cuánto peso puede levantar la grúa?" },
	{ "en", "We believe that every person has value.", "Creemos que cada persona tiene valor." },
	{ "en", "I will never forget that sentence.", "Nunca olvidaré esta frase." },
	{ "en", "I love her.", "La amo." },
	{ "en", "Nobody told us.", "Nadie nos contó." },
	/* nouns, no verbs */
	{ "en", "The work of art.", "La obra de arte." },
	{ "en", "A good answer and a long walk.", "Una respuesta buena y un paseo largo." },
	{ "es", "Nunca he tenido una respuesta fácil.", "I have never had an easy response." },
	{ "es", "Hoy quisiera enseñarles cómo trabajamos.", "Today I would like to show you how we work." },
	{ "es", "Pulsen el botón verde si tienen una pregunta.", "Press the green button if you have a question." },
	{ "es", "Les voy a contar una historia muy corta.", "I am going to tell you a very short story." },
	{ "en", "Nobody has seen the room upstairs before.", "Nadie ha visto la sala de arriba antes." },
	{ "en", "What surprised me most was the noise.", "Lo que más me sorprendió era el ruido." },
	{ "es", "Hoy no voy a hablar de medicina.", "Today I am not going to talk about medicine." },
	{ "es", "Se lo voy a explicar.", "I am going to explain it to you." },
	{ "es", "Pero no se puede hacer deprisa.", "But it cannot be done quickly." },
	{ "es", "¿Qué haríamos de otra manera?", "What would we do differently?" },
	{ "es", "En el segundo invierno perdimos a tres voluntarios.", "In the second winter we lost three volunteers." },
	{ "es", "Ellos saben quién ha dejado de venir.", "They know who has stopped coming." },
	{ "es", "Después hablará el profesor.", "Afterwards the professor will speak." },
	{ "es", "No tenía ninguna enfermedad; tenía miedo.", "He did not have any illness; he was afraid." },
	{ "es", "Miren, por favor, la fotografía.", "Look, please, the photograph." },
	{ "es", "Me llamo Ana y soy médica.", "My name is Ana and I am a doctor." },
	{ "es", "Nos mudamos aquí hace seis años.", "We moved here six years ago." },
	{ "es", "Mi abuela me enseñó a hacer pan.", "My grandmother taught me to make bread." },
	{ "es", "Si tienen preguntas, levanten la mano.", "If you have questions, raise your hand." },
	{ "es", "¿Dónde está?", "Where is it?" },
	{ "es", "¿Qué habrían hecho ustedes?", "What would you have done?" },
	{ "es", "Pienso en ella todos los días.", "I think about her every day." },
	{ "es", "Ahora escucharemos al tesorero.", "Now we will listen to the treasurer." },
	{ "es", "Quisiera invitar a María al escenario.", "I would like to invite María to the stage." },
	{ "es", "¿Qué pasa si falla el sensor?", "What happens if the sensor fails?" },
	/* nouns, no verbs */
	{ "es", "La ayuda y el trabajo de la casa.", "The help and the work of the house." },
	{ "es", "Una cuenta y una pregunta.", "An account and a question." },
};
/* clang-format on */

START_TEST(a_spanish_verb_is_conjugated)
{
	ck_assert_str_eq(spanish_form(mem, forms[_i].verb,
			     (enum spanish_tense)forms[_i].tense, forms[_i].person),
	    forms[_i].form);
}
END_TEST

START_TEST(an_english_verb_has_its_forms)
{
	static const struct verb regular[] = { { "stop", NULL, NULL, "", "", NULL },
		{ "carry out", NULL, NULL, "", "", NULL },
		{ "visit", NULL, NULL, "", "", NULL },
		{ "give up", "gave up", "given up", "", "", NULL } };
	static const char *const is[][EN_FORMS] = {
		{ "stop", "stops", "stopped", "stopped", "stopping" },
		{ "carry out", "carries out", "carried out", "carried out",
		    "carrying out" },
		{ "visit", "visits", "visited", "visited", "visiting" },
		{ "give up", "gives up", "gave up", "given up", "giving up" },
	};

	for (size_t i = 0; i < COUNT(is); i++)
		for (int f = 0; f < EN_FORMS; f++)
			ck_assert_str_eq(
			    english_form(mem, &regular[i], (enum english_form)f),
			    is[i][f]);
}
END_TEST

START_TEST(words_find_their_verbs)
{
	const struct verb_reading *r = verbs_english("gave");

	ck_assert_str_eq(r->verb->es, "dar");
	ck_assert_str_eq(r->next->rest, "back");
	ck_assert_ptr_null(verbs_english("table"));
	r = verbs_spanish("piensan");
	ck_assert_int_eq(r->person, ES_3P);
	ck_assert_ptr_null(verbs_spanish("mesa"));
	for (const struct verb *v = verb_list; v->en != NULL; v++)
		ck_assert_msg(
		    (v->past == NULL) == (v->participle == NULL), "%s", v->en);
}
END_TEST

START_TEST(pronouns_join_infinitives_and_orders)
{
	struct spanish_phrase tell = { .mem = mem, .person = ES_3P, .orders = true };
	struct spanish_phrase want = { .mem = mem, .person = ES_1P };
	struct spanish_phrase both = { .mem = mem, .person = ES_1S, .denied = true };

	spanish_add(&tell, "decir", ES_SUBJUNCTIVE);
	tell.object = "me";
	ck_assert_str_eq(spanish_text(&tell), "díganme");
	spanish_add(&want, "querer", ES_PRESENT);
	spanish_add(&want, "quedarse", ES_INFINITIVE);
	ck_assert_str_eq(spanish_text(&want), "queremos quedarnos");
	spanish_add(&both, "ir", ES_PRESENT);
	spanish_add_word(&both, "a");
	spanish_add(&both, "explicar", ES_INFINITIVE);
	both.object = "se lo";
	ck_assert_str_eq(spanish_text(&both), "no se lo voy a explicar");
}
END_TEST

START_TEST(a_sentence_has_its_verbs)
{
	bool english = strcmp(sentences[_i].from, "en") == 0;
	const struct mt_text t = { .text = sentences[_i].text,
		.from = sentences[_i].from,
		.to = english ? "es" : "en" };
	static const struct list no_speakers;
	struct faithful how = { .speakers = &no_speakers };
	const char *out = "";

	ck_assert_int_eq(
	    faithful_translate(&mt_apertium, &adequacy_at, mem, &t, &out, &how), OK);
	ck_assert_str_eq(out, sentences[_i].out);
	ck_assert(how.guarded);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("verbs");
	TCase *tc = tcase_create("verbs");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_spanish_verb_is_conjugated, 0, COUNT(forms));
	tcase_add_test(tc, an_english_verb_has_its_forms);
	tcase_add_test(tc, words_find_their_verbs);
	tcase_add_test(tc, pronouns_join_infinitives_and_orders);
	tcase_add_loop_test(tc, a_sentence_has_its_verbs, 0, COUNT(sentences));
	suite_add_tcase(s, tc);
	return unit_run(s);
}
