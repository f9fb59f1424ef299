/* Events of a pipeline for the event loop. */
#include "pipeline/pipeline_internal.h"

#include <string.h>

#include "base/clock.h"
#include "base/lang.h"

#define AGAIN_US (10 * S_US) /* between two warnings of one code */

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

/* Copy to *at, with a NUL, and go on behind it. */
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
