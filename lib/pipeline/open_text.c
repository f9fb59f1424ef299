/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sentences that a pause has cut in two, at a synthesizer. The recognizer marks the
 * first phrase as open, and sends CLOSE when no second one comes in time.
 */
#include <string.h>

#include "base/lang.h"
#include "pipeline/synthesizer_internal.h"
#include "protocol/output.h"
#include "speech/sentence.h"

bool
open_text_complete(struct synthesizer *s, struct spoken_segment *p)
{
	const struct open_text *o = &s->open;

	if (!o->holds || o->generation != s->generation ||
	    !lang_same_base(o->segment.language, p->language))
		return false;
	p->text = sentence_join(s->scratch, p->language, o->segment.text, p->text);
	p->start_us = o->segment.start_us;
	return true;
}

/* Returns where the last sentence of a text begins. */
static const char *
last_sentence(const char *text)
{
	const char *last = text;

	for (const char *s = text; *s != '\0'; s = output_sentence(s))
		last = s;
	return last;
}

/*
 * Returns the time at which the text from `last` on begins, estimated by its share of
 * the letters.
 */
static int64_t
start_of(const struct spoken_segment *p, const char *last)
{
	double share = (double)(last - p->text) / (double)strlen(p->text);

	return p->start_us + (int64_t)(share * (double)(p->end_us - p->start_us));
}

bool
open_text_hold(struct synthesizer *s, struct spoken_segment *p)
{
	const char *last = last_sentence(p->text);
	struct open_text *o = &s->open;

	arena_reset(o->mem);
	o->holds = true;
	o->generation = s->generation;
	o->segment = *p;
	o->segment.id = arena_str(o->mem, p->id);
	o->segment.language = arena_str(o->mem, p->language);
	o->segment.text = arena_str(o->mem, last);
	if (last == p->text)
		return false;
	p->end_us = o->segment.start_us = start_of(p, last);
	p->text = arena_dup(s->scratch, p->text, (size_t)(last - p->text));
	return true;
}

bool
open_text_pop(struct synthesizer *s, struct spoken_segment *p)
{
	bool holds = s->open.holds && s->open.generation == s->generation;

	*p = s->open.segment;
	s->open.holds = false;
	return holds;
}
