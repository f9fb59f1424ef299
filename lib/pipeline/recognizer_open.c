/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sentences that a pause has cut in two. The final text of an open phrase is sent to
 * the clients at once; the synthesizers hold it, join it with the next phrase and
 * translate the two together. The wait is counted in sound, so it does not depend on
 * the pace of the input. When input stops, the session cuts the segment, which ends the
 * wait.
 */
#include "pipeline/recognizer_internal.h"
#include "speech/sentence.h"

#define SAMPLES(ms) ((int64_t)(ms)*HEARD_HZ / 1000)
/* longest time from the end of a phrase to the beginning of the next */
#define WAIT_MS 700

void
open_phrase_close(struct recognizer *r)
{
	if (r->open.waits)
		pipeline_close(r->pipeline);
	r->open.waits = false;
}

void
open_phrase_begins(struct recognizer *r, const struct segment_part *p)
{
	struct open_phrase *o = &r->open;

	if (p->speech_at > o->until)
		open_phrase_close(r);
	o->begins = p->speech_at;
}

void
open_phrase_ends(struct recognizer *r, const struct segment_part *p)
{
	r->open.why = p->why;
	r->open.ends = p->speech_at;
}

void
open_phrase_check(struct recognizer *r, int64_t at)
{
	const struct open_phrase *o = &r->open;
	int64_t most = o->start + SAMPLES(SEGMENT_MOST_S * 1000);

	if (o->waits && at > (r->id == NULL ? o->until : most))
		open_phrase_close(r);
}

bool
open_phrase_holds(struct recognizer *r, const struct asr_result *h, const char *heard)
{
	const struct open_phrase *o = &r->open;
	int64_t start = o->waits ? o->start : o->begins;

	return !r->pipeline->config->flat &&
	       (o->why == SEGMENT_SILENCE || o->why == SEGMENT_SPLIT) &&
	       o->ends - start < SAMPLES(SEGMENT_MOST_S * 1000) &&
	       sentence_is_open(r->segment_mem, h->lang, heard, h->text);
}

void
open_phrase_sent(struct recognizer *r, bool open)
{
	const struct task *t = &r->pipeline->config->task;
	struct open_phrase *o = &r->open;

	if (!open) {
		open_phrase_close(r);
		return;
	}
	if (!o->waits)
		o->start = o->begins;
	o->waits = true;
	o->until = o->ends + SAMPLES(WAIT_MS);
	if (o->why == SEGMENT_SILENCE)
		o->until += SAMPLES((int64_t)(t->silence_s * 1000));
}
