/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/language_engines.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/lang.h"
#include "base/log.h"
#include "models/catalogue.h"
#include "models/conf_text.h"
#include "speech/builtin_voices.h"
#include "speech/engine.h"

/* ---- measured quality ---- */

/* Word error rates in percent; above `fair` the quality is poor. */
struct scale {
	double good, fair;
};

/* Word error rates of recognizers for English: docs/speech.md. */
static const struct scale recognized = { 10, 20 }, spoken = { 3, 6 };

struct measurement {
	const char *engine; /* a kind, or a model of the catalogue */
	const char *language;
	double words_wrong; /* percent */
};

static const struct measurement recognition[] = {
	{ "pocketsphinx", "en", 20.6 },
	{ "whisper-base", "en", 3.1 },
	{ NULL },
};

static const struct measurement speech[] = {
	{ "espeak", "en", 9.9 },
	{ "flite", "en", 4.0 },
	{ "piper-en-joe", "en", 2.1 },
	{ NULL },
};

/* True if the engine has this model: `models get` names an engine after its model. */
static bool
is_of(const struct language_engine *e, const char *name)
{
	return strcmp(e->engine, name) == 0 || strcmp(e->kind, name) == 0;
}

static void
measure(
    struct language_engine *e, const struct measurement *m, const struct scale *scale)
{
	while (m->engine != NULL &&
	       !(is_of(e, m->engine) &&
		   lang_covers(m->language, strlen(m->language), e->language)))
		m++;
	if (m->engine == NULL)
		return;
	e->measure = "words_wrong";
	e->measured = m->words_wrong;
	e->quality = e->measured <= scale->good   ? "good"
		     : e->measured <= scale->fair ? "fair"
						  : "poor";
}

/* ---- better models ---- */

struct report {
	struct arena *mem;
	const struct conf *conf;
	struct catalogue catalogue;
};

/* The abilities of a row of the catalogue. */
enum task { RECOGNIZE, TRANSLATE, SPEAK };

/* True if the model recognizes or speaks the language, or translates the pair. */
static bool
can_serve(const struct report *r, const struct model_row *row, enum task task,
    const struct language_engine *e)
{
	static const char *const purposes[] = { "recognize", "translate", "speak" };
	const char *kind =
	    row->settings != NULL ? json_get_text(row->settings, "kind") : NULL;
	const struct engine_kind *k = kind != NULL ? engine_find(kind) : NULL;
	struct engine_at at = { .id = row->name };

	if (k == NULL || strcmp(row->purpose, purposes[task]) != 0)
		return false;
	if (task == TRANSLATE)
		return strcmp(row->languages,
			   arena_printf(r->mem, "%s %s", e->language, e->target)) == 0;
	at.languages = json_get_text(row->settings, "languages");
	return task == RECOGNIZE
		   ? k->asr != NULL && k->asr->knows(&at, e->language)
		   : k->tts != NULL && tts_knows(k->tts, &at, e->language);
}

/* The list of engines for a task. */
static const char *
list_of(const struct conf *c, enum task task)
{
	return task == RECOGNIZE   ? c->speech_asr
	       : task == TRANSLATE ? c->speech_mt
				   : c->speech_tts;
}

/* True if the row says that its model is better than this engine. */
static bool
is_better(const struct model_row *row, const struct language_engine *e)
{
	return e->engine == NULL || conf_list_has(row->over, e->engine) ||
	       conf_list_has(row->over, e->kind);
}

/* Returns the first better model, preferably one that was tried. */
static void
find_better(const struct report *r, enum task task, struct language_engine *e)
{
	const struct model_row *found = NULL;

	e->better_mb = NULL_INT;
	for (size_t i = 0; i < r->catalogue.n; i++) {
		const struct model_row *row = &r->catalogue.rows[i];

		if (is_better(row, e) && can_serve(r, row, task, e) &&
		    !conf_list_has(list_of(r->conf, task), row->name) &&
		    (found == NULL || (row->tried && !found->tried)))
			found = row;
	}
	if (found != NULL) {
		e->better = found->name;
		e->better_mb = catalogue_whole_mb(&r->catalogue, found);
	}
}

/* ---- languages ---- */

/*
 * Returns the first built-in voice of the language whose sample was spoken by
 * speech.sample.
 */
static const char *
find_voice(const struct report *r, const struct language_engine *e)
{
	const struct builtin_voice *v = builtin_voices;

	if (e->engine == NULL || strcmp(e->engine, r->conf->speech_sample) != 0)
		return NULL;
	while (v->id != NULL &&
	       !lang_covers(e->language, strlen(e->language), v->lang_code))
		v++;
	return v->id;
}

/* Describe the engine that serves a language or pair; id NULL: no engine serves it. */
static struct language_engine
describe(const struct report *r, enum task task, struct language_engine e)
{
	struct conf_engine section;

	e.measured = NAN;
	if (e.engine != NULL &&
	    engine_section(r->conf, e.engine, strlen(e.engine), &section)) {
		e.kind = arena_str(r->mem, section.kind);
		if (*section.url != '\0' && *section.model != '\0')
			e.model = arena_str(r->mem, section.model);
		if (task != TRANSLATE)
			measure(&e, task == RECOGNIZE ? recognition : speech,
			    task == RECOGNIZE ? &recognized : &spoken);
	}
	if (task == SPEAK)
		e.voice_id = find_voice(r, &e);
	find_better(r, task, &e);
	return e;
}

static bool
is_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* True if the code is that language or a region of it. */
static bool
is_in(const char *code, const char *of)
{
	return is_same(code, of) || (code != NULL && lang_covers(of, strlen(of), code));
}

/*
 * True if the list has this code, or a base whose region is served by the same engine.
 */
static bool
is_known(const struct buf *all, const struct language_engine *e)
{
	const struct language_engine *o = (const void *)all->p;
	size_t n = all->len / sizeof(*o);

	for (size_t i = 0; i < n; i++) {
		if (is_same(o[i].language, e->language) &&
		    is_same(o[i].target, e->target))
			return true;
		if (is_in(e->language, o[i].language) &&
		    is_in(e->target, o[i].target) && is_same(o[i].engine, e->engine) &&
		    is_same(o[i].via, e->via))
			return true;
	}
	return false;
}

static void
add(const struct report *r, enum task task, struct buf *to, struct language_engine e)
{
	if (is_known(to, &e))
		return;
	e = describe(r, task, e);
	if (e.engine != NULL || e.better != NULL)
		buf_put(to, &e, sizeof(e));
}

static struct list
listed(const struct buf *b)
{
	return (struct list){ b->p, b->len / sizeof(struct language_engine) };
}

static const char *
first_id(const struct list *ids)
{
	return ids->n > 0 ? ((const char **)ids->items)[0] : NULL;
}

static struct list
list_recognition(const struct report *r, const struct languages *l)
{
	const struct source_language *s = l->source.items;
	struct buf all = { .mem = r->mem };

	for (size_t i = 0; i < l->source.n; i++)
		add(r, RECOGNIZE, &all,
		    (struct language_engine){
			.language = s[i].code, .engine = first_id(&s[i].engines) });
	for (const char *const *code = lang_spoken; *code != NULL; code++)
		if (!lang_is_auto(*code))
			add(r, RECOGNIZE, &all,
			    (struct language_engine){ .language = *code });
	return listed(&all);
}

/* Add the pairs of the translating models, "en es". */
static void
add_catalogue_pairs(const struct report *r, struct buf *all)
{
	for (size_t i = 0; i < r->catalogue.n; i++) {
		const struct model_row *row = &r->catalogue.rows[i];
		size_t n = strcspn(row->languages, " ");

		if (strcmp(row->purpose, "translate") == 0 && row->languages[n] != '\0')
			add(r, TRANSLATE, all,
			    (struct language_engine){
				.language = arena_dup(r->mem, row->languages, n),
				.target = row->languages + n + 1 });
	}
}

static struct list
list_translation(const struct report *r, const struct languages *l)
{
	const struct language_pair *p = l->pairs.items;
	struct buf all = { .mem = r->mem };

	for (size_t i = 0; i < l->pairs.n; i++)
		if (p[i].engine != NULL)
			add(r, TRANSLATE, &all,
			    (struct language_engine){ .language = p[i].source,
				.target = p[i].target,
				.engine = p[i].engine,
				.via = p[i].via,
				.quality = p[i].quality,
				.measure = p[i].measure });
	add_catalogue_pairs(r, &all);
	return listed(&all);
}

/* also paused engines */
static const struct registry_want any_time = { .now_us = INT64_MAX };

static struct list
list_speech(const struct report *r, struct registry *reg)
{
	struct buf all = { .mem = r->mem };

	for (const char *const *code = lang_target; *code != NULL; code++) {
		const struct registry_engine *e = registry_tts(reg, *code, &any_time);

		add(r, SPEAK, &all,
		    (struct language_engine){
			.language = *code, .engine = e != NULL ? e->at.id : NULL });
	}
	return listed(&all);
}

struct language_engines
language_engines(struct arena *mem, const struct conf *conf, struct registry *reg,
    const struct languages *l)
{
	struct report r = { .mem = mem, .conf = conf };
	const char *file = arena_printf(mem, "%s/models/catalogue", conf->share_dir);
	const char *why;

	if (catalogue_read(mem, file, &r.catalogue, &why) != OK) {
		log_warn("the catalogue of models cannot be read: %s", why);
		r.catalogue.n = 0;
	}
	return (struct language_engines){ .recognition = list_recognition(&r, l),
		.translation = list_translation(&r, l),
		.speech = list_speech(&r, reg) };
}
