/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that engines cover the languages, as GET /languages lists them.  Whether an
 * engine works well is tested by `dragoman engines check`.
 */
#include <dlfcn.h>
#include <string.h>

#include "audio/vad_silero.h"
#include "base/buf.h"
#include "base/lang.h"
#include "doctor/check.h"
#include "speech/registry.h"

static void
add(struct buf *b, const char *code)
{
	buf_printf(b, "%s%s", b->len > 0 ? ", " : "", code);
}

/* A language, and the ids of the engines that serve it; the first one is used. */
struct served {
	const char *code;
	const struct list *engines;
};

static const char *
engine_of(const struct served *s)
{
	return s->engines->n > 0 ? *(const char *const *)s->engines->items
				 : "no engine";
}

/* Report each engine that is used first for some language. */
static void
report_engines(struct check *k, const char *what, const struct served *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf codes = { .mem = k->mem };
		const char *engine = engine_of(&s[i]);
		bool reported = false;

		for (size_t m = 0; m < n; m++) {
			if (strcmp(engine_of(&s[m]), engine) != 0)
				continue;
			reported = reported || m < i;
			add(&codes, s[m].code);
		}
		if (!reported)
			check_ok(k, arena_printf(k->mem, "%s by %s", what, engine),
			    "%s", buf_text(&codes));
	}
}

static void
judge_recognition(struct check *k, const struct languages *l)
{
	const struct source_language *s = l->source.items;
	struct buf all = { .mem = k->mem };

	for (size_t i = 0; i < l->source.n; i++)
		buf_put(&all, &(const struct served){ s[i].code, &s[i].engines },
		    sizeof(struct served));
	if (l->source.n == 0)
		check_fail(k, "speech.asr",
		    "Name an engine in speech.asr, and install what it needs.",
		    "no language is recognized");
	else
		report_engines(k, "recognition", (const struct served *)(void *)all.p,
		    l->source.n);
}

/* True if it is translated into another language. */
static bool
is_translated(const struct languages *l, const char *code)
{
	const struct language_pair *p = l->pairs.items;

	for (size_t i = 0; i < l->pairs.n; i++)
		if (strcmp(p[i].source, code) == 0 &&
		    !lang_same_base(p[i].source, p[i].target))
			return true;
	return false;
}

static void
judge_translation(struct check *k, const struct languages *l)
{
	static const char looked[] = "speech.mt";
	const struct source_language *s = l->source.items;
	struct buf all = { .mem = k->mem }, without = { .mem = k->mem };

	for (size_t i = 0; i < l->source.n; i++)
		if (strcmp(s[i].code, "auto") != 0)
			add(is_translated(l, s[i].code) ? &all : &without, s[i].code);
	if (all.len == 0)
		check_fail(k, looked,
		    "Name an engine in speech.mt, or install a pair of Apertium.",
		    "nothing that is recognized is translated");
	else if (without.len > 0)
		check_warn(k, looked,
		    "Add an engine to speech.mt for these languages if speakers use "
		    "them.",

		    "not from %s", buf_text(&without));
	else
		check_ok(k, looked, "from %s", buf_text(&all));
}

static void
judge_speech(struct check *k, const struct languages *l)
{
	const struct target_language *t = l->target.items;
	struct buf all = { .mem = k->mem }, without = { .mem = k->mem };

	for (size_t i = 0; i < l->target.n; i++)
		if (t[i].speech)
			buf_put(&all,
			    &(const struct served){ t[i].code, &t[i].engines },
			    sizeof(struct served));
		else
			add(&without, t[i].code);
	if (all.len == 0)
		check_fail(k, "speech.tts",
		    "Name an engine in speech.tts, and install what it needs.",
		    "no language is spoken");
	else
		report_engines(k, "speech", (const struct served *)(void *)all.p,
		    all.len / sizeof(struct served));
	if (all.len > 0 && without.len > 0)
		check_warn(k, "speech.tts",
		    "Add an engine to speech.tts for these languages; until then "
		    "listeners get text.",
		    "not in %s", buf_text(&without));
}

/* How speech is distinguished from noise. */
static void
judge_detection(struct check *k)
{
	const struct silero_files f = silero_find(k->mem, k->conf);

	if (f.model == NULL)
		check_ok(k, "speech or noise",
		    "by the level of the sound; `dragoman models get silero` makes "
		    "fewer texts of noise");
	else if (silero_new(k->mem, &f) != NULL)
		check_ok(k, "speech or noise", "by the Silero network %s", f.model);
	else
		check_fail(k, "speech or noise",
		    "Correct vad.library and vad.model, or set vad.library to none.",
		    "by the level of the sound, as %s and %s cannot be used", f.library,
		    f.model);
}

#ifdef __x86_64__
/* The library's list of what it uses of the processor; NULL: it cannot be loaded. */
static const char *
features_of(const char *library)
{
	void *so = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	const char *(*info)(void) = NULL;

	if (so != NULL)
		*(void **)&info = dlsym(so, "whisper_print_system_info");
	return info != NULL ? info() : NULL;
}

/* A library of whisper.cpp without AVX takes longer for a phrase than that lasts. */
static void
judge_library(struct check *k, const struct conf_engine *e)
{
	const char *features = features_of(e->library);
	const char *looked = arena_printf(k->mem, "engine %s", e->id);

	if (features == NULL)
		check_fail(k, looked,
		    "Correct library of its section, or run `dragoman models get "
		    "whisper-library`.",
		    "%s is no library of whisper.cpp that can be loaded", e->library);
	else if (strstr(features, "AVX2 = 1") != NULL)
		check_ok(k, looked, "its library uses AVX2");
	else
		check_warn(k, looked,
		    "Use a library that was built with AVX2: `dragoman models get "
		    "whisper-library`.",
		    "its library does not use %s: it takes longer for a phrase than "
		    "the "
		    "phrase lasts",
		    strstr(features, "AVX = 1") != NULL ? "AVX2" : "AVX");
}
#else
static void
judge_library(struct check *k, const struct conf_engine *e)
{
	(void)k, (void)e;
}
#endif

void
check_engines(struct check *k)
{
	struct registry *r;
	struct languages l;

	if (registry_new(k->conf, &r) != OK) {
		check_fail(k, "engines: [speech] and [engine.ID]",
		    "Correct the setting that the message above names.",
		    "the settings name an engine that cannot be used");
		return;
	}
	if (!registry_discover(r))
		check_fail(k, "engines that report their languages",
		    "Start the server of the engine that the message above names; "
		    "dragoman engines check tests each engine.",
		    "an engine does not answer");
	l = registry_languages(r, k->mem);
	judge_recognition(k, &l);
	judge_translation(k, &l);
	judge_speech(k, &l);
	judge_detection(k);
	for (const struct conf_engine *e = k->conf->engines; e != NULL; e = e->next)
		if (strcmp(e->kind, "whisper") == 0 && *e->library != '\0')
			judge_library(k, e);
	registry_drop(r);
}
