/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The languages that the engines serve together, and the codes that can be requested at
   all. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "speech/registry_internal.h"

/*
 * True if the API accepts the code as a source. The API's lists LS and GS lack regions,
 * which engines and speakers have, so a region counts if its base is a source.
 */
static bool
is_source(const char *code)
{
	char base[LANG_BYTES] = "";

	if (strcmp(code, "auto") == 0)
		return false;
	if (lang_in(lang_spoken, code) || lang_in(lang_glossary_source, code))
		return true;
	memcpy(base, code, strcspn(code, "-"));
	return lang_in(lang_target, code) && strcmp(base, code) != 0 && is_source(base);
}

/* Returns the first engine that supports it; NULL: none. */
static const struct registry_engine *
first(const struct registry *reg, enum engine_list which, const char *from,
    const char *to)
{
	const struct engines *list = &reg->list[which];

	for (size_t i = 0; i < list->n; i++)
		if (registry_able(reg, &list->e[i], from, to))
			return &list->e[i];
	return NULL;
}

bool
registry_recognizes(const struct registry *reg, const char *lang)
{
	char code[LANG_BYTES];

	return lang_spell(lang, code) &&
	       (is_source(code) || strcmp(code, "auto") == 0) &&
	       first(reg, LIST_ASR, code, NULL) != NULL;
}

bool
registry_pairs(const struct registry *reg, const char *from, const char *to)
{
	char source[LANG_BYTES], target[LANG_BYTES];
	struct registry_way way;

	return lang_spell(from, source) && lang_spell(to, target) &&
	       is_source(source) && lang_in(lang_target, target) &&
	       (lang_same_base(source, target) ||
		   registry_first_way(reg, source, target, &way));
}

bool
registry_speaks(const struct registry *reg, const char *lang)
{
	return first(reg, LIST_TTS, lang, NULL) != NULL;
}

/* ---- all of it ---- */

struct listing {
	const struct registry *reg;
	struct arena *mem;
};

static struct list
listed(const struct buf *items, size_t size)
{
	return (struct list){ items->p, items->len / size };
}

static struct list
able_ids(const struct listing *t, enum engine_list which, const char *code)
{
	const struct engines *list = &t->reg->list[which];
	struct buf ids = { .mem = t->mem };

	for (size_t i = 0; i < list->n; i++)
		if (registry_able(t->reg, &list->e[i], code, NULL))
			buf_put(&ids, &list->e[i].at.id, sizeof(const char *));
	return listed(&ids, sizeof(const char *));
}

static bool
detects(const struct listing *t, const char *code)
{
	const struct engines *list = &t->reg->list[LIST_ASR];

	for (size_t i = 0; i < list->n; i++)
		if ((list->e[i].asr->can & ASR_DETECT) != 0 &&
		    registry_able(t->reg, &list->e[i], code, NULL))
			return true;
	return false;
}

static int
by_code(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
add_codes(struct buf *codes, const char *const *list)
{
	for (; *list != NULL; list++)
		if (is_source(*list))
			buf_put(codes, list, sizeof(*list));
}

/* Every code for which is_source() is true, in order, once. */
static struct list
source_codes(struct arena *mem)
{
	struct buf all = { .mem = mem };
	const char **code;
	size_t n, kept = 0;

	add_codes(&all, lang_spoken);
	add_codes(&all, lang_glossary_source);
	add_codes(&all, lang_target);
	code = (const char **)(void *)all.p;
	n = all.len / sizeof(*code);
	qsort(code, n, sizeof(*code), by_code);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || strcmp(code[kept - 1], code[i]) != 0)
			code[kept++] = code[i];
	return (struct list){ code, kept };
}

static struct list
list_sources(const struct listing *t)
{
	struct buf all = { .mem = t->mem };
	struct list codes = source_codes(t->mem);

	for (size_t i = 0; i < codes.n; i++) {
		struct source_language s = { .code = ((const char **)codes.items)[i] };

		s.engines = able_ids(t, LIST_ASR, s.code);
		s.detect = detects(t, s.code);
		if (s.engines.n > 0)
			buf_put(&all, &s, sizeof(s));
	}
	return listed(&all, sizeof(struct source_language));
}

static void
describe_way(struct language_pair *p, const struct registry_way *way)
{
	p->engine = way->engine->at.id;
	p->via = way->via;
	p->second = way->second != NULL ? way->second->at.id : NULL;
	p->quality = mt_grade_name(mt_grade(&way->quality));
	p->measure = p->quality != NULL ? way->quality.measure : NULL;
}

static struct list
list_pairs(const struct listing *t, const struct list *sources)
{
	const struct source_language *s = sources->items;
	struct buf all = { .mem = t->mem };

	for (size_t i = 0; i < sources->n; i++)
		for (const char *const *to = lang_target; *to != NULL; to++) {
			struct language_pair p = { .source = s[i].code, .target = *to };
			struct registry_way way;

			if (!lang_same_base(p.source, p.target)) {
				if (!registry_first_way(
					t->reg, p.source, p.target, &way))
					continue;
				describe_way(&p, &way);
			}
			buf_put(&all, &p, sizeof(p));
		}
	return listed(&all, sizeof(struct language_pair));
}

static bool
is_reached(const struct list *pairs, const char *code)
{
	const struct language_pair *p = pairs->items;

	for (size_t i = 0; i < pairs->n; i++)
		if (strcmp(p[i].target, code) == 0)
			return true;
	return false;
}

static struct list
list_targets(const struct listing *t, const struct list *pairs)
{
	static const char *voices[] = { "default_low", "default_high" };
	struct buf all = { .mem = t->mem };

	for (const char *const *code = lang_target; *code != NULL; code++) {
		struct target_language to = { .code = *code };

		if (!is_reached(pairs, *code))
			continue;
		to.engines = able_ids(t, LIST_TTS, *code);
		to.speech = to.engines.n > 0;
		if (to.speech)
			to.voices = (struct list){ voices, 2 };
		buf_put(&all, &to, sizeof(to));
	}
	return listed(&all, sizeof(struct target_language));
}

struct languages
registry_languages(struct registry *reg, struct arena *mem)
{
	const struct listing t = { reg, mem };
	struct languages l;

	registry_discover(reg); /* an engine that has never answered has no pairs */
	l.source = list_sources(&t);
	l.pairs = list_pairs(&t, &l.source);
	l.target = list_targets(&t, &l.pairs);
	return l;
}
