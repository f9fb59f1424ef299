/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recognizers sherpa and whisper, whose models run in another process
 * (model_process.h). The phrase is stored here; it is sent while it is spoken if a
 * process is free, else at its end.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "base/text.h"
#include "speech/asr_admission.h"
#include "speech/engine.h"
#include "speech/model_process.h"

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define PIECE (ASR_RATE_HZ / 5) /* samples in a message */
#define BLANK " \t\r\n"

struct asr {
	struct arena *mem;
	const struct engine_at *at;
	struct admission *admission;
	/* value of asr_result.lang, unless the process detects the language */
	const char *lang;
	const char *asked; /* the code sent to the process */
	/* spelling of the candidates' codes, const char *, if asked is "auto" */
	struct list among;
	const char *hints;             /* likely terms, separated by ", " */
	char before[ASR_BEFORE_BYTES]; /* the last text, which ends the prompt */
	bool early; /* true if a process has received the phrase from its beginning */
	int16_t *s; /* room for ASR_PHRASE_MAX_S */
	size_t n, sent;
	struct model_process *process; /* NULL: no process has the phrase */
	enum err lost;                 /* error of its process; OK: none */
	struct arena *text_mem;        /* arena of text */
	const char *text;              /* text of the phrase so far */
};

/* Load the model now if no process has loaded it, so that the task begins when the
   model is ready. */
static enum err
try_process(const struct engine_at *at)
{
	struct model_process *p;
	enum err e = model_acquire(at, MODEL_RECOGNIZE, false, &p);

	if (e == ERR_BUSY)
		return OK;
	if (e != OK)
		return e;
	e = model_await_ready(p);
	model_release(p, e);
	return e;
}

static enum err
enter(const struct engine_at *at, const struct asr_want *want, struct admission **to)
{
	enum err e = OK;

	if (want->instead)
		*to = admission_replace(at);
	else
		e = admission_enter(at, 0, to);
	if (e != OK || (e = try_process(at)) == OK)
		return e;
	admission_leave(*to);
	return e;
}

static enum err
open_one(const struct asr_engine *en, const struct engine_at *at,
    const struct asr_want *want, bool early, struct asr **to)
{
	struct arena *mem = arena_new();
	struct asr *a = arena_alloc(mem, sizeof(*a));
	enum err e = ERR_UNSUPPORTED;

	*a = (struct asr){ .mem = mem, .at = at, .early = early, .text = "" };
	a->lang = asr_choose(mem, en, at, want);
	if (a->lang == NULL || (e = enter(at, want, &a->admission)) != OK) {
		arena_free(mem);
		return e;
	}
	a->among = asr_candidates(mem, en, at, &want->candidates);
	a->asked =
	    (en->can & ASR_DETECT) != 0 && lang_is_auto(want->lang) && a->among.n != 1
		? "auto"
		: lang_base(mem, lang_fold(mem, a->lang));
	a->hints = asr_join_hints(mem, &want->hints);
	a->s = arena_alloc(mem, ASR_PHRASE_MAX_S * ASR_RATE_HZ * sizeof(*a->s));
	a->text_mem = arena_new();
	*to = a;
	return OK;
}

/* ---- the phrase ---- */

/*
 * Send as many whole pieces as the process has room for; all: send everything. A
 * process that may receive the phrase from its beginning gets the likely terms first.
 */
static void
send_sound(struct asr *a, bool all)
{
	while (a->sent < a->n && (all || a->n - a->sent >= PIECE)) {
		size_t n = a->n - a->sent < PIECE ? a->n - a->sent : PIECE;

		if (a->early && a->sent == 0 && *a->hints != '\0')
			(void)model_send(
			    a->process, MODEL_HINTS, a->hints, strlen(a->hints));
		if (!model_send(
			a->process, MODEL_SOUND, a->s + a->sent, n * sizeof(*a->s)))
			break;
		a->sent += n;
	}
}

static enum err
feed(struct asr *a, const int16_t *s, size_t n)
{
	size_t room = ASR_PHRASE_MAX_S * ASR_RATE_HZ - a->n;
	bool begins = a->n == 0;

	n = n < room ? n : room;
	memcpy(a->s + a->n, s, n * sizeof(*s));
	a->n += n;
	if (begins && n > 0 && a->early &&
	    model_acquire(a->at, MODEL_RECOGNIZE, false, &a->process) != OK)
		a->process = NULL;
	if (a->process != NULL)
		send_sound(a, false);
	return a->lost;
}

static void
store_text(struct asr *a, const struct model_message *m)
{
	if (m->kind != MODEL_TEXT)
		return;
	arena_reset(a->text_mem);
	a->text = arena_dup(a->text_mem, m->p, m->n);
}

static enum err
partial(struct asr *a, struct arena *mem, struct asr_result *to)
{
	struct model_message m;
	enum err e = OK;

	while (a->process != NULL && a->lost == OK &&
	       (e = model_receive(a->process, &m)) == OK)
		store_text(a, &m);
	if (e != OK && e != ERR_BUSY)
		a->lost = e;
	*to = (struct asr_result){ .text = text_trim(mem, a->text, BLANK),
		.lang = a->lang };
	return a->lost;
}

static void
drop(struct asr *a)
{
	enum err how = a->lost;

	if (a->process != NULL && a->n > 0 && how == OK &&
	    !model_send(a->process, MODEL_DROP, NULL, 0))
		how = ERR_TIMEOUT;
	if (a->process != NULL)
		model_release(a->process, how);
	a->process = NULL;
	a->n = a->sent = 0;
	a->lost = OK;
	a->text = "";
}

/* Make the text of MODEL_END. */
static const char *
end_of(const struct asr *a, struct arena *mem)
{
	const char *const *c = a->among.items;
	bool detects = strcmp(a->asked, "auto") == 0;
	struct buf b = { .mem = mem };

	buf_str(&b, a->asked);
	for (size_t i = 0; detects && i < a->among.n; i++)
		buf_printf(&b, " %s", lang_base(mem, lang_fold(mem, c[i])));
	buf_printf(&b, "\n%s", asr_prompt(mem, a->hints, detects ? "" : a->before));
	return buf_text(&b);
}

/* Send the rest and the end, then wait for the text. */
static enum err
await_final(struct asr *a, struct arena *mem, struct model_message *m)
{
	const char *end = end_of(a, mem);
	bool ended = false;
	enum err e = OK;

	model_clock(a->process, a->at->timeout_ms * a->at->threads);
	do {
		send_sound(a, true);
		if (!ended && a->sent == a->n)
			ended = model_send(a->process, MODEL_END, end, strlen(end));
		e = model_await(a->process, !ended, m);
	} while (e == OK && m->kind != MODEL_FINAL);
	return e;
}

/* Spell the code as the candidates do. */
static const char *
spell(const struct asr *a, struct arena *mem, const char *code)
{
	const char *const *c = a->among.items;

	if (strcmp(a->asked, "auto") != 0 || strlen(code) >= LANG_BYTES)
		return a->lang;
	for (size_t i = 0; i < a->among.n; i++)
		if (lang_covers(code, strlen(code), c[i]))
			return c[i];
	return arena_str(mem, code);
}

/* Read a final message; a message that is too short has no text. */
static void
read_final(struct asr *a, struct arena *mem, const struct model_message *m,
    struct asr_result *to)
{
	struct model_final f;

	if (m->n < sizeof(f))
		return;
	memcpy(&f, m->p, sizeof(f));
	f.lang[sizeof(f.lang) - 1] = f.foreign[sizeof(f.foreign) - 1] = '\0';
	to->lang = spell(a, mem, f.lang);
	to->foreign = f.foreign[0] != '\0' ? arena_str(mem, f.foreign) : NULL;
	to->confidence = (double)f.confidence;
	to->text = text_trim(mem, m->p + sizeof(f), BLANK);
	asr_store_before(a->before, to->foreign == NULL ? to->text : "");
}

static enum err
finish(struct asr *a, struct arena *mem, struct asr_result *to)
{
	struct model_message m;
	enum err e = a->lost;

	*to = (struct asr_result){ .text = "", .lang = a->lang };
	if (a->n == 0)
		return OK;
	if (a->process == NULL)
		e = model_acquire(a->at, MODEL_RECOGNIZE, true, &a->process);
	if (e == OK && (e = model_await_ready(a->process)) == OK &&
	    (e = await_final(a, mem, &m)) == OK) {
		read_final(a, mem, &m, to);
		admission_measure(a->admission,
		    &(struct admission_work){ .used_us = model_used_by(a->process),
			.sound_us = (int64_t)a->n * S_US / ASR_RATE_HZ });
		a->n = 0; /* nothing to drop */
	}
	a->lost = e;
	drop(a);
	return e;
}

static void
close_one(struct asr *a)
{
	if (a == NULL)
		return;
	drop(a);
	admission_leave(a->admission);
	arena_free(a->text_mem);
	arena_free(a->mem);
}

/* ---- sherpa ---- */

/*
 * Streaming models, whose text grows while the phrase is spoken. They know one language
 * or a few and cannot detect the language.
 */
static bool
knows_sherpa(const struct engine_at *at, const char *lang)
{
	return lang_is_auto(lang) || lang_covered(at->languages, lang);
}

static enum err
open_sherpa(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	return open_one(&asr_sherpa, at, want, true, to);
}

/* Convert to small letters: models trained on texts in capitals write nothing else. */
static void
unshout(struct arena *mem, struct asr_result *h)
{
	if (strpbrk(h->text, CAPITALS) != NULL && strpbrk(h->text, SMALL) == NULL)
		h->text = text_lower(mem, h->text);
}

static enum err
partial_sherpa(struct asr *a, struct arena *mem, struct asr_result *to)
{
	enum err e = partial(a, mem, to);

	unshout(mem, to);
	return e;
}

/* "hello world" -> "Hello world."; a text with marks or capitals is complete. */
static void
complete(struct arena *mem, struct asr_result *h)
{
	const char *t = h->text;

	if (*t >= 'a' && *t <= 'z' && strpbrk(t, ".,!?" CAPITALS) == NULL)
		h->text = arena_printf(mem, "%c%s.", *t - 'a' + 'A', t + 1);
}

static enum err
finish_sherpa(struct asr *a, struct arena *mem, struct asr_result *to)
{
	enum err e = finish(a, mem, to);

	unshout(mem, to);
	complete(mem, to);
	return e;
}

const struct asr_engine asr_sherpa = { ASR_STREAM | ASR_HINTS, knows_sherpa,
	open_sherpa, feed, partial_sherpa, finish_sherpa, drop, close_one };

/* ---- whisper ---- */

/*
 * whisper.cpp recognizes a phrase after its end. There are no partial texts, as each
 * would cost as much as the final one.
 */
static bool
knows_whisper(const struct engine_at *at, const char *lang)
{
	/* OpenAI serves the same models: same languages */
	return asr_openai.knows(at, lang);
}

static enum err
open_whisper(const struct engine_at *at, const struct asr_want *want, struct asr **to)
{
	return open_one(&asr_whisper, at, want, false, to);
}

const struct asr_engine asr_whisper = { ASR_STREAM | ASR_DETECT | ASR_HINTS,
	knows_whisper, open_whisper, feed, partial, finish, drop, close_one };
