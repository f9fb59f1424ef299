/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/faithful.h"

#include "base/lang.h"
#include "pipeline/names.h"
#include "pipeline/negation.h"
#include "pipeline/numbers.h"
#include "pipeline/phrases.h"
#include "pipeline/phrases_sentences.h"
#include "pipeline/repair.h"
#include "pipeline/rewrite.h"
#include "pipeline/verbs_to_english.h"
#include "pipeline/verbs_to_spanish.h"

/* The attempts to translate a text by one engine. */
struct attempt {
	const struct mt_engine *e;
	const struct engine_at *at;
	struct arena *mem;
	const struct mt_text *text;
	const char **out;
	struct faithful *how;
};

/* Translate the text with these terms and judge the answer. */
static enum err
try(struct attempt *a, const struct mt_text *t, bool phrases)
{
	enum err e =
	    phrases
		? phrases_translate(a->e, a->at, a->mem, t, a->out, &a->how->guarded)
		: mt_translate(a->e, a->at, a->mem, t, a->out, &a->how->guarded);

	if (e == OK && a->e->phrases)
		*a->out = repair(a->mem, t->from, t->text, t->to, *a->out);
	a->how->negated =
	    e == OK && negation_differs(t->from, a->text->text, t->to, *a->out);
	return e;
}

/* Translate again; keep the earlier answer unless the new one is better. */
static void
try_again(struct attempt *a, const struct mt_text *t, bool phrases)
{
	const char *before = *a->out;
	struct faithful how = *a->how;

	if (try(a, t, phrases) == OK && !a->how->negated &&
	    a->how->guarded >= how.guarded)
		return;
	*a->out = before;
	*a->how = how;
}

/* Translate again with the caller's terms and the phrases only: the engine lost a term
   of ours, and the rewritten text means nothing without them. */
static void
without_ours(struct attempt *a)
{
	const char *before = *a->out;
	struct faithful how = *a->how;

	if (try(a, a->text, true) == OK) {
		a->how->guarded |= a->text->nterms == 0;
		return;
	}
	*a->out = before;
	*a->how = how;
}

static enum err
by_words(struct attempt *a, const struct mt_term *names, size_t n)
{
	struct mt_text t = *a->text;
	const struct mt_term *terms;
	enum err e;

	phrases_add(a->mem, &t, names, n);
	rewrite_text(a->mem, &t);
	if (lang_same_base("en", t.from) && lang_same_base("es", t.to))
		verbs_to_spanish(a->mem, &t);
	else if (lang_same_base("es", t.from) && lang_same_base("en", t.to))
		verbs_to_english(a->mem, &t);
	terms = numbers_terms(a->mem, t.from, t.to, t.text, &n);
	phrases_add(a->mem, &t, terms, n);
	terms = negation_terms(a->mem, t.from, t.to, t.text, &n);
	phrases_add(a->mem, &t, terms, n);
	terms = rewrite_terms(a->mem, t.from, t.to, t.text, &n);
	phrases_add(a->mem, &t, terms, n);
	if ((e = try(a, &t, true)) != OK)
		return e;
	if (!a->how->guarded || a->how->negated)
		without_ours(a);
	if (a->how->negated)
		try_again(a, a->text, false);
	return OK;
}

static enum err
by_sentence(struct attempt *a, const struct mt_term *names, size_t n)
{
	struct mt_text t = *a->text;
	enum err e = try(a, &t, true);
	const char *before = *a->out;
	struct faithful how = *a->how;

	if (e != OK || (names_kept(names, n, t.to, *a->out) && !a->how->negated))
		return e;
	if (!a->how->negated) {
		phrases_add(a->mem, &t, names, n);
		try_again(a, &t, true);
		if (!names_kept(names, n, t.to, *a->out)) {
			*a->out = before;
			*a->how = how;
		}
	} else if (t.nterms > 0) {
		t.nterms = 0;
		try_again(a, &t, false);
		/* the new answer contains no terms */
		a->how->guarded &= a->how->negated;
	}
	return OK;
}

enum err
faithful_translate(const struct mt_engine *e, const struct engine_at *at,
    struct arena *mem, const struct mt_text *text, const char **out,
    struct faithful *how)
{
	struct attempt a = { e, at, mem, text, out, how };
	const struct mt_term *names;
	size_t n;

	how->guarded = true;
	how->negated = false;
	if (lang_same_base(text->from, text->to))
		return mt_translate(e, at, mem, text, out, &how->guarded);
	if ((*out = phrases_whole_sentence(mem, text)) != NULL)
		return OK;
	names = names_terms(mem, text->from, how->speakers, text->text, &n);
	return e->phrases ? by_words(&a, names, n) : by_sentence(&a, names, n);
}
