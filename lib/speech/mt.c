/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code for all engines: routes, texts that need no engine, two steps, lost terms. */
#include "speech/mt.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/placeholders.h"

/* ---- from code to code, by the pairs of an engine ---- */

/*
 * Find the route of a pair. Codes are tried unchanged, then by their bases. If there is
 * no pair and at->pivot is set, two pairs with a language in between are tried.
 */
/* Where to look up a pair of exactly two codes: at the engine, or in its known pairs.
 */
struct pair_source {
	const struct engine_at *at;
	const struct mt_engine *engine; /* NULL: do not ask it */
	const struct list *known;       /* sorted by mt_list_pairs() */
};

struct route_step {
	char from[LANG_BYTES], to[LANG_BYTES]; /* codes as the engine spells them */
};

struct route {
	const char *via; /* the language in between, a literal; NULL: there is none */
	struct route_step step[2];
	int n;
};

static int
by_codes(const void *a, const void *b)
{
	const struct mt_pair *x = a, *y = b;
	int d = strcmp(x->from, y->from);

	return d != 0 ? d : strcmp(x->to, y->to);
}

enum err
mt_list_pairs(const struct mt_engine *e, const struct engine_at *at, struct arena *mem,
    struct list *to)
{
	enum err err = e->list(at, mem, to);

	if (err == OK && to->n > 0)
		qsort(to->items, to->n, sizeof(struct mt_pair), by_codes);
	return err;
}

static bool
has(const struct pair_source *t, const struct route_step *s)
{
	const struct mt_pair p = { s->from, s->to };

	if (t->engine != NULL)
		return t->engine->pairs(t->at, s->from, s->to);
	return t->known->n > 0 &&
	       bsearch(&p, t->known->items, t->known->n, sizeof(p), by_codes) != NULL;
}

/* Copy the code or, with `base`, its base: "es-mx" -> "es". */
static void
copy_code(char to[LANG_BYTES], const char *code, bool base)
{
	size_t n = base ? strcspn(code, "-") : strlen(code);

	memcpy(to, code, n);
	to[n] = '\0';
}

static bool
settle(const struct pair_source *t, const char *from, const char *to,
    struct route_step *step)
{
	if (strlen(from) >= LANG_BYTES || strlen(to) >= LANG_BYTES ||
	    !lang_covered(t->at->languages, from) ||
	    !lang_covered(t->at->languages, to))
		return false;
	for (int i = 0; i < 4; i++) {
		copy_code(step->from, from, i >= 2);
		copy_code(step->to, to, i % 2 == 1);
		if (has(t, step))
			return true;
	}
	return false;
}

static bool
try_via(const struct pair_source *t, const char *from, const char *to, const char *via,
    struct route *way)
{
	if (lang_same_base(from, via) || lang_same_base(via, to) ||
	    strcmp(via, "auto") == 0 || !settle(t, from, via, &way->step[0]) ||
	    !settle(t, via, to, &way->step[1]))
		return false;
	way->via = via;
	way->n = 2;
	return true;
}

/*
 * Find a language for a translation in two steps. Languages that occur in most pairs of
 * Apertium are tried first.
 */
static bool
find_via(
    const struct pair_source *t, const char *from, const char *to, struct route *way)
{
	static const char *const first[] = { "en", "es", "ca", NULL };

	for (const char *const *via = first; *via != NULL; via++)
		if (try_via(t, from, to, *via, way))
			return true;
	for (const char *const *via = lang_target; *via != NULL; via++)
		if (try_via(t, from, to, *via, way))
			return true;
	return false;
}

/* Find one step, or else, with at->pivot, two. False: there is no route. */
static bool
find_route(
    const struct pair_source *t, const char *from, const char *to, struct route *way)
{
	*way = (struct route){ .n = 1 };
	return settle(t, from, to, &way->step[0]) ||
	       (t->at->pivot && find_via(t, from, to, way));
}

bool
mt_pairs(const struct mt_engine *e, const struct engine_at *at, const char *from,
    const char *to)
{
	const struct pair_source t = { .at = at, .engine = e };
	struct route way;

	return lang_same_base(from, to) || find_route(&t, from, to, &way);
}

bool
mt_pairs_known(const struct engine_at *at, const struct list *known, const char *from,
    const char *to, const char **via)
{
	const struct pair_source t = { .at = at, .known = known };
	struct route way = { .via = NULL };
	bool has = lang_same_base(from, to) || find_route(&t, from, to, &way);

	*via = has ? way.via : NULL;
	return has;
}

/* ---- warming ---- */

/* The steps of a pair that are not warm yet; the last one to finish calls warmed(). */
struct warming {
	struct arena *mem;
	atomic_int left;
	void (*warmed)(void *);
	void *arg;
};

static void
step_warmed(void *arg)
{
	struct warming *w = arg;

	if (atomic_fetch_sub(&w->left, 1) != 1)
		return;
	w->warmed(w->arg);
	arena_free(w->mem);
}

void
mt_warm(const struct mt_engine *e, const struct engine_at *at, const char *from,
    const char *to, void (*warmed)(void *), void *arg)
{
	const struct pair_source t = { .at = at, .engine = e };
	struct arena *mem;
	struct warming *w;
	struct route way;

	if (e->warm == NULL || lang_same_base(from, to) ||
	    !find_route(&t, from, to, &way)) {
		warmed(arg);
		return;
	}
	mem = arena_new();
	w = arena_alloc(mem, sizeof(*w));
	*w = (struct warming){ mem, way.n, warmed, arg };
	for (int i = 0; i < way.n; i++)
		e->warm(at, way.step[i].from, way.step[i].to, step_warmed, w);
}

/* ---- translating ---- */

/* Remove control characters: they mean nothing in a sentence, and slots contain them.
 */
static const char *
strip_controls(struct arena *mem, const char *text)
{
	char *to = arena_str(mem, text);

	for (char *p = to; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return to;
}

/* An engine and its route from one language to the other. */
struct journey {
	const struct mt_engine *e;
	const struct engine_at *at;
	struct route way;
	int64_t until_us;
};

/* Translate one step in the time that is left; the text's codes become those of the
   step. */
static enum err
translate_step(const struct journey *j, int i, struct arena *mem, struct mt_text t,
    const char **out, bool *guarded)
{
	t.from = j->way.step[i].from;
	t.to = j->way.step[i].to;
	if (!j->e->own_time)
		t.timeout_ms = (j->until_us - monotonic_us()) / 1000;
	if (j->e->own_time || t.timeout_ms > 0)
		return j->e->translate(j->at, mem, &t, out, guarded);
	log_warn("engine %s: no time is left for %s to %s", j->at->id, t.from, t.to);
	return ERR_TIMEOUT;
}

const struct mt_term *
mt_carry(struct arena *mem, const struct mt_text *t)
{
	struct mt_term *to = arena_alloc(mem, (t->nterms + 1) * sizeof(*to));

	for (size_t i = 0; i < t->nterms; i++) {
		struct buf b = { .mem = mem };

		mt_slot(&b, i);
		to[i] = t->terms[i];
		to[i].target = buf_text(&b);
	}
	return to;
}

/*
 * Translate in two steps. In the second step a term is represented by its words in the
 * source text, and only their place in the answer is used.
 */
static enum err
translate_twice(const struct journey *j, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	struct mt_term *terms = arena_alloc(mem, (t->nterms + 1) * sizeof(*terms));
	struct mt_text first = *t, second = *t;
	const char *between;
	enum err e;

	first.terms = mt_carry(mem, t);
	e = translate_step(j, 0, mem, first, &between, guarded);
	if (e != OK || !*guarded)
		return e;
	second.text = mt_refill(mem, t, between, terms);
	second.terms = terms;
	if (second.text == NULL)
		return ERR_FAILED;
	if (strlen(second.text) > MT_TEXT_BYTES)
		return ERR_LIMIT;
	return translate_step(j, 1, mem, second, out, guarded);
}

static enum err
travel(const struct journey *j, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	return j->way.n == 1 ? translate_step(j, 0, mem, *t, out, guarded)
			     : translate_twice(j, mem, t, out, guarded);
}

enum err
mt_translate(const struct mt_engine *e, const struct engine_at *at, struct arena *mem,
    const struct mt_text *text, const char **out, bool *guarded)
{
	const struct pair_source by = { .at = at, .engine = e };
	struct journey j = { .e = e, .at = at };
	struct mt_text t = *text;
	bool all;
	enum err err;

	*guarded = true;
	j.until_us = monotonic_us() + mt_time_ms(at, &t) * INT64_C(1000);
	if (strlen(t.text) > MT_TEXT_BYTES)
		return ERR_LIMIT;
	t.text = strip_controls(mem, t.text);
	if (lang_same_base(t.from, t.to) || t.text[strspn(t.text, " ")] == '\0') {
		*out = mt_fill(mem, &t, mt_slots(mem, &t));
		return *out != NULL ? OK : ERR_FAILED;
	}
	if (!find_route(&by, t.from, t.to, &j.way))
		return ERR_UNSUPPORTED;
	err = travel(&j, mem, &t, out, guarded);
	if (err != OK || *guarded)
		return err;
	t.nterms = 0; /* translate again without any terms */
	return travel(&j, mem, &t, out, &all);
}
