/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finite verbs: auxiliaries, passives, "gustar". */
#include "pipeline/to_english.h"

#include <string.h>

#include "base/text.h"

/* ---- the finite verb ---- */

/* A verb before another one, and the pronouns of both. */
struct pair_of_verbs {
	const struct verb *v;
	enum spanish_tense tense;
	const char *a, *b;
};

static bool
is_past(enum spanish_tense t)
{
	return t == ES_PRETERITE || t == ES_IMPERFECT || t == ES_PAST_SUBJUNCTIVE;
}

/* Read the form after `skip` words and its objects, or NULL. */
static const char *
read_next(struct spanish_group *g, struct pair_of_verbs *p, size_t skip,
    enum spanish_tense form, enum english_form to)
{
	struct spanish_verb next;

	if (!to_english_form(g, g->at + skip, form, &p->a, &p->b, &next))
		return NULL;
	g->at = next.end;
	return to_english_verb(g, &next, to, p->a, p->b, 0);
}

static bool
read_haber(struct spanish_group *g, struct pair_of_verbs *p)
{
	struct words *t = g->r->t;
	const char *main;

	while (g->at < t->n && t->w[g->at].joined &&
	       spanish_is(t, g->at, " ya siempre también casi "))
		g->at++;
	if ((main = read_next(g, p, 0, ES_PARTICIPLE, EN_PARTICIPLE)) == NULL)
		return false;
	english_set_have(&g->p, p->tense, main);
	return true;
}

static bool
read_estar(struct spanish_group *g, struct pair_of_verbs *p)
{
	const char *main = read_next(g, p, 0, ES_GERUND, EN_ING);

	if (main == NULL)
		return false;
	english_set_be(&g->p, p->tense, main);
	return true;
}

static bool
read_ir(struct spanish_group *g, struct pair_of_verbs *p)
{
	const char *main;

	if (strcmp(to_english_next(g), "a") != 0 || p->tense == ES_PRETERITE ||
	    (main = read_next(g, p, 1, ES_INFINITIVE, EN_BASE)) == NULL)
		return false;
	/* "creía que fuera a funcionar" */
	if (p->tense == ES_PAST_SUBJUNCTIVE) {
		g->p.aux = "would";
		g->p.main = main;
		return true;
	}
	english_set_be(&g->p, p->tense, arena_printf(g->r->mem, "going to %s", main));
	return true;
}

static bool
read_modal(struct spanish_group *g, struct pair_of_verbs *p)
{
	bool can = to_english_is(p->v, "poder");
	bool weak = is_past(p->tense) || p->tense == ES_CONDITIONAL;
	const char *main = read_next(g, p, 0, ES_INFINITIVE, EN_BASE);

	if (main == NULL)
		return false;
	g->p.main = main;
	g->p.aux = can ? (weak ? "could" : "can") : weak ? "should" : "must";
	if (can && p->tense == ES_FUTURE) {
		g->p.aux = "will";
		g->p.main = arena_printf(g->r->mem, "be able to %s", main);
	}
	return true;
}

/* "acabamos de ver": we have just seen */
static bool
read_acabar(struct spanish_group *g, struct pair_of_verbs *p)
{
	const char *main;

	if (strcmp(to_english_next(g), "de") != 0 ||
	    (p->tense != ES_PRESENT && p->tense != ES_IMPERFECT) ||
	    (main = read_next(g, p, 1, ES_INFINITIVE, EN_PARTICIPLE)) == NULL)
		return false;
	english_set_have(&g->p, p->tense, arena_printf(g->r->mem, "just %s", main));
	return true;
}

/* "vuelve a hacerlo": does it again; "suele ir": usually goes */
static bool
read_again(struct spanish_group *g, struct pair_of_verbs *p)
{
	bool again = to_english_is(p->v, "volver");
	struct spanish_verb next;

	if ((again && strcmp(to_english_next(g), "a") != 0) ||
	    !to_english_form(g, g->at + again, ES_INFINITIVE, &p->a, &p->b, &next))
		return false;
	g->at = next.end;
	english_set(&g->p, next.reading->verb, p->tense);
	g->p.tail = arena_printf(g->r->mem, "%s%s",
	    to_english_objects(g, next.reading->verb, "", p->a, p->b),
	    again ? " again" : "");
	if (!again)
		g->p.adverb = "usually";
	return true;
}

/* "sigue abierta": is still open */
static bool
read_still(struct spanish_group *g, struct pair_of_verbs *p)
{
	struct spanish_verb next;

	if (*to_english_next(g) == '\0' ||
	    !spanish_nonfinite(g->r->t, g->at, ES_PARTICIPLE, "", &next))
		return false;
	g->p.adverb = "still";
	english_set_be(&g->p, p->tense, "");
	return true;
}

/* "lleva dos años esperando": has been waiting for two years */
static bool
read_llevar(struct spanish_group *g, struct pair_of_verbs *p)
{
	struct words *t = g->r->t;
	struct spanish_verb next;

	for (size_t i = g->at + 1; i < g->at + 5 && *spanish_next(t, i) != '\0'; i++)
		if (spanish_nonfinite(t, i, ES_GERUND, "", &next)) {
			g->r->cut = i;
			english_set_have(&g->p, p->tense,
			    arena_printf(g->r->mem, "been %s for",
				to_english_bare(
				    g->r->mem, english_form(g->r->mem,
						   next.reading->verb, EN_ING))));
			return true;
		}
	return false;
}

/* Verbs before another one that English says in its own way. */
static const struct auxiliary {
	const char *es;
	bool (*read)(struct spanish_group *, struct pair_of_verbs *);
} auxiliaries[] = {
	{ "haber", read_haber },
	{ "estar", read_estar },
	{ "ir", read_ir },
	{ "poder", read_modal },
	{ "deber", read_modal },
	{ "acabar", read_acabar },
	{ "volver", read_again },
	{ "soler", read_again },
	{ "seguir", read_still },
	{ "llevar", read_llevar },
};

static bool
read_auxiliary(struct spanish_group *g, const char *a, const char *b)
{
	struct pair_of_verbs p = { g->v.reading->verb,
		(enum spanish_tense)g->v.reading->form, a, b };
	const char *pair;

	for (size_t i = 0; i < sizeof(auxiliaries) / sizeof(auxiliaries[0]); i++)
		if (to_english_is(p.v, auxiliaries[i].es) && auxiliaries[i].read(g, &p))
			return true;
	if ((pair = to_english_pair(g, &p.v, a, b)) == NULL)
		return false;
	english_set(&g->p, p.v, p.tense);
	g->p.tail = arena_printf(g->r->mem, " %s", pair);
	return true;
}

/* "me gusta": the person is the subject in English. */
static const struct liking {
	const char *es;
	struct verb en;
} likings[] = {
	{ "gustar", { "like", NULL, NULL, "gustar", "", NULL } },
	{ "encantar", { "love", NULL, NULL, "encantar", "", NULL } },
	{ "interesar",
	    { "be interested in", "was interested in", NULL, "interesar", "", NULL } },
	{ "faltar", { "lack", NULL, NULL, "faltar", "", NULL } },
	{ "costar", { "find it hard", "found it hard", NULL, "costar", "", NULL } },
	{ "quedar", { "have left", "had left", NULL, "quedar", "", NULL } },
	{ "parecer", { "think", "thought", NULL, "parecer", "", NULL } },
};

static const struct likes_person {
	const char *clitic, *subject;
	int person;
} likes_persons[] = {
	{ "me", "I", ES_1S },
	{ "te", "you", ES_2S },
	{ "le", "he", ES_3S },
	{ "nos", "we", ES_1P },
	{ "les", "they", ES_3P },
};

static bool
read_liking(struct spanish_group *g)
{
	enum spanish_tense tense = (enum spanish_tense)g->v.reading->form;

	for (size_t i = 0; i < sizeof(likings) / sizeof(likings[0]); i++)
		for (size_t k = 0; k < 5; k++) {
			struct spanish_verb next;
			const char *further = "";

			if (!to_english_is(g->v.reading->verb, likings[i].es) ||
			    strcmp(g->v.clitics[0], likes_persons[k].clitic) != 0)
				continue;
			if (to_english_is(g->v.reading->verb, "parecer") &&
			    strcmp(to_english_next(g), "que") != 0)
				return false;
			if (to_english_is(g->v.reading->verb, "costar") &&
			    !spanish_nonfinite(
				g->r->t, g->at, ES_INFINITIVE, "", &next))
				return false;
			g->p.subject = (g->r->asks || to_english_is(g->v.reading->verb,
							  "quedar")) &&
					       (k == 2 || k == 4)
					   ? "you"
					   : likes_persons[k].subject;
			g->p.person = likes_persons[k].person;
			if (g->r->asks)
				g->p.person = ES_3P;
			english_set(&g->p, &likings[i].en, tense);
			if (*to_english_next(g) != '\0' &&
			    spanish_nonfinite(
				g->r->t, g->at, ES_INFINITIVE, "", &next)) {
				g->at = next.end;
				further = to_english_verb(g, &next, EN_BASE,
				    next.clitics[0], next.clitics[1], 0);
				g->p.tail = arena_printf(g->r->mem, " to %s", further);
			}
			g->own_subject = true;
			return true;
		}
	return false;
}

/* "se puede", "se construyó": passive, or "you". */
static bool
read_passive(struct spanish_group *g)
{
	const struct verb *v = g->v.reading->verb;
	enum spanish_tense tense = (enum spanish_tense)g->v.reading->form;
	struct words *t = g->r->t;
	struct spanish_verb next;

	if (strcmp(g->v.clitics[0], "se") != 0 || *g->v.clitics[1] != '\0' ||
	    (g->p.person != ES_3S && g->p.person != ES_3P) || g->v.reflexive)
		return false;
	if (to_english_is(v, "haber") &&
	    spanish_nonfinite(t, g->at, ES_PARTICIPLE, "se", &next) &&
	    !next.reflexive) {
		g->at = next.end;
		english_set_have(&g->p, tense,
		    arena_printf(g->r->mem, "been %s",
			english_form(g->r->mem, next.reading->verb, EN_PARTICIPLE)));
		return true;
	}
	if ((to_english_is(v, "poder") || to_english_is(v, "deber")) &&
	    *to_english_next(g) != '\0' &&
	    spanish_nonfinite(t, g->at, ES_INFINITIVE, "", &next)) {
		bool object = spanish_noun_end(t, next.end) > next.end;

		g->at = next.end;
		g->p.aux = to_english_is(v, "poder")
			       ? (tense == ES_PRESENT ? "can" : "could")
			   : tense == ES_CONDITIONAL ? "should"
						     : "must";
		if (object || verb_is(next.reading->verb, 'V') ||
		    verb_is(next.reading->verb, 'M')) {
			g->p.subject = "you";
			g->p.main = next.reading->verb->en;
		} else
			g->p.main = arena_printf(g->r->mem, "be %s",
			    english_form(g->r->mem, next.reading->verb, EN_PARTICIPLE));
		return true;
	}
	if (verb_is(v, 'A') || verb_is(v, 'V') || verb_is(v, 'M'))
		return false;
	english_set_be(&g->p, tense, english_form(g->r->mem, v, EN_PARTICIPLE));
	return true;
}

/* "tiene 40 años" */
static bool
is_age(const struct spanish_group *g)
{
	const struct words *t = g->r->t;

	for (size_t i = g->at; i < g->at + 4 && *spanish_next(t, i) != '\0'; i++)
		if (spanish_is(t, i, " años "))
			return i > g->at && !spanish_is(t, i + 1, " de para ");
	return false;
}

/* Nouns without an article in Spanish: "soy médica". */
static const struct profession {
	const char *es, *en; /* es: with "|" between forms */
} professions[] = {
	{ "médico|médica", "a doctor" },
	{ "enfermero|enfermera", "a nurse" },
	{ "profesor|profesora|maestro|maestra", "a teacher" },
	{ "ingeniero|ingeniera", "an engineer" },
	{ "abogado|abogada", "a lawyer" },
	{ "arquitecto|arquitecta", "an architect" },
	{ "alcalde|alcaldesa", "the mayor" },
	{ "director|directora", "the director" },
	{ "presidente|presidenta", "the president" },
	{ "estudiante", "a student" },
	{ "periodista", "a journalist" },
	{ "agricultor|agricultora", "a farmer" },
	{ "cirujano|cirujana", "a surgeon" },
	{ "economista", "an economist" },
	{ "biólogo|bióloga", "a biologist" },
	{ "psicólogo|psicóloga", "a psychologist" },
	{ "científico|científica", "a scientist" },
	{ "investigador|investigadora", "a researcher" },
	{ "voluntario|voluntaria", "a volunteer" },
	{ "empresario|empresaria", "a businessman" },
	{ "farmacéutico|farmacéutica", "a pharmacist" },
	{ "concejal|concejala", "a councillor" },
	{ "sacerdote|cura", "a priest" },
	{ "padre", "a father" },
	{ "madre", "a mother" },
};

static const char *
profession(const char *word)
{
	for (size_t i = 0; i < sizeof(professions) / sizeof(professions[0]); i++)
		if (word_is_listed(professions[i].es, word))
			return professions[i].en;
	return NULL;
}

/* "se nos acaba el tiempo" */
static bool
read_running_out(struct spanish_group *g)
{
	const char *b = g->v.clitics[1];

	if (!to_english_is(g->v.reading->verb, "acabar") ||
	    strcmp(g->v.clitics[0], "se") != 0 || !text_has_word(" nos me ", b))
		return false;
	g->p.person = *b == 'n' ? ES_1P : ES_1S;
	g->p.subject = *b == 'n' ? "we" : "I";
	english_set_be(&g->p, (enum spanish_tense)g->v.reading->form, "running out of");
	g->own_subject = true;
	if (text_has_word(" el la ", to_english_next(g)))
		g->at++;
	return true;
}

/* Verbs that are "be" in English: "tengo 40 años", "me llamo", "soy médica". */
static bool
read_being(struct spanish_group *g)
{
	const struct verb *v = g->v.reading->verb;
	enum spanish_tense tense = (enum spanish_tense)g->v.reading->form;
	const char *noun;

	if (to_english_is(v, "tener") && is_age(g)) {
		english_set_be(&g->p, tense, "");
		g->r->age = true;
		return true;
	}
	if (to_english_is(v, "llamarse") && g->p.person == ES_1S &&
	    tense == ES_PRESENT) {
		g->p.subject = "my name";
		g->own_subject = true;
		g->p.person = ES_3S;
		english_set_be(&g->p, tense, "");
		g->p.person = ES_1S;
		return true;
	}
	noun = to_english_is(v, "ser") ? profession(to_english_next(g)) : NULL;
	if (noun == NULL || (g->p.person != ES_3S && g->p.person != ES_1S))
		return false;
	g->at++;
	english_set_be(&g->p, tense, noun);
	return true;
}

/* "quisiera" is of the speaker. */
static bool
is_wish(struct spanish_group *g)
{
	if (!to_english_is(g->v.reading->verb, "querer") ||
	    g->v.reading->form != ES_PAST_SUBJUNCTIVE)
		return false;
	if (g->p.person == ES_3S && g->p.subject == NULL && !g->r->asks &&
	    (spanish_starts(g->r->t, g->from) ||
		text_has_word(" hoy ahora aquí también primero antes después luego "
			      "mañana entonces y pero ",
		    word_at(g->r->t, g->from - 1))))
		g->p.person = ES_1S;
	return true;
}

void
to_english_finite(struct spanish_group *g)
{
	const struct verb *v = g->v.reading->verb;
	enum spanish_tense tense = (enum spanish_tense)g->v.reading->form;
	const char *a = g->v.clitics[0], *b = g->v.clitics[1], *further;

	/* "quisiera": I would like */
	if (is_wish(g)) {
		g->p.aux = "would";
		g->p.main = "like";
		g->p.tail = to_english_further(g, v, a, b, 0);
		return;
	}
	if (read_running_out(g) || read_passive(g) || read_liking(g) ||
	    read_auxiliary(g, a, b))
		return;
	if (read_being(g))
		return;
	v = to_english_sense(g, v, a);
	if ((text_has_word(" me nos ", a) && *b == '\0' &&
		((g->p.person == ES_1S && *a == 'm') ||
		    (g->p.person == ES_1P && *a == 'n'))))
		a = "";
	english_set(&g->p, v, tense);
	if (verb_is(v, 'H') || to_english_is(v, "permitir") ||
	    to_english_is(v, "ayudar")) {
		further = to_english_further(g, v, "", "", 0);
		if (further == NULL)
			to_english_drop_a(g, v);
	} else {
		further = to_english_further(g, v, a, b, 0);
		if (further == NULL)
			to_english_drop_a(g, v);
		else
			a = b = "";
	}
	if (further == NULL)
		further = to_english_pronoun(g, v);
	if (g->p.base != NULL && (further == NULL || *a != '\0')) {
		g->p.main = to_english_objects(g, v, g->p.main, a, b);
		g->p.base = to_english_objects(g, v, g->p.base, a, b);
	}
	if (further == NULL && spanish_is(g->r->t, g->at - 1, " del al "))
		further = " the";
	if (further != NULL)
		g->p.tail = arena_printf(
		    g->r->mem, "%s%s", further, g->p.tail != NULL ? g->p.tail : "");
}
