/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_SYNTHESIZER_INTERNAL_H
#define PIPELINE_SYNTHESIZER_INTERNAL_H

#include "base/clock.h"
#include "pipeline/gap.h"
#include "pipeline/opus_output.h"

/*
 * Shared by the files of the synthesizer actor:
 *
 *	synthesizer.c  messages; segments -> speech -> chunks
 *	open_text.c    sentences that a pause has cut in two
 *	translator.c   glossary terms -> translation
 */
struct translator_context;

/* A held beginning of a sentence, which waits for its end. */
struct open_text {
	struct arena *mem;
	bool holds;
	/* valid if holds is true; its strings are in mem */
	struct spoken_segment segment;
	int generation;
};

struct synthesizer {
	struct pipeline *pipeline;
	int target;                   /* index in the task */
	const struct task_target *to; /* the target of the task */
	struct arena *mem;            /* arena of the synthesizer */
	struct arena *scratch;        /* arena of one message */
	int generation;               /* generation of the current message */
	struct opus_output *opus;
	struct gap gap; /* gap of the current generation */
	struct pipeline_warnings warnings;
	int64_t partial_us; /* time of the last partial translation, monotonic_us() */
	struct open_text open;
	struct translator_context *context; /* in mem; NULL: no text yet */
	const char *no_voices[2]; /* voice ids for which a replacement was reported */
	bool no_speech; /* the lack of an engine for the language was reported */
};

/* True if the target was flushed after the current message was sent. */
static inline bool
synthesizer_is_flushed(const struct synthesizer *s)
{
	return s->generation != s->pipeline->generation[s->target];
}

/*
 * Send a warning to the listeners of the target and to the publisher, unless the same
 * one was sent recently; sent NULL: always.
 */
static inline void
synthesizer_warn(struct synthesizer *s, struct pipeline_warnings *sent,
    const char *code, const char *message)
{
	struct pipeline_event *event;

	if (sent != NULL && !pipeline_warning_due(sent, code, monotonic_us()))
		return;
	event = pipeline_event_new(s->pipeline, PIPELINE_TEXT, s->target);
	event->generation = s->generation;
	pipeline_warn(event, code, message);
}

/* ---- open_text.c ---- */

/*
 * Put the held text before the text of the segment, whose beginning becomes that of the
 * held text. False: no text of this generation and language is held.
 */
bool open_text_complete(struct synthesizer *, struct spoken_segment *);
/*
 * Hold the last sentence of an open segment. The segment keeps the earlier sentences;
 * false: there are none.
 */
bool open_text_hold(struct synthesizer *, struct spoken_segment *);
/*
 * Return the held segment, whose strings live until the next hold. Nothing is held
 * afterwards. False: no segment of this generation was held.
 */
bool open_text_pop(struct synthesizer *, struct spoken_segment *);

/* ---- translator.c ---- */

/*
 * Start the target's engine in the background, if the source language is known.  Calls
 * pipeline_part_ready() when the engine has answered once or cannot be warmed.
 */
void translator_prewarm(const struct pipeline *, int target);
/* The translation, in the scratch arena; NULL: no engine succeeded. */
const char *translator_translate(
    struct synthesizer *, const struct spoken_segment *) MUST_CHECK;
/* Send one part of the translation to the session. */
void translator_send(
    struct synthesizer *, const struct spoken_segment *, const char *text, int part);

#endif
