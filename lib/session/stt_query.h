/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SESSION_STT_QUERY_H
#define SESSION_STT_QUERY_H

#include "audio/audio_decoder.h"
#include "gateway/gateway.h"
#include "protocol/output.h"
#include "protocol/task.h"

/*
 * Speech to text.  The client of an STT socket sends only audio.  The query of its URL
 * becomes a task, so the session uses a normal pipeline (pipeline.h).
 */

/* The query as sent.  NULL: the parameter is missing. */
struct stt_in {
	const char *language, *format;
	const char *targets;      /* comma-separated languages */
	const char *filter;       /* "true": leave out hesitation words */
	int64_t sample_rate;      /* Hz; NULL_INT: missing */
	const char *finalization; /* "manual": texts become final only on request */
};

struct stt_params {
	/* format of the sound; of a file: of its decoded audio */
	struct audio_format sound;
	const char *file;     /* format for stream_decoder.h; NULL: not a file */
	bool unfilled;        /* leave out hesitation words */
	bool manual;          /* texts become final only on request */
	const char *language; /* language as sent */
	const char *task;     /* JSON for task_read() */
};

/*
 * Read the query; all strings are in the arena.  False: it is invalid or not
 * supported; the faults name the parameters.
 */
bool stt_query_read(struct arena *, struct registry *, const struct stt_in *,
    struct stt_params *, struct fault **) MUST_CHECK;
/* Read stt_params.task.  False: the engines do not support it any more. */
bool stt_query_task(struct arena *, struct registry *, const char *json, struct task *,
    struct validation_errors *) MUST_CHECK;

#endif
