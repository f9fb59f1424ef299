/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A verb, its sense, the pronouns after it, and further verbs. */
#include "pipeline/to_spanish.h"

#include <string.h>

#include "base/text.h"

const char *
to_spanish_word(const struct english_group *g)
{
	return english_next(g->r->e, g->at);
}

bool
to_spanish_next_is(const struct english_group *g, const char *set)
{
	return text_has_word(set, to_spanish_word(g));
}

/* ---- adverbs ---- */

static const struct adverb {
	const char *en, *es;
	bool behind; /* in Spanish behind the verb */
} adverbs[] = {
	{ "never", "nunca", false },
	{ "always", "siempre", false },
	{ "often", "a menudo", false },
	{ "sometimes", "a veces", false },
	{ "also", "también", false },
	{ "already", "ya", false },
	{ "still", "todavía", false },
	{ "really", "realmente", false },
	{ "usually", "normalmente", false },
	{ "normally", "normalmente", false },
	{ "only", "solo", false },
	{ "just", "solo", false },
	{ "now", "ahora", false },
	{ "probably", "probablemente", false },
	{ "even", "incluso", false },
	{ "almost", "casi", false },
	{ "then", "entonces", false },
	{ "soon", "pronto", false },
	{ "simply", "simplemente", false },
	{ "finally", "finalmente", false },
	{ "actually", "en realidad", false },
	{ "perhaps", "quizás", false },
	{ "maybe", "quizás", false },
	{ "certainly", "desde luego", false },
	{ "clearly", "claramente", false },
	{ "recently", "recientemente", false },
	{ "currently", "actualmente", false },
	{ "immediately", "inmediatamente", false },
	{ "hardly", "apenas", false },
	{ "rarely", "rara vez", false },
	{ "generally", "en general", false },
	{ "ever", "alguna vez", true },
	{ "both", "", false },
	{ "all", "", false },
	{ "please", "", false },
};

/* Read adverbs and "not". */
void
to_spanish_adverbs(struct english_group *g)
{
	for (;; g->at++) {
		size_t i = 0, n = sizeof(adverbs) / sizeof(adverbs[0]);

		if (to_spanish_next_is(g, " not ")) {
			g->p.denied = true;
			continue;
		}
		if (to_spanish_next_is(g, " no ") &&
		    strcmp(english_next(g->r->e, g->at + 1), "longer") == 0) {
			spanish_add_adverb(&g->p, "ya no");
			g->at++;
			continue;
		}
		while (i < n && strcmp(adverbs[i].en, to_spanish_word(g)) != 0)
			i++;
		if (i == n || english_is(g->r->e, g->at + 1, EN_DETERMINERS " to "))
			return;
		if (*adverbs[i].es == '\0')
			continue;
		if (adverbs[i].behind && !g->p.denied)
			g->p.behind = adverbs[i].es;
		else if (adverbs[i].behind)
			spanish_add_adverb(&g->p, "nunca"), g->p.denied = false;
		else
			spanish_add_adverb(&g->p, adverbs[i].es);
	}
}

/* ---- pronouns after a verb ---- */

static const struct english_object objects[] = {
	{ "me", "me", "me", "mí" },
	{ "you", "les", "los", "ustedes" },
	{ "him", "le", "lo", "él" },
	{ "her", "le", "la", "ella" },
	{ "it", "lo", "lo", "ello" },
	{ "us", "nos", "nos", "nosotros" },
	{ "them", "les", "los", "ellos" },
};

const struct english_object *
to_spanish_object(const struct english_group *g, size_t i)
{
	const struct english *e = g->r->e;
	const char *s = english_next(e, i);
	size_t n;

	for (size_t k = 0; k < sizeof(objects) / sizeof(objects[0]); k++) {
		if (strcmp(objects[k].en, s) != 0)
			continue;
		/* "her book"; "I think it is", "we hope you come" */
		if (strcmp(s, "her") == 0 && *english_next(e, i + 1) != '\0' &&
		    !english_is(
			e, i + 1, EN_PREPOSITIONS EN_OPENERS EN_ADVERBS EN_DETERMINERS))
			return NULL;
		if (strcmp(s, "her") == 0 && english_is(e, i + 1, " first one two "))
			return NULL;
		if (text_has_word(" it you ", s) && e->n > i + 1 &&
		    e->w[i + 1].joined &&
		    (english_is(
			 e, i + 1, EN_BE EN_MODALS " has had does did have do ") ||
			(english_is(e, i + 1, EN_ADVERBS) &&
			    english_verb(e, i + 2, ALL_FORMS, &n) != NULL) ||
			english_verb(e, i + 1,
			    *s == 'i' ? 1U << EN_S | 1U << EN_PAST : 1U << EN_PAST,
			    &n) != NULL))
			return NULL;
		return &objects[k];
	}
	return NULL;
}

static bool
ends_in_preposition(const char *es)
{
	const char *last = strrchr(es, ' ');

	return last != NULL && text_has_word(" a en de con por sobre ", last + 1);
}

static void
put_object(struct english_group *g, const struct verb *v, const char *es,
    const struct english_object *o)
{
	const struct english_object *to;

	if (ends_in_preposition(es)) {
		spanish_add_word(&g->p,
		    strcmp(o->after, "mí") == 0 && strcmp(strrchr(es, ' '), " con") == 0
			? "migo"
			: o->after);
		return;
	}
	g->p.object = verb_is(v, 'D') || verb_is(v, 'H') ? o->dative : o->accusative;
	if (verb_is(v, 'H') && !verb_is(v, 'D') && *o->en == 'y')
		g->p.object = "les";
	if (!verb_is(v, 'D') || !text_has_word(" it them ", o->en) ||
	    !to_spanish_next_is(g, " to "))
		return;
	if ((to = to_spanish_object(g, g->at + 1)) == NULL)
		return;
	g->at += 2;
	g->p.object = arena_printf(
	    g->r->mem, "%s %s", *to->dative == 'l' ? "se" : to->dative, o->accusative);
}

/* "turn it off": the verb with its particle after the pronoun; NULL: none. */
static const struct verb_reading *
verb_around(const struct english_group *g, size_t i, unsigned forms)
{
	const struct english *e = g->r->e;
	const char *particle = english_next(e, i + 2);

	if (!english_is(e, i + 1, EN_OBJECTS) || *particle == '\0')
		return NULL;
	for (const struct verb_reading *r = verbs_english(e->w[i].s); r != NULL;
	     r = r->next)
		if ((forms & 1U << r->form) != 0 && strcmp(r->rest, particle) == 0 &&
		    !text_has_word(EN_PREPOSITIONS, particle))
			return r;
	return NULL;
}

#define PARTICLES " away out off on up down back apart "

/* "throw things away": the verb with its particle after a noun, at *at; NULL: none. */
static const struct verb_reading *
verb_apart(const struct english_group *g, unsigned forms, size_t *at)
{
	const struct english *e = g->r->e;
	size_t i = g->at + 2;

	while (i < e->n && i < g->at + 5 && e->w[i].joined &&
	       !english_is(e, i, PARTICLES EN_PREPOSITIONS EN_OPENERS EN_BE))
		i++;
	if (i >= e->n || !e->w[i].joined || !english_is(e, i, PARTICLES) ||
	    !e->w[g->at + 1].joined ||
	    english_is(e, g->at + 1, EN_PREPOSITIONS PARTICLES EN_OBJECTS) ||
	    (*english_next(e, i + 1) != '\0' &&
		!english_is(e, i + 1, EN_PREPOSITIONS EN_OPENERS)))
		return NULL;
	*at = i;
	for (const struct verb_reading *r = verbs_english(e->w[g->at].s); r != NULL;
	     r = r->next)
		if ((forms & 1U << r->form) != 0 && strcmp(r->rest, e->w[i].s) == 0)
			return r;
	return NULL;
}

/* ---- a verb and what follows it ---- */

/* True if a finite verb follows: the words after it are a clause. */
bool
to_spanish_begins_clause(const struct english_group *g)
{
	const struct english *e = g->r->e;
	size_t n;

	if (to_spanish_next_is(g, EN_SUBJECTS) && !to_spanish_next_is(g, " her "))
		return true;
	if (!to_spanish_next_is(g, EN_DETERMINERS) || to_spanish_next_is(g, " that "))
		return false;
	for (size_t i = g->at + 1; i < e->n && e->w[i].joined && i < g->at + 8; i++) {
		if (english_is(e, i, EN_OPENERS " and to "))
			return false;
		if (english_is(e, i, EN_BE EN_MODALS " has have had ") ||
		    (english_verb(e, i, 1U << EN_S | 1U << EN_PAST, &n) != NULL &&
			!verb_is(
			    english_verb(e, i, 1U << EN_S | 1U << EN_PAST, &n)->verb,
			    'N')))
			return true;
	}
	return false;
}

/* "want the city to change": remember where its verb stands. */
static void
find_later(struct english_group *g, const struct verb *v, int person)
{
	struct english_reader *r = g->r;
	size_t n, i = g->at;

	for (; i < r->e->n && r->e->w[i].joined && i < g->at + 6; i++) {
		if (english_is(r->e, i, EN_OPENERS EN_BE EN_MODALS))
			return;
		if (english_is(r->e, i, " to ") && i > g->at &&
		    (english_verb(r->e, i + 1, BASE, &n) != NULL ||
			english_is(r->e, i + 1, " be ")))
			break;
	}
	if (i >= r->e->n || i == g->at + 6 || !r->e->w[i].joined ||
	    r->nlater == LATER_MAX)
		return;
	if (person >= 0)
		person = english_subject(r->e, i).plural ? ES_3P : ES_3S;
	r->later[r->nlater++] =
	    (struct later_verb){ i - english_is(r->e, i - 1, " not "),
		    verb_is(v, 'H') ? v->link : "", person };
	if (person >= 0)
		spanish_add_word(&g->p, "que");
}

static const int object_persons[] = { ES_1S, ES_3P, ES_3S, ES_3S, ES_3S, ES_1P, ES_3P };

/* Read "you to look": a clause of its own after "que". */
bool
to_spanish_wish(struct english_group *g, const struct verb *v,
    const struct english_object *o, int depth)
{
	struct spanish_phrase was = g->p, sub = { .mem = g->r->mem,
		.person = object_persons[o - objects] };
	bool past = was.finite != NULL && g->r->form == EN_PAST;

	g->at++; /* to */
	g->p = sub;
	if (to_spanish_next_is(g, " not ")) {
		g->p.denied = true;
		g->at++;
	}
	if (!to_spanish_verb(
		g, BASE, past ? ES_PAST_SUBJUNCTIVE : ES_SUBJUNCTIVE, depth + 1))
		return false;
	g->agrees = true;
	g->agrees_with = sub.person;
	if (verb_is(v, 'K') || verb_is(v, 'D'))
		was.object = o->dative;
	spanish_add_word(&was, "que");
	sub = g->p;
	g->p = was;
	spanish_add_word(&g->p, spanish_text(&sub));
	return true;
}

bool
to_spanish_has_verb(const struct english_group *g, size_t i, unsigned forms)
{
	size_t n;

	return english_next(g->r->e, i)[0] != '\0' &&
	       (english_verb(g->r->e, i, forms, &n) != NULL ||
		   (forms == BASE && english_is(g->r->e, i, " be ")));
}

/* Read the object and the further verb of a verb that is already in the phrase. */
static bool
read_behind(struct english_group *g, const struct verb *v, const char *es, int depth)
{
	const struct english_object *o = to_spanish_object(g, g->at);
	bool asks = verb_is(v, 'W') || verb_is(v, 'K');
	size_t later = g->r->nlater;

	if (o != NULL) {
		g->at++;
		if (asks && to_spanish_next_is(g, " to ") &&
		    to_spanish_has_verb(g, g->at + 1, BASE))
			return to_spanish_wish(g, v, o, depth);
		if (verb_is(v, 'L') || verb_is(v, 'H')) {
			put_object(g, v, es, o);
			if (to_spanish_next_is(g, " to "))
				g->at++;
			if (!to_spanish_has_verb(g, g->at, BASE))
				return true;
			if (verb_is(v, 'H'))
				spanish_add_word(&g->p, v->link);
			/* the pronoun belongs to the first verb */
			return to_spanish_verb(g, BASE, ES_INFINITIVE, depth + 1);
		}
		put_object(g, v, es, o);
	} else if (verb_is(v, 'D') && to_spanish_next_is(g, " to ") &&
		   (o = to_spanish_object(g, g->at + 1)) != NULL) {
		g->at += 2;
		g->p.object = o->dative;
	} else if ((asks || verb_is(v, 'H')) && !to_spanish_next_is(g, " to "))
		find_later(g, v, asks ? ES_3S : -1);
	if (o == NULL && to_spanish_next_is(g, " to ") && v->link != NULL &&
	    to_spanish_has_verb(g, g->at + 1, BASE) && depth < 3) {
		g->at++;
		spanish_add_word(&g->p, v->link);
		return to_spanish_verb(g, BASE, ES_INFINITIVE, depth + 1);
	}
	if (verb_is(v, 'S') && to_spanish_begins_clause(g))
		spanish_add_word(&g->p, "que");
	else if (o == NULL && later == g->r->nlater && !ends_in_preposition(es) &&
		 strncmp(es, "tener", 5) != 0 && english_is_person(g->r->e, g->at))
		spanish_add_word(&g->p, "a");
	else if (text_has_word(" sentirse parecer volverse ", es))
		g->copula = true;
	return true;
}

/* "stop working", "keep going" */
static bool
read_chain(
    struct english_group *g, const struct chain *c, enum spanish_tense tense, int depth)
{
	spanish_add(&g->p, c->es, tense);
	return to_spanish_verb(
	    g, c->to ? BASE : ING, c->gerund ? ES_GERUND : ES_INFINITIVE, depth + 1);
}

/* "be" as a further verb: "want to be here". */
static bool
read_be(struct english_group *g, enum spanish_tense tense, int depth)
{
	const struct english *e = g->r->e;

	g->at++;
	to_spanish_adverbs(g);
	if (to_spanish_has_verb(g, g->at, ING) && depth < 3 &&
	    !to_spanish_next_is(g, " interesting ")) {
		spanish_add(&g->p, "estar", tense);
		return to_spanish_verb(g, ING, ES_GERUND, depth + 1);
	}
	spanish_add(&g->p, english_stays(e, g->at) ? "estar" : "ser", tense);
	g->copula = true;
	return true;
}

/* Read a verb in one of the forms and add it in a tense. */
bool
to_spanish_verb(
    struct english_group *g, unsigned forms, enum spanish_tense tense, int depth)
{
	const struct english *e = g->r->e;
	const struct verb_reading *r;
	const struct chain *c;
	const char *es;
	size_t n;

	if (forms == BASE && to_spanish_next_is(g, " be "))
		return read_be(g, tense, depth);
	if ((r = verb_around(g, g->at, forms)) != NULL) {
		const struct english_object *o = to_spanish_object(g, g->at + 1);

		if (o == NULL)
			return false;
		spanish_add(&g->p, r->verb->es, tense);
		g->at += 3;
		put_object(g, r->verb, r->verb->es, o);
		return true;
	}
	if (*to_spanish_word(g) == '\0' && !english_starts(e, g->at))
		return false;
	if ((r = verb_apart(g, forms, &n)) != NULL && g->r->nlater < LATER_MAX) {
		g->r->later[g->r->nlater++] = (struct later_verb){ n, NULL, 0 };
		spanish_add(&g->p, r->verb->es, tense);
		g->at++;
		return true;
	}
	if ((r = english_verb(e, g->at, forms, &n)) == NULL)
		return false;
	if ((c = english_chain(e, g->at, n, r->verb)) != NULL && depth < 3) {
		g->at += n + c->to;
		return read_chain(g, c, tense, depth);
	}
	es = english_sense(e, g->at, n, r->verb, g->thing);
	if (es == NULL)
		return false;
	g->at += n;
	spanish_add(&g->p, es, tense);
	return read_behind(g, r->verb, es, depth);
}
