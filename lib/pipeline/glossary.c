/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/glossary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/text.h"
#include "pipeline/glossary_internal.h"

#define TARGETS_MAX 10 /* targets of a task at most */

struct glossary_index {
	struct table hotwords, corrections;
	const struct glossary_target *targets;
	struct table *terms; /* translations: one table for each target */
	size_t ntargets;
};

/* ---- the rows that a task uses ---- */

static bool
is_auto(const char *code)
{
	return strcmp(code, "auto") == 0;
}

static bool
allowed(const struct glossary_allow *a, const char *glossary)
{
	size_t i = 0;

	if (a->off || a->nids == 0)
		return !a->off;
	while (i < a->nids && strcmp(a->ids[i], glossary) != 0)
		i++;
	return i < a->nids;
}

/* A row for "es" serves the target "es-mx"; a row for "es-mx" does not serve "es". */
static bool
for_target(const struct glossary_term *row, const struct glossary_target *t)
{
	size_t n = row->target != NULL ? strlen(row->target) : 0;

	return n > 0 && allowed(&t->allow, row->glossary) &&
	       (strcmp(row->target, t->lang) == 0 ||
		   (n == strcspn(t->lang, "-") &&
		       memcmp(row->target, t->lang, n) == 0));
}

/* ---- building the index ---- */

static const uint32_t *
make_key(struct arena *mem, const struct folded *f, bool letters, size_t *n)
{
	uint32_t *key = arena_alloc(mem, (f->n + 1) * sizeof(*key));
	size_t from = 0, to = f->n;

	while (!letters && from < to && f->u[from].cp == ' ')
		from++;
	while (!letters && to > from && f->u[to - 1].cp == ' ')
		to--;
	for (*n = 0; from < to; from++)
		if (!letters || f->u[from].word)
			key[(*n)++] = f->u[from].cp;
	return key;
}

static struct entry
make_entry(struct arena *mem, const struct glossary_term *row, size_t order)
{
	struct arena *tmp = arena_new();
	struct folded f = glossary_fold(tmp, "", row->a);
	bool hot = row->type == GLOSSARY_HOTWORD;
	struct entry e = { .order = order, .phrase = row->phrase };

	e.key = make_key(mem, &f, hot, &e.n);
	e.bag = glossary_bag(e.key, e.n);
	e.put = arena_str(mem, hot ? row->a : row->b);
	e.exact = row->match_case ? text_trim(mem, row->a, " \t") : NULL;
	if (!is_auto(row->source))
		e.source = arena_dup(mem, row->source, strcspn(row->source, "-"));
	arena_free(tmp);
	return e;
}

/* Find the tables that a row belongs to; returns their number. */
static size_t
find_tables(struct glossary_index *g, const struct glossary_task *task,
    const struct glossary_term *row, struct table *to[TARGETS_MAX])
{
	size_t n = 0;

	if (row->b == NULL && row->type != GLOSSARY_HOTWORD)
		return 0;
	if (!is_auto(row->source) && !is_auto(task->source) &&
	    !lang_same_base(row->source, task->source))
		return 0;
	if (row->type == GLOSSARY_HOTWORD && allowed(&task->hotwords, row->glossary))
		to[n++] = &g->hotwords;
	if (row->type == GLOSSARY_CORRECTION &&
	    allowed(&task->corrections, row->glossary))
		to[n++] = &g->corrections;
	for (size_t i = 0; row->type == GLOSSARY_TRANSLATION && i < g->ntargets; i++)
		if (for_target(row, &task->targets[i]))
			to[n++] = &g->terms[i];
	return n;
}

/* Count the rows up to GLOSSARY_ENTRIES, and the rows of each table. */
static size_t
count_entries(struct glossary_index *g, const struct glossary_task *task,
    const struct glossary_term *rows, size_t n, bool *truncated)
{
	struct table *to[TARGETS_MAX];
	size_t used = 0, ntables, i;

	*truncated = false;
	for (i = 0; i < n; i++) {
		if ((ntables = find_tables(g, task, &rows[i], to)) == 0)
			continue;
		if ((*truncated = used++ == GLOSSARY_ENTRIES))
			break;
		while (ntables-- > 0)
			to[ntables]->n++;
	}
	return i;
}

static void
make_room(struct arena *mem, struct table *t)
{
	*t = (struct table){ .e = arena_alloc(mem, (t->n + 1) * sizeof(*t->e)) };
}

static void
add_row(struct glossary_index *g, struct arena *mem, const struct glossary_task *task,
    const struct glossary_term *row, size_t order)
{
	struct table *to[TARGETS_MAX];
	size_t n = find_tables(g, task, row, to);
	struct entry e;

	if (n == 0 || (e = make_entry(mem, row, order)).n == 0)
		return;
	while (n-- > 0) {
		to[n]->e[to[n]->n++] = e;
		if (e.n > to[n]->longest)
			to[n]->longest = e.n;
	}
}

static struct glossary_index *
new_glossary(struct arena *mem, const struct glossary_task *task)
{
	struct glossary_index *g = arena_alloc(mem, sizeof(*g));
	struct glossary_target *t = arena_alloc(mem, (task->ntargets + 1) * sizeof(*t));

	assert(task->ntargets <= TARGETS_MAX);
	g->ntargets = task->ntargets;
	g->targets = t;
	g->terms = arena_alloc(mem, (g->ntargets + 1) * sizeof(*g->terms));
	for (size_t i = 0; i < g->ntargets; i++)
		t[i].lang = arena_str(mem, task->targets[i].lang);
	return g;
}

struct glossary_index *
glossary_index_new(struct arena *mem, const struct glossary_task *task,
    const struct glossary_term *rows, size_t n, bool *truncated)
{
	struct glossary_index *g = new_glossary(mem, task);

	n = count_entries(g, task, rows, n, truncated);
	make_room(mem, &g->hotwords);
	make_room(mem, &g->corrections);
	for (size_t i = 0; i < g->ntargets; i++)
		make_room(mem, &g->terms[i]);
	for (size_t i = 0; i < n; i++)
		add_row(g, mem, task, &rows[i], i);
	glossary_sort_hotwords(&g->hotwords);
	glossary_sort_exact(&g->corrections);
	for (size_t i = 0; i < g->ntargets; i++)
		glossary_sort_exact(&g->terms[i]);
	return g;
}

/* ---- lookup ---- */

static int
by_order(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static bool
may_be_said(const struct entry *e, const char *lang, const struct list *candidates)
{
	const char *const *c = candidates->items;

	if (!is_auto(lang))
		return glossary_serves(e, lang);
	for (size_t i = 0; i < candidates->n; i++)
		if (glossary_serves(e, c[i]))
			return true;
	return candidates->n == 0;
}

struct list
glossary_hints(const struct glossary_index *g, struct arena *mem, const char *lang,
    const struct list *candidates)
{
	const struct entry **e = arena_alloc(mem, (g->hotwords.n + 1) * sizeof(*e));
	const char **text = arena_alloc(mem, (g->hotwords.n + 1) * sizeof(*text));
	size_t n = 0;

	for (size_t i = 0; i < g->hotwords.n; i++)
		if (may_be_said(&g->hotwords.e[i], lang, candidates))
			e[n++] = &g->hotwords.e[i];
	qsort(e, n, sizeof(*e), by_order);
	for (size_t i = 0; i < n; i++)
		text[i] = e[i]->put;
	return (struct list){ .items = text, .n = n };
}

static const char *
rewrite(struct arena *mem, const char *text, const struct folded *f,
    const struct hit *hits, size_t n)
{
	struct buf b = { .mem = mem };
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		buf_put(&b, text + at, f->u[hits[i].at].from - at);
		buf_str(&b, hits[i].e->put);
		at = f->u[hits[i].at + hits[i].n - 1].to;
	}
	buf_str(&b, text + at);
	return buf_text(&b);
}

static const char *
replace(const struct table *t,
    void (*find)(
	struct hits *, const struct table *, const char *lang, const struct folded *),
    struct arena *mem, const char *lang, const char *text)
{
	struct hits hits = { .b = { .mem = mem } };
	struct folded f;
	const struct hit *best;
	size_t n;

	if (t->n == 0)
		return text;
	f = glossary_fold(mem, lang, text);
	find(&hits, t, lang, &f);
	best = glossary_choose(&hits, mem, &f, &n);
	return n > 0 ? rewrite(mem, text, &f, best, n) : text;
}

const char *
glossary_hotwords(const struct glossary_index *g, struct arena *mem, const char *lang,
    const char *text)
{
	return replace(&g->hotwords, glossary_find_hotword, mem, lang, text);
}

const char *
glossary_correct(const struct glossary_index *g, struct arena *mem, const char *lang,
    const char *text)
{
	return replace(&g->corrections, glossary_find_exact, mem, lang, text);
}

static const struct table *
table_of(const struct glossary_index *g, const char *target)
{
	for (size_t i = 0; i < g->ntargets; i++)
		if (strcmp(g->targets[i].lang, target) == 0)
			return &g->terms[i];
	return NULL;
}

const struct mt_term *
glossary_terms(const struct glossary_index *g, struct arena *mem, const char *lang,
    const char *target, const char *text, size_t *n)
{
	const struct table *table = table_of(g, target);
	struct hits hits = { .b = { .mem = mem } };
	const struct hit *best;
	struct mt_term *terms;
	struct folded f;

	*n = 0;
	if (table == NULL || table->n == 0)
		return NULL;
	f = glossary_fold(mem, lang, text);
	glossary_find_exact(&hits, table, lang, &f);
	best = glossary_choose(&hits, mem, &f, n);
	terms = arena_alloc(mem, (*n + 1) * sizeof(*terms));
	for (size_t i = 0; i < *n; i++) {
		size_t from = f.u[best[i].at].from;
		size_t to = f.u[best[i].at + best[i].n - 1].to;

		terms[i] = (struct mt_term){ .at = from,
			.len = to - from,
			.target = best[i].e->put,
			.phrase = best[i].e->phrase };
	}
	return terms;
}
