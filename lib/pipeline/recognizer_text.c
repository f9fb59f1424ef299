/* Corrections and output of the recognized texts. */
#include "pipeline/disfluencies.h"
#include "pipeline/recognizer_internal.h"
#include "pipeline/stt_output.h"

#include "base/clock.h"

const char *
recognizer_corrected(struct recognizer *e, const struct heard *h)
{
	const struct glossary_index *g = e->pipeline->config->glossary;
	const char *text = h->text;

	if (e->pipeline->config->unfilled)
		text = disfluencies_remove(e->segment_mem, h->lang, text);
	if (g == NULL)
		return text;
	text = glossary_hotwords(g, e->segment_mem, h->lang, text);
	return glossary_correct(g, e->segment_mem, h->lang, text);
}

void
recognizer_send(
    struct recognizer *e, enum task_output how, const struct heard *h, int64_t end_us)
{
	struct pipeline_event *s = pipeline_event_new(e->pipeline, PIPELINE_TEXT, -1);
	const struct heard_word *w = h->words.items;
	size_t n = how == OUTPUT_VALIDATED ? h->words.n : 0;
	struct output_word *words =
	    arena_alloc(e->segment_mem, (n + 1) * sizeof(*words));
	struct output_segment segment = { h->text, e->start_us, end_us, words, n };
	const struct output_transcript t = { .id = e->id,
		.part = -1,
		.language = h->lang,
		.text = h->text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = e->pipeline->epoch_us };
	struct buf b = pipeline_event_buf(s);

	for (size_t i = 0; i < n; i++)
		words[i] = (struct output_word){ w[i].text, e->start_us + w[i].start_us,
			e->start_us + w[i].end_us };
	if (e->pipeline->config->flat)
		e->finalizing &= !stt_output(&b,
		    &(struct output_stt){
			e->id, h->lang, h->text, e->start_us, end_us },
		    how == OUTPUT_VALIDATED, e->text, e->text_us, e->finalizing);
	else
		output_text(&b, how, &t);
	s->final = how == OUTPUT_VALIDATED;
	pipeline_event_send(s, &b, (int)how);
}

struct spoken_segment
recognizer_segment(const struct recognizer *e, const struct heard *h, int64_t end_us)
{
	return (struct spoken_segment){ .id = e->id,
		.language = language_code_fold(e->segment_mem, h->lang),
		.text = h->text,
		.start_us = e->start_us,
		.end_us = end_us,
		.ended_us = monotonic_us(),
		.voiced_us = e->voiced_us };
}
