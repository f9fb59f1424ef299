/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	words -> adverbs, "no", pronouns, verb -> auxiliary and further verbs
 *	-> subject, before, after or left out -> a term
 */
#include "pipeline/verbs_to_english.h"

#include <string.h>

#include "base/text.h"
#include "pipeline/spanish_fixed.h"
#include "pipeline/to_english.h"

/* ---- adverbs and pronouns before the verb ---- */

static const struct adverb {
	const char *es, *en;
} adverbs[] = {
	{ "nunca", "never" },
	{ "jamás", "never" },
	{ "ya", "already" },
	{ "también", "also" },
	{ "todavía", "still" },
	{ "aún", "still" },
	{ "siempre", "always" },
	{ "casi", "almost" },
	{ "solo", "only" },
	{ "solamente", "only" },
	{ "tampoco", "" },
	{ "apenas", "hardly" },
	{ "realmente", "really" },
	{ "simplemente", "simply" },
	{ "no", "" },
};

static const struct pronoun {
	const char *es, *en;
} pronouns[] = {
	{ "yo", "I" },
	{ "tú", "you" },
	{ "él", "he" },
	{ "ella", "she" },
	{ "usted", "you" },
	{ "nosotros", "we" },
	{ "nosotras", "we" },
	{ "vosotros", "you" },
	{ "ellos", "they" },
	{ "ellas", "they" },
	{ "ustedes", "you" },
};

static void
read_adverb(struct spanish_group *g, const struct adverb *a)
{
	bool no_longer = g->p.adverb != NULL && strcmp(g->p.adverb, "already") == 0 &&
			 strcmp(a->es, "no") == 0;

	if (no_longer)
		g->p.adverb = "no longer";
	else if (*a->en == '\0')
		g->p.denied = true;
	else
		g->p.adverb = a->en;
	if (strcmp(a->es, "tampoco") == 0)
		g->p.tail = " either";
}

/* Read the negation, pronouns and adverbs before the verb, in any order. */
static void
read_before(struct spanish_group *g)
{
	const struct words *t = g->r->t;
	size_t i;

	for (; g->at < t->n && (g->at == g->from || t->w[g->at].joined); g->at++) {
		const char *w = t->w[g->at].small;

		for (i = 0; i < sizeof(pronouns) / sizeof(pronouns[0]); i++)
			if (strcmp(pronouns[i].es, w) == 0) {
				g->p.subject = pronouns[i].en;
				g->own_subject = true;
				break;
			}
		if (i < sizeof(pronouns) / sizeof(pronouns[0]))
			continue;
		for (i = 0; i < sizeof(adverbs) / sizeof(adverbs[0]); i++)
			if (strcmp(adverbs[i].es, w) == 0) {
				read_adverb(g, &adverbs[i]);
				break;
			}
		if (i == sizeof(adverbs) / sizeof(adverbs[0]))
			return;
	}
}

/* ---- subjects ---- */

static const char *const subjects[ES_PERSONS] = { "I", "you", "it", "we", "you",
	"they" };

/* Verbs of things rather than persons. */
#define IMPERSONAL                                                                     \
	" ser estar haber parecer doler bajar subir costar durar funcionar importar "  \
	"pasar ocurrir "                                                               \
	"empezar comenzar terminar acabar faltar quedar llover servir significar "     \
	"depender bastar consistir contener caber existir afectar mejorar aumentar "   \
	"cambiar crecer "
/* Verbs whose subject often stands after. */
#define BEFORE_SUBJECT                                                                 \
	" hablar venir llegar morir morirse ocurrir existir nacer vivir trabajar "     \
	"aparecer funcionar volver ir irse caer pasar quedar faltar salir entrar "     \
	"participar intervenir fallar fracasar crecer arder "
/* They may have an object, too. */
#define OFTEN_BEFORE_SUBJECT                                                           \
	" terminar cambiar empezar comenzar acabar decir abrir cerrar subir bajar "    \
	"aumentar responder "

static bool
is_you(const struct spanish_group *g)
{
	const struct words *t = g->r->t;
	const struct verb *v = g->v.reading->verb;

	if (g->p.person != ES_3S && g->p.person != ES_3P)
		return false;
	if (g->from > 0 && spanish_is(t, g->from - 1, " dónde ") &&
	    to_english_is(v, "estar"))
		return false;
	if (g->r->asks && !g->r->asked)
		return g->p.person == ES_3P
			   ? !verb_is(v, 'A') || to_english_is(v, "poder") ||
				 to_english_is(v, "haber")
			   : !text_has_word(IMPERSONAL, v->es) ||
				 to_english_is(v, "estar");
	if (g->from > 0 && spanish_is(t, g->from - 1, " si cuando ") &&
	    g->v.reading->form != ES_IMPERFECT && g->v.reading->form != ES_PRETERITE &&
	    strcmp(g->v.clitics[0], "se") != 0)
		return text_has_word(
		    " tener querer poder necesitar desear ver ", v->es);
	/* "quiero que piensen" */
	return g->p.person == ES_3P && g->v.reading->form == ES_SUBJUNCTIVE &&
	       g->from > 0 && spanish_is(t, g->from - 1, " que ");
}

static bool
speaks_of_me(const struct words *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (spanish_is(t, i, " mi mis yo me "))
			return true;
	return false;
}

static const char *
left_out(const struct spanish_group *g)
{
	const struct verb *v = g->v.reading->verb;

	if (is_you(g))
		return "you";
	if (g->p.person != ES_3S)
		return subjects[g->p.person];
	if (g->p.aux != NULL && strcmp(g->v.clitics[0], "se") == 0 &&
	    *g->v.clitics[1] == '\0' && !g->v.reflexive)
		return "it";
	/* "cuando era joven, mi padre" */
	if (g->v.reading->form == ES_IMPERFECT && strcmp(g->r->he, "it") == 0 &&
	    speaks_of_me(g->r->t))
		return "I";
	if (text_has_word(
		IMPERSONAL, arena_dup(g->r->mem, v->es, strcspn(v->es, " "))) &&
	    (strcmp(g->r->he, "it") == 0 || strchr(" sp", v->es[0]) != NULL))
		return "it";
	return strcmp(g->r->he, "it") == 0 ? "he" : g->r->he;
}

static const char *const stand_ins[ES_PERSONS] = { "yo conozco", "tú conoces",
	"él conoce", "nosotros conocemos", "vosotros conocéis", "ellos conocen" };

static const char *
stand_in(const struct spanish_group *g, bool subject)
{
	const char *in = stand_ins[g->p.person];
	uint32_t cp;
	char *title;

	if (!subject)
		in = strchr(in, ' ') + 1;
	text_next(g->r->t->text + g->r->t->w[g->from].at, &cp);
	if (!text_is_upper(cp))
		return in;
	if (strncmp(in, "él", strlen("él")) == 0)
		return "Él conoce";
	title = arena_str(g->r->mem, in);
	*title = (char)(*title - 'a' + 'A');
	return title;
}

static void
put_group(struct spanish_group *g, const char *target, bool subject)
{
	struct words *t = g->r->t;

	words_put_term(t, t->w[g->from].at, word_end(t, g->at - 1) - t->w[g->from].at,
	    stand_in(g, subject), target);
	g->r->at = g->at;
}

/* True if a question begins with the verb, or with "cómo" and the verb. */
static bool
asks_before_subject(const struct spanish_group *g)
{
	const struct words *t = g->r->t;

	return text_has_word(BEFORE_SUBJECT OFTEN_BEFORE_SUBJECT " costar significar ",
		   g->v.reading->verb->es) &&
	       g->from > 0 &&
	       spanish_is(t, g->from - 1, " cómo dónde cuándo cuánto qué ") &&
	       !(spanish_is(t, g->from - 1, " qué ") &&
		   to_english_is(g->v.reading->verb, "pasar"));
}

/* True if the verb of a statement has its subject after it: "cuando habla el profesor".
 */
static bool
stands_before_subject(const struct spanish_group *g)
{
	const struct words *t = g->r->t;
	const char *verb = g->v.reading->verb->es;
	bool within =
	    g->from > 0 && t->w[g->from].joined &&
	    spanish_is(t, g->from - 1, " cuando donde como si cuándo dónde cómo que ");

	return *g->v.clitics[0] == '\0' &&
	       (text_has_word(BEFORE_SUBJECT, verb) ||
		   (within && text_has_word(OFTEN_BEFORE_SUBJECT, verb)));
}

/* "hablará el profesor": the verb goes after its subject, or in a question stands
   around it. */
static bool
put_around(struct spanish_group *g)
{
	struct words *t = g->r->t;
	size_t end = spanish_noun_end(t, g->at), behind;
	const char *first = "", *second;

	if (end == g->at || (g->p.person != ES_3S && g->p.person != ES_3P) ||
	    (g->from > 0 && t->w[g->from].joined &&
		!spanish_is(t, g->from - 1, ES_CONJUNCTIONS ES_ADVERBS " que ")))
		return false;
	if (spanish_is(t, g->at + 1,
		" año semana mes día lunes martes miércoles jueves viernes sábado "
		"domingo vez veces tarde mañana noche años meses días semanas horas "
		"minutos "))
		return false;
	if (g->r->asks && !g->r->asked) {
		if (!asks_before_subject(g))
			return false;
		g->p.asks = true;
		first = english_before_subject(&g->p);
		second = english_behind_subject(&g->p);
	} else {
		if (!stands_before_subject(g))
			return false;
		second = english_text(&g->p);
	}
	behind = word_end(t, end - 1);
	if (*first != '\0')
		words_put_term(t, t->w[g->from].at,
		    word_end(t, g->at - 1) - t->w[g->from].at, stand_in(g, false),
		    first);
	else
		words_put_term(
		    t, t->w[g->from].at, t->w[g->at].at - t->w[g->from].at, "", NULL);
	if (*second != '\0') {
		words_put_term(t, behind, 0, " ", NULL);
		words_put_term(t, behind, 0,
		    *first != '\0' ? "conocer"
				   : strchr(stand_ins[g->p.person], ' ') + 1,
		    second);
	}
	g->r->at = end;
	return true;
}

/* Remember the last subject: "she". */
static void
note_subject(struct spanish_reader *r, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++) {
		if (spanish_is(r->t, i,
			" señora mujer niña ella hija madre doctora chica abuela "
			"hermana amiga profesora alcaldesa directora maestra enfermera "
			"esposa tía "))
			r->he = "she";
		else if (spanish_is(r->t, i,
			     " señor hombre niño él hijo padre doctor chico abuelo "
			     "hermano amigo profesor alcalde director maestro marido "
			     "médico paciente tío "))
			r->he = "he";
	}
}

/* True if the word before is the verb's subject: "que sale". */
static bool
is_relative(const struct spanish_group *g)
{
	const struct words *t = g->r->t;

	return (g->p.person == ES_3S || g->p.person == ES_3P) &&
	       !(g->from > 1 && spanish_is(t, g->from - 2, " vez ")) &&
	       !(g->from > 1 && spanish_is(t, g->from - 2, " lo ") &&
		   (g->p.person == ES_3P ||
		       !text_has_word(IMPERSONAL, g->v.reading->verb->es)));
}

static bool
asks_what_happens(const struct spanish_group *g)
{
	return g->from > 0 && spanish_is(g->r->t, g->from - 1, " qué ") &&
	       text_has_word(" pasar ocurrir ", g->v.reading->verb->es);
}

static void
put_with_subject(struct spanish_group *g)
{
	struct words *t = g->r->t;
	enum spanish_subject s =
	    g->own_subject ? SUBJECT_PRONOUN : spanish_subject(t, g->from);
	bool who = g->from > 0 && t->w[g->from].joined &&
		   (spanish_is(t, g->from - 1, " quién quiénes ") ||
		       /* "no sabemos qué causó el accidente" */
		       (!g->r->asks && spanish_is(t, g->from - 1, " qué ") &&
			   spanish_noun_end(t, g->at) > g->at));
	bool asks = g->r->asks && !g->r->asked;
	bool be = (to_english_is(g->v.reading->verb, "ser") ||
		      to_english_is(g->v.reading->verb, "estar")) &&
		  spanish_noun_end(t, g->at) > g->at;

	if (s == SUBJECT_NONE && !who && put_around(g))
		return;
	/* "eso lo aprendí": no subject */
	if (s == SUBJECT_NOUN && g->p.person != ES_3S && g->p.person != ES_3P)
		s = SUBJECT_NONE;
	if (s == SUBJECT_NOUN || who || (s == SUBJECT_RELATIVE && is_relative(g)) ||
	    (asks && (be || asks_what_happens(g)))) {
		put_group(g, english_text(&g->p), false);
		return;
	}
	g->p.asks |= asks;
	if (g->p.subject == NULL)
		g->p.subject = left_out(g);
	if (strcmp(g->p.subject, "you") == 0 && g->p.person == ES_3S) {
		/* the verb of "you" */
		g->p.person = ES_3P;
		g->p.tail = g->p.adverb = g->p.aux = NULL;
		g->at = g->v.end;
		to_english_finite(g);
		g->p.asks = asks;
	}
	put_group(g, english_text(&g->p), true);
}

/* ---- where groups begin ---- */

/* "hace diez años" is no verb. */
static bool
is_ago(const struct words *t, size_t i, size_t end)
{
	return spanish_is(t, i, " hace ") &&
	       (spanish_is(t, end, ES_DETERMINERS " tiempo más menos mucho ") ||
		   word_is_digits(spanish_next(t, end))) &&
	       (spanish_is(t, end + 1,
		    " año años día días mes meses semana semanas siglo siglos hora "
		    "horas minutos tiempo ") ||
		   spanish_is(t, end, " tiempo ") ||
		   spanish_is(t, end + 2, " años meses días semanas horas "));
}

/* The person of the verb, which its subject may decide. */
static int
person_of(const struct spanish_reader *r, const struct spanish_group *g)
{
	int person = g->v.reading->person;

	for (size_t i = g->from; i > 0 && i + 3 > g->from && r->t->w[i].joined; i--)
		if (person == ES_3S && spanish_is(r->t, i - 1, " gente "))
			return ES_3P;
	/* "me piden que explique" */
	if (r->of_me && person == ES_3S && g->v.reading->form == ES_SUBJUNCTIVE &&
	    r->at > 0 && spanish_is(r->t, r->at - 1, " que "))
		return ES_1S;
	return person;
}

/* Read the verb with all that stands before it in its group. */
static bool
begin_group(struct spanish_reader *r, struct spanish_group *g)
{
	const struct words *t = r->t;
	bool joined = r->at > 0 && t->w[r->at].joined;
	struct spanish_verb next;

	if (joined && spanish_is(t, r->at - 1, ES_PREPOSITIONS) &&
	    spanish_is(t, r->at, ES_PRONOUNS))
		return false;
	read_before(g);
	if (g->at >= t->n || (g->at > g->from && !t->w[g->at].joined) ||
	    !spanish_finite(t, g->at, r->past, &g->v))
		return false;
	if (g->at == g->from && joined && spanish_is(t, r->at - 1, " hay "))
		return false;
	/* "tienen preguntas" */
	if (r->end == r->at && joined && g->at == r->at && g->v.end == g->at + 1)
		return false;
	if (g->at == g->from && is_ago(t, g->at, g->v.end))
		return false;
	g->p.person = person_of(r, g);
	r->of_me = strcmp(g->v.clitics[0], "me") == 0;
	g->at = g->v.end;
	return !to_english_is(g->v.reading->verb, "haber") ||
	       spanish_nonfinite(t, g->at, ES_PARTICIPLE, "", &next);
}

/* "¿qué harían ustedes?" */
static void
read_subject_behind(struct spanish_group *g)
{
	if (spanish_is(g->r->t, g->at - 1, ES_PREPOSITIONS))
		return;
	for (size_t i = 0;
	     !g->own_subject && i < sizeof(pronouns) / sizeof(pronouns[0]); i++)
		if (strcmp(pronouns[i].es, to_english_next(g)) == 0) {
			g->p.subject = pronouns[i].en;
			g->own_subject = true;
			g->at++;
		}
}

static bool
read_group(struct spanish_reader *r)
{
	struct spanish_group g = {
		.r = r, .p = { .mem = r->mem }, .from = r->at, .at = r->at
	};

	if (!begin_group(r, &g))
		return false;
	note_subject(r, 0, g.from);
	to_english_finite(&g);
	if (g.p.main == NULL)
		return false;
	read_subject_behind(&g);
	if (g.v.reading->form == ES_PRETERITE || g.v.reading->form == ES_IMPERFECT)
		r->past = true;
	put_with_subject(&g);
	r->asked = true;
	r->ordered = false;
	r->denied |=
	    g.p.denied || (g.p.adverb != NULL && strcmp(g.p.adverb, "never") == 0);
	r->end = r->at;
	r->owner = g.p.subject != NULL && strcmp(g.p.subject, "you") == 0 ? "your"
		   : g.p.person == ES_3P                                  ? "their"
									  : NULL;
	return true;
}

/* "miren la pantalla", "no toquen nada" */
static bool
read_order(struct spanish_reader *r)
{
	struct spanish_group g = {
		.r = r, .p = { .mem = r->mem }, .from = r->at, .at = r->at
	};
	const struct words *t = r->t;
	bool polite = r->at > 1 && spanish_is(t, r->at - 1, " favor ");

	if (r->asks || !(spanish_starts(t, r->at) || polite ||
			   (r->at > 0 && spanish_is(t, r->at - 1, " y o "))))
		return false;
	if (spanish_is(t, g.at, " no ")) {
		g.p.denied = true;
		g.at++;
	}
	if (!spanish_finite(t, g.at, false, &g.v) ||
	    (g.v.reading->form != ES_SUBJUNCTIVE))
		return false;
	if (g.v.reading->person != ES_3P && g.v.reading->person != ES_3S &&
	    g.v.reading->person != ES_1P)
		return false;
	g.p.person = ES_3P;
	if (verb_is(g.v.reading->verb, 'A'))
		return false;
	g.at = g.v.end;
	if (g.v.reading->person == ES_1P)
		g.p.subject = "let us";
	to_english_finite(&g);
	put_group(&g, english_text(&g.p), true);
	r->denied |= g.p.denied;
	r->owner = "your";
	r->ordered = true;
	return true;
}

static bool
read_hay_que(struct spanish_reader *r)
{
	struct spanish_group g = { .r = r,
		.p = { .mem = r->mem, .person = ES_1P, .subject = "we" },
		.from = r->at };
	struct words *t = r->t;
	static const struct verb have_to = { "have to", "had to", "had to", "", "",
		NULL };
	struct spanish_verb next;
	size_t i = r->at;

	if (spanish_is(t, i, " no ")) {
		g.p.denied = true;
		i++;
	}
	if (!spanish_is(t, i, " hay había habrá habría ") ||
	    strcmp(spanish_next(t, i + 1), "que") != 0 ||
	    !spanish_nonfinite(t, i + 2, ES_INFINITIVE, "", &next))
		return false;
	g.at = next.end;
	english_set(&g.p, &have_to,
	    spanish_is(t, i, " hay ")     ? ES_PRESENT
	    : spanish_is(t, i, " había ") ? ES_IMPERFECT
	    : spanish_is(t, i, " habrá ") ? ES_FUTURE
					  : ES_CONDITIONAL);
	g.p.tail = arena_printf(r->mem, " %s",
	    to_english_verb(&g, &next, EN_BASE, next.clitics[0], next.clitics[1], 0));
	put_group(&g, english_text(&g.p), true);
	return true;
}

#define TO_DE                                                                          \
	" hora oportunidad derecho capacidad decisión momento posibilidad ganas "     \
	"difícil fácil imposible capaz capaces difíciles fáciles necesidad deseo " \
	"obligación permiso tiempo feliz contento contenta "

/* The English of the word before a gerund. */
static const char *
preposition_at(const struct words *t, size_t i)
{
	return spanish_is(t, i, " de ")    ? "of"
	       : spanish_is(t, i, " sin ") ? "without"
	       : spanish_is(t, i, " por ") ? "for"
	       : spanish_is(t, i, " en ")  ? "in"
					   : "when";
}

/* An infinitive with the preposition before it: "para ver", "sin ver". */
static bool
read_infinitive(struct spanish_reader *r)
{
	struct spanish_group g = {
		.r = r, .p = { .mem = r->mem, .person = ES_3S }, .from = r->at
	};
	struct words *t = r->t;
	struct spanish_verb v;
	bool link = spanish_is(t, r->at, " para a de sin por en que al ");
	size_t i = r->at + link;
	const char *before, *verb;
	bool to;

	if ((link && !t->w[i].joined) || i >= t->n)
		return false;
	if (spanish_is(t, i, " no ") && i + 1 < t->n) {
		g.p.denied = true;
		i++;
	}
	if (!spanish_nonfinite(t, i, ES_INFINITIVE, "", &v) ||
	    v.reading->form != ES_INFINITIVE)
		return false;
	/* "el deber", "un poder" */
	if (!link &&
	    (spanish_is(t, r->at - (r->at > 0), " el un al del ") && r->at > 0))
		return false;
	g.at = v.end;
	before = r->at > 0 && t->w[r->at].joined ? t->w[r->at - 1].small : "";
	to = (link && spanish_is(t, r->at, " para a que ")) ||
	     (link && spanish_is(t, r->at, " de ") && text_has_word(TO_DE, before)) ||
	     (!link && *before != '\0');
	verb = to_english_verb(
	    &g, &v, to ? EN_BASE : EN_ING, v.clitics[0], v.clitics[1], 0);
	if (g.p.denied)
		verb = arena_printf(r->mem, "not %s", verb);
	if (text_has_word(" permítanme permítame déjenme déjeme ", before))
		to = false;
	else if (to)
		verb = arena_printf(r->mem, "%s%s", g.p.denied ? "" : "to ", verb);
	else if (link && !(spanish_is(t, r->at, " de ") &&
			     text_has_word(" antes después ", before)))
		verb = arena_printf(r->mem, "%s %s", preposition_at(t, r->at), verb);
	else if (link)
		g.from++;
	words_put_term(t, t->w[g.from].at, word_end(t, g.at - 1) - t->w[g.from].at,
	    to ? "para conocer" : "conocer", verb);
	r->at = g.at;
	return true;
}

/* Words that depend on what stands before: "ninguna" after "no", "años" of an age. */
static bool
read_word(struct spanish_reader *r)
{
	static const struct denial {
		const char *es, *put, *en;
	} denials[] = {
		{ "ningún", "algún", "any" },
		{ "ninguna", "alguna", "any" },
		{ "ninguno", "alguno", "any" },
		{ "nada", "algo", "anything" },
		{ "nadie", "alguien", "anybody" },
		{ "nunca", "siempre", "ever" },
	};
	struct words *t = r->t;
	const struct text_word *w = &t->w[r->at];

	if (r->cut == r->at && r->cut > 0) {
		size_t end = word_end(t, r->at - 1);

		words_put_term(t, end, word_end(t, r->at) - end, "", NULL);
		r->at++;
		return true;
	}
	if (r->age && strcmp(w->small, "años") == 0) {
		r->age = false;
		words_put_term(t, w->at, w->len, "años", "years old");
		r->at++;
		return true;
	}
	if (r->owner != NULL && spanish_is(t, r->at, " su sus ")) {
		words_put_term(t, w->at, w->len, "mi", r->owner);
		r->at++;
		return true;
	}
	for (size_t i = 0; r->denied && i < sizeof(denials) / sizeof(denials[0]); i++)
		if (strcmp(denials[i].es, w->small) == 0) {
			words_put_term(t, w->at, w->len, denials[i].put, denials[i].en);
			r->at++;
			return true;
		}
	return false;
}

static void
begin_sentence(struct spanish_reader *r)
{
	const struct words *t = r->t;
	size_t from = r->at > 0 ? word_end(t, r->at - 1) : 0;
	const char *between = arena_dup(r->mem, t->text + from, t->w[r->at].at - from);
	struct spanish_verb v;

	if (!t->w[r->at].joined || spanish_is(t, r->at, " pero "))
		r->denied = false;
	if (strstr(between, "¿") != NULL) {
		r->asks = true;
		r->asked = false;
	}
	if (r->at > 0 && strpbrk(between, ".?!") == NULL)
		return;
	r->owner = NULL;
	if (r->at > 0)
		r->asks = strstr(between, "¿") != NULL;
	/* recognised text has no marks */
	if (strpbrk(t->text, "¿,.") == NULL ||
	    strcmp(t->text + strcspn(t->text, "¿,."), ".") == 0) {
		size_t k = r->at + spanish_is(t, r->at, " entonces pero y ");

		r->asks = spanish_is(t, k,
		    " qué cómo dónde cuándo cuánto cuántos cuántas quién puede pueden "
		    "podría podrían saben sabe tienen quieren ");
		r->asked = false;
	}
	r->past = false;
	for (size_t i = r->at; i < t->n && (i == r->at || t->w[i].joined); i++)
		r->past |= spanish_is(t, i, " ayer pasado pasada entonces hace ") ||
			   (spanish_finite(t, i, false, &v) &&
			       (v.reading->form == ES_IMPERFECT ||
				   (v.reading->form == ES_PRETERITE &&
				       v.reading->person != ES_1P)));
}

void
verbs_to_english(struct arena *mem, struct mt_text *text)
{
	struct words *t = words_of(mem, text->text);
	struct spanish_reader r = { .mem = mem, .t = t, .he = "it" };
	size_t n;

	if (t == NULL)
		return;
	while (r.at < t->n) {
		begin_sentence(&r);
		if ((n = spanish_put_fixed(t, r.at)) > 0)
			r.at += n;
		else if (!read_word(&r) && !read_hay_que(&r) && !read_order(&r) &&
			 !read_group(&r) && !read_infinitive(&r))
			r.at++;
	}
	words_apply(t, text);
}
