/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/transcript_correction.h"

#include <string.h>

#include "base/clock.h"
#include "channel/relay.h"
#include "channel/text_backlog.h"
#include "protocol/output.h"

#define LATE_US (10 * S_US) /* the longest time from the end of speech to its text */

/* ---- on the database thread ---- */

/* Read the current number. Numbers restart when the corrected lines were deleted. */
enum err
transcript_correction_read(struct db *db, struct arena *mem, const char *channel,
    struct transcript_corrections *c)
{
	int64_t n, since = c->since;
	enum err e = transcript_corrections(db, channel, &n);

	c->lines.n = 0;
	if (e != OK)
		return e;
	c->last = n;
	since = n < since ? 0 : since;
	if (since < 0 || n == since)
		return OK;
	e = transcript_corrected(
	    db, mem, channel, since, TRANSCRIPT_CORRECTIONS_MOST, &c->lines);
	if (e == OK && c->lines.n > 0)
		c->last =
		    ((const struct transcript_line *)c->lines.items)[c->lines.n - 1]
			.correction;
	return e;
}

/* ---- on the event loop ---- */

/*
 * The index of the line's target; -1: the source; below -1: the task has no such
 * target.
 */
static int
target_of(const struct task *t, const struct transcript_line *l)
{
	if (l->original)
		return -1;
	for (size_t i = 0; i < t->n_targets; i++)
		if (strcmp(t->targets[i].language.code, l->language) == 0)
			return (int)i;
	return -2;
}

static bool
write_message(struct buf *b, const struct session *s, const struct transcript_line *l,
    const char *language)
{
	int64_t epoch_us = s->in.epoch_us;
	const struct output_segment segment = { l->text, l->start_us - epoch_us,
		l->end_us - epoch_us, NULL, 0 };
	const struct output_transcript t = { .id = l->segment,
		.part = l->original ? -1 : (int)l->part,
		.language = language,
		.text = l->text,
		.segments = &segment,
		.n_segments = 1,
		.epoch_us = epoch_us,
		.corrected = true };

	return output_text(b, l->original ? OUTPUT_VALIDATED : OUTPUT_TRANSLATED, &t);
}

void
transcript_correction_tell(struct session *s, int target, int starred,
    const struct transcript_line *l, const struct buf *message)
{
	int64_t said_us = l->end_us - now_us() + monotonic_us() + LATE_US;

	fanout_correction(s, target, starred, message, said_us);
	text_backlog_correct(s, l, message);
}

static void
send_line(struct session *s, const struct transcript_line *l)
{
	const struct task *t = pipeline_task(s->now->pipeline);
	int target = target_of(t, l),
	    starred = l->original ? OUTPUT_VALIDATED : OUTPUT_TRANSLATED;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (target >= -1 &&
	    write_message(&b, s, l,
		target < 0 ? l->language : t->targets[target].language.said)) {
		transcript_correction_tell(s, target, starred, l, &b);
		relay_correct(s, target, starred, l, &b);
	}
	arena_free(mem);
}

void
transcript_correction_send(struct session *s, const struct transcript_corrections *c)
{
	const struct transcript_line *l = c->lines.items;

	for (size_t i = 0; i < c->lines.n && s->now != NULL; i++)
		send_line(s, l + i);
}
