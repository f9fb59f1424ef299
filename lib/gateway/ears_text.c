/* What becomes of the texts that the ears hear. */
#include "gateway/ears_room.h"
#include "gateway/stt.h"

#include "base/clock.h"

const char *
ears_corrected(struct ears *e, const struct heard *h)
{
	const struct gloss *g = e->run->want->gloss;
	const char *text = h->text;

	if (e->run->want->unfilled)
		text = stt_unfilled(e->phrase, h->lang, text);
	if (g == NULL)
		return text;
	text = gloss_hot(g, e->phrase, h->lang, text);
	return gloss_heard(g, e->phrase, h->lang, text);
}

void
ears_say(struct ears *e, enum task_say how, const struct heard *h, int64_t end_us)
{
	struct said *s = said_new(e->run, SAID_TEXT, -1);
	const struct heard_word *w = h->words.items;
	size_t n = how == SAY_VALIDATED ? h->words.n : 0;
	struct say_word *words = arena_alloc(e->phrase, (n + 1) * sizeof(*words));
	struct say_segment segment = { h->text, e->start_us, end_us, words, n };
	const struct say_transcript t = { .id = e->id,
		.part = -1,
		.language = h->lang,
		.text = h->text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = e->run->epoch_us };
	struct buf b = said_buf(s);

	for (size_t i = 0; i < n; i++)
		words[i] = (struct say_word){ w[i].text, e->start_us + w[i].start_us,
			e->start_us + w[i].end_us };
	if (e->run->want->flat)
		e->finalizing &= !stt_say(&b,
		    &(struct say_stt){ e->id, h->lang, h->text, e->start_us, end_us },
		    how == SAY_VALIDATED, e->text, e->text_us, e->finalizing);
	else
		say_text(&b, how, &t);
	s->final = how == SAY_VALIDATED;
	said_send(s, &b, (int)how);
}

struct phrase_said
ears_phrase(const struct ears *e, const struct heard *h, int64_t end_us)
{
	return (struct phrase_said){ .id = e->id,
		.language = code_fold(e->phrase, h->lang),
		.text = h->text,
		.start_us = e->start_us,
		.end_us = end_us,
		.ended_us = monotonic_us(),
		.voiced_us = e->voiced_us };
}
