/* Corrections and output of the recognized texts. */
#include "pipeline/disfluencies.h"
#include "pipeline/markers.h"
#include "pipeline/recognizer_internal.h"
#include "pipeline/stt_output.h"

#include "base/clock.h"
#include "base/lang.h"
#include "speech/sentence.h"

void
recognizer_bare(struct recognizer *r, struct heard *h)
{
	const struct heard_word *w = h->words.items;
	const char *was = h->text;
	struct heard_word *to;
	size_t n = 0;

	h->text = markers_remove(r->segment_mem, was);
	if (h->text == was)
		return;
	to = arena_alloc(r->segment_mem, (h->words.n + 1) * sizeof(*to));
	for (size_t i = 0; i < h->words.n; i++)
		if (*markers_remove(r->segment_mem, w[i].text) != '\0')
			to[n++] = w[i];
	h->words = (struct list){ to, n };
}

const char *
recognizer_corrected(struct recognizer *r, const struct heard *h)
{
	const struct glossary_index *g = r->pipeline->config->glossary;
	const char *text = h->text;

	if (r->pipeline->config->unfilled)
		text = disfluencies_remove(r->segment_mem, h->lang, text);
	text = sentence_source(r->segment_mem, h->lang, text);
	if (g == NULL)
		return text;
	text = glossary_hotwords(g, r->segment_mem, h->lang, text);
	return glossary_correct(g, r->segment_mem, h->lang, text);
}

void
recognizer_send(
    struct recognizer *r, enum task_output how, const struct heard *h, int64_t end_us)
{
	struct pipeline_event *s = pipeline_event_new(r->pipeline, PIPELINE_TEXT, -1);
	const struct heard_word *w = h->words.items;
	size_t n = how == OUTPUT_VALIDATED ? h->words.n : 0;
	struct output_word *words =
	    arena_alloc(r->segment_mem, (n + 1) * sizeof(*words));
	struct output_segment segment = { h->text, r->start_us, end_us, words, n };
	const struct output_transcript t = { .id = r->id,
		.part = -1,
		.language = h->lang,
		.text = h->text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = r->pipeline->epoch_us };
	struct buf b = pipeline_event_buf(s);

	for (size_t i = 0; i < n; i++)
		words[i] = (struct output_word){ w[i].text, r->start_us + w[i].start_us,
			r->start_us + w[i].end_us };
	if (r->pipeline->config->flat)
		r->finalizing &= !stt_output(&b,
		    &(struct output_stt){ r->id, h->lang, h->text,
			r->held.id != NULL ? r->held.start_us : r->start_us, end_us },
		    how == OUTPUT_VALIDATED, r->text, r->text_us, r->finalizing);
	else
		output_text(&b, how, &t);
	if (how == OUTPUT_VALIDATED)
		pipeline_event_final(s, &(struct pipeline_line){
					    h->text, h->lang, 0, r->start_us, end_us });
	s->times.id = arena_str(s->call.message.mem, r->id);
	pipeline_event_send(s, &b, (int)how);
}

struct spoken_segment
recognizer_segment(const struct recognizer *r, const struct heard *h, int64_t end_us)
{
	return (struct spoken_segment){ .id = r->id,
		.language = lang_fold(r->segment_mem, h->lang),
		.text = h->text,
		.start_us = r->start_us,
		.end_us = end_us,
		.ended_us = monotonic_us(),
		.voiced_us = r->voiced_us };
}
