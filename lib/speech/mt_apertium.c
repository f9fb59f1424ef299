/*
 * Apertium: what its terms are, what goes to its pipelines and comes back, each in a
 * file of its own: mt_apertium_term.h, mt_apertium_text.h, mt_apertium_line.h.
 */
#include "speech/mt_apertium_line.h"
#include "speech/mt_apertium_mode.h"
#include "speech/mt_apertium_text.h"
#include "speech/placeholders.h"
#include "speech/sentence.h"

#define WATCHDOG_MS 3000 /* of processor time, for a sentence */

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	struct arena *mem = arena_new();
	bool is = apertium_mode(mem, at->model, from, to) != NULL;

	arena_free(mem);
	return is;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	const struct apertium_term *terms = apertium_terms(at, mem, t);
	struct sentence_pair pair = { .source = t->text, .to = t->to };
	struct buf answer = { .mem = mem };
	const struct apertium_sentence s = { .mode = apertium_mode(
						 mem, at->model, t->from, t->to),
		.text = apertium_write(mem, t, terms),
		.cpu_ms = at->timeout_ms > 0 && at->timeout_ms < WATCHDOG_MS
			      ? at->timeout_ms
			      : WATCHDOG_MS,
		.timeout_ms = t->timeout_ms,
		.unwanted = t->unwanted,
		.arg = t->arg };
	enum err e;

	if (s.mode == NULL)
		return ERR_UNSUPPORTED;
	if ((e = apertium_ask(&s, &answer)) != OK)
		return e;
	pair.text = apertium_read(mem, t, terms, buf_text(&answer));
	*out = mt_fill(mem, t, sentence_target(mem, &pair));
	*guarded = *out != NULL;
	return OK;
}

static enum err
list(const struct engine_at *at, struct arena *mem, struct list *to)
{
	apertium_modes(mem, at->model, to);
	return OK;
}

static void
warm(const struct engine_at *at, const char *from, const char *to, void (*told)(void *),
    void *arg)
{
	struct arena *mem = arena_new();
	const char *name = apertium_mode(mem, at->model, from, to);

	if (name != NULL) {
		apertium_term_warm(at, from, to);
		apertium_warm(name, told, arg);
	} else
		told(arg);
	arena_free(mem);
}

const struct mt_engine mt_apertium = { true, true, pairs, translate, list, warm, true };
