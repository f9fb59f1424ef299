/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ASR engine of the recognizer: the first suitable one. When it fails, the next one
 * gets the segment from its beginning.
 */
#include "pipeline/recognizer_internal.h"

#include <string.h>

#include "base/clock.h"

#define FAILURES 3 /* failed segments in succession until PIPELINE_FAILED */

static struct registry_want
next_engine(const struct recognizer *r)
{
	return (struct registry_want){ r->pipeline->config->task.asr_model, r->engine,
		monotonic_us() };
}

/* True if another engine can take over from the open one. */
static bool
has_another(const struct recognizer *r)
{
	const struct pipeline_config *w = r->pipeline->config;
	struct registry_want which = next_engine(r);

	return registry_asr(w->registry, w->task.language.code, &which) != NULL;
}

void
recognizer_close(struct recognizer *r)
{
	if (r->asr != NULL)
		r->engine->asr->close(r->asr);
	r->asr = NULL;
	r->pipeline->recognizes = false;
}

/* The hotwords as hints, for engines that accept hints. */
static struct list
hints_for(const struct recognizer *r, const struct asr_engine *engine)
{
	const struct pipeline_config *w = r->pipeline->config;

	if (w->glossary == NULL || (engine->can & ASR_HINTS) == 0)
		return (struct list){ 0 };
	return glossary_hints(
	    w->glossary, r->scratch, w->task.language.code, &w->task.detectable);
}

/* The titles of the event and its sessions. */
static struct list
titles_for(const struct recognizer *r)
{
	const struct pipeline_config *w = r->pipeline->config;
	size_t n = w->sessions.n, own = w->title != NULL;
	const char **to = arena_alloc(r->scratch, (n + 1) * sizeof(*to));

	to[0] = w->title;
	if (n > 0)
		memcpy(to + own, w->sessions.items, n * sizeof(*to));
	return (struct list){ to, n + own };
}

/* Report the result of the engine's last call to the registry. */
static void
report(const struct recognizer *r, enum err how)
{
	const struct pipeline_config *w = r->pipeline->config;
	const struct registry_call call = {
		.engine = r->engine, .from = w->task.language.code, .how = how
	};

	registry_report(w->registry, &call, monotonic_us());
}

/* Open the next suitable engine after the current one; false: there is none. */
static bool
open_next(struct recognizer *r)
{
	const struct pipeline_config *w = r->pipeline->config;
	struct asr_want want = { .lang = w->task.language.code,
		.candidates = w->task.detectable,
		.names = w->speakers,
		.titles = titles_for(r),
		.instead = w->instead && r->engine == NULL && r->failures == 0 };
	struct registry_want which = next_engine(r);

	r->full = false;
	recognizer_close(r);
	while ((r->engine = registry_asr(w->registry, want.lang, &which)) != NULL) {
		enum err how;

		want.hints = hints_for(r, r->engine->asr);
		how = r->engine->asr->open(&r->engine->at, &want, &r->asr);
		report(r, how);
		r->full |= how == ERR_LIMIT;
		if (how == OK) {
			r->pipeline->recognizes = true;
			r->full = false;
			r->keeps = r->measures || r->clones || has_another(r) ||
				   r->engine->asr->finish_at == NULL;
			return true;
		}
		which.after = r->engine;
	}
	return false;
}

static void
output_failed(struct recognizer *r)
{
	struct pipeline_event *s = pipeline_event_new(r->pipeline, PIPELINE_FAILED, -1);

	if (r->full)
		s->text = "no capacity";
	pipeline_event_send(s, NULL, -1);
}

void
recognizer_open(struct recognizer *r)
{
	if (open_next(r))
		pipeline_part_ready(r->pipeline->readiness);
	else {
		pipeline_part_failed(r->pipeline->readiness);
		output_failed(r);
	}
	if (r->pipeline->config->truncated)
		pipeline_warn(pipeline_event_new(r->pipeline, PIPELINE_TEXT, -1),
		    "GLOSSARY_TRUNCATED",
		    "The glossaries have too many entries, the first 10,000 are used");
}

/* Called when all engines failed for a segment: begin the next one with the first
   engine. */
static void
skip_segment(struct recognizer *r)
{
	recognizer_close(r);
	r->engine = NULL;
	if (++r->failures < FAILURES && open_next(r))
		return;
	output_failed(r);
}

/* Recognize the segment again, up to its end, with the engine that is open now. */
static enum err
ingest_again(struct recognizer *r, struct asr_result *h)
{
	size_t n = r->nkept < r->upto ? r->nkept : r->upto;
	enum err how = r->engine->asr->feed(r->asr, r->kept, n);

	if (how == OK)
		return r->engine->asr->finish(r->asr, r->segment_mem, h);
	r->engine->asr->drop(r->asr);
	return how;
}

/* End the segment at the open engine and get its text. */
static enum err
finish(struct recognizer *r, struct asr_result *h)
{
	const struct asr_engine *asr = r->engine->asr;

	if (r->lost == OK && r->upto == SIZE_MAX)
		return asr->finish(r->asr, r->segment_mem, h);
	if (r->lost == OK && asr->finish_at != NULL)
		return asr->finish_at(r->asr, &r->upto, r->segment_mem, h);
	asr->drop(r->asr);
	return r->lost == OK ? ingest_again(r, h) : r->lost;
}

/* Call the open engine, then the other engines until one succeeds. */
static enum err
try_engines(struct recognizer *r, struct asr_result *h)
{
	bool again = r->keeps;
	enum err how = finish(r, h);

	report(r, how);
	while (how != OK && again && has_another(r) && open_next(r)) {
		how = ingest_again(r, h);
		report(r, how);
	}
	return how;
}

enum err
recognizer_finish(struct recognizer *r, struct asr_result *h)
{
	enum err how = try_engines(r, h);

	if (how == OK)
		r->failures = 0;
	else
		skip_segment(r);
	return how;
}

/* ---- sound ---- */

static void
store_sound(struct recognizer *r, const struct pcm16 *sound)
{
	if (r->nkept + sound->n > r->kept_room) {
		size_t room = 2 * (r->nkept + sound->n);
		int16_t *more = arena_alloc(r->segment_mem, room * sizeof(*more));

		if (r->nkept > 0)
			memcpy(more, r->kept, r->nkept * sizeof(*more));
		r->kept = more;
		r->kept_room = room;
	}
	memcpy(r->kept + r->nkept, sound->s, sound->n * sizeof(*sound->s));
	r->nkept += sound->n;
}

void
recognizer_feed(struct recognizer *r, const struct pcm16 *sound)
{
	if (r->keeps)
		store_sound(r, sound);
	if (r->lost == OK)
		r->lost = r->engine->asr->feed(r->asr, sound->s, sound->n);
}
