/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that all actors of a pipeline share: messages to each other, events for the
 * event loop, readiness, dropping output, and the end.
 */
#include "pipeline/pipeline_internal.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"

/* ---- events for the event loop ---- */

#define AGAIN_US (10 * S_US) /* least time between two warnings of one code */

static struct pipeline_event *
new_event(
    struct pipeline *p, enum pipeline_event_kind kind, int target, size_t more_bytes)
{
	struct pipeline_event *event =
	    (struct pipeline_event *)actor_message_new(sizeof(*event) + more_bytes);

	event->call.run = p->host.report;
	event->session = p->session;
	event->pipeline = p;
	event->kind = kind;
	event->target = target;
	event->starred = -1;
	return event;
}

struct pipeline_event *
pipeline_event_new(struct pipeline *p, enum pipeline_event_kind kind, int target)
{
	return new_event(p, kind, target, 0);
}

struct pipeline_payload
pipeline_payload_of(struct arena *mem)
{
	const struct buf empty = { .mem = mem };

	return (struct pipeline_payload){ empty, empty, empty };
}

/* Copy the text to *at, with a NUL, and move *at past it. */
static const char *
copy(char **at, const struct buf *b)
{
	char *to = *at;

	*at += b->len + 1;
	return b->len > 0 ? memcpy(to, b->p, b->len) : to;
}

struct pipeline_event *
pipeline_event_with(struct pipeline *p, enum pipeline_event_kind kind, int target,
    const struct pipeline_payload *with)
{
	size_t n = with->text.len + with->opus.len + with->opus_text.len + 3;
	struct pipeline_event *event = new_event(p, kind, target, n);
	char *at = (char *)(event + 1);

	event->text = copy(&at, &with->text);
	event->n = with->text.len;
	event->opus =
	    (struct opus_packets){ (const unsigned char *)copy(&at, &with->opus),
		    with->opus.len };
	if (with->opus_text.len > 0)
		event->opus_text = copy(&at, &with->opus_text);
	event->opus_n = with->opus_text.len;
	return event;
}

struct buf
pipeline_event_buf(struct pipeline_event *event)
{
	return (struct buf){ .mem = event->call.message.mem };
}

void
pipeline_event_send(struct pipeline_event *event, const struct buf *b, int starred)
{
	if (b != NULL) {
		event->text = b->p;
		event->n = b->len;
	}
	event->starred = starred;
	mailbox_send(event->pipeline->host.events, &event->call.message);
}

void
pipeline_event_final(struct pipeline_event *event, const struct pipeline_line *l)
{
	struct arena *mem = event->call.message.mem;
	int64_t epoch_us = event->pipeline->epoch_us;

	event->final = true;
	event->line = (struct pipeline_line){ .text = arena_str(mem, l->text),
		.language = lang_fold(mem, l->language),
		.part = l->part,
		.start_us = epoch_us + l->start_us,
		.end_us = epoch_us + l->end_us };
}

void
pipeline_event_post(struct pipeline *p, enum pipeline_event_kind kind)
{
	pipeline_event_send(pipeline_event_new(p, kind, -1), NULL, -1);
}

/* ---- warnings and errors ---- */

bool
pipeline_warning_due(struct pipeline_warnings *w, const char *code, int64_t now)
{
	struct pipeline_warning *oldest = &w->last[0];

	for (int i = 0; i < PIPELINE_WARNINGS; i++) {
		struct pipeline_warning *at = &w->last[i];

		if (at->code != NULL && strcmp(at->code, code) == 0) {
			if (now < at->at_us + AGAIN_US)
				return false;
			at->at_us = now;
			return true;
		}
		if (at->at_us < oldest->at_us)
			oldest = at;
	}
	*oldest = (struct pipeline_warning){ code, now };
	return true;
}

void
pipeline_warn(struct pipeline_event *event, const char *code, const char *message)
{
	struct buf b = pipeline_event_buf(event);

	output_warning(&b, code, message);
	pipeline_event_send(event, &b, -1);
}

void
pipeline_error(struct pipeline *p, const char *code, const char *desc)
{
	struct pipeline_event *event = pipeline_event_new(p, PIPELINE_TEXT, -1);
	struct buf b = pipeline_event_buf(event);

	output_error(&b, code, desc, NULL);
	pipeline_event_send(event, &b, -1);
}

/* ---- readiness ---- */

/*
 * A pipeline is ready when its ASR engine is open and the translators of all targets
 * have answered once.  These parts start in the background.  The pipeline may end
 * before they report, so struct readiness outlives it.
 */
struct readiness {
	struct arena *mem;
	pthread_mutex_t lock;
	struct pipeline *pipeline; /* NULL: it has ended */
	int missing;               /* parts that are not ready */
	/* references: of the pipeline, and of each part that has not reported */
	int refs;
};

struct readiness *
pipeline_readiness_new(struct pipeline *p, int parts)
{
	struct arena *mem = arena_new();
	struct readiness *rd = arena_alloc(mem, sizeof(*rd));

	*rd = (struct readiness){
		.mem = mem, .pipeline = p, .missing = parts, .refs = 1 + parts
	};
	pthread_mutex_init(&rd->lock, NULL);
	return rd;
}

/* Drop a reference.  Called with the lock held; releases it. */
static void
unref(struct readiness *rd)
{
	bool last = --rd->refs == 0;

	pthread_mutex_unlock(&rd->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&rd->lock);
	arena_free(rd->mem);
}

void
pipeline_part_ready(void *arg)
{
	struct readiness *rd = arg;

	pthread_mutex_lock(&rd->lock);
	if (--rd->missing == 0 && rd->pipeline != NULL)
		pipeline_event_post(rd->pipeline, PIPELINE_READY);
	unref(rd);
}

void
pipeline_part_failed(struct readiness *rd)
{
	pthread_mutex_lock(&rd->lock);
	unref(rd);
}

static void
end_readiness(struct readiness *rd)
{
	pthread_mutex_lock(&rd->lock);
	rd->pipeline = NULL;
	unref(rd);
}

/* ---- messages to synthesizers ---- */

static struct spoken_segment
copy_segment(struct arena *mem, const struct spoken_segment *segment)
{
	struct spoken_segment to = *segment;

	to.id = arena_str(mem, segment->id);
	to.language = arena_str(mem, segment->language);
	to.text = arena_str(mem, segment->text);
	return to;
}

static void
to_synthesizer(struct pipeline *p, int target, enum synthesizer_message_kind kind,
    const struct spoken_segment *segment)
{
	struct synthesizer_message *m = ACTOR_MESSAGE(struct synthesizer_message);

	m->kind = kind;
	m->generation = p->generation[target];
	p->waiting[target]++;
	if (segment != NULL)
		m->segment = copy_segment(m->message.mem, segment);
	actor_send(p->synthesizers[target], &m->message);
}

void
pipeline_pass(struct pipeline *p, const struct spoken_segment *segment, int target)
{
	const struct task *t = &p->config->task;

	for (int i = 0; i < (int)t->n_targets; i++)
		if ((target < 0 || i == target) &&
		    (!segment->partial || t->targets[i].partials) &&
		    (target >= 0 || segment->spoken ||
			task_translates(t, &t->targets[i], segment->language)))
			to_synthesizer(p, i, SYNTHESIZER_SEGMENT, segment);
}

static void
to_all(struct pipeline *p, enum synthesizer_message_kind kind)
{
	for (int i = 0; i < (int)p->config->task.n_targets; i++)
		to_synthesizer(p, i, kind, NULL);
}

/* Send an event without content that waits its turn. */
static void
hold(struct pipeline *p, enum pipeline_held_kind kind)
{
	struct pipeline_event *event = pipeline_event_new(p, PIPELINE_HELD, -1);

	event->held = kind;
	pipeline_event_send(event, NULL, -1);
}

void
pipeline_pass_final(struct pipeline *p, struct pipeline_event *event,
    const struct buf *b, const struct spoken_segment *segment)
{
	struct spoken_segment *copy;

	if (!p->holds) {
		pipeline_event_send(event, b, OUTPUT_VALIDATED);
		pipeline_pass(p, segment, -1);
		return;
	}
	copy = arena_alloc(event->call.message.mem, sizeof(*copy));
	*copy = copy_segment(event->call.message.mem, segment);
	event->kind = PIPELINE_HELD;
	event->held = HELD_TEXT;
	event->segment = copy;
	pipeline_event_send(event, b, OUTPUT_VALIDATED);
}

void
pipeline_close(struct pipeline *p)
{
	if (p->holds)
		hold(p, HELD_CLOSE);
	else
		to_all(p, SYNTHESIZER_CLOSE);
}

static void
leave_synthesizers(struct pipeline *p)
{
	for (int i = 0; i < (int)p->config->task.n_targets; i++)
		actor_leave(p->synthesizers[i]);
}

void
pipeline_end_synthesizers(struct pipeline *p)
{
	if (p->holds)
		hold(p, HELD_END);
	else
		leave_synthesizers(p);
}

void
pipeline_prewarm(struct pipeline *p)
{
	to_all(p, SYNTHESIZER_PREWARM);
}

/* ---- drain markers ---- */

static void
pass_drain(struct pipeline *p)
{
	p->drains = (int)p->config->task.n_targets + 1;
	to_all(p, SYNTHESIZER_DRAIN);
	pipeline_drained(p);
}

void
pipeline_pass_drain(struct pipeline *p)
{
	if (p->holds)
		hold(p, HELD_DRAIN);
	else
		pass_drain(p);
}

void
pipeline_drained(struct pipeline *p)
{
	if (--p->drains == 0)
		pipeline_event_post(p, PIPELINE_DRAINED);
}

/* ---- events that were held ---- */

/* Write the message of a held text anew, with other words. */
static void
rewrite(struct pipeline_event *event, const char *said)
{
	struct arena *mem = event->call.message.mem;
	struct pipeline *p = event->pipeline;
	struct spoken_segment *segment = arena_alloc(mem, sizeof(*segment));
	int64_t epoch_us = event->line.start_us - event->segment->start_us;
	struct output_segment one = { NULL, event->segment->start_us,
		event->segment->end_us, NULL, 0 };
	struct output_transcript t = { .id = event->segment->id,
		.part = -1,
		.language = event->line.language,
		.segments = &one,
		.n_segments = 1,
		.epoch_us = epoch_us };
	struct buf b = pipeline_event_buf(event);

	*segment = *event->segment;
	segment->text = t.text = one.text =
	    arena_str(mem, blocked_mask(p->config->blocked, mem, said));
	event->segment = segment;
	event->line.text = t.text;
	if (output_text(&b, OUTPUT_VALIDATED, &t)) {
		event->text = b.p;
		event->n = b.len;
	}
}

void
pipeline_release(struct pipeline_event *event, const char *said)
{
	struct pipeline *p = event->pipeline;

	switch (event->held) {
	case HELD_TEXT:
		if (said != NULL)
			rewrite(event, said);
		event->kind = PIPELINE_TEXT;
		pipeline_pass(p, event->segment, -1);
		return;
	case HELD_CLOSE:
		to_all(p, SYNTHESIZER_CLOSE);
		return;
	case HELD_DRAIN:
		pass_drain(p);
		return;
	case HELD_END:
		leave_synthesizers(p);
		return;
	}
}

struct pipeline_event *
pipeline_restore(struct pipeline *p, const char *id, const struct pipeline_line *l)
{
	struct pipeline_event *event = pipeline_event_new(p, PIPELINE_HELD, -1);
	struct arena *mem = event->call.message.mem;
	struct spoken_segment *segment = arena_alloc(mem, sizeof(*segment));
	int64_t epoch_us = p->epoch_us < l->start_us ? p->epoch_us : l->start_us;

	*segment = (struct spoken_segment){ .id = arena_str(mem, id),
		.language = arena_str(mem, l->language),
		.start_us = l->start_us - epoch_us,
		.end_us = l->end_us - epoch_us,
		.ended_us = monotonic_us(),
		.voiced_us = monotonic_us() };
	event->held = HELD_TEXT;
	event->starred = OUTPUT_VALIDATED;
	event->final = true;
	event->segment = segment;
	event->line = (struct pipeline_line){ .language = segment->language,
		.start_us = l->start_us,
		.end_us = l->end_us };
	event->times.id = segment->id;
	rewrite(event, l->text);
	return event;
}

/* ---- delay ---- */

bool
pipeline_drops(const struct pipeline *p, enum pipeline_drop what)
{
	static const int64_t over_us[] = {
		[DROP_PARTIAL_TRANSLATIONS] = PIPELINE_BEHIND_US,
		[DROP_PARTIALS] = PIPELINE_BEHIND_US + S_US,
		[DROP_SPEECH] = 2 * PIPELINE_BEHIND_US,
	};

	return p->behind_us > over_us[what];
}

/* ---- the end ---- */

void
pipeline_left(struct pipeline *p)
{
	if (--p->left > 0)
		return;
	end_readiness(p->readiness);
	pipeline_event_post(p, PIPELINE_GONE);
}
