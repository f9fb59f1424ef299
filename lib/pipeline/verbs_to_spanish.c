/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	words -> subject -> auxiliaries, adverbs, "not" -> verb, its sense
 *	-> pronouns after it -> "to" and a further verb -> a term
 */
#include "pipeline/verbs_to_spanish.h"

#include <string.h>

#include "base/text.h"
#include "pipeline/english_fixed.h"
#include "pipeline/to_spanish.h"

/* ---- where groups begin ---- */

static const char *const stand_ins[ES_PERSONS] = { "I know", "you know", "he knows",
	"we know", "you know", "they know" };
static const char *const stand_ins_of_be[ES_PERSONS] = { "I am", "you are", "he is",
	"we are", "you are", "they are" };

static const char *const stand_ins_of_state[ES_PERSONS] = { "I seem", "you seem",
	"he seems", "we seem", "you seem", "they seem" };

/* Put the group's term in place of the words [from, at). */
static void
put_group(struct english_group *g, size_t from, bool subject, const char *prefix)
{
	const struct english *e = g->r->e;
	int person = g->agrees ? g->agrees_with : g->p.person;
	const char *in = (!g->copula                        ? stand_ins
			  : english_is_participle(e, g->at) ? stand_ins_of_state
							    : stand_ins_of_be)[person];
	const char *target =
	    arena_printf(g->r->mem, "%s%s", prefix, spanish_text(&g->p));
	uint32_t cp;

	if (!subject)
		in = strchr(in, ' ') + 1;
	text_next(e->words->text + e->w[from].at, &cp);
	if (text_is_upper(cp) && english_starts(e, from)) {
		char *title = arena_str(g->r->mem, in);

		*title = (char)(*title >= 'a' ? *title - 'a' + 'A' : *title);
		in = title;
	}
	words_put_term(
	    e->words, e->w[from].at, e->w[g->at - 1].end - e->w[from].at, in, target);
	g->r->at = g->at;
	/* "forget that sentence": no clause follows */
	if (to_spanish_next_is(g, " that ") && !to_spanish_begins_clause(g) &&
	    english_next(e, g->at + 1)[0] != '\0' &&
	    english_has_noun_group(e, g->at + 1)) {
		words_put_term(e->words, e->w[g->at].at, 4, "this", NULL);
		g->r->at++;
	}
}

static int
person_of(const char *pronoun)
{
	if (strcmp(pronoun, "i") == 0)
		return ES_1S;
	if (strcmp(pronoun, "we") == 0)
		return ES_1P;
	return text_has_word(" you they these those both many most others ", pronoun)
		   ? ES_3P
		   : ES_3S;
}

/* True for "the machine we bought": a relative clause without "that". */
static bool
is_relative(const struct english *e, size_t i)
{
	bool noun = false;

	if (i > 0 && e->w[i].joined &&
	    english_is(e, i - 1, " everything something nothing anything all thing "))
		return true;
	if (i > 1 && e->w[i].joined && english_is(e, i - 1, " time ") &&
	    english_is(e, i - 2, " last first next every second only "))
		return true;
	if (i < 2 || !e->w[i].joined || english_is(e, i, " it there ") ||
	    english_is(e, i - 1,
		EN_OPENERS EN_PREPOSITIONS EN_DETERMINERS EN_ADVERBS
		" not please hello thanks year years time week month day today "
		"tomorrow "
		"yesterday here monday tuesday wednesday thursday friday "
		"saturday sunday morning afternoon evening night ago that everyone "
		"thing moment others " EN_BE EN_MODALS))
		return english_is(
		    e, i - 1, " thing everything something nothing anything ");
	for (size_t k = i - 1; k > 0 && k + 4 > i && e->w[k].joined && !noun; k--)
		noun = english_is(e, k - 1,
		    " the a an all every another some any this those these no first "
		    "second last ");
	return noun && word_at(e->words, 0)[0] != '\0' &&
	       !english_is(e, 0, EN_PREPOSITIONS EN_OPENERS);
}

static bool
read_pronoun(struct english_reader *r)
{
	const struct english *e = r->e;
	struct english_group g = { .r = r, .p = { .mem = r->mem }, .at = r->at + 1 };
	const char *s = english_at(e, r->at);
	size_t from = r->at;

	if (!english_is(e, from, EN_SUBJECTS) || *english_next(e, from + 1) == '\0')
		return false;
	if (english_is(e, from, " you it ") && e->w[from].joined &&
	    english_is(e, from - 1, " of in on at to from by with for about thank "))
		return false;
	g.p.person = person_of(s);
	g.thing = strcmp(s, "it") == 0;
	g.wish = to_spanish_is_wish(e, from);
	if (!to_spanish_finite(&g))
		return false;
	r->person = g.p.person;
	r->thing = g.thing;
	put_group(&g, from, true, is_relative(e, from) ? "que " : "");
	return true;
}

/* "did we learn", "have you seen", "is there" */
static bool
read_question(struct english_reader *r)
{
	const struct english *e = r->e;
	struct english_group g = {
		.r = r, .p = { .mem = r->mem }, .at = r->at, .asks = true
	};
	size_t from = r->at;
	const char *s;

	if (!english_is(e, from, EN_BE EN_MODALS " do does did have has had "))
		return false;
	s = english_next(e, from + 1);
	if (strcmp(s, "not") == 0)
		s = english_next(e, from + 2);
	if (!text_has_word(EN_SUBJECTS
		" this that everyone everybody anyone anybody someone somebody ",
		s) ||
	    (text_has_word(" this that ", s) && english_is(e, from, EN_BE) &&
		*english_next(e, from + 3) != '\0' &&
		!english_is(e, from + 2,
		    EN_DETERMINERS EN_PREPOSITIONS EN_ADVERBS
		    " not what where how who why ")) ||
	    (text_has_word(" this that ", s) &&
		!english_is(e, from + 2,
		    " be work happen help mean answer make sound seem look matter "
		    "change ") &&
		!english_is(e, from, EN_BE)))
		return false;
	if (!english_starts(e, from) &&
	    !english_is(
		e, from - 1, " and but so or what where when why how who which ") &&
	    !english_asks(e, from))
		return false;
	g.p.person = person_of(s);
	g.thing = text_has_word(" it this that ", s);
	if (english_is(e, from + 1, " not ")) {
		g.p.denied = true;
		/* "don't you": the pronoun stands after */
		return false;
	}
	if (!to_spanish_finite(&g))
		return false;
	if (text_has_word(" this that ", s))
		spanish_add_word(&g.p, *s == 't' && s[2] == 'i' ? "esto" : "eso");
	else if (text_has_word(" someone somebody anyone anybody ", s))
		spanish_add_word(&g.p, "alguien");
	else if (text_has_word(" everyone everybody ", s))
		spanish_add_word(&g.p, "todo el mundo");
	r->person = g.p.person;
	put_group(&g, from, true, "");
	return true;
}

/* True after "how" or "how much weight". */
static bool
is_asked_before(const struct english *e, size_t i)
{
	for (size_t k = i; k > 0 && k + 3 > i && e->w[k].joined; k--)
		if (english_is(e, k - 1, " what where when why how which "))
			return true;
	return false;
}

/* Read a finite verb as if the words [from, end) were not there. */
static bool
read_without(struct english_group *g, size_t from, size_t end)
{
	struct english *e = g->r->e, *copy = arena_alloc(g->r->mem, sizeof(*copy));
	bool is;

	*copy = *e;
	memmove(&copy->w[from], &copy->w[end], (e->n - end) * sizeof(copy->w[0]));
	copy->n -= end - from;
	g->r->e = copy;
	is = to_spanish_finite(g);
	g->r->e = e;
	g->at += end - from;
	return is;
}

/* "does the session start", "can this work": the verb stands after the subject. */
static bool
read_apart(struct english_reader *r)
{
	const struct english *e = r->e;
	struct english_group g = { .r = r, .p = { .mem = r->mem } };
	bool does = english_is(e, r->at, " do does did ");
	size_t from = r->at, i = from + 2, n;
	enum spanish_tense tense = ES_PRESENT;

	if (!english_is(e, from, EN_MODALS " do does did ") ||
	    (!english_asks(e, from) &&
		(english_starts(e, from) ||
		    !english_is(e, from - 1, " what where when why how "))) ||
	    !(english_starts(e, from) || english_is(e, from - 1, " and but so or ") ||
		is_asked_before(e, from)) ||
	    !english_is(e, from + 1, EN_DETERMINERS))
		return false;
	while (i < e->n && e->w[i].joined && i < from + 7 &&
	       (!(english_verb(e, i, BASE, &n) != NULL || english_is(e, i, " be ")) ||
		   (english_is(e, i + 1, EN_BE) ||
		       english_is(e, i - 1, " the a an my your our his her their "))))
		i++;
	if (i >= e->n || !e->w[i].joined || i == from + 7)
		return false;
	g.p.person = english_subject(e, i).plural ? ES_3P : ES_3S;
	g.thing = english_is_thing(e, i);
	g.at = i;
	if (does) {
		tense = english_is(e, from, " did ") ? to_spanish_past_of(e, i)
						     : ES_PRESENT;
		if (!to_spanish_verb(&g, BASE, tense, 0))
			return false;
	} else {
		g.at = from;
		if (!read_without(&g, from + 1, i))
			return false;
	}
	n = g.at;
	g.at = from + 1;
	put_group(&g, from, false, "");
	words_put_term(
	    e->words, e->w[i - 1].end, e->w[n - 1].end - e->w[i - 1].end, "", NULL);
	/* words between are not read again */
	r->at = n;
	return true;
}

/* "look at the picture", "please open the door", "do not touch" */
static bool
read_order(struct english_reader *r)
{
	const struct english *e = r->e;
	struct english_group g = { .r = r,
		.p = { .mem = r->mem, .person = ES_3P, .orders = true },
		.at = r->at };
	size_t from = r->at, n;
	const struct verb_reading *v;

	if (!english_starts(e, from) &&
	    !english_is(e, from - 1, " please and then so but or "))
		return false;
	if (!english_starts(e, from) && english_is(e, from - 1, " and then or ") &&
	    r->form != EN_FORMS &&
	    !(from > 1 && !e->w[from - 1].joined && english_is(e, from, " enjoy ")))
		return false;
	if (english_asks(e, from) && !english_is(e, from - 1, " please "))
		return false;
	if (english_has_words(e, from, "do not") ||
	    (english_starts(e, from) && english_is(e, from, " do ") &&
		english_is(e, from + 1, " not "))) {
		g.p.denied = true;
		g.at += 2;
	} else if (english_is(e, from, " never always ") && english_starts(e, from)) {
		spanish_add_adverb(
		    &g.p, *english_at(e, from) == 'n' ? "nunca" : "siempre");
		g.p.orders = *english_at(e, from) != 'n';
		g.at++;
	}
	if ((v = english_verb(e, g.at, BASE, &n)) == NULL ||
	    !english_orders(e, g.at, n, v->verb))
		return false;
	if (!to_spanish_verb(&g, BASE, ES_SUBJUNCTIVE, 0))
		return false;
	r->person = ES_3P;
	r->form = EN_FORMS;
	if (!english_starts(e, from) && english_is(e, from - 1, " please "))
		words_put_term(e->words, e->w[from - 1].end, 0, ",", NULL);
	put_group(&g, from, false, "");
	return true;
}

/* "let us look", "let me show you" */
static bool
read_let(struct english_reader *r)
{
	const struct english *e = r->e;
	bool us = english_has_words(e, r->at, "let us") ||
		  (english_is(e, r->at, " let ") && english_is(e, r->at + 1, " us "));
	struct english_group g = { .r = r,
		.p = { .mem = r->mem, .person = us ? ES_1P : ES_1S },
		.at = r->at + 2 };

	if (!english_is(e, r->at, " let ") || !english_is(e, r->at + 1, " us me ") ||
	    (!english_starts(e, r->at) &&
		!english_is(e, r->at - 1, " so now and but then please first ")))
		return false;
	if (us)
		spanish_add(&g.p, "ir", ES_PRESENT);
	else
		g.p.finite = "permítanme";
	if (us)
		spanish_add_word(&g.p, "a");
	if (to_spanish_next_is(&g, " not ") || !to_spanish_has_verb(&g, g.at, BASE) ||
	    !to_spanish_verb(&g, BASE, ES_INFINITIVE, 0))
		return false;
	r->person = g.p.person;
	put_group(&g, r->at, false, "");
	return true;
}

/* "to see": an infinitive with the word that Spanish puts before it. */
static bool
read_infinitive(struct english_reader *r)
{
	const struct english *e = r->e;
	struct english_group g = {
		.r = r, .p = { .mem = r->mem, .person = ES_3S }, .at = r->at + 1
	};
	const char *link = english_link(e, r->at);
	size_t from = r->at;

	if (english_is(e, from, " not ") && english_is(e, from + 1, " to ")) {
		g.p.denied = true;
		link = english_link(e, from);
		g.at++;
	} else if (!english_is(e, from, " to "))
		return false;
	for (size_t i = 0; i < r->nlater; i++)
		if (r->later[i].at == from && r->later[i].link != NULL) {
			link = r->later[i].link;
			if (r->later[i].person >= 0)
				g.p.person = r->later[i].person;
			if (!to_spanish_verb(&g, BASE,
				r->later[i].person >= 0 ? ES_SUBJUNCTIVE
							: ES_INFINITIVE,
				0))
				return false;
			put_group(&g, from, false,
			    *link != '\0' ? arena_printf(r->mem, "%s ", link) : "");
			return true;
		}
	if (r->person >= 0)
		g.p.person = r->person;
	if (!to_spanish_has_verb(&g, g.at, BASE) ||
	    !to_spanish_verb(&g, BASE, ES_INFINITIVE, 0))
		return false;
	put_group(
	    &g, from, false, *link != '\0' ? arena_printf(r->mem, "%s ", link) : "");
	return true;
}

/* A verb after a subject that is no pronoun. */
static bool
read_noun_group(struct english_reader *r)
{
	const struct english *e = r->e;
	struct english_group g = { .r = r, .p = { .mem = r->mem }, .at = r->at };
	size_t from = r->at;
	struct english_finite f;

	if (!english_finite(e, from, r->person, r->form, &f))
		return false;
	g.p.person = f.plural ? ES_3P : ES_3S;
	if (f.continues)
		g.p.person = r->person;
	if (f.place && r->last >= 0 &&
	    !english_is(e, from, " is was has does are were have do "))
		g.p.person = r->last == ES_3P ? ES_3P : ES_3S;
	g.thing = f.continues ? r->thing : f.thing;
	if (english_is(e, from - 1, " people ") && from > 2 && e->w[from - 1].joined &&
	    !f.relative && !f.continues && english_is(e, from - 3, EN_DETERMINERS) &&
	    english_subject(e, from).place)
		words_put_term(
		    e->words, e->w[from - 1].at, strlen("people"), "the people", NULL);
	if (english_is(e, from, EN_ADVERBS))
		return false;
	for (size_t i = from;
	     i > 0 && i + 6 > from && e->w[i].joined && !f.relative && !g.wish; i--)
		g.wish =
		    english_is(e, i - 1, " before until unless when once after ") &&
		    to_spanish_is_wish(e, i);
	if (!to_spanish_finite(&g))
		return false;
	r->last = g.p.person;
	if (!f.relative) {
		r->person = g.p.person;
		r->thing = g.thing;
	}
	put_group(&g, from, false, "");
	return true;
}

static void
read_at(struct english_reader *r)
{
	size_t n;

	if (!english_starts(r->e, r->at))
		;
	else if (r->at > 0 &&
		 strpbrk(arena_dup(r->mem, r->e->words->text + r->e->w[r->at - 1].end,
			     r->e->w[r->at].at - r->e->w[r->at - 1].end),
		     ".?!:") != NULL)
		r->person = r->last = -1;
	for (size_t i = 0; i < r->nlater; i++)
		if (r->later[i].at == r->at && r->later[i].link == NULL) {
			n = r->e->w[r->at - 1].end;
			words_put_term(
			    r->e->words, n, r->e->w[r->at].end - n, "", NULL);
			r->at++;
			return;
		}
	if ((n = english_put_fixed(r->e, r->at)) > 0) {
		r->at += n;
		return;
	}
	if (!read_let(r) && !read_question(r) && !read_apart(r) && !read_pronoun(r) &&
	    !read_order(r) && !read_infinitive(r) && !read_noun_group(r))
		r->at++;
}

void
verbs_to_spanish(struct arena *mem, struct mt_text *t)
{
	struct words *w = words_of(mem, t->text);
	struct english_reader r = {
		.mem = mem, .person = -1, .last = -1, .form = EN_BASE
	};

	if (w == NULL || w->n > WORDS_MAX / 2)
		return;
	r.e = english_words(w);
	while (r.at < r.e->n)
		read_at(&r);
	words_apply(w, t);
}
