/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Auxiliaries, "be" and finite verbs. */
#include "pipeline/to_spanish.h"

#include <string.h>

#include "base/text.h"
#include "pipeline/english_fixed.h"

/* ---- auxiliaries ---- */

enum spanish_tense
to_spanish_past_of(const struct english *e, size_t i)
{
	size_t n;
	const struct verb_reading *r = english_verb(e, i, BASE | 1U << EN_PAST, &n);

	return r != NULL && verb_is(r->verb, 'X') ? ES_IMPERFECT : ES_PRETERITE;
}

/* Between an auxiliary and its verb, a question has its subject: skip a pronoun. */
static bool
skip_subject(struct english_group *g)
{
	if (!g->asks)
		return true;
	if (to_spanish_next_is(g, EN_SUBJECTS
		" this that everyone everybody anyone anybody someone somebody ")) {
		g->at++;
		return true;
	}
	return false;
}

static bool
read_do(struct english_group *g)
{
	bool past = english_is(g->r->e, g->at, " did ");
	size_t main;

	g->at++;
	if (!skip_subject(g))
		return false;
	to_spanish_adverbs(g);
	main = g->at;
	if (*english_next(g->r->e, main) == '\0' && !g->asks) {
		spanish_add_word(&g->p, g->p.denied ? "" : "sí");
		return true;
	}
	if (!to_spanish_has_verb(g, main, BASE))
		return false;
	g->r->form = past ? EN_PAST : EN_BASE;
	return to_spanish_verb(g, BASE,
	    past      ? to_spanish_past_of(g->r->e, main)
	    : g->wish ? ES_SUBJUNCTIVE
		      : ES_PRESENT,
	    0);
}

static const struct modal {
	const char *en, *es;
	enum spanish_tense tense;
	enum spanish_tense denied; /* "could not" */
} modals[] = {
	{ "can", "poder", ES_PRESENT, ES_PRESENT },
	{ "could", "poder", ES_CONDITIONAL, ES_IMPERFECT },
	{ "may", "poder", ES_PRESENT, ES_PRESENT },
	{ "might", "poder", ES_CONDITIONAL, ES_CONDITIONAL },
	{ "must", "deber", ES_PRESENT, ES_PRESENT },
	{ "should", "deber", ES_CONDITIONAL, ES_CONDITIONAL },
	{ "shall", "deber", ES_PRESENT, ES_PRESENT },
};

/* "have seen" after a modal. */
static bool
read_modal_perfect(struct english_group *g)
{
	g->at++;
	to_spanish_adverbs(g);
	if (to_spanish_next_is(g, " been ")) {
		g->at++;
		spanish_add(&g->p, "haber", ES_INFINITIVE);
		spanish_add(&g->p, english_stays(g->r->e, g->at) ? "estar" : "ser",
		    ES_PARTICIPLE);
		g->copula = true;
		return true;
	}
	spanish_add(&g->p, "haber", ES_INFINITIVE);
	return to_spanish_verb(g, PARTICIPLE, ES_PARTICIPLE, 0);
}

static bool
read_would(struct english_group *g)
{
	if (to_spanish_next_is(g, " like ")) {
		g->at++;
		spanish_add(&g->p, "querer", ES_PAST_SUBJUNCTIVE);
		if (to_spanish_next_is(g, " to ") &&
		    to_spanish_has_verb(g, g->at + 1, BASE)) {
			g->at++;
			return to_spanish_verb(g, BASE, ES_INFINITIVE, 0);
		}
		if (to_spanish_object(g, g->at) != NULL &&
		    strcmp(english_next(g->r->e, g->at + 1), "to") == 0) {
			const struct english_object *o = to_spanish_object(g, g->at);
			static const struct verb want = { .flags = "W" };

			g->at++;
			g->r->form = EN_PAST;
			return to_spanish_wish(g, &want, o, 0);
		}
		return true;
	}
	if (to_spanish_next_is(g, " rather ")) {
		g->at++;
		spanish_add(&g->p, "preferir", ES_CONDITIONAL);
		return to_spanish_verb(g, BASE, ES_INFINITIVE, 0);
	}
	if (to_spanish_next_is(g, " have ") &&
	    to_spanish_has_verb(g, g->at + 1, PARTICIPLE)) {
		g->at++;
		spanish_add(&g->p, "haber", ES_CONDITIONAL);
		return to_spanish_verb(g, PARTICIPLE, ES_PARTICIPLE, 0);
	}
	return to_spanish_verb(g, BASE, ES_CONDITIONAL, 0);
}

static bool
read_modal(struct english_group *g)
{
	const char *modal = to_spanish_word(g);
	size_t i = 0;

	if (*modal == '\0')
		modal = english_at(g->r->e, g->at);
	g->at++;
	if (!skip_subject(g))
		return false;
	to_spanish_adverbs(g);
	g->r->form = EN_BASE;
	if (strcmp(modal, "will") == 0)
		return to_spanish_verb(g, BASE, ES_FUTURE, 0);
	if (strcmp(modal, "would") == 0)
		return read_would(g);
	while (
	    i < sizeof(modals) / sizeof(modals[0]) && strcmp(modals[i].en, modal) != 0)
		i++;
	if (i == sizeof(modals) / sizeof(modals[0]))
		return false;
	spanish_add(
	    &g->p, modals[i].es, g->p.denied ? modals[i].denied : modals[i].tense);
	if (to_spanish_next_is(g, " have ") &&
	    (to_spanish_has_verb(g, g->at + 1, PARTICIPLE) ||
		english_is(g->r->e, g->at + 1, " been ")))
		return read_modal_perfect(g);
	if (*to_spanish_word(g) == '\0' ||
	    (!to_spanish_has_verb(g, g->at, BASE) &&
		to_spanish_next_is(g, EN_OPENERS EN_PREPOSITIONS)))
		return true;
	return to_spanish_verb(g, BASE, ES_INFINITIVE, 0);
}

static bool
read_have(struct english_group *g)
{
	bool past = english_is(g->r->e, g->at, " had ");
	enum spanish_tense tense = past      ? ES_IMPERFECT
				   : g->wish ? ES_SUBJUNCTIVE
					     : ES_PRESENT;

	g->at++;
	if (!skip_subject(g))
		return false;
	g->r->form = past ? EN_PAST : EN_BASE;
	to_spanish_adverbs(g);
	if (to_spanish_next_is(g, " better ") && past) {
		g->at++;
		spanish_add(&g->p, "deber", ES_CONDITIONAL);
		return to_spanish_verb(g, BASE, ES_INFINITIVE, 0);
	}
	if (to_spanish_next_is(g, " been ")) {
		g->at++;
		to_spanish_adverbs(g);
		spanish_add(&g->p, "haber", tense);
		if (to_spanish_has_verb(g, g->at, ING)) {
			spanish_add(&g->p, "estar", ES_PARTICIPLE);
			return to_spanish_verb(g, ING, ES_GERUND, 0);
		}
		spanish_add(&g->p, english_stays(g->r->e, g->at) ? "estar" : "ser",
		    ES_PARTICIPLE);
		g->copula = true;
		return true;
	}
	if (to_spanish_next_is(g, " got ") && !past) {
		g->at++;
		if (to_spanish_next_is(g, EN_DETERMINERS)) {
			spanish_add(&g->p, "tener", ES_PRESENT);
			return true;
		}
		g->at--;
	}
	if (to_spanish_has_verb(g, g->at, PARTICIPLE) &&
	    !to_spanish_next_is(g, " left cut ")) {
		spanish_add(&g->p, "haber", tense);
		return to_spanish_verb(g, PARTICIPLE, ES_PARTICIPLE, 0);
	}
	g->at--;
	return false;
}

/* ---- "be" ---- */

static bool
read_there(struct english_group *g, enum spanish_tense tense)
{
	g->p.person = ES_3S;
	if (tense == ES_PRESENT) {
		spanish_add_word(&g->p, "hay");
		return true;
	}
	spanish_add(&g->p, "haber", tense);
	return true;
}

/* Meanings of "be" with the words after it. */
static const struct being {
	const char *words;
	const char *es;
	const char *link; /* before the verb that follows; NULL: none follows */
} beings[] = {
	{ "going to", "ir", "a" },
	{ "able to", "poder", "" },
	{ "about to", "estar a punto", "de" },
	{ "supposed to", "deber", "" },
	{ "allowed to", "poder", "" },
	{ "ready to", "estar dispuesto", "a" },
	{ "right", "tener razón", NULL },
	{ "wrong", "estar equivocado", NULL },
	{ "afraid of", "tener miedo de", NULL },
	{ "afraid", "tener miedo", NULL },
	{ "hungry", "tener hambre", NULL },
	{ "thirsty", "tener sed", NULL },
	{ "lucky", "tener suerte", NULL },
	{ "in a hurry", "tener prisa", NULL },
	{ "looking forward to", "esperar con ilusión", NULL },
};

static bool
read_being(struct english_group *g, enum spanish_tense tense, bool *known)
{
	for (size_t i = 0; i < sizeof(beings) / sizeof(beings[0]); i++) {
		const struct being *b = &beings[i];
		size_t n = english_has_words(g->r->e, g->at, b->words);

		if (n == 0 ||
		    (b->link != NULL && !to_spanish_has_verb(g, g->at + n, BASE)))
			continue;
		if (b->link == NULL && g->thing)
			continue;
		*known = true;
		g->at += n;
		spanish_add(&g->p, b->es, tense);
		if (b->link == NULL) {
			const struct english_object *o = to_spanish_object(g, g->at);

			if (strstr(b->words, "forward") != NULL && o != NULL) {
				g->p.object = o->accusative;
				g->at++;
			}
			return true;
		}
		spanish_add_word(&g->p, b->link);
		return to_spanish_verb(g, BASE, ES_INFINITIVE, 0);
	}
	return false;
}

/* "is forty years old" */
static bool
is_age(const struct english *e, size_t i)
{
	for (size_t k = i; k < i + 5 && k < e->n && e->w[k].joined; k++)
		if (strcmp(english_next(e, k), "years") == 0)
			return strcmp(english_next(e, k + 1), "old") == 0;
	return false;
}

/* "is ninety-one": no more words follow. */
static bool
is_number(const struct english *e, size_t i)
{
	size_t k = i;

	while (
	    english_is(e, k,
		" twenty thirty forty fifty sixty seventy eighty ninety one two three "
		"four five six seven eight nine ten eleven twelve thirteen fourteen "
		"fifteen sixteen seventeen eighteen "
		"nineteen ") ||
	    word_is_digits(english_next(e, k)))
		k++;
	return k > i && *english_next(e, k) == '\0';
}

/* "how old you are" */
static bool
is_how_old(const struct english *e, size_t i)
{
	for (size_t k = i; k > 0 && k + 4 > i; k--)
		if (english_is(e, k - 1, " old ") && k > 1 &&
		    english_is(e, k - 2, " how "))
			return true;
	return false;
}

/* "Where is it?" */
static bool
is_where(const struct english_group *g)
{
	const struct english *e = g->r->e;

	return *to_spanish_word(g) == '\0' && g->at > 2 &&
	       (english_is(e, g->at - 3, " where ") ||
		   (english_is(e, g->at - 2, " where ")));
}

/* True if the clause begins with "but": "but heating is not". */
static bool
contrasts(const struct english *e, size_t i)
{
	for (; i > 0 && e->w[i].joined; i--)
		if (english_is(e, i - 1, " but and "))
			return true;
	return english_is(e, i, " but and ");
}

static bool
read_copula(struct english_group *g)
{
	const struct english *e = g->r->e;
	bool past = english_is(e, g->at, " was were "), known = false;
	enum spanish_tense tense = past      ? ES_IMPERFECT
				   : g->wish ? ES_SUBJUNCTIVE
					     : ES_PRESENT;
	bool there = english_is(e, g->at - (g->at > 0), " there ") && !g->asks;

	g->at++;
	if (g->asks)
		there = to_spanish_next_is(g, " there ");
	if (!skip_subject(g))
		return false;
	g->r->form = past ? EN_PAST : EN_BASE;
	to_spanish_adverbs(g);
	if (there)
		return read_there(g, tense);
	if (read_being(g, tense, &known) || known)
		return known;
	if (to_spanish_next_is(g, " born ")) {
		g->at++;
		spanish_add(&g->p, "nacer", ES_PRETERITE);
		return true;
	}
	if (to_spanish_has_verb(g, g->at, ING) &&
	    !english_is(e, g->at, " interesting surprising worrying boring ")) {
		spanish_add(&g->p, "estar", tense);
		return to_spanish_verb(g, ING, ES_GERUND, 0);
	}
	if (*to_spanish_word(g) == '\0' && contrasts(e, g->at - 1) && !g->asks) {
		spanish_add_word(&g->p, g->p.denied ? "" : "sí");
		return true;
	}
	if ((*to_spanish_word(g) == '\0' && is_how_old(e, g->at)) || is_age(e, g->at) ||
	    (!g->thing && is_number(e, g->at))) {
		spanish_add(&g->p, "tener", tense);
		return true;
	}
	spanish_add(&g->p, english_stays(e, g->at) || is_where(g) ? "estar" : "ser",
	    past &&
		    (to_spanish_next_is(g, " the ") ||
			english_is_participle(e, g->at)) &&
		    !english_stays(e, g->at)
		? ES_PRETERITE
		: tense);
	g->copula = true;
	return true;
}

/* ---- a finite group ---- */

/* True if the clause that begins with the word before the i-th is not real yet. */
bool
to_spanish_is_wish(const struct english *e, size_t i)
{
	if (i == 0 || !e->w[i].joined)
		return false;
	if (english_is(e, i - 1, " before until till unless "))
		return true;
	if (english_is(e, i - 1, " that ") && i > 1)
		return english_is(e, i - 2, " so ");
	if (!english_is(e, i - 1, " when once after as whenever soon ") ||
	    english_asks(e, i))
		return false;
	for (size_t k = 0; k < e->n; k++)
		if (english_is(e, k, " will ") || english_is(e, k, " please "))
			return true;
	return false;
}

bool
to_spanish_finite(struct english_group *g)
{
	const struct english *e = g->r->e;
	size_t n;
	const struct verb_reading *r;

	to_spanish_adverbs(g);
	if (english_is(e, g->at, EN_BE))
		return read_copula(g);
	if (english_is(e, g->at, EN_MODALS))
		return read_modal(g);
	if (english_is(e, g->at, " do does did ")) {
		size_t at = g->at;

		if (read_do(g))
			return true;
		g->at = at;
		if (g->p.denied || g->asks)
			return false;
	}
	if (english_is(e, g->at, " have has had ")) {
		struct spanish_phrase p = g->p;
		size_t at = g->at;

		if (read_have(g))
			return true;
		g->at = at;
		g->p = p;
		if (g->asks)
			return false;
	}
	if (english_has_words(e, g->at, "used to") != 0 &&
	    to_spanish_has_verb(g, g->at + 2, BASE)) {
		g->at += 2;
		return to_spanish_verb(g, BASE, ES_IMPERFECT, 0);
	}
	if ((r = english_verb(e, g->at, ALL_FORMS, &n)) == NULL)
		return false;
	g->r->form = english_past_is_clear(r, g->p.person) ? EN_PAST : r->form;
	return to_spanish_verb(g, 1U << g->r->form,
	    g->r->form != EN_PAST   ? (g->wish ? ES_SUBJUNCTIVE : ES_PRESENT)
	    : verb_is(r->verb, 'X') ? ES_IMPERFECT
				    : ES_PRETERITE,
	    0);
}
