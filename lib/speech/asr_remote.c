/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognizers behind HTTP. A request contains the whole phrase, or the phrase so far.
 */
#include "speech/asr_remote.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/lang.h"
#include "base/log.h"
#include "base/text.h"

#define BLANK " \t\r\n"
/* most samples of silence after the speech of a phrase */
#define QUIET_MOST (ASR_RATE_HZ / 5)

static enum err
set_language(struct asr *a, const struct asr_engine *en, const struct engine_at *at,
    const struct asr_want *want)
{
	if ((a->lang = asr_choose(a->mem, en, at, want)) == NULL)
		return ERR_UNSUPPORTED;
	a->among = asr_candidates(a->mem, en, at, &want->candidates);
	a->detect = lang_is_auto(want->lang) && a->among.n != 1;
	return OK;
}

enum err
asr_remote_open(const struct asr_engine *en, const struct engine_at *at,
    const struct asr_want *want, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));
	enum err e;

	a->mem = mem;
	if ((e = set_language(a, en, at, want)) != OK) {
		arena_free(mem);
		return e;
	}
	a->s = arena_alloc(mem, ASR_PHRASE_MAX_S * ASR_RATE_HZ * sizeof(*a->s));
	a->said_mem = arena_new();
	a->at = at;
	*to = a;
	return OK;
}

enum err
asr_remote_feed(struct asr *a, const int16_t *s, size_t n)
{
	size_t room = ASR_PHRASE_MAX_S * ASR_RATE_HZ - a->n;

	n = n < room ? n : room;
	memcpy(a->s + a->n, s, n * sizeof(*s));
	a->n += n;
	return OK;
}

/* ---- partial texts ---- */

/* A request for the text so far, on a thread of its own. */
struct asr_partial {
	struct asr asr; /* the recognizer with a copy of the phrase */
	struct arena *mem;
	pthread_t thread;
	/* flags; the thread owns all other members until done */
	atomic_bool unwanted, done;
	enum err how;
	struct asr_result said;
};

static bool
is_unwanted(void *arg)
{
	return ((struct asr_partial *)arg)->unwanted;
}

static void *
ask_partial(void *arg)
{
	struct asr_partial *p = arg;
	struct engine_call en =
	    engine_start(p->asr.at, p->mem, "Authorization: Bearer ");

	en.unwanted = is_unwanted;
	en.arg = p;
	p->said = (struct asr_result){ .text = "", .lang = p->asr.lang };
	p->how = p->asr.ask(&p->asr, &en, &p->said);
	p->done = true;
	return NULL;
}

/* True if a partial text is due: the phrase has grown by 1.5 s and by a quarter. */
static bool
is_due(const struct asr *a)
{
	size_t more = a->n - a->asked_n;

	return a->partial == NULL && 2 * more >= 3 * ASR_RATE_HZ &&
	       4 * more >= a->asked_n;
}

static void
start_partial(struct asr *a)
{
	struct arena *mem = arena_new();
	struct asr_partial *p = arena_alloc(mem, sizeof(*p));

	*p = (struct asr_partial){ .asr = *a, .mem = mem };
	p->asr.s = arena_alloc(mem, a->n * sizeof(*a->s));
	memcpy(p->asr.s, a->s, a->n * sizeof(*a->s));
	if (pthread_create(&p->thread, NULL, ask_partial, p) != 0) {
		log_warn("engine %s: no thread for a partial text", a->at->id);
		arena_free(mem);
		return;
	}
	a->partial = p;
	a->asked_n = a->n;
}

static struct asr_result
copy(struct arena *mem, const struct asr_result *h)
{
	return (struct asr_result){ .text = arena_str(mem, h->text),
		.lang = arena_str(mem, h->lang),
		.confidence = h->confidence };
}

/* Wait for the request to end. Keep its result if it is still wanted. */
static void
join_partial(struct asr *a)
{
	struct asr_partial *p = a->partial;

	pthread_join(p->thread, NULL);
	if (p->how == OK && !p->unwanted) {
		arena_reset(a->said_mem);
		a->said = copy(a->said_mem, &p->said);
		a->said_n = p->asr.n;
	}
	arena_free(p->mem);
	a->partial = NULL;
}

enum err
asr_remote_partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	if (a->partial != NULL && a->partial->done)
		join_partial(a);
	if (is_due(a))
		start_partial(a);
	*to = (struct asr_result){ .text = "", .lang = a->lang };
	if (a->said_n > 0)
		*to = copy(mem, &a->said);
	return OK;
}

/* ---- the final text ---- */

static double
power(const int16_t *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)s[i] * s[i];
	return n > 0 ? sum / (double)n : 0;
}

/*
 * True if only the silence that ends a phrase follows its first n samples: no more than
 * the segmenter's padding, and 20 dB softer.
 */
static bool
has_all_speech(const struct asr *a, size_t n)
{
	return n > 0 && a->n - n <= QUIET_MOST &&
	       100 * power(a->s + n, a->n - n) < power(a->s, n);
}

/* Use the partial result as the final one if it covers all the speech. */
static bool
use_partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	if (a->partial != NULL && !a->partial->unwanted &&
	    (a->partial->done || has_all_speech(a, a->partial->asr.n)))
		join_partial(a);
	if (!has_all_speech(a, a->said_n))
		return false;
	*to = copy(mem, &a->said);
	return true;
}

/*
 * Request the final text, with an arena of its own, because sound, request and answer
 * are large.
 */
static enum err
ask_final(struct asr *a, struct arena *mem, struct asr_result *to)
{
	struct asr_result said = { .text = "", .lang = a->lang };
	struct arena *scratch = arena_new();
	struct engine_call en = engine_start(a->at, scratch, "Authorization: Bearer ");
	enum err e = a->ask(a, &en, &said);

	*to = copy(mem, &said);
	arena_free(scratch);
	return e;
}

enum err
asr_remote_finish(struct asr *a, struct arena *mem, struct asr_result *to)
{
	enum err e = OK;

	*to = (struct asr_result){ .text = "", .lang = a->lang };
	if (a->n > 0 && !use_partial(a, mem, to)) {
		if (a->partial != NULL)
			a->partial->unwanted = true;
		e = ask_final(a, mem, to);
	}
	if (e == OK)
		asr_store_before(a->before, to->text);
	asr_remote_drop(a);
	return e;
}

void
asr_remote_drop(struct asr *a)
{
	if (a->partial != NULL)
		a->partial->unwanted = true;
	a->n = a->said_n = a->asked_n = 0;
}

void
asr_remote_close(struct asr *a)
{
	if (a == NULL)
		return;
	asr_remote_drop(a);
	if (a->partial != NULL)
		join_partial(a);
	arena_free(a->said_mem);
	arena_free(a->mem);
}

struct http_part
asr_remote_wav(const struct asr *a, struct arena *mem)
{
	return engine_wav_part(mem, "phrase.wav", a->s, a->n, ASR_RATE_HZ);
}

/* Spell a code as the candidates do. */
static const char *
spell(const struct asr *a, struct arena *mem, const char *name)
{
	const char *const *c = a->among.items;

	if (name != NULL && a->code_of != NULL)
		name = a->code_of(name);
	if (!a->detect || name == NULL || !engine_name_ok(name))
		return a->lang;
	for (size_t i = 0; i < a->among.n; i++)
		if (lang_covers(name, strlen(name), c[i]) ||
		    lang_covers(c[i], strlen(c[i]), name))
			return c[i];
	return text_lower(mem, name);
}

enum err
asr_remote_read(const struct asr *a, const struct engine_call *en, const char *path,
    const struct http_answer *answer, struct asr_result *to)
{
	const struct json *said = engine_object(en, answer);
	const char *text = said != NULL ? json_get_text(said, "text") : NULL;

	if (text == NULL)
		return engine_refuse(en, path, "the answer has no text");
	to->text = text_trim(en->mem, text, BLANK);
	to->lang = spell(a, en->mem, json_get_text(said, "language"));
	return OK;
}
