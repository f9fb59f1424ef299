/*
 * The ASR engine of the recognizer: the first able engine.  When it fails, the next one
 * gets the segment from its beginning.
 */
#include "pipeline/recognizer_internal.h"

#include <string.h>

#include "base/clock.h"

#define FAILURES 3 /* failed segments in a row, then PIPELINE_FAILED */

static struct registry_want
next_engine(const struct recognizer *e)
{
	return (struct registry_want){ e->pipeline->config->task.asr_model, e->engine,
		monotonic_us() };
}

/* Whether there is another able engine after the open one. */
static bool
has_another(const struct recognizer *e)
{
	const struct pipeline_config *w = e->pipeline->config;
	struct registry_want which = next_engine(e);

	return registry_asr(w->registry, w->task.language.code, &which) != NULL;
}

void
recognizer_close(struct recognizer *e)
{
	if (e->asr != NULL)
		e->engine->asr->close(e->asr);
	e->asr = NULL;
	e->pipeline->recognizes = false;
}

/* The hotwords, for engines that take hints. */
static struct list
hints_for(const struct recognizer *e, const struct asr_engine *engine)
{
	const struct pipeline_config *w = e->pipeline->config;

	if (w->glossary == NULL || (engine->can & ASR_HINTS) == 0)
		return (struct list){ 0 };
	return glossary_hints(
	    w->glossary, e->scratch, w->task.language.code, &w->task.detectable);
}

/* Report the result of the engine's last call to the registry. */
static void
tell(const struct recognizer *e, enum err how)
{
	const struct pipeline_config *w = e->pipeline->config;
	const struct registry_call call = {
		.engine = e->engine, .from = w->task.language.code, .how = how
	};

	registry_tell(w->registry, &call, monotonic_us());
}

/* Open the next able engine after the current one; false: none is left. */
static bool
open_next(struct recognizer *e)
{
	const struct pipeline_config *w = e->pipeline->config;
	struct asr_want want = { .lang = w->task.language.code,
		.candidates = w->task.detectable,
		.instead = w->instead && e->engine == NULL && e->failures == 0 };
	struct registry_want which = next_engine(e);

	e->full = false;
	recognizer_close(e);
	while ((e->engine = registry_asr(w->registry, want.lang, &which)) != NULL) {
		enum err how;

		want.hints = hints_for(e, e->engine->asr);
		how = e->engine->asr->open(&e->engine->at, &want, &e->asr);
		tell(e, how);
		e->full |= how == ERR_LIMIT;
		if (how == OK) {
			e->pipeline->recognizes = true;
			e->full = false;
			e->keeps = e->measures || has_another(e);
			return true;
		}
		which.after = e->engine;
	}
	return false;
}

static void
output_failed(struct recognizer *e)
{
	struct pipeline_event *s = pipeline_event_new(e->pipeline, PIPELINE_FAILED, -1);

	if (e->full)
		s->text = "no capacity";
	pipeline_event_send(s, NULL, -1);
}

void
recognizer_open(struct recognizer *e)
{
	if (open_next(e))
		readiness_told(e->pipeline->readiness);
	else {
		readiness_failed(e->pipeline->readiness);
		output_failed(e);
	}
	if (e->pipeline->config->truncated)
		pipeline_warn(e->pipeline, "GLOSSARY_TRUNCATED",
		    "The glossaries have too many entries, the first 10,000 are used");
}

/* All engines failed for the segment.  Begin again with the first engine. */
static void
skip_segment(struct recognizer *e)
{
	recognizer_close(e);
	e->engine = NULL;
	if (++e->failures < FAILURES && open_next(e))
		return;
	output_failed(e);
}

/* Recognize the whole segment again, with the engine that is open now. */
static enum err
ingest_again(struct recognizer *e, struct heard *h)
{
	enum err how = e->engine->asr->feed(e->asr, e->kept, e->nkept);

	if (how == OK)
		return e->engine->asr->finish(e->asr, e->segment_mem, h);
	e->engine->asr->drop(e->asr);
	return how;
}

/* Try the open engine, then the others. */
static enum err
ask_all(struct recognizer *e, struct heard *h)
{
	bool again = e->keeps;
	enum err how = e->lost;

	if (how == OK)
		how = e->engine->asr->finish(e->asr, e->segment_mem, h);
	else
		e->engine->asr->drop(e->asr);
	tell(e, how);
	while (how != OK && again && has_another(e) && open_next(e)) {
		how = ingest_again(e, h);
		tell(e, how);
	}
	return how;
}

enum err
recognizer_finish(struct recognizer *e, struct heard *h)
{
	enum err how = ask_all(e, h);

	if (how == OK)
		e->failures = 0;
	else
		skip_segment(e);
	return how;
}

/* ---- sound ---- */

static void
keep_sound(struct recognizer *e, const struct pcm16 *sound)
{
	if (e->nkept + sound->n > e->kept_room) {
		size_t room = 2 * (e->nkept + sound->n);
		int16_t *more = arena_alloc(e->segment_mem, room * sizeof(*more));

		if (e->nkept > 0)
			memcpy(more, e->kept, e->nkept * sizeof(*more));
		e->kept = more;
		e->kept_room = room;
	}
	memcpy(e->kept + e->nkept, sound->s, sound->n * sizeof(*sound->s));
	e->nkept += sound->n;
}

void
recognizer_feed(struct recognizer *e, const struct pcm16 *sound)
{
	if (e->keeps)
		keep_sound(e, sound);
	if (e->lost == OK)
		e->lost = e->engine->asr->feed(e->asr, sound->s, sound->n);
}
