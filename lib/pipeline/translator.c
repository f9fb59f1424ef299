/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The translator of one target: the terms of the glossaries, then the first way that
 * succeeds.
 */
#include "pipeline/route.h"
#include "pipeline/synthesizer_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/text.h"

#define BEFORE_BYTES 400 /* bytes kept of a text; the end of a longer text */

/* A ring with the last final texts of the source, which engines may read as context. */
struct translator_context {
	char text[MT_BEFORE][BEFORE_BYTES];
	size_t n; /* number of texts so far */
	const char *list[MT_BEFORE];
};

static struct list
texts_before(struct synthesizer *s)
{
	struct translator_context *c = s->context;
	size_t n = c == NULL ? 0 : c->n < MT_BEFORE ? c->n : MT_BEFORE;

	for (size_t i = 0; i < n; i++)
		c->list[i] = c->text[(c->n - n + i) % MT_BEFORE];
	return (struct list){ n > 0 ? c->list : NULL, n };
}

static void
store_context(struct synthesizer *s, const struct spoken_segment *p)
{
	const char *text = p->text;
	size_t n = strlen(text);

	if (p->partial)
		return;
	if (s->context == NULL)
		s->context = arena_alloc(s->mem, sizeof(*s->context));
	if (n >= BEFORE_BYTES) {
		text += n - BEFORE_BYTES + 1;
		text += strcspn(text, " ");
	}
	memcpy(s->context->text[s->context->n++ % MT_BEFORE], text, strlen(text) + 1);
}

static bool
is_unwanted(void *arg)
{
	return synthesizer_is_flushed(arg);
}

static bool
try_ways(struct synthesizer *s, const struct mt_text *t, const char **out,
    struct faithful *how)
{
	struct registry *reg = s->pipeline->config->registry;
	struct registry_want which = { .model = s->to->model,
		.now_us = monotonic_us() };
	struct registry_way way;

	while (registry_way(reg, t->from, t->to, &which, &way)) {
		enum err e = route_translate(reg, &way, s->scratch, t, out, how);

		if (e == OK || synthesizer_is_flushed(s))
			return e == OK;
	}
	return false;
}

const char *
translator_translate(struct synthesizer *s, const struct spoken_segment *p)
{
	const struct glossary_index *g = s->pipeline->config->glossary;
	struct mt_text t = { .text = p->text,
		.from = p->language,
		.to = s->to->language.code,
		.title = s->pipeline->config->title,
		.before = texts_before(s),
		.unwanted = is_unwanted,
		.arg = s };
	struct faithful how = { &s->pipeline->config->speakers, true, false };
	bool translated;
	const char *out;

	if (g != NULL && s->to->glossaries.allowed)
		t.terms = glossary_terms(
		    g, s->scratch, p->language, t.to, p->text, &t.nterms);
	if (lang_same_base(t.from, t.to) && t.nterms == 0)
		return p->text;
	if (s->pipeline->config->blocked != NULL) {
		if (text_first_word(p->text) == 0)
			return p->text;
		blocked_keep(s->scratch, &t);
	}
	translated = try_ways(s, &t, &out, &how);
	store_context(s, p);
	if (!translated) {
		if (!synthesizer_is_flushed(s))
			synthesizer_warn(s, &s->warnings, "TRANSLATION_FAILED",
			    "A sentence could not be translated");
		return NULL;
	}
	if (!how.guarded)
		synthesizer_warn(s, &s->warnings, "GLOSSARY_NOT_APPLIED",
		    "A sentence was translated without the glossary");
	if (how.negated)
		synthesizer_warn(s, &s->warnings, "NEGATION_UNSURE",
		    "A translation may have lost a negation, or made one");
	return out;
}

void
translator_send(
    struct synthesizer *s, const struct spoken_segment *p, const char *text, int part)
{
	enum task_output how =
	    p->partial ? OUTPUT_PARTIAL_TRANSLATED : OUTPUT_TRANSLATED;
	struct pipeline_event *event =
	    pipeline_event_new(s->pipeline, PIPELINE_TEXT, s->target);
	const struct output_segment segment = { text, p->start_us, p->end_us, NULL, 0 };
	const struct output_transcript t = { .id = p->id,
		.part = part,
		.language = s->to->language.said,
		.text = text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = s->pipeline->epoch_us };
	struct buf b = pipeline_event_buf(event);

	event->generation = s->generation;
	if (s->pipeline->config->flat)
		output_stt_translated(&b, &(struct output_stt){ .id = p->id,
					      .language = s->to->language.said,
					      .text = text,
					      .start_us = p->start_us,
					      .end_us = p->end_us });
	else
		output_text(&b, how, &t);
	if (!p->partial)
		pipeline_event_final(
		    event, &(struct pipeline_line){ text, s->to->language.code, part,
			       p->start_us, p->end_us });
	event->times.id = arena_str(event->call.message.mem, p->id);
	pipeline_event_send(event, &b, (int)how);
}

/* ---- prewarming ---- */

/*
 * The source language to warm up for. With "auto": the first candidate, or English if
 * the ASR engine cannot detect languages (asr.h). NULL: unknown.
 */
static const char *
likely_source(const struct pipeline_config *w)
{
	const struct list *codes = &w->task.detectable;
	struct registry_want which = { .model = w->task.asr_model,
		.now_us = monotonic_us() };
	const struct registry_engine *asr;

	if (strcmp(w->task.language.code, "auto") != 0)
		return w->task.language.code;
	if (codes->n > 0)
		return ((const char *const *)codes->items)[0];
	asr = registry_asr(w->registry, "auto", &which);
	return asr != NULL && (asr->asr->can & ASR_DETECT) == 0 ? "en" : NULL;
}

/* Ignores the result: the task waits only for the first step. */
static void
ignore_warmed(void *arg)
{
	(void)arg;
}

void
translator_prewarm(const struct pipeline *p, int target)
{
	const struct pipeline_config *w = p->config;
	const struct task_target *to = &w->task.targets[target];
	struct registry_want which = { .model = to->model, .now_us = monotonic_us() };
	const char *from = likely_source(w), *first = to->language.code;
	struct registry_way way;

	if (p->dropped || from == NULL ||
	    !registry_way(w->registry, from, to->language.code, &which, &way)) {
		pipeline_part_ready(p->readiness);
		return;
	}
	if (way.second != NULL) {
		first = way.via;
		mt_warm(way.second->mt, &way.second->at, way.via, to->language.code,
		    ignore_warmed, NULL);
	}
	mt_warm(way.engine->mt, &way.engine->at, from, first, pipeline_part_ready,
	    p->readiness);
}
