/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/registry.h"

#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "speech/asr_websocket.h"
#include "speech/engine.h"
#include "speech/registry_internal.h"

#define FAILURES 5
#define WITHIN_US (60 * S_US)
#define PAUSE_US (30 * S_US)

/* Failures of an engine with a language or a pair; guarded by the lock. */
struct health {
	struct health *next;
	char from[LANG_BYTES], to[LANG_BYTES]; /* to: "" except for translation */
	int64_t failed_us[FAILURES];           /* a ring: times of the last failures */
	/* and the duration of each of these calls */
	int64_t took_us[FAILURES];
	size_t failed; /* number of failures ever */
	int64_t paused_until_us;
};

/* ---- the pairs of engines ---- */

/*
 * Some engines must be asked for their pairs. A thread that may wait asks them ahead;
 * the other threads read the answers.
 */

/* The learnt pairs of an engine of speech.mt. */
struct known {
	struct arena *mem; /* NULL: the engine was not asked */
	struct list pairs;
};

/* A separate struct, because threads that only look something up also lock it. */
struct registry_discovery {
	const struct engines *list;
	pthread_mutex_t lock;
	struct known *of; /* one for each engine of speech.mt; guarded by the lock */
};

static void
forget(void *arg)
{
	struct registry_discovery *l = arg;

	for (size_t i = 0; i < l->list->n; i++)
		arena_free(l->of[i].mem);
	pthread_mutex_destroy(&l->lock);
}

static struct registry_discovery *
new_discovery(struct arena *mem, const struct engines *list)
{
	struct registry_discovery *l = arena_alloc(mem, sizeof(*l));

	l->list = list;
	l->of = arena_alloc(mem, (list->n + 1) * sizeof(*l->of));
	pthread_mutex_init(&l->lock, NULL);
	arena_defer(mem, forget, l);
	return l;
}

/* Ask one engine. If it does not answer now, its previous answer stays. */
static bool
discover_pairs(struct registry_discovery *l, size_t i)
{
	const struct registry_engine *en = &l->list->e[i];
	struct known now = { .mem = arena_new() }, was;
	bool answers = mt_list_pairs(en->mt, &en->at, now.mem, &now.pairs) == OK;

	if (!answers)
		now.pairs = (struct list){ 0 };
	pthread_mutex_lock(&l->lock);
	was = l->of[i];
	if (answers || was.mem == NULL)
		l->of[i] = now;
	else
		was = now;
	pthread_mutex_unlock(&l->lock);
	arena_free(was.mem);
	return answers;
}

bool
registry_discover(struct registry *reg)
{
	struct registry_discovery *l = reg->discovery;
	bool all = true;

	for (size_t i = 0; i < l->list->n; i++)
		if (l->list->e[i].mt->waits)
			all &= discover_pairs(l, i);
	return all;
}

bool
registry_has(const struct registry *reg, const struct registry_engine *en,
    const char *from, const char *to, const char **via)
{
	struct registry_discovery *l = reg->discovery;
	const struct known *k = &l->of[en - l->list->e];
	bool known, has = false;

	*via = NULL;
	pthread_mutex_lock(&l->lock);
	if ((known = k->mem != NULL))
		has = mt_pairs_known(&en->at, &k->pairs, from, to, via);
	pthread_mutex_unlock(&l->lock);
	return known ? has : mt_pairs(en->mt, &en->at, from, to);
}

bool
registry_able(const struct registry *reg, const struct registry_engine *en,
    const char *from, const char *to)
{
	const char *via;

	if (en->asr != NULL)
		return en->asr->knows(&en->at, from);
	if (en->mt != NULL)
		return registry_has(reg, en, from, to, &via);
	return tts_knows(en->tts, &en->at, from);
}

/* ---- building ---- */

static const struct conf_voice *
copy_voices(struct arena *mem, const struct conf_voice *from)
{
	struct conf_voice *first = NULL, **end = &first;

	for (; from != NULL; from = from->next, end = &(*end)->next) {
		*end = arena_alloc(mem, sizeof(**end));
		(*end)->id = arena_str(mem, from->id);
		(*end)->name = arena_str(mem, from->name);
	}
	return first;
}

/* True if the engine of that id is the same server, even if it has another section. */
static bool
is_server_of(const struct conf *c, const char *id, const struct conf_engine *section)
{
	struct conf_engine other;

	return engine_section(c, id, strlen(id), &other) &&
	       (strcmp(other.id, section->id) == 0 ||
		   (*section->url != '\0' && strcmp(other.url, section->url) == 0 &&
		       strcmp(other.kind, section->kind) == 0));
}

static enum err
add(struct registry *reg, const struct conf *c, enum engine_list which,
    const struct conf_engine *section)
{
	struct engines *list = &reg->list[which];
	struct registry_engine *en = &list->e[list->n++];
	const struct engine_kind *k = engine_find(section->kind);
	const char *lacks;
	bool later;

	en->at = engine_at_section(reg->mem, c, section);
	en->voices = copy_voices(reg->mem, section->voices);
	en->holds_own = is_server_of(c, c->speech_clone, section);
	en->holds_external = is_server_of(c, c->speech_external, section);
	en->asr = k != NULL && which == LIST_ASR ? k->asr : NULL;
	en->mt = k != NULL && which == LIST_MT ? k->mt : NULL;
	en->tts = k != NULL && which == LIST_TTS ? k->tts : NULL;
	if (en->asr == NULL && en->mt == NULL && en->tts == NULL) {
		log_error("engine.%s.kind: %s cannot do what it is listed for",
		    en->at.id, *en->at.kind != '\0' ? en->at.kind : "nothing");
		return ERR_REFUSED;
	}
	if ((lacks = engine_lacks(reg->mem, section, &later)) != NULL)
		log_error("engine.%s.%s", en->at.id, lacks);
	if (lacks != NULL && !later)
		return ERR_REFUSED;
	if (en->asr == &asr_websocket && asr_dialect_find(en->at.protocol) == NULL) {
		log_error("engine.%s.protocol: there is none of that name", en->at.id);
		return ERR_REFUSED;
	}
	return OK;
}

/* Add the engines of a list of ids, which are separated by blanks or commas. */
static enum err
add_all(struct registry *reg, const struct conf *c, enum engine_list which,
    const char *setting, const char *ids)
{
	size_t most = strlen(ids) / 2 + 1;
	enum err e = OK;

	reg->list[which].e = arena_alloc(reg->mem, most * sizeof(*reg->list[which].e));
	reg->health[which] = arena_alloc(reg->mem, most * sizeof(*reg->health[which]));
	for (size_t n; e == OK && *(ids += strspn(ids, " ,")) != '\0'; ids += n) {
		struct conf_engine section;

		n = strcspn(ids, " ,");
		if (engine_section(c, ids, n, &section)) {
			e = add(reg, c, which, &section);
			continue;
		}
		log_error("%s: there is no engine %.*s", setting, (int)n, ids);
		e = ERR_REFUSED;
	}
	return e;
}

enum err
registry_new(const struct conf *c, struct registry **to)
{
	struct arena *mem = arena_new();
	struct registry *reg = arena_alloc(mem, sizeof(*reg));
	enum err e;

	reg->mem = mem;
	reg->users = 1;
	reg->pivot = c->speech_pivot;
	reg->listed = !c->speech_best_first;
	reg->any_quality = c->speech_any_quality;
	pthread_mutex_init(&reg->lock, NULL);
	if ((e = add_all(reg, c, LIST_ASR, "speech.asr", c->speech_asr)) == OK &&
	    (e = add_all(reg, c, LIST_MT, "speech.mt", c->speech_mt)) == OK &&
	    (e = add_all(reg, c, LIST_TTS, "speech.tts", c->speech_tts)) == OK) {
		reg->discovery = new_discovery(mem, &reg->list[LIST_MT]);
		reg->levels = voice_levels_new(mem);
		*to = reg;
	} else
		registry_drop(reg);
	return e;
}

struct registry *
registry_hold(struct registry *reg)
{
	atomic_fetch_add(&reg->users, 1);
	return reg;
}

void
registry_drop(struct registry *reg)
{
	if (reg == NULL || atomic_fetch_sub(&reg->users, 1) != 1)
		return;
	pthread_mutex_destroy(&reg->lock);
	arena_free(reg->mem);
}

const char *
registry_voice(const struct registry_engine *en, const char *id)
{
	const struct conf_voice *v = en->voices;

	while (v != NULL && strcmp(v->id, id) != 0)
		v = v->next;
	return v != NULL ? v->name : NULL;
}

/* ---- choosing ---- */

/* Returns the list of an engine's failures, with an entry for each language or pair. */
static struct health **
chain_of(struct registry *reg, const struct registry_engine *en)
{
	enum engine_list which = en->asr != NULL  ? LIST_ASR
				 : en->mt != NULL ? LIST_MT
						  : LIST_TTS;

	return &reg->health[which][en - reg->list[which].e];
}

/* Find the failures with these codes, spelt by lang_spell(); NULL: it never failed with
   them. */
static struct health *
health_of(struct health *first, const char *from, const char *to)
{
	while (first != NULL &&
	       (strcmp(first->from, from) != 0 || strcmp(first->to, to) != 0))
		first = first->next;
	return first;
}

bool
registry_is_paused(struct registry *reg, const struct registry_engine *en,
    const char *from, const char *to, int64_t now_us)
{
	const struct health *h;
	bool paused;

	pthread_mutex_lock(&reg->lock);
	h = health_of(*chain_of(reg, en), from, to);
	paused = h != NULL && now_us < h->paused_until_us;
	pthread_mutex_unlock(&reg->lock);
	return paused;
}

/* Add a failure. Called with the lock held, which also guards the arena once the
   registry is built. */
static struct health *
note_failure(struct registry *reg, const struct registry_call *call, const char *a,
    const char *b)
{
	struct health **chain = chain_of(reg, call->engine), *h;

	if ((h = health_of(*chain, a, b)) == NULL) {
		h = arena_alloc(reg->mem, sizeof(*h));
		memcpy(h->from, a, strlen(a) + 1);
		memcpy(h->to, b, strlen(b) + 1);
		h->next = *chain;
		*chain = h;
	}
	return h;
}

/* Add a failure; true if there were too many. */
static bool
add_failure(struct health *h, int64_t took_us, int64_t now_us)
{
	int64_t since_us, waited_us = 0;
	size_t oldest;

	h->failed_us[h->failed % FAILURES] = now_us;
	h->took_us[h->failed % FAILURES] = took_us;
	oldest = ++h->failed % FAILURES;
	since_us = h->failed_us[oldest];
	for (size_t i = 0; i < FAILURES; i++)
		waited_us += i != oldest ? h->took_us[i] : 0;
	return h->failed >= FAILURES && now_us - since_us - waited_us <= WITHIN_US;
}

void
registry_report(struct registry *reg, const struct registry_call *call, int64_t now_us)
{
	char a[LANG_BYTES], b[LANG_BYTES] = "";
	struct health *h;
	bool often;

	if ((call->how != ERR_BUSY && call->how != ERR_TIMEOUT &&
		call->how != ERR_FAILED) ||
	    !lang_spell(call->from, a) ||
	    (call->to != NULL && !lang_spell(call->to, b)))
		return;
	pthread_mutex_lock(&reg->lock);
	h = note_failure(reg, call, a, b);
	if ((often = add_failure(h, call->took_us, now_us)))
		h->paused_until_us = now_us + PAUSE_US;
	pthread_mutex_unlock(&reg->lock);
	if (often)
		log_warn("engine %s: fails too often with %s%s%s and is not used "
			 "for that for 30 s",
		    call->engine->at.id, a, *b != '\0' ? " to " : "", b);
}

const struct registry_engine *
registry_named(const struct engines *list, const char *id)
{
	for (size_t i = 0; id != NULL && i < list->n; i++)
		if (strcmp(list->e[i].at.id, id) == 0)
			return &list->e[i];
	return NULL;
}

/* Returns the i-th engine to try: the wanted one, then those of the list. */
static const struct registry_engine *
nth(const struct engines *list, const struct registry_engine *wanted, size_t i)
{
	if (wanted == NULL)
		return &list->e[i];
	if (i == 0)
		return wanted;
	return i <= (size_t)(wanted - list->e) ? &list->e[i - 1] : &list->e[i];
}

static const struct registry_engine *
choose(struct registry *reg, enum engine_list which, const char *from, const char *to,
    const struct registry_want *want)
{
	const struct engines *list = &reg->list[which];
	const struct registry_engine *wanted = registry_named(list, want->model), *en;
	char a[LANG_BYTES], b[LANG_BYTES] = "";
	size_t i = 0;

	if (!lang_spell(from, a) || (to != NULL && !lang_spell(to, b)))
		return NULL;
	if (want->after != NULL)
		while (i < list->n && nth(list, wanted, i++) != want->after)
			;
	for (; i < list->n; i++) {
		en = nth(list, wanted, i);
		if (registry_able(reg, en, a, b) &&
		    !registry_is_paused(reg, en, a, b, want->now_us))
			return en;
	}
	return NULL;
}

const struct registry_engine *
registry_asr(struct registry *reg, const char *lang, const struct registry_want *want)
{
	return choose(reg, LIST_ASR, lang, NULL, want);
}

const struct registry_engine *
registry_mt(struct registry *reg, const char *from, const char *to,
    const struct registry_want *want)
{
	return choose(reg, LIST_MT, from, to, want);
}

const struct registry_engine *
registry_tts(struct registry *reg, const char *lang, const struct registry_want *want)
{
	return choose(reg, LIST_TTS, lang, NULL, want);
}

enum err
registry_speak(struct registry *reg, const struct registry_engine *en,
    struct arena *mem, const struct tts_text *text, tts_sink *sink, void *to)
{
	return voice_level_speak(reg->levels, en, mem, text, sink, to);
}
