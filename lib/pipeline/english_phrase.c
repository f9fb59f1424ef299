/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/english_phrase.h"

#include <string.h>

#include "base/buf.h"

static bool
is_past(enum spanish_tense t)
{
	return t == ES_PRETERITE || t == ES_IMPERFECT || t == ES_PAST_SUBJUNCTIVE;
}

static const char *
modal(enum spanish_tense t)
{
	return t == ES_FUTURE ? "will" : t == ES_CONDITIONAL ? "would" : NULL;
}

static const char *
be_form(int person, enum spanish_tense t)
{
	bool plural = person != ES_1S && person != ES_3S;

	if (is_past(t))
		return plural ? "were" : "was";
	return plural ? "are" : person == ES_1S ? "am" : "is";
}

static const char *
two(struct arena *mem, const char *a, const char *b)
{
	return *b == '\0' ? a : arena_printf(mem, "%s %s", a, b);
}

void
english_set_be(struct english_phrase *p, enum spanish_tense t, const char *main)
{
	p->aux = modal(t) != NULL ? modal(t) : be_form(p->person, t);
	p->main = modal(t) != NULL ? two(p->mem, "be", main) : main;
}

void
english_set_have(struct english_phrase *p, enum spanish_tense t, const char *main)
{
	p->aux = modal(t)             ? modal(t)
		 : is_past(t)         ? "had"
		 : p->person == ES_3S ? "has"
				      : "have";
	p->main = modal(t) != NULL ? two(p->mem, "have", main) : main;
}

void
english_set(struct english_phrase *p, const struct verb *v, enum spanish_tense t)
{
	size_t n = strcspn(v->en, " ");

	if (n == 2 && strncmp(v->en, "be", 2) == 0) {
		english_set_be(p, t, v->en + n + (v->en[n] == ' '));
		return;
	}
	p->base = v->en;
	p->past = is_past(t);
	if ((p->aux = modal(t)) != NULL)
		p->main = v->en;
	else
		p->main = english_form(p->mem, v,
		    p->past              ? EN_PAST
		    : p->person == ES_3S ? EN_S
					 : EN_BASE);
}

/* The auxiliary that the phrase needs, or NULL. */
static const char *
needed(const struct english_phrase *p)
{
	if (p->aux != NULL || (!p->denied && !p->asks))
		return p->aux;
	return p->past ? "did" : p->person == ES_3S ? "does" : "do";
}

static bool
is_can(const struct english_phrase *p)
{
	return p->aux != NULL && strcmp(p->aux, "can") == 0;
}

const char *
english_before_subject(const struct english_phrase *p)
{
	const char *aux = needed(p);

	return aux == NULL ? "" : is_can(p) && p->denied ? "cannot" : aux;
}

const char *
english_behind_subject(const struct english_phrase *p)
{
	bool does = p->aux == NULL && needed(p) != NULL;
	struct buf b = { .mem = p->mem };

	if (p->denied && !is_can(p))
		buf_str(&b, " not");
	if (p->adverb != NULL)
		buf_printf(&b, " %s", p->adverb);
	if (*(does ? p->base : p->main) != '\0')
		buf_printf(&b, " %s", does ? p->base : p->main);
	if (p->tail != NULL)
		buf_str(&b, p->tail);
	return b.len > 0 ? buf_text(&b) + 1 : "";
}

const char *
english_text(const struct english_phrase *p)
{
	const char *subject = p->subject != NULL ? p->subject : "";
	const char *aux = english_before_subject(p);
	bool still = p->denied && !p->asks && p->adverb != NULL &&
		     strcmp(p->adverb, "still") == 0;
	struct english_phrase rest = *p;

	if (still) {
		aux = arena_printf(p->mem, "still %s", aux);
		rest.adverb = NULL;
	}
	const char *words[] = { p->asks ? aux : subject, p->asks ? subject : aux,
		english_behind_subject(&rest) };
	struct buf b = { .mem = p->mem };

	for (size_t i = 0; i < 3; i++)
		if (*words[i] != '\0')
			buf_printf(&b, "%s%s", b.len > 0 ? " " : "", words[i]);
	return buf_text(&b);
}
