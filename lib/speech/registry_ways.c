/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways from one language to another, over one engine or two, the best first. */
#include <string.h>

#include "base/lang.h"
#include "speech/registry_internal.h"

/* Most ways that are tried for one sentence. */
#define WAYS 12

struct ways {
	struct registry_way w[WAYS];
	size_t n;
	size_t fixed; /* number of ways at the front that are not sorted */
};

struct search {
	const struct registry *reg;
	const char *from, *to; /* codes spelt by lang_spell() */
	struct ways *ways;
};

static bool
has_pair(const struct registry *reg, const struct registry_engine *en, const char *from,
    const char *to)
{
	const char *via;

	/* the engine itself must not use a third language: two steps are enough */
	return registry_has(reg, en, from, to, &via) && via == NULL;
}

/* Add a way before the ways that were measured and are worse. */
static void
add_way(const struct search *s, struct registry_way way)
{
	struct ways *t = s->ways;
	size_t i = t->fixed;

	if (t->n == WAYS ||
	    (!s->reg->any_quality && mt_grade(&way.quality) == MT_USELESS))
		return;
	while (i < t->n &&
	       (s->reg->listed || !mt_is_better(&way.quality, &t->w[i].quality)))
		i++;
	memmove(&t->w[i + 1], &t->w[i], (t->n - i) * sizeof(t->w[0]));
	t->w[i] = way;
	t->n++;
}

static void
add_direct(const struct search *s, const struct registry_engine *en)
{
	struct registry_way way = { .engine = en };

	if (!registry_has(s->reg, en, s->from, s->to, &way.via))
		return;
	way.quality = way.via == NULL ? mt_quality(&en->at, s->from, s->to)
				      : mt_quality_of_two(
					    &en->at, s->from, way.via, &en->at, s->to);
	add_way(s, way);
}

/*
 * Add a translation in two steps: `first` translates into the language `via`, a second
 * engine from it. False: no engine can do the second step.
 */
static bool
add_two(const struct search *s, const struct registry_engine *first, const char *via,
    bool unmeasured)
{
	const struct engines *list = &s->reg->list[LIST_MT];
	bool any = false;

	if (lang_same_base(s->from, via) || lang_same_base(via, s->to) ||
	    !has_pair(s->reg, first, s->from, via))
		return false;
	for (size_t i = 0; i < list->n && !(any && unmeasured); i++) {
		struct registry_way way = { first, &list->e[i], via,
			mt_quality_of_two(
			    &first->at, s->from, via, &list->e[i].at, s->to) };

		/* an engine may be used twice only if speech.pivot allows it */
		if (way.second == first ||
		    (way.quality.measure == NULL && !unmeasured) ||
		    !has_pair(s->reg, way.second, via, s->to))
			continue;
		add_way(s, way);
		any = true;
	}
	return any;
}

static void
add_measured_pivots(const struct search *s)
{
	const struct engines *list = &s->reg->list[LIST_MT];

	for (const struct mt_measured *m = mt_measured; m->kind != NULL; m++)
		for (size_t i = 0; lang_same_base(m->from, s->from) && i < list->n; i++)
			if (mt_is_measured(m, &list->e[i].at))
				add_two(s, &list->e[i], m->to, false);
}

/*
 * Add the first language in between for which two engines have the steps, in the order
 * of LT.
 */
static void
add_first_pivot(const struct search *s)
{
	static const char *const usual[] = { "en", "es", "ca", NULL };
	const char *const *lists[] = { usual, lang_target };
	const struct engines *list = &s->reg->list[LIST_MT];

	for (size_t k = 0; k < 2; k++)
		for (const char *const *via = lists[k]; *via != NULL; via++)
			for (size_t i = 0; strcmp(*via, "auto") != 0 && i < list->n;
			     i++)
				if (add_two(s, &list->e[i], *via, true))
					return;
}

static struct ways
find_ways(
    const struct registry *reg, const char *from, const char *to, const char *model)
{
	const struct engines *list = &reg->list[LIST_MT];
	const struct registry_engine *wanted = registry_named(list, model);
	struct ways t = { .n = 0 };
	const struct search s = { reg, from, to, &t };

	if (wanted != NULL) {
		add_direct(&s, wanted);
		t.fixed = t.n;
	}
	for (size_t i = 0; i < list->n; i++)
		if (&list->e[i] != wanted)
			add_direct(&s, &list->e[i]);
	if (reg->pivot || !reg->listed)
		add_measured_pivots(&s);
	if (reg->pivot && t.n == 0)
		add_first_pivot(&s);
	return t;
}

bool
registry_way(struct registry *reg, const char *from, const char *to,
    struct registry_want *want, struct registry_way *way)
{
	char a[LANG_BYTES], b[LANG_BYTES];
	struct ways t;

	if (!lang_spell(from, a) || !lang_spell(to, b))
		return false;
	t = find_ways(reg, a, b, want->model);
	while (want->tried < t.n) {
		*way = t.w[want->tried++];
		if (way->second == NULL
			? !registry_is_paused(reg, way->engine, a, b, want->now_us)
			: !registry_is_paused(
			      reg, way->engine, a, way->via, want->now_us) &&
			      !registry_is_paused(
				  reg, way->second, way->via, b, want->now_us))
			return true;
	}
	return false;
}

bool
registry_first_way(const struct registry *reg, const char *from, const char *to,
    struct registry_way *way)
{
	struct ways t = find_ways(reg, from, to, NULL);

	if (t.n > 0)
		*way = t.w[0];
	return t.n > 0;
}
