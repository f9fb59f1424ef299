#include "pipeline/phrases.h"

#include <pthread.h>
#include <string.h>

#include "base/lang.h"
#include "pipeline/glossary.h"
#include "pipeline/phrases_internal.h"

static const struct glossary_target targets[] = { { .lang = "es" }, { .lang = "fr" },
	{ .lang = "it" }, { .lang = "pt" } };
#define TARGETS (sizeof(targets) / sizeof(targets[0]))

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct arena *all_mem;      /* as long as the process */
static struct glossary_index *all; /* from then on read only */

static void
build(void)
{
	const struct glossary_task task = {
		.source = "en", .targets = targets, .ntargets = TARGETS
	};
	struct buf rows = { .mem = all_mem = arena_new() };
	bool truncated;

	for (const struct phrase *p = phrases_list; p->in[PHRASE_EN] != NULL; p++)
		for (size_t i = 0; i < TARGETS; i++) {
			const struct glossary_term row = { .type = GLOSSARY_TRANSLATION,
				.glossary = "",
				.source = "en",
				.target = targets[i].lang,
				.a = p->in[PHRASE_EN],
				.b = p->in[PHRASE_ES + i],
				.phrase = p->phrase };

			if (row.b != NULL)
				buf_put(&rows, &row, sizeof(row));
		}
	all = glossary_index_new(all_mem, &task, (const void *)rows.p,
	    rows.len / sizeof(struct glossary_term), &truncated);
}

/* The code that the phrases have for a target; NULL: they have none. */
static const char *
target_for(const char *to)
{
	for (size_t i = 0; i < TARGETS; i++)
		if (lang_same_base(targets[i].lang, to))
			return targets[i].lang;
	return NULL;
}

/* Both, in the order of the text; a phrase that touches a term is left out. */
static void
merge(struct arena *mem, struct mt_text *t, const struct mt_term *phrases, size_t n)
{
	struct mt_term *to = arena_alloc(mem, (t->nterms + n + 1) * sizeof(*to));
	size_t nto = 0, i = 0, end = 0;

	for (size_t k = 0; k < n; k++) {
		while (
		    i < t->nterms && t->terms[i].at < phrases[k].at + phrases[k].len) {
			end = t->terms[i].at + t->terms[i].len;
			to[nto++] = t->terms[i++];
		}
		if (phrases[k].at >= end)
			to[nto++] = phrases[k];
	}
	while (i < t->nterms)
		to[nto++] = t->terms[i++];
	t->terms = to;
	t->nterms = nto;
}

enum err
phrases_translate(const struct mt_engine *e, const struct engine_at *at,
    struct arena *mem, const struct mt_text *text, const char **out, bool *guarded)
{
	const char *target = target_for(text->to);
	struct mt_text t = *text;
	const struct mt_term *phrases;
	enum err err;
	size_t n;

	pthread_once(&once, build);
	if (!e->phrases || target == NULL || !lang_same_base("en", t.from))
		return mt_translate(e, at, mem, text, out, guarded);
	phrases = glossary_terms(all, mem, "en", target, t.text, &n);
	if (n == 0)
		return mt_translate(e, at, mem, text, out, guarded);
	merge(mem, &t, phrases, n);
	err = mt_translate(e, at, mem, &t, out, guarded);
	if (err != OK || *guarded)
		return err;
	/* One was lost: those of the task alone may come through. */
	*guarded = text->nterms == 0;
	return *guarded ? OK : mt_translate(e, at, mem, text, out, guarded);
}
