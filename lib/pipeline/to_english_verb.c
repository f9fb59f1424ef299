/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A verb with its objects, its sense and further verbs. */
#include "pipeline/to_english.h"

#include <string.h>

#include "base/text.h"

const char *
to_english_next(const struct spanish_group *g)
{
	return spanish_next(g->r->t, g->at);
}

bool
to_english_is(const struct verb *v, const char *es)
{
	return strcmp(v->es, es) == 0;
}

/* Read a form without person; the pronouns before the finite verb are its own. */
bool
to_english_form(const struct spanish_group *g, size_t i, enum spanish_tense form,
    const char **a, const char **b, struct spanish_verb *v)
{
	const struct words *t = g->r->t;

	if (i >= t->n || !t->w[i].joined || !spanish_nonfinite(t, i, form, *a, v))
		return false;
	if (v->reflexive && **a != '\0') {
		*a = *b;
		*b = "";
	}
	if (**a == '\0') {
		*a = v->clitics[0];
		*b = v->clitics[1];
	}
	return true;
}

/* ---- objects ---- */

static const char *
english_object(const struct spanish_group *g, const char *clitic)
{
	bool we = g->p.person == ES_1S || g->p.person == ES_1P || g->r->asks;

	if (strcmp(clitic, "me") == 0)
		return "me";
	if (text_has_word(" te os ", clitic))
		return "you";
	if (strcmp(clitic, "nos") == 0)
		return "us";
	if (text_has_word(" lo la ", clitic))
		return "it";
	if (text_has_word(" los las ", clitic))
		return "them";
	if (strcmp(clitic, "le") == 0)
		return g->r->asks                     ? "you"
		       : strcmp(g->r->he, "she") == 0 ? "her"
						      : "him";
	return we ? "you" : strcmp(clitic, "se") == 0 ? "him" : "them";
}

#define WITH_TO " explicar decir proponer describir presentar anunciar sugerir enviar "
#define PARTICLES " off on up down away back out apart "

/* "listen to" without an object is "listen". */
const char *
to_english_bare(struct arena *mem, const char *form)
{
	const char *last = strrchr(form, ' ');

	return last != NULL && text_has_word(" to at for about of with ", last + 1)
		   ? arena_dup(mem, form, (size_t)(last - form))
		   : form;
}

/* The English verb with its objects, in a form. */
const char *
to_english_objects(const struct spanish_group *g, const struct verb *v,
    const char *form, const char *a, const char *b)
{
	struct arena *mem = g->r->mem;
	const char *last = strrchr(form, ' '), *object;

	/* "le di a Ana": said twice */
	if (text_has_word(" le les ", a) && *b == '\0' &&
	    strcmp(to_english_next(g), "a") == 0)
		a = "";
	if (strcmp(a, "se") == 0 && *b == '\0' && g->v.end != g->at)
		a = "";
	if (*a == '\0')
		return *to_english_next(g) == '\0' ||
			       text_has_word(" que y o pero hasta en con sin desde "
					     "para por durante ",
				   to_english_next(g))
			   ? to_english_bare(mem, form)
			   : form;
	object = english_object(g, a);
	if (*b != '\0')
		object = arena_printf(mem, "%s to %s", english_object(g, b), object);
	else if (text_has_word(" me te le les nos os ", a) &&
		 text_has_word(WITH_TO, v->es))
		object = arena_printf(mem, "to %s", object);
	else if (to_english_is(v, "recomendar"))
		return form;
	if (last != NULL && text_has_word(PARTICLES, last + 1))
		return arena_printf(
		    mem, "%.*s %s%s", (int)(last - form), form, object, last);
	return arena_printf(mem, "%s %s", form, object);
}

/* True if one of the three words after is in the set. */
static bool
is_near(const struct spanish_group *g, const char *set)
{
	for (size_t i = g->at; i < g->at + 3 && *spanish_next(g->r->t, i) != '\0'; i++)
		if (spanish_is(g->r->t, i, set))
			return true;
	return false;
}

/* "decir" with a person is "tell". */
const struct verb *
to_english_sense(
    const struct spanish_group *g, const struct verb *v, const char *clitic)
{
	static const struct verb spend = { "spend", "spent", "spent", "pasar algo", "",
		NULL };
	static const struct verb teach = { "teach", "taught", "taught", "enseñar a",
		"H", NULL };
	static const struct verb make = { "make", "made", "made", "hacer algo", "",
		NULL };
	static const struct verb take = { "take", "took", "taken", "hacer una pausa",
		"", NULL };
	struct spanish_verb next;

	static const struct verb tell = { "tell", "told", "told", "decir algo", "D",
		NULL };
	static const struct verb ask = { "ask", NULL, NULL, "pedir algo", "D", NULL };

	if (to_english_is(v, "decir") && text_has_word(" me te le les nos se ", clitic))
		return &tell;
	if (to_english_is(v, "pasar") &&
	    is_near(g, " hora horas tiempo días día semanas "
		       "meses años noche tarde vacaciones "))
		return &spend;
	if (to_english_is(v, "enseñar") && spanish_is(g->r->t, g->at, " a ") &&
	    spanish_nonfinite(g->r->t, g->at + 1, ES_INFINITIVE, "", &next))
		return &teach;
	if (to_english_is(v, "hacer") && *clitic == '\0' &&
	    spanish_is(g->r->t, g->at,
		" una un pan café comida ropa planes pan muebles ruido ") &&
	    !is_near(g, " experimento pregunta preguntas ejercicio ejercicios trabajo "
			"favor deberes estudio investigación examen prueba "))
		return is_near(g, " pausa descanso foto ") ? &take : &make;
	if (to_english_is(v, "pedir") && text_has_word(" me te le les nos se ", clitic))
		return &ask;
	return v;
}

/* ---- further verbs ---- */

/* Drop the "a" of a person as object: "conocemos a Ana". */
#define MOTION                                                                         \
	" volver llegar subir bajar salir entrar venir ir irse viajar caer regresar "  \
	"pasar correr caminar andar responder renunciar pertenecer contestar jugar "   \
	"mudarse acostumbrarse dedicarse "

void
to_english_drop_a(struct spanish_group *g, const struct verb *v)
{
	const struct words *t = g->r->t;
	size_t i = g->at;
	uint32_t cp;

	if (spanish_is(
		t, i, " primero también ya bien más mejor solo siempre después ") &&
	    t->w[i].joined)
		i++;
	if (i + 1 >= t->n || !t->w[i].joined || !t->w[i + 1].joined ||
	    verb_is(v, 'M') ||
	    (verb_is(v, 'D') && !to_english_is(v, "preguntar") &&
		!to_english_is(v, "decir")))
		return;
	if (strcmp(t->w[i].small, "al") == 0 && i == g->at &&
	    !text_has_word(MOTION, v->es) &&
	    !spanish_is(t, i + 1, " año mes día final principio menos lado ")) {
		g->at++;
		return;
	}
	if (strcmp(t->w[i].small, "a") != 0 || word_is_digits(spanish_next(t, i + 2)))
		return;
	text_next(t->text + t->w[i + 1].at, &cp);
	if (text_is_upper(cp) ||
	    spanish_is(t, i + 1,
		ES_DETERMINERS
		" alguien nadie gente quien quienes todos más mucha muchas veinte "
		"treinta cuarenta cincuenta cien doscientos once doce quince ")) {
		if (i > g->at)
			g->r->cut = i;
		else
			g->at++;
	}
}

#define WITH_A                                                                         \
	" empezar comenzar aprender ayudar enseñar invitar volver obligar animar "    \
	"llegar ir venir salir "
#define WITH_DE " tratar dejar acabar terminar "

static bool
ends_in_preposition(const char *en)
{
	const char *last = strrchr(en, ' ');

	return last != NULL &&
	       text_has_word(" of about in on at for with en de con por ", last + 1);
}

/* Verbs that make one verb with the next: "dejar de hacer" is "stop doing". */
static const struct pair {
	const char *es, *link;
	enum spanish_tense form;
	struct verb en;
} pairs[] = {
	{ "dejar", "de", ES_INFINITIVE, { "stop", NULL, NULL, "dejar de", "", NULL } },
	{ "seguir", "", ES_GERUND,
	    { "keep", "kept", "kept", "seguir algo", "", NULL } },
	{ "continuar", "", ES_GERUND,
	    { "keep", "kept", "kept", "continuar algo", "", NULL } },
	{ "terminar", "de", ES_INFINITIVE,
	    { "finish", NULL, NULL, "terminar de", "", NULL } },
	{ "evitar", "", ES_INFINITIVE,
	    { "avoid", NULL, NULL, "evitar algo", "", NULL } },
};

/* The gerund after such a verb, which becomes *v; NULL: there is none. */
const char *
to_english_pair(
    struct spanish_group *g, const struct verb **v, const char *a, const char *b)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct pair *p = &pairs[i];
		bool linked = *p->link != '\0';
		struct spanish_verb next;

		if (!to_english_is(*v, p->es) ||
		    (linked && strcmp(to_english_next(g), p->link) != 0) ||
		    !to_english_form(g, g->at + linked, p->form, &a, &b, &next))
			continue;
		*v = &p->en;
		g->at = next.end;
		return to_english_verb(g, &next, EN_ING, a, b, 1);
	}
	return NULL;
}

/* Read an infinitive after a verb: " to see it". */
const char *
to_english_further(struct spanish_group *g, const struct verb *v, const char *a,
    const char *b, int depth)
{
	struct spanish_verb next;
	const char *link = to_english_next(g);
	size_t was = g->at;
	bool linked = (strcmp(link, "a") == 0 && (text_has_word(WITH_A, v->es) ||
						     to_english_is(v, "enseñar a"))) ||
		      (strcmp(link, "de") == 0 && text_has_word(WITH_DE, v->es));

	if (depth > 2 || *link == '\0')
		return NULL;
	if (ends_in_preposition(v->en)) {
		if (!to_english_form(g, g->at, ES_INFINITIVE, &a, &b, &next))
			return NULL;
		g->at = next.end;
		return arena_printf(g->r->mem, " %s",
		    to_english_verb(g, &next, EN_ING, a, b, depth + 1));
	}
	if (linked)
		g->at++;
	if (*to_english_next(g) == '\0' ||
	    !to_english_form(g, g->at, ES_INFINITIVE, &a, &b, &next)) {
		g->at = was;
		return NULL;
	}
	g->at = next.end;
	return arena_printf(g->r->mem, " %s%s",
	    verb_is(v, 'T') && strstr(v->en, " to") != NULL              ? ""
	    : strcmp(v->en, "have to") == 0 || strcmp(v->en, "let") == 0 ? ""
	    : strstr(v->en, "stop") != NULL                              ? ""
									 : "to ",
	    to_english_verb(g, &next, EN_BASE, a, b, depth + 1));
}

/* " her" for "ella" after a verb with a preposition: "pensar en ella"; or NULL. */
const char *
to_english_pronoun(struct spanish_group *g, const struct verb *v)
{
	static const struct behind {
		const char *es, *en;
	} pronouns[] = {
		{ "mí", " me" },
		{ "él", " him" },
		{ "ella", " her" },
		{ "ellos", " them" },
		{ "ellas", " them" },
		{ "nosotros", " us" },
		{ "ustedes", " you" },
		{ "ello", " it" },
	};

	for (size_t i = 0; i < sizeof(pronouns) / sizeof(pronouns[0]); i++)
		if (strcmp(to_english_next(g), pronouns[i].es) == 0 &&
		    ends_in_preposition(v->es)) {
			g->at++;
			return pronouns[i].en;
		}
	return NULL;
}

static bool
ends_in_article(const struct spanish_group *g)
{
	return g->at > g->from && spanish_is(g->r->t, g->at - 1, " del al ");
}

const char *
to_english_verb(struct spanish_group *g, const struct spanish_verb *s,
    enum english_form form, const char *a, const char *b, int depth)
{
	const struct verb *v = to_english_sense(g, s->reading->verb, a);
	const char *words, *further = to_english_pair(g, &v, a, b);
	bool helps = verb_is(v, 'H') || to_english_is(v, "dejar") ||
		     to_english_is(v, "permitir") || to_english_is(v, "ayudar");

	if (further != NULL)
		return arena_printf(
		    g->r->mem, "%s %s", english_form(g->r->mem, v, form), further);
	if (to_english_is(v, "poder"))
		words = form == EN_BASE  ? "be able to"
			: form == EN_ING ? "being able to"
					 : "been able to";
	else if (to_english_is(v, "ser") || to_english_is(v, "estar"))
		words = form == EN_BASE ? "be" : form == EN_ING ? "being" : "been";
	else
		words = english_form(g->r->mem, v, form);
	if (helps) {
		further = to_english_further(g, v, "", "", depth);
		words = to_english_objects(g, v, words, a, b);
	} else {
		further = to_english_further(g, v, a, b, depth);
		if (further == NULL)
			words = to_english_objects(g, v, words, a, b);
	}
	if (further == NULL)
		further = to_english_pronoun(g, v);
	if (further == NULL) {
		to_english_drop_a(g, v);
		return ends_in_article(g) ? arena_printf(g->r->mem, "%s the", words)
					  : words;
	}
	if (to_english_is(v, "poder"))
		further += strlen(" to");
	return arena_printf(g->r->mem, "%s%s", words, further);
}
